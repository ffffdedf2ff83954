"""Curves over a window-like axis: means with intervals, reference points beside.

The axis is logarithmic up to the last ordinary value; a far value (the paper's 2000 after 50)
stands behind a marked break, since nothing happens in between. A linear axis, and one of names side
by side, are there too. Points whose runs carry warnings
are ringed. Several panels share one horizontal axis and one legend. What a paper's text states of a
curve is drawn into its panel (`marks`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from acklab.figures.marks import PAPER, StatedMark, draw_mark, mark_handles
from acklab.figures.room import (
    AXES_PT,
    LINE_PT,
    LegendRoom,
    TickRoom,
    legend_room,
    stand_apart,
    tick_room,
    wrapped,
)
from acklab.figures.style import (
    INK,
    NO_INTERVAL,
    WARNED,
    WARNED_WORDS,
    WIDTH_IN,
    Look,
    as_files,
    house_style,
    look_of,
    series_name,
)

FAR = 8.0
"""A last value this many times the one before it goes behind a break."""

LABEL_PT = 8.0
"""Size of the words at an axis."""

HEIGHT_PT = 165.0
"""Room for the words at the upright axis of a panel."""

# In places of the axis; names have no line that leads from one to the next.
_ASIDE = 0.035
_ASIDE_NAMES = 0.1

# How far the upright axis goes below a marker at zero, as a share of its length.
_BELOW_ZERO = -0.025

# A linear axis is as long as four doublings: shifts and room for labels are measured in those.
_LINEAR = 4.0


@dataclass(frozen=True)
class Labels:
    """What a figure says in words."""

    x: str
    y: str
    series: str
    """How the legend names a curve; empty where there is only one, which needs no name."""
    reference: str = ""


@dataclass(frozen=True)
class XAxis:
    """Places axis values: log2, with a far last value brought near behind a break.

    With ``linear`` in proportion; with ``names`` the values 0, 1, … stand side by side under them.
    """

    values: tuple[float, ...]
    linear: bool = False
    names: tuple[str, ...] = ()
    breaks: bool = True
    """Whether a far last value may be brought near."""

    @property
    def broken(self) -> bool:
        """Is there a far last value?"""
        if self.linear or self.names or not self.breaks:
            return False
        return len(self.values) > 2 and self.values[-1] / self.values[-2] >= FAR

    def place(self, value: float) -> float:
        """Where a value stands."""
        if self.names:
            return value
        if self.linear:
            return (value - self.values[0]) * _LINEAR / ((self.values[-1] - self.values[0]) or 1.0)
        if self.broken and value == self.values[-1]:
            return math.log2(self.values[-2]) + 0.85
        return math.log2(value)

    def aside(self, curves: int) -> float:
        """How far neighbouring curves stand apart, so that their intervals don't hide each other.

        All of them together take half of the usual way to the next value at the most: where a few
        values stand close, that they may be told apart elsewhere counts more.
        """
        places = [self.place(value) for value in self.values]
        usual = median([right - left for left, right in pairwise(places)] or [1.0])
        return min(_ASIDE_NAMES if self.names else _ASIDE, usual / 2 / max(1, curves))

    def ticks(self) -> list[float]:
        """Values that get a label: as many as have room."""
        if self.names:
            return list(self.values)
        if self.linear:
            order = [self.values[-1], *self.values[:-1]]
        else:
            order = sorted(self.values, key=lambda v: (v not in (1, 2, 3, 5, 10, 20, 50), v))
        chosen: list[float] = []
        for value in order:
            far_enough = all(abs(self.place(value) - self.place(c)) > 0.36 for c in chosen)
            if value == self.values[-1]:
                chosen = [*(c for c in chosen if self._apart(c, value)), value]
            elif far_enough and all(self._apart(value, c) for c in chosen):
                chosen.append(value)
        return sorted(chosen)

    def _apart(self, one: float, other: float) -> bool:
        """Do the labels of these two stand apart?"""
        span = self.place(self.values[-1]) - self.place(self.values[0])
        between = abs(self.place(one) - self.place(other)) * AXES_PT / (span or 1.0)
        return stand_apart(self.label(one), self.label(other), between)

    def label(self, value: float) -> str:
        """What stands under a value."""
        return self.names[round(value)] if self.names else f"{value:g}"


@dataclass(frozen=True)
class Panel:
    """One set of axes: `rows` hold x, series, mean, low, high, warnings."""

    rows: Sequence[Mapping[str, Any]]
    title: str = ""
    marks: Sequence[StatedMark] = ()


def draw_curves(
    panels: Sequence[Panel],
    x: str,
    series: str,
    labels: Labels,
    references: Sequence[str] = (),
    axis: XAxis | None = None,
) -> dict[str, bytes]:
    """Draw one curve a series in each panel, from top to bottom; the axis is logarithmic by itself.

    Of each name in `references` the rows of a panel may have a column "<name> mean".
    Returns the figure's files by ending, as `as_files` does.
    """
    every = [row for panel in panels for row in panel.rows]
    axis = axis or XAxis(tuple(sorted({float(row[x]) for row in every})))
    names = list(dict.fromkeys(row[series] for row in every))
    # What has no value has no place, but keeps its own on the axis and its curve's look.
    panels = [replace(p, rows=[r for r in p.rows if r["mean"] is not None]) for p in panels]
    with house_style():
        from matplotlib.figure import Figure

        handles, words = _entries(
            panels, names, labels, referenced=bool(references), lines=not axis.names
        )
        legend = legend_room(words)
        ticks = tick_room(axis.names) if axis.names else None
        height = 0.45 + 2.3 * len(panels) + legend.extra_in + (ticks.extra_in if ticks else 0.0)
        height += (len(wrapped(labels.x, AXES_PT, LABEL_PT)) - 1) * LINE_PT / 72.0
        figure = Figure(figsize=(WIDTH_IN, height), layout="constrained")
        grid: Any = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
        for place, panel in enumerate(panels):
            axes: Any = grid[place][0]
            _panel(axes, axis, panel, (x, series), names, references)
            _frame(axes, axis, labels, ticks, last=place == len(panels) - 1)
            if panel.title:
                axes.set_title(panel.title, loc="right", pad=3.0)
        draw_legend(grid[0][0], handles, legend, titled=bool(panels[0].title))
        return as_files(figure)


def _panel(
    axes: Any,
    axis: XAxis,
    panel: Panel,
    keys: tuple[str, str],
    names: Sequence[Any],
    references: Sequence[str],
) -> None:
    x, series = keys
    for index, name in enumerate(names):
        mine = sorted((row for row in panel.rows if row[series] == name), key=lambda row: row[x])
        look = look_of(index)
        shift = axis.aside(len(names)) * (index - (len(names) - 1) / 2)
        if mine:
            _curve(axes, axis, mine, x, look, shift)
        for reference in references:
            if mine and f"{reference} mean" in mine[0]:
                _reference(axes, axis, mine, x, look, reference, shift)
    curves = {
        str(name): {float(row[x]): float(row["mean"]) for row in panel.rows if row[series] == name}
        for name in names
    }
    looks = {str(name): look_of(i) for i, name in enumerate(names)}
    for mark in panel.marks:
        draw_mark(axes, axis.place, mark, curves, looks)


def _curve(
    axes: Any,
    axis: XAxis,
    rows: Sequence[Mapping[str, Any]],
    x: str,
    look: Look,
    shift: float,
) -> None:
    places = [axis.place(float(row[x])) + shift for row in rows]
    means = [float(row["mean"]) for row in rows]
    far = axis.broken and float(rows[-1][x]) == axis.values[-1]
    solid = len(rows) - far
    style = {"color": look.colour, "zorder": 3}
    if not axis.names:
        axes.plot(places[:solid], means[:solid], linestyle=look.line, **style)
    if far:
        axes.plot(places[-2:], means[-2:], linestyle=":", linewidth=0.7, **style)
    spots = list(zip(places, means, rows, strict=True))
    told = [(p, m, row) for p, m, row in spots if row["low"] is not None]
    axes.errorbar(
        [place for place, _, _ in told],
        [mean for _, mean, _ in told],
        yerr=[
            [mean - row["low"] for _, mean, row in told],
            [row["high"] - mean for _, mean, row in told],
        ],
        fmt=look.marker,
        markeredgecolor="white",
        markeredgewidth=0.4,
        elinewidth=0.7,
        capsize=1.3,
        capthick=0.6,
        **style,
    )
    alone = [(p, m) for p, m, row in spots if row["low"] is None]
    if alone:
        axes.plot(*zip(*alone, strict=True), look.marker, mfc="white", mec=look.colour, zorder=3)
    warned = [(p, m) for p, m, row in spots if row["warnings"]]
    if warned:
        axes.plot(*zip(*warned, strict=True), "o", ms=7.5, mfc="none", mec=WARNED, mew=0.7)


def _reference(
    axes: Any,
    axis: XAxis,
    rows: Sequence[Mapping[str, Any]],
    x: str,
    look: Look,
    reference: str,
    shift: float,
) -> None:
    known = [row for row in rows if row[f"{reference} mean"] is not None]
    axes.plot(
        [axis.place(float(row[x])) + shift for row in known],
        [row[f"{reference} mean"] for row in known],
        look.marker,
        markersize=5.6,
        markerfacecolor="none",
        markeredgecolor=look.colour,
        markeredgewidth=0.8,
        zorder=4,
    )


def _from_zero(axes: Any) -> None:
    """Begin at zero, unless an interval reaches below it; leave room for the topmost marker."""
    low, high = axes.dataLim.intervaly
    if low >= 0:
        # Where all is zero, the one is the scale.
        top = 1.04 * high if high > 0 else 1.0
        # A marker at zero is seen whole.
        axes.set_ylim(0.0 if low > 0 else _BELOW_ZERO * top, top)


def _frame(axes: Any, axis: XAxis, labels: Labels, names: TickRoom | None, last: bool) -> None:
    ticks = axis.ticks()
    words = names.words if names else [axis.label(v) for v in ticks]
    axes.set_xticks([axis.place(v) for v in ticks], words)
    if names and names.upright:
        axes.tick_params(axis="x", which="major", labelrotation=90.0)
    axes.set_xticks([axis.place(v) for v in axis.values], minor=True)
    axes.tick_params(axis="x", which="minor", length=1.4, width=0.4)
    if last:
        axes.set_xlabel("\n".join(wrapped(labels.x, AXES_PT, LABEL_PT)))
    axes.set_ylabel("\n".join(wrapped(labels.y, HEIGHT_PT, LABEL_PT)))
    _from_zero(axes)
    axes.margins(x=0.03)
    if axis.names or len(axis.values) == 1:
        # Half a place beyond the first and the last: one value alone spans nothing by itself, and
        # its curves would stand as far apart as the axis is long.
        axes.set_xlim(axis.place(axis.values[0]) - 0.5, axis.place(axis.values[-1]) + 0.5)
    if axis.broken:
        left, right = axis.place(axis.values[-2]), axis.place(axis.values[-1])
        low, high = axes.get_xlim()
        at = ((left + right) / 2 - low) / (high - low)
        # Two strokes over the axis line: the scale is interrupted here.
        for side in (-0.008, 0.008):
            axes.plot(
                [at + side - 0.007, at + side + 0.007],
                [-0.022, 0.022],
                transform=axes.transAxes,
                color=INK,
                linewidth=0.6,
                clip_on=False,
                zorder=5,
            )
        axes.plot(
            [at - 0.006, at + 0.006],
            [0, 0],
            transform=axes.transAxes,
            color="white",
            linewidth=1.6,
            clip_on=False,
            zorder=4,
        )


def _entries(
    panels: Sequence[Panel], names: Sequence[Any], labels: Labels, referenced: bool, lines: bool
) -> tuple[list[Any], list[str]]:
    """What the legend shows, and its words."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=look.colour,
            marker=look.marker,
            linestyle=look.line if lines else "",
            markeredgecolor="white",
            markeredgewidth=0.4,
        )
        for look in map(look_of, range(len(names) if labels.series else 0))
    ]
    words = [series_name(labels.series, name) for name in names if labels.series]
    if referenced:
        handles.append(Line2D([], [], ls="", marker="o", ms=5.6, mfc="none", mec=INK, mew=0.8))
        words.append(f"{labels.reference} (open)")
    if any(row["low"] is None for panel in panels for row in panel.rows):
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", mec=INK))
        words.append(NO_INTERVAL)
    if any(row["warnings"] for panel in panels for row in panel.rows):
        handles.append(Line2D([], [], ls="", marker="o", ms=7.5, mfc="none", mec=WARNED, mew=0.7))
        words.append(WARNED_WORDS)
    stated = [mark for panel in panels for mark in panel.marks]
    if stated:
        handles.append(mark_handles(stated))
        words.append(PAPER)
    return handles, words


def draw_legend(top: Any, handles: Sequence[Any], room: LegendRoom, titled: bool = False) -> None:
    """Put the legend above these axes, the topmost, or above the figure where it is wider."""
    if not handles:
        return
    settings = {
        "ncols": room.columns,
        "columnspacing": 1.0,
        "handletextpad": 0.4,
        "borderaxespad": 0.2,
    }
    if room.above:
        top.figure.legend(handles, room.words, loc="outside upper center", **settings)
        return
    # Above the topmost axes and its title.
    anchor = (0.5, 1.09 if titled else 1.0)
    top.legend(handles, room.words, loc="lower center", bbox_to_anchor=anchor, **settings)
