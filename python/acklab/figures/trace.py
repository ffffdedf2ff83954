"""A sampled series over time: one run as a line, and how all runs are spread around it.

The paper shows one run; so does the line. The band holds 90 % of the runs at each time, so that a
reader sees what of the line is that run's own luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.figures.curves import Labels, saved
from acklab.figures.marks import PAPER, StatedMark, draw_mark, mark_handles
from acklab.figures.style import INK, SERIES, WIDTH_IN, house_style


def draw_trace(
    rows: Sequence[Mapping[str, Any]], labels: Labels, marks: Sequence[StatedMark] = ()
) -> dict[str, bytes]:
    """Draw `one run` over `time_s`, with the band from `p5` to `p95`, as SVG and PNG."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    times = [row["time_s"] for row in rows]
    look = SERIES[1]
    with house_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH_IN, 2.6), layout="constrained")
        axes: Any = figure.add_subplot()
        low, high = ([row[name] for row in rows] for name in ("p5", "p95"))
        axes.fill_between(times, low, high, color=look.colour, alpha=0.18, linewidth=0.0)
        axes.plot(times, [row["one run"] for row in rows], color=INK, linewidth=0.7, zorder=3)
        for mark in marks:
            draw_mark(axes, float, mark, {}, {})
        axes.set_xlabel(labels.x)
        axes.set_ylabel(labels.y)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        handles: list[Any] = [
            Line2D([], [], color=INK, linewidth=0.7),
            Patch(facecolor=look.colour, alpha=0.18, linewidth=0.0),
        ]
        words = ["one run", "90 % of the runs"]
        if marks:
            handles.append(mark_handles(marks))
            words.append(PAPER)
        axes.legend(handles, words, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        return {ending: saved(figure, ending) for ending in ("svg", "png")}
