"""How much room words take, and how they are broken to fit: legends and the names under an axis.

Widths are those of the house style's font, in points (1/72 inch), known before anything is drawn.
Invariant: what fits in the ordinary place stays there, unbroken; what does not makes the figure
higher, never the axes narrower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from acklab.figures.style import WIDTH_IN

TEXT_PT = 7.0
"""Size of the words in legends and at ticks."""

LINE_PT = 8.5
"""Height of one line of them."""

WIDTH_PT = 72.0 * WIDTH_IN
AXES_PT = 200.0
"""What the axes have of a figure's width, about."""

COLUMNS = 3
_GAP_PT = 4.0
_ROWS = 4
_HANDLE_PT = (2.6 + 0.4 + 1.0) * TEXT_PT
_PADDING_PT = 8.0
_MOST_LINES = 4
# Upright names make the figure higher, not the axes narrower: they are cut where they would be
# longer than the axes are wide.
_LONGEST_PT = AXES_PT


@cache
def _advance(letter: str) -> float:
    """How far one letter moves the next, in parts of the font's size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans")
    ends = (TextPath((0.0, 0.0), text, size=100, prop=font) for text in (f"|{letter}|", "||"))
    between, nothing = (path.get_extents().width for path in ends)
    return float(between - nothing) / 100.0


def text_width(text: str, size: float = TEXT_PT) -> float:
    """The width of one line of text."""
    return size * sum(map(_advance, text))


def stand_apart(one: str, other: str, between: float) -> bool:
    """Can two labels be told apart whose middles are so many points from each other?

    Without a gap of about a letter "20" and "40" read "2040".
    """
    return between > (text_width(one) + text_width(other)) / 2 + _GAP_PT


def wrapped(text: str, width: float, size: float = TEXT_PT) -> list[str]:
    """The text in lines of this width; a longer word is broken."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= width:
            line = longer
            continue
        lines += [line] if line else []
        while text_width(word, size) > width and len(word) > 1:
            cut = max(1, int(len(word) * width / text_width(word, size)))
            while cut > 1 and text_width(word[:cut], size) > width:
                cut -= 1
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    return [*lines, line] if line else lines


def shortened(text: str, width: float) -> str:
    """The text, its middle left out if it is longer than this: ends are what tells names apart."""
    cut = len(text) // 2
    short = text
    while text_width(short) > width and cut > 1:
        cut -= 1
        short = f"{text[:cut]}…{text[-cut:]}"
    return short


@dataclass(frozen=True)
class LegendRoom:
    """How a legend stands: its words, in how many columns, and what it adds to the height."""

    words: tuple[str, ...]
    columns: int
    above: bool
    """Above the whole figure, since it is wider than the axes; else above the axes alone."""
    extra_in: float


def legend_room(words: Sequence[str]) -> LegendRoom:
    """Three columns where they fit, else fewer, else broken lines in one."""
    columns = COLUMNS
    while columns > 1 and _legend_width(words, columns) > WIDTH_PT - _PADDING_PT:
        columns -= 1
    lines = [wrapped(word, WIDTH_PT - _PADDING_PT - _HANDLE_PT) for word in words]
    if columns > 1:
        lines = [[word] for word in words]
    high = math.ceil(sum(map(len, lines)) / columns)
    extra = max(0, high - _ROWS) * (LINE_PT + 3.5) / 72.0
    texts = tuple("\n".join(line) for line in lines)
    return LegendRoom(texts, columns, columns < COLUMNS, extra)


def _legend_width(words: Sequence[str], columns: int) -> float:
    """As the legend sets them: down the first column, then the next; the first have one more."""
    rows, longer = divmod(len(words), columns)
    ends = [0]
    for column in range(columns):
        ends.append(ends[-1] + rows + (column < longer))
    parts = [words[start:end] for start, end in pairwise(ends) if end > start]
    widths = [max(map(text_width, part)) for part in parts]
    return sum(widths) + len(widths) * _HANDLE_PT - TEXT_PT


@dataclass(frozen=True)
class TickRoom:
    """How names stand under an axis, and what they add to the height."""

    words: tuple[str, ...]
    upright: bool
    extra_in: float


def tick_room(names: Sequence[str]) -> TickRoom:
    """Side by side, else in several lines, else upright and shortened."""
    slot = AXES_PT / max(1, len(names))
    if max(map(text_width, names)) <= slot - 3.0:
        return TickRoom(tuple(names), upright=False, extra_in=0.0)
    longest = max(text_width(word) for name in names for word in name.split(" "))
    lines = [wrapped(name, slot - 3.0) for name in names]
    high = max(map(len, lines))
    if longest <= slot - 3.0 and high <= _MOST_LINES:
        texts = tuple("\n".join(line) for line in lines)
        return TickRoom(texts, upright=False, extra_in=(high - 1) * LINE_PT / 72.0)
    # Upright a name takes a line's height of the width: of very many, only some are named.
    step = math.ceil(LINE_PT / slot)
    limit = _LONGEST_PT
    # What tells two names apart is not cut out.
    while len(set(short := [shortened(name, limit) for name in names])) < len(set(names)):
        limit *= 1.25
    texts = tuple(name if place % step == 0 else "" for place, name in enumerate(short))
    return TickRoom(texts, upright=True, extra_in=max(map(text_width, texts)) / 72.0)
