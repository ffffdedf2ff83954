"""Which runs come next: in what order several processes take them, and how many more there are."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from acklab import stats
from acklab.study.index import RunKey

__all__ = ["apart", "portion", "runs_for", "wanted"]

# Where several processes work on a study, runs are taken in portions of about so much wall time, to
# see what the others have done.
_PORTION_S = 2.0
_FIRST_GUESS_S = 0.05


def wanted(targets: Mapping[str, int], seed: int) -> list[RunKey]:
    """All runs, run 0 of every point first: what Ctrl-C leaves behind is balanced.

    Args:
        targets: how many runs each scenario shall have.
        seed: the study's.
    """
    return [
        RunKey(key, seed, run)
        for run in range(max(targets.values()))
        for key, target in targets.items()
        if run < target
    ]


def portion(
    missing: list[RunKey], walls: Collection[float], workers: int, seat: int
) -> list[RunKey]:
    """Return what to do next of what is missing while somebody else does some of it too.

    Args:
        missing: all that is.
        walls: what finished runs took, in seconds.
        workers: how many runs go on at a time here.
        seat: a number that no other process has.
    """
    each = math.fsum(walls) / len(walls) if walls else _FIRST_GUESS_S
    workers = max(1, workers)
    most = math.ceil(_PORTION_S * workers / max(each, 1e-6))
    count = max(2 * workers, min(most, len(missing) // 4))
    return apart(missing, seat)[:count]


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
