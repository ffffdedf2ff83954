"""Statistics of replicated runs: means with intervals, paired differences, fairness, trends.

Everything takes plain sequences of numbers and returns small frozen records; nothing here knows
what was measured. The one invariant: a mean never comes without its interval, and where the data
cannot give one (a single value) the interval is ``None``, not zero.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from acklab import arguments
from acklab.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ALL_ZERO",
    "Difference",
    "Estimate",
    "Trend",
    "batch_means",
    "jain",
    "mann_kendall",
    "mean",
    "mean_of_array",
    "paired",
    "runs_for",
    "student_t",
]


ALL_ZERO = "an interval of no width around 0 says nothing about events that are rare"
"""What must be said of a mean of zeros, however many they are."""

_MANY = 64
"""So many values are quicker as an array than one by one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its confidence interval.

    Attributes:
        mean: the sample mean, in ``unit``.
        half_width: half the width of the two-sided Student-t interval, in ``unit``; ``None`` when
            there are fewer than two values.
        n: how many values the mean is taken over.
        unit: the unit of the mean; empty for pure numbers.
        confidence: the probability with which such intervals cover the true mean.
    """

    mean: float
    half_width: float | None
    n: int
    unit: str = ""
    confidence: float = 0.95

    @property
    def low(self) -> float | None:
        """The interval's lower end."""
        return None if self.half_width is None else self.mean - self.half_width

    @property
    def high(self) -> float | None:
        """The interval's upper end."""
        return None if self.half_width is None else self.mean + self.half_width

    @property
    def relative(self) -> float | None:
        """Half the interval's width as a share of the mean; ``None`` where that has no meaning."""
        if self.half_width is None:
            return None
        if self.mean == 0.0:
            return 0.0 if self.half_width == 0.0 else None
        return self.half_width / abs(self.mean)

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Return the estimate as plain data, as manifests and ``--json`` hold it."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "unit": self.unit,
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if self.half_width is None:
            return f"{self.mean:.6g}{unit} (one run: no interval)"
        covered = f"{100 * self.confidence:g}%"
        return f"{self.mean:.6g} ± {self.half_width:.2g}{unit} ({covered}, n = {self.n})"


@dataclass(frozen=True, slots=True)
class Difference:
    """The paired difference *a − b* of one measure over the same seeds.

    Attributes:
        difference: the mean of the differences with its interval.
        a: the first side's own mean.
        b: the second side's own mean.
    """

    difference: Estimate
    a: Estimate
    b: Estimate

    @property
    def ratio(self) -> float | None:
        """The mean difference as a share of *b*'s mean: 0.1 says that *a* is 10 % higher."""
        return None if self.b.mean == 0.0 else self.difference.mean / self.b.mean

    @property
    def significant(self) -> bool:
        """Whether the interval of the difference leaves out zero."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and (low > 0.0 or high < 0.0)

    def __str__(self) -> str:
        share = "" if self.ratio is None else f" ({self.ratio:+.1%})"
        verdict = "differs" if self.significant else "no difference shown"
        return f"{self.difference}{share}: {verdict}"


@dataclass(frozen=True, slots=True)
class Trend:
    """The outcome of a Mann–Kendall test for a monotone trend.

    Attributes:
        s: the number of rising pairs minus the number of falling pairs.
        tau: ``s`` as a share of all pairs, from −1 (always falling) to 1 (always rising).
        p_value: two-sided probability of such an ``s`` when there is no trend (normal
            approximation with tie correction; good from about 8 values on).
    """

    s: int
    tau: float
    p_value: float

    def direction(self, alpha: float = 0.05) -> str:
        """Return ``"rising"``, ``"falling"`` or ``"none"`` at significance level ``alpha``."""
        if self.p_value >= alpha or self.s == 0:
            return "none"
        return "rising" if self.s > 0 else "falling"


def student_t(confidence: float, degrees: float) -> float:
    """Return the two-sided Student-t quantile: 2.262 for 0.95 and 9 degrees of freedom.

    Raises:
        InputError: when ``confidence`` is not between 0 and 1 or ``degrees`` is below 1.
    """
    if not arguments.is_number(confidence) or not 0.0 < confidence < 1.0:
        raise InputError(
            "a confidence is a probability", "confidence", repr(confidence), "0 < c < 1"
        )
    if not arguments.is_number(degrees) or not degrees >= 1:
        raise InputError("too few values for an interval", "degrees", repr(degrees), "1 or more")
    return _quantile(confidence, degrees)


@lru_cache(maxsize=4096)
def _quantile(confidence: float, degrees: float) -> float:
    """What `student_t` returns; a study asks for the same one at each point and measure."""
    # scipy.special alone: scipy.stats takes a second to import.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2.0))


def mean(values: Sequence[float], unit: str = "", confidence: float = 0.95) -> Estimate:
    """Return the mean of independent values with its Student-t interval.

    Args:
        values: one number per run, at least one, all finite.
        unit: the unit of the values.
        confidence: the interval's coverage.

    Raises:
        InputError: when there is no value, one is not finite, or ``confidence`` is not between 0
            and 1.
    """
    found = _finite(values)
    return _mean(found, found, unit, arguments.confidence(confidence))


def mean_of_array(values: npt.NDArray[np.float64], confidence: float) -> Estimate:
    """Return what `mean` does, to the last digit, without asking whether it can.

    Args:
        values: at least one, all finite.
        confidence: between 0 and 1.

    Raises:
        InputError: they are too large to be squared and added up.
    """
    return _mean(values.tolist(), values, "", confidence)


def _mean(values: list[float], same: npt.ArrayLike, unit: str, confidence: float) -> Estimate:
    """The mean of a list, of which an array may be at hand: from that squares are faster."""
    n = len(values)
    try:
        average = math.fsum(values) / n
        # Where values differ, most often the first and the last do, and nobody need count.
        if values[0] == values[-1] and values.count(values[0]) == n:
            # To the last digit, so that none of them deviates.
            average = values[0]
        squares = math.fsum(_squares_around(average, values, same))
    except OverflowError:
        squares = math.inf
    if not math.isfinite(squares):
        raise _too_large(values, "values")
    if n == 1:
        return Estimate(average, None, 1, unit, confidence)
    variance = squares / (n - 1)
    half_width = _quantile(confidence, n - 1) * math.sqrt(variance / n) if variance else 0.0
    return Estimate(average, half_width, n, unit, confidence)


def paired(
    a: Sequence[float], b: Sequence[float], unit: str = "", confidence: float = 0.95
) -> Difference:
    """Return the paired difference *a − b*; both sequences are ordered by the same seeds.

    With common random numbers the runs of one seed see the same weather, so their difference
    varies less than either side and the interval is narrower than two separate ones.

    Raises:
        InputError: when the sequences differ in length, are empty, or hold a non-finite value.
    """
    a, b = _finite(a, "a"), _finite(b, "b")
    if len(a) != len(b):
        raise InputError(
            "paired values need one partner each", "a, b", f"{len(a)} and {len(b)} values"
        )
    differences = [left - right for left, right in zip(a, b, strict=True)]
    return Difference(
        mean(differences, unit, confidence), mean(a, unit, confidence), mean(b, unit, confidence)
    )


def runs_for(relative: float, precision: float, now: int) -> int:
    """Return how many runs bring an interval to a precision, at most twice as many as now.

    Args:
        relative: the half-width as a share of the mean, of so many runs; infinite or not a number
            if they tell none.
        precision: the wished share.
        now: the runs that there are.
    """
    if relative <= precision:
        return now
    if not relative < 2.0 * precision:
        return 2 * now
    # A little more than the square law says, or rounds of one run each would follow.
    return min(2 * now, math.ceil(1.05 * now * (relative / precision) ** 2))


def batch_means(
    series: Sequence[float], batches: int = 10, unit: str = "", confidence: float = 0.95
) -> Estimate:
    """Return the mean of one long correlated series with an interval from batch means.

    The series is cut into ``batches`` equal parts (a remainder is left off at the front, where the
    start-up transient is); the parts' means are nearly independent when a part is much longer than
    the correlation.

    Raises:
        InputError: when there are fewer than two batches, fewer values than batches, or a value is
            no finite number.
    """
    batches, series = arguments.whole(batches, "batches", 0), _finite(series, "series")
    if batches < 2:
        raise InputError("too few batches for an interval", "batches", str(batches), "2 or more")
    size = len(series) // batches
    if size < 1:
        raise InputError(
            "the series is too short", "series", f"{len(series)} values", f"{batches} or more"
        )
    start = len(series) - size * batches
    parts = [series[start + i * size : start + (i + 1) * size] for i in range(batches)]
    try:
        means = [math.fsum(part) / size for part in parts]
    except OverflowError as error:
        raise _too_large(series, "series") from error
    return mean(means, unit, confidence)


def jain(shares: Sequence[float]) -> float:
    """Return Jain's fairness index of non-negative shares: 1 is equal, 1/n is all to one.

    Raises:
        InputError: when there is no share, one is negative, or all are zero.
    """
    shares = _finite(shares, "shares")
    if min(shares) < 0.0:
        raise InputError("a share cannot be negative", "shares", str(min(shares)), "0 or more")
    largest = max(shares)
    if largest == 0.0:
        raise InputError("no share is positive: fairness has no meaning", "shares", "all zero")
    # Scaled first, so that squares of tiny shares do not vanish.
    scaled = [share / largest for share in shares]
    total = math.fsum(scaled)
    return total * total / (len(scaled) * math.fsum(share * share for share in scaled))


def mann_kendall(values: Sequence[float]) -> Trend:
    """Test a sequence for a monotone trend, whatever its shape (Mann 1945, Kendall 1975).

    Raises:
        InputError: when there are fewer than three values or one is not finite.
    """
    values = _finite(values)
    n = len(values)
    if n < 3:
        raise InputError("too few values for a trend", "values", f"{n} values", "3 or more")
    s = sum(_sign(values[j] - values[i]) for i in range(n - 1) for j in range(i + 1, n))
    ties: dict[float, int] = {}
    for value in values:
        ties[value] = ties.get(value, 0) + 1
    variance = (
        n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties.values())
    ) / 18.0
    # The continuity correction pulls s one step towards zero.
    z = (abs(s) - 1) / math.sqrt(variance) if s and variance > 0.0 else 0.0
    return Trend(s, 2.0 * s / (n * (n - 1)), min(1.0, math.erfc(z / math.sqrt(2.0))))


def _too_large(values: Sequence[float], place: str) -> InputError:
    most = repr(max(values, key=abs))
    return InputError("too large to be squared and added up", place, most, "less than 1e150")


def _sign(value: float) -> int:
    return (value > 0.0) - (value < 0.0)


def _squares_around(middle: float, values: list[float], same: npt.ArrayLike) -> Iterable[float]:
    """Return the squares of how far values are from one, to the same last digit either way."""
    if len(values) < _MANY:
        deviations = [value - middle for value in values]
        return map(operator.mul, deviations, deviations)
    # SciPy, which knows Student's t, loads it in any case.
    import numpy as np

    with np.errstate(over="ignore"):
        squares: list[float] = np.square(np.asarray(same) - middle).tolist()
    return squares


def _finite(values: Iterable[float], place: str = "values") -> list[float]:
    """Return numbers as a list, of arrays and columns too."""
    try:
        # Of numpy's own numbers not even signs can be subtracted.
        found = values.tolist() if hasattr(values, "tolist") else list(values)
        # Nearly always all are finite, and a loop takes three times as long to see it.
        if found and all(map(math.isfinite, found)):
            # Decimals and fractions too, which cannot be mixed with numbers of other kinds.
            return list(map(float, found))
    except TypeError as error:
        raise InputError("are no numbers", place, repr(values)[:80], "numbers") from error
    except OverflowError as error:
        most = "whole numbers below 1e308"
        raise InputError("too large a whole number", place, repr(values)[:80], most) from error
    if not found:
        raise InputError("no values", place, "none", "at least one")
    index, value = next((i, v) for i, v in enumerate(found) if not math.isfinite(v))
    raise InputError("not a finite number", f"{place}[{index}]", str(value), "finite numbers")
