"""The paper reproduced: how long it takes, and whether every statement has a verdict.

In full the variants of the folder (TCP tick, minimum RTO, window, link timer, retry limit) judge
every claim again: which verdicts hang on what the paper leaves open is the sensitivity table.
"""

from __future__ import annotations

import time

from acklab import papers
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.verdicts import NOT_YET
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict

KEY = "vaidya1999"
CLAIMS_TOLD = 82
LIMIT_MIN = {"quick": 4.0, "full": 40.0}


def claims(context: Context) -> list[Row]:
    """Every experiment, every claim, and every claim again under each variant."""
    mode = "full" if context.full else "quick"
    started = time.monotonic()
    made = papers.reproduce(
        KEY,
        items=None if context.full else list(load_paper(KEY).items),
        mode=mode,
        out=context.folder / f"{KEY}-{mode}",
        workers=context.workers,
        fresh=True,
    )
    minutes = (time.monotonic() - started) / 60.0
    rows = _judged(made, mode, minutes)
    return [*rows, _sensitivity(made)] if context.full else rows


def _judged(made: Reproduction, mode: str, minutes: float) -> list[Row]:
    """How long it took, and the verdicts."""
    waiting = [claim.id for claim in made.claims if claim.verdict == NOT_YET]
    bare = [c.id for c in made.claims if not c.reason]
    judged = len(made.claims) - len({*waiting, *bare})
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    failed = sum(note.code == "failed" for note in made.warnings)
    return [
        Row(
            f"acklab reproduce {KEY} --{mode}: {len(made.shown)} items, {made.runs} runs",
            f"{minutes:.1f} min, {failed} failed runs",
            f"under {LIMIT_MIN[mode]:g} min on two cores",
            verdict(minutes <= LIMIT_MIN[mode] and failed == 0),
        ),
        Row(
            f"statements of {KEY} with a verdict ({mode})",
            f"{judged} of {len(made.claims)}: {counts}",
            f"all {CLAIMS_TOLD}",
            verdict(judged == len(made.claims) == CLAIMS_TOLD),
            why=", ".join([*waiting, *bare]),
            detail=[
                ["claim", "verdict", "numbers", "why"],
                *([c.id, c.verdict, c.reason, c.why] for c in made.claims),
            ],
        ),
    ]


def _sensitivity(made: Reproduction) -> Row:
    """Which verdicts change under the variants."""
    changes = [
        [change.claim, found.variant.title, change.base, change.variant]
        for found in made.comparisons.values()
        for change in found.changed
    ]
    touched = len({line[0] for line in changes})
    return Row(
        "what hangs on open details: tick, minimum RTO, window, link timer, retry limit",
        f"{touched} claims get another verdict under one of {len(made.comparisons)} variants",
        "every claim judged under each",
        verdict(set(made.comparisons) == set(made.paper.variants)),
        detail=[["claim", "variant", "reference settings", "variant's verdict"], *changes],
    )


CLAIMS = Check("vaidya-claims", "every statement of the paper", claims)
