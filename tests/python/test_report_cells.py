"""Which of several grids is nearest to a reference, as the report says it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl

from acklab.papers.engine.shown import Shown
from acklab.report.cells import nearness


def shown(beside: dict[str, pl.DataFrame]) -> Shown:
    own = pl.DataFrame({"mean": [0.5, 0.7, 0.9], "paper mean": [0.4, 0.4, None]})
    made: Any = SimpleNamespace(
        item=SimpleNamespace(experiment="own"),
        frame=own,
        beside=beside,
        titles={"own": "our grid", "other": "the other"},
        references=(SimpleNamespace(key="paper", label="paper"),),
    )
    return cast(Shown, made)


def test_the_nearest_comes_first_and_empty_cells_do_not_count() -> None:
    other = pl.DataFrame({"mean": [0.4, 0.5, 0.1], "paper mean": [0.4, 0.4, None]})
    assert nearness(shown({"other": other})) == [
        "Mean distance from paper, nearest first: "
        "0.050 over 2 cells: the other; 0.200 over 2 cells: our grid."
    ]


def test_one_grid_alone_is_compared_with_nothing() -> None:
    assert nearness(shown({})) == []


def test_where_nothing_is_common_nothing_is_said() -> None:
    other = pl.DataFrame(
        {"mean": [0.4], "paper mean": [None]}, schema_overrides={"paper mean": pl.Float64}
    )
    made = shown({"other": other})
    made.frame = other  # type: ignore[misc]
    assert nearness(made) == []
