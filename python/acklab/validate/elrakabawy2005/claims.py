"""The paper reproduced: how long it takes, and whether every claim has a verdict or a reason."""

from __future__ import annotations

import time
from collections.abc import Sequence

from acklab import papers
from acklab.papers.engine.model import Claim, Paper
from acklab.papers.engine.verdicts import FAILS, NOT_YET, ClaimVerdict
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict

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
        *([tested(made.paper, made.claims)] if mode == "full" else []),
    ]


def tested(paper: Paper, claims: Sequence[ClaimVerdict]) -> Row:
    """Each claim that does not hold says why, and what was run to test that."""
    failed = [c for c in claims if c.verdict == FAILS]
    known = {claim.id: claim for claim in paper.claims}
    judged = {c.id for c in claims if c.verdict != NOT_YET}

    def ran(claim: Claim) -> bool:
        names = {*paper.experiments, *paper.variants} | judged
        return bool(claim.why and claim.tested_by) and set(claim.tested_by) <= names

    bare = [c.id for c in failed if not ran(known[c.id])]
    lines = [[c.id, c.says, known[c.id].why, ", ".join(known[c.id].tested_by)] for c in failed]
    return Row(
        "each claim that does not hold has a reason that was tested",
        f"{len(failed) - len(bare)} of {len(failed)}"
        + f"; without: {', '.join(bare)}" * bool(bare),
        "all",
        verdict(not bare),
        detail=[["claim", "statement", "why it does not hold", "tested by"], *lines],
    )


def quick(context: Context) -> list[Row]:
    """The quick setting."""
    return _reproduced(context, "quick")


def full(context: Context) -> list[Row]:
    """The paper's own statistics."""
    return _reproduced(context, "full")


CLAIMS = Check("reproduce-quick", "The paper reproduced, quick", quick)
FULL = Check("reproduce-full", "The paper reproduced, full", full, full_only=True)
