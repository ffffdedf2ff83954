"""The paper reproduced: items in time, every claim judged, every failure with a tested reason."""

from __future__ import annotations

import time

from acklab import papers
from acklab.papers.engine.reproduce import Reproduction
from acklab.report.cells import tally
from acklab.validate.cho2005.shown import items, machines, orderings, sizes, table_1, variants
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.reasons import tested

KEY = "cho2005"
CLAIMS_OF_THE_PAPER = 122
LIMIT_MIN = {"quick": 4.0, "full": 10.0}
"""On two cores. The quick form leaves a minute to the other checks of the section."""
CORES = 2


def _reproduced(context: Context, mode: str) -> list[Row]:
    started = time.monotonic()
    made = papers.reproduce(
        KEY, mode=mode, out=context.folder / f"{KEY}-{mode}", workers=context.workers, fresh=True
    )
    minutes = (time.monotonic() - started) / 60.0
    full_only = [sizes(made.results)] if mode == "full" else []
    return [
        *full_only,
        timed(made, mode, minutes, context.workers),
        items(made),
        variants(made.results),
        machines(made.results),
        _judged(made, mode),
        tested(made),
        *orderings(made),
        table_1(made),
    ]


def timed(made: Reproduction, mode: str, minutes: float, workers: int) -> Row:
    """The time of it; more cores than two must be as much faster."""
    failed = sum(note.code == "failed" for note in made.warnings)
    limit = LIMIT_MIN[mode] * min(1.0, CORES / workers)
    return Row(
        f"acklab reproduce {KEY} --{mode}: {len(made.items)} items, {made.runs} runs",
        f"{minutes:.1f} min on {workers} cores, {failed} failed runs",
        f"under {limit:g} min ({LIMIT_MIN[mode]:g} min on {CORES} cores)",
        verdict(minutes <= limit and failed == 0),
    )


def _judged(made: Reproduction, mode: str) -> Row:
    silent = [claim.id for claim in made.claims if not claim.reason]
    spoken = len(made.claims) - len(silent)
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    return Row(
        f"claims of {KEY} with a verdict, or why there can be none ({mode})",
        f"{spoken} of {len(made.claims)}: {counts}",
        f"all {CLAIMS_OF_THE_PAPER}; those that wait for a machine say for which",
        verdict(spoken == len(made.claims) == CLAIMS_OF_THE_PAPER),
        why=", ".join(silent),
        detail=[
            ["claim", "verdict", "why"],
            *([claim.id, claim.verdict, claim.reason] for claim in made.claims),
        ],
    )


def quick(context: Context) -> list[Row]:
    """The quick setting."""
    return _reproduced(context, "quick")


def full(context: Context) -> list[Row]:
    """At least 30 handoffs and 20 seeds a point of the paper's own comparison."""
    return _reproduced(context, "full")


CLAIMS = Check("cho-claims", "The paper reproduced, quick", quick)
FULL = Check("cho-claims-full", "The paper reproduced, full", full, full_only=True)
