"""Runs experiments: what is missing is run on all cores, what exists is reused.

With a wished precision, rounds of further runs are added to the points whose interval is still
too wide, up to the experiment's cap. Every finished run is on disk before it is counted.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab import stats
from acklab.papers.engine import grid, log_measures
from acklab.papers.engine.errors import PaperInterrupted
from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.model import Cell, Experiment, Paper
from acklab.papers.engine.provider import Job, Provider
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.searches import Searcher, found_measures
from acklab.papers.engine.store import Store
from acklab.scenario import Resolved


@dataclass(frozen=True)
class Progress:
    """How far a campaign is; `left_s` is the time left (None while nothing is known)."""

    done: int
    total: int
    reused: int
    elapsed_s: float
    left_s: float | None
    doing: str


ProgressCallback = Callable[[Progress], None]


@dataclass
class Point:
    """A grid point on its way: its scenario and how many runs it shall have."""

    experiment: Experiment
    cell: Cell
    scenario: str
    hash: str
    target: int
    tree: Mapping[str, Any] = field(default_factory=dict)
    """The scenario before its defaults were filled in."""
    by_run: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Scenario and hash of each run, where a run has its own (`Experiment.by_run`)."""


@dataclass
class Campaign:
    """One campaign over some experiments of a paper."""

    paper: Paper
    keys: Sequence[str]
    mode: str
    provider: Provider
    folder: Path
    workers: int
    runs: int | None = None
    fresh: bool = False
    progress: ProgressCallback | None = None
    points: list[Point] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    results: Results = field(init=False)
    new_runs: int = 0
    reused_runs: int = 0
    searcher: Searcher = field(init=False)
    failures: dict[tuple[str, str, int], str] = field(default_factory=dict)
    """Runs that ended in a fault, by experiment, scenario hash and run, with what went wrong."""

    def execute(self) -> Results:
        """Run all that is missing; raises `PaperInterrupted` on Ctrl-C with all runs kept."""
        experiments = {key: self.paper.experiments[key] for key in self.keys}
        self.results = Results(
            {key: ExperimentRuns(e) for key, e in experiments.items()},
            self.paper.derived,
            self.paper.sampled,
        )
        self.searcher = Searcher(
            self.provider, self.folder, self.mode, self.workers, self.fresh, self._say
        )
        stores = {
            key: Store(self.folder / "runs" / f"{key}.jsonl", self._version(experiment), self.fresh)
            for key, experiment in experiments.items()
        }
        try:
            for key, experiment in experiments.items():
                self.points += self._points(experiment, self.results.experiments[key]) or []
            self._rounds(stores)
        except KeyboardInterrupt:
            total = sum(point.target for point in self.points)
            done = self.new_runs + self.reused_runs
            raise PaperInterrupted(done, total, str(self.folder)) from None
        finally:
            self.searcher.close()
            self.searcher.fresh = False
            for store in stores.values():
                store.close()
        return self.results

    def _version(self, experiment: Experiment) -> str:
        """Name the code that an experiment's rows are made by: of its event logs' measures too."""
        core = self.provider.version
        return f"{core}+{log_measures.version(experiment.log)}" if experiment.log else core

    def _say(self, doing: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(Progress(done, total, 0, time.monotonic() - self.started, None, doing))

    def reusable(self) -> Results:
        """The results, with every other experiment whose points all have runs from before.

        Claims then keep the verdicts that an earlier campaign in this folder has earned.
        """
        found = dict(self.results.experiments)
        for key, experiment in self.paper.experiments.items():
            path = self.folder / "runs" / f"{key}.jsonl"
            if key in found or not path.is_file():
                continue
            store = Store(path, self._version(experiment))
            data = ExperimentRuns(experiment)
            for point in self._points(experiment, data, run=False) or []:
                runs = itertools.count()
                keys = ((self._of(point, run)[1], experiment.seed, run) for run in runs)
                kept = list(itertools.takewhile(store.rows.__contains__, keys))
                data.rows[point.cell] = {key[2]: store.rows[key] for key in kept}
            if data.rows and all(len(data.runs(cell)) > 1 for cell in data.rows):
                found[key] = data
        return Results(found, self.paper.derived, self.paper.sampled)

    def limit(self, experiment: Experiment) -> int:
        """The most runs that a point of this experiment may get in this campaign."""
        if self.runs is not None:
            return self.runs
        return experiment.runs.quick if self.mode == "quick" else experiment.runs.cap

    def _points(
        self, experiment: Experiment, data: ExperimentRuns, run: bool = True
    ) -> list[Point] | None:
        """All grid points; None if a search would have to run and must not."""
        count = self.runs or (
            experiment.runs.quick if self.mode == "quick" else experiment.runs.full
        )
        points = []
        for cell in grid.cells(experiment):
            tree = grid.tree(experiment, cell, self.mode)
            if experiment.search is not None:
                best = self.searcher.find(experiment, cell, run)
                if best is None:
                    return None
                data.found[cell] = found_measures(experiment.search, best)
                tree = self.searcher.tree(experiment, cell, best)
            resolved = self._resolve(experiment, tree, 0)
            points.append(Point(experiment, cell, *resolved, count, tree))
        return points

    def _resolve(
        self, experiment: Experiment, tree: Mapping[str, Any], run: int
    ) -> tuple[str, str]:
        """Scenario of a run, and its hash."""
        own = grid.of_run(experiment, tree, run)
        resolved = self.provider.resolve(own, f"{self.paper.key}:{experiment.key}")
        return resolved, Resolved(resolved).content

    def _of(self, point: Point, run: int) -> tuple[str, str]:
        """Scenario and hash of one run of a point."""
        if not point.experiment.by_run:
            return point.scenario, point.hash
        if run not in point.by_run:
            point.by_run[run] = self._resolve(point.experiment, point.tree, run)
        return point.by_run[run]

    def _rounds(self, stores: Mapping[str, Store]) -> None:
        clock = _Clock(self)
        while True:
            waiting: list[tuple[Point, int]] = []
            for point in self.points:
                store = stores[point.experiment.key]
                rows = self.results.experiments[point.experiment.key].rows
                have = rows.setdefault(point.cell, {})
                for run in range(point.target):
                    failed = (point.experiment.key, point.hash, run) in self.failures
                    if run in have or failed:
                        continue
                    key = (self._of(point, run)[1], point.experiment.seed, run)
                    if key in store.rows:
                        have[run] = store.rows[key]
                        self.reused_runs += 1
                    else:
                        waiting.append((point, run))
            # Each point gets the same share of its runs: what Ctrl-C leaves behind is balanced.
            waiting.sort(key=lambda job: ((job[1] + 1) / job[0].target, job[1]))
            self._run(waiting, stores, clock)
            if self.mode != "full" or self.runs is not None or not self._ask_for_more():
                return

    def _run(
        self, waiting: list[tuple[Point, int]], stores: Mapping[str, Store], clock: _Clock
    ) -> None:
        clock.expect([point for point, _ in waiting])
        groups = self._together(waiting)
        jobs = [
            Job(self._of(p, run)[0], p.experiment.seed, run, p.experiment.log)
            for (p, run), *_ in groups
        ]
        with closing(self.provider.run(jobs, self.workers)) as finished:
            for index, result in finished:
                for point, run in groups[index]:
                    self._take(point, run, result, stores)
                    clock.tick(point)

    def _together(self, waiting: Sequence[tuple[Point, int]]) -> list[list[tuple[Point, int]]]:
        """Runs that are the same: experiments meet in such points."""
        groups: dict[tuple[str, int, int, str], list[tuple[Point, int]]] = {}
        for point, run in waiting:
            experiment = point.experiment
            key = (self._of(point, run)[1], experiment.seed, run, experiment.log)
            groups.setdefault(key, []).append((point, run))
        return list(groups.values())

    def _take(
        self, point: Point, run: int, result: Mapping[str, Any], stores: Mapping[str, Store]
    ) -> None:
        if "error" in result:
            self._fail(point, run, str(result["error"]))
            return
        experiment = point.experiment
        own = self._of(point, run)[1]
        row = stores[experiment.key].add(own, experiment.seed, run, dict(result))
        self.results.experiments[experiment.key].rows[point.cell][run] = row
        self.new_runs += 1

    def _fail(self, point: Point, run: int, why: str) -> None:
        name = grid.cell_name(point.experiment, point.cell)
        key = (point.experiment.key, point.hash, run)
        self.failures[key] = f"{point.experiment.key} {name}, run {run}: {why}"

    def _ask_for_more(self) -> bool:
        self.results.forget()
        more = False
        for point in self.points:
            experiment = point.experiment
            cap = experiment.runs.cap
            estimate = self.results.point(experiment.key, point.cell, experiment.precision_measure)
            wanted = min(cap, runs_for(estimate, experiment.precision, point.target))
            more = more or wanted > point.target
            point.target = max(point.target, wanted)
        self.results.forget()
        return more


def runs_for(estimate: Estimate, precision: float, now: int) -> int:
    """How many runs bring the half-width to `precision` × mean, at most doubling at a time."""
    if estimate.value == 0.0 or math.isnan(estimate.value):
        return now
    return stats.runs_for(estimate.half_width() / abs(estimate.value), precision, now)


class _Clock:
    """Estimates the time left from the simulated seconds that are left."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.started = time.monotonic()
        self.work_done = 0.0
        self.work_left = 0.0
        self.left = 0
        self.shown = 0.0
        self.weights: dict[str, float] = {}

    def expect(self, points: list[Point]) -> None:
        """A round of these runs begins."""
        self.left = len(points)
        self.work_left = sum(self._weight(point) for point in points)
        self._show("starting", force=True)

    def tick(self, point: Point) -> None:
        """One run has ended."""
        weight = self._weight(point)
        self.work_done += weight
        self.work_left -= weight
        self.left -= 1
        self._show(point.experiment.title, force=self.left == 0)

    def _weight(self, point: Point) -> float:
        key = point.hash
        if key not in self.weights:
            scenario = json.loads(point.scenario)
            topology = scenario.get("topology", {})
            nodes = topology.get("nodes", len(topology.get("positions", ())))
            seconds = str(scenario.get("duration", "1 s")).split(" ")[0]
            number = float(seconds) if seconds.replace(".", "", 1).isdigit() else 1.0
            # A run of so many packets ends long before its duration: about ten a second.
            packets = (scenario.get("measure") or {}).get("stop_after")
            number = min(number, packets / 10.0) if packets else number
            # Frames on the air, and with them work, grow about with the number of nodes.
            self.weights[key] = number * max(1, nodes)
        return self.weights[key]

    def _show(self, doing: str, force: bool) -> None:
        campaign = self.campaign
        now = time.monotonic()
        if campaign.progress is None or (not force and now - self.shown < 0.1):
            return
        self.shown = now
        elapsed = now - self.started
        done = campaign.new_runs + campaign.reused_runs
        rate = self.work_done / elapsed if elapsed > 0.0 else 0.0
        left = self.work_left / rate if rate > 0.0 else (0.0 if self.left == 0 else None)
        campaign.progress(
            Progress(done, done + self.left, campaign.reused_runs, elapsed, left, doing)
        )
