"""A timeline of one run: packet numbers over time, with what was lost and sent again marked.

Data is drawn with filled marks, ACKs with open or thin ones at the packet that they ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.figures.curves import Labels
from acklab.figures.handoff import time_axis
from acklab.figures.style import INK, SERIES, WIDTH_IN, as_files, house_style

HEIGHT_IN = 3.4
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "sent by the sender": {"marker": ".", "color": "#999999", "markersize": 4},
    "sent again by the sender": {"marker": "D", "color": SERIES[4].colour, "markersize": 5},
    "over the wireless link": {"marker": "|", "color": INK, "markersize": 6},
    "lost on the wireless link": {"marker": "X", "color": SERIES[2].colour, "markersize": 7},
    "sent again by the base station": {
        "marker": "^",
        "color": SERIES[3].colour,
        "markersize": 6,
    },
    "ACK of the receiver": {"marker": "_", "color": SERIES[1].colour, "markersize": 5},
    "ACK kept by the base station": {
        "marker": "s",
        "color": SERIES[5].colour,
        "markersize": 4,
        "markerfacecolor": "none",
    },
    "ACK at the sender": {"marker": "+", "color": SERIES[6].colour, "markersize": 5},
    "duplicate ACK at the sender": {
        "marker": "o",
        "color": SERIES[2].colour,
        "markersize": 4,
        "markerfacecolor": "none",
    },
}


def draw_timeline(
    rows: Sequence[Mapping[str, Any]], labels: Labels, ends: Sequence[float]
) -> dict[str, bytes]:
    """Draw `number` over `time_ms` from one of `ends` to the other, a look for each `what`."""
    with house_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), layout="constrained")
        axes: Any = figure.add_subplot()
        for place, (what, look) in enumerate(LOOKS.items()):
            own = [row for row in rows if row["what"] == what]
            if own:
                times, numbers = ([row[name] for row in own] for name in ("time_ms", "number"))
                axes.plot(times, numbers, linestyle="none", label=what, zorder=2 + place, **look)
        axes.set_xlabel(labels.x)
        axes.set_ylabel(labels.y)
        axes.margins(y=0.02)
        time_axis(axes, ends)
        figure.legend(loc="outside upper center", ncols=2, handletextpad=0.2, columnspacing=0.8)
        return as_files(figure)
