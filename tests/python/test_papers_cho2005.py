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
from acklab.papers.engine.model import Axis, Experiment, Runs
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.verdict_rules import judge
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


SWEPT = {f"cho-{n}" for n in (6, 8, 9, 11, *range(32, 39), *range(40, 44), *range(45, 51))}
"""What section 4 says of the road, and what is said of the same runs before it.

Not 31 (the two directions of the default tree), 39 (losses in a window), 44 (geometry), 51 (by
window) and 52, 53 (a mobile that sends nothing): they have scenarios of their own.
"""
OPEN = ("alpha", "rate", "loss", "spacing", "radius", "depth", "beacon", "update", "athandoff",
        "timers", "queue", "speed")  # fmt: skip


def test_each_claim_of_section_4_counts_the_defaults_once_over_the_sweeps() -> None:
    paper = load_paper("cho2005")
    for claim in paper.claims:
        if claim.id not in SWEPT:
            continue
        overs = [c["over"] for p in claim.parts for g in p.holds for c in g if "over" in c]
        assert overs, claim.id
        for over in overs:
            assert [group["experiment"] for group in over].count("roads") == 1
            swept = {group["experiment"] for group in over} - {"roads"}
            assert swept == {f"by-{name}" for name in OPEN}, claim.id
            for group in over[1:]:
                experiment = paper.experiments[group["experiment"]]
                assert len(experiment.axis("variant").values) == 4
                ((key, values),) = ((k, v) for k, v in group["each"].items() if k != "variant")
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


PACKET, HEADERS = 1000, 40


def test_numbers_in_rules_are_those_of_the_scenario() -> None:
    paper = load_paper("cho2005")
    quarter = paper.experiments["quarter"].scenario
    rate = float(quarter["point_to_point"][5]["rate"].removesuffix(" Mbit/s")) * 1e6
    carries = rate / (8 * (PACKET + HEADERS))
    claims = {claim.id: claim for claim in paper.claims}
    parts = {part.label: part for claim in paper.claims for part in claim.parts}
    # Two thirds of what the path carries; below half of it and above half more.
    (later,) = parts[
        "packets/s from 10 to 20 round trips after the handoff; the path carries 60"
    ].holds
    assert later[0]["at_least"] == pytest.approx(carries / 1.5, rel=0.01)
    assert paper.sampled["estimate_off_s"].band == pytest.approx(
        (carries / 2, carries * 1.5), rel=0.01
    )
    share = next(p for p in claims["cho-25"].parts if p.needs == ("loaded-later",))
    fair = float(str(share.defaults["quantity"]).removeprefix("a / "))
    assert fair == pytest.approx(carries * 8 * PACKET / 2, abs=1.0)
    # Ten round trips with the new path's queue full, and ten more.
    links = quarter["point_to_point"]
    way = sum(float(links[i]["delay"].removesuffix(" ms")) for i in (0, 1, 4, 5, 6)) / 1e3
    full = 2 * (way + 0.001) + quarter["point_to_point"][5]["queue"] / carries
    assert full == pytest.approx(0.13, abs=0.01)
    for key in ("quarter-later", "loaded-later", "estimates"):
        at, made = paper.experiments["quarter"].by_run, paper.experiments[key].by_run
        for run in range(30):
            handoff = seconds(at["measure.from"][run])
            assert seconds(made["measure.from"][run]) - handoff == pytest.approx(10 * 0.13)
            assert seconds(made["duration"][run]) - handoff == pytest.approx(20 * 0.13)
    update = paper.experiments["roads"].scenario["cells"].get("route_update", "3 s")
    (median,) = parts["median, against half of the route-update time"].holds
    assert median[0]["at_most"] == seconds(update) / 2


def seconds(text: str) -> float:
    """A time such as "6.2 s"."""
    return float(text.removesuffix(" s"))


def test_the_tree_has_as_many_hops_as_the_sweep_says() -> None:
    made = load_paper("cho2005").experiments["by-depth"]
    place = [axis.key for axis in made.axes].index("depth")
    for cell in grid.cells(made):
        tree = grid.tree(made, cell, "full")
        above = {low: high for high, low in (link["between"] for link in tree["point_to_point"])}
        hops = []
        for station in tree["cells"]["station"]:
            node, count = station["node"], 0
            while node != CROSSOVER:
                node, count = above[node], count + 1
            hops.append(str(count))
        assert "+".join(hops) == cell[place]


CROSSOVER = 2


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
    # These ask for nothing but the road; others wait for the sweeps.
    assert under["cho-26"] == under["cho-54"] == ["dcf", "dcf-clear"]
    assert under["cho-57"] == []
