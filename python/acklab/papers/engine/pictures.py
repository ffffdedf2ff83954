"""From what an item shows to its picture: labels, panels and the paper's stated numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from acklab.papers.engine.model import Item
from acklab.papers.engine.panels import SERIES
from acklab.papers.engine.shown import Shown


def draw(shown: Shown) -> dict[str, bytes]:
    """The figure of an item as SVG, PDF and PNG."""
    from acklab.figures.curves import Labels, Panel, draw_curves
    from acklab.figures.handoff import draw_numbers, draw_pilots
    from acklab.figures.panels import PanelWords, draw_panel
    from acklab.figures.slots import draw_slots
    from acklab.figures.timeline import draw_timeline
    from acklab.figures.trace import draw_trace

    item = shown.item
    if item.entries:
        words = PanelWords(item.x_label, item.y_label)
        rows = [
            {**row, item.x: item.x_names.get(str(row[item.x]), row[item.x])}
            for row in shown.frame.to_dicts()
        ]
        marks = _stated(item, item.experiment)
        looks = {entry.label: entry.look - 1 for entry in item.entries if entry.look}
        return draw_panel(item.kind, rows, item.x, SERIES, words, marks, looks)
    if item.kind == "slots":
        return draw_slots(shown.frame.to_dicts(), *item.slots)
    one_run = {"timeline": draw_timeline, "pilots": draw_pilots, "numbers": draw_numbers}
    if item.kind in one_run:
        labels = Labels(item.x_label, item.y_label, "")
        ends = [float(end) for end in item.x_values]
        return one_run[item.kind](shown.frame.to_dicts(), labels, ends)
    if item.kind == "trace":
        labels = Labels(item.x_label, item.y_label, item.series_label)
        stated = _stated(item, item.experiment)
        return draw_trace(shown.frame.to_dicts(), labels, stated, item.series)
    reference = shown.references[0] if shown.references else None
    labels = Labels(
        item.x_label, item.y_label, item.series_label, reference.label if reference else ""
    )
    named = bool(item.titles)
    panels = [
        Panel(_called(item, frame), shown.titles[key] if named else "", _stated(item, key))
        for key, frame in {item.experiment: shown.frame, **shown.below}.items()
    ]
    return draw_curves(panels, item.x, item.series, labels, [r.key for r in shown.references])


def _called(item: Item, frame: pl.DataFrame) -> Sequence[Mapping[str, Any]]:
    """The rows, their series by the names that the item gives them."""
    names = item.series_names
    return [
        {**row, item.series: names.get(str(row[item.series]), row[item.series])}
        for row in frame.to_dicts()
    ]


def _stated(item: Item, experiment: str) -> Sequence[Any]:
    from acklab.figures.marks import StatedMark

    return [
        StatedMark(m.kind, m.series, m.over, m.x, m.y, m.low, m.high)
        for m in item.marks
        if (m.panel or item.experiment) == experiment
    ]
