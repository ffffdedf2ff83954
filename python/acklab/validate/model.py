"""What a check is and what it returns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PASS = "pass"
FAIL = "fail"
SKIPPED = "skipped"

FELL = "an answer"
"""The bar of a check that ended in an error."""


@dataclass(frozen=True)
class Row:
    """One promised figure: what it is, what was measured, what was asked and the verdict."""

    name: str
    figure: str
    bar: str
    verdict: str
    why: str = ""
    """For a skipped or failed row: the reason; else what a reader must know besides."""
    detail: Sequence[Sequence[str]] = field(default=())
    """A table behind the figure; its first row is the head."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return vars(self) | {"detail": [list(line) for line in self.detail]}


@dataclass
class Context:
    """What every check may use."""

    root: Path
    """The repository."""
    full: bool
    workers: int
    folder: Path
    """Where runs and files of the validation go."""
    say: Callable[[str], None]


@dataclass(frozen=True)
class Check:
    """A named check of a section."""

    key: str
    title: str
    run: Callable[[Context], list[Row]]
    full_only: bool = False
    """Takes minutes or the whole machine: no part of the quick form."""


@dataclass(frozen=True)
class Outcome:
    """A check's rows and what it took."""

    check: Check
    rows: list[Row]
    wall_s: float


def verdict(holds: bool) -> str:
    """Pass or fail."""
    return PASS if holds else FAIL


def run_check(check: Check, context: Context) -> Outcome:
    """Run one check; a fault in it is a failed row, so that the others still run."""
    started = time.monotonic()
    try:
        rows = check.run(context)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        rows = [Row(check.title, "none", FELL, FAIL, why)]
    return Outcome(check, rows, time.monotonic() - started)
