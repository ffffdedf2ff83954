"""A sampled series over time: one run as a line, and how all runs are spread around it.

The paper shows one run; so does the line. The band holds 90 % of the runs at each time, so that a
reader sees what of the line is that run's own luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.figures.curves import Labels, draw_legend
from acklab.figures.marks import PAPER, StatedMark, draw_mark, mark_handles
from acklab.figures.room import legend_room
from acklab.figures.style import INK, WIDTH_IN, as_files, house_style, look_of


def draw_trace(
    rows: Sequence[Mapping[str, Any]],
    labels: Labels,
    marks: Sequence[StatedMark] = (),
    series: str = "",
) -> dict[str, bytes]:
    """Draw `one run` over `time_s`, with the band from `p5` to `p95`, as SVG, PDF and PNG.

    With `series`, a column's name, each of its values has a line and a band in one picture; it is
    called by the label of the series, with the value in the place of "{}".
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[series] if series else "", []).append(row)
    handles: list[Any] = []
    words: list[str] = []
    with house_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH_IN, 2.6), layout="constrained")
        axes: Any = figure.add_subplot()
        for place, (value, own) in enumerate(groups.items()):
            look = look_of(1 + place)
            colour = look.colour
            style: dict[str, Any] = {"color": INK, "linewidth": 0.9}
            if series:
                style.update(color=colour, linestyle=look.line)
            times = [row["time_s"] for row in own]
            low, high = ([row[name] for row in own] for name in ("p5", "p95"))
            axes.fill_between(times, low, high, color=colour, alpha=0.18, linewidth=0.0)
            axes.plot(times, [row["one run"] for row in own], zorder=3, **style)
            handles.append(Line2D([], [], **style))
            words.append(labels.series.format(value) if series else "one run")
        handles.append(Patch(facecolor=INK if series else colour, alpha=0.18, linewidth=0.0))
        words.append("90 % of the runs")
        for mark in marks:
            draw_mark(axes, float, mark, {}, {})
        axes.set_xlabel(labels.x)
        axes.set_ylabel(labels.y)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        if marks:
            handles.append(mark_handles(marks))
            words.append(PAPER)
        draw_legend(axes, handles, legend_room(words))
        return as_files(figure)
