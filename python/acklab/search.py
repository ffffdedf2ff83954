"""Searching for the value of one scenario key that makes a measure highest.

    >>> from acklab import search
    >>> best = search.best_spacing(chain)            # paced UDP: time between packets
    >>> best.value, best.low, best.high              # in ms
    >>> search.best_window(chain, windows=range(1, 13)).value

A paced sender's goodput over the spacing ends in a cliff: just below the best spacing packets
collide, routes break, and goodput falls by half, in some runs at once and in others never. A
search that follows the highest mean of a few runs steps over the edge. So

1. a ladder of values is tried with few runs, then the bracket around the best one is divided,
   again and again, until its steps are as fine as asked; the last stage has the most runs;
2. values are compared by their **score**, two standard errors below the mean: a spacing at
   which some runs collapse has a wide spread and loses against a slightly slower one that is safe;
3. the value found is judged on **fresh runs** that the search has not seen, since the highest of
   many means is too high;
4. `low` to `high` is the span of the values that a paired 95 % test cannot tell from the best.

Invariant: the same scenario, seed and settings give the same answer, whatever the workers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from acklab import arguments, stats
from acklab.batch import Job, execute
from acklab.errors import InputError, RunError
from acklab.measures import check_measure, measure_info
from acklab.scenario import Scenario

__all__ = ["Best", "Candidate", "best_spacing", "best_value", "best_window", "find"]

SEARCH_RUNS = 1_000_000
"""Run indices of searches start here, so that runs 0, 1, … are fresh when the value is judged."""

FIRST_RUNS = 2
"""Runs of a value in the first stage, and the least in any."""

_LEAST_FACTOR = 1.001
"""Values have four digits: with a smaller step two of them would be one."""

_FINEST = 1e-9
"""How fine a search may be, as a share of its largest value."""

PARTS = 12
"""Into how many steps a bracket is divided at most."""

Samples = Mapping[float, Sequence[float]]
Evaluate = Callable[[Sequence[float], int], Samples]
"""From values and a number of runs to each value's measure, one number a run."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that was tried: its measure over the runs and its score."""

    value: float
    estimate: stats.Estimate
    score: float


@dataclass(frozen=True, slots=True)
class Best:
    """What a search found.

    Attributes:
        value: the best value, in ``unit``.
        low: the lowest value of the last stage that cannot be told from it.
        high: the highest such value.
        unit: the unit of the three; empty for a plain number.
        estimate: the measure at the best value, over fresh runs (`find`: over the last stage's).
        at_edge: the best value is the first or last that was tried, so a better one may lie beyond.
        tried: every value of every stage, in increasing order, with its latest numbers.
    """

    value: float
    low: float
    high: float
    unit: str
    estimate: stats.Estimate
    at_edge: bool
    tried: tuple[Candidate, ...]

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.value:g}{unit} [{self.low:g}, {self.high:g}]: {self.estimate}"


def find(
    evaluate: Evaluate,
    values: Sequence[float],
    resolution: float,
    runs: int,
    unit: str = "",
    measured_in: str = "",
) -> Best:
    """Search with any way of measuring: the rules that this module's head describes.

    Args:
        evaluate: measures values over so many runs; called once a stage.
        values: the ladder of the first stage, increasing, at least two.
        resolution: how fine the last stage is: a ladder whose values lie no further apart is the
            last one, and from the second stage on values are multiples of it. 0 for no stages
            after the first, which then has all the runs.
        runs: runs a value in the last stage, two or more.
        unit: the unit of the values.
        measured_in: the unit of the measure.

    Raises:
        InputError: the ladder is too short or not increasing, there are too few runs or more than a
            memory holds, the resolution is finer than values are told apart, or `evaluate` does not
            give so many numbers for each value.
    """
    values = _checked_ladder(values)
    runs = _checked_runs(runs, len(values))
    _check_resolution(resolution, values)
    if not callable(evaluate):
        accepted = "a function of the values and the number of runs"
        raise InputError("cannot be called", "evaluate", repr(evaluate), accepted)
    if not resolution:
        samples = _measured(evaluate, values, runs)
        tried = {v: _candidate(v, samples[v], measured_in) for v in values}
        return _answer(tried, samples, unit)
    tried = {}
    stage = list(values)
    few = FIRST_RUNS
    while True:
        last = _is_last(stage, resolution)
        samples = _measured(evaluate, stage, runs if last else few)
        tried |= {v: _candidate(v, samples[v], measured_in) for v in stage}
        if last:
            return _answer(tried, samples, unit)
        best = max(stage, key=lambda v: tried[v].score)
        stage = _refined(stage, best, resolution)
        few = min(runs, 2 * few)


def best_value(
    scenario: Scenario,
    key: str,
    values: Sequence[float],
    *,
    unit: str = "",
    resolution: float = 0.0,
    measure: str = "goodput_bps",
    runs: int = 8,
    seed: int = 1,
    workers: int | None = None,
) -> Best:
    """Find the value of one key of a scenario that makes a measure highest.

    Args:
        scenario: the rest; its `duration` and `measure.from` hold for every run of the search.
            Give it a warm-up: a network that starts in a congested state may need minutes to leave.
        key: a dotted key, as `Scenario.with_` takes it.
        values: the ladder of the first stage, increasing.
        unit: the unit that the key's text carries, such as ``"ms"``; empty for a plain number.
        resolution: how fine the answer shall be, in ``unit``; 0 for one of ``values``.
        measure: what shall be highest.
        runs: runs a value in the last stage, and of the fresh runs that judge the answer.
        seed: the root seed.
        workers: how many runs at a time; all cores by default.

    Raises:
        InputError: an argument makes no sense.
        ScenarioError: the key does not take such values.
        RunError: a run failed: a fault of a policy of your own, or of the simulator.
    """
    if not isinstance(scenario, Scenario):
        raise InputError("is no scenario", "scenario", repr(scenario), "acklab.Scenario.load(FILE)")
    seed = arguments.whole(seed, "seed", 0, 2**64 - 1)
    check_measure(measure)

    def measured(wanted: Sequence[float], count: int, first: int) -> Samples:
        resolved = [scenario.with_({key: text(v, unit)}).resolve() for v in wanted]
        jobs = [Job(r, seed, first + run) for r in resolved for run in range(count)]
        found: list[float] = [0.0] * len(jobs)
        for index, record in execute(jobs, workers):
            found[index] = _value(record, measure)
        return {v: found[i * count : (i + 1) * count] for i, v in enumerate(wanted)}

    info = measure_info().get(measure)
    of_measure = info.unit if info else ""
    best = find(
        lambda vs, n: measured(vs, n, SEARCH_RUNS), values, resolution, runs, unit, of_measure
    )
    fresh = measured([best.value], runs, 0)[best.value]
    return replace(best, estimate=stats.mean(fresh, of_measure))


def best_spacing(
    scenario: Scenario,
    flow: int = 0,
    *,
    low_ms: float = 5.0,
    high_ms: float = 100.0,
    resolution_ms: float = 0.1,
    measure: str = "goodput_bps",
    runs: int = 8,
    seed: int = 1,
    workers: int | None = None,
) -> Best:
    """Find the spacing of a paced (CBR) flow that delivers most, in milliseconds.

    This is the "optimally paced UDP" of elrakabawy2005 (section 4.2). The ladder's values are 5 %
    apart, fine enough not to step over a peak that a cliff follows.

    Raises:
        InputError: an argument makes no sense, or there is no such flow or it is not paced.
    """
    flow, known = _flow(scenario, flow)
    if known.get("kind") != "cbr":
        raise InputError("is not paced", f"flow.{flow}.kind", str(known.get("kind")), "cbr")
    return best_value(
        scenario.with_({f"flow.{flow}.rate": None}), f"flow.{flow}.interval",
        ladder(low_ms, high_ms), unit="ms", resolution=resolution_ms,
        measure=measure, runs=runs, seed=seed, workers=workers,
    )  # fmt: skip


def best_window(
    scenario: Scenario,
    flow: int = 0,
    *,
    windows: Sequence[int] = tuple(range(1, 13)),
    measure: str = "goodput_bps",
    runs: int = 8,
    seed: int = 1,
    workers: int | None = None,
) -> Best:
    """Find the maximum window (packets) with which a TCP flow delivers most.

    Raises:
        InputError: an argument makes no sense, or there is no such flow or it has no window.
    """
    flow, known = _flow(scenario, flow)
    if "window" not in known:
        raise InputError("has no window", f"flow.{flow}", str(known.get("kind")), "ftp")
    return best_value(
        scenario, f"flow.{flow}.window", _in_order(windows),
        measure=measure, runs=runs, seed=seed, workers=workers,
    )  # fmt: skip


def _flow(scenario: object, number: object) -> tuple[int, Mapping[str, Any]]:
    """Return the number of a flow, and what the scenario says of it."""
    if not isinstance(scenario, Scenario):
        raise InputError("is no scenario", "scenario", repr(scenario), "acklab.Scenario.load(FILE)")
    flows = scenario.resolve().tree["flow"]
    found = arguments.whole(number, "flow", 0)
    if found >= len(flows):
        raise InputError("no such flow", "flow", str(found), f"0 to {len(flows) - 1}")
    return found, flows[found]


def _in_order(windows: Iterable[int]) -> list[float]:
    try:
        found = sorted(windows)
    except TypeError as error:
        raise InputError("are no windows", "windows", repr(windows), "whole numbers") from error
    return _checked_ladder(found, "windows", "two or more whole numbers, each once")


def _checked_ladder(
    values: Iterable[float],
    place: str = "values",
    accepted: str = "two or more numbers, increasing",
) -> list[float]:
    try:
        found = list(values)
    except TypeError as error:
        raise InputError("is no ladder", place, repr(values), accepted) from error
    rising = all(map(arguments.is_number, found)) and all(a < b for a, b in pairwise(found))
    if len(found) < 2 or not rising:
        raise InputError("is no ladder", place, str(found), accepted)
    return found


def _checked_runs(runs: object, values: int) -> int:
    found = arguments.whole(runs, "runs", 0)
    if found < FIRST_RUNS:
        raise InputError("too few for a spread", "runs", str(found), f"{FIRST_RUNS} or more")
    most = arguments.MOST_RUNS // max(values, PARTS + 1)
    if found > most:
        raise InputError("are too many runs to hold", "runs", str(found), f"up to {most}")
    return found


def _check_resolution(resolution: object, values: Sequence[float]) -> None:
    if not arguments.is_number(resolution) or resolution < 0.0:
        raise InputError("is no fineness", "resolution", repr(resolution), "0 or more")
    # A value is written with ten digits: finer steps would be one value, and never end.
    least = _FINEST * max(map(abs, values))
    if 0.0 < resolution < least:
        accepted = f"0, or {least:g} or more"
        raise InputError(
            "is finer than values are told apart", "resolution", repr(resolution), accepted
        )


def _measured(evaluate: Evaluate, values: Sequence[float], runs: int) -> Samples:
    """Return what was measured: for each value one number a run."""
    samples = evaluate(values, runs)
    accepted = "a dict from each value to its numbers, one a run"
    if not isinstance(samples, Mapping):
        raise InputError("returns no samples", "evaluate", repr(samples), accepted)
    for value in values:
        sample = samples.get(value)
        count = len(sample) if isinstance(sample, Sized) else 0
        if count != runs:
            place = f"evaluate, value {value:g}"
            raise InputError(f"{count} numbers for {runs} runs", place, repr(sample), accepted)
    return samples


def ladder(low: float, high: float, factor: float = 1.05) -> list[float]:
    """Values from ``low`` to ``high`` or a little beyond, each ``factor`` times the one before.

    Raises:
        InputError: the ends are not positive and increasing, or ``factor`` leads nowhere.
    """
    if not (arguments.is_number(low) and arguments.is_number(high) and 0.0 < low < high):
        said = f"{low!r}, {high!r}"
        raise InputError("are no ends of a ladder", "low, high", said, "0 < low < high")
    if not arguments.is_number(factor) or factor < _LEAST_FACTOR:
        accepted = f"{_LEAST_FACTOR} or more"
        raise InputError("is no step of a ladder", "factor", repr(factor), accepted)
    steps = 1
    while low * _power(factor, steps) < high:
        steps += 1
    return [float(f"{low * _power(factor, i):.4g}") for i in range(steps + 1)]


def text(value: float, unit: str) -> Any:
    """A value as a scenario takes it: a whole number, or a text with its unit."""
    if unit:
        return f"{value:.10g} {unit}"
    return int(value) if float(value).is_integer() else value


def _power(base: float, exponent: int) -> float:
    # Products, not pow(): the same on every platform.
    return math.prod([base] * exponent)


def _value(record: Mapping[str, Any], measure: str) -> float:
    if "error" in record:
        raise RunError(f"a run did not come through: {record['error']['message']}")
    measures = record["measures"]
    if measures.get(measure) is None:
        accepted = "one that every run tells, in a network or a time in which all have it"
        raise InputError("is not told by every run", "measure", measure, accepted)
    return float(measures[measure])


def _candidate(value: float, sample: Sequence[float], measured_in: str) -> Candidate:
    estimate = stats.mean(sample, measured_in)
    spread = math.fsum((x - estimate.mean) ** 2 for x in sample) / max(1, len(sample) - 1)
    return Candidate(value, estimate, estimate.mean - 2.0 * math.sqrt(spread / len(sample)))


def _is_last(stage: Sequence[float], resolution: float) -> bool:
    return all(b - a <= 1.5 * resolution for a, b in pairwise(stage))


def _refined(stage: Sequence[float], best: float, resolution: float) -> list[float]:
    """The bracket between the best value's neighbours, divided, in multiples of the resolution."""
    at = stage.index(best)
    first = math.floor(stage[max(0, at - 1)] / resolution + 1e-9)
    last = math.ceil(stage[min(len(stage) - 1, at + 1)] / resolution - 1e-9)
    step = max(1, math.ceil((last - first) / PARTS))
    # Without the last digits, which a product gets wrong.
    multiples = [float(f"{m * resolution:.15g}") for m in (*range(first, last, step), last)]
    # Zero, and what lies below it, only where the ladder goes there: no sender has such a spacing.
    return [m for m in multiples if m > 0.0 or m >= stage[0]]


def _answer(tried: Mapping[float, Candidate], samples: Samples, unit: str) -> Best:
    best = max(samples, key=lambda v: tried[v].score)
    alike = [v for v in samples if v == best or _alike(samples[v], samples[best])]
    values = sorted(tried)
    edge = best in (values[0], values[-1])
    estimate = tried[best].estimate
    everything = tuple(tried[v] for v in values)
    return Best(best, min(alike), max(alike), unit, estimate, edge, everything)


def _alike(a: Sequence[float], b: Sequence[float]) -> bool:
    return not stats.paired(a, b).significant
