"""What the rows of cho2005 judge, on made-up results: each one can fail."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from acklab.papers.engine import grid
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.validate.cho2005 import claims, shown
from acklab.validate.model import FAIL, PASS

COLUMNS = 6
BUILT = ("I-TCP", "M-TCP", "SNOOP", "ELN", "TCP Westwood", "Freeze-TCP", "ACK Pacing")


def signs(**changed: str) -> Any:
    """Table 1 as it should be, but for the signs of these mechanisms' first column."""
    rows = [
        {
            "mechanism": name,
            "column": str(column),
            "measured": changed.get(name, "yes" if name in BUILT else "not yet")
            if column == 0
            else ("yes" if name in BUILT else "not yet"),
            "paper": "yes",
        }
        for name in (*BUILT, *shown.NOT_BUILT)
        for column in range(COLUMNS)
    ]
    return SimpleNamespace(tables={"table1": pl.DataFrame(rows)}, shown={"table1": None})


def test_table_1_says_not_yet_of_what_is_not_built_and_of_nothing_else() -> None:
    assert shown.table_1(signs()).verdict == PASS
    assert shown.table_1(signs(ELN="cannot tell")).verdict == PASS
    assert shown.table_1(signs(ELN="not yet")).verdict == FAIL
    assert shown.table_1(signs(ELN="not run")).verdict == FAIL
    assert shown.table_1(signs(**{"W-TCP": "yes"})).verdict == FAIL


def roads(reroute: float = 1.0) -> Results:
    """Four runs of each variant with and without pacing."""
    experiment = load_paper("cho2005").experiments["roads"]
    data = ExperimentRuns(experiment)
    for cell in grid.cells(experiment):
        data.rows[cell] = {
            run: {
                "measures": dict.fromkeys(shown.MEASURES, 2.0 + run * ("with" in cell))
                | {"reroute_mean_s": reroute},
                "flows": [],
            }
            for run in range(4)
        }
    return Results({"roads": data}, {})


def test_the_table_of_variants_has_paired_differences_and_misses_none() -> None:
    row = shown.variants(roads())
    assert row.verdict == PASS
    paired = [line for line in row.detail if line[1] == "difference, paired"]
    assert [line[0] for line in paired] == ["tahoe", "reno", "newreno", "delack"]
    # 0, 1, 2 and 3 more: 1.5 in the mean, t(3) × 0.645 around it.
    assert paired[0][2] == "+1.5 [-0.554, +3.55]"
    assert shown.variants(roads(math.nan)).verdict == FAIL


def test_each_figure_needs_its_picture(tmp_path: Path) -> None:
    paper = load_paper("cho2005")
    picture = tmp_path / "one.svg"
    picture.write_text("<svg/>", encoding="utf-8")
    files = {f"{key}.svg": picture for key in paper.items}
    made: Any = SimpleNamespace(paper=paper, tables=dict(paper.items), files=files)
    assert shown.items(made).verdict == PASS
    empty = tmp_path / "empty.svg"
    empty.touch()
    made.files["fig4b.svg"] = empty
    row = shown.items(made)
    assert (row.verdict, row.why) == (FAIL, "Fig. 4(b)")
    del made.tables["table1"]
    assert shown.items(made).why == "Fig. 4(b), Table 1"


@pytest.mark.parametrize(("mean", "verdict"), [(1.0, PASS), (None, FAIL), (math.nan, FAIL)])
def test_an_ordering_without_a_value_fails(mean: float | None, verdict: str) -> None:
    row = {"parameter": "α", "value": "0.02", "holds": "yes", "mean": mean, "low": mean,
           "high": mean, "percent": False, "statement": "cho-1"}  # fmt: skip
    frame = pl.DataFrame([row], schema_overrides=dict.fromkeys(("mean", "low", "high"), pl.Float64))
    assert judged(frame) == verdict


def judged(frame: pl.DataFrame) -> str:
    """The verdict on one table of orderings."""
    item = load_paper("cho2005").items["orderings"]
    paper = SimpleNamespace(items={"orderings": item})
    made: Any = SimpleNamespace(paper=paper, tables={"orderings": frame}, shown={"orderings": None})
    (row,) = shown.orderings(made)
    return row.verdict


def test_an_ordering_that_is_not_judged_at_a_value_fails() -> None:
    row = {"parameter": "α", "value": "0.02", "holds": "yes", "mean": 1.0, "low": 1.0,
           "high": 1.0, "percent": False, "statement": "cho-1"}  # fmt: skip
    other = [row | {"statement": "cho-2"}, row | {"value": "0.04"}]
    assert judged(pl.DataFrame([row, *other])) == FAIL
    assert judged(pl.DataFrame([row, *other, other[0] | {"value": "0.04"}])) == PASS


@pytest.mark.parametrize(
    ("minutes", "workers", "verdict"),
    [(9.9, 2, PASS), (10.1, 2, FAIL), (9.9, 8, FAIL), (2.4, 8, PASS), (9.9, 1, PASS)],
)
def test_the_time_is_that_of_two_cores(minutes: float, workers: int, verdict: str) -> None:
    made: Any = SimpleNamespace(items=(), runs=0, warnings=[])
    assert claims.timed(made, "full", minutes, workers).verdict == verdict


def test_experiments_at_one_station_have_a_mobile_that_stays() -> None:
    for key, experiment in load_paper("cho2005").experiments.items():
        cells = experiment.scenario["cells"]
        motion = cells["mobile"][0]["motion"]
        goes = motion.get("to") == cells["station"][1]["position"]
        assert goes is (key not in shown.ONE_STATION), key
