"""`Study`: what a person touches."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import store
from acklab.batch import Job
from acklab.errors import AcklabError, OutputError
from acklab.scenario import Scenario
from acklab.study import archive
from acklab.study.backends import Threads, open_backend
from acklab.study.cache import Cache, code_identity
from acklab.study.campaign import Campaign, ProgressCallback
from acklab.study.index import FILE, Index, RunKey
from acklab.study.plan import Plan
from acklab.study.points import Label, labels, points
from acklab.study.result import StudyResult, compare_studies, summary

if TYPE_CHECKING:
    import polars

__all__ = ["DryRun", "Study"]

_FORMAT = 1
# A dry run looks at this many points, each for this long in simulated time, to tell what they cost.
_PILOTS = 16
_PILOT = "5 s"


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
        lists = {key: tuple(values) for key, values in (grid or {}).items()}
        if "keep" in options:
            options["keep"] = frozenset(options["keep"])
        self._set(Plan(title or scenario.title, scenario, lists, dict(variants or {}), **options))

    def _set(self, plan: Plan) -> None:
        self.plan = plan
        self.points = points(plan)

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """Read a study from a TOML file.

        Raises:
            InputError: the file cannot be read, or a key or value makes no sense.
            ScenarioError: a point is no possible scenario.
        """
        return cls.of(Plan.load(path))

    @classmethod
    def of(cls, plan: Plan) -> Study:
        """Make a study from a plan."""
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
            workers: how many runs at a time; all cores by default.
            progress: called a few times a second with how far it is.
            fresh: run everything again; reuse nothing.

        Raises:
            InputError: a measure, a backend or a folder does not exist.
            OutputError: the folder cannot be written; finished runs are kept.
            StudyInterrupted: Ctrl-C; finished runs are kept.
        """
        place = _prepared(self.folder if folder is None else Path(folder))
        with closing(open_backend(on, workers)) as backend:
            cache = Cache(code_identity())
            campaign = Campaign(self.plan, self.points, place, backend, cache, progress, fresh)
            campaign.execute()
        _finish(campaign)
        return StudyResult.load(place)

    def dry_run(self, folder: str | Path | None = None, workers: int | None = None) -> DryRun:
        """Tell what running it would take, from a few short runs that are thrown away."""
        place = self.folder if folder is None else Path(folder)
        wanted = {
            RunKey(point.key, self.plan.seed, run)
            for point in self.points
            for run in range(self.plan.runs)
        }
        have: set[RunKey] = set()
        if (place / FILE).exists():
            with closing(Index(place, code_identity())) as index:
                have = wanted & index.finished().keys()
        elsewhere = Cache(code_identity()).find(wanted - have, place)
        reused = len(have) + sum(map(len, elsewhere.values()))
        cores = Threads(workers).workers
        left = len(wanted) - reused
        seconds = left * self._seconds_each(cores) / cores if left else 0.0
        keys = {point.key for point in self.points}
        most = None if self.plan.precision is None else len(keys) * self.plan.max_runs
        return DryRun(len(self.points), len(wanted), reused, seconds, cores, most)

    def _seconds_each(self, workers: int) -> float:
        """Wall seconds of an average run, by short runs of some points."""
        step = max(1, len(self.points) // _PILOTS)
        costs: list[float] = []
        for point in self.points[::step]:
            short, factor = _shortened(point.scenario)
            backend = Threads(workers)
            for _, record in backend.run([Job(short.resolve(), self.plan.seed, 0)]):
                costs.append(float(record.get("wall_s", 0.0)) * factor)
        return sum(costs) / len(costs)

    def __repr__(self) -> str:
        return f"<acklab.Study {self.plan.title!r}: {len(self.points)} points>"


def _shortened(scenario: Scenario) -> tuple[Scenario, float]:
    """Return a short form of a scenario, and how many times longer the whole one is."""
    whole = _seconds(scenario)
    try:
        short = scenario.with_(duration=_PILOT)
    except AcklabError:
        # Something happens later than that.
        return scenario, 1.0
    return (short, whole / _seconds(short)) if whole > _seconds(short) else (scenario, 1.0)


def _seconds(scenario: Scenario) -> float:
    return float(str(scenario.resolve().tree["duration"]).split()[0])


def _prepared(place: Path) -> Path:
    if not (place / FILE).exists():
        store.check_folder(place, "study")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise OutputError(reason, str(place), None, "a folder that is writeable") from error
    return place


def _finish(campaign: Campaign) -> None:
    """Write the sorted tables, the scenarios, and last the manifest."""
    plan, folder = campaign.plan, campaign.folder
    with closing(Index(folder, code_identity())) as index:
        batches = index.batches()
    names = labels(plan)
    table = _sorted(archive.read(folder, batches, "runs").drop("wall_s"), campaign, names, ["run"])
    _write(folder, "table", table)
    for kind in sorted(plan.keep):
        rows = archive.read(folder, batches, kind)
        if not rows.is_empty():
            order = [name for name in ("run", "flow", "node", "time_s") if name in rows.columns]
            _write(folder, kind, _sorted(rows, campaign, names, order))
    head = {*names, "point", "seed", "run", "simulated_s", "events", "digest", "warnings"}
    measures = [name for name in table.columns if name not in head]
    _write(folder, "points", summary(table, names, measures))
    result = StudyResult(plan.title, folder, names, table, {})
    if plan.baseline is not None:
        _write(folder, "comparison", _compared(result, plan))
    for point in campaign.points:
        _text(folder / "scenarios" / f"{point.key}.toml", point.scenario.resolve().to_toml())
    _text(folder / store.MANIFEST, json.dumps(_manifest(campaign, names), indent=2) + "\n")


def _sorted(
    rows: polars.DataFrame, campaign: Campaign, names: Sequence[str], order: Sequence[str]
) -> polars.DataFrame:
    """Give rows their labels, in the order of points, only the runs that were asked for."""
    import polars

    columns: dict[str, list[Label]] = {
        name: [point.labels[name] for point in campaign.points] for name in names
    }
    what: dict[str, Any] = {name: _column(values) for name, values in columns.items()}
    what |= {
        "point": list(range(len(campaign.points))),
        "scenario": [point.key for point in campaign.points],
        "_target": [campaign.targets[point.key] for point in campaign.points],
    }
    mine = rows.filter(rows.get_column("seed") == campaign.plan.seed)
    labelled = polars.DataFrame(what).join(mine, on="scenario", maintain_order="left_right")
    wanted = labelled.filter(labelled.get_column("run") < labelled.get_column("_target"))
    measures = sorted(set(rows.columns) - {*archive.KEY, *archive.HEAD_COLUMNS, *order})
    head = [name for name in archive.HEAD_COLUMNS if name in rows.columns and name != "wall_s"]
    rest = [name for name in head if name not in archive.KEY]
    parts = [name for name in order if name != "run"]
    chosen = wanted.select(*names, "point", "seed", "run", *parts, *rest, *measures)
    return chosen.sort("point", *order, maintain_order=True)


def _column(values: list[Label]) -> list[Any]:
    """Values of one kind stay what they are; mixed ones become texts."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float} and float in kinds:
        return [float(value) for value in values]
    return values if len(kinds) == 1 else [str(value) for value in values]


def _compared(result: StudyResult, plan: Plan) -> polars.DataFrame:
    import polars

    base = result.where(variant=plan.baseline)
    others = [name for name in plan.variants if name != plan.baseline]
    frames = [
        compare_studies(result.where(variant=name), base, plan.measure, None).select(
            polars.lit(name).alias("variant"), polars.all()
        )
        for name in others
    ]
    return polars.concat(frames) if frames else polars.DataFrame()


def _manifest(campaign: Campaign, names: Sequence[str]) -> dict[str, Any]:
    plan = campaign.plan
    wide = campaign.wide()
    warnings = []
    if wide:
        said = f"{plan.measure} is not within ± {plan.precision:.1%} at {wide} points at the cap"
        warnings.append({"code": "interval-too-wide", "message": said, "count": wide})
    if campaign.failures:
        said = "runs that failed and are left out; `failures` says why"
        warnings.append({"code": "run-failed", "message": said, "count": len(campaign.failures)})
    return {
        "format": _FORMAT,
        "kind": "study",
        "title": plan.title,
        "labels": list(names),
        "version": store.code_version(),
        "code": code_identity(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "machine": {
            "system": platform.platform(),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
        },
        "seed": plan.seed,
        "precision": plan.precision,
        "measure": plan.measure,
        "points": [
            {
                "labels": dict(point.labels),
                "scenario": point.key,
                "runs": campaign.targets[point.key],
            }
            for point in campaign.points
        ],
        "new_runs": campaign.new,
        "reused_runs": campaign.reused,
        "failures": [
            {"scenario": key.scenario, "run": key.run, "message": message}
            for key, message in sorted(campaign.failures.items())
        ],
        "warnings": warnings,
        "workers": campaign.backend.workers,
        "elapsed_s": time.monotonic() - campaign.started,
    }


def _write(folder: Path, name: str, frame: polars.DataFrame) -> None:
    for ending, write in (("parquet", frame.write_parquet), ("csv", frame.write_csv)):
        # Through memory, so that a full disk is Python's own OSError, with nothing of polars in it.
        buffer = io.BytesIO()
        write(buffer)
        with store.new_file(folder / f"{name}.{ending}") as path:
            path.write_bytes(buffer.getbuffer())


def _text(path: Path, text: str) -> None:
    with store.new_file(path) as new:
        new.write_text(text, encoding="utf-8")
