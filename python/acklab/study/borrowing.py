"""Takes finished runs over from another study's folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import polars

from acklab.errors import InputError
from acklab.study import archive
from acklab.study.cache import code_identity
from acklab.study.index import FILE, Index, RunKey

__all__ = ["borrowed"]


def borrowed(
    folder: Path, keys: Sequence[RunKey], keep: frozenset[str]
) -> list[dict[str, polars.DataFrame]]:
    """Return the frames of those of these runs that the folder holds with all that is kept."""
    if not (folder / FILE).exists():
        return []
    try:
        with closing(Index(folder, code_identity())) as index:
            batches = index.batches()
            lesser = archive.lacking(folder, batches, keep)
            there = index.finished(but=lesser)
        whole = [name for name in batches if name not in lesser]
        frames = {kind: archive.read(folder, whole, kind) for kind in ("runs", *sorted(keep))}
    except (InputError, OSError):
        return []
    held = [key for key in keys if key in there]
    if not held or any(not frame.columns for frame in frames.values()):
        return []
    columns = zip(*held, strict=True)
    types = (polars.String, polars.UInt64, polars.Int64)
    wanted = polars.DataFrame(
        {n: list(c) for n, c in zip(archive.KEY, columns, strict=True)},
        schema=dict(zip(archive.KEY, types, strict=True)),
    )
    return [
        {
            kind: frame.join(wanted, on=archive.KEY, how="semi", maintain_order="left")
            for kind, frame in frames.items()
        }
    ]
