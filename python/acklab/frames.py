"""Frames from files, and for those who prefer pandas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["as_pandas", "read_table"]


def as_pandas(frame: polars.DataFrame) -> Any:
    """Return the same rows as a pandas frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        accepted = "pip install 'acklab[pandas]'"
        raise InputError("is not installed", "pandas", None, accepted) from error
    return pandas.DataFrame(frame.to_dict(as_series=False))


def read_table(path: Path, accepted: str) -> polars.DataFrame:
    """Return the rows of a Parquet file; ``accepted`` says what to do about a damaged one.

    Raises:
        InputError: the file cannot be read, or is damaged inside.
    """
    import polars

    try:
        return polars.read_parquet(path)
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = f"is damaged: {str(error).splitlines()[0]}"
        raise InputError(reason, str(path), None, accepted) from error
