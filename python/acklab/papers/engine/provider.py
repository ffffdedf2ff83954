"""Where runs come from: the compiled core, or anything with the same two methods.

Invariant: what a provider returns depends on (scenario, seed, run, version) alone, and on what is
measured in the run's event log (`log_measures.version`), which is what makes finished runs
reusable.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from acklab.papers.engine.log_measures import log_measures
from acklab.store import code_identity

CHUNK = 2000
"""Jobs that are handed to the core at once; bounds memory in very long campaigns."""


Finished = Generator[tuple[int, dict[str, Any]], None, None]
"""Yields (index of the job, result)."""


@dataclass(frozen=True)
class Job:
    """One run: a resolved scenario, a root seed and a run index."""

    scenario: str
    seed: int
    run: int
    log: str = ""
    """What is measured in the run's event log besides (`log_measures`); empty: nothing."""


class Provider(Protocol):
    """Resolves scenarios and runs jobs."""

    @property
    def version(self) -> str:
        """Names the code: results of two versions are never mixed."""
        ...

    def resolve(self, tree: Mapping[str, Any], name: str) -> str:
        """The scenario with every default filled in, as JSON."""
        ...

    def run(self, jobs: Sequence[Job], workers: int) -> Finished:
        """Yield (index of the job, result) in any order; closing the iterator stops the runs."""
        ...


class NativeProvider:
    """The compiled core, `acklab._native`."""

    @property
    def version(self) -> str:
        """Version of the core with a digest of its binary: an edited core is another version."""
        return code_identity()

    def resolve(self, tree: Mapping[str, Any], name: str) -> str:
        """The scenario with every default filled in, as JSON."""
        from acklab import _native

        return _native.resolve(json.dumps(tree), name, "json")

    def run(self, jobs: Sequence[Job], workers: int) -> Finished:
        """Yield (index of the job, result) as runs end; closing the iterator cancels the rest."""
        for start in range(0, len(jobs), CHUNK):
            chunk = jobs[start : start + CHUNK]
            for index, result in self._chunk(chunk, workers):
                yield start + index, result

    def _chunk(self, jobs: Sequence[Job], workers: int) -> Finished:
        from acklab import _native
        from acklab.batch import finished

        with tempfile.TemporaryDirectory() as folder:
            logs = [Path(folder) / f"{index}.jsonl" for index in range(len(jobs))]
            batch = _native.Batch(
                [
                    (job.scenario, job.seed, job.run, _options(log if job.log else None))
                    for job, log in zip(jobs, logs, strict=True)
                ],
                workers,
            )
            try:
                for group in finished(batch, 0.2):
                    for index, result in group:
                        yield index, _with_log(jobs[index], result, logs[index])
            finally:
                batch.cancel()


def _options(log: Path | None) -> str:
    """What a run is asked for: no measures of single nodes, most of its answer and kept nowhere."""
    asked = {} if log is None else {"events": str(log)}
    return json.dumps({"leave_out": ["nodes"]} | asked)


def _with_log(job: Job, result: dict[str, Any], log: Path) -> dict[str, Any]:
    """The result with the measures of its event log, which is removed."""
    if job.log and "error" not in result:
        result["measures"] |= log_measures(job.log, log, json.loads(job.scenario))
        log.unlink()
    return result
