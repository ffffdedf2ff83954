"""The paper reproduced: how long it takes, and whether every claim has a verdict or a reason."""

from __future__ import annotations

import time

from acklab import papers
from acklab.papers.engine.verdicts import NOT_YET
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.reasons import tested

KEY = "elrakabawy2005"
LIMIT_MIN = {"quick": 3.0, "full": 40.0}


def _reproduced(context: Context, mode: str) -> list[Row]:
    started = time.monotonic()
    made = papers.reproduce(
        KEY, mode=mode, out=context.folder / f"{KEY}-{mode}", workers=context.workers, fresh=True
    )
    minutes = (time.monotonic() - started) / 60.0
    waiting = [claim.id for claim in made.claims if claim.verdict == NOT_YET]
    judged = len(made.claims) - len(waiting)
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    failed = sum(note.code == "failed" for note in made.warnings)
    return [
        Row(
            f"acklab reproduce {KEY} --{mode}: {len(made.items)} items, {made.runs} runs",
            f"{minutes:.1f} min on {context.workers} cores, {failed} failed runs",
            f"under {LIMIT_MIN[mode]:g} min",
            verdict(minutes <= LIMIT_MIN[mode] and failed == 0),
        ),
        Row(
            f"claims of {KEY} with a verdict, or why there can be none ({mode})",
            f"{judged} of {len(made.claims)}: {counts}",
            "all 180",
            verdict(judged == len(made.claims) == 180),
            why=", ".join(waiting),
            detail=[
                ["claim", "verdict", "why"],
                *([claim.id, claim.verdict, claim.reason] for claim in made.claims),
            ],
        ),
        # The quick setting's verdicts are not those that the reasons were written for.
        *([tested(made)] if mode == "full" else []),
    ]


def quick(context: Context) -> list[Row]:
    """The quick setting."""
    return _reproduced(context, "quick")


def full(context: Context) -> list[Row]:
    """The paper's own statistics."""
    return _reproduced(context, "full")


CLAIMS = Check("reproduce-quick", "The paper reproduced, quick", quick)
FULL = Check("reproduce-full", "The paper reproduced, full", full, full_only=True)
