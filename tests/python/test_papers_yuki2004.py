"""Paper yuki2004: every experiment's runs make its tables of numbers."""

from __future__ import annotations

import polars as pl
import pytest

from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.output import points_frame
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.papers.engine.results import ExperimentRuns, Results

PAPER = load_paper("yuki2004")


@pytest.fixture(scope="module")
def results() -> Results:
    """One short run of the first point of each experiment."""
    provider = NativeProvider()
    firsts = {key: grid.cells(one)[0] for key, one in PAPER.experiments.items()}
    jobs = [
        Job(
            provider.resolve(
                grid.tree(PAPER.experiments[key], cell, "quick") | {"duration": "12 s"}, key
            ),
            2004,
            0,
        )
        for key, cell in firsts.items()
    ]
    rows = dict(provider.run(jobs, 2))
    data = {
        key: ExperimentRuns(PAPER.experiments[key], {cell: {0: rows[place]}})
        for place, (key, cell) in enumerate(firsts.items())
    }
    return Results(data, PAPER.derived)


def test_a_network_without_tcp_has_no_windows_and_its_points_say_so(results: Results) -> None:
    """What is derived from windows has no value where datagrams run alone, and stops nothing."""
    found = {key: points_frame(results, key) for key in PAPER.experiments}
    trips = {
        key: frame.filter(pl.col("measure") == "round_trip_s")["mean"].item()
        for key, frame in found.items()
    }
    assert [key for key, value in trips.items() if value is None] == ["oneway"]


def test_a_measure_that_nobody_knows_is_an_error(results: Results) -> None:
    cell = next(iter(results.experiments["oneway"].rows))
    with pytest.raises(PaperError, match="unknown measure"):
        results.point("oneway", cell, "window_meen")
