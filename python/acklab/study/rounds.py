"""Which runs come next: in what order several processes take them, and how many more there are."""

from __future__ import annotations

import math

from acklab import stats
from acklab.study.index import RunKey

__all__ = ["apart", "runs_for"]


def apart(missing: list[RunKey], seat: int) -> list[RunKey]:
    """Order what is missing so that those who work on it meet late.

    Who came first goes on at the front, the second comes from the back, the third begins in the
    middle, the next ones at a quarter, three quarters, an eighth and so on.
    """
    if seat < 2:
        return missing[::-1] if seat else missing
    share, step = 0.0, 0.5
    for digit in reversed(f"{seat - 1:b}"):
        share += step * int(digit)
        step /= 2
    start = int(share * len(missing))
    return missing[start:] + missing[:start]


def runs_for(estimate: stats.Estimate | None, precision: float, now: int) -> int:
    """How many runs bring the half-width to ``precision`` × mean, at most doubling at a time.

    If none of the runs so far tells the measure, nothing says how many it would take.
    """
    if estimate is None:
        return now
    relative = estimate.relative
    return stats.runs_for(math.inf if relative is None else relative, precision, now)
