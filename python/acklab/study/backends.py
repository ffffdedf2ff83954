"""Where runs are done: all cores of this machine, or a cluster of dask.distributed.

A backend takes jobs and yields their records in groups, in whatever order they finish. The one
invariant: the record of a job does not depend on the backend.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from acklab import arguments
from acklab.batch import Group, Job, available_cores, polled
from acklab.errors import InputError
from acklab.study.cluster import Dask

__all__ = ["Backend", "Threads", "open_backend"]


class Backend(Protocol):
    """Does runs."""

    @property
    def workers(self) -> int:
        """How many runs it does at a time; none while a cluster has no worker."""
        ...

    def run(self, jobs: Sequence[Job]) -> Generator[Group]:
        """Yield jobs and their records as they finish; closing it cancels the rest.

        Now and then, while none has, an empty group: the caller may have something else to do. What
        is yielded is the caller's own.
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

    def run(self, jobs: Sequence[Job]) -> Generator[Group]:
        """Yield jobs and their records as they finish, an empty group while none does."""
        yield from polled(jobs, self.workers)

    def close(self) -> None:
        """Nothing is held."""
