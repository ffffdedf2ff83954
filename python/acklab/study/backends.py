"""Where runs are done: all cores of this machine, or a cluster of dask.distributed.

A backend takes jobs and yields their records in whatever order they finish. The one invariant: the
record of a job does not depend on the backend.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import math
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from acklab import arguments
from acklab.batch import Job, Record, available_cores, execute, polled
from acklab.errors import InputError
from acklab.policy import AckPolicy
from acklab.scenario import Resolved
from acklab.study.cache import code_identity
from acklab.study.interrupts import not_in_workers

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Backend", "Dask", "Threads", "open_backend"]

BATCH_S = 0.25
"""Wall seconds that a batch for a cluster should take: far above what sending it costs."""

_FIRST_GUESS_S = 0.05
_AT_MOST = 500
# Enough that no worker waits for its next batch, few enough that Ctrl-C loses little.
_AHEAD = 3
# How often a cluster is looked at: are batches back, who is there, is there anything to show.
_POLL_S = 0.02
_COUNT_EVERY_S = 1.0
_BEAT_S = 0.5
_SAY_AFTER_S = 5.0
# A result whose worker dies before it is fetched is waited for like any other.
_FETCH_S = 10.0
_ADDRESS = "dask://HOST:PORT of a running dask scheduler"

_LOG = logging.getLogger("acklab")


class Backend(Protocol):
    """Does runs."""

    @property
    def workers(self) -> int:
        """How many runs it does at a time; none while a cluster has no worker."""
        ...

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record] | None]:
        """Yield ``(index of the job, record)`` as jobs finish; closing it cancels the rest.

        Now and then, while none has finished, ``None``: the caller may have something else to do.
        """
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
    if on == "local-cluster" or str(on).startswith("dask://"):
        return Dask(on, workers)
    raise InputError("is no place to run", "on", str(on), "local-cluster, or dask://HOST:PORT")


class Threads:
    """All cores of this machine, in threads of the core."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = arguments.workers(workers) or available_cores()

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record] | None]:
        """Yield ``(index of the job, record)`` as jobs finish, ``None`` while none does."""
        yield from polled(jobs, self.workers)

    def close(self) -> None:
        """Nothing is held."""


class Dask:
    """The workers of a dask cluster; each batch is done once more if its worker dies.

    If that dies too, each of its runs is done by itself, and what ends a worker even then has
    failed: no other run is lost with it. A cluster of one's own may have a batch done several times
    before that (dask's setting `distributed.scheduler.allowed-failures`).

    Workers may come and go: each batch is checked by the worker that does it, and as many are sent
    as the workers that are there now can use. Without any, it waits and says so.
    """

    def __init__(self, on: str, workers: int | None = None) -> None:
        workers = arguments.workers(workers)
        self.on = on
        self.client = _connected(on, workers)
        self.workers = 0
        self._counted_at = self._seen_at = time.monotonic()
        self._said = False
        try:
            self._check_versions()
            self._count()
        except BaseException:
            self.client.close()
            raise

    def _check_versions(self) -> None:
        """Refuse workers of another build before anything is sent to them."""
        mine = code_identity()
        for worker, theirs in self.client.run(_worker_identity, on_error="return").items():
            # One that dies just then says nothing; each batch looks for itself besides.
            if theirs != mine and not isinstance(theirs, OSError):
                raise self._other_code(worker, str(theirs))

    def _other_code(self, worker: str, theirs: str) -> InputError:
        """Results of another build would be filed under the wrong code."""
        accepted = f"{code_identity()}, which runs here: install the same wheel everywhere"
        return InputError(f"the worker {worker} runs other code", f"on {self.on}", theirs, accepted)

    def _count(self) -> int:
        """Count the workers that are there now; say so once if there are none for a while."""
        now = self._counted_at = time.monotonic()
        try:
            self.workers = sum(map(int, self.client.nthreads().values()))
        except (OSError, RuntimeError, ValueError) as error:
            raise self._gone() from error
        if self.workers:
            self._seen_at, self._said = now, False
        elif now - self._seen_at > _SAY_AFTER_S and not self._said:
            self._said = True
            _LOG.warning("%s: no worker is there; the study waits for one", self.on)
        return self.workers

    def _gone(self) -> InputError:
        message = "the scheduler has gone; finished runs are kept"
        return InputError(message, "on", self.on, _ADDRESS)

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[int, Record] | None]:
        """Yield ``(index of the job, record)`` as batches of jobs finish, ``None`` while none does.

        Raises:
            InputError: a worker runs another build of acklab, or the scheduler has gone.
        """
        from distributed import as_completed

        waiting = list(range(len(jobs)))[::-1]
        # A batch that came to nothing is done once more. Of one that comes to nothing again each
        # run is done by itself, with nothing else on the cluster: most of them are not to blame.
        lost: set[int] = set()
        suspects: list[int] = []
        alone = ""
        running: dict[str, list[int]] = {}
        seconds, done = 0.0, 0
        shown_at = time.monotonic()
        # Not the loop of whichever client the caller has open: a result that is lost with its
        # worker is waited for here and where it is fetched.
        finished = as_completed(raise_errors=False, loop=self.client.loop)
        try:
            while waiting or suspects or running:
                if time.monotonic() - self._counted_at > _COUNT_EVERY_S:
                    self._count()
                while waiting and len(running) < _AHEAD * max(1, self.workers):
                    size = _batch_size(seconds / done if done else _FIRST_GUESS_S)
                    batch = [waiting.pop() for _ in range(min(size, len(waiting)))]
                    finished.add(self._submit(jobs, batch, running))
                if suspects and not running and self._count():
                    future = self._submit(jobs, [suspects.pop()], running)
                    alone = future.key
                    finished.add(future)
                if time.monotonic() - shown_at > _BEAT_S:
                    shown_at = time.monotonic()
                    yield None
                if not finished.has_ready():
                    time.sleep(_POLL_S)
                    continue
                future = next(finished)
                if future.status == "error" and future.key != alone:
                    self._check_versions()
                    batch = running.pop(future.key)
                    (suspects if lost.issuperset(batch) else waiting).extend(batch[::-1])
                    lost.update(batch)
                    future.release()
                    continue
                records = self._records(future)
                if records is None:
                    finished.add(future)
                    continue
                for index, record in zip(running.pop(future.key), records, strict=True):
                    seconds += record.get("wall_s", 0.0)
                    done += 1
                    shown_at = time.monotonic()
                    yield index, record
                future.release()
        finally:
            # Those that nobody holds any more are given up by the scheduler.
            finished.clear()

    def _submit(
        self, jobs: Sequence[Job], batch: list[int], running: dict[str, list[int]]
    ) -> Future:
        plain = [
            (job.resolved.text, dict(job.resolved.policies), job.seed, job.run, job.options)
            for job in (jobs[index] for index in batch)
        ]
        # `pure` would key a batch by its content.
        future = self.client.submit(_work, code_identity(), plain, pure=False)
        running[future.key] = batch
        return future

    def _records(self, future: Future) -> list[Record] | None:
        """Return a batch's records; ``None`` if they were lost and are on their way again.

        A run that no worker could do, with nothing else on the cluster, has failed.
        """
        if future.status == "error":
            # Most likely code that does not know what it was sent.
            self._check_versions()
            message = f"the cluster gave it up: {future.exception()}"
            return [{"error": {"kind": "RunError", "message": message}}]
        try:
            answer = future.result(timeout=_FETCH_S)
        except TimeoutError:
            return None
        except (asyncio.CancelledError, concurrent.futures.CancelledError) as error:
            raise self._gone() from error
        except Exception:
            if future.status == "error":
                # It was lost with its worker before it was here, and its next worker died too.
                return None
            raise
        if isinstance(answer, dict):
            raise self._other_code(answer["worker"], answer["code"])
        return list(answer)

    def close(self) -> None:
        """Leave the cluster; one of our own ends with it."""
        self.client.close()


def _connected(on: str, workers: int | None) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        wanted = "pip install 'acklab[dask]'"
        raise InputError("needs dask.distributed", "on", on, wanted) from error
    if on == "local-cluster":
        # One thread each: the core would use all cores of a worker by itself.
        # The scheduler has a page of its own whatever is asked: at any port, as others run there.
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
        # What ends a worker comes back here; a worker that it finds at its start is lost for good.
        options["scheduler_kwargs"] = {"allowed_failures": 0}
        with not_in_workers():
            return Client(n_workers=workers or available_cores(), **options)
    _check_address(on)
    try:
        return Client(on.replace("dask://", "tcp://", 1), timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(f"does not answer: {error}", "on", on, _ADDRESS) from error


def _check_address(on: str) -> None:
    try:
        parts = urlsplit(on)
        complete = bool(parts.hostname and parts.port)
    except ValueError:
        complete = False
    if not complete:
        raise InputError("is no address of a scheduler", "on", on, _ADDRESS)


def _batch_size(seconds_each: float) -> int:
    return max(1, min(_AT_MOST, math.ceil(BATCH_S / max(seconds_each, 1e-6))))


def _worker_identity() -> str:
    return code_identity()


_Plain = tuple[str, dict[str, AckPolicy], int, int, dict[str, Any] | None]


def _work(code: str, batch: Sequence[_Plain]) -> list[Record] | dict[str, str]:
    """Do a batch on a worker, in one thread; a worker of another build says what it is instead."""
    if code_identity() != code:
        from distributed import get_worker

        return {"worker": str(get_worker().address), "code": code_identity()}
    jobs = [
        Job(Resolved(text, policies), seed, run, options)
        for text, policies, seed, run, options in batch
    ]
    records: list[Record] = [{} for _ in jobs]
    for index, record in execute(jobs, 1):
        records[index] = record
    return records
