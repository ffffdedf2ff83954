"""Panels: figures whose curves or bars come from several experiments.

| kind | what it shows |
| --- | --- |
| lines | curves over a linear axis, an entry a curve |
| bars | groups of bars with intervals, a group an x value, an entry a bar |
| flows | a group a flow and one for their sum, an entry a bar: who gets what |

With `x = "rank"`, `flows` shows the flow that gets most in each run, then the second, and so on.
An entry is a cell of an experiment that leaves the panel's x axis open (for `flows`: leaves
nothing open); an axis may be averaged or picked as in a claim (`{ mean = "all" }`). With `over`,
another such cell, the entry is the gain over it in percent, paired run by run. An entry with
`stated` shows numbers of the paper's text and no experiment. Not here: how it is drawn
(`acklab.figures.panels`). Invariant: a panel's frame has
the same columns as any other item's, with the entry's label as the series.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.marks import read_mark
from acklab.papers.engine.model import Cell, Entry, Item, Paper, Value
from acklab.papers.engine.output import interval_columns
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.papers.engine.tables import Table

KINDS = ("lines", "bars", "flows")
SERIES = "entry"
"""What a panel's entries are called in its frame."""

RANKS = ("flow", "rank")
"""How flows are told apart: by number, or by what they get."""

SUM = "sum"
"""The x value of all flows together."""


def read_panel(t: Table, key: str, title: str, kind: str) -> Item:
    """A panel's item; the table's key, title and kind have been taken."""
    entries = tuple(_entry(e) for e in t.tables("entry"))
    measured = [e for e in entries if not e.stated]
    if not measured:
        raise PaperError(t.place, "no entry", "one or more [[item.entry]]", "a key is missing")
    x = t.take("x", str, "flow" if kind == "flows" else None)
    if kind == "flows" and x not in RANKS:
        raise PaperError(f"{t.place}.x", x, RANKS)
    item = Item(
        key=key,
        title=title,
        kind=kind,
        caption=t.take("caption", str),
        experiment=measured[0].experiment,
        measure=t.take("measure", str),
        x=x,
        series=SERIES,
        x_label=t.take("x_label", str),
        y_label=t.take("y_label", str),
        x_values=tuple(t.take("x_values", list, [])),
        references=t.texts("references"),
        entries=entries,
        place=t.take("place", str, ""),
        marks=tuple(read_mark(m) for m in t.tables("marks")),
        x_names=t.take("x_names", dict, {}),
    )
    t.done()
    return item


def _entry(t: Table) -> Entry:
    stated = {str(x): float(value) for x, value in t.take("stated", dict, {}).items()}
    entry = Entry(
        t.take("label", str),
        t.take("experiment", str, "") if stated else t.take("experiment", str),
        t.take("cell", dict, {}),
        t.take("measure", str, ""),
        t.take("over", dict, {}),
        stated,
        t.take("look", int, 0),
    )
    t.done()
    return entry


def check_panel(paper: Paper, item: Item) -> None:
    """Every entry is a cell of its experiment but for the panel's x axis; marks name entries."""
    _check_looks(item)
    labels = [entry.label for entry in item.entries if not entry.stated]
    for mark in item.marks:
        place = f"figures.toml: {item.key}: marks"
        for name in (mark.series, mark.over):
            if name is not None and name not in labels:
                raise PaperError(place, name, labels, "no such entry")
        if item.kind == "flows":
            raise PaperError(place, mark.kind, "none", "flows have no axis of numbers")
    for entry in item.entries:
        place = f"figures.toml: {item.key}: {entry.label}"
        if entry.stated:
            shown = [str(x) for x in item.x_values]
            if not set(entry.stated) <= set(shown):
                raise PaperError(place, sorted(entry.stated), shown, "off the axis")
            continue
        experiment = paper.experiments[entry.experiment]
        for cell in (entry.cell, entry.over) if entry.over else (entry.cell,):
            open_ = [a.key for a in experiment.axes if a.key not in cell]
            wanted = [] if item.kind == "flows" else [item.x]
            # What a gain is over may be the same cell for every x.
            if open_ != wanted and (cell is entry.cell or open_):
                raise PaperError(place, open_, wanted, "axes left open")
            first = {a.key: a.values[0] for a in experiment.axes}
            plain = {k: v for k, v in cell.items() if not isinstance(v, Mapping)}
            grid.match(experiment, {**first, **plain})


def _check_looks(item: Item) -> None:
    """No two entries are drawn alike; what the text states is drawn as stars."""
    having: dict[int, str] = {}
    for place, entry in enumerate(item.entries, start=1):
        if entry.stated:
            continue
        look = entry.look or place
        if look in having:
            where = f"figures.toml: {item.key}: {entry.label}: look"
            free = [str(n) for n in range(1, len(item.entries) + 1) if n not in having]
            raise PaperError(where, look, free, f"is how {having[look]} is drawn")
        having[look] = entry.label


def panel_frame(item: Item, results: Results) -> pl.DataFrame:
    """One row a point: x, entry, mean, low, high, runs, warnings."""
    rows: list[dict[str, Any]] = []
    for entry in item.entries:
        if entry.stated:
            rows += [_stated(item, entry, x) for x in item.x_values if str(x) in entry.stated]
            continue
        data = results.experiments[entry.experiment]
        measure = entry.measure or item.measure
        for x, cell, point in _points(item, entry, results, measure):
            warned = data.warnings(cell) if cell else []
            rows.append(
                {
                    item.x: x,
                    SERIES: entry.label,
                    "measure": measure,
                    **interval_columns(point),
                    **_searched(data.found.get(cell, {}), measure),
                    "warnings": "; ".join(f"{w.code} ({w.runs})" for w in warned),
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _searched(found: Mapping[str, float], measure: str) -> dict[str, float]:
    """The interval of a value that a search found: what it could not tell from the best."""
    ends = {end: found.get(f"{measure}_{end}") for end in ("low", "high")}
    return {end: value for end, value in ends.items() if value is not None}


def _points(
    item: Item, entry: Entry, results: Results, measure: str
) -> list[tuple[Value, Cell, Estimate]]:
    experiment = results.experiments[entry.experiment].experiment
    if item.kind == "flows":
        cell = grid.match(experiment, entry.cell)
        points: list[tuple[Value, Cell, Estimate]] = [
            (str(i + 1), cell, point)
            for i, point in enumerate(
                results.flow_points(entry.experiment, cell, measure, item.x == "rank")
            )
        ]
        return [*points, (SUM, cell, results.point(entry.experiment, cell, measure))]
    values = item.x_values or experiment.axis(item.x).values
    found: list[tuple[Value, Cell, Estimate]] = []
    for value in values:
        if value in experiment.axis(item.x).values:
            if entry.over or any(isinstance(v, Mapping) for v in entry.cell.values()):
                made = _made(item, entry, results, measure, value)
                found.append((value, (), made))
                continue
            cell = grid.match(experiment, {**entry.cell, item.x: value})
            found.append((value, cell, results.point(entry.experiment, cell, measure)))
    return found


def _made(item: Item, entry: Entry, results: Results, measure: str, x: Value) -> Estimate:
    """A value that several cells make: a mean over an axis, or a gain in percent."""
    check = {
        "cells": {"a": entry.cell, "b": entry.over} if entry.over else {"a": entry.cell},
        "quantity": "100 * (a / b - 1)" if entry.over else "a",
        "measure": measure,
    }
    return quantity(Scope(results, entry.experiment), check, {item.x: x})


def _stated(item: Item, entry: Entry, x: Value) -> dict[str, Any]:
    """A number of the paper: no run stands behind it."""
    value = entry.stated[str(x)]
    plain = {"mean": value, "low": None, "high": None, "runs": 0, "warnings": ""}
    return {item.x: x, SERIES: entry.label, "measure": entry.measure or item.measure, **plain}
