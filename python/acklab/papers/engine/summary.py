"""A paper's summary, as far as its runs were made.

A summary is written of the whole reproduction. Of one that ran some items only, each paragraph,
point of a list and table is told that rests on runs that are there; the others are left out, with
the headings that would stand over nothing, and a last line says so. What names no figure of its own
is a conclusion from all that the page names.

Invariant: with all runs the text is the whole text; with fewer no sentence of it speaks of runs
that were not made (`not run` stands alone in the cell of a table).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from acklab.papers.engine.judged import JUDGED, fill_judged
from acklab.papers.engine.results import Results
from acklab.papers.engine.told import NOT_RUN, experiments_of, fill
from acklab.papers.engine.verdicts import ClaimVerdict

NAMED = 6
"""Experiments that the last line names; of more it tells the number."""

_POINT = re.compile(r"[*-] |\d+\. ")


@dataclass(frozen=True)
class Runs:
    """What the text is filled in from."""

    results: Results
    tables: Mapping[str, pl.DataFrame]
    claims: Sequence[ClaimVerdict]

    def fill(self, text: str) -> str:
        """The text with its figures and verdicts in it."""
        return fill_judged(fill(text, self.results), self.tables, self.claims)

    def missing(self, text: str) -> list[str]:
        """The experiments and tables that it names and that are not there."""
        lacking = [name for name in experiments_of(text) if name not in self.results.experiments]
        lacking += [name for name in _tables_of(text) if name not in self.tables]
        return list(dict.fromkeys(lacking))


def summary(paper: str, text: str, runs: Runs) -> str:
    """The summary of a paper by its key, filled in as far as there are runs."""
    missing = runs.missing(text)
    if not missing:
        return runs.fill(text)
    kept: list[str] = []
    for block in _blocks(text):
        if block.startswith("#"):
            _drop_empty(kept, _level(block))
            kept.append(block)
        elif block.startswith("|"):
            kept += _table(block, runs)
        elif _names(block) and not runs.missing(block):
            kept.append(runs.fill(block))
    _drop_empty(kept, 1)
    few = ", ".join(missing) if len(missing) <= NAMED else f"{len(missing)} experiments and tables"
    kept.append(
        f"*Left out here is what rests on runs that were not made ({few}):"
        f" `acklab reproduce {paper} --full` makes them.*"
    )
    return "\n\n".join(kept) + "\n"


def _names(block: str) -> bool:
    """Has it figures of its own, and no verdicts on all claims?"""
    kinds = {kind for kind, _, _ in JUDGED.findall(block)}
    return "claims" not in kinds and bool(kinds or experiments_of(block))


def _tables_of(text: str) -> list[str]:
    return [name for kind, name, _ in JUDGED.findall(text) if kind == "where"]


def _table(block: str, runs: Runs) -> list[str]:
    """The table, if any of its figures is there; cells without theirs say so in two words."""
    named = [*experiments_of(block), *_tables_of(block)]
    if not set(named) - set(runs.missing(block)):
        return []
    return ["\n".join(_row(line, runs) for line in block.splitlines())]


def _row(line: str, runs: Runs) -> str:
    # A figure may hold a bar, and then it is no border of a cell.
    cells = re.split(r"\|(?![^{}]*\})", line)
    return "|".join(_cell(cell, runs) for cell in cells)


def _cell(cell: str, runs: Runs) -> str:
    missing = runs.missing(cell)
    named = [*experiments_of(cell), *_tables_of(cell)]
    if missing and not set(named) - set(missing):
        return f" {NOT_RUN} "
    return runs.fill(cell)


def _blocks(text: str) -> Iterator[str]:
    """Headings, paragraphs, points of lists and whole tables, one by one."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        begins = line.startswith("#") or _POINT.match(line) is not None
        turns = bool(block) and block[-1].startswith("|") != line.startswith("|")
        if block and (not line.strip() or begins or turns or block[-1].startswith("#")):
            yield "\n".join(block)
            block = []
        if line.strip():
            block.append(line)


def _level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def _drop_empty(kept: list[str], level: int) -> None:
    """Take away headings at the end that another one of this level or above would follow."""
    while kept and kept[-1].startswith("#") and _level(kept[-1]) >= level:
        kept.pop()
