"""Frames as files and from files, and for those who prefer pandas."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import door
from acklab.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["TABLE_ENDINGS", "as_pandas", "read_table", "write_table"]

TABLE_ENDINGS = ("csv", "parquet")
"""The files that a table is kept as."""


def write_table(frame: polars.DataFrame, path: Path, ending: str, **how: Any) -> None:
    """Write a table as one of its files.

    Args:
        frame: the table.
        path: the file, which is written from its beginning.
        ending: which one of `TABLE_ENDINGS` it is to be, whatever its name.
        how: options for polars.

    Raises:
        OSError: the system refuses it.
    """
    # A file of the system: polars would ask for the interpreter's lock at each column that it
    # writes into one of Python's own, and wait for all that works in Python at the same time.
    with _named_by_the_system(), path.open("wb") as file:
        if ending == "csv":
            frame.write_csv(file, **how)
        else:
            frame.write_parquet(file, **how)


@contextmanager
def _named_by_the_system() -> Iterator[None]:
    """Let what the system refused to polars be Python's own OSError, with its number."""
    import polars

    try:
        yield
    except (OSError, polars.exceptions.ComputeError) as error:
        told = re.search(r"\(os error (\d+)\)", str(error))
        if told is None:
            raise
        number = int(told[1])
        raise OSError(number, os.strerror(number)) from error


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
