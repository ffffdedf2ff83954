"""A table of signs: which mechanism has which property, as found here, the paper's mark beside.

Its cells are claims of the item's place that say "mechanism, property: o" (yes) or "x" (no). What
is found is the paper's mark where the claim holds and the other one where it does not. Invariant:
no sign without a verdict; what is not built says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from acklab.papers.engine.model import Item, Paper
from acklab.papers.engine.results import Results
from acklab.papers.engine.tables import Table
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    UNDECIDABLE,
    UNDECIDED,
    ClaimVerdict,
    evaluate_claims,
)

KIND = "signs"
CELL = re.compile(r"(?P<row>.+), (?P<column>[^,:]+): (?P<sign>[ox])(?: \(|$)")
MARKS: Mapping[str, str] = {"o": "yes", "x": "no"}
OTHER = {"yes": "no", "no": "yes"}
WAITS = "not yet"
"""What is said of a mechanism that is not built begins so."""


def read_signs(t: Table, key: str, title: str) -> Item:
    """The item: its place, whose claims are its cells, and the experiments that they take."""
    experiments = t.texts("experiments")
    item = Item(
        key=key,
        title=title,
        kind=KIND,
        caption=t.take("caption", str),
        experiment=experiments[0],
        x="column",
        series="mechanism",
        beside=experiments[1:],
        place=t.take("place", str),
    )
    t.done()
    return item


def signs_frame(paper: Paper, item: Item, results: Results) -> pl.DataFrame:
    """One row a cell: mechanism, property, what is found, the paper's mark, claim and verdict."""
    there = [claim for claim in paper.claims if claim.place == item.place]
    cells = {claim.id: found for claim in there if (found := CELL.match(claim.says))}
    chosen = tuple(claim for claim in paper.claims if claim.id in cells)
    rows = [
        {
            "mechanism": cells[claim.id]["row"],
            "column": cells[claim.id]["column"],
            "measured": _found(claim, MARKS[cells[claim.id]["sign"]]),
            "paper": MARKS[cells[claim.id]["sign"]],
            "claim": claim.id,
            "verdict": claim.verdict,
        }
        for claim in evaluate_claims(replace(paper, claims=chosen), results)
    ]
    return pl.DataFrame(rows)


def _found(claim: ClaimVerdict, stated: str) -> str:
    waits = claim.reason.startswith(WAITS)
    found = {
        HOLDS: stated,
        DIRECTION: stated,
        FAILS: OTHER[stated],
        UNDECIDED: "cannot tell",
        UNDECIDABLE: WAITS if waits else "cannot tell",
    }
    return found.get(claim.verdict, "not run")
