"""Numbers as words: intervals, ratios and pivoted tables, shared by all reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from acklab.figures.style import series_name
from acklab.papers.engine.findings import Measured, number
from acklab.papers.engine.shown import Shown
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    NOT_YET,
    UNDECIDABLE,
    UNDECIDED,
    ClaimVerdict,
)

MARK = {
    HOLDS: "✓",
    DIRECTION: "≈",
    FAILS: "✗",
    UNDECIDED: "?",
    UNDECIDABLE: "–",
    NOT_YET: "·",
}


UNDEFINED = "–"
"""What stands where a point has no value."""

_NO_WIDTH = 1e-9


@dataclass(frozen=True)
class Grid:
    """A table of texts: a head, and rows that begin with `names` cells that name them."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int
    aside: frozenset[int]
    """Rows that stand beside ours: references and ratios."""


def with_interval(row: Mapping[str, Any]) -> str:
    """Mean and half-width such as 9.3 ± 1.1: two figures of the width, as many decimals of both."""
    if row["mean"] is None:
        return UNDEFINED
    mean = float(row["mean"])
    if row["high"] is None:
        return digits(mean, 0.0)
    half = float(row["high"]) - mean
    # What rounding in a sum leaves is no width.
    if half <= _NO_WIDTH * abs(mean):
        return f"{mean:.{decimals(mean, 4)}f} ± 0"
    # A packet more or less is the finest that a count can say.
    cut = 0 if abs(mean) >= 1000 else decimals(half, 2)
    return f"{mean:.{cut}f} ± {half:.{cut}f}"


def undefined(shown: Shown) -> list[str]:
    """A sentence about points without a value, where there are any."""
    if not any(row.get("mean", 0.0) is None for row in shown.frame.to_dicts()):
        return []
    why = "a gain over nothing delivered, or a figure of what did not happen in any run"
    return [f"{UNDEFINED} has no value: {why}."]


def decimals(value: float, figures: int) -> int:
    """How many decimals show so many figures of a number; none are needed of what is zero."""
    if value == 0.0:
        return 0
    # Through the rounded text: 0.0996 has two figures as 0.10.
    return max(0, figures - 1 - int(f"{value:.{figures - 1}e}".partition("e")[2]))


def digits(value: float, width: float) -> str:
    """A number with as many decimals as its interval makes sense of."""
    if abs(value) >= 1000 or width >= 10:
        return f"{value:.0f}"
    if width >= 1:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0.0 else f"{value:.3g}"


def measured_text(row: Measured) -> str:
    """A measured value with its interval."""
    if row.value is None:
        return "no value"
    text = number(row.value, row.percent)
    if row.low is None or row.high is None:
        return text
    if row.percent:
        return f"{100 * row.value:.3g} % [{100 * row.low:.3g}, {100 * row.high:.3g}]"
    return f"{text} [{number(row.low, False)}, {number(row.high, False)}]"


def pivot(shown: Shown, frame: pl.DataFrame) -> Grid:
    """A block of rows a series: ours, each reference, our ratio to it; a column an x value."""
    item = shown.item
    rows = frame.to_dicts()
    xs = list(dict.fromkeys(row[item.x] for row in rows))
    out: list[tuple[str, ...]] = []
    aside: set[int] = set()
    for series in dict.fromkeys(row[item.series] for row in rows):
        mine = {row[item.x]: row for row in rows if row[item.series] == series}
        name = series_name(item.series_label, series)
        out.append((name, "ours", *(_marked(mine[x]) for x in xs)))
        for reference in shown.references:
            column = f"{reference.key} mean"
            if column not in frame.columns or all(mine[x][column] is None for x in xs):
                continue
            aside |= {len(out), len(out) + 1}
            se, ratio = f"{reference.key} se", f"{reference.key} ratio"
            out.append(("", reference.label, *(_reference(mine[x], column, se) for x in xs)))
            out.append(("", f"ours / {reference.label}", *(_ratio(mine[x][ratio]) for x in xs)))
    head = ("", "", *(f"{_short(item.x_label)} = {x}" for x in xs))
    return Grid(head, tuple(out), 2, frozenset(aside))


def nearness(shown: Shown) -> list[str]:
    """For each reference, how far the item's experiment and those beside it are from it.

    A sentence a reference: mean |ours − theirs| over the cells that both have, nearest first.
    """
    frames = {shown.item.experiment: shown.frame} | shown.beside
    said = []
    for reference in shown.references if shown.beside else ():
        column = f"{reference.key} mean"
        found = []
        for key, frame in frames.items():
            if column in frame.columns:
                gaps = [
                    abs(row["mean"] - row[column])
                    for row in frame.to_dicts()
                    if None not in (row["mean"], row[column])
                ]
                if gaps:
                    found.append((sum(gaps) / len(gaps), len(gaps), shown.titles[key]))
        if not found:
            continue
        found.sort()
        told = "; ".join(
            f"{gap:.{decimals(gap, 3)}f} over {cells} cells: {title}" for gap, cells, title in found
        )
        about = f"Mean distance from {reference.label} ({_unit(shown.item.y_label)})"
        said.append(f"{about}, nearest first: {told}.")
    return said


def _unit(label: str) -> str:
    """What an axis is in: what stands in brackets at the end of its words, or else all of them."""
    return label[:-1].rpartition("(")[2] if label.endswith(")") else label


def by_x(shown: Shown, frame: pl.DataFrame) -> Grid:
    """A row an x value, a column a series; the reference's means, where it has any, below."""
    item = shown.item
    rows = {(row[item.x], row[item.series]): row for row in frame.to_dicts()}
    names = list(dict.fromkeys(s for _, s in rows))
    here = [r for r in shown.references if f"{r.key} mean" in frame.columns]
    out: list[tuple[str, ...]] = []
    aside: set[int] = set()
    for x in dict.fromkeys(x for x, _ in rows):
        out.append((str(x), *(_marked(rows[x, s]) if (x, s) in rows else "–" for s in names)))
        for reference in here:
            means = [rows[x, s][f"{reference.key} mean"] for s in names]
            if any(mean is not None for mean in means):
                cells = ("–" if mean is None else digits(mean, 0.1) for mean in means)
                aside.add(len(out))
                out.append((reference.label, *cells))
    head = (item.x, *(series_name(item.series_label, s).removeprefix(" = ") for s in names))
    return Grid(head, tuple(out), 1, frozenset(aside))


def happened(_shown: Shown, frame: pl.DataFrame) -> Grid:
    """A row a kind of happening in one run: how often, first and last time, packets or levels."""
    column, title = ("number", "packets") if "number" in frame.columns else ("level_dbm", "dBm")
    rows = []
    for what in dict.fromkeys(frame["what"]):
        own = frame.filter(pl.col("what") == what)
        times, values = own["time_ms"].to_list(), own[column].drop_nulls().to_list()
        span = [f"{min(found):g} to {max(found):g}" if found else "" for found in (times, values)]
        rows.append((what, str(len(times)), *span))
    return Grid(("one run", "times", "ms", title), tuple(rows), 1, frozenset())


def traced(shown: Shown, _frame: pl.DataFrame) -> Grid:
    """A row a figure of the series: its mean over the runs, and the middle 90 % of the runs."""
    rows = tuple(
        (
            shown.labels.get(row["measure"], row["measure"].replace("_", " "))
            + (f", {row['of']}" if row["of"] else ""),
            with_interval(row),
            digits(row["median"], 0.1),
            f"{digits(row['p5'], 0.1)} to {digits(row['p95'], 0.1)}",
            str(row["runs"]),
        )
        for row in shown.counts.to_dicts()
    )
    head = ("", "mean", "median", "90 % of the runs", "runs")
    return Grid(head, rows, 1, frozenset())


def signed(_shown: Shown, frame: pl.DataFrame) -> Grid:
    """A row a mechanism, a column a property: what was found, and the paper's mark."""
    columns = tuple(dict.fromkeys(frame["column"]))
    rows: dict[str, list[str]] = {}
    for row in frame.to_dicts():
        cell = f"{row['measured']} (paper: {row['paper']})"
        rows.setdefault(row["mechanism"], []).append(cell)
    return Grid(("", *columns), tuple((name, *own) for name, own in rows.items()), 1, frozenset())


def ordered(_shown: Shown | None, frame: pl.DataFrame) -> Grid:
    """A row a point of a sweep, a column a statement: whether it holds there, and its value."""
    columns = tuple(dict.fromkeys(frame["statement"]))
    cells = {
        (row["parameter"], row["value"], row["statement"]): f"{row['holds']}, {_by_how_much(row)}"
        for row in frame.to_dicts()
    }
    points = dict.fromkeys((parameter, value) for parameter, value, _ in cells)
    rows = [(*point, *(cells.get((*point, c), "–") for c in columns)) for point in points]
    met = [frame.filter(statement=c)["holds"].to_list() for c in columns]
    shares = (f"{m.count('yes')} of {len(m)}" for m in met)
    rows.append(("holds at", "", *shares))
    return Grid(("open parameter", "", *columns), tuple(rows), 2, frozenset({len(rows) - 1}))


def ordered_briefly(shown: Shown | None, frame: pl.DataFrame) -> Grid:
    """The same for narrow pages: yes, no or ? without values, the point in one column."""
    whole = ordered(shown, frame)
    head = [
        name.rpartition("-")[2].replace(", against", "").replace(",", "")[:6]
        for name in whole.head[2:]
    ]
    *points, shares = whole.rows
    rows = [(" ".join(row[:2]).strip(), *map(_briefly, row[2:])) for row in points]
    for place, name in enumerate((shares[0], "of")):
        rows.append((name, *(share.split(" of ")[place] for share in shares[2:])))
    return Grid((whole.head[0], *head), tuple(rows), 1, frozenset({len(rows) - 2, len(rows) - 1}))


def _briefly(cell: str) -> str:
    return cell.partition(",")[0].replace("cannot tell", "?")


def _by_how_much(row: Mapping[str, Any]) -> str:
    """A value with half of its interval, in percent where it is a share."""
    if row["mean"] is None or row["high"] is None:
        return "no value"
    times, unit = (100.0, " %") if row["percent"] else (1.0, "")
    mean, half = times * row["mean"], times * (row["high"] - row["mean"])
    places = 0 if half >= 1.0 else 2 if half < 0.1 or not unit else 1
    return f"{mean:.{places}f} ± {half:.{places}f}{unit}".replace("-", "−")


def slotted(_shown: Shown, frame: pl.DataFrame) -> Grid:
    """A row a slot in which something was sent: by whom, what, to whom."""
    rows: dict[int, list[str]] = {}
    for row in frame.filter(event="sent").to_dicts():
        parts = [f"{row['name']}→{row['to']}"]
        if row["second_name"] is not None:
            parts.append(f"{row['second_name']}→{row['second_to']}")
        rows.setdefault(row["slot"], []).append(f"{row['node']}: {' + '.join(parts)}")
    sent = tuple((str(slot), "; ".join(texts)) for slot, texts in rows.items())
    return Grid(("slot", "sent"), sent, 1, frozenset())


def places(text: str) -> set[str]:
    """The tables and figures that a claim's place names: "Fig. 5–7" is Fig. 5, Fig. 6, Fig. 7."""
    found: set[str] = set()
    for kind, numbers in re.findall(r"(Fig\.|Table) ([\d, –]+)", text):
        for part in filter(None, map(str.strip, numbers.split(","))):
            first, _, last = part.partition("–")
            for each in range(int(first), int(last or first) + 1):
                found.add(f"{kind} {each}")
    return found


def _marked(row: Mapping[str, Any]) -> str:
    return with_interval(row) + (" *" if row["warnings"] else "")


def _reference(row: Mapping[str, Any], mean: str, se: str) -> str:
    if row[mean] is None:
        return "–"
    spread = row[se]
    # Without a spread, as many digits as three or four figures need.
    return digits(row[mean], abs(row[mean]) / 100.0 if spread is None else spread)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _short(label: str) -> str:
    return label.split(", ")[-1] if ", " in label else label


def order(claims: list[ClaimVerdict]) -> dict[str, list[ClaimVerdict]]:
    """Claims by what is known of them: judged, judged in part, waiting."""
    return {
        "judged": [c for c in claims if c.verdict != NOT_YET],
        "partly": [c for c in claims if c.verdict == NOT_YET and c.partial],
        "waiting": [c for c in claims if c.verdict == NOT_YET and not c.partial],
    }


def tally(claims: list[ClaimVerdict]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {v: n for v in MARK if (n := sum(claim.verdict == v for claim in claims))}
