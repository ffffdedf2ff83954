"""Papers as data: list them, run their experiments, judge their claims.

    >>> from acklab import papers
    >>> papers.list_papers()
    >>> made = papers.reproduce("altman2003", items=["table1"])
    >>> made.tables["table1"]

A paper is a folder beside this file: experiments, claims, figures, open choices and reference rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acklab import arguments
from acklab.papers.engine.campaign import Progress, ProgressCallback
from acklab.papers.engine.errors import PaperError, PaperInterrupted
from acklab.papers.engine.folder import damaged, paper_of, read_json
from acklab.papers.engine.load import load_paper, paper_keys
from acklab.papers.engine.model import Paper
from acklab.papers.engine.reproduce import Reproduction, reproduce_paper
from acklab.papers.engine.results import Results
from acklab.papers.engine.verdicts import ClaimVerdict, claim_from_json, evaluate_claims

__all__ = [
    "ClaimVerdict",
    "Paper",
    "PaperError",
    "PaperInterrupted",
    "PaperSummary",
    "Progress",
    "Reproduction",
    "claims",
    "list_papers",
    "load",
    "reproduce",
]


@dataclass(frozen=True)
class PaperSummary:
    """One line about a paper: its key, what it is, and the items that can be reproduced."""

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    items: dict[str, str]
    claims: int


def list_papers() -> list[PaperSummary]:
    """All papers that can be reproduced."""
    return [_summary(load_paper(key)) for key in paper_keys()]


def _summary(paper: Paper) -> PaperSummary:
    items = {item.key: item.title for item in paper.items.values()}
    items |= {v.key: f"the claims {v.title}" for v in paper.variants.values()}
    return PaperSummary(paper.key, paper.title, paper.authors, paper.year, items, len(paper.claims))


def load(key: str) -> Paper:
    """One paper's folder as data; an unknown key is an error that names the known ones."""
    return load_paper(key)


def reproduce(
    key: str,
    items: Sequence[str] | None = None,
    mode: str = "quick",
    out: Path | str | None = None,
    runs: int | None = None,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    fresh: bool = False,
) -> Reproduction:
    """Reproduce a paper's items (all by default) and judge the claims that they decide.

    Args:
        key: the paper, such as ``"altman2003"``.
        items: tables and figures, such as ``["table1", "fig2"]``.
        mode: ``"quick"`` for a few minutes, ``"full"`` for the paper's durations and as many
            runs as intervals within ±5 % need.
        out: the folder for all files; ``results/<paper>`` by default.
        runs: runs a point, instead of what the mode says.
        workers: how many runs at a time; all cores by default.
        progress: called with a `Progress` while runs end.
        fresh: run everything again instead of reusing finished runs.

    Raises:
        PaperError: an unknown paper or item.
        InputError: ``out`` is no path.
        OutputError: the folder holds something else, or another paper's reproduction.
        PaperInterrupted: Ctrl-C; finished runs are kept and reused next time.
    """
    folder = None if out is None else arguments.path(out, "the path of a folder", "out")
    return reproduce_paper(
        load_paper(key), items, mode, folder, runs, workers, progress, fresh
    )  # fmt: skip


def claims(key: str, out: Path | str | None = None) -> list[ClaimVerdict]:
    """All claims of a paper, with the verdicts of the last reproduction if its folder is there.

    Raises:
        PaperError: an unknown paper, or the folder of another one.
        InputError: the verdicts in the folder are damaged; the message names the file.
    """
    paper = load_paper(key)
    folder = Path("results") / key
    if out is not None:
        folder = arguments.path(out, "the path of a reproduction's folder", "out")
    path = folder / "claims.json"
    if path.is_file():
        if (other := paper_of(folder)) not in ("", key):
            raise PaperError(str(folder), other, f"a reproduction of {key}", "is of another paper")
        found = read_json(path, key)
        try:
            rows = {row["id"]: row for row in found}
            if all(claim.id in rows for claim in paper.claims):
                return [claim_from_json(rows[claim.id]) for claim in paper.claims]
        except (KeyError, TypeError, AttributeError) as error:
            raise damaged(path, key, f"{type(error).__name__}: {error}") from error
    return evaluate_claims(paper, Results({}, paper.derived, paper.sampled))
