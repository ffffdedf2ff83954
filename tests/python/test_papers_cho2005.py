"""cho2005's folder, the rule about what a scheme changes, and points pooled over experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from acklab import papers
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Axis, Experiment, Runs
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.verdict_rules import judge

RUNS = 6
MOBILE = 8


def experiment(key: str, choose: dict[str, Any], to: int = MOBILE) -> Experiment:
    return Experiment(
        key=key,
        title=key,
        seed=1,
        runs=Runs(RUNS, RUNS, RUNS),
        precision=0.05,
        precision_measure="x",
        duration={"quick": "1 s", "full": "1 s"},
        scenario={
            "cells": {"mobile": [{"node": MOBILE}]},
            "flow": [{"from": MOBILE - to, "to": to, "variant": "reno"}],
        },
        axes=(Axis("scheme", "scheme", tuple(choose), ".", choose=choose),),
    )


SCHEMES: dict[str, Any] = {
    "base": {},
    "sender": {"flow": {0: {"variant": "westwood"}}},
    "acks": {"flow": {0: {"ack": "delayed"}}},
    "mobile": {"flow": {0: {"handoff": "pacing"}}},
    "station": {"agent": [{"kind": "snoop"}]},
}


def changed(scheme: str, side: str, to: int = MOBILE) -> bool:
    """Whether the rule sees a change at that side."""
    scope = Scope(Results({"e": ExperimentRuns(experiment("e", SCHEMES, to))}, {}), "e")
    cells = {"a": {"scheme": scheme}, "b": {"scheme": "base"}}
    found = judge(scope, {"test": "changes", "side": side, "changed": True, "cells": cells})
    return found.met is True


@pytest.mark.parametrize(
    ("scheme", "side"),
    [("sender", "wired"), ("acks", "wireless"), ("mobile", "wireless"), ("station", "station")],
)
def test_a_change_is_seen_at_its_side_and_nowhere_else(scheme: str, side: str) -> None:
    assert [s for s in ("station", "wired", "wireless") if changed(scheme, s)] == [side]


def test_a_mobile_that_sends_owns_the_sender() -> None:
    assert changed("sender", "wireless", to=0)
    assert changed("acks", "wired", to=0)
    assert changed("mobile", "wireless", to=0)


def test_a_share_is_taken_of_the_points_of_all_experiments() -> None:
    data = {}
    for key, values in (("one", (1.0, 1.0, 1.0)), ("two", (1.0, -1.0))):
        names = {str(place): {} for place in range(len(values))}
        data[key] = ExperimentRuns(experiment(key, names))
        for place, value in enumerate(values):
            data[key].rows[(str(place),)] = {
                run: {"measures": {"x": value + 0.001 * (run % 2)}, "flows": []}
                for run in range(RUNS)
            }
    over = [{"experiment": key, "each": {"scheme": "all"}} for key in ("one", "two")]
    check = {"measure": "x", "cells": {"a": {}}, "sig_above": 0, "over": over}
    scope = Scope(Results(data, {}), "one")
    assert judge(scope, check | {"share": 0.8}).met is True
    assert judge(scope, check | {"share": 0.9}).met is False


def test_every_statement_stands_and_each_waits_for_something_or_has_parts() -> None:
    paper = load_paper("cho2005")
    assert [claim.id for claim in paper.claims] == [f"cho-{n}" for n in range(1, 123)]
    assert all(claim.parts or claim.undecidable for claim in paper.claims)


def test_one_item_runs_and_judges_claims(tmp_path: Path) -> None:
    made = papers.reproduce("cho2005", items=["table1"], runs=2, out=tmp_path / "out")
    frame = made.tables["table1"]
    assert frame["mean"].min() > 0
    verdicts = {claim.id: claim.verdict for claim in made.claims}
    assert verdicts["cho-57"] == "holds"
    assert verdicts["cho-76"] == "does not hold"


def test_claims_are_judged_again_with_802_11_below(tmp_path: Path) -> None:
    items = ["goodput", "sweep-dcf", "dcf"]
    made = papers.reproduce("cho2005", items=items, runs=2, out=tmp_path / "out")
    gains = made.tables["sweep-dcf"].filter(pl.col("variant") == "tahoe")
    assert gains["entry"].to_list() == ["no MAC, 5 %", "no MAC, 0 %", "802.11, 5 %", "802.11, 0 %"]
    # The paper states no number of the road: only verdicts are compared.
    assert "No number is stated" in made.files["report.html"].read_text()
    under = {claim.id: [u.variant for u in claim.under] for claim in made.claims}
    assert "dcf" in under["cho-11"]
    assert under["cho-57"] == []
