"""`Study`: what a person touches."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acklab import arguments, places, store
from acklab.batch import Job, Record, execute
from acklab.errors import AcklabError, InputError, OutputError
from acklab.policy import changed
from acklab.scenario import Resolved, Scenario
from acklab.store import code_identity
from acklab.study import archive
from acklab.study.backends import Threads, open_backend
from acklab.study.borrowing import held
from acklab.study.cache import Cache
from acklab.study.campaign import Campaign
from acklab.study.finish import finish
from acklab.study.index import FILE, Index, RunKey
from acklab.study.interrupts import ended_gently
from acklab.study.plan import Plan, check_options, in_file
from acklab.study.points import Point, points, policies_of
from acklab.study.progress import POINT_S, ProgressCallback
from acklab.study.result import StudyResult, summary

__all__ = ["DryRun", "Study"]

# A dry run looks at this many points, each for this long in simulated time (or longer, if something
# happens later than that), to tell what they cost.
_PILOTS = 64
_PILOT_S = 5.0
_PILOT_ROUNDS = 2
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
    """

    points: int
    runs: int
    reused: int
    seconds: float
    workers: int
    most: int | None


class Study:
    """A base scenario with a grid and named variants over it.

    Example:
        >>> study = acklab.Study(
        ...     acklab.Scenario.load("chain.toml"),
        ...     grid={"flow.window": [2, 5, 10]},
        ...     variants={"every": {"flow.ack": "every"}, "third": {"flow.ack": third}},
        ...     precision=0.02,
        ... )
        >>> result = study.run()
        >>> result.points("goodput_pps")

    Args:
        scenario: the base.
        grid: dotted keys to lists of values, as `Scenario.with_` takes them.
        variants: names to changes.
        title: a name for people; by default the scenario's.
        options: the other fields of `Plan`: ``seed``, ``runs``, ``precision``, ``max_runs``,
            ``measure``, ``baseline``, ``keep``.

    Raises:
        InputError: a key leads nowhere or an option makes no sense.
        ScenarioError: a point is no possible scenario.
    """

    def __init__(
        self,
        scenario: Scenario,
        grid: Mapping[str, Sequence[Any]] | None = None,
        variants: Mapping[str, Mapping[str, Any]] | None = None,
        title: str | None = None,
        **options: Any,
    ) -> None:
        # Whatever was handed over, the plan says what is wrong with it.
        named = title or (scenario.title if isinstance(scenario, Scenario) else "study")
        tables: dict[str, Any] = {"grid": {} if grid is None else grid}
        tables["variants"] = {} if variants is None else variants
        check_options(options)
        self._set(Plan(named, scenario, **tables, **options))

    def _set(self, plan: Plan) -> None:
        self.plan = plan
        self.points = points(plan)
        if "samples" in plan.keep and not any(map(_samples, self.points)):
            accepted = 'flows, nodes; or a scenario with measure.sample, such as sample = "1 s"'
            raise InputError("no point takes samples", "keep", "samples", accepted)

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """Read a study from a TOML file.

        Raises:
            InputError: the file cannot be read, or a key or value makes no sense.
            ScenarioError: a point is no possible scenario.
        """
        plan = Plan.load(path)
        try:
            return cls.of(plan)
        except InputError as error:
            raise in_file(path, error) from error

    @classmethod
    def of(cls, plan: Plan) -> Study:
        """Make a study from a plan."""
        if not isinstance(plan, Plan):
            raise InputError("is no plan of a study", "plan", repr(plan), "an acklab.study.Plan")
        study = cls.__new__(cls)
        study._set(plan)
        return study

    @property
    def folder(self) -> Path:
        """Where it lands by default: the same question always has the same folder."""
        identity = json.dumps([[point.key for point in self.points], self.plan.seed])
        return store.default_folder(self.plan.title, identity)

    def run(
        self,
        folder: str | Path | None = None,
        *,
        on: str | None = None,
        workers: int | None = None,
        progress: ProgressCallback | None = None,
        fresh: bool = False,
    ) -> StudyResult:
        """Run what is missing and return the whole result.

        Args:
            folder: where the study is; by default `folder`. What it holds already is reused.
            on: ``None`` for this machine's cores, ``"local-cluster"``, or ``"dask://HOST:PORT"``.
            workers: how many runs at a time; all cores by default. A cluster at an address has
                as many as it has.
            progress: called a few times a second with how far it is.
            fresh: run everything again; reuse nothing.

        Raises:
            InputError: a measure, a backend or a folder does not exist, or a policy does something
                else than when the study was made: its runs would stand under another one's name.
            OutputError: the folder cannot be written; finished runs are kept.
            StudyInterrupted: Ctrl-C; finished runs are kept.
        """
        arguments.callback(progress, "progress")
        if names := changed(policies_of(self.points)):
            reason = "is not what it was when it was put into the scenario"
            accepted = (
                "a study made anew; what a policy is to remember in `self`, not in its module"
            )
            raise InputError(reason, "flow.ack", ", ".join(names), accepted)
        with closing(open_backend(on, workers)) as backend:
            place = _prepared(self._place(folder))
            cache = Cache(code_identity())
            campaign = Campaign(self.plan, self.points, place, backend, cache, progress, fresh)
            try:
                with ended_gently():
                    return _complete(campaign)
            except OutputError:
                # A finished study may lie where nothing can be written any more.
                if fresh or not self._finished(place):
                    raise
        return StudyResult.load(place)

    def _place(self, folder: str | Path | None) -> Path:
        if folder is None:
            return self.folder
        return arguments.path(folder, "the path of a folder", "folder")

    def _finished(self, place: Path) -> bool:
        """Whether the folder holds all that running this study would leave there."""
        try:
            result = StudyResult.load(place)
        except InputError:
            return False
        plan, manifest = self.plan, result.manifest
        told = ("title", "seed", "measure", "baseline", "precision")
        named = {name: getattr(plan, name) for name in told} | {"code": code_identity()}
        named["failures"] = []
        same = all(manifest.get(name) == value for name, value in named.items())
        points = [(dict(point.labels), point.key) for point in self.points]
        there = [(point["labels"], point["scenario"]) for point in manifest.get("points", ())]
        whole = all((place / f"{kind}.parquet").exists() for kind in plan.keep)
        return same and points == there and whole and self._has_runs(result)

    def _has_runs(self, result: StudyResult) -> bool:
        """Whether each point has its runs, and as many as a wished precision asks for."""
        plan = self.plan
        counts = [point["runs"] for point in result.manifest["points"]]
        if plan.precision is None:
            return all(count == plan.runs for count in counts)
        known = [plan.measure] if plan.measure in result.measures else []
        told = summary(result.table, (*result.labels, "point"), known).iter_rows(named=True)
        wide = {
            row["point"]
            for row in told
            if row["low"] is not None
            and (row["high"] - row["low"]) / 2 > plan.precision * abs(row["mean"])
        }
        return all(
            plan.runs <= count <= plan.max_runs and (number not in wide or count == plan.max_runs)
            for number, count in enumerate(counts)
        )

    def dry_run(
        self,
        folder: str | Path | None = None,
        workers: int | None = None,
        *,
        on: str | None = None,
        fresh: bool = False,
    ) -> DryRun:
        """Tell what `run` would take, from a few short runs here that are thrown away.

        Raises:
            InputError: there is no such place to run.
            OutputError: the folder holds something else, or cannot be written.
        """
        place = self._place(folder)
        with closing(open_backend(on, workers)) as backend:
            # A cluster may have no worker yet.
            cores = max(1, backend.workers)
        if not places.is_there(place / FILE):
            places.check_folder(place, "study", look=True)
        wanted = {
            RunKey(point.key, self.plan.seed, run)
            for point in self.points
            for run in range(self.plan.runs)
        }
        missing = self._missing(wanted, place, fresh)
        left = len(missing)
        here = min(cores, Threads().workers) if on is None else 1
        # The last of them keep some cores idle.
        seconds = -(-left // cores) * self._seconds_each(missing, here) if left else 0.0
        seconds += len(self.points) * POINT_S if left else 0.0
        keys = {point.key for point in self.points}
        most = None if self.plan.precision is None else len(keys) * self.plan.max_runs
        return DryRun(len(self.points), len(wanted), len(wanted) - left, seconds, cores, most)

    def _missing(self, wanted: set[RunKey], place: Path, fresh: bool) -> set[RunKey]:
        """Return those of these runs that would not be reused."""
        missing = set(wanted)
        if (place / FILE).exists():
            with closing(Index(place, code_identity(), look=True)) as index:
                there = index.contents()
                lesser = archive.lacking(place, there.batches, self.plan.keep)
                # What was begun afresh and cut off goes on from there.
                if not fresh or index.forgot(self.plan.seed, {key.scenario for key in wanted}):
                    missing -= there.finished(lesser).keys()
        return missing if fresh else self._nowhere(missing, place)

    def _nowhere(self, missing: set[RunKey], place: Path) -> set[RunKey]:
        """Return those of these runs that no other study has either."""
        cache, tried, left = Cache(code_identity()), [place], set(missing)
        while found := cache.find(left, *tried):
            for folder, keys in found.items():
                tried.append(folder)
                left -= set(held(folder, keys, self.plan.keep))
        return left

    def _seconds_each(self, missing: Collection[RunKey], workers: int) -> float:
        """Wall seconds of an average run that is missing, by short runs, so many at a time."""
        lacking = Counter(key.scenario for key in missing)
        scenarios = {point.key: point.scenario for point in self.points if lacking[point.key]}
        chosen = {key: _shortened(scenarios[key]) for key in _from_all_over([*scenarios])}
        # As many on each core as will be at work then: they slow each other down.
        each = -(-_PILOT_ROUNDS * workers // len(chosen))
        jobs = [
            (Job(short.resolve(), self.plan.seed, run), longer, lacking[key])
            for run in range(each)
            for key, (short, longer) in chosen.items()
        ]
        seconds = runs = 0.0
        for index, record in execute([job for job, _, _ in jobs], workers):
            job, longer, many = jobs[index]
            seconds += many * _cost(record, job, longer)
            runs += many
        return seconds / runs + _HANDLING_S

    def __repr__(self) -> str:
        return f"<acklab.Study {self.plan.title!r}: {len(self.points)} points>"


def _samples(point: Point) -> bool:
    measure = point.scenario.resolve().tree.get("measure") or {}
    return measure.get("sample") is not None


def _complete(campaign: Campaign) -> StudyResult:
    results: list[StudyResult] = []

    def tabulate(campaign: Campaign) -> None:
        with campaign.alone_with_tables():
            finish(campaign)
            results.append(StudyResult.load(campaign.folder))

    try:
        campaign.execute(tabulate)
    except KeyboardInterrupt:
        # While the tables were made.
        raise campaign.interrupted() from None
    return results[0]


def _from_all_over(keys: Sequence[str]) -> Sequence[str]:
    """Return some of many points: one of each stretch, by chance, as a grid goes in even steps."""
    if len(keys) <= _PILOTS:
        return keys
    draw = random.Random(len(keys))
    stretch = len(keys) / _PILOTS
    return [keys[int((number + draw.random()) * stretch)] for number in range(_PILOTS)]


def _shortened(scenario: Scenario) -> tuple[Scenario, float]:
    """Return a short form of a scenario, and how many times longer the whole one is."""
    whole, seconds = _seconds(scenario.resolve()), _PILOT_S
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


def _prepared(place: Path) -> Path:
    if not places.is_there(place / FILE):
        places.check_folder(place, "study")
    try:
        places.make_folder(place)
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise OutputError(reason, str(place), None, "a folder that is writeable") from error
    return place
