"""Estimates with Student-t intervals that keep their pairing through arithmetic.

An estimate is a value and, for each run, how much that run pulled it (its influence, mean zero).
Means, sums and ratios of estimates over the *same* runs add their influences, so the interval
of `mean(A) / mean(B) - 1` is the paired delta-method interval: with common random numbers the
runs' shared luck cancels, as it must. Ratios are ratios of means, not means of ratios.

Not here: what a claim makes of an estimate (`verdict_rules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from acklab.stats import student_t

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value, and each run's influence on it (all estimates of one expression share the runs)."""

    value: float
    influence: Array
    pools: tuple[int, ...] = ()
    """How many runs each independent pool has, in the order of the influence; empty: one pool."""

    @property
    def runs(self) -> int:
        """How many runs stand behind the value."""
        return len(self.influence)

    @property
    def standard_error(self) -> float:
        """Standard error by linearisation; NaN for fewer than two runs."""
        n = self.runs
        if n < 2:
            return float("nan")
        return float(np.sqrt(np.sum(self.influence**2) / (n * (n - 1))))

    @property
    def degrees(self) -> float:
        """Degrees of freedom: runs less one, or of several pools Welch and Satterthwaite's."""
        if not self.pools:
            return self.runs - 1
        cuts = np.split(self.influence, np.cumsum(self.pools)[:-1])
        return satterthwaite([float(np.sum(cut**2)) for cut in cuts], [n - 1 for n in self.pools])

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of the Student-t interval; infinite for fewer than two runs."""
        if self.degrees < 1.0:
            return float("inf")
        return student_t(level, self.degrees) * self.standard_error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Lower and upper end."""
        half = self.half_width(level)
        return self.value - half, self.value + half

    def _with(self, value: float, pull: Array, other: Estimate | None = None) -> Estimate:
        return Estimate(value, pull, self.pools or (other.pools if other is not None else ()))

    def __add__(self, other: Estimate | float) -> Estimate:
        if isinstance(other, Estimate):
            return self._with(self.value + other.value, self.influence + other.influence, other)
        return self._with(self.value + other, self.influence)

    def __sub__(self, other: Estimate | float) -> Estimate:
        return self + -other

    def __neg__(self) -> Estimate:
        return self._with(-self.value, -self.influence)

    def __mul__(self, other: Estimate | float) -> Estimate:
        if isinstance(other, Estimate):
            pull = self.value * other.influence + other.value * self.influence
            return self._with(self.value * other.value, pull, other)
        return self._with(self.value * other, self.influence * other)

    def __truediv__(self, other: Estimate | float) -> Estimate:
        if not isinstance(other, Estimate):
            return self._with(self.value / other, self.influence / other)
        if other.value == 0.0:
            return self._with(float("nan"), np.full(self.runs, np.nan), other)
        ratio = self.value / other.value
        return self._with(ratio, (self.influence - ratio * other.influence) / other.value, other)

    def __radd__(self, other: float) -> Estimate:
        return self + other

    def __rmul__(self, other: float) -> Estimate:
        return self * other

    def __rsub__(self, other: float) -> Estimate:
        return -self + other

    def __rtruediv__(self, other: float) -> Estimate:
        return self._with(other, np.zeros(self.runs)) / self


def satterthwaite(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """Degrees of freedom of a sum of independent variances; what has no spread does not count.

    Welch (1947), Satterthwaite (1946).
    """
    moving = [(v, d) for v, d in zip(variances, degrees, strict=True) if v > 0.0]
    if any(d < 1.0 for _, d in moving):
        return 0.0
    if not moving:
        return min(degrees)
    return sum(v for v, _ in moving) ** 2 / sum(v * v / d for v, d in moving)


def mean(sample: npt.ArrayLike) -> Estimate:
    """The mean of one value a run."""
    values: Array = np.asarray(sample, dtype=np.float64)
    value = float(values.mean()) if len(values) else float("nan")
    return Estimate(value, values - value)


def relative_spread(sample: npt.ArrayLike) -> Estimate:
    """The standard deviation over the mean, with the influence of the linearised quotient."""
    centre = mean(sample)
    spread = float(np.sqrt(np.mean(centre.influence**2) * centre.runs / max(1, centre.runs - 1)))
    if spread == 0.0:
        return Estimate(0.0, np.zeros(centre.runs))
    pull = (centre.influence**2 - np.mean(centre.influence**2)) / (2.0 * spread)
    return Estimate(spread, pull) / centre


def independent(
    estimates: Sequence[Estimate], pools: Sequence[str] | None = None
) -> list[Estimate]:
    """The same estimates, fit to combine as independent ones; each keeps its standard error.

    They get one pool of runs to which each brings its own and where the others' have no pull.
    Estimates of the same name in `pools` share their runs (and must have as many): these stay
    paired.
    """
    names = list(pools) if pools is not None else [str(i) for i in range(len(estimates))]
    sizes = {name: one.runs for name, one in zip(names, estimates, strict=True)}
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    total = sum(sizes.values())
    pooled = []
    for name, one in zip(names, estimates, strict=True):
        influence = np.zeros(total)
        own = max(1, one.runs * (one.runs - 1))
        scale = np.sqrt(total * (total - 1) / own)
        influence[starts[name] : starts[name] + one.runs] = scale * one.influence
        pooled.append(Estimate(one.value, influence, tuple(sizes.values())))
    return pooled


def gain(a: npt.ArrayLike, b: npt.ArrayLike) -> Estimate:
    """mean(a) / mean(b) - 1, paired by position."""
    return mean(a) / mean(b) - 1.0


def left_out_best(candidates: npt.ArrayLike, highest: bool = True) -> Array:
    """One value a run, taken at the candidate that the *other* runs find best.

    `candidates` is (candidate, run). Picking the best mean and then reporting that mean is
    optimistic (the winner's curse); judging each run at the choice of the others is not, and
    where one candidate is clearly best it is the same thing.
    """
    values: Array = np.asarray(candidates, dtype=np.float64)
    if values.shape[1] < 2:
        return np.asarray(values.max(axis=0) if highest else values.min(axis=0))
    without = values.sum(axis=1, keepdims=True) - values
    chosen = without.argmax(axis=0) if highest else without.argmin(axis=0)
    return np.asarray(values[chosen, np.arange(values.shape[1])])


def two_sample(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[float, float]:
    """Difference of the means of two independent samples and its standard error (Welch)."""
    x: Array = np.asarray(a, dtype=np.float64)
    y: Array = np.asarray(b, dtype=np.float64)
    spread = sum(float(s.var(ddof=1)) / len(s) if len(s) > 1 else 0.0 for s in (x, y))
    return float(x.mean() - y.mean()), float(np.sqrt(spread))


def kendall_by_run(x: npt.ArrayLike, rows: npt.ArrayLike) -> Estimate:
    """Mean over the runs of Kendall's tau between `x` and the run's values.

    `rows` is (point, run). One tau a run and a t interval over the runs: a Mann–Kendall trend
    test whose replicates are the paired runs, not the correlated points of one curve.
    """
    positions: Array = np.asarray(x, dtype=np.float64)
    values: Array = np.asarray(rows, dtype=np.float64)
    upper = np.triu_indices(len(positions), k=1)
    step = np.sign(positions[upper[1]] - positions[upper[0]])
    signs: Any = np.sign(values[upper[1]] - values[upper[0]])
    return mean((step[:, None] * signs).mean(axis=0))
