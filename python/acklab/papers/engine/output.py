"""Writing results: frames of runs and points; every file appears whole or not at all."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl

from acklab.frames import as_files
from acklab.papers.engine import grid
from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.results import Results
from acklab.store import new_file


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file whole."""
    with new_file(path) as part:
        part.write_bytes(data)
    return path


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole; what is no text in the names of files that it tells is escaped."""
    return write_bytes(path, text.encode(errors="backslashreplace"))


def write_json(path: Path, data: Any) -> Path:
    """Write JSON whole, in a form that reads well."""
    return write_text(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def write_frame(path: Path, frame: pl.DataFrame) -> list[Path]:
    """Write a frame as CSV and as Parquet; `path` comes without a suffix."""
    return [write_bytes(path.with_name(file), held) for file, held in as_files(frame, path.name)]


def interval_columns(point: Estimate) -> dict[str, float | int | None]:
    """Mean, interval ends (none for a single run) and runs, as columns; no mean if it has none."""
    low, high = point.interval()
    known = math.isfinite(low)
    return {
        "mean": _told(point.value),
        "low": low if known else None,
        "high": high if known else None,
        "runs": point.runs,
    }


def _told(value: float) -> float | None:
    """A value, or none where it is a quotient by zero or of what never happened."""
    return None if math.isnan(value) else value


def runs_frame(results: Results, key: str) -> pl.DataFrame:
    """All runs of an experiment: axes, run, seed, digest, every measure."""
    data = results.experiments[key]
    names = [axis.key for axis in data.experiment.axes]
    rows: list[dict[str, Any]] = []
    for cell, runs in data.rows.items():
        for run, row in sorted(runs.items()):
            head = dict(zip(names, cell, strict=True))
            head |= {"run": run, "seed": row["seed"], "digest": row["digest"]}
            head["warnings"] = "; ".join(w["code"] for w in row.get("warnings", ()))
            rows.append(head | {k: _told(float(v)) for k, v in row["measures"].items()})
    return pl.DataFrame(rows, infer_schema_length=None)


def points_frame(results: Results, key: str) -> pl.DataFrame:
    """All points of an experiment in long form: axes, measure, mean, interval, runs, warnings."""
    data = results.experiments[key]
    names = [axis.key for axis in data.experiment.axes]
    rows: list[dict[str, Any]] = []
    for cell in grid.cells(data.experiment):
        runs = data.rows.get(cell, {})
        if not runs:
            continue
        warned = "; ".join(w.code for w in data.warnings(cell))
        found = data.found.get(cell, {})
        for measure in [*next(iter(runs.values()))["measures"], *found, *results.derived]:
            entry: dict[str, Any] = dict(zip(names, cell, strict=True)) | {"measure": measure}
            entry |= interval_columns(results.point(key, cell, measure))
            rows.append(entry | {"warnings": warned})
    return pl.DataFrame(rows, infer_schema_length=None)
