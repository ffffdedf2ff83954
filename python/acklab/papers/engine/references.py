"""Reference rows of a paper's folder: what an independent simulator or the paper itself says.

They are shown and compared, never fed into a run.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from acklab.papers.engine.grid import match
from acklab.papers.engine.model import Cell, Experiment, Paper, Value


@dataclass(frozen=True)
class ReferenceRows:
    """Values by grid point and measure, one a reference run."""

    key: str
    label: str
    origin: str
    cells: dict[Cell, dict[str, list[float]]]

    def values(self, cell: Cell, measure: str) -> list[float]:
        """The reference's values at a grid point; empty where it has none."""
        return self.cells.get(cell, {}).get(measure, [])


def read_reference(paper: Paper, key: str) -> ReferenceRows:
    """Read one reference file and place its rows on its experiment's grid."""
    reference = paper.references[key]
    experiment = paper.experiments[reference.experiment]
    cells: dict[Cell, dict[str, list[float]]] = {}
    for row in _rows(paper.folder / reference.file):
        if any(_number(row[name]) != value for name, value in reference.where.items()):
            continue
        cell = _cell(experiment, {a: _number(row[c]) for a, c in reference.axes.items()})
        if cell is None:
            continue
        found = cells.setdefault(cell, {})
        for measure, column in reference.measures.items():
            if row[column] != "":
                found.setdefault(measure, []).append(float(row[column]))
    return ReferenceRows(key, reference.label, reference.origin, cells)


def _cell(experiment: Experiment, axes: dict[str, Value]) -> Cell | None:
    on_grid = all(axes[axis.key] in axis.values for axis in experiment.axes)
    return match(experiment, axes) if on_grid else None


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def _number(text: str) -> Value:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
