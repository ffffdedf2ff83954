"""Every verdict rule on made-up samples where the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import mean
from acklab.papers.engine.findings import Finding, Measured, all_met, any_met, condition, share_met
from acklab.papers.engine.model import Axis, Experiment, Part, Runs
from acklab.papers.engine.parts import read_part
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.tables import Table
from acklab.papers.engine.verdict_rules import judge
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    UNDECIDED,
    _part,
    combine,
    evaluate_part,
)

SEED = 7
WINDOWS = (1, 2, 3, 5, 10, 50)


def world(
    means: dict[tuple[int, int], float], noise: float, runs: int = 12, seed: int = SEED
) -> Scope:
    """An experiment (window × d) with normal samples around `means`; half the noise is shared."""
    rng = np.random.default_rng(seed)
    axes = (
        Axis("window", "W", WINDOWS, "w", sets={"large": (10, 50)}),
        Axis("d", "d", (1, 2, 3), "d"),
    )
    experiment = Experiment(
        "e", "made up", 1, Runs(runs, runs, runs), 0.05, "x", {"quick": "1 s"}, {}, axes
    )
    shared = rng.normal(0.0, noise, runs)
    rows: dict[Any, dict[int, Any]] = {}
    for window in WINDOWS:
        for d in (1, 2, 3):
            centre = means.get((window, d), 10.0)
            sample = centre * (1.0 + 0.7 * shared + 0.7 * rng.normal(0.0, noise, runs))
            rows[window, d] = {
                run: {"measures": {"x": value, "zero": 0.0, "few": float(run == 0)}}
                for run, value in enumerate(sample)
            }
    return Scope(Results({"e": ExperimentRuns(experiment, rows)}, {}), "e")


def decide(scope: Scope, **check: Any) -> Finding:
    return judge(scope, {"measure": "x", **check})


GAIN = {"cells": {"a": {"d": 3}, "b": {"d": 1}}, "quantity": "a / b - 1"}
LARGER = {(w, 3): 13.0 for w in WINDOWS}


def test_three_valued_logic() -> None:
    assert all_met([True, None]) is None
    assert all_met([False, None]) is False
    assert any_met([True, None]) is True
    assert any_met([False, None]) is None
    assert share_met([True, True, True, True, False], 0.8) is True
    assert share_met([True, True, True, None, False], 0.8) is None
    assert share_met([True, True, False, False, None], 0.8) is False


def test_estimate_in_band() -> None:
    scope = world(LARGER, 0.02)
    found = decide(scope, **GAIN, points=[{"window": 5}], **{"in": [0.25, 0.35]})
    assert found.met is True
    assert found.measured[0].value == pytest.approx(0.3, abs=0.03)
    assert decide(scope, **GAIN, points=[{"window": 5}], **{"in": [0.4, 0.5]}).met is False


def test_estimate_in_band_cannot_tell_when_the_interval_is_wider_than_the_band() -> None:
    scope = world(LARGER, 0.4, runs=4)
    found = decide(scope, **GAIN, points=[{"window": 5}], **{"in": [0.28, 0.32]})
    assert found.met is None


def test_estimate_over_all_windows_and_shares() -> None:
    scope = world(LARGER | {(50, 3): 9.0}, 0.02)
    each = {"window": "all"}
    assert decide(scope, **GAIN, each=each, sig_above=0).met is False
    assert decide(scope, **GAIN, each=each, sig_above=0, share=0.8).met is True
    vetoed = decide(scope, **GAIN, each=each, sig_above=0, share=0.8, no_sig_below=0)
    assert vetoed.met is False


def test_estimate_shares_by_group() -> None:
    scope = world({(w, 3): 13.0 for w in WINDOWS} | {(w, 2): 9.0 for w in WINDOWS}, 0.02)
    cells = {"a": {}, "b": {"d": 1}}
    check = {"cells": cells, "quantity": "a / b - 1", "each": {"window": "all", "d": [2, 3]}}
    assert decide(scope, **check, sig_above=0, share=0.5).met is True
    assert decide(scope, **check, sig_above=0, share=0.5, by="d").met is False


def test_mean_and_best_selectors() -> None:
    scope = world({(3, 1): 14.0, (10, 1): 8.0, (50, 1): 6.0}, 0.01)
    cells = {"a": {"d": 1, "window": {"mean": "large"}}, "b": {"d": 1, "window": {"best": "all"}}}
    found = decide(scope, cells=cells, quantity="1 - a / b", **{"in": [0.45, 0.55]})
    assert found.met is True
    lowest = {"a": {"d": 1, "window": {"lowest": "all"}}}
    assert decide(scope, cells=lowest, **{"in": [5.8, 6.2]}).met is True


def test_order_under_no_difference_holds_in_one_of_forty() -> None:
    """Type I: with equal means "significantly above" is met in about 2.5 % of the worlds."""
    print("seeds 0 to 1999")
    met = [
        decide(world({}, 0.1, seed=seed), **GAIN, points=[{"window": 5}], sig_above=0).met is True
        for seed in range(2000)
    ]
    assert 0.015 <= np.mean(met) <= 0.037


def test_margin_decides_between_no_and_cannot_tell() -> None:
    near = mean([1.0, -1.1, 0.9, -1.0])
    assert condition(near, "at_least", 0.0, 0.05) is None
    assert condition(near, "at_least", 0.0, 10.0) is False
    assert condition(mean([-1.0, -1.1, -0.9]), "at_least", 0.0, 0.05) is False
    assert condition(mean([float("nan")] * 3), "at_least", 0.0, 0.05) is None


def test_none() -> None:
    scope = world({}, 0.1, runs=12)
    each = {"window": "all", "d": "all"}
    zero = {"cells": {"a": {}}, "each": each, "test": "none"}
    assert decide(scope, **zero | {"measure": "zero"}).met is True
    # One run in twelve is more than 5 %.
    assert decide(scope, **zero | {"measure": "few"}).met is False
    assert decide(scope, **zero | {"measure": "few"}, run_share=0.9).met is True
    assert decide(scope, **zero | {"measure": "few"}, some=True).met is False
    assert decide(scope, **zero | {"measure": "x"}, some=True).met is True


def test_none_against_a_comparator() -> None:
    scope = world({(5, 3): 2.0, (5, 1): 10.0}, 0.01)
    check = {"test": "none", "cells": {"a": {"d": 3}, "b": {"d": 1}}, "points": [{"window": 5}]}
    assert decide(scope, **check, than=0.25).met is True
    assert decide(scope, **check, than=0.15).met is False


def test_best_set() -> None:
    scope = world({(2, 1): 14.0, (3, 1): 14.0, (5, 3): 15.0}, 0.02)
    check = {"test": "best_set", "axis": "window", "cells": {"a": {"d": 1}, "b": {"d": 3}}}
    assert decide(scope, **check, within=[2, 3]).met is True
    assert decide(scope, **check, within=[2]).met is False
    assert decide(scope, **check, contains=[1, 2]).met is True
    assert decide(scope, **check, meets=[1.25, 3.25]).met is True
    assert decide(scope, **check, argmax_in=[5]).met is False
    assert decide(scope, **check, disjoint=True).met is True
    assert decide(scope, **check, argmax_differs=True).met is True


def test_trend() -> None:
    falling = {(w, 1): 20.0 - 2.0 * i for i, w in enumerate(WINDOWS)}
    scope = world(falling, 0.02)
    check = {"test": "trend", "axis": "window", "cells": {"a": {"d": 1}}}
    assert decide(scope, **check, tau_below=0).met is True
    assert decide(scope, **check, tau_above=0).met is False
    ratio = {**check, "cells": {"a": {"d": 3}, "b": {"d": 1}}}
    assert decide(scope, **ratio, tau_above=0).met is True


def test_trend_beyond_the_best() -> None:
    peak = dict(zip(((w, 1) for w in WINDOWS), (8.0, 10.0, 14.0, 12.0, 11.0, 9.0), strict=True))
    check = {"test": "trend", "axis": "window", "cells": {"a": {"d": 1}}, "beyond_best": True}
    assert decide(world(peak, 0.01), **check, tau_below=0).met is True


def test_monotone() -> None:
    rising = {(w, d): 10.0 + d for w in WINDOWS for d in (1, 2, 3)}
    check = {"test": "monotone", "axis": "d", "steps": [1, 2, 3], "cells": {"a": {}}}
    each = {"window": "all"}
    assert decide(world(rising, 0.01), **check, each=each).met is True
    assert decide(world(rising | {(50, 3): 11.0}, 0.01), **check, each=each).met is False
    assert decide(world(rising | {(50, 3): 11.0}, 0.01), **check, each=each, share=0.8).met is True


def test_spread() -> None:
    check = {**GAIN, "test": "spread", "each": {"window": "all"}, "at_most_points": 0.05}
    assert decide(world(LARGER, 0.005), **check).met is True
    assert decide(world(LARGER | {(50, 3): 15.0}, 0.005), **check).met is False


def test_rank() -> None:
    scope = world({(5, 1): 12.0, (5, 2): 8.0, (5, 3): 10.0}, 0.01)
    check = {"test": "rank", "axis": "d", "cells": {"a": {"window": 5, "d": 3}}}
    assert decide(scope, **check, ascending=[2, 3, 1]).met is True
    assert decide(scope, **check, ascending=[3, 2, 1]).met is False


def test_regret() -> None:
    scope = world({(3, 1): 14.0, (10, 1): 7.0}, 0.01)
    check = {
        "test": "regret",
        "axis": "window",
        "across": ["e"],
        "cells": {"a": {"d": 1}, "b": {"d": 1}},
    }
    assert decide(scope, **check, at_most=0.1).met is True
    assert decide(scope, **check, each={"window": "large"}, at_least=0.2).met is True


def part(holds: dict[str, Any], direction: dict[str, Any]) -> Part:
    defaults = {"measure": "x", "points": [{"window": 5}], **GAIN}
    return Part("", ("e",), defaults, ((holds,),), ((direction,),))


def test_levels_of_a_part() -> None:
    results = world(LARGER, 0.02).results
    assert evaluate_part(results, part({"in": [0.2, 0.4]}, {"sig_above": 0})).verdict == HOLDS
    assert evaluate_part(results, part({"in": [0.5, 0.9]}, {"sig_above": 0})).verdict == DIRECTION
    assert evaluate_part(results, part({"in": [0.5, 0.9]}, {"sig_below": 0})).verdict == FAILS


def test_wide_intervals_are_undecided() -> None:
    results = world({}, 0.5, runs=3).results
    verdict = evaluate_part(results, part({"in": [0.01, 0.03]}, {"sig_above": 0}))
    assert verdict.verdict == UNDECIDED
    assert "too wide" in verdict.reason


def test_combining_parts() -> None:
    assert combine([HOLDS, HOLDS]) == HOLDS
    assert combine([HOLDS, DIRECTION]) == DIRECTION
    assert combine([HOLDS, FAILS]) == FAILS
    assert combine([HOLDS, UNDECIDED]) == UNDECIDED
    assert combine([HOLDS, UNDECIDED, FAILS]) == FAILS
    assert combine([DIRECTION, DIRECTION, FAILS], quorum=2) == DIRECTION
    assert combine([DIRECTION, UNDECIDED, FAILS], quorum=2) == UNDECIDED


def test_rows_of_one_label_are_all_kept() -> None:
    rows = [Measured("gain", value, value, value, 5) for value in (1.0, 2.0, 2.0, 3.0)]
    kept = _part(part({}, {}), HOLDS, [Finding(True, "", (row,)) for row in rows]).measured
    assert [(row.label, row.value) for row in kept] == [
        ("gain", 1.0), ("gain (2)", 2.0), ("gain (3)", 3.0)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"holds": {"test": "none", "at_most": 3.0}}, "at_most"),
        ({"holds": {"at_most": 3.0}, "steps": [1]}, "steps"),
        ({"holds": {"test": "changes", "sides": "wired"}}, "sides"),
    ],
)
def test_a_key_that_no_rule_of_a_part_reads_is_an_error(table: dict[str, Any], key: str) -> None:
    given = {"needs": ["e"], "cells": {"a": {}}} | table
    with pytest.raises(PaperError, match="unknown key") as caught:
        read_part(Table(given, "claim x"))
    assert caught.value.place == f"claim x.{key}"


def test_a_side_that_is_none_is_an_error() -> None:
    check = {"test": "changes", "side": "wires", "changed": True, "cells": {"a": {}, "b": {}}}
    with pytest.raises(PaperError, match="wires"):
        judge(world(LARGER, 0.02), check)
