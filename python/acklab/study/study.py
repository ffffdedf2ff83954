"""`Study`: what a person touches."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from acklab import arguments, places, store
from acklab.errors import InputError, OutputError
from acklab.frames import table_files
from acklab.interrupts import ended_gently
from acklab.policy import changed
from acklab.scenario import Scenario
from acklab.store import code_identity
from acklab.study.backends import Threads, open_backend
from acklab.study.cache import Cache
from acklab.study.campaign import Campaign
from acklab.study.dry_run import DryRun, missing_runs, seconds_each
from acklab.study.finish import finish
from acklab.study.index import FILE, RunKey
from acklab.study.means import is_wide, summary
from acklab.study.plan import Plan, check_options, in_file
from acklab.study.points import Point, points, policies_of
from acklab.study.progress import POINT_S, ProgressCallback
from acklab.study.result import StudyResult
from acklab.study.warnings import alike

__all__ = ["DryRun", "Study"]


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
            workers: how many runs at a time; all cores by default. With a cluster at an address,
                which has its own, none may be given.
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
        plan = self.plan
        if not _has_tables(place, {"table", "points", *plan.keep}):
            return False
        try:
            result = StudyResult.load(place)
        except InputError:
            return False
        manifest = result.manifest
        told = ("title", "seed", "measure", "baseline", "precision")
        named = {name: getattr(plan, name) for name in told} | {"code": code_identity()}
        named["failures"] = []
        same = all(manifest.get(name) == value for name, value in named.items())
        points = [(dict(point.labels), point.key) for point in self.points]
        there = [(point["labels"], point["scenario"]) for point in manifest.get("points", ())]
        compared = {"comparison"} if self._compares(manifest) else set()
        whole = _has_tables(place, compared)
        return same and points == there and whole and self._has_runs(result)

    def _compares(self, manifest: Mapping[str, Any]) -> bool:
        """Whether some point of some variant could be compared with the baseline."""
        plan = self.plan
        if plan.baseline is None:
            return False
        pairs = math.prod(map(len, plan.grid.values())) * (len(plan.variants) - 1)
        warnings = manifest.get("warnings", ())
        lacking: int = sum(said["count"] for said in warnings if said["code"] == "not-compared")
        return lacking < pairs

    def _has_runs(self, result: StudyResult) -> bool:
        """Whether each point has its runs, and as many as a wished precision asks for."""
        plan = self.plan
        counts = [point["runs"] for point in result.manifest["points"]]
        if plan.precision is None:
            return all(count == plan.runs for count in counts)
        known = [plan.measure] if plan.measure in result.measures else []
        told = summary(result.table, (*result.labels, "point"), known).iter_rows(named=True)
        wide = {row["point"] for row in told if is_wide(row, plan.precision)}
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
        plan, keys = self.plan, {point.key for point in self.points}
        cap = plan.runs if plan.precision is None else plan.max_runs
        every = {RunKey(key, plan.seed, run) for key in keys for run in range(cap)}
        lacking = missing_runs(plan, every, place, fresh)
        missing = {key for key in lacking if key.run < plan.runs}
        here = min(cores, Threads().workers) if on is None else 1

        def seconds(runs: set[RunKey]) -> float:
            if not runs:
                return 0.0
            # The last of them keep some cores idle.
            rounds = -(-len(runs) // cores)
            return rounds * seconds_each(self.points, runs, here) + len(self.points) * POINT_S

        runs = len(keys) * plan.runs
        warnings = [*alike(self.points)]
        reused, needed = runs - len(missing), seconds(missing)
        first = DryRun(len(self.points), runs, reused, needed, cores, None, None, warnings)
        if plan.precision is None:
            return first
        # What has its precision asks for no more.
        more = set() if not fresh and self._finished(place) else lacking
        return replace(first, most=len(every), seconds_at_most=seconds(more))

    def __repr__(self) -> str:
        return f"<acklab.Study {self.plan.title!r}: {len(self.points)} points>"


def _has_tables(place: Path, kinds: Iterable[str]) -> bool:
    """Whether each of these tables lies there as both of its files."""
    return all((place / name).is_file() for kind in kinds for name in table_files(kind))


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


def _prepared(place: Path) -> Path:
    if not places.is_there(place / FILE):
        places.check_folder(place, "study")
    try:
        # A link that leads nowhere yet is no reason to refuse.
        places.make_folder(places.target(place))
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise OutputError(reason, str(place), None, "a folder that is writeable") from error
    return place
