"""What a table or figure shows, as data frames: our points with intervals, references beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from acklab.papers.engine import grid, orderings, signs
from acklab.papers.engine.estimate import mean
from acklab.papers.engine.model import Cell, Item, Paper, Value
from acklab.papers.engine.one_run import numbers_frame, pilots_frame
from acklab.papers.engine.output import interval_columns
from acklab.papers.engine.panels import panel_frame
from acklab.papers.engine.references import ReferenceRows, read_reference
from acklab.papers.engine.results import Results
from acklab.papers.engine.series import series_of
from acklab.papers.engine.slots import slots_frame
from acklab.papers.engine.timelines import timeline_frame

EXPLAIN_BEYOND = 0.10
ONE_RUN = {"timeline": timeline_frame, "pilots": pilots_frame, "numbers": numbers_frame}
WORDED = {signs.KIND: signs.signs_frame, orderings.KIND: orderings.orderings_frame}


@dataclass(frozen=True)
class Shown:
    """One table or figure with all its numbers."""

    item: Item
    frame: pl.DataFrame
    """One row a point: x, series, mean, low, high, runs, warnings, and references with ratios."""
    counts: pl.DataFrame
    """Further measures beside the references, where there are any."""
    titles: dict[str, str]
    """What the experiments beside are called."""
    labels: dict[str, str]
    """Words for derived measures."""
    below: dict[str, pl.DataFrame]
    """What is drawn below the item's own curves, by its experiment."""
    beside: dict[str, pl.DataFrame]
    """The same grid under another choice (another data rate, another timer rule)."""
    references: tuple[ReferenceRows, ...]


def show(paper: Paper, item: Item, results: Results, mode: str) -> Shown:
    """All that an item shows; `mode` is how the experiments were run."""
    references = tuple(read_reference(paper, key) for key in item.references)
    labels = {key: derived.label for key, derived in paper.derived.items()}
    labels |= {key: sampled.label for key, sampled in paper.sampled.items()}
    titles = {key: paper.experiments[key].title for key in item.experiments}
    if item.entries:
        frame = panel_frame(item, results)
        return Shown(item, frame, pl.DataFrame(), titles, labels, {}, {}, references)
    if item.kind == "slots":
        frame = slots_frame(item, paper.experiments[item.experiment], mode)
        return Shown(item, frame, pl.DataFrame(), titles, labels, {}, {}, references)
    if item.kind in WORDED:
        frame = WORDED[item.kind](paper, item, results)
        return Shown(item, frame, pl.DataFrame(), titles, labels, {}, {}, references)
    if item.kind in ONE_RUN:
        frame = ONE_RUN[item.kind](item, results)
        return Shown(item, frame, pl.DataFrame(), titles, labels, {}, {}, references)
    if item.kind == "trace":
        frame, counts = trace_frame(item, results), figures_frame(item, results)
        return Shown(item, frame, counts, titles, labels, {}, {}, references)

    def one(key: str) -> pl.DataFrame:
        near = [r for r in references if _same(paper, r, key)]
        return item_frame(item, key, results, near)

    own = [r for r in references if _same(paper, r, item.experiment)]
    return Shown(
        item=item,
        frame=one(item.experiment),
        counts=counts_frame(item, results, own),
        titles=titles | dict(zip((item.experiment, *item.below), item.titles, strict=False)),
        labels=labels,
        below={key: one(key) for key in item.below},
        beside={key: one(key) for key in item.beside},
        references=references,
    )


def _same(paper: Paper, rows: ReferenceRows, experiment: str) -> bool:
    reference = paper.references[rows.key]
    return experiment in (reference.experiment, *reference.beside)


def shown_cells(item: Item, experiment: str, results: Results) -> list[tuple[Value, Value, Cell]]:
    """The grid points that an item shows: (x, series, cell)."""
    grid_of = results.experiments[experiment].experiment
    xs = item.x_values or grid_of.axis(item.x).values
    series = item.series_values or grid_of.axis(item.series).values
    return [
        (x, s, grid.match(grid_of, {**item.at, item.x: x, item.series: s}))
        for s in series
        for x in xs
    ]


def item_frame(
    item: Item, experiment: str, results: Results, references: Sequence[ReferenceRows]
) -> pl.DataFrame:
    """One row a point, with the references' means, spreads and our ratio to them."""
    rows: list[dict[str, Any]] = []
    for x, series, cell in shown_cells(item, experiment, results):
        point = results.point(experiment, cell, item.measure)
        warned = results.experiments[experiment].warnings(cell)
        row: dict[str, Any] = {
            item.x: x,
            item.series: series,
            "measure": item.measure,
            **(ours := interval_columns(point)),
            "warnings": "; ".join(f"{w.code} ({w.runs})" for w in warned),
        }
        for reference in references:
            values = reference.values(cell, item.measure)
            row |= _beside(reference.key, values, ours["mean"])
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def trace_frame(item: Item, results: Results) -> pl.DataFrame:
    """The series over time: the first run, the median and the middle 90 % of all runs."""
    frames: list[pl.DataFrame] = []
    for value, cell in _traces(item, results):
        rows = [row for _, row in sorted(results.experiments[item.experiment].rows[cell].items())]
        times, first = series_of(rows[0], item.measure)
        every = np.array([series_of(row, item.measure)[1] for row in rows])
        low, middle, high = np.quantile(every, (0.05, 0.5, 0.95), axis=0)
        columns = {"time_s": times, "one run": first, "p5": low, "median": middle, "p95": high}
        named = {item.series: [value] * len(times)} if item.series else {}
        frames.append(pl.DataFrame(columns | named))
    return pl.concat(frames)


def _traces(item: Item, results: Results) -> list[tuple[Value, Cell]]:
    """The grid points of a trace: its one, or one for each value of its series."""
    experiment = results.experiments[item.experiment].experiment
    if not item.series:
        return [("", grid.match(experiment, item.at))]
    return [
        (v, grid.match(experiment, {**item.at, item.series: v}))
        for v in item.series_values or experiment.axis(item.series).values
    ]


def figures_frame(item: Item, results: Results) -> pl.DataFrame:
    """What the item counts at its points: mean, interval, and the middle 90 % of the runs."""
    rows: list[dict[str, Any]] = []
    for value, cell in _traces(item, results):
        for measure in item.counts:
            sample = [*results.column(item.experiment, cell, measure).values()]
            low, middle, high = (float(v) for v in np.quantile(sample, (0.05, 0.5, 0.95)))
            entry = {"measure": measure, "of": str(value), **interval_columns(mean(sample))}
            rows.append(entry | {"p5": low, "median": middle, "p95": high})
    return pl.DataFrame(rows, infer_schema_length=None)


def _beside(key: str, values: list[float], ours: float | None) -> dict[str, Any]:
    if not values:
        return {f"{key} mean": None, f"{key} se": None, f"{key} runs": 0, f"{key} ratio": None}
    centre = float(np.mean(values))
    se = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    ratio = ours / centre if centre and ours is not None else None
    return {
        f"{key} mean": centre,
        f"{key} se": se,
        f"{key} runs": len(values),
        f"{key} ratio": ratio,
    }


def counts_frame(item: Item, results: Results, references: Sequence[ReferenceRows]) -> pl.DataFrame:
    """Counts side by side: ours, the reference's, the ratio and whether it asks for a reason."""
    rows: list[dict[str, Any]] = []
    for reference in references:
        for x, series, cell in shown_cells(item, item.experiment, results):
            for measure in item.counts:
                theirs = reference_value(results, reference, cell, measure)
                if theirs is None:
                    continue
                ours = results.point(item.experiment, cell, measure)
                other = mean(theirs)
                ratio = ours.value / other.value if other.value else None
                off = ratio is not None and abs(ratio - 1.0) > EXPLAIN_BEYOND
                rows.append(
                    {
                        item.x: x,
                        item.series: series,
                        "measure": measure,
                        **interval_columns(ours),
                        "reference": reference.key,
                        "reference mean": other.value,
                        "reference low": other.interval()[0] if len(theirs) > 1 else None,
                        "reference high": other.interval()[1] if len(theirs) > 1 else None,
                        "ratio": ratio,
                        "off by more than 10 %": off,
                    }
                )
    return pl.DataFrame(rows, infer_schema_length=None)


def reference_value(
    results: Results, reference: ReferenceRows, cell: Cell, measure: str
) -> list[float] | None:
    """A reference's values of a measure, derived run by run where it has to be."""
    direct = reference.values(cell, measure)
    if direct:
        return direct
    derived = results.derived.get(measure)
    if derived is None:
        return None
    tops = [reference.values(cell, name) for name in derived.of]
    bottoms = [reference.values(cell, name) for name in derived.per]
    if not all(tops) or not all(bottoms):
        return None
    top = np.array([derived.top(run) for run in zip(*tops, strict=True)]) * derived.scale
    bottom = np.sum(bottoms, axis=0) if bottoms else np.ones_like(top)
    return [float(t / b) if b else 0.0 for t, b in zip(top, bottom, strict=True)]
