"""From the records of runs to frames: one row for each run, and for each part of it that is kept.

The one invariant: the columns of the head have the types that are declared, and every other column
is one of numbers, so that batches of other runs can be put together with these.

Numpy is loaded with this module, before there is a run to lose: where Ctrl-C comes while it loads,
it cannot be loaded once more, and what has finished could not be written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars

from acklab.batch import Record
from acklab.study.index import RunKey

__all__ = ["HEAD", "KEY", "PARTS", "Frames", "Rows", "columns"]

Frames = Mapping[str, polars.DataFrame]
"""The rows of a batch by their kind."""

KEY = ("scenario", "seed", "run")
"""The columns that identify a run in every file."""

HEAD: Mapping[str, polars.DataType] = {
    "scenario": polars.String(),
    "seed": polars.UInt64(),
    "run": polars.Int64(),
    "simulated_s": polars.Float64(),
    "wall_s": polars.Float64(),
    "events": polars.Int64(),
    "digest": polars.String(),
    "warnings": polars.String(),
}
"""The columns of a run's row that are no measures."""

PARTS: Mapping[str, polars.DataType] = {
    "flow": polars.Int64(),
    "node": polars.Int64(),
    "time_s": polars.Float64(),
}
"""The columns that tell a run's rows apart where it has more than one."""

_Numbers = Mapping[str, float | None]


def columns(numbers: npt.NDArray[np.float64], names: Sequence[str]) -> list[polars.Series]:
    """Return the columns of an array, of so many rows and names; no number is no value there."""
    # All stand in one series, of which each is a part: to make a series takes longer than to fill
    # it.
    rows = len(numbers)
    together = polars.Series(values=numbers.ravel(order="F"), nan_to_null=True)
    return [together.slice(place * rows, rows).alias(name) for place, name in enumerate(names)]


class Rows:
    """Runs that have finished, ready to be written: what can be done of that is done run by run."""

    def __init__(self, kept: Collection[str] = ()) -> None:
        self.walls: list[tuple[RunKey, float]] = []
        """Which runs they are, and what each took."""
        self._runs = _Table([*HEAD])
        self._parts = {
            kind: _Table([*KEY, kind.removesuffix("s")])
            for kind in ("flows", "nodes")
            if kind in kept
        }
        self._samples = _Table([*KEY, "flow", "time_s"]) if "samples" in kept else None

    def __len__(self) -> int:
        return len(self.walls)

    def add(self, key: RunKey, record: Record) -> None:
        """Take in a run that came through.

        What is raised in the midst of it may leave rows of a run that does not stand in `walls`: it
        is done again, and its rows then count once.
        """
        told = (record[name] for name in ("simulated_s", "wall_s", "events", "digest"))
        warnings = record.get("warnings")
        head = (*key, *told, json.dumps(warnings) if warnings else "[]")
        self._runs.add(head, record["measures"])
        for kind, table in self._parts.items():
            for number, measures in enumerate(record[kind]):
                table.add((*key, number), measures)
        if self._samples is not None:
            for fixed, values in _samples(record):
                self._samples.add((*key, *fixed), values)
        self.walls.append((key, record["wall_s"]))

    def frames(self) -> Frames:
        """Return the frames of a batch by kind of row: ``runs`` and what else is kept."""
        frames = {"runs": self._runs.frame()}
        frames |= {kind: table.frame() for kind, table in self._parts.items()}
        if self._samples is not None:
            frames["samples"] = self._samples.frame()
        return frames


def _samples(record: Record) -> Iterator[tuple[tuple[int, float], _Numbers]]:
    samples = record.get("samples") or {}
    times = samples.get("time_s") or []
    for flow, columns in enumerate(samples.get("flows") or []):
        for place, time in enumerate(times):
            yield (flow, time), {name: values[place] for name, values in columns.items()}


_Row = tuple[tuple[Any, ...], list[float | None]]
"""The values of the head, and the numbers."""


class _Table:
    """Rows of one kind, which go into columns together where they have the same numbers."""

    def __init__(self, head: Sequence[str]) -> None:
        self._head = head
        self._groups: dict[tuple[str, ...], list[_Row]] = {}
        # Nearly always a row has the numbers of the row before.
        self._names: list[str] | None = None
        self._group: list[_Row] = []

    def add(self, head: tuple[Any, ...], numbers: _Numbers) -> None:
        """Take in a row: the values of the head, and numbers by their names."""
        names = [*numbers]
        if names != self._names:
            self._group = self._groups.setdefault(tuple(names), [])
            self._names = names
        # In one step: Ctrl-C may come at any.
        self._group.append((head, [*numbers.values()]))

    def frame(self) -> polars.DataFrame:
        """Return all rows; none of them has what another one alone has."""
        types = {**HEAD, **PARTS}
        frames = [
            _frame({name: types[name] for name in self._head}, names, rows)
            for names, rows in (self._groups or {(): []}).items()
        ]
        return frames[0] if len(frames) == 1 else polars.concat(frames, how="diagonal")


def _frame(
    types: Mapping[str, polars.DataType], names: Sequence[str], rows: Sequence[_Row]
) -> polars.DataFrame:
    heads = zip(*(head for head, _ in rows), strict=True) if rows else ((),) * len(types)
    found = [
        polars.Series(name, values, dtype=kind)
        for (name, kind), values in zip(types.items(), heads, strict=True)
    ]
    numbers = np.array([numbers for _, numbers in rows], dtype=np.float64)
    return polars.DataFrame(found + columns(numbers, names))
