"""cho2005's folder, the rule about what a scheme changes, and points pooled over experiments."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from acklab import papers
from acklab.figures.curves import Labels
from acklab.figures.style import SERIES
from acklab.figures.trace import draw_trace
from acklab.papers.engine import grid
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.log_measures import log_measures
from acklab.papers.engine.model import Axis, Experiment, Runs
from acklab.papers.engine.orderings import orderings_frame
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.verdict_rules import judge
from acklab.report.cells import ordered, ordered_briefly
from acklab.validate.cho2005.shown import ONE_STATION, sizes

RUNS = 6
MOBILE = 8


def experiment(key: str, choose: dict[str, Any], mobile_sends: bool = False) -> Experiment:
    """The road's scenario with these schemes, its mobile the receiver or the sender."""
    scenario = copy.deepcopy(dict(load_paper("cho2005").experiments["roads"].scenario))
    if mobile_sends:
        scenario["flow"][0] |= {"from": MOBILE, "to": 0}
    return Experiment(
        key=key,
        title=key,
        seed=1,
        runs=Runs(RUNS, RUNS, RUNS),
        precision=0.05,
        precision_measure="x",
        duration={"quick": "1 s", "full": "1 s"},
        scenario=scenario,
        axes=(Axis("scheme", "scheme", tuple(choose), ".", choose=choose),),
    )


SCHEMES: dict[str, Any] = {
    "base": {},
    "said": {"flow": {0: {"window_probes": False, "dupack_threshold": 3}}},
    "sender": {"flow": {0: {"variant": "westwood"}}},
    "acks": {"flow": {0: {"ack": "delayed"}}},
    "mobile": {"flow": {0: {"handoff": "pacing"}}},
    "freeze": {"flow": {0: {"handoff": "freeze"}}},
    "station": {"agent": [{"kind": "snoop", "node": 4, "toward": MOBILE}]},
    "gateway": {
        "flow": {0: {"handoff": "m-tcp"}},
        "agent": [{"kind": "m-tcp", "node": 1, "toward": 2}],
    },
}
SIDES = ("station", "gateway", "wired", "wireless")


def changed(scheme: str, mobile_sends: bool = False) -> list[str]:
    """The sides at which the rule sees a change."""
    made = experiment("e", SCHEMES, mobile_sends)
    scope = Scope(Results({"e": ExperimentRuns(made)}, {}), "e")
    cells = {"a": {"scheme": scheme}, "b": {"scheme": "base"}}
    check = {"test": "changes", "changed": True, "cells": cells}
    return [side for side in SIDES if judge(scope, check | {"side": side}).met is True]


@pytest.mark.parametrize(
    ("scheme", "sides"),
    [
        ("said", []),
        ("sender", ["wired"]),
        ("acks", ["wireless"]),
        ("mobile", ["wireless"]),
        ("freeze", ["wired", "wireless"]),
        ("station", ["station"]),
        ("gateway", ["gateway", "wired", "wireless"]),
    ],
)
def test_a_change_is_seen_where_it_acts_once_defaults_are_filled_in(
    scheme: str, sides: list[str]
) -> None:
    assert changed(scheme) == sides


def test_a_mobile_that_sends_owns_the_sender() -> None:
    assert changed("sender", mobile_sends=True) == ["wireless"]
    assert changed("acks", mobile_sends=True) == ["wired"]
    assert changed("mobile", mobile_sends=True) == ["wireless"]


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


def test_only_a_criterion_that_has_one_gives_a_direction() -> None:
    # "D:" says it, `order` defines it.
    gives = re.compile(r"\bD: |\border\b")
    for claim in load_paper("cho2005").claims:
        has = any(part.direction for part in claim.parts)
        if has:
            assert gives.search(claim.criterion), claim.id
        if "D: " in claim.criterion and claim.parts:
            assert has, claim.id


def test_each_claim_of_section_4_counts_the_defaults_once_over_the_sweeps() -> None:
    paper = load_paper("cho2005")
    for claim in paper.claims:
        if claim.id not in {f"cho-{n}" for n in (*range(32, 39), 42, 43)}:
            continue
        overs = [c["over"] for p in claim.parts for g in p.holds for c in g if "over" in c]
        assert overs, claim.id
        for over in overs:
            assert [group["experiment"] for group in over].count("roads") == 1
            for group in over[1:]:
                experiment = paper.experiments[group["experiment"]]
                ((key, values),) = group["each"].items()
                left_out = set(experiment.axis(key).values) - set(values)
                assert len(left_out) == (group["experiment"] != "by-timers"), claim.id


def test_each_run_of_the_quarter_meets_another_phase() -> None:
    made = load_paper("cho2005").experiments["quarter"]
    tree = grid.tree(made, grid.cells(made)[0], "full")
    trees = [grid.of_run(made, tree, run) for run in range(30)]
    assert len({json.dumps(t["cells"]["mobile"]) for t in trees}) == 30
    for run in (0, 7, 29):
        metres = float(trees[run]["cells"]["mobile"][0]["motion"]["from"][0].removesuffix(" m"))
        # The mobile is 120 m from the left station just before the time that is measured from.
        at = (120.0 - metres) / (70.0 / 3.6)
        measured = float(trees[run]["measure"]["from"].removesuffix(" s"))
        assert measured - 0.1 < at < measured
        assert float(trees[run]["duration"].removesuffix(" s")) == pytest.approx(measured + 2.0)


def sized(handoffs: list[int], key: str = "e", runs: int = 20) -> str:
    """The verdict on sizes, given the handoffs of a run at each point."""
    data = ExperimentRuns(experiment("e", {str(place): {} for place in range(len(handoffs))}))
    for place, count in enumerate(handoffs):
        row = {"samples": {"handoffs": [{}] * count}}
        data.rows[(str(place),)] = dict.fromkeys(range(runs), row)
    return sizes(Results({key: data}, {})).verdict


def test_a_point_without_handoffs_fails_the_row_of_sizes() -> None:
    assert sized([2, 3]) == "pass"
    assert sized([0, 0], ONE_STATION[0]) == "pass"
    assert sized([2, 2], ONE_STATION[0]) == "fail"
    assert sized([2, 3], runs=19) == "fail"
    assert sized([2, 1]) == "fail"
    assert sized([2, 0]) == "fail"


def test_figure_3_has_both_curves_in_one_picture() -> None:
    items = load_paper("cho2005").items
    for key in ("fig3a", "fig3b", "fig3c", "fig3d"):
        assert items[key].series_values == ("without", "with")
    rows = [
        {"time_s": t, "one run": t * k, "p5": 0, "p95": 9 * k, "pacing": name}
        for name, k in (("without", 2), ("with", 3))
        for t in range(3)
    ]
    labels = Labels("t", "packets", "{} pacing")
    both, first = (draw_trace(r, labels, (), "pacing")["svg"] for r in (rows, rows[:3]))
    colour = SERIES[2].colour.lower().encode()
    assert colour in both.lower()
    assert colour not in first.lower()


def log_of(path: Path, events: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    return path


def test_runs_of_losses_by_hand(tmp_path: Path) -> None:
    def drop(ms: int, reason: str = "not_listening") -> dict[str, Any]:
        return {"time_ns": ms * 1_000_000, "kind": "packet_dropped", "reason": reason}

    events = [drop(0), drop(19), drop(39), drop(40, "queue_full"), drop(58), drop(77), drop(200)]
    found = log_measures("bursts", log_of(tmp_path / "log", events), {})
    assert found == {"longest_run": 3.0, "runs_of_three": 1.0}
    found = log_measures("bursts", log_of(tmp_path / "log", events[:2]), {})
    assert found == {"longest_run": 2.0, "runs_of_three": 0.0}


def test_what_agents_hold_and_acknowledge_in_vain_by_hand(tmp_path: Path) -> None:
    def tcp(node: int, ack: int = 0, seq: int = 0) -> dict[str, Any]:
        length = 1000 if seq else 0
        return {"kind": "tcp_received", "node": node, "ack": ack, "seq": seq, "len_bytes": length}

    def holds(node: int, data: int, notes: int) -> dict[str, Any]:
        return {"kind": "agent_holds", "node": node, "data_bytes": data, "note_bytes": notes}

    events: list[dict[str, Any]] = [
        {"kind": "attached", "node": 8},
        tcp(8, seq=1),
        holds(4, 3000, 50),
        tcp(0, ack=4001),
        {"kind": "attached", "node": 8},
        tcp(0, ack=9001),
        tcp(8, seq=2001),
        holds(1, 9000, 7),
        holds(7, 1000, 40),
        holds(4, 0, 20),
        holds(7, 3500, 40),
    ]
    cells = {"gateway": 1, "station": [{"node": 4}, {"node": 7}]}
    scenario = {"cells": cells, "flow": [{"from": 0, "to": 8}]}
    found = log_measures("helpers", log_of(tmp_path / "log", events), scenario)
    # Four packets were acknowledged at the handoff; the second and the fourth never came.
    assert found["acked_in_vain"] == 2.0
    # Most bytes: 3050 and 1040 at a time; most payload: 3000 and 1000; the last time has less.
    assert (found["station_bytes"], found["station_data"]) == (4090.0, 4000.0)
    assert found["gateway_bytes"] == 9007.0


def test_table_1_is_made_of_verdicts(tmp_path: Path) -> None:
    made = papers.reproduce("cho2005", items=["table1"], runs=2, out=tmp_path / "out")
    verdicts = {claim.id: claim.verdict for claim in made.claims}
    assert verdicts["cho-57"] == "holds"
    assert verdicts["cho-76"] == "does not hold"
    frame = made.tables["table1"]
    assert frame.height == 66
    cells = {(row["mechanism"], row["column"]): row for row in frame.to_dicts()}
    assert cells["I-TCP", "base station simple"]["measured"] == "no"
    assert cells["M-TCP", "base station simple"]["measured"] == "yes"
    assert cells["Freeze-TCP", "wired side changed"]["measured"] == "yes"
    assert cells["Freeze-TCP", "wired side changed"]["paper"] == "no"
    assert cells["W-TCP", "control overhead"]["measured"] == "not yet"
    assert "yes (paper: no)" in made.files["report.html"].read_text()


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


def test_the_table_of_orderings_says_what_the_claims_say() -> None:
    paper = load_paper("cho2005")
    item = paper.items["orderings"]
    data = {}
    for key in item.experiments:
        made = paper.experiments[key]
        data[key] = ExperimentRuns(made)
        for cell in grid.cells(made):
            paced = "with" in cell
            # Pacing gains 10, but with an update at the handoff it costs 10.
            value = (10 + 10 * paced * (-1 if "yes" in cell else 1)) * (1 + ("tahoe" in cell))
            measures = {"goodput_pps": float(value), "timeouts_per_handoff": 2.0 - paced}
            data[key].rows[cell] = {
                run: {"measures": {k: v + 0.001 * (run % 2) for k, v in measures.items()},
                      "flows": []}
                for run in range(RUNS)
            }  # fmt: skip
    results = Results(data, {})
    frame = orderings_frame(paper, item, results)
    tahoe = frame.filter(statement="cho-32")
    assert tahoe.filter(pl.col("holds") != "yes")["parameter"].to_list() == [
        "route update at the handoff"
    ]
    assert tahoe.row(0, named=True)["parameter"] == "the defaults"
    # Without any difference of the gains nothing is ahead.
    assert set(frame.filter(statement="cho-36, against reno")["holds"]) == {"no"}
    assert frame["statement"].n_unique() == 11
    shown = ordered(None, frame)
    assert shown.rows[0][:3] == ("the defaults", "", "yes, 100.00 ± 0.00 %")
    brief = ordered_briefly(None, frame)
    assert brief.head[:2] == ("open parameter", "32")
    assert "36 ren" in brief.head
    assert brief.rows[1][:2] == ("α 0.005", "yes")
    told = [row[:2] for row in brief.rows[-2:]]
    assert told == [("holds at", str(tahoe.height - 1)), ("of", str(tahoe.height))]
    assert shown.rows[-1][:3] == ("holds at", "", f"{tahoe.height - 1} of {tahoe.height}")
