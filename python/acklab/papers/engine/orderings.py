"""A table of orderings: at which value of which open parameter each one of the paper's holds.

A row is a point of a sweep, a column a part of a claim that is judged `over` sweeps (a column for
each value of the axis `by` which it is grouped); a cell says
whether the part's condition is met there (yes, no, or cannot tell), by which value and interval.
Invariant: it is the claims' own judging, so that the table never says another thing than they do.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from acklab.papers.engine.extreme_rules import points_over
from acklab.papers.engine.findings import SAID, Check
from acklab.papers.engine.model import Item, Paper, Part
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.tables import Table
from acklab.papers.engine.verdict_rules import judge

KIND = "orderings"
Row = dict[str, str | float | bool | None]
DEFAULTS = "the defaults"


def read_orderings(t: Table, key: str, title: str) -> Item:
    """The item: the claims that are its columns, and the experiments that they take."""
    experiments = t.texts("experiments")
    item = Item(
        key=key,
        title=title,
        kind=KIND,
        caption=t.take("caption", str),
        experiment=experiments[0],
        x="point",
        series="statement",
        series_values=t.texts("claims"),
        beside=experiments[1:],
        place=t.take("place", str, ""),
    )
    t.done()
    return item


def swept(part: Part) -> Check | None:
    """The part's condition if it is judged over several experiments."""
    for check in (c for group in part.holds for c in group):
        if "over" in check:
            return {**part.defaults, **check}
    return None


def orderings_frame(paper: Paper, item: Item, results: Results) -> pl.DataFrame:
    """One row a cell: parameter, value, statement, whether it holds there, and by how much."""
    claims = {claim.id: claim for claim in paper.claims}
    rows: list[Row] = []
    for key in map(str, item.series_values):
        checks = [(p, c) for p in claims[key].parts if (c := swept(p)) is not None]
        for part, check in checks:
            column = key if len(checks) == 1 else f"{key}, {part.label.rpartition(', ')[2]}"
            scope = Scope(results, part.needs[0])
            rows += _judged(scope, check, column)
    return pl.DataFrame(rows)


def _judged(scope: Scope, check: Check, column: str) -> Iterator[Row]:
    found = judge(scope, check)
    for (inner, whole), row in zip(points_over(scope, check), found.measured, strict=True):
        # What a condition is grouped by has a column each.
        point = {key: value for key, value in whole.items() if key != check.get("by")}
        own = [str(value) for key, value in whole.items() if key not in point]
        names = [inner.of().axis(key).label for key in point]
        yield {
            "statement": ", ".join((column, *own)),
            "parameter": ", ".join(names) or DEFAULTS,
            "value": ", ".join(map(str, point.values())),
            "holds": SAID[row.met],
            "mean": row.value,
            "low": row.low,
            "high": row.high,
            "percent": row.percent,
        }
