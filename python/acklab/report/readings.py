"""Which complete reading of a paper explains which of its numbers, as all reports say it.

A paper that leaves too much open for one simulation is judged under several readings, a part of a
claim for each. Here their verdicts stand side by side, with one sentence that says how far each
reading goes and whether any goes all the way: made from the verdicts, whatever they are. Claims
that no reading has a part in (another radio, a definition) have a column of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acklab.papers.engine.findings import Measured, number
from acklab.papers.engine.plain_rules import TOLD
from acklab.papers.engine.verdicts import DIRECTION, FAILS, HOLDS, ClaimVerdict, PartVerdict
from acklab.report.cells import MARK, Grid

APART = "whatever the reading"
"""The column of claims that no reading has a part in."""

MOST_VALUES = 6
BEST = "best, at "


@dataclass(frozen=True)
class Readings:
    """The claims of a paper under its readings."""

    labels: tuple[str, ...]
    claims: tuple[ClaimVerdict, ...]
    """Those that are judged, under each reading or apart from them."""

    def part(self, claim: ClaimVerdict, label: str) -> PartVerdict | None:
        """What one reading makes of a claim."""
        return next((part for part in claim.parts if part.label == label), None)

    def under(self, numbers: bool = False) -> list[ClaimVerdict]:
        """The claims that each reading has a part in; of these the numbers, if asked for."""
        return [
            claim
            for claim in self.claims
            if all(self.part(claim, label) for label in self.labels)
            and (not numbers or claim.kind.startswith("number"))
        ]

    def holds(self, claim: ClaimVerdict, label: str) -> bool:
        """Does it hold under that reading?"""
        part = self.part(claim, label)
        return part is not None and part.verdict == HOLDS

    def met(self, claims: Sequence[ClaimVerdict], label: str) -> list[str]:
        """The claims that hold under one reading."""
        return [claim.id for claim in claims if self.holds(claim, label)]


def readings_of(labels: Sequence[str], claims: Sequence[ClaimVerdict]) -> Readings:
    """The claims that are judged, if the paper has readings."""
    return Readings(tuple(labels), tuple(c for c in claims if c.parts) if labels else ())


def sentences(found: Readings) -> list[str]:
    """How far each reading goes, and whether one explains everything."""
    numbers, all_of = found.under(numbers=True), found.under()
    if not all_of:
        return []
    whole = [label for label in found.labels if len(found.met(all_of, label)) == len(all_of)]
    in_numbers = [label for label in found.labels if len(found.met(numbers, label)) == len(numbers)]
    if whole:
        head = f"All statements hold under {_and(whole)}."
    elif in_numbers:
        head = f"All numbers hold under {_and(in_numbers)}, but not all statements do."
    else:
        head = "No reading explains all of the paper's numbers."
    counts = "; ".join(
        f"{label}: {len(found.met(numbers, label))} of {len(numbers)} numbers and "
        f"{len(found.met(all_of, label))} of {len(all_of)} statements"
        for label in found.labels
    )
    every = [c.id for c in numbers if all(found.holds(c, label) for label in found.labels)]
    none = [c.id for c in numbers if not any(found.holds(c, label) for label in found.labels)]
    alone = [
        f"{', '.join(ids)} by {label} alone"
        for label in found.labels
        if (ids := [c.id for c in numbers if _only(found, c, label)])
    ]
    return [
        head,
        f"What holds as stated under each: {counts}.",
        f"Numbers that every reading explains: {', '.join(every) or 'none'}. "
        f"{'; '.join(alone) or 'None is explained by one reading alone'}. "
        f"Numbers that no reading explains: {', '.join(none) or 'none'}.",
        _divided(all_of),
    ]


def _divided(claims: Sequence[ClaimVerdict]) -> str:
    """Which statements hold in direction as a whole, as one reading has them, against another."""
    weaker = [claim for claim in claims if claim.verdict == DIRECTION]
    against = [c.id for c in weaker if FAILS in (part.verdict for part in c.parts)]
    return (
        "As a whole a statement holds if it does under every reading, and holds in direction if it "
        f"does at least that under one. Of the {len(weaker)} that hold in direction so, "
        f"{len(against)} do not hold under another reading: {', '.join(against) or 'none'}."
    )


def _only(found: Readings, claim: ClaimVerdict, label: str) -> bool:
    return [one for one in found.labels if found.holds(claim, one)] == [label]


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)


def numbers_grid(found: Readings) -> Grid:
    """A row a number of the text: verdict and value under each reading."""
    rows = tuple(
        (claim.id, claim.says, claim.criterion, *(_cell(found, claim, x) for x in found.labels))
        for claim in found.under(numbers=True)
    )
    return Grid(("claim", "what the text says", "holds if", *found.labels), rows, 3, frozenset())


def statements_grid(found: Readings) -> Grid:
    """A row a claim that is judged: its verdict under each reading, or apart from them."""
    under = found.under()
    rows = []
    for claim in found.claims:
        marks = [
            MARK[part.verdict] if (part := found.part(claim, label)) else ""
            for label in found.labels
        ]
        apart = "" if claim in under else MARK[claim.verdict]
        rows.append((claim.id, claim.says, *marks, apart))
    return Grid(("claim", "statement", *found.labels, APART), tuple(rows), 2, frozenset())


def _cell(found: Readings, claim: ClaimVerdict, label: str) -> str:
    part = found.part(claim, label)
    assert part is not None
    return f"{MARK[part.verdict]} {_values(part.measured)}".strip()


def _values(rows: Sequence[Measured]) -> str:
    """The values that decided, if the rule says which; where a best lies rather than how high."""
    rows = [row for row in rows if not row.label.startswith(TOLD)]
    deciding = [row for row in rows if row.met is not None] or rows
    told = [row.label.rpartition(BEST)[2] if BEST in row.label else _value(row) for row in deciding]
    told = list(dict.fromkeys(told))
    return ", ".join(told[:MOST_VALUES]) + (", …" if len(told) > MOST_VALUES else "")


def _value(row: Measured) -> str:
    return "no value" if row.value is None else number(row.value, row.percent)
