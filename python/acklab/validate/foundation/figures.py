"""Table 1 and Figure 2 of altman2003 against ns-2 and the paper, and the counts behind them."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from acklab import papers
from acklab.papers.engine.campaign import Campaign
from acklab.papers.engine.estimate import mean, two_sample
from acklab.papers.engine.model import Axis, Cell, Experiment, Item, Paper, Value
from acklab.papers.engine.provider import NativeProvider
from acklab.papers.engine.references import ReferenceRows, read_reference
from acklab.papers.engine.results import Results
from acklab.papers.engine.shown import reference_value
from acklab.validate.model import Check, Context, Row, verdict

MEASURE = "delivered_packets"
"""In packets: the references' rates are rounded, their packets are exact."""

RUNS = {"table1": (5, 20), "fig2": (20, 100)}
"""Runs a cell: quick, full."""


@dataclass(frozen=True)
class Pair:
    """One cell, ours against a reference."""

    cell: Cell
    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """Our mean over theirs."""
        return float(np.mean(self.ours) / np.mean(self.theirs))

    @property
    def half_width(self) -> float:
        """Half-width of our mean's interval as a share of theirs."""
        return mean(self.ours).half_width() / float(np.mean(self.theirs))

    @property
    def sigmas(self) -> float:
        """The difference in standard errors (0 where both are the same to the packet)."""
        difference, error = two_sample(self.ours, self.theirs)
        if difference == 0.0:
            return 0.0
        return abs(difference) / error if error > 0.0 else math.inf


def welch_p(a: list[float], b: list[float]) -> float:
    """Two-sided p-value of equal means, by Welch's t test."""
    from scipy.special import stdtr

    difference, error = two_sample(a, b)
    if error == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    parts = [float(np.var(s, ddof=1)) / len(s) for s in (a, b)]
    freedom = sum(parts) ** 2 / sum(p**2 / (len(s) - 1) for p, s in zip(parts, (a, b), strict=True))
    return float(2.0 * stdtr(freedom, -abs(difference) / error))


def reduced(paper: Paper, item: Item, reference: ReferenceRows) -> Paper:
    """The paper with the item's experiment cut down to the cells that the reference has."""
    experiment = paper.experiments[item.experiment]
    axes = tuple(
        _cut(axis, {cell[i] for cell in reference.cells}) for i, axis in enumerate(experiment.axes)
    )
    cut: Experiment = replace(experiment, axes=axes)
    return replace(paper, experiments={**paper.experiments, item.experiment: cut})


def _cut(axis: Axis, wanted: set[Value]) -> Axis:
    return replace(axis, values=tuple(v for v in axis.values if v in wanted), sets={})


@lru_cache(maxsize=4)
def measured(key: str, full: bool, workers: int, folder: Path) -> tuple[Results, Item, Paper]:
    """Our runs of the cells that the item's ns-2 reference has."""
    paper = papers.load("altman2003")
    item = paper.items[key]
    cut = reduced(paper, item, read_reference(paper, f"ns2-{key}"))
    campaign = Campaign(
        paper=cut,
        keys=[item.experiment],
        mode="full" if full else "quick",
        provider=NativeProvider(),
        folder=folder / "altman2003",
        workers=workers,
        runs=RUNS[key][1 if full else 0],
    )
    return campaign.execute(), item, paper


def pairs(context: Context, key: str, reference: str, measure: str = MEASURE) -> list[Pair]:
    """Every cell of an item beside a reference."""
    results, item, paper = measured(key, context.full, context.workers, context.folder)
    rows = read_reference(paper, reference)
    found = []
    for cell in sorted(rows.cells, key=lambda cell: (cell[1], cell[0])):
        ours = results.column(item.experiment, cell, measure)
        theirs = reference_value(results, rows, cell, measure)
        if theirs is not None:
            found.append(Pair(cell, [ours[run] for run in sorted(ours)], theirs))
    return found


def _line(pair: Pair, measure: str = "") -> list[str]:
    ours = mean(pair.ours)
    window, d = pair.cell
    head = [str(window), str(d), *([measure] if measure else [])]
    return [
        *head,
        f"{ours.value:.5g} ± {ours.half_width():.2g}",
        f"{np.mean(pair.theirs):.5g}",
        f"{pair.ratio:.3f} ± {pair.half_width:.3f}",
        f"{pair.sigmas:.1f}" if math.isfinite(pair.sigmas) else "–",
    ]


COUNTS_HEAD = ["W", "d", "measure", "ours", "ns-2", "ratio", "standard errors", "reason"]
HEAD = ["W", "d", "ours", "reference", "ratio", "off by standard errors"]


def table1(context: Context) -> list[Row]:
    """All eight cells of Table 1."""
    rows = []
    for reference, label, bar in (
        ("ns2-table1", "ns-2", 0.02),
        ("paper-table1", "the paper", 0.03),
    ):
        found = pairs(context, "table1", reference)
        worst = max(found, key=lambda p: abs(p.ratio - 1.0))
        off = worst.ratio - 1.0
        window, d = worst.cell
        lines = [_line(pair)[: 6 if label == "ns-2" else 5] for pair in found]
        rows.append(
            Row(
                f"Table 1 against {label}, 8 cells",
                f"largest difference {off:+.2%} ± {worst.half_width:.2%} (W = {window}, d = {d})",
                f"within ±{bar:.0%}",
                verdict(len(found) == 8 and abs(off) <= bar),
                detail=[HEAD[: 6 if label == "ns-2" else 5], *lines],
            )
        )
    return rows


def figure2(context: Context) -> list[Row]:
    """The 24 cells of Figure 2 that ns-2 has."""
    found = pairs(context, "fig2", "ns2-fig2")
    inside = sum(pair.sigmas <= 2.0 for pair in found)
    worst = max(found, key=lambda p: abs(p.ratio - 1.0))
    runs = min(len(pair.ours) for pair in found)
    window, d = worst.cell
    return [
        Row(
            f"Figure 2, n = 9: cells inside ns-2's mean ± 2 standard errors, {runs} runs each",
            f"{inside} of {len(found)}",
            "at least 20 of 24",
            verdict(len(found) == 24 and inside >= 20),
            detail=[HEAD, *map(_line, found)],
        ),
        Row(
            "Figure 2, n = 9: largest difference of a cell",
            f"{worst.ratio - 1.0:+.1%} ± {worst.half_width:.1%} (W = {window}, d = {d})",
            "none beyond ±15 %",
            verdict(abs(worst.ratio - 1.0) <= 0.15),
        ),
    ]


def counts(context: Context) -> list[Row]:
    """Counts side by side; a ratio that is off needs a reason, chance or an explanation."""
    return [_counts(context, key, f"ns2-{key}") for key in ("table1", "fig2")]


def _counts(context: Context, key: str, reference: str) -> Row:
    item = papers.load("altman2003").items[key]
    lines = []
    off = unexplained = 0
    for measure in item.counts:
        for pair in pairs(context, key, reference, measure):
            if not any(pair.theirs) and not any(pair.ours):
                continue
            # Where ns-2 has none at all there is no ratio; then chance alone decides.
            ratio_off = abs(pair.ratio - 1.0) > 0.10 if any(pair.theirs) else pair.sigmas > 2.0
            why = explanation(key, measure, pair) if ratio_off else ""
            off += ratio_off
            unexplained += ratio_off and not why
            lines.append([*_counted(pair, measure), why or ("none" if ratio_off else "")])
    return Row(
        f"{item.title.split(':')[0]}: counts per packet, timeouts, window beside ns-2",
        f"{off} of {len(lines)} ratios off by more than 10 %, {unexplained} without a reason",
        "each such ratio has a reason",
        verdict(unexplained == 0),
        detail=[
            COUNTS_HEAD,
            *lines,
        ],
    )


def _counted(pair: Pair, measure: str) -> list[str]:
    if any(pair.theirs):
        return _line(pair, measure)
    window, d = pair.cell
    ours = mean(pair.ours)
    return [
        str(window),
        str(d),
        measure,
        f"{ours.value:.3g} ± {ours.half_width():.2g}",
        "0",
        "–",
        "–",
    ]


@lru_cache(maxsize=1)
def explanations() -> tuple[dict[str, Any], ...]:
    """Reasons that were found for ratios that are off, as data."""
    path = Path(__file__).with_name("explanations.toml")
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")).get("explanation", ()))


def explanation(item: str, measure: str, pair: Pair) -> str:
    """Why a ratio is off: what was found out, or chance; empty if nobody knows."""
    window, d = pair.cell
    for entry in explanations():
        cells = entry["item"] == item and window in entry["windows"] and d in entry["d"]
        least, most = entry["ratios"]
        if cells and measure in entry["measures"] and least <= pair.ratio <= most:
            return str(entry["why"])
    p = welch_p(pair.ours, pair.theirs)
    return f"chance: p = {p:.2f} (Welch)" if p > 0.05 else ""


TABLE1 = Check("table1", "altman2003 Table 1 against ns-2 and the paper", table1)
FIGURE2 = Check("figure2", "altman2003 Figure 2, n = 9, against ns-2", figure2)
COUNTS = Check("counts", "counts of both side by side with ns-2", counts)
