"""`run` a scenario several times, and `compare` two results run by run."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from acklab import arguments, policy, stats
from acklab.batch import Job, Progress, ProgressCallback, Record, available_cores, execute
from acklab.captures import empty_captures
from acklab.errors import InputError, Interrupted, OutputError, RunError, ScenarioError
from acklab.measures import check_measure, measure_info
from acklab.places import check_file, check_outside_results, real, target
from acklab.result import Result, RunWarning
from acklab.scenario import Scenario, share

if TYPE_CHECKING:
    import polars

    from acklab.study import StudyResult

__all__ = ["Captures", "compare", "run"]

_LARGEST_SEED = 2**64 - 1
# The cap on runs under a wished precision.
_MOST = 1000


class Captures:
    """What to write of the first run besides its measures.

    Args:
        pcap: a pcapng file of every frame on the air, for Wireshark.
        ip_pcap: a classic pcap of TCP/IP packets at one node, for tcptrace.
        node: that node; by default the first flow's sender.
        events: a text file with one event per line, as JSON.
    """

    def __init__(
        self,
        pcap: str | Path | None = None,
        ip_pcap: str | Path | None = None,
        node: int | None = None,
        events: str | Path | None = None,
    ) -> None:
        if node is not None and ip_pcap is None:
            raise InputError("a node was given but no capture at it", "node", str(node), "ip_pcap")
        self.node = None if node is None else arguments.whole(node, "node", 0)
        self.files = {
            kind: arguments.path(path, "the path of a new file", kind)
            for kind, path in (("pcap", pcap), ("ip_pcap", ip_pcap), ("events", events))
            if path is not None
        }
        places: dict[Path, str] = {}
        for kind, path in self.files.items():
            other = places.setdefault(real(path), kind)
            if other != kind:
                raise InputError(f"is the file of {other} too", kind, str(path), "another file")


def run(
    scenario: Scenario,
    runs: int = 10,
    seed: int = 1,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    precision: float | str | None = None,
    *,
    measure: str = "goodput_pps",
    max_runs: int | None = None,
    confidence: float = 0.95,
    captures: Captures | None = None,
) -> Result:
    """Run a scenario ``runs`` times with independent randomness and return all results.

    Run *k* of root seed *s* sees the same weather whatever the scenario says of TCP, so results of
    two schemes with the same seed are paired: see `compare`.

    Args:
        scenario: what to run.
        runs: how many runs; with ``precision``, the size of the first batch.
        seed: the root seed, 0 to 2⁶⁴ − 1; the same seed gives the same result bit for bit.
        workers: how many runs at a time; all cores by default. Does not change the result.
        progress: called about ten times a second with how far it is.
        precision: add runs until the interval of ``measure`` is within this share of its mean (0.02
            or ``"2 %"``). It warns where that fails, none of the first runs tells it, or all are 0.
        measure: the measure that ``precision`` is about.
        max_runs: the cap on runs under ``precision``, and only there; 1000 by default.
        confidence: the coverage of all intervals of the result.
        captures: what to write of run 0.

    Raises:
        InputError: an argument makes no sense.
        OutputError: a capture cannot be written.
        RunError: no run came through: a fault of a policy of your own, or of the simulator.
        Interrupted: Ctrl-C; its ``result`` holds the runs that had finished.
    """
    asked = _checked(
        scenario, runs, seed, workers, precision, measure, max_runs, confidence, captures, progress
    )
    started, wanted = time.monotonic(), asked.runs
    files = captures.files if captures else {}
    records: dict[int, Record] = {}
    failures: dict[int, str] = {}

    def result(interrupted: bool) -> Result:
        return Result(
            scenario,
            asked.seed,
            tuple(records[index] for index in sorted(records)),
            dict(sorted(failures.items())),
            wanted,
            time.monotonic() - started,
            asked.workers,
            interrupted,
            asked.confidence,
            {kind: str(path) for kind, path in files.items() if 0 in records},
        )

    options = _options(scenario, captures)
    try:
        while True:
            todo = sorted(set(range(wanted)) - {*records, *failures})
            # Captures are of run 0 alone.
            jobs = [Job(scenario.resolve(), asked.seed, i, None if i else options) for i in todo]
            shown = _shifted(progress, wanted - len(todo), started)
            for position, record in execute(jobs, asked.workers, shown):
                if "error" in record:
                    failures[todo[position]] = _message(record["error"])
                else:
                    records[todo[position]] = record
            wanted = _next_total(result(False), asked.precision, measure, asked.max_runs)
            if wanted <= len(records) + len(failures):
                break
    except KeyboardInterrupt as interrupt:
        raise Interrupted(_with_policy_warning(result(True)) if records else None) from interrupt
    if not records:
        raise RunError(f"no run came through; run {min(failures)}: {failures[min(failures)]}")
    done = replace(result(False), extra_warnings=_of_captures(files, failed=0 in failures))
    return _with_policy_warning(_with_precision_warning(done, asked.precision, measure))


@overload
def compare(a: Result, b: Result, measure: str = "goodput_pps") -> stats.Difference: ...


@overload
def compare(
    a: StudyResult,
    b: StudyResult,
    measure: str = "goodput_pps",
    on: str | Sequence[str] | None = None,
) -> polars.DataFrame: ...


def compare(
    a: Result | StudyResult,
    b: Result | StudyResult,
    measure: str = "goodput_pps",
    on: str | Sequence[str] | None = None,
) -> stats.Difference | polars.DataFrame:
    """Return the paired difference *a − b* of one measure, run by run over the same seeds.

    Args:
        a: a result, or (a part of) a study: ``result.where(variant="third")``.
        b: the same kind.
        measure: what is compared.
        on: for studies, the label or labels at whose values the two sides meet; by default all
            that both have except ``variant``. With ``on=[]`` all runs of one point are compared
            with those of another, whatever their labels.

    Returns:
        A `Difference` of two results; of two studies a polars frame with one row per combination
        of the labels ``on``: difference, low, high, a, b, ratio and n.

    Raises:
        InputError: the sides have different seeds, no values of the labels or fewer than two runs
            in common; or one is a study and the other is not.
        MeasureError: there is no such measure, or no run of a study has a value of it.
    """
    if isinstance(a, Result) and isinstance(b, Result):
        if on is not None:
            raise InputError("is for studies: results have no labels", "on", repr(on), "None")
        return _compare_results(a, b, measure)
    from acklab.study.result import StudyResult, compare_studies

    if not (isinstance(a, StudyResult) and isinstance(b, StudyResult)):
        kinds = f"{type(a).__name__} and {type(b).__name__}"
        raise InputError("are not of one kind", "a, b", kinds, "two results, or two studies")
    return compare_studies(a, b, measure, on)


def _compare_results(a: Result, b: Result, measure: str) -> stats.Difference:
    if a.seed != b.seed:
        raise InputError(
            "results of different seeds are not paired",
            "seed",
            f"{a.seed} and {b.seed}",
            "one seed",
        )
    left = {record["run"]: record["measures"] for record in a.records}
    right = {record["run"]: record["measures"] for record in b.records}
    if a.confidence != b.confidence:
        found = f"{a.confidence:g} and {b.confidence:g}"
        raise InputError("is not one for both results", "confidence", found, "one confidence")
    common = sorted(left.keys() & right.keys())
    if len(common) < 2:
        raise InputError("too few runs in common", "runs", str(len(common)), "2 or more")
    check_measure(measure)
    # A run in which nothing of the kind happened cannot tell a mean delay, say.
    told = [
        pair
        for number in common
        if None not in (pair := (left[number].get(measure), right[number].get(measure)))
    ]
    if len(told) < 2:
        raise InputError("too few runs tell it on both sides", "measure", measure, "2 or more runs")
    info = measure_info()[measure]
    one, other = ([pair[place] for pair in told] for place in (0, 1))
    return stats.paired(one, other, info.unit, a.confidence)


@dataclass(frozen=True)
class _Asked:
    """The arguments of `run`, each possible."""

    runs: int
    seed: int
    workers: int
    precision: float | None
    max_runs: int
    confidence: float


def _checked(
    scenario: object,
    runs: object,
    seed: object,
    workers: object,
    precision: object,
    measure: object,
    max_runs: object,
    confidence: object,
    captures: object,
    progress: object,
) -> _Asked:
    if not isinstance(scenario, Scenario):
        accepted = "acklab.Scenario.load(FILE)"
        raise InputError("is no scenario", "scenario", repr(scenario), accepted)
    if not isinstance(captures, Captures | None):
        accepted = "acklab.Captures(pcap=FILE)"
        raise InputError("are no captures", "captures", repr(captures), accepted)
    arguments.callback(progress, "progress")
    check_measure(measure)
    first = arguments.run_count(runs)
    arguments.check_cap(max_runs, precision)
    most = arguments.run_count(_MOST if max_runs is None else max_runs, "max_runs")
    near = None if precision is None else share(precision, "precision")
    if near is not None and most < first:
        raise InputError("is below the first batch", "max_runs", str(most), f"{first} or more")
    return _Asked(
        first,
        arguments.whole(seed, "seed", 0, _LARGEST_SEED),
        arguments.workers(workers) or available_cores(),
        near,
        most,
        arguments.confidence(confidence),
    )


def _options(scenario: Scenario, captures: Captures | None) -> dict[str, str | int] | None:
    """Return the core's options for run 0; the core writes each file whole or not at all."""
    if captures is None or not captures.files:
        return None
    if "pcap" in captures.files and "slotted" in scenario.resolve().tree:
        raise InputError(
            "a slotted radio sends no 802.11 frames", "pcap", str(captures.files["pcap"]), "events"
        )
    for kind, path in captures.files.items():
        check_outside_results(path, kind)
        check_file(path)
    # A link stays, and the file that it leads to is written.
    files = {kind: target(path) for kind, path in captures.files.items()}
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, str | int] = {kind: str(path) for kind, path in files.items()}
    if captures.node is not None:
        options["node"] = captures.node
    return options


def _of_captures(files: Mapping[str, Path], *, failed: bool) -> tuple[RunWarning, ...]:
    """Return what must be said of captures: run 0 writes all of them when it ends, or none."""
    if files and failed:
        said = "captures that were not written: they are of run 0, which failed"
        return (RunWarning("no-capture", said, len(files), (0,)),)
    return empty_captures(files)


def _message(error: Record) -> str:
    """Return why a run failed; what the caller can mend is raised instead."""
    for kind in (InputError, OutputError, ScenarioError):
        if error["kind"] == kind.__name__:
            raise kind(error["message"], error["place"], error["value"], error["accepted"])
    return str(error["message"])


def _shifted(
    progress: ProgressCallback | None, before: int, started: float
) -> ProgressCallback | None:
    """Count the runs of earlier batches in."""
    if progress is None:
        return None

    def call(state: Progress) -> None:
        progress(Progress(before + state.done, before + state.total, time.monotonic() - started))

    return call


def _next_total(result: Result, precision: float | None, measure: str, max_runs: int) -> int:
    """Return how many runs there should be in all, by what the interval says so far."""
    done = result.runs + len(result.failures)
    if precision is None or not result.records or measure not in result.measures:
        # If none of the first runs tells it, nothing says how many it would take.
        return done
    if _is_precise(result, precision, measure):
        return done
    relative = result.measures[measure].relative
    # Of runs that failed there are as many among the next ones.
    wanted = stats.runs_for(math.inf if relative is None else relative, precision, done)
    return min(max_runs, wanted)


def _is_precise(result: Result, precision: float, measure: str) -> bool:
    relative = result.measures[measure].relative
    return relative is not None and relative <= precision


def _with_policy_warning(result: Result) -> Result:
    names = policy.changed(result.resolved.policies)
    if not names:
        return result
    warning = RunWarning("policy-changed", f"{', '.join(names)}: {policy.CHANGED}", len(names), ())
    return replace(result, extra_warnings=(*result.extra_warnings, warning))


def _with_precision_warning(result: Result, precision: float | None, measure: str) -> Result:
    if precision is None:
        return result
    if measure not in result.measures:
        code = "no-such-measure"
        message = f"no run has a value of {measure}, so that no interval of it can be narrow enough"
    elif not _is_precise(result, precision, measure):
        code = "interval-too-wide"
        message = f"{measure} is not within ± {100 * precision:g} % after {result.runs} runs"
    elif result.measures[measure].mean == 0.0:
        code = "all-zero"
        message = f"{measure} was 0 in all {result.runs} runs: {stats.ALL_ZERO}"
    else:
        return result
    warning = RunWarning(code, message, 1, ())
    return replace(result, extra_warnings=(*result.extra_warnings, warning))
