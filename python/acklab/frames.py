"""Frames as files and from files, and for those who prefer pandas."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    import polars

    # Into a file of Python's own polars writes column by column, and at each it waits for all that
    # works in Python meanwhile. Not every system has files in memory, and a limit for the size of
    # files holds for those too.
    with (
        suppress(AttributeError, OSError, polars.exceptions.ComputeError),
        os.fdopen(os.memfd_create("acklab"), "w+b", buffering=0) as file,
    ):
        write(file, **how)
        file.seek(0)
        return file.read()
    buffer = io.BytesIO()
    write(buffer, **how)
    return buffer.getvalue()


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

    # Of a path polars would take `*`, `?`, `[`, `~` and schemes for more than a name.
    if content is None:
        content = _content(path, accepted)
    # What is damaged inside may make polars panic, which is no PolarsError.
    faults = (polars.exceptions.PolarsError, polars.exceptions.PanicException)
    try:
        return polars.read_parquet(io.BytesIO(content))
    except faults as error:
        reason = f"is damaged: {(str(error).splitlines() or ['nobody knows how'])[0]}"
        raise InputError(reason, str(path), None, accepted) from error


def _content(path: Path, accepted: str) -> bytes:
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            # Reading from a pipe would wait for somebody who writes into it.
            raise InputError("is a device, a pipe or a socket", str(path), None, accepted)
        return path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise InputError(reason, str(path), None, accepted) from error
