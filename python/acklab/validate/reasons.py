"""The row that asks of each claim that does not hold for a reason that was tested."""

from __future__ import annotations

from acklab.papers.engine.model import Claim
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.told import NOT_RUN
from acklab.papers.engine.verdicts import FAILS, NOT_YET
from acklab.report.cells import MARK
from acklab.validate.model import Row, verdict


def tested(found: Reproduction) -> Row:
    """Each claim that does not hold says why; what tested that has been run, its numbers too."""
    failed = [c for c in found.claims if c.verdict == FAILS]
    known = {claim.id: claim for claim in found.paper.claims}
    bare = [c.id for c in failed if not _tests_ran(found, known[c.id]) or NOT_RUN in c.why]
    head = ("claim", "statement", "why it does not hold", "tested by")
    lines = [
        [f"{MARK[FAILS]} {c.id}", c.says, c.why, ", ".join(known[c.id].tested_by)] for c in failed
    ]
    return Row(
        "each claim that does not hold has a reason whose tests ran, with their numbers",
        f"{len(failed) - len(bare)} of {len(failed)}"
        + f"; without: {', '.join(bare)}" * bool(bare),
        "all",
        verdict(not bare),
        "",
        [head, *lines],
    )


def _tests_ran(found: Reproduction, claim: Claim) -> bool:
    """Has all that is said to have tested a reason been run, and is there anything at all?"""
    judged = {c.id for c in found.claims if c.verdict != NOT_YET}
    return bool(claim.tested_by) and all(
        name in found.results.experiments or name in found.comparisons or name in judged
        for name in claim.tested_by
    )
