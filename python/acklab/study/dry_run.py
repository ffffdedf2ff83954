"""What running a study would take: which of its runs are missing, and how long one takes."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acklab.batch import Job, Record, execute
from acklab.errors import AcklabError
from acklab.scenario import Resolved, Scenario
from acklab.store import code_identity
from acklab.study import archive
from acklab.study.borrowing import held
from acklab.study.cache import Cache
from acklab.study.index import FILE, Index, RunKey
from acklab.study.plan import Plan
from acklab.study.points import Point

__all__ = ["DryRun", "missing_runs", "seconds_each"]

# A dry run looks at this many points, each for this long in simulated time (or longer, if something
# happens later than that), to tell what they cost; and again for so many times longer, until that
# took so much wall time.
_PILOTS = 64
_PILOT_S = 5.0
_PILOT_ROUNDS = 2
_PILOT_GROWS = 4
_PILOT_WALL_S = 0.25
# What a run costs besides itself (docs/performance.md).
_HANDLING_S = 0.0003


@dataclass(frozen=True)
class DryRun:
    """What running a study would take.

    Attributes:
        points: how many points there are.
        runs: how many runs are needed at least (a wished precision may ask for more).
        reused: how many of them are there already, here or in other studies.
        seconds: wall seconds that the others would take.
        workers: on so many cores.
        most: runs at the cap of a wished precision; ``None`` without one.
        seconds_at_most: wall seconds up to that cap; ``None`` without one.
        warnings: what is known before any run, as the manifest will have it: points that are one
            and the same scenario.
    """

    points: int
    runs: int
    reused: int
    seconds: float
    workers: int
    most: int | None
    seconds_at_most: float | None = None
    warnings: Sequence[Mapping[str, Any]] = ()


def missing_runs(plan: Plan, wanted: set[RunKey], place: Path, fresh: bool) -> set[RunKey]:
    """Return those of these runs that would not be reused."""
    missing = set(wanted)
    if (place / FILE).exists():
        with closing(Index(place, code_identity(), look=True)) as index:
            there = index.contents()
            lesser = archive.lacking(place, there.batches, plan.keep)
            # What was begun afresh and cut off goes on from there.
            if not fresh or index.forgot(plan.seed, {key.scenario for key in wanted}):
                missing -= there.finished(lesser).keys()
    return missing if fresh else _nowhere(missing, place, plan.keep)


def _nowhere(missing: set[RunKey], place: Path, keep: frozenset[str]) -> set[RunKey]:
    """Return those of these runs that no other study has either."""
    cache, tried, left = Cache(code_identity()), [place], set(missing)
    while found := cache.find(left, *tried):
        for folder, keys in found.items():
            tried.append(folder)
            left -= set(held(folder, keys, keep))
    return left


def seconds_each(points: Sequence[Point], missing: Collection[RunKey], workers: int) -> float:
    """Wall seconds of an average run that is missing, by short runs, so many at a time.

    Longer ones, and more of them, until they have taken a while: what a run costs before it
    begins, and what else the machine does for a moment, are no matter then.
    """
    lacking = Counter(key.scenario for key in missing)
    scenarios = {point.key: point.scenario for point in points if lacking[point.key]}
    seed = next(iter(missing)).seed
    chosen = _from_all_over([*scenarios])
    # As many on each core as will be at work then: they slow each other down.
    each, length = -(-_PILOT_ROUNDS * workers // len(chosen)), _PILOT_S
    while True:
        pilots = [(lacking[key], *_shortened(scenarios[key], length)) for key in chosen]
        started = time.monotonic()
        seconds = _tried(pilots, seed, each, workers)
        whole = all(longer == 1.0 for _, _, longer in pilots)
        all_done = whole and each * len(chosen) >= len(missing)
        if all_done or time.monotonic() - started > _PILOT_WALL_S:
            return seconds + _HANDLING_S
        length, each = length * _PILOT_GROWS, each * (_PILOT_GROWS if whole else 1)


def _tried(
    pilots: Sequence[tuple[int, Scenario, float]], seed: int, each: int, workers: int
) -> float:
    """Return what a run takes on average, by so many of each pilot, which counts so many times."""
    jobs = [
        (Job(short.resolve(), seed, run), longer, many)
        for run in range(each)
        for many, short, longer in pilots
    ]
    seconds = runs = 0.0
    for index, record in execute([job for job, _, _ in jobs], workers):
        job, longer, many = jobs[index]
        seconds += many * _cost(record, job, longer)
        runs += many
    return seconds / runs


def _from_all_over(keys: Sequence[str]) -> Sequence[str]:
    """Return some of many points: one of each stretch, by chance, as a grid goes in even steps."""
    if len(keys) <= _PILOTS:
        return keys
    draw = random.Random(len(keys))
    stretch = len(keys) / _PILOTS
    return [keys[int((number + draw.random()) * stretch)] for number in range(_PILOTS)]


def _shortened(scenario: Scenario, seconds: float) -> tuple[Scenario, float]:
    """Return a short form of a scenario, and how many times longer the whole one is."""
    whole = _seconds(scenario.resolve())
    while seconds < whole:
        try:
            return scenario.with_(duration=f"{seconds:g} s"), whole / seconds
        except AcklabError:
            # Something happens later than that.
            seconds *= 2.0
    return scenario, 1.0


def _cost(record: Record, job: Job, longer: float) -> float:
    """Return the wall seconds of a whole run by its short form, which is so much shorter.

    A run that ends with so many delivered packets may end sooner.
    """
    measure, seconds = job.resolved.tree["measure"], _seconds(job.resolved)
    delivered = record.get("measures", {}).get("delivered_packets", 0.0)
    if measure.get("stop_after") is not None and delivered > 0.0:
        # Packets count from there on.
        start = _in_seconds(measure["from"])
        needed = start + (seconds - start) * measure["stop_after"] / delivered
        longer = min(longer, max(1.0, needed / seconds))
    return float(record.get("wall_s", 0.0)) * longer


def _seconds(resolved: Resolved) -> float:
    return _in_seconds(resolved.tree["duration"])


def _in_seconds(time: str) -> float:
    number, unit = time.split()
    return float(number) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
