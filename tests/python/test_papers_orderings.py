"""Tables of orderings, and verdicts in prose, on made-up runs of cho2005's sweeps."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.judged import check_judged, fill_judged
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.orderings import orderings_frame
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.report.cells import ordered, ordered_briefly

RUNS = 6
PAPER = load_paper("cho2005")


def made_up() -> Results:
    """Pacing gains 10, but with an update at the handoff it costs 10."""
    data = {}
    for key in PAPER.items["orderings"].experiments:
        made = PAPER.experiments[key]
        data[key] = ExperimentRuns(made)
        for cell in grid.cells(made):
            paced = "with" in cell
            value = (10 + 10 * paced * (-1 if "yes" in cell else 1)) * (1 + ("tahoe" in cell))
            measures = {
                "goodput_pps": float(value),
                "timeouts_per_handoff": 2.0 - paced,
                "lost_per_handoff": 4.0 - 3 * paced,
            }
            data[key].rows[cell] = {
                run: {"measures": {k: v + 0.001 * (run % 2) for k, v in measures.items()},
                      "flows": []}
                for run in range(RUNS)
            }  # fmt: skip
    return Results(data, {})


def test_the_table_of_orderings_says_what_the_claims_say() -> None:
    frame = orderings_frame(PAPER, PAPER.items["orderings"], made_up())
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
    # Every statement is judged at every point.
    assert not any("–" in row for row in shown.rows)


def test_a_condition_for_each_variant_has_a_column_for_each_and_the_same_points() -> None:
    item = replace(PAPER.items["orderings-losses"], series_values=("cho-6",))
    frame = orderings_frame(PAPER, item, made_up())
    tahoe = orderings_frame(PAPER, PAPER.items["orderings"], made_up()).filter(statement="cho-32")
    assert frame["statement"].unique(maintain_order=True).to_list() == [
        f"cho-6, {name}" for name in ("tahoe", "reno", "newreno", "delack")
    ]
    assert frame.height == 4 * tahoe.height
    assert frame["parameter"].to_list()[0] == "the defaults"


def test_verdicts_in_prose_are_those_of_the_runs() -> None:
    frame = orderings_frame(PAPER, PAPER.items["orderings"], made_up())
    claims: list[Any] = [
        SimpleNamespace(id="cho-57", place="Table 1", verdict="does not hold"),
        SimpleNamespace(id="cho-1", place="§1", verdict="does not hold"),
    ]

    def told(text: str) -> str:
        return fill_judged(text, {"one": frame}, claims)

    points = frame.filter(statement="cho-32").height
    says = f"{points - 1} of {points} points; not: route update at the handoff yes"
    assert told("[[where one: cho-32]]") == says
    assert told("[[where two: cho-32]]") == "not run"
    assert told("[[claims does not hold: Table 1]] [[claims does not hold]]") == "cho-57 cho-1"
    assert told("[[claims holds]]") == "none"


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("[[claims perhaps]]", "undecided"),
        ("[[where table1: cho-32]]", "orderings"),
        ("[[where orderings]]", "column"),
    ],
)
def test_what_the_folder_does_not_have_is_refused(text: str, accepted: str) -> None:
    with pytest.raises(PaperError, match=accepted):
        check_judged(PAPER, "summary.md", text)
