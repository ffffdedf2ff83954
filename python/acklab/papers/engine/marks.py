"""Reading a mark: a number that the paper's text states, to be drawn into a figure.

Not here: how it is drawn (`acklab.figures.marks`).
"""

from __future__ import annotations

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Mark
from acklab.papers.engine.tables import Table

MARKS = ("point", "level", "best", "from", "gain", "fall")


def read_mark(t: Table) -> Mark:
    """One mark."""
    kind = t.take("kind", str)
    if kind not in MARKS:
        raise PaperError(f"{t.place}.kind", kind, MARKS)
    mark = Mark(
        kind=kind,
        says=t.take("says", str),
        series=t.data.pop("series", None),
        over=t.data.pop("over", None),
        x=tuple(t.take("x", list, [])),
        y=t.take("y", float, 0.0),
        low=t.take("low", float, 0.0),
        high=t.take("high", float, 0.0),
        panel=t.take("panel", str, ""),
    )
    t.done()
    return mark
