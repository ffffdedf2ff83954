"""Writes results into folders, whole or not at all.

Everything is first written under a temporary name beside its place, forced to disk, and then
renamed, which a file system does in one step; a folder that stands there is moved aside before and
taken away after. A fault on the way (a full disk, a folder that cannot be written, Ctrl-C) removes
the temporary name and leaves what stood there before.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import _native, arguments
from acklab.errors import OutputError
from acklab.places import (
    MANIFEST,
    TEMPORARY,
    check_replaceable,
    is_no_plain_file,
    output_error,
)
from acklab.policy import described

if TYPE_CHECKING:
    import polars

    from acklab.result import Result

__all__ = [
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

    An earlier result of acklab at ``path`` is replaced then.

    Raises:
        OutputError: ``path`` holds something else, cannot be written, or the disk is full.
    """
    path = Path(path)
    temporary: Path | None = None
    try:
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary(path, Path.mkdir)
        yield temporary
        for written in temporary.rglob("*"):
            _flush(written)
        _put_in_place(temporary, path)
        temporary = None
    except OSError as error:
        raise output_error(error, path) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Yield the name of a temporary file that becomes ``path`` when the block ends without error.

    Raises:
        OutputError: ``path`` is no file, cannot be written, or the disk is full.
    """
    path = Path(path)
    temporary: Path | None = None
    try:
        if path.is_dir():
            raise OutputError("is a folder", str(path), None, "a file name")
        if is_no_plain_file(path):
            # Which a new file would take the place of.
            raise OutputError("is a pipe or a device", str(path), None, "a file name")
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
def code_version() -> str:
    """Return the version of the code, with the commit where it runs from a checkout."""
    version = _native.version()
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return version
    try:
        commit = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return version
    return f"{version}+{commit}"


def _write_frame(frame: polars.DataFrame, folder: Path, name: str) -> None:
    # Through memory, so that a full disk is Python's own OSError, with nothing of polars in it.
    for ending, write in (("parquet", frame.write_parquet), ("csv", frame.write_csv)):
        buffer = io.BytesIO()
        write(buffer)
        (folder / f"{name}.{ending}").write_bytes(buffer.getbuffer())


def _write_measures(result: Result, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", "mean", "low", "high", "n", "unit", "confidence"])
        for name, estimate in result.measures.items():
            writer.writerow([name, *estimate.as_dict().values()])


def _put_in_place(temporary: Path, path: Path) -> None:
    """Rename ``temporary`` to ``path``, moving an earlier result aside first."""
    if not path.exists():
        temporary.rename(path)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    earlier = aside / path.name
    try:
        path.rename(earlier)
        temporary.rename(path)
    finally:
        # Whatever happened, Ctrl-C between the two as well: one of them stands there.
        if earlier.exists() and not path.exists():
            earlier.rename(path)
        shutil.rmtree(aside, ignore_errors=True)


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
