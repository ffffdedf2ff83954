"""The paper reproduced: its table of variants with intervals, and the verdict of each claim."""

from __future__ import annotations

import time

import polars as pl

from acklab import papers
from acklab.papers.engine.reproduce import Reproduction
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict

KEY = "cho2005"
CLAIMS_OF_THE_PAPER = 122
LIMIT_MIN = {"quick": 4.0, "full": 10.0}
ITEMS = ("goodput", "timeouts", "losses", "reroute")
"""The items whose values make the table of variants."""


def _reproduced(context: Context, mode: str) -> list[Row]:
    started = time.monotonic()
    made = papers.reproduce(
        KEY, mode=mode, out=context.folder / f"{KEY}-{mode}", workers=context.workers, fresh=True
    )
    minutes = (time.monotonic() - started) / 60.0
    silent = [claim.id for claim in made.claims if not claim.reason]
    spoken = len(made.claims) - len(silent)
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    failed = sum(note.code == "failed" for note in made.warnings)
    return [
        Row(
            f"acklab reproduce {KEY} --{mode}: {len(made.items)} items, {made.runs} runs",
            f"{minutes:.1f} min on {context.workers} cores, {failed} failed runs",
            f"under {LIMIT_MIN[mode]:g} min",
            verdict(minutes <= LIMIT_MIN[mode] and failed == 0),
            detail=_variants(made),
        ),
        Row(
            f"claims of {KEY} with a verdict or a reason ({mode})",
            f"{spoken} of {len(made.claims)}: {counts}",
            f"all {CLAIMS_OF_THE_PAPER}; those that wait for a machine say for which",
            verdict(spoken == len(made.claims) == CLAIMS_OF_THE_PAPER),
            detail=[
                ["claim", "verdict", "why"],
                *([claim.id, claim.verdict, claim.reason] for claim in made.claims),
            ],
        ),
    ]


def _variants(made: Reproduction) -> list[list[str]]:
    """Goodput, timeouts, losses and update time of each variant, without and with pacing."""
    lines = [["variant", "ACK Pacing", *ITEMS]]
    first = made.tables[ITEMS[0]]
    for name, series in first.select("variant", "entry").unique(maintain_order=True).iter_rows():
        cells = [_cell(made.tables[item], name, series) for item in ITEMS]
        lines.append([str(name), str(series), *cells])
    return lines


def _cell(table: pl.DataFrame, name: str, series: str) -> str:
    row = table.filter(pl.col("variant") == name, pl.col("entry") == series).row(0, named=True)
    return f"{row['mean']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"


def quick(context: Context) -> list[Row]:
    """The quick setting."""
    return _reproduced(context, "quick")


def full(context: Context) -> list[Row]:
    """At least 30 handoffs and 20 seeds a point of the paper's own comparison."""
    return _reproduced(context, "full")


CLAIMS = Check("cho-claims", "The paper reproduced, quick", quick)
FULL = Check("cho-claims-full", "The paper reproduced, full", full, full_only=True)
