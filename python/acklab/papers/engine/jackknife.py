"""Delete-a-group jackknife, experiment by experiment.

A figure is known with all runs and without each group of the runs of each experiment that it is
made of. Experiments have different numbers of runs and do not share their luck, so that each brings
a variance and degrees of freedom of its own; these are added by Welch and Satterthwaite. Invariant:
figures that are combined have grouped the runs of an experiment alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acklab.papers.engine.estimate import Array, satterthwaite
from acklab.papers.engine.selection import Pick
from acklab.stats import student_t

MOST_GROUPS = 20


@dataclass(frozen=True)
class Value:
    """A number with its jackknife interval and the interval's degrees of freedom."""

    value: float
    low: float
    high: float
    degrees: float = 0.0


@dataclass(frozen=True)
class Figure:
    """A figure of all runs, and without each group of an experiment's runs."""

    value: float
    without: Mapping[str, Array]

    def interval(self) -> Value:
        """The 95 % interval: the experiments' variances added."""
        spreads = [float(np.sum((v - v.mean()) ** 2)) for v in self.without.values()]
        sizes = [len(v) for v in self.without.values()]
        variances = [(n - 1) / n * spread for n, spread in zip(sizes, spreads, strict=True)]
        degrees = satterthwaite(variances, [n - 1 for n in sizes])
        half = student_t(0.95, degrees) * float(np.sqrt(sum(variances)))
        return Value(self.value, self.value - half, self.value + half, degrees)

    def named(self, side: str) -> Figure:
        """The same figure of experiments that are called otherwise."""
        return Figure(self.value, {f"{key}{side}": array for key, array in self.without.items()})


def combined(make: Callable[[Array], float], figures: Sequence[Figure]) -> Figure:
    """A figure made of others."""
    groups = {key: len(array) for figure in figures for key, array in figure.without.items()}

    def left(key: str, group: int) -> float:
        values = [f.without[key][group] if key in f.without else f.value for f in figures]
        return make(np.array(values))

    without = {key: np.array([left(key, g) for g in range(n)]) for key, n in groups.items()}
    return Figure(make(np.array([f.value for f in figures])), without)


def groups_of(figures: Sequence[Callable[[Pick], float]]) -> dict[str, int]:
    """How many groups each experiment's runs make: as many as its scarcest part has runs."""
    fewest: dict[str, int] = {}

    def count(experiment: str, runs: Sequence[int]) -> Sequence[int]:
        fewest[experiment] = min(fewest.get(experiment, MOST_GROUPS), len(runs))
        return runs

    for figure in figures:
        figure(count)
    return {key: max(2, number) for key, number in fewest.items()}


def jackknife(figure: Callable[[Pick], float], groups: Mapping[str, int]) -> Figure:
    """A figure with all runs, and without each group of each experiment that it looks at."""
    own = groups_of([figure])
    return Figure(
        figure(lambda _, runs: runs),
        {
            key: np.array([figure(_leave_out(key, g, groups[key])) for g in range(groups[key])])
            for key in own
        },
    )


def _leave_out(experiment: str, group: int, groups: int) -> Pick:
    def pick(key: str, runs: Sequence[int]) -> Sequence[int]:
        if key != experiment:
            return runs
        return [run for i, run in enumerate(runs) if i % groups != group] or runs

    return pick
