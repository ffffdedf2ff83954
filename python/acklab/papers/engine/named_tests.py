"""Rust tests that a claim names: what is exact, such as a slot diagram, is no matter of statistics.

A claim's `tests` are "package path::of::test". A claim that names tests holds only if every one
of them exists and passes. They are run once for a reproduction, with cargo, in the checkout that
this package lies in; an installed package has no Rust sources, and then such a claim cannot be
decided. Not here: what follows from the outcome (`verdicts`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Paper

ROOT = Path(__file__).resolve().parents[4]
"""The repository, where this package lies in one."""

LINE = re.compile(r"^test (\S+) \.\.\. (\w+)", flags=re.M)
LONGEST_S = 900.0

Run = Callable[[str, Sequence[str], Path], "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Outcomes:
    """What cargo said of the tests that were asked for."""

    passed: Mapping[str, bool] = field(default_factory=dict)
    """By "package path::of::test"; a test that does not exist did not pass."""
    refused: str = ""
    """Why none could be run; empty if they were."""
    ran: bool = False


def run_tests(paper: Paper, root: Path = ROOT, run: Run | None = None) -> Outcomes:
    """Run all tests that the paper's claims name; without any, nothing is run."""
    wanted: dict[str, list[str]] = {}
    for claim in paper.claims:
        for name in claim.tests:
            package, _, path = name.partition(" ")
            wanted.setdefault(package, []).append(path)
    if not wanted:
        return Outcomes()
    if not (root / "Cargo.toml").is_file():
        return Outcomes(refused="its tests need a checkout of the repository")
    if run is None and shutil.which("cargo") is None:
        return Outcomes(refused="its tests need Rust (cargo is not on the PATH)")
    passed: dict[str, bool] = {}
    for package, paths in wanted.items():
        names = list(dict.fromkeys(paths))
        try:
            done = (run or _cargo)(package, names, root)
        except (OSError, subprocess.TimeoutExpired) as error:
            # The runs of the whole paper stand behind this: they are judged all the same.
            return Outcomes(refused=f"its tests could not be run: {error}")
        found = dict(LINE.findall(done.stdout))
        if done.returncode != 0 and not found:
            why = " / ".join(re.findall(r"^error.*", done.stderr, flags=re.M)[:2])
            return Outcomes(refused=f"its tests do not build: {why or done.stderr[-200:]}")
        passed |= {f"{package} {name}": found.get(name) == "ok" for name in names}
    return Outcomes(passed, ran=True)


def _cargo(package: str, names: Sequence[str], root: Path) -> subprocess.CompletedProcess[str]:
    command = ["cargo", "test", "--locked", "-p", package, "--lib", "--", "--exact", *names]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )


def check_names(place: str, names: Sequence[str]) -> None:
    """Raise `PaperError` if a name is not "package path::of::test"."""
    for name in names:
        if not re.fullmatch(r"[a-z-]+ (\w+::)+\w+", name):
            raise PaperError(f"{place}.tests", name, '"package path::of::test"')
