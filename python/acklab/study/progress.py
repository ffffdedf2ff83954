"""How far a study is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ProgressCallback", "StudyProgress"]


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
    """

    done: int
    total: int
    elapsed_s: float
    left_s: float | None
    running: int
    reused: int
    wide: int | None
    points: int

    @property
    def doing(self) -> str:
        """One line for a progress bar."""
        idle = self.running == 0 and self.done < self.total
        text = "waiting for a worker" if idle else f"{self.running} running"
        return text if self.wide is None else f"{text}, {self.wide}/{self.points} points still wide"


ProgressCallback = Callable[[StudyProgress], None]
