"""Runs many runs on all cores and hands each over soon after it has finished.

The threads live in the core and hold no Python lock, so one process uses every core. The one
invariant: a job's record depends on its scenario, seed and run number alone, never on the number of
workers or on the order in which jobs finish.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import orjson

from acklab import _native, arguments
from acklab.errors import RunError
from acklab.interrupts import held
from acklab.scenario import Resolved

__all__ = [
    "Group",
    "Job",
    "Progress",
    "ProgressCallback",
    "Record",
    "available_cores",
    "execute",
    "finished",
    "polled",
]

_LOG = logging.getLogger("acklab")

Record = dict[str, Any]
"""What one run reports, as the core's JSON says it; a run that failed holds only ``error``."""

Group = list[tuple[int, Record]]
"""Jobs that finished about together: ``(index of the job, its record)`` of each."""

# Short enough that Ctrl-C and a progress bar feel immediate, long enough to cost nothing.
_POLL_S = 0.1
# How long cancelled runs may take to notice it: a policy may be in the midst of a decision.
_END_S = 2.0
# How often a policy that does not come to its end is told to, each time for so long.
_TOLD = 20
_TOLD_S = 0.1


@dataclass(frozen=True)
class Job:
    """One run to do: a resolved scenario, the root seed and the number of the run.

    Attributes:
        options: what to write besides the result: ``pcap``, ``ip_pcap``, ``node``, ``events``
            (see `acklab.Captures`), ``trace`` and ``shuffle_ties`` (for tests); what the record
            need not hold, ``leave_out`` (of flows, nodes, samples); and whether it shall hold
            ``cpu_s``, the processor's seconds of the run alone (``cpu``).
    """

    resolved: Resolved
    seed: int
    run: int
    options: dict[str, Any] | None = None


@dataclass(frozen=True)
class Progress:
    """How far a batch is.

    Attributes:
        done: finished runs.
        total: all runs of the batch.
        elapsed_s: seconds of wall time since its start.
    """

    done: int
    total: int
    elapsed_s: float

    @property
    def left_s(self) -> float | None:
        """Seconds left at the pace so far; ``None`` before the first run has finished."""
        return self.elapsed_s * (self.total - self.done) / self.done if self.done else None


ProgressCallback = Callable[[Progress], None]


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    jobs: Sequence[Job], workers: int | None = None, progress: ProgressCallback | None = None
) -> Iterator[tuple[int, Record]]:
    """Run the jobs and yield ``(index of the job, its record)`` as they finish.

    Where the caller keeps up, that is within 20 ms of the end of each.

    Ctrl-C while it waits cancels what has not finished. Closing the iterator early does so, too,
    and throws away what has finished and was not yielded. What was yielded is complete.

    Args:
        jobs: the runs to do; they start in this order.
        workers: how many at a time; all cores by default.
        progress: called about ten times a second and after each run.

    Raises:
        InputError: ``workers`` is not positive.
    """
    started = time.monotonic()
    done = 0
    with closing(polled(jobs, workers)) as groups:
        for group in groups:
            if not group and progress is not None:
                progress(Progress(done, len(jobs), time.monotonic() - started))
            for answer in group:
                done += 1
                if progress is not None:
                    progress(Progress(done, len(jobs), time.monotonic() - started))
                yield answer


def polled(jobs: Sequence[Job], workers: int | None = None) -> Generator[Group]:
    """Do what `execute` does, for runs that finish together; an empty group while none does."""
    workers = arguments.workers(workers) or available_cores()
    try:
        batch = _native.Batch(list(_as_tuples(jobs)), workers)
    except OSError as error:
        reason = f"no thread can be started for runs: {error.strerror or error}"
        raise RunError(reason) from error
    try:
        yield from finished(batch, _POLL_S)
    finally:
        _end(batch)


def finished(batch: _native.Batch, timeout_s: float) -> Generator[Group]:
    """Yield what finishes together, until all has; an empty group after so many seconds without.

    Ctrl-C while it waits is raised when all that has finished is handed over.
    """
    while batch.remaining():
        group: Group = []
        interrupted = False
        try:
            try:
                batch.wait(timeout_s)
            finally:
                with held():
                    answers = iter(batch.next, None)
                    group.extend((index, orjson.loads(text)) for index, text in answers)
        except KeyboardInterrupt:
            interrupted = True
        try:
            yield group
        finally:
            if interrupted:
                raise KeyboardInterrupt


def _end(batch: _native.Batch) -> None:
    """Stop what runs, and wait until it has ended.

    A thread that asks for a decision while Python ends would take the process with it, so one that
    is stuck in it is interrupted there.
    """
    batch.cancel()
    ended = False
    try:
        ended = batch.ended(_END_S)
    finally:
        # Where Ctrl-C comes once more, too.
        if not ended:
            _interrupt_policies(batch)


def _interrupt_policies(batch: _native.Batch) -> None:
    import ctypes

    for _ in range(_TOLD):
        for thread in batch.asking():
            told = ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(*told)
        if batch.ended(_TOLD_S):
            return
    _LOG.warning(
        "a stopped run has not ended, maybe for a policy that is stuck in a decision or a "
        "file that is being written: this process may end by a signal"
    )


_Plain = (
    tuple[str, int, int]
    | tuple[str, int, int, str]
    | tuple[str, int, int, str | None, dict[str, Any]]
)


def _as_tuples(jobs: Iterable[Job]) -> Iterator[_Plain]:
    options, text = None, None
    for job in jobs:
        # Nearly always those of the job before.
        if job.options is not options:
            options = job.options
            text = None if options is None else json.dumps(options)
        resolved = job.resolved
        if resolved.policies:
            yield resolved.text, job.seed, job.run, text, dict(resolved.policies)
        elif text is None:
            yield resolved.text, job.seed, job.run
        else:
            yield resolved.text, job.seed, job.run, text
