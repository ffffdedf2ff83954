"""Experiments made of others: `like` with settings, and the same under a variant's rules.

Invariant: what an entry does not say, it takes from the one that it names; nothing else.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.grid import put
from acklab.papers.engine.model import Axis, Experiment, Runs, Value, Variant


def completed(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries with `like` and `set` worked in; an entry may be like any one before it.

    Axes are matched by key: a given axis changes what it says of the inherited one, a new one
    is added behind, and those in `without` are left out. `set` gives values by their path in
    the scenario.
    """
    done: dict[str, dict[str, Any]] = {}
    for given in entries:
        entry = copy.deepcopy(dict(given))
        like = entry.pop("like", None)
        settings: Mapping[str, Any] = entry.pop("set", {})
        without = entry.pop("without", [])
        if like is not None:
            if like not in done:
                raise PaperError("experiment.like", like, done, "no such experiment before this")
            base = copy.deepcopy(done[like])
            entry = base | entry | {"axis": _axes(base, entry, without)}
        for path, value in settings.items():
            put(entry["scenario"], path, value)
        done[str(entry.get("key", ""))] = entry
    return list(done.values())


def _axes(
    base: Mapping[str, Any], entry: Mapping[str, Any], without: Iterable[str]
) -> list[dict[str, Any]]:
    own = {axis["key"]: axis for axis in entry.get("axis", [])}
    kept = [axis for axis in base.get("axis", []) if axis["key"] not in without]
    known = [axis["key"] for axis in kept]
    new = [axis for key, axis in own.items() if key not in known]
    return [axis | own.get(axis["key"], {}) for axis in kept] + new


def under_variant(variant: Variant, experiments: Mapping[str, Experiment]) -> Iterable[Experiment]:
    """The variant's experiments: the same grids under its settings, with its share of runs."""
    for key in (k for k in variant.experiments if k not in variant.swap):
        base = experiments[key]
        scenario: dict[str, Any] = copy.deepcopy(dict(base.scenario))
        for path, value in variant.settings.items():
            put(scenario, path, value)
        yield replace(
            base,
            key=variant.name(key),
            title=f"{base.title}, {variant.title}",
            scenario=scenario,
            axes=tuple(_cut(axis, variant.only.get(key, {})) for axis in base.axes),
            where=variant.where,
            runs=_share(base.runs, variant),
        )


def _cut(axis: Axis, only: Mapping[str, Sequence[Value]]) -> Axis:
    """The axis with these values alone, and its sets with what is left of them."""
    if axis.key not in only:
        return axis
    wanted = only[axis.key]
    for value in wanted:
        if value not in axis.values:
            raise PaperError(f"variant.only.{axis.key}", value, map(str, axis.values))
    sets = {name: tuple(v for v in values if v in wanted) for name, values in axis.sets.items()}
    return replace(axis, values=tuple(v for v in axis.values if v in wanted), sets=sets)


def _share(runs: Runs, variant: Variant) -> Runs:
    # Two runs would give an interval, but one too wide to be of use.
    quick, full, cap = (math.ceil(variant.share * n) for n in (runs.quick, runs.full, runs.cap))
    return Runs(max(3, quick), max(variant.least, full), max(variant.least, cap))
