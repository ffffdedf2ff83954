"""Runs on a cluster of dask.distributed: batches that are sent, lost, and done once more.

The one invariant: each job has one record, whatever becomes of the workers; a job that ends its
workers by itself has failed, and no other is lost with it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import math
import multiprocessing
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from acklab import arguments, door
from acklab.batch import Group, Job, Record, available_cores
from acklab.errors import InputError
from acklab.interrupts import not_in_workers
from acklab.store import code_identity
from acklab.study import worker as work
from acklab.study.quiet import dask_is_quiet

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

__all__ = ["Dask"]

BATCH_S = 0.25
"""Wall seconds that a batch for a cluster should take: far above what sending it costs."""

_AT_MOST = 500
# Sent while it is not known who is there, or once some were lost: all in a batch are suspected.
_FEW = 5
# Enough that no worker waits for its next batch, few enough that Ctrl-C loses little.
_AHEAD = 3
# How often a cluster is looked at: are batches back, who is there, is there anything to show.
_POLL_S = 0.02
_COUNT_EVERY_S = 1.0
_BEAT_S = 0.5
_SAY_AFTER_S = 5.0
# Workers on their way, which come within seconds, are waited for; longer each time.
_REVIVE_AFTER_S = 15.0
# A result whose worker dies before it is fetched is waited for like any other.
_FETCH_S = 10.0
# Lost twice in a batch, and twice with nothing else on the cluster.
_GIVEN_UP_AT = 4
_ADDRESS = "dask://HOST:PORT of a running dask scheduler"
_NO_ACKLAB = "scheduler and workers need acklab"
_GUARDED = (
    'a script in a file that starts its study below `if __name__ == "__main__":`, as every worker '
    "process reads the script too; with `acklab sweep`, fewer workers: some were ended twice as "
    "they started, maybe for want of memory"
)

_LOG = logging.getLogger("acklab")


class Dask:
    """The workers of a dask cluster; each batch is done once more if its worker dies.

    If that dies too, each of its runs is done by itself, and what ends two workers even then has
    failed: no other run is lost with it. A cluster of one's own may have a batch done several times
    before that (dask's setting `distributed.scheduler.allowed-failures`).

    Workers may come and go: each batch is checked by the worker that does it, and as many are sent
    as the workers that are there now can use. Without any, it waits and says so.
    """

    def __init__(self, on: str, workers: int | None = None) -> None:
        workers = arguments.workers(workers)
        self.on = on
        self.workers = self._most = 0
        self._counted_at = self._seen_at = time.monotonic()
        self._said = False
        self._revive_after_s = _REVIVE_AFTER_S
        with ExitStack() as held:
            self.client = _connected(on, workers, held)
            with self._answering():
                self._check_versions()
                self._count()
            self._held = held.pop_all()

    def _check_versions(self) -> None:
        """Refuse workers of another build before anything is sent to them."""
        mine = code_identity()
        for worker, theirs in self.client.run(work.build, on_error="return").items():
            # One that dies just then says nothing; each batch looks for itself besides.
            if theirs != mine and not isinstance(theirs, OSError):
                raise self._other_code(worker, str(theirs))

    def _other_code(self, worker: str, theirs: str) -> InputError:
        """Results of another build would be filed under the wrong code."""
        accepted = f"{code_identity()}, which runs here: install the same wheel everywhere"
        return InputError(f"the worker {worker} runs other code", f"on {self.on}", theirs, accepted)

    def _check_policies(self, policies: Mapping[str, work.Sent]) -> None:
        """Refuse policies that are not there what they are here, before any run is sent."""
        if not policies:
            return
        found = self.client.run(work.unfit, policies, on_error="return")
        for worker, answer in found.items():
            # As with versions: one that dies just then says nothing.
            if isinstance(answer, work.Unfit):
                raise answer._replace(worker=worker).error()

    def _count(self) -> int:
        """Count the workers that are there now; say so once if there are none for a while.

        A cluster of our own gets new ones then: whose worker ends while it starts has none again.
        """
        now = self._counted_at = time.monotonic()
        try:
            self.workers = sum(map(int, self.client.nthreads().values()))
        except (RuntimeError, ValueError) as error:
            raise self._gone() from error
        if self.workers:
            self._most = max(self._most, self.workers)
            self._seen_at, self._said = now, False
            return self.workers
        missing_s = now - self._seen_at
        if missing_s > _SAY_AFTER_S and not self._said:
            self._said = True
            _LOG.warning("%s: no worker is there; the study waits for one", self.on)
        if missing_s > self._revive_after_s and self.client.cluster is not None:
            self._seen_at = now
            self._revive_after_s *= 2.0
            self.client.cluster.scale(0)
            self.client.cluster.scale(self._most)
        return self.workers

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Name the scheduler in what is said where it no longer answers."""
        try:
            yield
        except OSError as error:
            raise self._gone() from error

    def _gone(self) -> InputError:
        message = "the scheduler has gone; finished runs are kept"
        return InputError(message, "on", self.on, _ADDRESS)

    def run(self, jobs: Sequence[Job]) -> Generator[Group]:
        """Yield jobs and their records as batches finish, an empty group while none does.

        Raises:
            InputError: a worker runs another build of acklab, a policy is not there what it is
                here, or the scheduler has gone.
        """
        with self._answering():
            yield from self._done(jobs)

    def _done(self, jobs: Sequence[Job]) -> Generator[Group]:
        from distributed import as_completed

        policies = work.sendable(jobs)
        self._check_policies(policies)
        plain = [work.plain(job, policies) for job in jobs]
        todo = _Todo(len(jobs))
        running: dict[str, list[int]] = {}
        seconds, done = 0.0, 0
        shown_at = time.monotonic()
        # Not the loop of whichever client the caller has open: a result that is lost with its
        # worker is waited for here and where it is fetched.
        finished = as_completed(raise_errors=False, loop=self.client.loop)
        try:
            while todo.waiting or todo.suspects or running:
                if time.monotonic() - self._counted_at > _COUNT_EVERY_S:
                    self._count()
                while todo.waiting and len(running) < _AHEAD * max(1, self.workers):
                    size = _batch_size(seconds / done) if done else todo.first_size(self.workers)
                    finished.add(self._submit(plain, todo.batch(size), running))
                if todo.suspects and not running and self._count():
                    finished.add(self._submit(plain, [todo.suspects.popleft()], running))
                if time.monotonic() - shown_at > _BEAT_S:
                    shown_at = time.monotonic()
                    yield []
                if not finished.has_ready():
                    time.sleep(_POLL_S)
                    continue
                future = next(finished)
                if future.status == "error":
                    # Most likely code that does not know what it was sent.
                    self._check_versions()
                    if todo.put_back(running[future.key]):
                        del running[future.key]
                        future.release()
                        continue
                records = self._records(future)
                if records is None:
                    finished.add(future)
                    continue
                batch = running.pop(future.key)
                todo.leave(batch[len(records) :])
                seconds += math.fsum(record.get("wall_s", 0.0) for record in records)
                done += len(records)
                shown_at = time.monotonic()
                yield list(zip(batch, records, strict=False))
                future.release()
        finally:
            # Those that nobody holds any more are given up by the scheduler.
            finished.clear()

    def _submit(
        self, jobs: Sequence[work.Plain], batch: list[int], running: dict[str, list[int]]
    ) -> Future:
        # `pure` would key a batch by its content.
        sent = [jobs[index] for index in batch]
        future = self.client.submit(work.do, code_identity(), sent, BATCH_S, pure=False)
        running[future.key] = batch
        return future

    def _records(self, future: Future) -> list[Record] | None:
        """Return the records of a batch, or of its first runs, after which the worker left it.

        ``None`` if they were lost and are on their way again. A run that no worker could do, with
        nothing else on the cluster, has failed.
        """
        if future.status == "error":
            message = f"the cluster gave it up: {future.exception()}"
            if "deserializ" in message:
                message += f" ({_NO_ACKLAB})"
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
        if isinstance(answer, work.OtherCode):
            raise self._other_code(answer.worker, answer.code)
        if isinstance(answer, work.Unfit):
            raise answer.error()
        return list(answer)

    def close(self) -> None:
        """Leave the cluster; one of our own ends with it."""
        self._held.close()


class _Todo:
    """Which runs are still to be sent, and how often each was lost with its worker.

    Most runs of a lost batch are not to blame: after the first loss they are sent once more, and
    after the second each is done by itself, with nothing else on the cluster. The one that is lost
    even so may have met a worker that ended for some other reason, so it is tried once again.
    """

    def __init__(self, runs: int) -> None:
        self.waiting = list(range(runs))[::-1]
        self.suspects: deque[int] = deque()
        self._losses: Counter[int] = Counter()

    def first_size(self, workers: int) -> int:
        """How many to send while nobody knows what a run takes: a worker leaves what is too much.

        Some are left for workers that come later.
        """
        if self._losses or not workers:
            return _FEW
        return max(1, min(_AT_MOST, len(self.waiting) // (_AHEAD * workers)))

    def batch(self, size: int) -> list[int]:
        """Take so many of those that wait, or fewer if there are no more."""
        return [self.waiting.pop() for _ in range(min(size, len(self.waiting)))]

    def leave(self, batch: list[int]) -> None:
        """Take back runs that a worker had no time for; they come next."""
        self.waiting.extend(batch[::-1])

    def put_back(self, batch: list[int]) -> bool:
        """Take back runs that were lost; false if it is one alone that is given up now."""
        self._losses.update(batch)
        if self._losses[batch[0]] == _GIVEN_UP_AT:
            return False
        once = [index for index in batch if self._losses[index] == 1]
        self.waiting.extend(once[::-1])
        self.suspects.extend(index for index in batch if self._losses[index] > 1)
        return True


def _connected(on: str, workers: int | None, held: ExitStack) -> Client:
    """Return a client of the cluster, which ``held`` lets go."""
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        wanted = door.extra("dask")
        raise InputError("needs dask.distributed", "on", on, wanted) from error
    if on == "local-cluster":
        _leave_a_starting_worker()
        # Some seconds after a worker went dask looks whether it is back. One that went once more
        # just then would be closed for good, with what it is given in the meantime.
        held.enter_context(dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 d"}))
        with not_in_workers():
            cluster = held.enter_context(_own_cluster(workers or available_cores()))
            return held.enter_context(Client(cluster))
    _check_address(on)
    if workers is not None:
        accepted = f"none with {on}; or --on local-cluster, which has as many as you say"
        raise InputError("a running cluster has its own workers", "workers", str(workers), accepted)
    held.enter_context(dask_is_quiet())
    try:
        return held.enter_context(Client(on.replace("dask://", "tcp://", 1), timeout=10))
    except (OSError, ValueError) as error:
        raise InputError(f"does not answer: {error}", "on", on, _ADDRESS) from error


def _own_cluster(workers: int) -> LocalCluster:
    """Start so many worker processes here."""
    from distributed import LocalCluster

    # One thread each: the core would use all cores of a worker by itself.
    # The scheduler has a page of its own whatever is asked: at any port, as others run there.
    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
    # That workers are ended and come back is told here where it matters.
    options["silence_logs"] = logging.CRITICAL
    # What ends a worker comes back here; a worker that it finds at its start is lost for good.
    options["scheduler_kwargs"] = {"allowed_failures": 0}
    with suppress(RuntimeError):
        # One of them may be ended as it starts; twice is no accident.
        return LocalCluster(n_workers=workers, **options)
    try:
        return LocalCluster(n_workers=workers, **options)
    except RuntimeError as error:
        message = f"its workers cannot start: {str(error).rstrip('.')}"
        # Without dask's own errors: of each worker they are fifty lines that do not name the cause.
        raise InputError(message, "on", "local-cluster", _GUARDED) from None


def _leave_a_starting_worker() -> None:
    """End a worker that comes here while it starts: an unguarded script would start workers too.

    Without a word, as the process that started it has the error; there may be a hundred of them.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)


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
