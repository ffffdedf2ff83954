"""Looks over this machine: what acklab needs, what it could use, what is missing.

Nothing is changed and nothing is installed; each finding says what the thing is for and the line
that would get it.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["Finding", "examine"]

_ROOM_BYTES = 1_000_000_000


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is.
        state: ``"ok"``, ``"missing"`` (and needed) or ``"optional"`` (absent; some things need it).
        found: what was found, or why it does not do.
        purpose: what it is for.
        remedy: the line to run when it is missing.
    """

    name: str
    state: str
    found: str
    purpose: str
    remedy: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return asdict(self)


def examine(results: str | Path = "results") -> list[Finding]:
    """Return one finding per thing that acklab needs or can use, needed things first."""
    return [
        _python(),
        _core(),
        _cores(),
        _disk(Path(results)),
        _writeable(Path(results)),
        _fonts(),
        _program("cargo", ["--version"], "building from source", "https://rustup.rs"),
        _program("cc", ["--version"], "building from source", _apt("gcc libc6-dev")),
        _program("tshark", ["--version"], "reading captures in the tests", _apt("tshark")),
        _program("tcptrace", ["-v"], "reading raw-IP captures in the tests", _apt("tcptrace")),
        _program("ns", None, "ns-2 beside acklab: validation and benchmarks", _apt("ns2")),
    ]


def _apt(packages: str) -> str:
    return f"sudo apt-get install -y --no-install-recommends {packages}"


def _python() -> Finding:
    good = sys.version_info >= (3, 11)
    return Finding(
        "python",
        "ok" if good else "missing",
        f"{platform.python_version()} at {sys.executable}",
        "everything",
        "" if good else "Python 3.11 or newer",
    )


def _core() -> Finding:
    from acklab import _native

    build = "guided" if _native.guided() else "plain"
    return Finding("core", "ok", f"acklab {_native.version()}, {build} build", "simulating")


def _cores() -> Finding:
    from acklab.batch import available_cores

    return Finding("cores", "ok", str(available_cores()), "runs at a time")


def _disk(results: Path) -> Finding:
    existing = _existing(results)
    free = shutil.disk_usage(existing).free
    good = free >= _ROOM_BYTES
    return Finding(
        "disk",
        "ok" if good else "missing",
        f"{free / 1e9:.1f} GB free at {existing}",
        "results",
        "" if good else "make room: 1 GB or more",
    )


def _existing(results: Path) -> Path:
    """Return the nearest folder that is there: those below it can be made."""
    wanted = results.absolute()
    return next(path for path in (wanted, *wanted.parents) if path.exists())


def _writeable(results: Path) -> Finding:
    folder = _existing(results)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        found = f"{folder}: {error.strerror}"
        return Finding(
            "results", "missing", found, "results", "work in a folder of yours, or --out"
        )
    return Finding("results", "ok", f"{results} can be written", "results")


def _fonts() -> Finding:
    from matplotlib import font_manager

    try:
        path = font_manager.findfont("DejaVu Sans", fallback_to_default=False)
    except ValueError:
        return Finding(
            "fonts", "missing", "DejaVu Sans not found", "figures", _apt("fonts-dejavu-core")
        )
    return Finding("fonts", "ok", f"DejaVu Sans at {path}", "figures")


def _program(name: str, version: list[str] | None, purpose: str, remedy: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "optional", "not on the PATH", purpose, remedy)
    return Finding(name, "ok", _first_line(path, version), purpose)


def _first_line(path: str, arguments: list[str] | None) -> str:
    """Return what a program says of its version, or else where it is."""
    if arguments is None:
        return path
    try:
        answer = subprocess.run(
            [path, *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return path
    lines = (answer.stdout or answer.stderr).strip().splitlines()
    return lines[0].strip() if lines else path
