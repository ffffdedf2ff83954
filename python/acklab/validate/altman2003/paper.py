"""The paper as a whole: every item in time, every claim judged, every picture there.

The quick form makes the paper's items with two runs a point, without the variants: enough to see
that each claim is judged and each picture drawn, not to trust a verdict. `--full` makes everything,
as `acklab reproduce --full` does.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

from acklab import papers
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.verdicts import NOT_YET, VERDICTS
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.reasons import tested

KEY = "altman2003"
FULL_S = 20 * 60
QUICK_RUNS = 2
PLACES = ("Table 1", *(f"Fig. {number}" for number in range(2, 14)))


@lru_cache(maxsize=2)
def made(full: bool, workers: int, folder: Path) -> tuple[Reproduction, float]:
    """The whole paper, and how long it took."""
    started = time.monotonic()
    found = papers.reproduce(
        KEY,
        items=None if full else list(papers.load(KEY).items),
        mode="full" if full else "quick",
        out=folder / f"{KEY}-{'full' if full else 'quick'}",
        runs=None if full else QUICK_RUNS,
        workers=workers,
        fresh=full,
    )
    return found, time.monotonic() - started


def reproduce_full(context: Context) -> list[Row]:
    """All items with their intervals, in time."""
    found, wall_s = made(True, context.workers, context.folder)
    wide, at_cap, total = _points(found)
    return [
        Row(
            f"`acklab reproduce {KEY} --full` on {context.workers} cores",
            f"{len(found.items)} items, {found.runs} runs, {wall_s / 60:.1f} minutes",
            f"all items, under {FULL_S / 60:.0f} minutes",
            verdict(wall_s < FULL_S and set(found.items) == set(found.paper.names)),
        ),
        Row(
            "every point has an interval within ±5 % of its mean, or the run count was the limit",
            f"{total - at_cap - wide} of {total} points within ±5 %, {at_cap} at their limit, "
            f"{wide} neither",
            "none neither",
            verdict(wide == 0),
        ),
    ]


def _points(found: Reproduction) -> tuple[int, int, int]:
    """Points that are too wide, points at their cap, and all points."""
    wide = at_cap = total = 0
    for key, data in found.results.experiments.items():
        experiment = data.experiment
        for cell, rows in data.rows.items():
            total += 1
            point = found.results.point(key, cell, experiment.precision_measure)
            if point.half_width() > experiment.precision * abs(point.value):
                limit = len(rows) >= experiment.runs.cap
                at_cap += limit
                wide += not limit
    return wide, at_cap, total


def claims(context: Context) -> list[Row]:
    """Every claim has a verdict or a stated reason; what fails has a reason that was tested."""
    found, _ = made(context.full, context.workers, context.folder)
    counts = {v: sum(c.verdict == v for c in found.claims) for v in VERDICTS}
    told = ", ".join(f"{n} {v}" for v, n in counts.items() if n)
    reasons = all(c.reason for c in found.claims)
    rows = [
        Row(
            f"`acklab claims {KEY}`: each row has a verdict, or a reason why none can be had",
            f"{len(found.claims)} claims: {told}",
            "119 claims, none not evaluated",
            verdict(len(found.claims) == 119 and counts[NOT_YET] == 0 and reasons),
            "" if context.full else f"{QUICK_RUNS} runs a point; --full decides",
        )
    ]
    if context.full:
        rows.append(tested(found))
    return rows


def pictures(context: Context) -> list[Row]:
    """Each table and figure of the paper is an item; each figure has its pictures and marks."""
    found, _ = made(context.full, context.workers, context.folder)
    shown = {item.place: item for item in found.paper.items.values() if item.place}
    missing = [place for place in PLACES if place not in shown]
    drawn = [item for item in found.paper.items.values() if item.kind != "table"]
    page = found.files["report.html"].read_text(encoding="utf-8")
    empty = [
        item.key
        for item in drawn
        for ending in ("svg", "png")
        if not _drawn(found, f"{item.key}.{ending}") or f'id="{item.key}"' not in page
    ]
    marked = sum(bool(item.marks) for item in drawn)
    return [
        Row(
            "each figure of the paper has its picture: intervals, and what the text states marked",
            f"{len(drawn)} figures as SVG and PNG, {marked} with marks; "
            f"missing: {', '.join([*missing, *empty]) or 'none'}",
            f"{PLACES[0]} and {len(PLACES) - 1} figures, none missing",
            verdict(not missing and not empty),
        )
    ]


def _drawn(found: Reproduction, name: str) -> bool:
    path = found.files.get(name)
    return path is not None and path.is_file() and path.stat().st_size > 0


REPRODUCE_FULL = Check("altman-full", "the whole paper, full", reproduce_full, full_only=True)
CLAIMS = Check("altman-claims", "every claim has a verdict or a reason", claims)
PICTURES = Check("altman-pictures", "every picture is there", pictures)
