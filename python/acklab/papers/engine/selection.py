"""Which runs a claim's quantity is made of: cells, windows picked or averaged, fan-out.

A cell of a claim names axis values; an axis value may also be `{ mean = SET }` (each run's mean
over those values), `{ best = SET }` or `{ lowest = SET }` (each run at the value that the other
runs find best), or `{ apart = SET }`: then the quantity is made at each of those values, and its
mean taken, so that a gain is a mean of gains and not a gain of means. Every quantity is made from
runs that all of its cells share, unless its check says `unpaired`: then each cell has all its own
runs, and the cells count as independent.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from acklab.papers.engine import expression, grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import (
    Array,
    Estimate,
    independent,
    left_out_best,
    mean,
    relative_spread,
)
from acklab.papers.engine.model import Axis, Cell, Experiment, Value
from acklab.papers.engine.results import Results

Where = Mapping[str, Any]
CHOOSERS = ("mean", "best", "lowest")
APART = "apart"
NOT_AXES = ("experiment", "measure", "stat")
STATS = {"mean": mean, "relative_spread": relative_spread}
"""What is made of a cell's sample: its mean, or its standard deviation over its mean."""


Pick = Callable[[str, Sequence[int]], Sequence[int]]


def every_run(_experiment: str, runs: Sequence[int]) -> Sequence[int]:
    """All runs."""
    return runs


@dataclass(frozen=True)
class Scope:
    """What a check may look at: all results, and the experiment that it means by default."""

    results: Results
    experiment: str
    pick: Pick = every_run
    """Which of an experiment's runs a quantity is made of: all, or a subsample."""

    def of(self, key: str | None = None) -> Experiment:
        """An experiment that has been run."""
        return self.results.experiments[key or self.experiment].experiment

    def values(self, axis: Axis, wanted: Any) -> tuple[Value, ...]:
        """Axis values from a list or from the name of a set."""
        if isinstance(wanted, str) and (wanted in axis.sets or wanted == "all"):
            return axis.named(wanted)
        found = tuple(wanted) if isinstance(wanted, Sequence) and not isinstance(wanted, str) else (
            wanted,
        )  # fmt: skip
        for value in found:
            if value not in axis.values:
                raise PaperError(axis.key, value, [*axis.sets, *map(str, axis.values)])
        return found

    def fan_out(self, check: Mapping[str, Any]) -> list[dict[str, Value]]:
        """The points that a check speaks of: `points` as listed, or the product of `each`."""
        if "points" in check:
            return [dict(point) for point in check["points"]]
        each: Mapping[str, Any] = check.get("each", {})
        lists = [self.values(self.of().axis(key), wanted) for key, wanted in each.items()]
        return [dict(zip(each, combo, strict=True)) for combo in itertools.product(*lists)]


@dataclass(frozen=True)
class Selected:
    """The grid points behind one cell: (best candidates) × (points averaged for each)."""

    experiment: str
    measure: str
    groups: tuple[tuple[Cell, ...], ...]
    highest: bool

    def cells(self) -> list[tuple[str, Cell]]:
        """All grid points that are touched."""
        return [(self.experiment, cell) for group in self.groups for cell in group]

    def sample(self, results: Results, runs: Sequence[int]) -> Array:
        """One value a run."""
        rows = [
            np.mean(
                [results.sample(self.experiment, cell, self.measure, runs) for cell in group],
                axis=0,
            )
            for group in self.groups
        ]
        return rows[0] if len(rows) == 1 else left_out_best(rows, self.highest)


def select(scope: Scope, cell: Where, point: Where, measure: str) -> Selected:
    """The grid points of one cell at one point of the fan-out."""
    key = str(cell.get("experiment", scope.experiment))
    experiment = scope.of(key)
    wanted = {**point, **{k: v for k, v in cell.items() if k not in NOT_AXES}}
    fixed: dict[str, Value] = {}
    averaged: dict[str, tuple[Value, ...]] = {}
    picked: dict[str, tuple[Value, ...]] = {}
    highest = True
    for axis in experiment.axes:
        choice = wanted.get(axis.key)
        if choice is None:
            raise PaperError(f"{key}.{axis.key}", "nothing", map(str, axis.values), "axis not set")
        if not isinstance(choice, Mapping):
            fixed[axis.key] = choice
            continue
        (how, what), *_ = choice.items()
        if how not in CHOOSERS:
            raise PaperError(f"{key}.{axis.key}", how, (*CHOOSERS, APART))
        (averaged if how == "mean" else picked)[axis.key] = scope.values(axis, what)
        highest = highest and how != "lowest"
    groups = [
        tuple(
            grid.match(experiment, {**fixed, **pick, **average})
            for average in _product(averaged)
        )
        for pick in _product(picked)
    ]  # fmt: skip
    return Selected(key, str(cell.get("measure", measure)), tuple(groups), highest)


def _product(axes: Mapping[str, Sequence[Value]]) -> list[dict[str, Value]]:
    return [dict(zip(axes, combo, strict=True)) for combo in itertools.product(*axes.values())]


def quantity(scope: Scope, check: Mapping[str, Any], point: Where) -> Estimate:
    """The check's quantity at one point of its fan-out."""
    if apart := _apart(scope, check, point):
        return _mean_of_each(scope, check, point, apart)
    measure = str(check.get("measure", ""))
    text = str(check.get("quantity", "a"))
    used = expression.names(text, "quantity")
    chosen = {
        name: select(scope, cell, point, measure)
        for name, cell in check["cells"].items()
        if name in used
    }
    pools = {name: _pool(check, name, cell.experiment) for name, cell in chosen.items()}
    samples = {}
    for name, cell in chosen.items():
        mates = [chosen[n] for n in chosen if pools[n] == pools[name]]
        runs = scope.results.common_runs(c for mate in mates for c in mate.cells())
        kept = set(runs)
        for experiment in dict.fromkeys(mate.experiment for mate in mates):
            kept &= set(scope.pick(experiment, runs))
        stat = STATS[str(check["cells"][name].get("stat", "mean"))]
        # A best that is picked is picked from all runs: leaving some out must not move the choice.
        values = cell.sample(scope.results, runs)
        samples[name] = stat(values[_there(scope, mates, runs) & [run in kept for run in runs]])
    if len(set(pools.values())) > 1:
        names = [pools[name] for name in samples]
        made = independent(list(samples.values()), names)
        samples = dict(zip(samples, made, strict=True))
    return expression.evaluate(text, samples)


def _apart(scope: Scope, check: Where, point: Where) -> dict[str, tuple[Value, ...]]:
    """The axes at whose values the quantity is made one by one."""
    found: dict[str, tuple[Value, ...]] = {}
    for cell in check["cells"].values():
        experiment = scope.of(cell.get("experiment"))
        for key, wanted in {**point, **cell}.items():
            if isinstance(wanted, Mapping) and APART in wanted:
                found[key] = scope.values(experiment.axis(key), wanted[APART])
    return found


def _mean_of_each(
    scope: Scope, check: Where, point: Where, apart: Mapping[str, Sequence[Value]]
) -> Estimate:
    """The mean of the quantity at each of these values, over the runs that all of them have."""

    def fixed(where: Where, values: Where) -> dict[str, Any]:
        # Only what asks for it: a cell may hold one value of the axis for itself.
        asked = (k for k, w in where.items() if isinstance(w, Mapping) and APART in w)
        return {**where, **{key: values[key] for key in asked}}

    at = [
        ({**check, "cells": {n: fixed(c, v) for n, c in check["cells"].items()}}, fixed(point, v))
        for v in _product(apart)
    ]
    used = expression.names(str(check.get("quantity", "a")), "quantity")
    cells = [
        cell
        for one, where in at
        for name in used
        for cell in select(scope, one["cells"][name], where, str(check.get("measure", ""))).cells()
    ]
    common = set(scope.results.common_runs(cells))
    inner = replace(scope, pick=lambda key, runs: [r for r in scope.pick(key, runs) if r in common])
    made = [quantity(inner, one, where) for one, where in at]
    return sum(made[1:], start=made[0]) / len(made)


def _there(scope: Scope, mates: Sequence[Selected], runs: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Which runs have a value of each: one without (no handoff of that kind) is no pair."""
    rows = [np.isfinite(mate.sample(scope.results, runs)) for mate in mates]
    there: npt.NDArray[np.bool_] = np.logical_and.reduce(rows)
    return there


def _pool(check: Mapping[str, Any], name: str, experiment: str) -> str:
    """Cells of one pool are paired run by run; those of others count as independent of them."""
    unpaired = check.get("unpaired", False)
    if unpaired == "experiments":
        return experiment
    return name if unpaired else ""


def searched(scope: Scope, check: Mapping[str, Any], point: Where) -> tuple[float, float] | None:
    """The interval of a value that a search found: what it could not tell from the best.

    None where the check's quantity is not just such a value.
    """
    cell, measure = check["cells"].get("a", {}), str(check.get("measure", ""))
    rule = scope.of(cell.get("experiment")).search
    if rule is None or rule.shown_as != measure or check.get("quantity", "a") != "a":
        return None
    low, high = (
        quantity(scope, {"cells": {"a": cell}, "measure": f"{measure}_{end}"}, point).value
        for end in ("low", "high")
    )
    return low, high


def describe(point: Where) -> str:
    """A point of the fan-out in words."""
    return ", ".join(f"{key} = {_told(value)}" for key, value in point.items())


def _told(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{how} of {what}" for how, what in value.items())
