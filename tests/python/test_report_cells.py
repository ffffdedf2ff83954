"""Numbers as the reports say them: intervals, and which of several grids is nearest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from acklab.papers.engine.shown import Shown
from acklab.report.cells import nearness, with_interval


def shown(beside: dict[str, pl.DataFrame], label: str = "index") -> Shown:
    own = pl.DataFrame({"mean": [0.5, 0.7, 0.9], "paper mean": [0.4, 0.4, None]})
    made: Any = SimpleNamespace(
        item=SimpleNamespace(experiment="own", y_label=label),
        frame=own,
        beside=beside,
        titles={"own": "our grid", "other": "the other", "far": "far"},
        references=(SimpleNamespace(key="paper", label="paper"),),
    )
    return cast(Shown, made)


@pytest.mark.parametrize(
    ("mean", "half", "told"),
    [
        (9.32, 1.08, "9.3 ± 1.1"),
        (0.04223, 0.0031, "0.0422 ± 0.0031"),
        (120.4, 12.3, "120 ± 12"),
        (2.2, 4.65, "2.2 ± 4.7"),
        (-0.5, 0.0996, "-0.50 ± 0.10"),
        (6181.2, 3.1, "6181 ± 3"),
        (0.25, 0.0, "0.2500 ± 0"),
        (0.0, 0.0, "0 ± 0"),
        (0.3, 4e-17, "0.3000 ± 0"),
    ],
)
def test_a_mean_has_the_decimals_of_its_interval(mean: float, half: float, told: str) -> None:
    assert with_interval({"mean": mean, "high": mean + half}) == told


def test_a_mean_of_one_run_stands_alone() -> None:
    assert with_interval({"mean": 12.345, "high": None}) == "12.35"


def test_the_nearest_comes_first_and_empty_cells_do_not_count() -> None:
    other = pl.DataFrame({"mean": [0.4, 0.5, 0.1], "paper mean": [0.4, 0.4, None]})
    assert nearness(shown({"other": other})) == [
        "Mean distance from paper (index), nearest first: "
        "0.0500 over 2 cells: the other; 0.200 over 2 cells: our grid."
    ]


@pytest.mark.parametrize(
    ("label", "unit"),
    [("packets in 149 s", "packets in 149 s"), ("Throughput (packets/s)", "packets/s")],
)
def test_a_distance_has_a_unit_and_three_figures(label: str, unit: str) -> None:
    far = pl.DataFrame({"mean": [104.2, 99.4], "paper mean": [2.0, 0.0]})
    (told,) = nearness(shown({"far": far}, label))
    assert told.startswith(f"Mean distance from paper ({unit}), nearest first: 0.200 over")
    assert "; 101 over 2 cells: far." in told


def test_one_grid_alone_is_compared_with_nothing() -> None:
    assert nearness(shown({})) == []


def test_where_nothing_is_common_nothing_is_said() -> None:
    other = pl.DataFrame(
        {"mean": [0.4], "paper mean": [None]}, schema_overrides={"paper mean": pl.Float64}
    )
    made = shown({"other": other})
    made.frame = other  # type: ignore[misc]
    assert nearness(made) == []
