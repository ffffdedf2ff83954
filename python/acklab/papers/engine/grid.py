"""From an experiment to its grid points, each with a complete scenario tree.

Invariant: two points differ only at the paths of their axes; seed and run index are no part of
the scenario, so every scheme meets the same luck (common random numbers).
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Cell, Experiment, Value


def cells(experiment: Experiment) -> list[Cell]:
    """All grid points, the last axis running fastest."""
    return list(itertools.product(*(axis.values for axis in experiment.axes)))


def cell_name(experiment: Experiment, cell: Cell) -> str:
    """A grid point in words: "window=3 d=2"."""
    return " ".join(f"{a.key}={v}" for a, v in zip(experiment.axes, cell, strict=True))


def tree(experiment: Experiment, cell: Cell, mode: str) -> dict[str, Any]:
    """The scenario tree of one grid point."""
    scenario: dict[str, Any] = copy.deepcopy(dict(experiment.scenario))
    scenario["duration"] = experiment.duration[mode]
    scenario["title"] = f"{experiment.title}: {cell_name(experiment, cell)}"
    for axis, value in zip(experiment.axes, cell, strict=True):
        _put(scenario, axis.path, axis.choose.get(str(value), value))
    return scenario


def match(experiment: Experiment, want: Mapping[str, Value]) -> Cell:
    """The grid point with these axis values; all axes must be given and on the grid."""
    found: list[Value] = []
    for axis in experiment.axes:
        if axis.key not in want:
            raise PaperError(experiment.key, sorted(want), [a.key for a in experiment.axes])
        if want[axis.key] not in axis.values:
            place = f"{experiment.key}.{axis.key}"
            raise PaperError(place, want[axis.key], map(str, axis.values), "off the grid")
        found.append(want[axis.key])
    return tuple(found)


def _put(scenario: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    node: Any = scenario
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
    node[last] = copy.deepcopy(value)
