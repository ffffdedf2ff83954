"""Frames as files and from files, and for those who prefer pandas."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from acklab import door
from acklab.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["as_bytes", "as_files", "as_pandas", "read_table", "table_files"]


def as_files(frame: polars.DataFrame, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a table is kept as: name and content of each."""
    csv, parquet = table_files(name)
    yield csv, as_bytes(frame.write_csv)
    yield parquet, as_bytes(frame.write_parquet)


def table_files(name: str) -> tuple[str, str]:
    """Return the names of the files that a table is kept as, CSV and Parquet."""
    return f"{name}.csv", f"{name}.parquet"


def as_bytes(write: Callable[..., object], **how: Any) -> bytes:
    """Return what polars writes.

    Through memory, so that a full disk is Python's own OSError, with nothing of polars in it.

    Args:
        write: a frame's method that writes into a file.
        how: its other arguments.
    """
    with _in_memory() as file:
        write(file, **how)
        file.seek(0)
        return file.read()


def _in_memory() -> IO[bytes]:
    """Make a file that lies in memory, one of the system's where it has such files.

    Into one of Python's own polars writes column by column, and at each it waits for all that works
    in Python meanwhile.
    """
    try:
        return os.fdopen(os.memfd_create("acklab"), "w+b", buffering=0)
    except (AttributeError, OSError):
        return io.BytesIO()


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
        # By its content: of a path polars would take `*`, `?`, `[`, `~` and schemes for more than
        # a name.
        return polars.read_parquet(io.BytesIO(path.read_bytes() if content is None else content))
    except faults as error:
        reason = f"is damaged: {(str(error).splitlines() or ['nobody knows how'])[0]}"
        raise InputError(reason, str(path), None, accepted) from error
