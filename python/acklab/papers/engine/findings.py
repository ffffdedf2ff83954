"""What a rule answers: three-valued, with measured values; conditions on one estimate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acklab.papers.engine.estimate import Estimate

MARGIN = 0.03
"""Half-width (relative quantities: 3 %) beyond which an interval is too wide to decide by."""

Check = Mapping[str, Any]
Met = bool | None
SAID: Mapping[Met, str] = {True: "yes", False: "no", None: "cannot tell"}


@dataclass(frozen=True)
class Measured:
    """One measured value with its interval, as a claim's row shows it (None: there is none)."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    runs: int
    met: Met = None
    percent: bool = False


@dataclass(frozen=True)
class Finding:
    """A rule's answer, what it measured and a reason in one line."""

    met: Met
    reason: str
    measured: tuple[Measured, ...] = field(default=())


def all_met(answers: Sequence[Met]) -> Met:
    """Three-valued "and"."""
    if any(answer is False for answer in answers):
        return False
    return None if any(answer is None for answer in answers) else True


def any_met(answers: Sequence[Met]) -> Met:
    """Three-valued "or"."""
    if any(answer for answer in answers):
        return True
    return None if any(answer is None for answer in answers) else False


def share_met(answers: Sequence[Met], share: float) -> Met:
    """Are at least this share of the answers yes?"""
    yes = sum(answer is True for answer in answers)
    open_ = sum(answer is None for answer in answers)
    need = share * len(answers) - 1e-9
    if yes >= need:
        return True
    return None if yes + open_ >= need else False


def measured(
    label: str,
    estimate: Estimate,
    check: Check,
    met: Met = None,
    found: tuple[float, float] | None = None,
) -> Measured:
    """An estimate as a row; `found` is the interval of a value that a search found."""
    percent = str(check.get("unit", "")) == "%"
    value, low, high = (
        x if math.isfinite(x) else None for x in (estimate.value, *estimate.interval())
    )
    if found is not None:
        return Measured(label, value, *found, 0, met, percent)
    return Measured(label, value, low, high, estimate.runs, met, percent)


def condition(estimate: Estimate, name: str, bound: Any, margin: float, level: float = 0.95) -> Met:
    """One condition of the `estimate` rule on one estimate, with its interval of that level."""
    value = estimate.value
    low, high = estimate.interval(level)
    wide = estimate.half_width() > margin
    if value != value:
        return None
    match name:
        case "in":
            lower, upper = bound
            if estimate.half_width() > (upper - lower) / 2:
                return False if low > upper or high < lower else None
            return bool(lower <= value <= upper)
        case "above":
            return True if value > bound else (None if wide and high > bound else False)
        case "at_least":
            return True if value >= bound else (None if wide and high >= bound else False)
        case "at_most":
            return True if value <= bound else (None if wide and low <= bound else False)
        case "sig_above" | "ci_above":
            return True if low > bound else (None if wide and high > bound else False)
        case "sig_below" | "ci_below":
            return True if high < bound else (None if wide and low < bound else False)
        case "no_sig_above":
            return bool(low <= bound)
        case "no_sig_below":
            return bool(high >= bound)
        case _:
            raise KeyError(name)


def number(value: float, percent: bool) -> str:
    """A value as a reader wants it: 41.2 % or 14.61."""
    return f"{100 * value:.3g} %" if percent else f"{value:.4g}"
