"""Panels: curves over a linear axis, and grouped bars; every point with its interval.

Entries keep their look (colour, marker, hatch) in the order in which they are listed, so that a
scheme looks the same in all figures of a paper that list it at the same place; one that stands
elsewhere in a figure names the place whose look it has. What a paper's text
states of an entry is drawn as stars and bands (`marks`), among bars over the entry's own bar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acklab.figures.curves import HEIGHT_PT, LABEL_PT
from acklab.figures.marks import PAPER, STAR, StatedMark, draw_mark, mark_handles
from acklab.figures.room import AXES_PT, stand_apart, wrapped
from acklab.figures.style import (
    INK,
    SERIES,
    WARNED,
    WARNED_WORDS,
    WIDTH_IN,
    Look,
    as_files,
    house_style,
    look_of,
)

HEIGHT_IN = 2.75
MOST_TICKS = 12
WIDE_NAMES = 38
"""So many letters below groups of bars fit side by side; more stand aslant."""
LOW_PT = 115.0
"""Room for the words at the upright axis above names that stand aslant."""
GROUP_WIDTH = 0.84
ASIDE = 0.005
"""Neighbouring curves stand apart by this share of the axis, so that their intervals show."""

HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class PanelWords:
    """What a panel says on its axes."""

    x: str
    y: str


def draw_panel(
    kind: str,
    rows: Sequence[Row],
    x: str,
    series: str,
    words: PanelWords,
    marks: Sequence[StatedMark] = (),
    looks: Mapping[str, int] | None = None,
) -> dict[str, bytes]:
    """Draw a panel; `rows` hold x, series, mean, low, high, warnings. Returns SVG, PDF and PNG.

    `looks` says which entries have another look than their place's.
    """
    names = list(dict.fromkeys(row[series] for row in rows))
    order = {name: (looks or {}).get(name, index) for index, name in enumerate(names)}
    told = _told(rows)
    with house_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), layout="constrained")
        axes: Any = figure.add_subplot()
        aslant = False
        if kind == "lines":
            places = sorted({row[x] for row in rows})
            aside = ASIDE * float(places[-1] - places[0])
            for index, name in enumerate(names):
                mine = [row for row in told if row[series] == name]
                if not mine:
                    continue
                if _is_stated(mine):
                    axes.plot([row[x] for row in mine], [row["mean"] for row in mine],
                              markerfacecolor="white", label=name, **STAR)  # fmt: skip
                    continue
                shift = aside * (index - (len(names) - 1) / 2)
                _line(axes, mine, (x, shift), look_of(order[name]), name)
            if len(places) <= MOST_TICKS and all(isinstance(place, int) for place in places):
                axes.set_xticks(places, tick_labels(places))
        else:
            aslant = _bars(axes, rows, (x, series), order, kind == "flows")
        _stated(axes, kind, rows, (x, series), order, marks)
        axes.set_xlabel(words.x)
        axes.set_ylabel("\n".join(wrapped(words.y, LOW_PT if aslant else HEIGHT_PT, LABEL_PT)))
        if all(float(row["mean"]).is_integer() for row in told):
            axes.yaxis.get_major_locator().set_params(integer=True)
        if all(row[end] is None or row[end] >= 0 for row in told for end in ("mean", "low")):
            axes.set_ylim(bottom=0)
        else:
            axes.axhline(0, color=INK, linewidth=0.6)
        _legend(axes, marks)
        return as_files(figure)


def _stated(
    axes: Any,
    kind: str,
    rows: Sequence[Row],
    keys: tuple[str, str],
    order: Mapping[str, int],
    marks: Sequence[StatedMark],
) -> None:
    """What the text states, above the bar or on the curve that it speaks of."""
    x, series = keys
    names = list(order)
    looks = {name: look_of(index) for name, index in order.items()}
    groups = list(dict.fromkeys(row[x] for row in rows))
    told = _told(rows)
    for mark in marks:
        curves = {
            name: {float(row[x]): float(row["mean"]) for row in told if row[series] == name}
            for name in (mark.series, mark.over)
            if name is not None
        }
        shift = 0.0 if mark.series is None else _shift(names.index(mark.series), len(names))

        def place(value: float, shift: float = shift) -> float:
            return value if kind == "lines" else groups.index(value) + shift

        draw_mark(axes, place, mark, curves, looks)


def _legend(axes: Any, marks: Sequence[StatedMark]) -> None:
    """Above the axes: the entries, then what the text states, then what a ring means."""
    entries = zip(*axes.get_legend_handles_labels(), strict=True)
    shown = sorted(entries, key=lambda entry: entry[1] == WARNED_WORDS)
    if not shown:
        return
    if marks:
        at = len(shown) - (shown[-1][1] == WARNED_WORDS)
        shown.insert(at, (mark_handles(marks), PAPER))
    handles, names = zip(*shown, strict=True)
    longest = max(map(len, names))
    # Three columns of such names would be wider than the axes, which would make room for them.
    wide = longest > 18 or len(names) == 4 or (longest > 16 and len(names) > 4)
    axes.legend(
        handles, names, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2 if wide else 3,
        columnspacing=1.0, handletextpad=0.5, borderaxespad=0.2, handlelength=2.2,
    )  # fmt: skip


def _shift(index: int, number: int) -> float:
    """How far a bar stands from the middle of its group."""
    return (index - (number - 1) / 2) * GROUP_WIDTH / number


def tick_labels(places: Sequence[int]) -> list[str]:
    """What stands at the ticks: nothing where it would touch what stands before it."""
    point = AXES_PT / ((places[-1] - places[0]) or 1)
    labels = [str(places[0])]
    last = places[0]
    for place in places[1:]:
        apart = stand_apart(str(last), str(place), (place - last) * point)
        labels.append(str(place) if apart else "")
        last = place if apart else last
    return labels


def _told(rows: Sequence[Row]) -> list[Row]:
    """The rows with a value: a point without one is not drawn, but its place is kept."""
    return [row for row in rows if row["mean"] is not None]


def _is_stated(rows: Sequence[Row]) -> bool:
    """Whether no run stands behind these points: the paper's own numbers, which are stars."""
    return all(row["runs"] == 0 for row in rows)


def _ends(rows: Sequence[Row]) -> list[list[float]]:
    below = [row["mean"] - (row["mean"] if row["low"] is None else row["low"]) for row in rows]
    above = [(row["mean"] if row["high"] is None else row["high"]) - row["mean"] for row in rows]
    return [below, above]


def _line(axes: Any, rows: Sequence[Row], at: tuple[str, float], look: Look, label: str) -> None:
    x, shift = at
    places = [float(row[x]) + shift for row in rows]
    means = [float(row["mean"]) for row in rows]
    axes.errorbar(
        places, means, yerr=_ends(rows), color=look.colour, linestyle=look.line, marker=look.marker,
        markeredgecolor="white", markeredgewidth=0.4, elinewidth=0.7, capsize=1.3, capthick=0.6,
        label=label, zorder=3,
    )  # fmt: skip
    warned = [(p, m) for p, m, row in zip(places, means, rows, strict=True) if row["warnings"]]
    _ring(axes, warned, 7.5)


def _ring(axes: Any, points: Sequence[tuple[float, float]], size: float) -> None:
    """A ring around points whose runs have warnings, once in the legend."""
    if points:
        known = WARNED_WORDS in axes.get_legend_handles_labels()[1]
        axes.plot(
            *zip(*points, strict=True), "o", ms=size, mfc="none", mec=WARNED, mew=0.7,
            label=None if known else WARNED_WORDS,
        )  # fmt: skip


def _bars(
    axes: Any, rows: Sequence[Row], keys: tuple[str, str], order: Mapping[str, int], summed: bool
) -> bool:
    """Draw the bars; true if the names below them stand aslant, which makes the axes lower."""
    x, series = keys
    groups = list(dict.fromkeys(row[x] for row in rows))
    # A run's warnings are told once, where its flows are summed.
    ringed = groups[-1:] if summed else groups
    width = GROUP_WIDTH / len(order)
    for index, (name, look) in enumerate(order.items()):
        mine = [row for row in _told(rows) if row[series] == name]
        if not mine:
            continue
        places = [groups.index(row[x]) + _shift(index, len(order)) for row in mine]
        if _is_stated(mine):
            axes.plot(places, [row["mean"] for row in mine], markerfacecolor="white", label=name,
                      **STAR)  # fmt: skip
            continue
        axes.bar(
            places, [row["mean"] for row in mine], width * 0.94, yerr=_ends(mine), label=name,
            color=_tint(look_of(look).colour), hatch=_hatch(look),
            edgecolor=INK, linewidth=0.5,
            error_kw={"elinewidth": 0.7, "capsize": 1.3, "capthick": 0.6, "ecolor": INK},
        )  # fmt: skip
        known = [row["warnings"] and row[x] in ringed for row in mine]
        top = [(p, row["mean"]) for p, row, w in zip(places, mine, known, strict=True) if w]
        _ring(axes, top, 4.0)
    names = [_name(group) for group in groups]
    axes.set_xticks(range(len(groups)), names)
    axes.tick_params(axis="x", length=0)
    aslant = sum(map(len, names)) > WIDE_NAMES
    if aslant:
        for label in axes.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")
    return aslant


def _hatch(look: int) -> str:
    """Behind the last colour they come again, each with the hatch of the next."""
    again, place = divmod(look, len(SERIES))
    return HATCHES[(place + again) % len(HATCHES)]


def _tint(colour: str) -> str:
    """Half way to white, so that hatches and intervals show."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{(p + 255) // 2:02x}" for p in parts)


def _name(group: Any) -> str:
    return f"{group:g}" if isinstance(group, int | float) else str(group)
