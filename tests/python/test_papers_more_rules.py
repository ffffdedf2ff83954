"""Rules on extremes, ranks, spans and geometry, and the measures that compare flows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from acklab.papers.engine.flow_measures import NAMES, flow_measure
from acklab.papers.engine.geometry_rules import connected_placements, culprits, hidden_from
from acklab.papers.engine.model import Axis, Experiment, Runs, SearchRule
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.verdict_rules import judge

RUNS = 8


def experiment(key: str, axes: Mapping[str, tuple[Any, ...]], scenario: Any = None) -> Experiment:
    return Experiment(
        key=key,
        title=key,
        seed=1,
        runs=Runs(RUNS, RUNS, RUNS),
        precision=0.05,
        precision_measure="x",
        duration={"quick": "1 s", "full": "1 s"},
        scenario=scenario or {},
        axes=tuple(Axis(name, name, values, f"{name}.value") for name, values in axes.items()),
    )


def scope(rows: Mapping[tuple[Any, ...], Mapping[str, Any]], **axes: tuple[Any, ...]) -> Scope:
    """One experiment; a measure's value may be a number or a list with a number a run."""
    data = ExperimentRuns(experiment("e", axes))
    for cell, measures in rows.items():
        data.rows[cell] = {
            run: {"measures": {k: _at(v, run) for k, v in measures.items()}, "flows": []}
            for run in range(RUNS)
        }
    return Scope(Results({"e": data}, {}), "e")


def _at(value: Any, run: int) -> float:
    return float(value[run]) if isinstance(value, list) else float(value) + 0.01 * (run % 2)


HOPS = scope(
    {(4,): {"x": 1.1, "y": 3.0}, (8,): {"x": 1.8, "y": 2.0}, (16,): {"x": 1.3, "y": 1.0}},
    h=(4, 8, 16),
)


@pytest.mark.parametrize(
    ("check", "met"),
    [
        ({"of": "highest", "in": [1.7, 1.9]}, True),
        ({"of": "highest", "in": [1.0, 1.2]}, False),
        ({"of": "lowest", "sig_above": 1.0}, True),
        ({"of": "lowest", "at_least": 1.2}, False),
        ({"of": "lowest", "over": [{"experiment": "e", "each": {"h": [8, 16]}}], "at_least": 1.2},
         True),
    ],
)  # fmt: skip
def test_extreme(check: dict[str, Any], met: bool) -> None:
    base = {"test": "extreme", "measure": "x", "cells": {"a": {}}, "quantity": "a"}
    found = judge(HOPS, base | {"each": {"h": "all"}} | check)
    assert found.met is met
    assert "points" in found.reason


def test_an_extreme_without_values_cannot_be_told() -> None:
    none = scope({(1,): {"x": [0.0] * RUNS, "y": [0.0] * RUNS}}, h=(1,))
    check = {"test": "extreme", "cells": {"a": {"measure": "x"}, "b": {"measure": "y"}},
             "quantity": "a / b", "each": {"h": "all"}, "at_least": 1}  # fmt: skip
    assert judge(none, check).met is None


def test_best_at() -> None:
    check = {"test": "best_at", "axis": "h", "measure": "x", "cells": {"a": {}}}
    assert judge(HOPS, check | {"is": 8}).met is True
    assert judge(HOPS, check | {"is": 4}).met is False
    assert judge(HOPS, check | {"is": 16, "among": [4, 16]}).met is True


def test_narrow() -> None:
    wide = scope({(1,): {"x": [1.0, 9.0] * 4}, (2,): {"x": [5.0, 5.01] * 4}}, h=(1, 2))
    check = {"test": "narrow", "measure": "x", "cells": {"a": {}}, "each": {"h": "all"},
             "width": 0.05}  # fmt: skip
    assert judge(wide, check | {"share": 0.5}).met is True
    assert judge(wide, check).met is False


@pytest.mark.parametrize(
    ("value", "of", "met"), [(1.13, [1.1, 1.2], True), (2.0, [1.8, 2.2], False)]
)
def test_touch(value: float, of: list[float], met: bool) -> None:
    check = {"test": "touch", "measure": "x", "cells": {"a": {"h": 4}}, "value": value, "of": of,
             "within": 0.05}  # fmt: skip
    assert judge(HOPS, check).met is met


def test_touch_by_the_interval_alone() -> None:
    wide = scope({(1,): {"x": [1.0, 3.0] * 4}}, h=(1,))
    check = {"test": "touch", "measure": "x", "cells": {"a": {"h": 1}}, "value": 2.5,
             "of": [2.4, 2.6], "within": 0.05}  # fmt: skip
    assert judge(wide, check).met is True


def test_central() -> None:
    spread = scope({(1,): {"x": [1, 2, 3, 4, 5, 6, 7, 8]}}, h=(1,))
    check = {"test": "central", "measure": "x", "cells": {"a": {"h": 1}}, "level": 0.8}
    assert judge(spread, check | {"value": 4.5}).met is True
    assert judge(spread, check | {"value": 1.0}).met is False


def test_association() -> None:
    check = {"test": "association", "axis": "h", "measure": "x", "with": "y", "cells": {"a": {}}}
    same = scope({(h,): {"x": h, "y": 2 * h} for h in (1, 2, 3)}, h=(1, 2, 3))
    assert judge(same, check | {"tau_above": 0}).met is True
    assert judge(same, check | {"tau_below": 0}).met is False


def test_moves() -> None:
    check = {"test": "moves", "axis": "h", "measure": "x", "cells": {"a": {}}}
    assert judge(HOPS, check | {"by": 0.5}).met is True
    assert judge(HOPS, check | {"by": 0.5, "within": [4, 16]}).met is False


def test_what_a_search_found_moves_between_its_intervals() -> None:
    rule = SearchRule("t", "x", "t_ms", (1.0,), "", {"quick": 0.1}, {"quick": 2}, {})
    check = {"test": "moves", "axis": "h", "measure": "t_ms", "cells": {"a": {}}, "by": 0.02}
    for low, met in ((36.6, True), (36.2, None)):
        found = scope({(1,): {"x": 1.0}, (2,): {"x": 1.0}}, h=(1, 2))
        data = found.results.experiments["e"]
        data.experiment = replace(data.experiment, search=rule)
        data.found = {
            (1,): {"t_ms": 35.5, "t_ms_low": 35.2, "t_ms_high": 35.8},
            (2,): {"t_ms": 36.7, "t_ms_low": low, "t_ms_high": 37.0},
        }
        answer = judge(found, check)
        assert answer.met is met
        assert [(row.low, row.high) for row in answer.measured] == [(35.2, 35.8), (low, 37.0)]
        one = {"measure": "t_ms", "cells": {"a": {"h": 1}}, "in": [35.2, 36.2]}
        assert "interval 35.2 to 35.8" in judge(found, one).reason


def test_best_near_and_best_grows() -> None:
    both = {(h, w): {"x": -abs(w - h / 4), "y": 2.5} for h in (4, 8, 16) for w in (1, 2, 4)}
    windows = scope(both, h=(4, 8, 16), w=(1, 2, 4))
    grows = {"test": "best_grows", "axis": "w", "along": "h", "measure": "x", "cells": {"a": {}}}
    assert judge(windows, grows | {"steps": [4, 8, 16]}).met is True
    assert judge(windows, grows | {"steps": [8, 4, 16]}).met is False
    than = {"measure": "y", "cells": {"a": {"h": 8, "w": 2}}}
    near = {"test": "best_near", "axis": "w", "measure": "x", "cells": {"a": {"h": 8}},
            "than": than}  # fmt: skip
    assert judge(windows, near | {"within": 0.3}).met is True
    assert judge(windows, near | {"within": 0.2}).met is False


def test_best_above() -> None:
    check = {"test": "best_above", "axis": "h", "measure": "x", "cells": {"a": {}}}
    than = {"measure": "y", "cells": {"a": {"h": 4}}}
    assert judge(HOPS, check | {"than": than}).met is True
    high = {"measure": "y", "cells": {"a": {"h": 4}}, "quantity": "a"}
    assert judge(HOPS, check | {"than": high, "axis": "h"}).met is True
    low = scope({(1,): {"x": 5, "y": 9}, (2,): {"x": 1, "y": 9}}, h=(1, 2))
    assert judge(low, check | {"than": {"measure": "y", "cells": {"a": {"h": 1}}}}).met is False


def test_hidden_nodes_of_a_chain() -> None:
    # 600 m from the sender, 400 m from the receiver (elrakabawy2005, section 4.3).
    assert hidden_from(7, 1, 2) == [4]
    assert hidden_from(7, 5, 4) == [2]
    # Node 4 sends data to 5, which 7 disturbs, and ACKs to 3, which 1 disturbs: from 6 hops on.
    assert culprits(7, 4) == [1, 7]
    assert culprits(6, 4) == [1, 7]
    assert culprits(5, 4) == [1]
    check = {"test": "hidden", "hops": 7}
    assert judge(HOPS, check | {"sender": 1, "receiver": 2, "from": [4]}).met is True
    assert judge(HOPS, check | {"node": 4, "count": 2}).met is True
    assert judge(HOPS, {"test": "hidden", "hops": 6, "most": 1}).met is False
    assert judge(HOPS, {"test": "hidden", "hops": 5, "most": 1}).met is True


def test_flows_that_meet() -> None:
    def line(apart_m: int) -> Scope:
        places = [[f"{x} m", f"{y} m"] for y in (0, apart_m) for x in (0, 200, 400)]
        tree = {
            "topology": {"positions": places},
            "flow": [{"from": 0, "to": 2}, {"from": 3, "to": 5}],
        }
        data = ExperimentRuns(experiment("e", {}, tree))
        return Scope(Results({"e": data}, {}), "e")

    check = {"test": "flows_meet", "within": 550, "cells": {"a": {}}}
    assert judge(line(500), check).met is True
    assert judge(line(600), check).met is False


def test_connected_placements() -> None:
    # Two nodes on a segment of 2 × reach: |x − y| ≤ half the length with probability 3/4.
    # Of two places on a ring of 500 m none is farther than 250 m away.
    assert connected_placements(2, 500.0, 0.0, 250.0, 50, border=False) == 50
    share = connected_placements(2, 500.0, 0.0, 250.0, 2000) / 2000
    assert share == pytest.approx(0.75, abs=0.04)
    check = {"test": "connected", "nodes": 3, "width": 100, "height": 100, "range": 150,
             "draws": 50}  # fmt: skip
    assert judge(HOPS, check | {"at_least": 0.99}).met is True


def test_measures_of_flows() -> None:
    row = {"flows": [{"goodput_bps": g} for g in (50.0, 0.4, 10.0, 40.0)]}
    for name, value in {
        "flow_3_bps": 10.0,
        "top_two_bps": 45.0,
        "rest_bps": 5.2,
        "rest_to_top_two": 5.2 / 45.0,
        "third_to_top_two": 10.0 / 45.0,
        "top_pair_1_4": 1.0,
        "top_pair_1_3": 0.0,
        "starving_flows": 1.0,
    }.items():
        assert flow_measure(row, name) == pytest.approx(value)
    assert flow_measure(row, "goodput_bps") is None
    silent = {"flows": [{"goodput_bps": 0.0}] * 3}
    assert flow_measure(silent, "rest_to_top_two") == 0.0
    assert len(NAMES) == 7
