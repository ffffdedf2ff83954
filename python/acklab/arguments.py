"""What callers hand over, checked before anything runs.

Numbers of numpy are numbers here; texts, booleans and fractions are no whole numbers. The one
invariant: what is returned is a plain value of Python that the core can take.
"""

from __future__ import annotations

import copy
import json
import math
import numbers
import tomllib
from pathlib import Path
from typing import Any, TypeGuard

from acklab.errors import InputError, ScenarioError

__all__ = [
    "MOST_RUNS",
    "MOST_WORKERS",
    "callback",
    "check_cap",
    "confidence",
    "copied",
    "is_number",
    "is_whole",
    "path",
    "plain",
    "run_count",
    "text",
    "unreadable",
    "whole",
    "workers",
]

MOST_RUNS = 1_000_000
"""Runs that may be asked for at once: the records of more do not fit into a memory."""

MOST_WORKERS = 100_000
"""Runs that may be at work at a time; no more than there are runs ever are."""

_LEAST_INTEGER = -(2**63)
_MOST_INTEGER = 2**64 - 1


def callback(value: object, place: str) -> None:
    """Refuse what is neither ``None`` nor can be called.

    Raises:
        InputError: it is something else.
    """
    if value is not None and not callable(value):
        raise InputError("cannot be called", place, repr(value), "a function of one argument")


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number, of Python or of numpy; a boolean is none."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return real and math.isfinite(value)  # type: ignore[arg-type]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number, of Python or of numpy; a boolean is none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def whole(value: object, place: str, least: int, most: int | None = None) -> int:
    """Return a whole number as one of Python.

    Raises:
        InputError: it is none, or it is below ``least`` or above ``most``.
    """
    upper = "" if most is None else f" to {most}"
    accepted = f"a whole number from {least}{upper}"
    if not is_whole(value):
        raise InputError("is no whole number", place, repr(value), accepted)
    found = int(value)
    if found < least or (most is not None and found > most):
        raise InputError("is no such number", place, str(found), accepted)
    return found


def run_count(value: object, place: str = "runs") -> int:
    """Return how many runs are asked for.

    Raises:
        InputError: it is no whole number, or nobody could hold so many.
    """
    if is_whole(value) and value < 1:
        raise InputError("at least one run is needed", place, str(value), "1 or more")
    found = whole(value, place, 1)
    if found > MOST_RUNS:
        raise InputError("are too many runs to hold", place, str(found), f"1 to {MOST_RUNS}")
    return found


def check_cap(cap: object, precision: object) -> None:
    """Find out that a cap on runs is given, but no precision that would ask for more runs.

    Raises:
        InputError: there is nothing that the cap could hold back.
    """
    if cap is not None and precision is None:
        accepted = "both precision and max_runs; or runs alone, which are then all"
        raise InputError("belongs to precision, which is not given", "max_runs", str(cap), accepted)


def workers(value: object) -> int | None:
    """Return how many runs shall be at work at a time; ``None`` for all cores.

    Raises:
        InputError: it is no whole number, below one, or more than `MOST_WORKERS`.
    """
    if value is None:
        return None
    if is_whole(value) and value < 1:
        raise InputError("at least one worker is needed", "workers", str(value), "1 or more")
    return whole(value, "workers", 1, MOST_WORKERS)


def confidence(value: object) -> float:
    """Return the coverage of intervals.

    Raises:
        InputError: it is no number between 0 and 1.
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not 0.0 < float(value) < 1.0:  # type: ignore[arg-type]
        accepted = "a number above 0 and below 1"
        raise InputError("a confidence is a probability", "confidence", repr(value), accepted)
    return float(value)  # type: ignore[arg-type]


def path(value: object, accepted: str, place: str = "path") -> Path:
    """Return the path of a file.

    Raises:
        InputError: it is no path.
    """
    try:
        found = Path(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError("is no path of a file", place, repr(value), accepted) from error
    if "\0" in str(found):
        raise InputError("is no path of a file", place, repr(value), accepted)
    return found


def text(value: object, place: str) -> str:
    """Return a text.

    Raises:
        ScenarioError: it is none.
    """
    if not isinstance(value, str):
        raise ScenarioError("is no text", place, repr(value), "a text")
    return value


def unreadable(error: Exception) -> str:
    """Return in words why Python could not read a text of TOML or JSON."""
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    of_text = isinstance(error, tomllib.TOMLDecodeError | json.JSONDecodeError)
    return str(error) if of_text else "has a number of too many digits"


def copied(value: Any, place: str) -> Any:
    """Return a deep copy.

    Raises:
        InputError: something in it cannot be copied, such as a lock or an open file, or its own
            `__deepcopy__` makes something else.
    """
    try:
        made = copy.deepcopy(value)
    except Exception as error:
        reason = f"cannot be copied: {error}"
        accepted = "what copy.deepcopy can copy: every connection gets a policy of its own"
        raise InputError(reason, place, type(value).__name__, accepted) from error
    if type(made) is not type(value):
        reason = f"has a copy of another kind, {type(made).__name__}"
        accepted = "a __deepcopy__ that returns one of its own class"
        raise InputError(reason, place, type(value).__name__, accepted)
    return made


def plain(value: str | float, place: str) -> str | int | float:
    """Return a text or a number that has a form in JSON and TOML.

    Raises:
        ScenarioError: the number is not finite or too large, or the text is no Unicode.
    """
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            reason = f"holds half a character, at place {error.start}"
            raise ScenarioError(reason, place, ascii(value), "text in Unicode") from error
        return value
    if isinstance(value, int):
        if not _LEAST_INTEGER <= value <= _MOST_INTEGER:
            shown = str(value) if value.bit_length() < 200 else f"{value.bit_length()} bits"
            accepted = f"a whole number from {_LEAST_INTEGER} to {_MOST_INTEGER}"
            raise ScenarioError("a number out of range", place, shown, accepted)
        return value
    if not math.isfinite(value):
        raise ScenarioError("not a finite number", place, str(float(value)), "a finite number")
    return value
