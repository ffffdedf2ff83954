"""How far a study is, for whoever shows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["POINT_S", "ProgressCallback", "StudyProgress", "seconds_of"]

POINT_S = 0.004
"""What a point's line of each measure, and its scenario forced to disk, take at the end."""


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is.

    Attributes:
        done: runs that are finished or have failed, those reused included.
        total: all runs that are known to be needed.
        elapsed_s: seconds of wall time since the start.
        left_s: seconds left; ``None`` while nothing is known.
        running: runs at work now.
        reused: runs that were there before.
        wide: points whose interval is still too wide; ``None`` without a wished precision.
        points: all points.
        tables: whether all runs are done, and tables and scenarios are being written.
        rounds: whether more runs may be asked for after these, for a wished precision; the seconds
            left are those of this round then, without tables.
    """

    done: int
    total: int
    elapsed_s: float
    left_s: float | None
    running: int
    reused: int
    wide: int | None
    points: int
    tables: bool = False
    rounds: bool = False

    @property
    def doing(self) -> str:
        """One line for a progress bar."""
        if self.tables:
            return "writing tables"
        idle = self.running == 0 and self.done < self.total
        text = "waiting for a worker" if idle else f"{self.running} running"
        return text if self.wide is None else f"{text}, {self.wide}/{self.points} points still wide"

    @property
    def left_of(self) -> str:
        """What the time left is the time of, where that is not all: more runs may be asked for."""
        return "in this round" if self.rounds else ""


ProgressCallback = Callable[[StudyProgress], None]


def seconds_of(
    missing: Mapping[str, int], finished: Mapping[str, tuple[float, int]], workers: int
) -> float | None:
    """Return what missing runs take, by what runs of the same points took; ``None`` if none did.

    Args:
        missing: how many, by the point's key; those of a point of which none has finished are taken
            to be like all others.
        finished: wall seconds in all, and runs, by the point's key.
        workers: how many run at a time.
    """
    if not any(missing.values()):
        return 0.0
    if not finished or not workers:
        return None
    sums = finished.values()
    anywhere = math.fsum(total for total, _ in sums) / sum(count for _, count in sums)
    each = {key: total / count for key, (total, count) in finished.items()}
    return math.fsum(n * each.get(key, anywhere) for key, n in missing.items()) / workers
