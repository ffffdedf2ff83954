"""From an experiment to its grid points, each with a complete scenario tree.

Invariant: two points differ only at the paths of their axes; run k of every point has the same
seed, run index and `by_run` values, so every scheme meets the same luck (common random numbers).
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Cell, Experiment, Value

FIRST = "first"
"""In a table that is merged into a list: how many of its entries stay."""


def cells(experiment: Experiment) -> list[Cell]:
    """All grid points that are run, the last axis running fastest."""
    every = itertools.product(*(axis.values for axis in experiment.axes))
    return [cell for cell in every if not _left_out(experiment, cell)]


def _left_out(experiment: Experiment, cell: Cell) -> bool:
    at = dict(zip((axis.key for axis in experiment.axes), cell, strict=True))
    return any(
        all(at[key] in values for key, values in part.items()) for part in experiment.leave_out
    )


def cell_name(experiment: Experiment, cell: Cell) -> str:
    """A grid point in words: "window=3 d=2"."""
    return " ".join(f"{a.key}={v}" for a, v in zip(experiment.axes, cell, strict=True))


def tree(experiment: Experiment, cell: Cell, mode: str) -> dict[str, Any]:
    """The scenario tree of one grid point."""
    scenario: dict[str, Any] = copy.deepcopy(dict(experiment.scenario))
    scenario["duration"] = experiment.duration[mode]
    _merge(scenario, experiment.setting.get(mode, {}))
    scenario["title"] = f"{experiment.title}: {cell_name(experiment, cell)}"
    for axis, value in zip(experiment.axes, cell, strict=True):
        put(scenario, axis.path, axis.choose.get(str(value), value))
    for pattern, value in experiment.where.items():
        for path in _places(scenario, pattern.split(".")):
            if _stands(scenario, path[:-1]):
                put(scenario, ".".join(path), value)
    return scenario


def _places(node: Any, way: Sequence[str]) -> list[list[str]]:
    """The ways that one with "*" stands for: each entry of the list there."""
    if "*" not in way:
        return [list(way)]
    at = way.index("*")
    if not _stands(node, way[: at - 1]):
        return []
    for step in way[:at]:
        node = node[int(step)] if isinstance(node, list) else node.get(step, [])
    ends = ([*way[:at], str(i)] for i in range(len(node)))
    return [
        [*end, *rest]
        for place, end in enumerate(ends)
        for rest in _places(node[place], way[at + 1 :])
    ]


def _stands(node: Any, way: Sequence[str]) -> bool:
    """Is there a table at the end of this way?"""
    for step in way:
        if isinstance(node, list):
            node = node[int(step)]
        elif step in node:
            node = node[step]
        else:
            return False
    return isinstance(node, dict)


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
    if _left_out(experiment, tuple(found)):
        name = cell_name(experiment, tuple(found))
        raise PaperError(experiment.key, name, ["what leave_out does not name"], "not run")
    return tuple(found)


def of_run(experiment: Experiment, tree: Mapping[str, Any], run: int) -> Mapping[str, Any]:
    """The tree of one run: the paths of `by_run` hold the run's index, or the value for it."""
    if not experiment.by_run:
        return tree
    own = copy.deepcopy(dict(tree))
    for path, values in experiment.by_run.items():
        put(own, path, values[run % len(values)] if values else run)
    return own


def put(scenario: dict[str, Any], path: str, value: Any) -> None:
    """Put a value at a path: "*" is every entry of a list, "." the whole scenario.

    A table is merged into a table that stands there already, so that one axis value can say
    several things (a scheme: its variant, its options and its ACK policy); into a list by place.
    """
    if path == ".":
        _merge(scenario, value)
        return
    *way, last = path.split(".")
    nodes: list[Any] = [scenario]
    for step in way:
        nodes = [child for node in nodes for child in _children(node, step)]
    for node in nodes:
        if isinstance(node, list):
            places = range(len(node)) if last == "*" else [int(last)]
            for place in places:
                node[place] = _merged(node[place], value)
        else:
            node[last] = _merged(node.get(last), value)


def _children(node: Any, step: str) -> list[Any]:
    if isinstance(node, list):
        return list(node) if step == "*" else [node[int(step)]]
    return [node.setdefault(step, {})]


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, Mapping):
        _merge(old, new)
        return old
    if isinstance(old, list) and isinstance(new, Mapping):
        # A table whose keys are places in the list.
        for place, value in new.items():
            if place == FIRST:
                del old[int(value) :]
                continue
            old[int(place)] = _merged(old[int(place)], value)
        return old
    return copy.deepcopy(new)


def _merge(into: dict[str, Any], new: Mapping[str, Any]) -> None:
    for key, value in new.items():
        into[key] = _merged(into.get(key), value)
