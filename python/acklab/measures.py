"""Measures: what the core declares, and their means with intervals over the runs of a result."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

from acklab import _native, stats
from acklab.errors import InputError, MeasureError

__all__ = ["MeasureInfo", "Measures", "check_measure", "measure_info", "no_value_of"]


@dataclass(frozen=True)
class MeasureInfo:
    """What a measure is: its name, unit, scope (``flow``, ``node`` or ``network``) and meaning."""

    name: str
    unit: str
    scope: str
    what: str


@cache
def measure_info() -> Mapping[str, MeasureInfo]:
    """Return every measure that the core declares, by name."""
    return {
        entry["name"]: MeasureInfo(entry["name"], entry["unit"], entry["scope"], entry["what"])
        for entry in json.loads(_native.measures())
    }


def check_measure(name: object, place: str = "measure") -> None:
    """Find out before anything runs that there is no measure of this name.

    Raises:
        MeasureError: the core declares none; the message says which name is close.
    """
    known = measure_info()
    if not isinstance(name, str):
        raise InputError("is no name of a measure", place, repr(name), 'a name as "goodput_pps"')
    if name not in known:
        raise _no_such_measure(name, place, difflib.get_close_matches(name, known, 3))


def no_value_of(name: object, place: str, names: Collection[str]) -> MeasureError:
    """Return the error about a measure that is none of these names, which some runs have."""
    # A name that these runs have is the likeliest to be meant, before one that others have.
    near = difflib.get_close_matches(name, names, 3) if isinstance(name, str) else []
    if isinstance(name, str) and name in measure_info():
        accepted = f"{', '.join(near)}?" if near else None
        return MeasureError("none of these runs has a value of it", name, None, accepted)
    return _no_such_measure(name, place, near)


def _no_such_measure(name: object, place: str, near: Sequence[str]) -> MeasureError:
    accepted = f"{', '.join(near)}?" if near else "a measure of docs/measures.md"
    shown = name if isinstance(name, str) else repr(name)
    return MeasureError("no such measure", place, shown, accepted)


class Measures(Mapping[str, stats.Estimate]):
    """Measures by name, each a mean over the runs with its interval."""

    def __init__(self, rows: list[Mapping[str, float | None]], confidence: float) -> None:
        self._rows = rows
        self._confidence = confidence
        # A measure that some run could not tell has fewer values than there are runs.
        self._names = sorted(
            {name for row in rows for name, value in row.items() if _is_number(value)}
        )

    def __getitem__(self, name: str) -> stats.Estimate:
        info = measure_info().get(name)
        return stats.mean(self.values_of(name), info.unit if info else "", self._confidence)

    def values_of(self, name: str) -> list[float]:
        """Return the measure's value in each run, in the order of the runs.

        Raises:
            MeasureError: there is none of this name, or no run could tell its value.
        """
        if name not in self._names:
            raise no_value_of(name, "measures", self._names)
        return [float(value) for row in self._rows if _is_number(value := row.get(name))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        lines = [f"{name:28} {estimate}" for name, estimate in self.items()]
        return "\n".join(lines) or "no measures"


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
