"""From the records of runs to frames: one row for each run, and for each part of it that is kept.

The one invariant: the columns of the head have the types that are declared, and every other column
is one of numbers, so that batches of other runs can be put together with these.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars

from acklab.batch import Record
from acklab.study.index import RunKey

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["HEAD", "KEY", "PARTS", "Frames", "rows_of"]

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

_Row = tuple[tuple[Any, ...], Mapping[str, float | None]]
"""The values of the head, and the numbers by their names."""


def rows_of(finished: Sequence[tuple[RunKey, Record]], kept: Collection[str]) -> Frames:
    """Return the frames of a batch by kind of row: ``runs`` and what else is kept."""
    frames = {"runs": _frame(_runs(finished), [*HEAD])}
    for kind in ("flows", "nodes"):
        if kind in kept:
            frames[kind] = _frame(_parts(finished, kind), [*KEY, kind.removesuffix("s")])
    if "samples" in kept:
        frames["samples"] = _frame(_samples(finished), [*KEY, "flow", "time_s"])
    return frames


def _runs(finished: Iterable[tuple[RunKey, Record]]) -> Iterator[_Row]:
    for key, record in finished:
        told = (record[name] for name in ("simulated_s", "wall_s", "events", "digest"))
        warnings = record.get("warnings")
        yield (*key, *told, json.dumps(warnings) if warnings else "[]"), record["measures"]


def _parts(finished: Iterable[tuple[RunKey, Record]], kind: str) -> Iterator[_Row]:
    for key, record in finished:
        for number, measures in enumerate(record[kind]):
            yield (*key, number), measures


def _samples(finished: Iterable[tuple[RunKey, Record]]) -> Iterator[_Row]:
    for key, record in finished:
        samples = record.get("samples") or {}
        times = samples.get("time_s") or []
        for flow, columns in enumerate(samples.get("flows") or []):
            for place, time in enumerate(times):
                yield (*key, flow, time), {name: values[place] for name, values in columns.items()}


def _frame(rows: Iterable[_Row], head: Sequence[str]) -> polars.DataFrame:
    """Rows as a frame: those that have the same numbers go into columns together."""
    groups: dict[tuple[str, ...], list[tuple[tuple[Any, ...], list[float | None]]]] = {}
    names: list[str] | None = None
    for fixed, numbers in rows:
        # Nearly always those of the row before.
        if [*numbers] != names:
            names = [*numbers]
            group = groups.setdefault(tuple(names), [])
        group.append((fixed, [*numbers.values()]))
    types = {**HEAD, **PARTS}
    frames = [polars.DataFrame(schema={name: types[name] for name in head})]
    for columns, members in groups.items():
        heads = zip(*(fixed for fixed, _ in members), strict=True)
        found = [
            polars.Series(name, values, dtype=types[name])
            for name, values in zip(head, heads, strict=True)
        ]
        table = _table([values for _, values in members])
        # What a run does not tell came as no number.
        found += [
            polars.Series(name, values, nan_to_null=True)
            for name, values in zip(columns, table, strict=True)
        ]
        frames.append(polars.DataFrame(found))
    return polars.concat(frames, how="diagonal")


def _table(rows: Sequence[Sequence[float | None]]) -> npt.NDArray[np.float64]:
    """Numbers by columns, not a number where there is none."""
    import numpy as np

    return np.ascontiguousarray(np.array(rows, dtype=np.float64).T)
