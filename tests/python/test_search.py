"""Searching on made-up cliffs, and once on a real chain: robust, fresh, honest about its span."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from acklab import InputError, Scenario, search
from conftest import SMALL
from papers_synthetic import cliff_goodput

EDGE_MS = 30.0


def cliff(values: Sequence[float], runs: int) -> search.Samples:
    return {v: [cliff_goodput(v, EDGE_MS, 7, run) for run in range(runs)] for v in values}


def test_the_search_stops_before_the_cliff() -> None:
    best = search.find(cliff, search.ladder(5, 100), 0.1, 8, "ms")
    assert EDGE_MS - 0.15 <= best.value <= EDGE_MS + 0.2
    assert best.low <= best.value <= best.high
    assert not best.at_edge
    assert best.unit == "ms"


def test_a_wide_spread_loses_against_a_safe_value() -> None:
    samples = {1.0: [12.0, 12.0, 12.0, 4.0], 2.0: [9.9, 9.9, 9.9, 9.9]}
    best = search.find(lambda values, runs: samples, [1.0, 2.0], 0.0, 4)
    assert best.value == 2.0
    # 10.0 ± 4 cannot be told from 9.9: the span says so.
    assert (best.low, best.high) == (1.0, 2.0)


def test_without_a_resolution_the_values_are_all_there_is() -> None:
    asked: list[tuple[int, int]] = []

    def parabola(values: Sequence[float], runs: int) -> search.Samples:
        asked.append((len(values), runs))
        return {v: [10.0 - (v - 3) ** 2 + 0.01 * run for run in range(runs)] for v in values}

    best = search.find(parabola, [1, 2, 3, 4], 0.0, 5, measured_in="packets")
    assert best.estimate.unit == "packets"
    assert (best.value, best.low, best.high) == (3, 3, 3)
    assert asked == [(4, 5)]


def test_a_best_value_at_the_end_of_the_ladder_is_flagged() -> None:
    rising = search.find(lambda vs, n: {v: [v, v] for v in vs}, [1.0, 2.0, 3.0], 0.25, 2)
    assert rising.value == 3.0
    assert rising.at_edge


def test_last_stage_has_multiples_of_the_resolution() -> None:
    best = search.find(cliff, search.ladder(8, 64), 0.1, 6)
    last = [c.value for c in best.tried if c.estimate.n == 6]
    assert len(last) >= 4
    assert all(abs(v / 0.1 - round(v / 0.1)) < 1e-6 for v in last)


@pytest.mark.parametrize(("values", "runs"), [([1.0], 4), ([2.0, 1.0], 4), ([1.0, 2.0], 1)])
def test_nonsense_is_refused(values: list[float], runs: int) -> None:
    with pytest.raises(InputError):
        search.find(cliff, values, 0.1, runs)


def test_ladder() -> None:
    steps = search.ladder(10, 20)
    assert steps[0] == 10
    assert steps[-1] >= 20
    assert all(1.04 < b / a < 1.06 for a, b in itertools.pairwise(steps))
    with pytest.raises(InputError, match="0 < low < high"):
        search.ladder(3, 2)


def test_texts() -> None:
    assert search.text(35.7, "ms") == "35.7 ms"
    assert search.text(3.0, "") == 3


CHAIN = """
duration = "30 s"
measure = { from = "15 s" }
topology = { kind = "chain", nodes = 3, spacing = "200 m" }
mac = { data_rate = "2 Mbit/s" }
[[flow]]
kind = "cbr"
packet = "1460 B"
interval = "50 ms"
"""


def test_best_spacing_of_five_hops_is_a_little_above_the_time_of_four() -> None:
    # elrakabawy2005, section 4.2: the 4-hop delay, 29 ms and backoffs, is where to start.
    chain = Scenario.parse(CHAIN, "chain.toml").with_(topology={"nodes": 6})
    best = search.best_spacing(chain, low_ms=26, high_ms=44, resolution_ms=0.5, runs=3)
    assert 31.0 <= best.value <= 37.0
    assert best.estimate.mean == pytest.approx(1460 * 8 / best.value * 1e3, rel=0.25)
    again = search.best_spacing(chain, low_ms=26, high_ms=44, resolution_ms=0.5, runs=3, workers=1)
    assert again == best


def test_best_window_of_two_hops() -> None:
    chain = Scenario.parse(CHAIN, "chain.toml").with_(flow=[{"kind": "ftp"}])
    best = search.best_window(chain, windows=[1, 4], runs=2)
    assert best.value == 4
    assert {c.estimate.unit for c in best.tried} == {best.estimate.unit} == {"bit/s"}
    assert "bit/s" in str(best)


def test_flows_that_cannot_be_searched() -> None:
    chain = Scenario.parse(CHAIN, "chain.toml")
    with pytest.raises(InputError, match="no such flow"):
        search.best_spacing(chain, flow=1)
    with pytest.raises(InputError, match="has no window"):
        search.best_window(chain)
    with pytest.raises(InputError, match="is not paced"):
        search.best_spacing(chain.with_(flow=[{"kind": "ftp"}]))
    with pytest.raises(InputError, match="no such measure"):
        search.best_value(chain, "flow.0.interval", [40, 50], unit="ms", measure="luck", runs=2)


def test_a_ladder_of_no_numbers_is_an_error():
    for ends in (("5", 10), (5, None), (0, 3)):
        with pytest.raises(InputError, match="no ends of a ladder"):
            search.ladder(*ends)
    with pytest.raises(InputError, match="no step of a ladder"):
        search.ladder(1, 2, 1.0)


@pytest.mark.parametrize(
    ("values", "resolution", "best"),
    [([-2, -1, 0, 1], 0.1, 0.0), ([0, 5, 10], 1, 0), ([-3, -2, -1, 0], 0.25, -1.25)],
)
def test_a_ladder_may_go_to_zero_and_below(values, resolution, best):
    def peak(stage: Sequence[float], runs: int) -> search.Samples:
        return {v: [-((v - best) ** 2) + 1e-3 * i for i in range(runs)] for v in stage}

    found = search.find(peak, values, resolution, 4)
    assert found.value == pytest.approx(best)
    # Beyond the ladder nothing was asked for.
    assert min(c.value for c in found.tried) >= values[0]


@pytest.mark.parametrize(
    ("evaluate", "said"),
    [
        (5, "evaluate: cannot be called"),
        (lambda vs, n: None, "evaluate: returns no samples"),
        (lambda vs, n: {}, "evaluate, value 1: 0 numbers for 4 runs"),
        (lambda vs, n: {v: [1.0] for v in vs}, "evaluate, value 1: 1 numbers for 4 runs"),
    ],
)
def test_what_a_search_is_not_given_is_told(evaluate, said):
    with pytest.raises(InputError, match=said):
        search.find(evaluate, [1.0, 2.0, 3.0], 0.0, 4)


def test_more_runs_than_a_memory_holds_are_refused_before_any_is_made():
    with pytest.raises(InputError, match="too many runs to hold"):
        search.find(cliff, [1.0, 2.0], 0.0, 10**9)


def test_a_resolution_finer_than_values_are_told_apart_is_refused():
    # Stages of values that are all one would follow each other for ever.
    with pytest.raises(InputError, match="finer than values are told apart"):
        search.find(cliff, [1.0, 2.0], 1e-14, 4)


def test_tiny_values_are_searched_too():
    best = search.find(
        lambda vs, n: {v: [-abs(v - 3e-14)] * n for v in vs}, [1e-14, 9e-14], 1e-15, 2
    )
    assert best.value == pytest.approx(3e-14, rel=1e-6, abs=0.0)


def test_windows_that_stand_twice_are_named_windows():
    chain = Scenario.parse(SMALL)
    with pytest.raises(InputError) as caught:
        search.best_window(chain, windows=[2, 2, 3])
    assert caught.value.place == "windows"


def test_neighbours_on_a_ladder_are_never_one_value():
    steps = search.ladder(1.0, 3.0, search._LEAST_FACTOR)
    assert len(set(steps)) == len(steps)
    with pytest.raises(InputError, match="no step of a ladder"):
        search.ladder(1.0, 3.0, 1.0001)
