"""Frames for those who prefer pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["as_pandas"]


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
