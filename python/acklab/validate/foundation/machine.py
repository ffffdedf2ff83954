"""The machines: TCP scripts, every fate of six segments, and the same bits every time."""

from __future__ import annotations

import json
from typing import Any

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.foundation.tools import cargo_example, missing_source, run, tests_row
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SEED = 42


def scripts(context: Context) -> list[Row]:
    """Scripted conversations with the TCP sender and receiver."""
    name = "TCP in scripted conversations: RTO, window growth, fast recovery"
    return [
        tests_row(context.root, name, "all pass", "-p", "acklab-tcp", "--test", "conversations")
    ]


def fates(context: Context) -> list[Row]:
    """Deliver, drop, duplicate or swap each of six segments under every ACK policy."""
    name = "all fates of six segments under every ACK policy"
    bar = "no unseen byte ACKed, every byte delivered, ACK delay within its bound"
    test = ("-p", "acklab-tcp", "--test", "connections", "fates::")
    return [tests_row(context.root, name, bar, *test)]


def determinism(context: Context) -> list[Row]:
    """The digest of the event stream: twice, on 1 and 2 workers, traced, debug and release."""
    tree: dict[str, Any] = {
        "duration": "60 s" if context.full else "20 s",
        "topology": {"kind": "chain", "nodes": 9, "spacing": "200 m"},
        "flow": [{"kind": "ftp", "window": 8, "ack": {"policy": "delayed", "count": 3}}],
    }
    provider = NativeProvider()
    resolved = provider.resolve(tree, "determinism")
    runs = 4
    digests = {
        f"{workers} worker{'s' * (workers > 1)}, {time}": _digests(
            provider, resolved, runs, workers
        )
        for workers in (1, 2)
        for time in ("first time", "second time")
    }
    digests["traced"] = [_traced(resolved, run) for run in range(runs)]
    why = missing_source(context.root)
    if not why:
        for profile in ("release", "dev"):
            digests[profile] = _alone(context, profile, tree)
    first = next(iter(digests.values()))
    same = all(found == first[: len(found)] for found in digests.values())
    row = Row(
        "digest of the event stream: twice, 1 and 2 workers, trace on and off, debug and release",
        f"{len(digests)} ways, {'all the same' if same else 'not all the same'}",
        "identical",
        SKIPPED if why else verdict(same and len(set(first)) == runs),
        why,
        [["way", *(f"run {k}" for k in range(runs))], *([way, *d] for way, d in digests.items())],
    )
    return [row]


def _digests(provider: NativeProvider, resolved: str, runs: int, workers: int) -> list[str]:
    jobs = [Job(resolved, SEED, run) for run in range(runs)]
    found = dict(provider.run(jobs, workers))
    return [str(found[run]["digest"]) for run in range(runs)]


def _traced(resolved: str, number: int) -> str:
    from acklab import _native

    answer = json.loads(_native.run(resolved, SEED, number, json.dumps({"trace": True})))
    return str(answer["digest"])


def _alone(context: Context, profile: str, tree: dict[str, Any]) -> list[str]:
    """The digest of run 0 by the core alone, without Python, built in this profile."""
    from acklab import toml_text

    program = cargo_example(context.root, "peer", profile)
    path = context.folder.resolve() / "determinism.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(toml_text.dumps(tree), encoding="utf-8")
    done = run([str(program), str(path), str(SEED)], context.root)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return [str(json.loads(done.stdout)["digest"])]


SCRIPTS = Check("tcp-scripts", "TCP in scripted conversations", scripts)
FATES = Check("tcp-fates", "all fates of six segments under every ACK policy", fates)
DETERMINISM = Check("determinism", "the same bits every time", determinism)
