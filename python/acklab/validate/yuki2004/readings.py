"""The claims under each reading of what the paper leaves open: which one explains which number."""

from __future__ import annotations

from acklab import papers
from acklab.papers.engine.verdicts import DIRECTION, HOLDS, NOT_YET
from acklab.report.cells import MARK
from acklab.validate.model import Check, Context, Row, verdict

READINGS_OF = ("P1", "H", "P2")
CLAIMS = 68


def readings(context: Context) -> list[Row]:
    """Every claim with its verdict in each reading."""
    mode = "full" if context.full else "quick"
    found = papers.reproduce(
        "yuki2004", mode=mode, out=context.folder / f"yuki2004-{mode}", workers=context.workers
    )
    detail: list[tuple[str, ...]] = [("claim", "statement", *READINGS_OF)]
    holds = dict.fromkeys(READINGS_OF, 0)
    leans = dict.fromkeys(READINGS_OF, 0)
    numbers: dict[str, list[str]] = {label: [] for label in READINGS_OF}
    judged = every = none = 0
    for claim in found.claims:
        by = {part.label: part.verdict for part in claim.parts}
        if not by:
            continue
        if "" in by:
            # Over 802.11 there is nothing that the readings could differ in.
            by = dict.fromkeys(READINGS_OF, by[""])
        judged += 1
        detail.append((claim.id, claim.says, *(MARK[by[label]] for label in READINGS_OF)))
        good = [label for label in READINGS_OF if by[label] == HOLDS]
        for label in good:
            holds[label] += 1
            if claim.kind.startswith("number"):
                numbers[label].append(claim.id.removeprefix("yuki-"))
        for label in READINGS_OF:
            leans[label] += by[label] == DIRECTION
        every += len(good) == len(READINGS_OF)
        none += not good
    waiting = [c.id for c in found.claims if c.verdict == NOT_YET]
    told = "; ".join(f"{r}: {holds[r]} hold, {leans[r]} in direction" for r in READINGS_OF)
    explained = "; ".join(f"{r}: {', '.join(numbers[r]) or 'none'}" for r in READINGS_OF)
    return [
        Row(
            "each claim has a verdict in each reading, or a reason why none can be had",
            f"{len(found.claims)} claims, {judged} judged; not evaluated: "
            f"{', '.join(waiting) or 'none'}",
            f"{CLAIMS} claims, none not evaluated",
            verdict(len(found.claims) == CLAIMS and not waiting),
            "" if not waiting else "what these need is not built",
        ),
        Row(
            "which reading explains which statement",
            f"{told}; {every} hold in every reading, {none} in none",
            "no reading explains all of the paper",
            verdict(max(holds.values()) < judged),
            f"numbers that hold: {explained}",
            detail,
        ),
    ]


READINGS = Check("yuki-readings", "claims under each reading", readings)
