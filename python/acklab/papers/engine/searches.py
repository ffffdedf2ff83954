"""Experiments whose grid points first search for a value: the best spacing, the best window.

The rules of searching are `acklab.search`'s; here they meet a paper's experiments. Every run of a
search is kept on disk like any other, so a search that was interrupted goes on where it stopped
and a finished one costs nothing. Invariant: the runs of a search have indices that no campaign
uses, so the value found is judged on runs that the search has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab import search
from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Cell, Experiment, SearchRule
from acklab.papers.engine.provider import Job, Provider
from acklab.papers.engine.store import Store
from acklab.papers.engine.tables import Table
from acklab.scenario import Resolved

MODES = ("quick", "full")


def read_search(t: Table) -> SearchRule | None:
    """The `[experiment.search]` table, where there is one."""
    if "search" not in t.data:
        t.seen.append("search")
        return None
    s = Table(t.take("search", dict), f"{t.place}.search")
    runs = Table(s.take("runs", dict), f"{s.place}.runs")
    steps = Table(s.take("resolution", dict, {"quick": 0, "full": 0}), f"{s.place}.resolution")
    rule = SearchRule(
        path=s.take("path", str),
        measure=s.take("measure", str),
        shown_as=s.take("shown_as", str),
        values=_values(s),
        unit=s.take("unit", str, ""),
        resolution={mode: steps.take(mode, float) for mode in MODES},
        runs={mode: runs.take(mode, int) for mode in MODES},
        setting=s.take("setting", dict, {}),
    )
    for table in (runs, steps, s):
        table.done()
    return rule


def _values(s: Table) -> tuple[float, ...]:
    given: list[float] = s.take("values", list, [])
    ends: list[float] = s.take("ladder", list, [])
    if bool(given) == bool(ends) or len(ends) not in (0, 2):
        raise PaperError(s.place, given or ends, "either values or ladder = [low, high]")
    return tuple(given or search.ladder(*ends))


def found_measures(rule: SearchRule, best: search.Best) -> dict[str, float]:
    """What a search found, as measures of every run of its grid point."""
    name = rule.shown_as
    return {name: best.value, f"{name}_low": best.low, f"{name}_high": best.high}


@dataclass
class Searcher:
    """Finds the values of one campaign's experiments."""

    provider: Provider
    folder: Path
    mode: str
    workers: int
    fresh: bool = False
    say: Callable[[str, int, int], None] = lambda *_: None
    """Told what is being searched, how many runs are done and how many are known to be needed."""
    done: int = 0
    _stores: dict[str, Store] = field(default_factory=dict)

    def find(self, experiment: Experiment, cell: Cell, run: bool = True) -> search.Best | None:
        """The best value of one grid point; None if runs are missing and `run` is false."""
        rule = experiment.search
        if rule is None:
            raise PaperError(experiment.key, "no search", "an experiment with a search")
        try:
            return search.find(
                lambda values, runs: self._measured(experiment, rule, cell, values, runs, run),
                rule.values,
                rule.resolution[self.mode],
                rule.runs[self.mode],
                rule.unit,
            )
        except _MissingError:
            return None

    def tree(self, experiment: Experiment, cell: Cell, best: search.Best) -> dict[str, Any]:
        """The scenario tree of a grid point with the value found."""
        tree = grid.tree(experiment, cell, self.mode)
        if experiment.search is not None:
            grid.put(tree, experiment.search.path, search.text(best.value, best.unit))
        return tree

    def close(self) -> None:
        """Close the files of finished runs."""
        for store in self._stores.values():
            store.close()

    def _measured(
        self,
        experiment: Experiment,
        rule: SearchRule,
        cell: Cell,
        values: Sequence[float],
        runs: int,
        run: bool,
    ) -> search.Samples:
        name = grid.cell_name(experiment, cell)
        store = self._store(experiment)
        resolved = [self._resolved(experiment, rule, cell, value) for value in values]
        hashes = [Resolved(scenario).content for scenario in resolved]
        indices = range(search.SEARCH_RUNS, search.SEARCH_RUNS + runs)
        missing = [
            Job(resolved[i], experiment.seed, index)
            for i in range(len(values))
            for index in indices
            if (hashes[i], experiment.seed, index) not in store.rows
        ]
        if missing and not run:
            raise _MissingError
        needed = self.done + len(missing)
        for at, result in self.provider.run(missing, self.workers):
            if "error" in result:
                raise PaperError(f"{experiment.key} {name}", result["error"], "a run that ends")
            job = missing[at]
            store.add(Resolved(job.scenario).content, job.seed, job.run, result)
            self.done += 1
            self.say(f"{experiment.title}: searching {rule.shown_as}, {name}", self.done, needed)
        rows = [[store.rows[h, experiment.seed, i] for i in indices] for h in hashes]
        return {
            value: [float(row["measures"][rule.measure]) for row in of]
            for value, of in zip(values, rows, strict=True)
        }

    def _resolved(self, experiment: Experiment, rule: SearchRule, cell: Cell, value: float) -> str:
        tree = grid.tree(experiment, cell, self.mode)
        grid.put(tree, ".", rule.setting.get(self.mode, {}))
        grid.put(tree, rule.path, search.text(value, rule.unit))
        return self.provider.resolve(tree, experiment.key)

    def _store(self, experiment: Experiment) -> Store:
        if experiment.key not in self._stores:
            path = self.folder / "runs" / f"{experiment.key}-search.jsonl"
            self._stores[experiment.key] = Store(path, self.provider.version, self.fresh)
        return self._stores[experiment.key]


class _MissingError(Exception):
    """A search needs runs that do not exist."""
