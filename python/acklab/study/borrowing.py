"""Takes finished runs over from another study's folder, in which nothing is changed by that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import polars

from acklab.errors import InputError
from acklab.store import code_identity
from acklab.study import archive
from acklab.study.index import FILE, Index, RunKey
from acklab.study.rows import KEY

__all__ = ["borrowed", "held"]


def held(folder: Path, keys: Iterable[RunKey], keep: frozenset[str]) -> list[RunKey]:
    """Return those of these runs that the folder holds with all that is kept."""
    try:
        _, there, _ = _whole(folder, keep)
    except (InputError, OSError):
        return []
    return [key for key in keys if key in there]


def _whole(
    folder: Path, keep: frozenset[str]
) -> tuple[list[str], Collection[RunKey], dict[str, str]]:
    """Return a folder's batches that hold all that is kept, the runs in them, and files' sums."""
    if not (folder / FILE).exists():
        return [], (), {}
    with closing(Index(folder, code_identity(), look=True)) as index:
        there = index.contents()
        lesser = archive.lacking(folder, there.batches, keep)
        whole = [name for name in there.batches if name not in lesser]
        return whole, there.finished(but=lesser), there.sums


def borrowed(
    folder: Path, keys: Sequence[RunKey], keep: frozenset[str]
) -> list[dict[str, polars.DataFrame]]:
    """Return the frames of those of these runs that the folder holds with all that is kept."""
    try:
        whole, there, sums = _whole(folder, keep)
        kinds = ("runs", *sorted(keep))
        frames = {kind: archive.read(folder, whole, kind, sums) for kind in kinds}
    except (InputError, OSError):
        return []
    lent = [key for key in keys if key in there]
    # Somebody may begin afresh there just now: of a run some kinds of rows may have been gone.
    if not lent or archive.lacking(folder, whole, keep):
        return []
    columns = zip(*lent, strict=True)
    types = (polars.String, polars.UInt64, polars.Int64)
    wanted = polars.DataFrame(
        {n: list(c) for n, c in zip(KEY, columns, strict=True)},
        schema=dict(zip(KEY, types, strict=True)),
    )
    return [
        {
            kind: archive.with_values(frame.join(wanted, on=KEY, how="semi", maintain_order="left"))
            for kind, frame in frames.items()
        }
    ]
