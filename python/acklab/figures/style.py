"""The house style of figures: legible in print at single-column width, safe for colour-blind eyes.

Colours are Okabe and Ito's palette; every series also has its own marker and line style, so that a
black-and-white copy can be read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

WIDTH_IN = 3.5
"""Width of one column of a two-column paper, in inches."""

INK = "#222222"
FAINT = "#d9d9d9"

WARNED = "#B22222"
"""Colour of the ring around points whose runs have warnings."""

WARNED_WORDS = "runs with warnings"

NO_INTERVAL = "one run, no interval"


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    colour: str
    marker: str
    line: Any


SERIES = (
    Look("#000000", "o", "-"),
    Look("#0072B2", "s", (0, (5, 1.5))),
    Look("#D55E00", "^", (0, (1.2, 1.2))),
    Look("#009E73", "D", (0, (6, 1.5, 1.2, 1.5))),
    Look("#CC79A7", "v", (0, (3, 1.2))),
    Look("#E69F00", "P", "-"),
    Look("#56B4E9", "X", (0, (5, 1.5))),
)


def look_of(index: int) -> Look:
    """How the series of this number is drawn.

    Behind the last of the seven looks their colours come again, each time with other markers and
    lines: no two of the first 49 series are drawn alike.
    """
    count = len(SERIES)
    again, place = divmod(index, count)
    marker = SERIES[(place + again) % count].marker
    line = SERIES[(place + 2 * again) % count].line
    return Look(SERIES[place].colour, marker, line)


RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 7.5,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "axes.axisbelow": True,
    # Text stays text in SVG, and the same data give the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "acklab",
    # Whole letters in PDF too, as publishers ask for (no Type 3 fonts).
    "pdf.fonttype": 42,
    # A name with a dollar sign is a name.
    "text.parse_math": False,
    "figure.dpi": 100,
    "savefig.dpi": 300,
}


def series_name(label: str, value: Any) -> str:
    """What a series is called: `d = 3`, or `60 ms` where the label has a place for its value."""
    return label.format(value) if "{}" in label else f"{label} = {value}"


def as_files(figure: Any) -> dict[str, bytes]:
    """The figure as SVG, PDF (both with text as text) and PNG, by ending.

    The same data give the same bytes.
    """
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    files: dict[str, bytes] = {}
    for ending, metadata in undated.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, metadata=metadata)
        files[ending] = buffer.getvalue()
    return files


@contextmanager
def house_style() -> Iterator[Any]:
    """Give matplotlib with the house style, without a screen, and leave no trace of it."""
    import matplotlib as mpl

    settings: Any = RC
    with mpl.rc_context(settings):
        yield mpl
