"""What a paper's text states, drawn into a figure: stars for values, bands for ranges.

A mark knows the paper's words and nothing of how ours came out; a gain or a fall is drawn from our
own curve, since the text states them as shares. Invariant: a mark is never drawn as if it were a
measured point: stars and hatched bands belong to the paper alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acklab.figures.style import INK, Look

PAPER = "the paper's text"
STAR: dict[str, Any] = {
    "marker": "*",
    "markersize": 8.5,
    "markeredgecolor": INK,
    "markeredgewidth": 0.5,
    "linestyle": "",
    "zorder": 6,
}


@dataclass(frozen=True)
class StatedMark:
    """A stated number: `point`, `level`, `best` x, `from` x on, `gain` over another, `fall`."""

    kind: str
    series: Any = None
    over: Any = None
    x: Sequence[Any] = ()
    y: float = 0.0
    low: float = 0.0
    high: float = 0.0


Curves = Mapping[str, Mapping[float, float]]
"""Our means by series (as text, since a frame's column has one type) and x."""


def draw_mark(
    axes: Any,
    place: Callable[[float], float],
    mark: StatedMark,
    curves: Curves,
    looks: Mapping[str, Look],
) -> None:
    """Draw one mark; `place` says where an x value stands."""
    own = str(mark.series)
    colour = looks[own].colour if own in looks else INK
    xs = [place(float(x)) for x in mark.x]
    if mark.kind == "level":
        axes.axhline(mark.y, color=INK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=2)
        axes.plot([1.0], [mark.y], transform=axes.get_yaxis_transform(), clip_on=False,
                  markerfacecolor=INK, **STAR)  # fmt: skip
    elif mark.kind == "point":
        axes.plot(xs, [mark.y] * len(xs), markerfacecolor=colour, **STAR)
    elif mark.kind == "best":
        # At the top of a line: on the axis itself it would look like a throughput of nothing.
        for x in xs:
            axes.axvline(x, color=colour, linewidth=0.7, linestyle=(0, (4, 2)), zorder=2)
        axes.plot(xs, [1.0] * len(xs), transform=axes.get_xaxis_transform(), clip_on=False,
                  markerfacecolor=colour, **STAR)  # fmt: skip
    elif mark.kind == "from":
        for x in xs:
            axes.axvline(x, color=INK, linewidth=0.7, linestyle=(0, (1, 2)), zorder=2)
        axes.plot(xs, [1.0] * len(xs), transform=axes.get_xaxis_transform(), clip_on=False,
                  markerfacecolor=INK, **STAR)  # fmt: skip
    elif mark.kind == "gain":
        base = [curves[str(mark.over)][float(x)] for x in mark.x]
        _band(axes, xs, [b * (1 + mark.low) for b in base], [b * (1 + mark.high) for b in base],
              colour)  # fmt: skip
    else:
        best = max(curves[own].values())
        _band(axes, xs, [best * (1 - mark.high)] * len(xs), [best * (1 - mark.low)] * len(xs),
              colour)  # fmt: skip


def _band(
    axes: Any, xs: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str
) -> None:
    if low == high:
        axes.plot(xs, low, color=colour, linewidth=0.8, linestyle=(0, (4, 2)), zorder=2)
        axes.plot(xs[-1:], low[-1:], markerfacecolor=colour, **STAR)
        return
    axes.fill_between(xs, low, high, facecolor=colour, alpha=0.16, linewidth=0.0, zorder=1)
    axes.fill_between(xs, low, high, facecolor="none", edgecolor=colour, alpha=0.45,
                      hatch="////", linewidth=0.0, zorder=1)  # fmt: skip


def mark_handles(marks: Sequence[StatedMark]) -> Any:
    """One legend entry for all marks: a band, a star, or a star on a band where both are drawn."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    bands = [mark.kind in ("gain", "fall") and mark.low != mark.high for mark in marks]
    band = Patch(facecolor="#dddddd", edgecolor="#888888", hatch="////", linewidth=0.0)
    star = Line2D([], [], markerfacecolor=INK, **STAR)
    if all(bands):
        return band
    return (band, star) if any(bands) else star
