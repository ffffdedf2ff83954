"""Runs turned into samples and points.

A sample is one value a run; a point is the mean of a sample with its interval and the warnings
of its runs. Invariant: samples that are compared are cut to the runs that all of them have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from acklab.measures import measure_info
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Array, Estimate, mean
from acklab.papers.engine.flow_measures import flow_measure
from acklab.papers.engine.handoff_measures import per_handoff_figure
from acklab.papers.engine.model import Cell, Derived, Experiment, PerHandoff, Sampled, Variant
from acklab.papers.engine.named_tests import Outcomes
from acklab.papers.engine.series import figure_of

Row = Mapping[str, Any]

MOST_BATCHES = 10_000
"""Batch b of run r is observation r × this + b."""

LAST_BATCH = "last_batch_"
"""Before a measure's name: its value in the last batch of a run, for the state that it ends in."""


@dataclass(frozen=True)
class Warn:
    """A warning of a point: what, and in how many of its runs."""

    code: str
    message: str
    runs: int


def mean_row(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over the batches that have it.

    A flow that delivers nothing in a batch has no retransmissions per packet there.
    """
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}


@dataclass
class ExperimentRuns:
    """All finished runs of one experiment."""

    experiment: Experiment
    rows: dict[Cell, dict[int, Row]] = field(default_factory=dict)
    found: dict[Cell, Mapping[str, float]] = field(default_factory=dict)
    """What was searched for at each point before it was run, the same in all its runs."""
    _means: dict[tuple[Cell, int], Row] = field(default_factory=dict)

    def pieces(self, cell: Cell) -> Mapping[int, Row]:
        """What counts as one observation: a run, a batch of it, or the mean of its batches."""
        rows = self.rows.get(cell, {})
        first = self.experiment.discard
        if first is None:
            return rows
        if self.experiment.observe == "runs":
            long = {run for run, row in rows.items() if len(row["samples"]["batches"]) > first}
            return {run: self._of_batches(cell, run, first) for run in sorted(long)}
        return {
            run * MOST_BATCHES + number: batch
            for run, row in rows.items()
            for number, batch in enumerate(row["samples"]["batches"])
            if number >= first
        }

    def _of_batches(self, cell: Cell, run: int, first: int) -> Row:
        """A run with the mean of its batches in the place of its measures, flow by flow too."""
        if (cell, run) not in self._means:
            row = self.rows[cell][run]
            kept = row["samples"]["batches"][first:]
            flows = zip(*(batch["flows"] for batch in kept), strict=True)
            means = {"measures": mean_row([batch["measures"] for batch in kept])}
            self._means[cell, run] = {**row, **means, "flows": [mean_row(flow) for flow in flows]}
        return self._means[cell, run]

    def runs(self, cell: Cell) -> set[int]:
        """The indices of this point's runs, or of its batches."""
        return set(self.pieces(cell))

    def warnings(self, cell: Cell) -> list[Warn]:
        """The warnings of a point's runs, gathered by code."""
        seen: dict[str, tuple[str, int]] = {}
        for row in self.rows.get(cell, {}).values():
            for warning in row.get("warnings", ()):
                message, count = seen.get(warning["code"], (warning["message"], 0))
                seen[warning["code"]] = (message, count + 1)
        return [Warn(code, message, count) for code, (message, count) in sorted(seen.items())]


@dataclass
class Results:
    """The finished runs of all experiments that were asked for."""

    experiments: dict[str, ExperimentRuns]
    derived: Mapping[str, Derived]
    sampled: Mapping[str, Sampled | PerHandoff] = field(default_factory=dict)
    tested: Outcomes = field(default_factory=Outcomes)
    """What became of the Rust tests that claims name."""
    judged: dict[str, Any] = field(default_factory=dict)
    """Verdicts beside and under a variant, by its key: they are asked for twice."""
    _columns: dict[tuple[str, Cell, str], dict[int, float]] = field(default_factory=dict)

    def under(self, variant: Variant) -> Results:
        """The variant's runs in the place of the experiments' own, and what it leaves as it is."""
        names = {key: variant.name(key) for key in variant.experiments}
        found = {k: self.experiments[v] for k, v in names.items() if v in self.experiments}
        if found:
            found |= {k: self.experiments[k] for k in variant.beside if k in self.experiments}
        return Results(found, self.derived, self.sampled)

    def beside(self, variant: Variant) -> Results:
        """What a variant's runs are compared with: the same runs of its experiments' points.

        A verdict that more runs would decide must not count as one that the variant changed.
        """
        found: dict[str, ExperimentRuns] = {}
        for key in (*variant.experiments, *variant.beside):
            if key not in self.experiments:
                continue
            own, other = self.experiments[key], self.experiments.get(variant.name(key))
            if key in variant.beside or key in variant.swap or other is None:
                found[key] = own
                continue
            rows = {
                cell: {run: row for run, row in runs.items() if run in other.rows.get(cell, {})}
                for cell, runs in own.rows.items()
            }
            same_grid = replace(own.experiment, axes=other.experiment.axes)
            found[key] = ExperimentRuns(same_grid, rows, own.found)
        return Results(found, self.derived, self.sampled)

    def has(self, variant: Variant) -> bool:
        """Have all of the variant's experiments been run, and their own counterparts?"""
        names = (*variant.experiments, *map(variant.name, variant.experiments))
        return all(name in self.experiments for name in names)

    def column(self, experiment: str, cell: Cell, measure: str) -> dict[int, float]:
        """A measure (declared by the core, or derived) of one point, by run index."""
        key = (experiment, cell, measure)
        if key not in self._columns:
            data = self.experiments[experiment]
            found = data.found.get(cell, {})
            self._columns[key] = {
                run: found[measure] if measure in found else self._value(row, measure)
                for run, row in data.pieces(cell).items()
            }
        return self._columns[key]

    def forget(self) -> None:
        """Drop what was computed from the rows, because rows were added."""
        self._columns.clear()
        self.judged.clear()

    def _value(self, row: Row, measure: str) -> float:
        if measure.startswith(LAST_BATCH):
            return self._value(row["samples"]["batches"][-1], measure.removeprefix(LAST_BATCH))
        measures: Mapping[str, float] = row["measures"]
        if measure in measures:
            return float(measures[measure])
        if (sampled := self.sampled.get(measure)) is not None:
            if isinstance(sampled, PerHandoff):
                return per_handoff_figure(sampled, row)
            return figure_of(sampled, row)
        if (of_flows := flow_measure(row, measure)) is not None:
            return of_flows
        if measure not in self.derived and measure in measure_info():
            # The core leaves out what a network has not, as windows where nothing is TCP.
            return math.nan
        if measure not in self.derived:
            known = [*measures, *self.derived, *self.sampled]
            raise PaperError("measure", measure, known, "unknown measure")
        derived = self.derived[measure]
        top = derived.top([self._value(row, name) for name in derived.of])
        if not derived.per:
            return derived.scale * top
        bottom = sum(self._value(row, name) for name in derived.per)
        return derived.scale * top / bottom if bottom else 0.0

    def common_runs(self, points: Iterable[tuple[str, Cell]]) -> list[int]:
        """The run indices that all these points have."""
        sets = [self.experiments[experiment].runs(cell) for experiment, cell in points]
        return sorted(set.intersection(*sets)) if sets else []

    def sample(self, experiment: str, cell: Cell, measure: str, runs: Iterable[int]) -> Array:
        """One value a run, in the order of `runs`."""
        column = self.column(experiment, cell, measure)
        return np.array([column[run] for run in runs], dtype=np.float64)

    def flow_points(
        self, experiment: str, cell: Cell, measure: str, ranked: bool = False
    ) -> list[Estimate]:
        """The mean of all runs of one point, flow by flow, or rank by rank in each run."""
        rows = self.experiments[experiment].pieces(cell)
        flows = [[self._flow_value(f, measure) for f in row["flows"]] for row in rows.values()]
        if ranked:
            flows = [sorted(values, reverse=True) for values in flows]
        return [mean(values) for values in zip(*flows, strict=True)]

    def _flow_value(self, flow: Mapping[str, float], measure: str) -> float:
        return self._value({"measures": flow, "flows": []}, measure)

    def point(self, experiment: str, cell: Cell, measure: str) -> Estimate:
        """The mean of all runs of one point that have such a value."""
        values = self.column(experiment, cell, measure).values()
        return mean([value for value in values if not math.isnan(value)])
