"""Verdicts in prose: what a summary says of claims and orderings is filled in from the verdicts.

| figure | what it is |
| --- | --- |
| `[[where orderings: cho-36, against reno]]` | at which points of that item's column it holds |
| `[[claims does not hold: Table 1]]` | the claims of that place with that verdict |
| `[[claims does not hold]]` | those of any other place than Table 1 |

Invariant: a verdict in prose is the one of the same folder's runs; `not run` stands where there
are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.findings import SAID
from acklab.papers.engine.model import Paper
from acklab.papers.engine.orderings import KIND
from acklab.papers.engine.told import NOT_RUN
from acklab.papers.engine.verdicts import VERDICTS, ClaimVerdict

JUDGED = re.compile(r"\[\[(where|claims) ([^:\]]+)(?:: ([^\]]+))?\]\]")
APART = "Table 1"


def fill_judged(
    text: str, tables: Mapping[str, pl.DataFrame], claims: Sequence[ClaimVerdict]
) -> str:
    """The text with its verdicts in it."""

    def figure(match: re.Match[str]) -> str:
        kind, name, detail = match.groups()
        if kind == "claims":
            return _with_verdict(claims, name, detail)
        return _where(tables[name], detail) if name in tables else NOT_RUN

    return JUDGED.sub(figure, text)


def check_judged(paper: Paper, place: str, text: str) -> None:
    """Raise `PaperError` if a verdict is asked of what the folder does not have."""
    for kind, name, detail in JUDGED.findall(text):
        items = [key for key, item in paper.items.items() if item.kind == KIND]
        known = VERDICTS if kind == "claims" else items
        if name not in known:
            raise PaperError(place, name, known, f"no such {kind}")
        if kind == "where" and not detail:
            raise PaperError(place, name, "a column behind a colon")


def _with_verdict(claims: Sequence[ClaimVerdict], verdict: str, place: str | None) -> str:
    found = [
        claim.id
        for claim in claims
        if claim.verdict == verdict and (claim.place == place if place else claim.place != APART)
    ]
    return ", ".join(found) or "none"


def _where(frame: pl.DataFrame, column: str) -> str:
    """How many points it holds at, and at which it does not or cannot be told."""
    rows = frame.filter(pl.col("statement") == column).to_dicts()
    if not rows:
        raise PaperError("where", column, frame["statement"].unique(), "no such column")
    good = sum(row["holds"] == SAID[True] for row in rows)
    told = f"{good} of {len(rows)} points"
    for answer, says in ((SAID[False], "not"), (SAID[None], "undecided")):
        found: dict[str, list[str]] = {}
        for row in rows:
            if row["holds"] == answer:
                found.setdefault(row["parameter"], []).append(row["value"])
        if found:
            points = [f"{name} {', '.join(v)}".strip() for name, v in found.items()]
            told += f"; {says}: {'; '.join(points)}"
    return told
