"""Writes results into folders, whole or not at all.

Everything is first written under a temporary name beside its place, forced to disk, and then
renamed, which a file system does in one step; with a folder that stands there it changes places, in
one step too where the system can. A fault on the way (a full disk, a folder that cannot be written,
Ctrl-C) removes the temporary name and leaves what stood there before; what a killed process has
left of a folder goes with the next one of that name.
"""

from __future__ import annotations

import csv
import glob
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import _native, arguments
from acklab.frames import as_files
from acklab.places import MANIFEST, TEMPORARY, check_replaceable, output_error, regular, target
from acklab.policy import described

if TYPE_CHECKING:
    import polars

    from acklab.result import Result

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks on this system: nothing is swept there
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "code_identity",
    "code_version",
    "default_folder",
    "identity",
    "manifest",
    "new_file",
    "new_folder",
    "save",
    "sweep",
]

_FORMAT = 1
_BATCHES = b"2"
"""The form of the batches in which studies keep their runs (`acklab.study.packing`): another number
whenever that changes, or code of before and of after would misread each other's files."""
# Of Linux' renameat2: relative to the folder where the process works; let the two change places.
_HERE, _EXCHANGE = -100, 2


def default_folder(name: str, identity: str, base: str | Path = "results") -> Path:
    """Return ``results/<name>-<short id>``: the same question always has the same folder.

    Args:
        name: what a person would call it; characters that a file name should not have are replaced.
        identity: everything that decides the result, as text; only its hash is used.
        base: the folder that holds all results.
    """
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.").lower()[:60] or "scenario"
    short = hashlib.sha256(identity.encode()).hexdigest()[:8]
    return Path(base) / f"{slug}-{short}"


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty temporary folder that becomes ``path`` when the block ends without error.

    An earlier result of acklab at ``path``, or where a link of this name leads, is replaced then.

    Raises:
        OutputError: ``path`` holds something else, is the current folder, cannot be written, or
            the disk is full.
    """
    path = target(path)
    try:
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            _sweep_beside(path)
            temporary = _held_folder(path, held)
            yield temporary
            for written in temporary.rglob("*"):
                _flush(written)
            _put_in_place(temporary, path, held)
    except OSError as error:
        raise output_error(error, path) from error


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Yield the name of a temporary file that becomes ``path`` when the block ends without error.

    A link of this name stays, and the file that it leads to is written.

    Raises:
        OutputError: ``path`` is a folder, a device or a pipe, cannot be written, or the disk is
            full.
    """
    path = regular(path)
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary(path, partial(Path.touch, exist_ok=False))
        yield temporary
        _flush(temporary)
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise output_error(error, path) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Take away what writers of `new_file` left in a folder that were killed; nobody writes now."""
    for path in folder.glob(".*"):
        if TEMPORARY.fullmatch(path.name):
            path.unlink(missing_ok=True)


def save(result: Result, folder: str | Path | None = None) -> Path:
    """Write a result into a folder; see `acklab.Result.save`."""
    if folder is None:
        folder = default_folder(result.scenario.title, identity(result))
    folder = arguments.path(folder, "the path of a folder", "folder")
    with new_folder(folder) as new:
        (new / "scenario.toml").write_text(result.scenario.to_toml(), encoding="utf-8")
        (new / "resolved.toml").write_text(result.resolved.to_toml(), encoding="utf-8")
        _write_frame(result.frame("run"), new, "runs")
        _write_frame(result.frame("flow"), new, "flows")
        _write_frame(result.frame("node"), new, "nodes")
        if result.has_samples:
            _write_frame(_of_all_runs(result, result.samples), new, "samples")
        if result.has_sessions:
            _write_frame(_of_all_runs(result, result.sessions), new, "sessions")
        _write_measures(result, new / "measures.csv")
        files = sorted(entry.name for entry in new.iterdir())
        text = json.dumps(manifest(result) | {"files": [*files, MANIFEST]}, indent=2)
        (new / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return folder


def _of_all_runs(result: Result, of_run: Callable[[int], polars.DataFrame]) -> polars.DataFrame:
    import polars

    frames = [
        of_run(record["run"]).insert_column(
            0, polars.lit(record["run"], dtype=polars.Int64).alias("run")
        )
        for record in result.records
    ]
    return polars.concat(frames)


def identity(result: Result) -> str:
    """Return as text what decides a result: scenario, seed, number of runs, code version."""
    return json.dumps([result.resolved.text, result.seed, result.requested, code_version()])


def manifest(result: Result) -> dict[str, Any]:
    """Return what a reader must know of a result besides its numbers, as plain data."""
    return {
        "format": _FORMAT,
        "kind": "run",
        "title": result.scenario.title,
        "scenario": result.scenario.name,
        "version": code_version(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "machine": machine(),
        "seed": result.seed,
        "runs": {
            "requested": result.requested,
            "finished": result.runs,
            "failed": {str(run): message for run, message in result.failures.items()},
            "interrupted": result.interrupted,
        },
        "workers": result.workers,
        "elapsed_s": result.elapsed_s,
        "simulated_s": result.simulated_s,
        "events": result.events,
        "warnings": [warning.as_dict() for warning in result.warnings],
        "measures": {name: estimate.as_dict() for name, estimate in result.measures.items()},
        "captures": dict(result.capture_files),
        "policies": described(result.resolved.policies),
    }


def machine() -> dict[str, object]:
    """Say where a result was made, as manifests hold it."""
    return {
        "system": platform.platform(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


@cache
def code_identity() -> str:
    """Return what identifies the code that decides a run and how it is kept: the core's hash.

    A version number would not do: two builds of a checkout that was edited in between share it. The
    form of batches goes into the hash, since another one may come with the same compiled core.
    """
    binary = Path(_native.__file__).read_bytes()
    return f"{_native.version()}-{hashlib.sha256(binary + _BATCHES).hexdigest()[:16]}"


@cache
def code_version() -> str:
    """Return the version of the code, with the commit where it runs from a checkout."""
    version = _native.version()
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return version
    try:
        commit = _git(root, "describe", "--always", "--exclude=*")
        # Pages that measurements are written into do not change what is measured.
        changed = _git(root, "status", "--porcelain", "-uno", "--", ".", ":!docs")
    except (OSError, subprocess.SubprocessError):
        return version
    return f"{version}+{commit}{'-dirty' if changed else ''}"


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    return done.stdout.strip()


def _write_frame(frame: polars.DataFrame, folder: Path, name: str) -> None:
    for file, content in as_files(frame, name):
        (folder / file).write_bytes(content)


def _write_measures(result: Result, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", "mean", "low", "high", "n", "unit", "confidence"])
        for name, estimate in result.measures.items():
            writer.writerow([name, *estimate.as_dict().values()])


def _put_in_place(temporary: Path, path: Path, held: ExitStack) -> None:
    """Let ``temporary`` become ``path``; an earlier result there is taken away by ``held``."""
    if not path.exists():
        temporary.rename(path)
        return
    if _exchanged(temporary, path):
        return
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    held.callback(_remove, aside)
    try:
        path.rename(aside)
        temporary.rename(path)
    finally:
        # Whatever happened, Ctrl-C between the two as well: one of them stands there.
        if aside.exists() and not path.exists():
            aside.rename(path)


def _exchanged(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; false where the system cannot."""
    import ctypes

    try:
        exchange = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):  # pragma: no cover - not on this system
        return False
    return bool(exchange(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _held_folder(path: Path, held: ExitStack) -> Path:
    """Make a folder beside ``path`` that is locked, and removed, until ``held`` is closed."""
    while True:
        folder = _temporary(path, Path.mkdir)
        held.callback(_remove, folder)
        try:
            if fcntl is not None:
                _lock(folder, held)
            if folder.exists():
                return folder
        except (BlockingIOError, FileNotFoundError):
            # Somebody took it for one that was left behind, before it was locked.
            continue
        except OSError:
            # No locks there: nobody will take it for anything.
            return folder


def _sweep_beside(path: Path) -> None:
    """Take away folders for ``path`` that nobody is at work on any more: they were killed."""
    for folder in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 8}"):
        with suppress(OSError), ExitStack() as held:
            if fcntl is not None and folder.is_dir():
                _lock(folder, held)
                _remove(folder)


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        # Such a one stood there, and was moved aside as it is.
        folder.unlink(missing_ok=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: Path, held: ExitStack) -> None:
    """Hold a folder until ``held`` is closed or this process ends, if nobody else does."""
    handle = os.open(folder, os.O_RDONLY)
    held.callback(os.close, handle)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _flush(path: Path) -> None:
    """Force a file to disk, so that the rename after it cannot outrun its content."""
    if path.is_dir():
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _temporary(path: Path, make: Callable[[Path], None]) -> Path:
    """Make something beside ``path`` that nobody else has, with the rights of any new file."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with suppress(FileExistsError):
            make(beside)
            return beside
