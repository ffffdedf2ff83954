"""Finished runs as Parquet: one file per batch and kind of row, written whole or not at all.

A batch's `runs` hold one row per run; `flows`, `nodes` and `samples`, where they are kept, one row
per run and part. The one invariant: a file under `batches` without a leading dot is complete.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import polars

from acklab.errors import InputError, OutputError
from acklab.frames import as_bytes, read_table
from acklab.study.packing import packed, unpacked
from acklab.study.rows import HEAD, KEY, PARTS, Frames

__all__ = [
    "Batch",
    "kinds",
    "lacking",
    "read",
    "with_values",
    "write",
]

_KINDS = ("flows", "nodes", "samples")

_MENDED = "the file as it was written; if you remove it, its runs are done again"

_MARK = b"PAR1"
"""The first and the last bytes of a Parquet file."""


class Batch(NamedTuple):
    """A batch that was written.

    Attributes:
        name: under which the index will know it.
        sums: the sum of each of its files, by the file's name.
    """

    name: str
    sums: dict[str, str]


def write(folder: Path, frames: Frames) -> Batch:
    """Write a batch.

    Raises:
        OutputError: the folder cannot be written, or the disk is full; nothing is left behind.
    """
    place = folder / "batches"
    name = uuid.uuid4().hex
    paths = {kind: _path(place, name, kind) for kind in frames}
    try:
        place.mkdir(exist_ok=True)
        written = _side_by_side(_write_whole, paths.values(), frames.values())
        sums = {path.name: text for path, text in zip(paths.values(), written, strict=True)}
        _flush_folder(place)
    except OSError as error:
        for path in paths.values():
            path.unlink(missing_ok=True)
        reason = f"cannot be written: {error.strerror or error}"
        accepted = "a folder that is writeable and has room left"
        raise OutputError(reason, str(place), None, accepted) from error
    return Batch(name, sums)


def _side_by_side(
    write: Callable[[Path, polars.DataFrame], str],
    paths: Collection[Path],
    frames: Iterable[polars.DataFrame],
) -> list[str]:
    """Write each frame in a thread of its own; one after the other where no more can be started."""
    work = list(zip(paths, frames, strict=True))
    try:
        with ThreadPoolExecutor(len(work), "acklab-batch") as threads:
            return list(threads.map(lambda one: write(*one), work))
    except RuntimeError:
        return [write(*one) for one in work]


def _write_whole(path: Path, frame: polars.DataFrame) -> str:
    """Write a file of a batch so that under its name there is all of it or nothing; its sum."""
    part = path.with_name(f".{path.name}")
    # Written every second, read once: what makes it quick counts.
    content = as_bytes(packed(frame).write_parquet, compression="lz4", statistics=False)
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return _sum(content)


def _sum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def read(
    folder: Path,
    batches: Iterable[str],
    kind: str,
    sums: Mapping[str, str],
    at_hand: Mapping[str, Frames] | None = None,
) -> polars.DataFrame:
    """Return all rows of one kind in these batches, each run once; an empty frame if none.

    What stands in ``at_hand``, by the batch's name, is not read from its file.

    Raises:
        InputError: a file is damaged inside, or does not hold what was written (``sums``).
    """
    place = folder / "batches"
    frames = []
    for name in batches:
        if (known := (at_hand or {}).get(name, {}).get(kind)) is not None:
            frames.append(known)
        elif _is_whole(path := _path(place, name, kind)):
            frames.append(_checked(path, sums.get(path.name)))
    if not frames:
        return polars.DataFrame()
    frame = polars.concat(frames, how="diagonal")
    parts = [name for name in PARTS if name in frame.columns]
    # Nearly always all are: then the other columns, of which runs have many, are not touched.
    first = frame.select(polars.struct(*KEY, *parts).is_first_distinct()).to_series()
    return frame if first.all() else frame.filter(first)


def _checked(path: Path, wanted: str | None) -> polars.DataFrame:
    """Return what a file holds, if that is what was written; an older index does not say."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error}", str(path), None, _MENDED) from error
    if wanted is not None and _sum(content) != wanted:
        raise InputError("is damaged: not what was written", str(path), None, _MENDED)
    return unpacked(read_table(path, _MENDED, content))


def with_values(rows: polars.DataFrame) -> polars.DataFrame:
    """Return rows without the columns in which none of them has a value.

    Such columns come from other runs in the same files: each kind of scenario has its measures.
    """
    empty = [name for name in rows.columns if rows.get_column(name).null_count() == rows.height]
    return rows.drop({*empty} - {*HEAD, *PARTS})


def lacking(folder: Path, batches: Iterable[str], kept: Collection[str]) -> set[str]:
    """Return the batches that do not hold every kind of row that is to be kept, whole."""
    place = folder / "batches"
    wanted = ("runs", *kept)
    return {
        name for name in batches if not all(_is_whole(_path(place, name, kind)) for kind in wanted)
    }


def kinds(folder: Path, batches: Iterable[str]) -> set[str]:
    """Return what some of these batches hold besides runs."""
    place = folder / "batches"
    names = list(batches)
    return {kind for kind in _KINDS if any(_is_whole(_path(place, name, kind)) for name in names)}


def _is_whole(path: Path) -> bool:
    """Whether a file of a batch is there, from its first mark to its last.

    Nothing here leaves a part of a file, but a disk that broke or a copy that was cut off may.
    """
    try:
        with path.open("rb") as file:
            first = file.read(len(_MARK))
            file.seek(-len(_MARK), os.SEEK_END)
            return first == _MARK == file.read()
    except OSError:
        return False


def _path(place: Path, name: str, kind: str) -> Path:
    return place / (f"{name}.parquet" if kind == "runs" else f"{name}.{kind}.parquet")


def _flush_folder(place: Path) -> None:
    """Force renames to disk, where a folder can be opened at all."""
    if os.name != "posix":  # pragma: no cover
        return
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
