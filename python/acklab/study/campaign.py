"""Runs what a study lacks: nothing twice, nothing lost, more where an interval is still wide.

Every decision (how many runs a point gets) is taken on the runs 0 to n − 1 of that point alone, so
that it does not depend on what was finished first, reused, or interrupted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from acklab import stats
from acklab.batch import Job, Record
from acklab.errors import OutputError, StudyInterrupted
from acklab.interrupts import ended_gently, heard, held
from acklab.store import code_identity
from acklab.study import archive
from acklab.study.backends import Backend
from acklab.study.borrowing import borrowed
from acklab.study.cache import Cache
from acklab.study.index import Index, RunKey
from acklab.study.plan import KEEPABLE, Plan
from acklab.study.points import Point
from acklab.study.progress import POINT_S, ProgressCallback, StudyProgress, seconds_of
from acklab.study.rounds import portion, runs_for, wanted
from acklab.study.rows import KEY, Frames, Rows

if TYPE_CHECKING:
    import polars

__all__ = ["Campaign"]

# A batch is written when this much wall time went by since the last one: seldom enough to cost
# nothing, often enough that a killed process loses little.
_WRITE_EVERY_S = 1.0
_WRITE_AT_MOST_S = 20.0
_WRITE_ROWS = 2000
# Nor shall many rows be left to write when the last run has ended and all other cores are idle.
_LAST_S = 0.1
_LAST_ROWS = 100
# Rows that need not be read again for the tables: some 30 MB.
_ROWS_AT_HAND = 20_000
# How often to look whether another process works on the same study.
_LOOK_EVERY_S = 1.0
# How often to say how far it is; that takes a twentieth of the time at the most.
_SHOW_EVERY_S = 0.2
_SHOW_SHARE = 20.0


@dataclass
class Campaign:
    """One call to run a study in a folder."""

    plan: Plan
    points: Sequence[Point]
    folder: Path
    backend: Backend
    cache: Cache
    progress: ProgressCallback | None = None
    fresh: bool = False
    targets: dict[str, int] = field(default_factory=dict)
    """Runs that each point shall have, by the point's key."""
    finished: dict[RunKey, float] = field(default_factory=dict)
    failures: dict[RunKey, str] = field(default_factory=dict)
    new: int = 0
    cpu_s: float = 0.0
    """Processor's seconds of the new runs themselves, where the system tells."""
    batches: list[str] = field(default_factory=list)
    """Where the finished runs lie, once all are there."""
    sums: dict[str, str] = field(default_factory=dict)
    """Of their files, by the file's name."""
    at_hand: dict[str, Frames] = field(default_factory=dict)
    """What some of those hold."""
    started: float = field(default_factory=time.monotonic)
    _done_here: set[RunKey] = field(default_factory=set)
    _values: dict[RunKey, float | None] = field(default_factory=dict)
    _unwritten: Rows = field(default_factory=Rows)
    _written_at: float = field(default_factory=time.monotonic)
    _show_at: float = 0.0
    _left: Counter[str] = field(default_factory=Counter)
    """Runs that are missing, by the point's key."""
    _walls: dict[str, tuple[float, int]] = field(default_factory=dict)
    """What finished runs took in all, and how many they are, by the point's key."""
    _looked_at: float = field(default_factory=time.monotonic)
    _loaded: set[str] = field(default_factory=set)
    _rows_at_hand: int = 0
    # Batches that lack a kind of row that is kept now, and what is written so that nothing that
    # they hold is lost when their runs are done again.
    _lesser: set[str] = field(default_factory=set)
    _kept: frozenset[str] = frozenset()
    _show_costs: tuple[float, ...] = (0.0, 0.0, 0.0)
    """What the last calls took, in seconds."""
    _tables_follow: bool = False
    _tables_of: int | None = None
    """Of how many points all is written, once their runs are done."""

    def __post_init__(self) -> None:
        self.targets = {point.key: self.plan.runs for point in self.points}

    def execute(self, then: Callable[[Campaign], None] | None = None) -> None:
        """Run all that is missing, and then call ``then``, while the folder is held open.

        Raises:
            StudyInterrupted: Ctrl-C, SIGTERM or SIGHUP; all finished runs are kept.
            OutputError: the folder cannot be written; what was written before is kept.
        """
        with ended_gently(), closing(Index(self.folder, code_identity())) as index:
            self._index = index
            self._tables_follow = then is not None
            if self.fresh:
                index.forget(self.plan.seed, self.targets)
            self._look()
            self.cache.add(self.folder, self.finished)
            try:
                self._rounds()
            except KeyboardInterrupt:
                self._write()
                raise self.interrupted() from None
            except OutputError:
                raise
            except BaseException:
                self._write()
                raise
            if then is not None:
                then(self)
            index.settle()

    def alone_with_tables(self) -> AbstractContextManager[None]:
        """Keep others from the folder's tables: each writes those of its own form of the study."""
        return self._index.exclusively()

    def _look(self) -> list[RunKey]:
        """Take notice of what lies in the folder, and say what is missing.

        What lacks a kind of row is not finished.
        """
        there = self._index.contents()
        self.batches, self.sums = there.batches, there.sums
        self._lesser = archive.lacking(self.folder, self.batches, self.plan.keep)
        # What somebody else keeps here is kept too, or each would do the other's runs again.
        self._kept |= self.plan.keep | archive.kinds(self.folder, self._lesser)
        # Not added to what was known: somebody may have begun afresh in the folder meanwhile.
        self.finished = there.finished(but=self._lesser)
        self.failures = {key: why for key, why in self.failures.items() if key not in self.finished}
        # What was done here may have been lost, or thrown away by somebody.
        self._done_here.intersection_update(self.finished)
        self._load_values(name for name in self.batches if name not in self._loaded)
        self._looked_at = time.monotonic()
        return self._count_left()

    @property
    def whole(self) -> list[str]:
        """The batches that held all that is kept when they were looked at last."""
        return [name for name in self.batches if name not in self._lesser]

    def _count_left(self) -> list[RunKey]:
        """Count once what is then kept by each run that is done: a large study has many."""
        missing = self._missing()
        self._left = Counter(key.scenario for key in missing)
        self._walls = {}
        for key, wall in self.finished.items():
            self._took(key, wall)
        return missing

    def _took(self, key: RunKey, wall: float) -> None:
        total, count = self._walls.get(key.scenario, (0.0, 0))
        self._walls[key.scenario] = (total + wall, count + 1)

    @property
    def reused(self) -> int:
        """Runs that were there before, here or in another study."""
        there = sum(self.targets.values()) - self._left.total() - len(self.failures)
        return there - len(self._done_here)

    def _rounds(self) -> None:
        while True:
            if not self.fresh:
                self._reuse()
            self._run_missing()
            if not self._left.total() and not self._ask_for_more():
                self._show(force=True)
                return

    def _missing(self) -> list[RunKey]:
        return [
            key
            for key in wanted(self.targets, self.plan.seed)
            if key not in self.finished and key not in self.failures
        ]

    def _reuse(self) -> None:
        """Take over what other studies have."""
        tried = [self.folder]
        while found := self.cache.find(self._missing(), *tried):
            for folder, keys in found.items():
                tried.append(folder)
                for frames in borrowed(folder, keys, self.plan.keep):
                    self._take_over(frames)

    def _take_over(self, frames: dict[str, polars.DataFrame]) -> None:
        runs = frames["runs"]
        taken = [RunKey(*row) for row in runs.select(KEY).iter_rows()]
        walls = runs.get_column("wall_s").to_list()
        name, sums = archive.write(self.folder, frames)
        self._index.add(name, sums, zip(taken, walls, strict=True), self._lesser)
        self.sums |= sums
        self.cache.add(self.folder, taken)
        self.finished |= dict(zip(taken, walls, strict=True))
        self._load_values([name])
        self._count_left()

    def _run_missing(self) -> None:
        """Run until the folder holds all that is asked for."""
        scenarios = {point.key: point.scenario.resolve() for point in self.points}
        while True:
            missing = self._look()
            if not missing:
                return
            shared = self._index.shared()
            if shared:
                walls, workers = self.finished.values(), self.backend.workers
                missing = portion(missing, walls, workers, self._index.seat())
            self._unwritten = Rows(self._kept)
            options = {"leave_out": sorted(set(KEEPABLE) - self._kept), "cpu": True}
            jobs = [Job(scenarios[key.scenario], key.seed, key.run, options) for key in missing]
            left = len(jobs)
            with closing(self.backend.run(jobs)) as groups:
                for group in groups:
                    with held():
                        left -= len(group)
                        for index, record in group:
                            self._take(missing[index], record)
                        # Let go of here: it would be when the next group is there and not yet held.
                        group.clear()
                    heard()
                    self._write_if_due(left)
                    self._show()
                    if not shared and self._somebody_came():
                        shared = True
                        break
            self._write()
            if not shared and self._all_is_here():
                return

    def _all_is_here(self) -> bool:
        """Whether nothing is missing, by what was done here: nobody else has done anything."""
        if self._left.total() or self._lesser or self._index.shared():
            return False
        return not archive.lacking(self.folder, self.batches, self.plan.keep)

    def _somebody_came(self) -> bool:
        now = time.monotonic()
        if now - self._looked_at < _LOOK_EVERY_S:
            return False
        self._looked_at = now
        return self._index.shared()

    def _take(self, key: RunKey, record: Record) -> None:
        self._left[key.scenario] -= 1
        if "error" in record:
            self.failures[key] = str(record["error"]["message"])
            return
        # First: what is said to be finished is kept, whatever is raised in here.
        self._unwritten.add(key, record)
        self._took(key, record["wall_s"])
        self.finished[key] = record["wall_s"]
        self._values[key] = record["measures"].get(self.plan.measure)
        self._done_here.add(key)
        self.new += 1
        self.cpu_s += record.get("cpu_s", 0.0)

    def _write_if_due(self, left: int) -> None:
        now = time.monotonic()
        since = now - self._written_at
        pace = (now - self.started) / 50.0
        wait = min(_WRITE_AT_MOST_S, max(_WRITE_EVERY_S, pace))
        rows = len(self._unwritten)
        soon_over = rows >= _LAST_ROWS and left * since < rows * _LAST_S
        if since > wait or rows >= _WRITE_ROWS or soon_over:
            self._write()

    def _write(self) -> None:
        if self._unwritten:
            # Ctrl-C may come in the midst of it: then all is written once more.
            finished = self._unwritten
            frames = finished.frames()
            name, sums = archive.write(self.folder, frames)
            self._loaded.add(name)
            self._keep_at_hand(name, frames)
            self._index.add(name, sums, finished.walls, self._lesser)
            self.batches.append(name)
            self.sums |= sums
            self._unwritten = Rows(self._kept)
            self.cache.add(self.folder, (key for key, _ in finished.walls))
        self._written_at = time.monotonic()

    def _keep_at_hand(self, name: str, frames: Frames) -> None:
        """Keep what was just written for the study's tables, as far as there is room."""
        self._rows_at_hand += sum(frame.height for frame in frames.values())
        if self._rows_at_hand <= _ROWS_AT_HAND:
            self.at_hand[name] = frames

    def _load_values(self, batches: Iterable[str]) -> None:
        if self.plan.precision is None:
            return
        names = list(batches)
        self._loaded.update(names)
        rows = archive.read(self.folder, names, "runs", self.sums)
        if rows.is_empty() or self.plan.measure not in rows.columns:
            return
        for *key, value in rows.select(*KEY, self.plan.measure).iter_rows():
            self._values[RunKey(*key)] = value

    def _ask_for_more(self) -> bool:
        """Whether some point gets more runs; the precision may have been reached everywhere."""
        precision = self.plan.precision
        if precision is None:
            return False
        more = False
        for key, target in self.targets.items():
            wanted = min(self.plan.max_runs, runs_for(self.estimate(key), precision, target))
            more = more or wanted > target
            self.targets[key] = max(target, wanted)
        return more

    def _may_ask_for_more(self) -> bool:
        if self.plan.precision is None or self._tables_of is not None:
            return False
        return any(target < self.plan.max_runs for target in self.targets.values())

    def estimate(self, key: str) -> stats.Estimate | None:
        """Return the measure of a point over its first runs; ``None`` while none tells it."""
        runs = [RunKey(key, self.plan.seed, run) for run in range(self.targets[key])]
        known = (self._values.get(run) for run in runs)
        values = [value for value in known if value is not None]
        return stats.mean(values) if values else None

    def wide(self) -> int | None:
        """How many points have an interval that is still too wide."""
        precision = self.plan.precision
        if precision is None:
            return None
        relatives = [
            estimate.relative if (estimate := self.estimate(key)) else None for key in self.targets
        ]
        return sum(1 for relative in relatives if relative is None or relative > precision)

    def _show(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if self.progress is None or (not force and now < self._show_at):
            return
        left, total = self._left.total(), sum(self.targets.values())
        self.progress(
            StudyProgress(
                total - left,
                total,
                now - self.started,
                self._seconds_left(),
                min(left, self.backend.workers),
                self.reused,
                self.wide(),
                len(self.targets),
                self._tables_of is not None,
                self._may_ask_for_more(),
            )
        )
        # Of many runs with a wished precision it takes a while to say how far they are; a single
        # call takes long where it loads what it needs, and maybe another one after it.
        done = time.monotonic()
        self._show_costs = (*self._show_costs[1:], done - now)
        self._show_at = done + max(_SHOW_EVERY_S, _SHOW_SHARE * min(self._show_costs))

    def _seconds_left(self) -> float | None:
        """What the missing runs take, and then the tables."""
        follow = self._tables_follow and not self._may_ask_for_more()
        tables = (len(self.points) - (self._tables_of or 0)) * POINT_S if follow else 0.0
        runs = seconds_of(self._left, self._walls, self.backend.workers)
        return None if runs is None else runs + tables

    def show_tables(self, points: int) -> None:
        """Say that the runs are done, and of how many points all is written."""
        first, self._tables_of = self._tables_of is None, points
        self._show(force=first)

    def interrupted(self) -> StudyInterrupted:
        """Return what to raise when somebody ends the study before its time."""
        missing = len(self._missing())
        total = sum(self.targets.values())
        return StudyInterrupted(total - missing, total, str(self.folder))
