"""Frames as files and from files, and for those who prefer pandas."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import door
from acklab.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["as_files", "as_pandas", "read_table"]


def as_files(frame: polars.DataFrame, name: str) -> Iterator[tuple[str, memoryview]]:
    """Yield the files that a table is kept as, CSV and Parquet: name and content of each.

    Through memory, so that a full disk is Python's own OSError, with nothing of polars in it.
    """
    for ending, write in (("csv", frame.write_csv), ("parquet", frame.write_parquet)):
        buffer = io.BytesIO()
        write(buffer)
        yield f"{name}.{ending}", buffer.getbuffer()


def as_pandas(frame: polars.DataFrame) -> Any:
    """Return the same rows as a pandas frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise InputError("is not installed", "pandas", None, door.extra("pandas")) from error
    return pandas.DataFrame(frame.to_dict(as_series=False))


def read_table(path: Path, accepted: str, content: bytes | None = None) -> polars.DataFrame:
    """Return the rows of a Parquet file; ``accepted`` says what to do about a damaged one.

    Args:
        path: the file.
        accepted: goes into the error.
        content: what it holds, if that has been read already.

    Raises:
        InputError: the file cannot be read, or is damaged inside.
    """
    import polars

    # What is damaged inside may make polars panic, which is no PolarsError.
    faults = (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError)
    try:
        return polars.read_parquet(path if content is None else io.BytesIO(content))
    except faults as error:
        reason = f"is damaged: {(str(error).splitlines() or ['nobody knows how'])[0]}"
        raise InputError(reason, str(path), None, accepted) from error
