"""A handoff in one run: pilots over time with the pacing period in gray, and packet numbers.

Both mark the handoff and the moment at which the crossover node has the new route.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.figures.curves import Labels
from acklab.figures.style import INK, SERIES, WIDTH_IN, as_files, house_style

Row = Mapping[str, Any]

GRAY = "#cccccc"
LEVELS: Mapping[str, Any] = {"L_Handoff": (0, (1, 1)), "L_Pacing": (0, (4, 1.5))}
MOMENTS: Mapping[str, tuple[str, Any]] = {
    "handoff": (SERIES[2].colour, "-"),
    "new route": (SERIES[3].colour, (0, (6, 1.5))),
    "timeout": (SERIES[4].colour, ":"),
}
# In the order in which they are drawn, one over the other.
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "data sent": {"marker": ".", "color": "#888888", "markersize": 4},
    "data sent again": {"marker": "D", "color": SERIES[4].colour, "markersize": 4},
    # An ACK is sent at once, one packet on: the thin upright mark stands over the wide flat one.
    "ACK sent": {"marker": "_", "color": SERIES[1].colour, "markersize": 6},
    "data received": {"marker": "|", "color": INK, "markersize": 4},
    "data lost to errors": {"marker": "x", "color": SERIES[5].colour, "markersize": 5},
    "data lost at the old station": {"marker": "X", "color": SERIES[2].colour, "markersize": 5},
    "ACK at the sender": {"marker": "+", "color": SERIES[6].colour, "markersize": 4},
}


def draw_pilots(rows: Sequence[Row], labels: Labels, ends: Sequence[float]) -> dict[str, bytes]:
    """Draw each pilot's `level_dbm` over `time_ms`, with both levels and the pacing period.

    The axis is that from one of `ends` to the other, whatever happened there.
    """
    with house_style():
        figure, axes = _canvas(2.75)
        _shade(axes, rows, ends[1])
        names = [row["what"] for row in rows if str(row["what"]).startswith("pilot")]
        for place, name in enumerate(dict.fromkeys(names)):
            own = [row for row in rows if row["what"] == name]
            look = SERIES[place % len(SERIES)]
            points = [[row[key] for row in own] for key in ("time_ms", "level_dbm")]
            axes.plot(*points, color=look.colour, linestyle=look.line, label=name)
        for name, line in LEVELS.items():
            level = next(row["level_dbm"] for row in rows if row["what"] == name)
            axes.axhline(level, color=INK, linewidth=0.7, linestyle=line, label=name)
        _moments(axes, rows)
        return _finish(figure, axes, labels, ends)


def draw_numbers(rows: Sequence[Row], labels: Labels, ends: Sequence[float]) -> dict[str, bytes]:
    """Draw `number` over `time_ms` from one of `ends` to the other, a look for each `what`."""
    with house_style():
        figure, axes = _canvas(3.6)
        for place, (what, look) in enumerate(LOOKS.items()):
            own = [row for row in rows if row["what"] == what]
            if own:
                points = [[row[key] for row in own] for key in ("time_ms", "number")]
                axes.plot(*points, linestyle="none", label=what, zorder=2 + place, **look)
        _moments(axes, rows)
        return _finish(figure, axes, labels, ends)


def _canvas(height_in: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    return figure, figure.add_subplot()


def _shade(axes: Any, rows: Sequence[Row], last: float) -> None:
    """Gray from each begin of pacing to its end, or to the last time that is shown."""
    begin, shaded = None, False
    for row in rows:
        if row["what"] == "pacing begins":
            begin = row["time_ms"]
        elif row["what"] == "pacing ends" and begin is not None:
            _span(axes, begin, row["time_ms"], shaded)
            begin, shaded = None, True
    if begin is not None:
        _span(axes, begin, last, shaded)


def _span(axes: Any, begin: float, end: float, shaded: bool) -> None:
    label = None if shaded else "ACK Pacing period"
    axes.axvspan(begin, end, color=GRAY, linewidth=0.0, label=label, zorder=0)


def _moments(axes: Any, rows: Sequence[Row]) -> None:
    for name, (colour, line) in MOMENTS.items():
        times = [row["time_ms"] for row in rows if row["what"] == name]
        for place, time in enumerate(times):
            label = name if place == 0 else None
            axes.axvline(time, color=colour, linestyle=line, linewidth=0.9, label=label, zorder=1)


def time_axis(axes: Any, ends: Sequence[float]) -> None:
    """As long as what was asked for, and a marker's width at both ends more."""
    start, end = ends
    axes.set_xlim(start - 0.02 * (end - start), end + 0.02 * (end - start))


def _finish(figure: Any, axes: Any, labels: Labels, ends: Sequence[float]) -> dict[str, bytes]:
    axes.set_xlabel(labels.x)
    axes.set_ylabel(labels.y)
    axes.margins(y=0.04)
    time_axis(axes, ends)
    figure.legend(loc="outside upper center", ncols=2, handletextpad=0.4, columnspacing=0.8)
    return as_files(figure)
