"""Where runs are done: all cores of this machine, or a cluster of dask.distributed.

A backend takes jobs and yields their records in whatever order they finish. The one invariant: the
record of a job does not depend on the backend.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from acklab.batch import Job, Record, available_cores, execute
from acklab.errors import InputError
from acklab.policy import AckPolicy
from acklab.scenario import Resolved
from acklab.study.cache import code_identity

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Backend", "Dask", "Threads", "open_backend"]

BATCH_S = 0.25
"""Wall seconds that a batch for a cluster should take: far above what sending it costs."""

_FIRST_GUESS_S = 0.05
_AT_MOST = 500
# Enough that no worker waits for its next batch, few enough that Ctrl-C loses little.
_AHEAD = 3


class Backend(Protocol):
    """Does runs."""

    @property
    def workers(self) -> int:
        """How many runs it does at a time."""
        ...

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record]]:
        """Yield ``(index of the job, record)`` as jobs finish; closing it cancels the rest."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


def open_backend(on: str | None, workers: int | None) -> Backend:
    """Return the backend that ``--on`` names: nothing, ``local-cluster`` or ``dask://HOST:PORT``.

    Raises:
        InputError: there is no such place, or what it needs is not installed.
    """
    if on is None:
        return Threads(workers)
    if on == "local-cluster" or on.startswith("dask://"):
        return Dask(on, workers)
    raise InputError("is no place to run", "--on", on, "local-cluster, or dask://HOST:PORT")


class Threads:
    """All cores of this machine, in threads of the core."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError("at least one worker is needed", "workers", str(workers), "1 or more")
        self.workers = workers or available_cores()

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record]]:
        """Yield ``(index of the job, record)`` as jobs finish."""
        yield from execute(jobs, self.workers)

    def close(self) -> None:
        """Nothing is held."""


class Dask:
    """The workers of a dask cluster; each batch is done once more if its worker dies."""

    def __init__(self, on: str, workers: int | None = None) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            wanted = "pip install 'acklab[dask]'"
            raise InputError("needs dask.distributed", "--on", on, wanted) from error
        if on == "local-cluster":
            # One thread each: the core would use all cores of a worker by itself.
            options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
            self.client: Client = Client(n_workers=workers or available_cores(), **options)
        else:
            try:
                self.client = Client(on.replace("dask://", "tcp://", 1), timeout=10)
            except OSError as error:
                accepted = "the address of a running dask scheduler"
                raise InputError(f"does not answer: {error}", "--on", on, accepted) from error
        self._check_versions(on)
        # As many as at the start: for batches ahead and for the time left.
        self.workers = max(1, sum(map(int, self.client.nthreads().values())))

    def _check_versions(self, on: str) -> None:
        """Results of another build would be filed under the wrong code."""
        mine = code_identity()
        for worker, theirs in self.client.run(_worker_identity, on_error="return").items():
            if theirs != mine:
                found = f"{worker} has {theirs}"
                raise InputError("a worker runs other code", "--on", on, f"{mine} ({found})")

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record]]:
        """Yield ``(index of the job, record)`` as batches of jobs finish."""
        from distributed import as_completed

        waiting = list(range(len(jobs)))[::-1]
        running: dict[str, list[int]] = {}
        seconds, done = 0.0, 0
        # Not the loop of whichever client the caller has open: a result that is lost with its
        # worker is waited for here and where it is fetched.
        finished = as_completed(raise_errors=False, loop=self.client.loop)
        try:
            while waiting or running:
                while waiting and len(running) < _AHEAD * self.workers:
                    size = _batch_size(seconds / done if done else _FIRST_GUESS_S)
                    batch = [waiting.pop() for _ in range(min(size, len(waiting)))]
                    future = self._submit([jobs[index] for index in batch])
                    running[future.key] = batch
                    finished.add(future)
                future = next(finished)
                batch = running.pop(future.key)
                for index, record in zip(batch, _records(future, len(batch)), strict=True):
                    seconds += record.get("wall_s", 0.0)
                    done += 1
                    yield index, record
                future.release()
        finally:
            finished.clear()
            self.client.cancel([*finished.futures])

    def _submit(self, batch: Sequence[Job]) -> Future:
        plain = [
            (job.resolved.text, dict(job.resolved.policies), job.seed, job.run, job.options)
            for job in batch
        ]
        # Retries are for workers that die; `pure` would key a batch by its content.
        return self.client.submit(_work, plain, pure=False, retries=5)

    def close(self) -> None:
        """Leave the cluster; one of our own ends with it."""
        self.client.close()


def _batch_size(seconds_each: float) -> int:
    return max(1, min(_AT_MOST, math.ceil(BATCH_S / max(seconds_each, 1e-6))))


def _records(future: Future, count: int) -> Iterator[Record]:
    """Return a batch's records; a batch that no worker could do is a failure of its runs."""
    if future.status == "finished":
        yield from future.result()
        return
    said = f"{future.status}: {future.exception()}" if future.status == "error" else future.status
    for _ in range(count):
        yield {"error": {"kind": "RunError", "message": f"the cluster gave it up: {said}"}}


def _worker_identity() -> str:
    return code_identity()


_Plain = tuple[str, dict[str, AckPolicy], int, int, dict[str, Any] | None]


def _work(batch: Sequence[_Plain]) -> list[Record]:
    """Do a batch on a worker, in one thread."""
    jobs = [
        Job(Resolved(text, policies), seed, run, options)
        for text, policies, seed, run, options in batch
    ]
    records: list[Record] = [{} for _ in jobs]
    for index, record in execute(jobs, 1):
        records[index] = record
    return records
