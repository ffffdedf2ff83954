"""The paper reproduced: how long it takes, and whether every statement has a verdict.

In full the variants of the folder (TCP tick, minimum RTO, window, link timer, retry limit) judge
again what can hang on them: which verdicts do is the sensitivity table. Each is compared with as
many runs of the reference settings.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from acklab import papers
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Paper
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.verdicts import NOT_YET, ClaimVerdict
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.vaidya1999 import guide

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
    rows = [*_judged(made, mode, minutes), *guide.rows(guide.places(made.results))]
    return [*rows, sensitivity(made)] if context.full else rows


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


OPEN_DETAILS = {
    r"time[sd]? out|timeout|\bRTO\b|\btick\b": ("tick10", "tick500", "rto1000"),
    r"window": ("window32", "window64"),
    r"timer": ("link50", "link500"),
    r"retransmissions\b": ("limit3", "limit1"),
}
"""What the paper leaves open: the words of a statement, of its rule or of its reason that name it,
and the variants that vary it."""

BY_HAND = 2
"""Experiments of so few runs have no chance in them: a script with a known outcome."""


def unvaried(paper: Paper, claims: Sequence[ClaimVerdict]) -> list[str]:
    """Claims whose words name an open detail that no variant varied when it judged them again."""
    under = {claim.id: {one.variant for one in claim.under} for claim in claims}
    return [
        f"{claim.id} ({', '.join(variants)})"
        for claim in paper.claims
        for words, variants in OPEN_DETAILS.items()
        if re.search(words, f"{claim.says} {claim.criterion} {claim.why}")
        and not under.get(claim.id, set()) & set(variants)
        and any(paper.experiments[need].runs.full > BY_HAND for need in claim.needs)
        and not all(c.get("test") == "arithmetic" for p in claim.parts for g in p.holds for c in g)
    ]


def sensitivity(made: Reproduction) -> Row:
    """Which verdicts change under the variants, and whether all that could were judged again."""
    # As the findings count them: what follows from other claims is judged again with these.
    titles = {key: found.variant.title for key, found in made.comparisons.items()}
    changes = [
        [claim.id, titles[one.variant], one.base or claim.verdict, one.verdict]
        for claim in made.claims
        for one in claim.under
        if one.variant in titles and one.verdict != (one.base or claim.verdict)
    ]
    touched = len({line[0] for line in changes})
    again = sum(bool(claim.under) for claim in made.claims)
    left = unvaried(made.paper, made.claims)
    not_run = sorted(set(made.paper.variants) - set(made.comparisons))
    return Row(
        "what hangs on open details: tick, minimum RTO, window, link timer, retry limit",
        f"{touched} of {again} claims that were judged again get another verdict under one of "
        f"{len(made.comparisons)} variants",
        "every variant run; each claim judged again under each detail that its words name",
        verdict(not left and not not_run),
        why=", ".join([*left, *not_run]),
        detail=[["claim", "variant", "reference settings", "variant's verdict"], *changes],
    )


CLAIMS = Check("vaidya-claims", "every statement of the paper", claims)
