"""From a plan to its points: each a label and a scenario, identified by content."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acklab import toml_text
from acklab.errors import InputError, ScenarioError
from acklab.policy import AckPolicy, identity
from acklab.scenario import Resolved, Scenario
from acklab.study.plan import Plan

__all__ = ["Label", "Point", "content", "labels", "points"]

Label = str | int | float | bool
"""How a value of a grid or a variant is shown in tables."""


@dataclass(frozen=True)
class Point:
    """One combination of the grid with one variant.

    Attributes:
        labels: the columns that name it, such as ``{"variant": "third", "flow.window": 8}``.
        scenario: what is run.
        key: the hash of the resolved scenario; equal keys are the same question.
    """

    labels: Mapping[str, Label]
    scenario: Scenario
    key: str

    @property
    def name(self) -> str:
        """The point in words: ``variant=third flow.window=8``."""
        return " ".join(f"{key}={value}" for key, value in self.labels.items()) or "the only point"


def labels(plan: Plan) -> tuple[str, ...]:
    """Return the names of the columns that tell points apart."""
    return (*(("variant",) if plan.variants else ()), *plan.grid)


def points(plan: Plan) -> list[Point]:
    """Return every point of a plan, the last key of the grid running fastest.

    Raises:
        InputError: a key leads nowhere, or a value makes no scenario; the message names the point.
    """
    variants: list[tuple[str | None, Mapping[str, Any]]] = list(plan.variants.items()) or [
        (None, {})
    ]
    found = []
    for (variant, changes), values in itertools.product(
        variants, itertools.product(*plan.grid.values())
    ):
        named: dict[str, Label] = {} if variant is None else {"variant": variant}
        named |= {key: _label(value) for key, value in zip(plan.grid, values, strict=True)}
        # The grid first: a variant may then change what the grid has set.
        all_changes = dict(zip(plan.grid, values, strict=True)) | dict(changes)
        found.append(_point(plan, named, all_changes))
    return found


def content(resolved: Resolved) -> str:
    """Return the hash of what decides a run: the resolved scenario without title and sources."""
    tree = {key: value for key, value in resolved.tree.items() if key not in ("title", "sources")}
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _point(plan: Plan, named: Mapping[str, Label], changes: Mapping[str, Any]) -> Point:
    try:
        scenario = plan.base.with_(changes) if changes else plan.base
    except InputError as error:
        where = " ".join(f"{key}={value}" for key, value in named.items())
        kind = ScenarioError if isinstance(error, ScenarioError) else InputError
        place = f"{where}: {error.place}" if error.place else where
        raise kind(error.message, place, error.value, error.accepted) from error
    return Point(named, scenario, content(scenario.resolve()))


def _label(value: Any) -> Label:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, AckPolicy):
        return identity(value)
    return toml_text.inline(value)
