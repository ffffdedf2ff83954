"""What a worker of a cluster does: it looks whether all is there what it is here, and runs batches.

Functions of this module run in processes of a cluster, and are sent there by their names. The one
invariant: a record is only made by the build of the core and by the policies that the client names.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from acklab.batch import Job, Record, execute
from acklab.errors import InputError
from acklab.policy import AckPolicy, identity
from acklab.scenario import Resolved
from acklab.store import code_identity

__all__ = ["OtherCode", "Plain", "Sent", "Unfit", "build", "do", "plain", "sendable", "unfit"]

_NO_MODULE = "a policy whose module is there too, as on the client"
_ALIKE = (
    "the same modules and version of Python everywhere, workers that were started after the last "
    "change, and modules whose values a script changes sent along "
    "(cloudpickle.register_pickle_by_value)"
)
# What cloudpickle calls the file of a function that it sends by its code.
_NO_FILE = "<dynamic-code>"


class Sent(NamedTuple):
    """A policy as pickle writes it, and the file that its class stands in.

    Its bytes alone: a scheduler, which reads what passes, needs no module of theirs.
    """

    written: bytes
    file: str


Plain = tuple[str, dict[str, Sent], int, int, dict[str, Any] | None]
"""A job as it is sent: the scenario, policies by name, seed, run, options."""


class OtherCode(NamedTuple):
    """A worker's answer if it runs another build."""

    worker: str
    code: str


class Unfit(NamedTuple):
    """A worker's answer about a policy that is not there what it is on the client."""

    name: str
    reason: str
    accepted: str
    worker: str = "of the cluster"

    def error(self) -> InputError:
        """Return it as the client raises it."""
        reason = self.reason.format(f"the worker {self.worker}")
        return InputError(reason, "flow.ack", self.name, self.accepted)


def build() -> str:
    """Return what identifies the code of this process."""
    return code_identity()


def sendable(jobs: Sequence[Job]) -> dict[str, Sent]:
    """Return each policy of one's own as it is sent to workers, by name.

    Raises:
        InputError: pickle cannot write one.
    """
    from distributed.protocol import pickle

    policies: dict[str, AckPolicy] = {}
    for job in jobs:
        policies |= job.resolved.policies
    sent: dict[str, Sent] = {}
    for name, policy in policies.items():
        try:
            sent[name] = Sent(pickle.dumps(policy), _file_of(type(policy)))
        except Exception as error:
            reason = f"cannot be sent to a worker: {error}"
            accepted = "a policy that pickle can write, such as one with a `__reduce__`; or no `on`"
            raise InputError(reason, "flow.ack", name, accepted) from error
    return sent


def _file_of(kind: type) -> str:
    try:
        return inspect.getsourcefile(kind) or _NO_FILE
    except (OSError, TypeError):
        return _NO_FILE


def plain(job: Job, policies: Mapping[str, Sent]) -> Plain:
    """Return a job as it is sent."""
    own = {name: policies[name] for name in job.resolved.policies}
    return job.resolved.text, own, job.seed, job.run, job.options


def unfit(policies: Mapping[str, Sent]) -> Unfit | None:
    """Return the first of these policies that is not here what it is on the client."""
    found = _read(policies)
    return found if isinstance(found, Unfit) else None


def do(code: str, batch: Sequence[Plain], enough_s: float) -> list[Record] | OtherCode | Unfit:
    """Do a batch in one thread, if all that it needs is here what it is on the client.

    Once that has taken so many seconds the rest is left, so that there may be fewer records than
    jobs, but at least one: nobody knows beforehand what a run takes.
    """
    if code_identity() != code:
        return OtherCode(_address(), code_identity())
    policies = _read({name: sent for job in batch for name, sent in job[1].items()})
    if isinstance(policies, Unfit):
        return policies._replace(worker=_address())
    jobs = [
        Job(Resolved(text, {name: policies[name] for name in own}), seed, run, options)
        for text, own, seed, run, options in batch
    ]
    records: list[Record] = []
    until = time.monotonic() + enough_s
    while len(records) < len(jobs) and (not records or time.monotonic() < until):
        # As many as before once more, and one: no run is begun and then stopped.
        start = len(records)
        part = dict(execute(jobs[start : 2 * start + 1], 1))
        records += [_with_file(part[k], batch[start + k][1]) for k in range(len(part))]
    return records


def _read(policies: Mapping[str, Sent]) -> dict[str, AckPolicy] | Unfit:
    from distributed.protocol import pickle

    read: dict[str, AckPolicy] = {}
    for name, sent in policies.items():
        try:
            read[name] = pickle.loads(sent.written)
            here = identity(read[name])
        except Exception as error:
            reason = str(error) or type(error).__name__
            return Unfit(name, f"cannot be read by {{}}: {_braced(reason)}", _NO_MODULE)
        if here != name:
            said = f"is {here} to {{}}: what it is made of differs there"
            return Unfit(name, said, _ALIKE)
    return read


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _with_file(record: Record, policies: Mapping[str, Sent]) -> Record:
    """Name the file in which a policy failed, where its code was sent without one."""
    files = {sent.file for sent in policies.values()}
    if "error" in record and len(files) == 1:
        error = record["error"]
        return {"error": error | {"message": error["message"].replace(_NO_FILE, *files)}}
    return record
