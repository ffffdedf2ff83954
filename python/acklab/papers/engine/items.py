"""Reading one table or figure of a paper's folder.

Invariant: what a kind of item does not use is refused, so that nothing stands there unseen.
"""

from __future__ import annotations

from acklab.papers.engine import orderings, panels, signs
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.marks import read_mark
from acklab.papers.engine.model import Item
from acklab.papers.engine.tables import Table

ONE_RUN = ("timeline", "pilots", "numbers")
"""Kinds that show one run from its event log: `x_values` are from and to, in ms."""

WORDED = (signs.KIND, orderings.KIND)
"""Kinds that are tables of words, made of claims: no picture."""

KINDS = ("curves", "table", "trace", *ONE_RUN, "slots", *WORDED)
"""Curves over an axis; a block of rows a series; a sampled series over time; one run's packets, its
pilots around a handoff, its packet numbers there; a slot diagram; tables of words."""

OVER_TIME = ("trace", *ONE_RUN, "slots")
"""Kinds that show one grid point, over time."""


def read_item(t: Table) -> Item:
    """One item."""
    key, title, kind = (t.take(name, str) for name in ("key", "title", "kind"))
    if kind in panels.KINDS:
        return panels.read_panel(t, key, title, kind)
    if kind not in KINDS:
        raise PaperError(f"{t.place}.kind", kind, (*KINDS, *panels.KINDS))
    if kind == signs.KIND:
        return signs.read_signs(t, key, title)
    if kind == orderings.KIND:
        return orderings.read_orderings(t, key, title)
    if kind == "slots":
        return _diagram(t, key, title)
    plotted = None if kind not in OVER_TIME else ""
    item = Item(
        key=key,
        title=title,
        kind=kind,
        caption=t.take("caption", str),
        experiment=t.take("experiment", str),
        measure=t.take("measure", str, "" if kind in ONE_RUN else None),
        x=t.take("x", str, plotted),
        series=t.take("series", str, plotted),
        x_label=t.take("x_label", str),
        y_label=t.take("y_label", str),
        series_label=t.take("series_label", str, plotted),
        place=t.take("place", str, ""),
        x_values=tuple(t.take("x_values", list, [])),
        series_values=tuple(t.take("series_values", list, [])),
        at=t.take("at", dict, {}),
        references=t.texts("references"),
        beside=t.texts("beside"),
        below=t.texts("below"),
        titles=t.texts("titles"),
        counts=t.texts("counts"),
        marks=tuple(read_mark(m) for m in t.tables("marks")),
        series_names=t.take("series_names", dict, {}),
    )
    t.done()
    if item.below and kind != "curves":
        raise PaperError(f"{t.place}.below", item.below, "none", f"{kind} has nothing below")
    if item.below and len(item.titles) != 1 + len(item.below):
        number = f"{1 + len(item.below)} titles"
        raise PaperError(f"{t.place}.titles", item.titles, number)
    if kind in ONE_RUN and len(item.x_values) != 2:
        raise PaperError(f"{t.place}.x_values", item.x_values, "from and to, in ms")
    for mark in item.marks:
        if mark.panel and mark.panel not in (item.experiment, *item.below):
            raise PaperError(f"{t.place}.marks", mark.panel, (item.experiment, *item.below))
    return item


def _diagram(t: Table, key: str, title: str) -> Item:
    """A slot diagram: one grid point, and the slots `[first, number]` of its first run."""
    slots = tuple(t.take("slots", list))
    if len(slots) != 2 or not all(isinstance(n, int) for n in slots) or slots[1] < 1:
        raise PaperError(f"{t.place}.slots", list(slots), "[first slot, number of slots]")
    item = Item(
        key=key,
        title=title,
        kind="slots",
        caption=t.take("caption", str),
        experiment=t.take("experiment", str),
        x_label="Slot",
        y_label="Node",
        place=t.take("place", str, ""),
        at=t.take("at", dict, {}),
        slots=(slots[0], slots[1]),
    )
    t.done()
    return item
