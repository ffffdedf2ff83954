"""A slot diagram: nodes over slots, what each sends as a coloured box, arrows to the next hops.

A box with two halves is one frame with two packets, each half on the side of its next hop; an FRN
ACK is a low grey box. A cross is a listener that heard two frames or more. Colours are Okabe and
Ito's, and every box says in letters what it is, so that a black-and-white copy can be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.figures.style import FAINT, INK, as_files, house_style

WIDTH_PER_SLOT_IN = 0.46
LEAST_WIDTH_IN = 3.5
HEIGHT_PER_NODE_IN = 0.42
FILL = {"data": "#56B4E9", "ack": "#E69F00", "frn_ack": "#BBBBBB"}
WORDS = {"data": "data", "ack": "TCP ACK", "frn_ack": "FRN ACK"}
LOST = "#B22222"
HALF = 0.3

Row = Mapping[str, Any]


def draw_slots(rows: Sequence[Row], first: int, count: int) -> dict[str, bytes]:
    """Draw rows of `slot`, `node`, `event`, `what`, `name`, `to` and a second part, as files."""
    nodes = 1 + max([row["node"] for row in rows] + [row["to"] or 0 for row in rows])
    size = (
        max(LEAST_WIDTH_IN, 0.7 + WIDTH_PER_SLOT_IN * count),
        0.75 + HEIGHT_PER_NODE_IN * nodes,
    )
    with house_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        axes: Any = figure.add_subplot()
        for row in rows:
            if row["event"] == "sent":
                _frame(axes, row)
            elif row["event"] == "collided":
                axes.plot([row["slot"]], [row["node"]], "x", color=LOST, ms=6, mew=1.4, zorder=4)
        axes.set_xticks(range(first, first + count))
        axes.set_yticks(range(nodes), [str(node) for node in range(nodes)])
        axes.set_xlim(first - 0.6, first + count - 0.4)
        axes.set_ylim(nodes - 0.4, -0.6)
        axes.set_xticks([slot - 0.5 for slot in range(first, first + count + 1)], minor=True)
        axes.grid(visible=False)
        axes.grid(visible=True, which="minor", axis="x", color=FAINT, linewidth=0.5)
        axes.tick_params(which="minor", length=0)
        axes.set_xlabel("Slot")
        axes.set_ylabel("Node")
        _legend(axes, rows)
        return as_files(figure)


def _frame(axes: Any, row: Row) -> None:
    slot, node = row["slot"], row["node"]
    if row["second_what"] is not None:
        parts = [(row[f"{p}to"], row[f"{p}what"], row[f"{p}name"]) for p in ("", "second_")]
        for side, top, (to, what, name) in zip(
            (-0.14, 0.14), (node - HALF, node), sorted(parts), strict=True
        ):
            _box(axes, slot, top, HALF, what, name)
            _arrow(axes, slot + side, node, to, what)
        return
    low = row["what"] == "frn_ack"
    half = HALF / 2 if low else HALF
    _box(axes, slot, node - half, 2 * half, row["what"], row["name"])
    _arrow(axes, slot, node, row["to"], row["what"])


def _box(axes: Any, slot: int, top: float, height: float, what: str, name: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle((slot - 0.4, top), 0.8, height, facecolor=FILL[what], edgecolor=INK, lw=0.6,
                  zorder=3)
    )  # fmt: skip
    axes.text(
        slot, top + height / 2, name, ha="center", va="center_baseline", fontsize=6.0, zorder=5
    )


def _arrow(axes: Any, x: float, node: int, to: int | None, what: str) -> None:
    """From the box's edge to the row of the next hop."""
    if to is None:
        return
    down = 1 if to > node else -1
    half = HALF / 2 if what == "frn_ack" else HALF
    axes.annotate(
        "", xy=(x, to - down * 0.12), xytext=(x, node + down * half),
        arrowprops={"arrowstyle": "-|>", "lw": 0.8, "color": INK, "shrinkA": 0, "shrinkB": 0,
                    "mutation_scale": 6.0}, zorder=2,
    )  # fmt: skip


def _legend(axes: Any, rows: Sequence[Row]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = {row[key] for row in rows for key in ("what", "second_what") if row["event"] == "sent"}
    handles: list[Any] = [
        Patch(facecolor=FILL[what], edgecolor=INK, lw=0.6, label=WORDS[what])
        for what in FILL
        if what in seen
    ]
    if any(row["event"] == "collided" for row in rows):
        handles.append(Line2D([], [], marker="x", color=LOST, ls="", ms=5, mew=1.4,
                              label="frames meet"))  # fmt: skip
    axes.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(handles),
        handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip
