"""Manners: the first figure of a fresh clone, the smallest scenario, errors that help."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acklab import papers
from acklab.papers.engine import grid
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.foundation.tools import missing_source, python, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SMALLEST_LINES = 12
FIRST_S, SECOND_S = 240.0, 90.0

CHAIN = """duration = "150 s"
[topology]
kind = "chain"
nodes = 9
spacing = "200 m"
[[flow]]
kind = "ftp"
window = 8
"""
"""The 9-node chain with everything else left to its default."""


def smallest(_context: Context) -> list[Row]:
    """Twelve lines say the same as the paper's full scenario: the same digest."""
    from acklab import _native

    provider = NativeProvider()
    paper = papers.load("altman2003")
    experiment = paper.experiments["chain9"]
    full = provider.resolve(grid.tree(experiment, (8, 1), "quick"), "full")
    small = _native.resolve(CHAIN, "small", "toml")
    jobs = [Job(full, 1, 0), Job(small, 1, 0)]
    digests = {index: result["digest"] for index, result in provider.run(jobs, 2)}
    lines = len(CHAIN.strip().splitlines())
    same = digests[0] == digests[1]
    return [
        Row(
            "smallest faithful scenario of the 9-node chain",
            f"{lines} lines of TOML, {'same' if same else 'another'} digest as the full one",
            f"at most {SMALLEST_LINES} lines (34 in ns-2, 98 in ns-3)",
            verdict(lines <= SMALLEST_LINES and same),
        )
    ]


@dataclass(frozen=True)
class Mistake:
    """One bad input: how the scenario is changed, or what is asked, and what must be named."""

    name: str
    old: str = ""
    new: str = ""
    options: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


MISTAKES = (
    Mistake("unknown key", "spacing", "spacings", named=("spacings",)),
    Mistake("missing unit", '"200 m"', "200", named=("spacing", "200")),
    Mistake("negative distance", '"200 m"', '"-200 m"', named=("spacing", "-200 m")),
    Mistake("unreachable destination", '"200 m"', '"900 m"', named=("reach",)),
    Mistake("zero window", "window = 8", "window = 0", named=("window", "0")),
    Mistake(
        "two nodes on one spot",
        'kind = "chain"\nnodes = 9\nspacing = "200 m"',
        'kind = "positions"\npositions = [["0 m", "0 m"], ["0 m", "0 m"]]',
        named=("positions",),
    ),
    Mistake("0 runs", options=("--runs", "0"), named=("runs", "0")),
    Mistake("unwritable folder", options=("--out", "/proc/acklab/out"), named=("/proc",)),
)


def bad_input(_context: Context) -> list[Row]:
    """Each mistake: exit code 2, the place and value named, nothing left behind."""
    lines = [["mistake", "exit code", "message", "verdict"]]
    good = 0
    with tempfile.TemporaryDirectory() as name:
        for mistake in MISTAKES:
            good += _mistake(Path(name) / mistake.name.replace(" ", "-"), mistake, lines)
    why = ""
    with small_disk() as disk:
        if disk is None:
            why = "a full disk can be made by root only"
            lines.append(["full disk", "–", why, "skipped"])
        else:
            good += _mistake(disk, Mistake("full disk", named=("space",)), lines)
    total = len(lines) - 1
    done = good == total
    return [
        Row(
            "bad scenarios: a clear error, exit code 2 and no half-written result",
            f"{good} of {total} mistakes",
            "all",
            SKIPPED if why and good == total - 1 else verdict(done),
            why,
            lines,
        )
    ]


def _mistake(folder: Path, mistake: Mistake, lines: list[list[str]]) -> bool:
    folder.mkdir(exist_ok=True)
    text = CHAIN.replace('"150 s"', '"5 s"').replace(mistake.old, mistake.new)
    (folder / "bad.toml").write_text(text, encoding="utf-8")
    before = sorted(folder.rglob("*"))
    runs = () if "--runs" in mistake.options else ("--runs", "2")
    out = () if "--out" in mistake.options else ("--out", "result")
    done = run(python("-m", "acklab", "run", "bad.toml", *runs, *out, *mistake.options), folder)
    clean = sorted(folder.rglob("*")) == before
    named = all(name in done.stderr for name in mistake.named)
    good = done.returncode == 2 and clean and named and "Traceback" not in done.stderr
    message = " ".join(done.stderr.split())[:160]
    lines.append([mistake.name, str(done.returncode), message, "pass" if good else "fail"])
    return good


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A file system of 32 kB, where this user may mount one."""
    place = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "acklab", str(place)]
    mounted = (
        os.geteuid() == 0
        and shutil.which("mount") is not None
        and subprocess.run(mount, check=False, capture_output=True).returncode == 0
    )
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=False)
        place.rmdir()


def first_figure(context: Context) -> list[Row]:
    """`./do reproduce` in a fresh clone with empty caches, and once more."""
    name = "`./do reproduce` on a fresh clone: first figure, and the second time"
    bar = f"within {FIRST_S:.0f} s, build included; then within {SECOND_S:.0f} s"
    why = missing_source(context.root)
    if why:
        return [Row(name, "none", bar, SKIPPED, why)]
    with tempfile.TemporaryDirectory() as place:
        clone = Path(place) / "acklab"
        run(["git", "clone", "--quiet", str(context.root), str(clone)], Path(place))
        environment = _empty_caches(Path(place))
        first = _until_figure(clone, environment)
        second = _timed(clone, environment)
    good = first <= FIRST_S and second <= SECOND_S
    return [Row(name, f"{first:.0f} s, then {second:.0f} s", bar, verdict(good))]


def _empty_caches(place: Path) -> dict[str, str]:
    """New homes for the caches of cargo and uv; cargo's own settings are kept."""
    cargo = place / "cargo"
    cargo.mkdir()
    old = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    for name in ("config.toml", "config"):
        if (old / name).is_file():
            shutil.copy(old / name, cargo / name)
    drop = ("CARGO_TARGET_DIR", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PYTHONPATH")
    kept = {key: value for key, value in os.environ.items() if key not in drop}
    path = f"{old / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
    return kept | {"CARGO_HOME": str(cargo), "UV_CACHE_DIR": str(place / "uv"), "PATH": path}


def _until_figure(clone: Path, environment: dict[str, str]) -> float:
    """Seconds until the first figure lies in the results."""
    return _watch(clone, environment, lambda: any((clone / "results").rglob("*.png")))


def _timed(clone: Path, environment: dict[str, str]) -> float:
    return _watch(clone, environment, lambda: False)


def _watch(clone: Path, environment: dict[str, str], done: Callable[[], bool]) -> float:
    started = time.monotonic()
    reached: float | None = None
    with subprocess.Popen(
        ["./do", "reproduce"],
        cwd=clone,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            if reached is None and done():
                reached = time.monotonic() - started
            time.sleep(0.2)
    if process.returncode != 0:
        raise RuntimeError(f"./do reproduce ended with exit code {process.returncode}")
    return reached if reached is not None else time.monotonic() - started


SMALLEST = Check("smallest", "smallest faithful scenario", smallest)
BAD_INPUT = Check("bad-input", "bad scenarios end in a clear error", bad_input)
FIRST_FIGURE = Check("first-figure", "first figure of a fresh clone", first_figure)
