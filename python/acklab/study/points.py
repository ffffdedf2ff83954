"""From a plan to its points: each a label and a scenario, identified by content."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acklab import toml_text
from acklab.errors import InputError, ScenarioError
from acklab.policy import AckPolicy, identity, shown
from acklab.scenario import Resolved, Scenario
from acklab.study.plan import Plan

__all__ = [
    "Label",
    "Point",
    "as_text",
    "column",
    "in_column",
    "labels",
    "points",
    "policies_of",
]

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


def policies_of(points: Iterable[Point]) -> dict[str, AckPolicy]:
    """Return the policies of one's own in these points, by their names."""
    policies: dict[str, AckPolicy] = {}
    for point in points:
        policies |= point.scenario.resolve().policies
    return policies


def labels(plan: Plan) -> tuple[str, ...]:
    """Return the names of the columns that tell points apart."""
    return (*(("variant",) if plan.variants else ()), *plan.grid)


def points(plan: Plan) -> list[Point]:
    """Return every point of a plan, the last key of the grid running fastest.

    Raises:
        InputError: a key leads nowhere, a value makes no scenario, or stands twice in its list; the
            message names the key and the point.
    """
    _check_twice(plan)
    _check_overridden(plan)
    variants: list[tuple[str | None, Mapping[str, Any]]] = list(plan.variants.items()) or [
        (None, {})
    ]
    found = []
    for (variant, changes), values in itertools.product(
        variants, itertools.product(*plan.grid.values())
    ):
        named: dict[str, Label] = {} if variant is None else {"variant": variant}
        named |= {key: _label(value) for key, value in zip(plan.grid, values, strict=True)}
        # A variant may change what the grid has set: those keys are set by it alone.
        grid = zip(plan.grid, values, strict=True)
        all_changes = {key: value for key, value in grid if key not in changes} | dict(changes)
        found.append(_point(plan, named, all_changes))
    return found


def column(values: Sequence[Label]) -> list[Any]:
    """Return labels as they stand in a table: of one kind as they are, mixed ones as texts."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float} and float in kinds:
        return [float(value) for value in values]
    return list(values) if len(kinds) == 1 else [as_text(value) for value in values]


def as_text(value: Label) -> str:
    """Return a label as it stands among texts, where 2 and 2.0 are one value as among numbers."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def in_column(value: Any, is_text: bool) -> Label:
    """Return a value of a grid as it stands in a column of labels, which may be one of texts."""
    return as_text(_label(value)) if is_text else _label(value)


def _check_twice(plan: Plan) -> None:
    """Two points of one name could not be told apart."""
    for key, values in plan.grid.items():
        try:
            listed = column([_label(value) for value in values])
        except InputError as error:
            # A policy that cannot be told from others.
            within = f"grid.{key}"
            raise InputError(error.message, within, error.value, error.accepted) from error
        for place, value in enumerate(listed):
            first = listed.index(value)
            if first == place:
                continue
            reason, accepted = "has a value twice", "each value once; for more runs, `runs`"
            if {type(values[first]), type(values[place])} in ({str, int}, {str, float}):
                reason, accepted = "has a text that reads like a number of it", "numbers, unquoted"
            pair = [one for one in (values[first], values[place]) if isinstance(one, AckPolicy)]
            if len({identity(one) for one in pair}) == 2:
                reason = "has two policies that show themselves alike"
                accepted = "a __repr__ that tells them apart, or variants with names"
            raise InputError(reason, f"grid.{key}", repr(value), accepted)


def _check_overridden(plan: Plan) -> None:
    """Refuse a key of the grid of which nothing is left once the others are set."""
    first = {key: values[0] for key, values in plan.grid.items()}
    for key, value in first.items():
        others = {name: item for name, item in first.items() if name != key}
        over = [name for name in others if _meets(name, key)]
        if not over:
            continue
        try:
            whole, without, last = (
                plan.base.with_(changes).resolve().content
                for changes in (first, others, others | {key: value})
            )
        except InputError:
            # The others alone make no scenario, so it has an effect; or the points will say it.
            continue
        if whole == without != last:
            reason = f"has no effect: what it sets is set again by {', '.join(over)}"
            raise InputError(reason, f"grid.{key}", None, "keys of which none covers another")


def _meets(one: str, other: str) -> bool:
    """Whether two keys may set the same value: ``flow.window`` and ``flow.0.window`` do."""
    paths = [[part for part in key.split(".") if not part.isdecimal()] for key in (one, other)]
    return all(a == b for a, b in zip(*paths, strict=False))


def _point(plan: Plan, named: Mapping[str, Label], changes: Mapping[str, Any]) -> Point:
    scenario = _changed(plan, named, changes)
    return Point(named, scenario, scenario.resolve().content)


def _changed(plan: Plan, named: Mapping[str, Label], changes: Mapping[str, Any]) -> Scenario:
    """Return the base with these changes; what is wrong with it is said of this point."""
    try:
        scenario = plan.base.with_(changes) if changes else plan.base
        _check_handed_over(scenario.resolve())
    except InputError as error:
        raise _with_place(plan, named, error) from error
    return scenario


def _check_handed_over(resolved: Resolved) -> None:
    """A policy that only a name speaks of can decide nothing."""
    for place, flow in enumerate(resolved.tree.get("flow", ())):
        ack = flow.get("ack")
        own = isinstance(ack, Mapping) and ack.get("policy") == "own"
        if own and ack["name"] not in resolved.policies:
            message = "no policy of this name was handed over"
            accepted = "a policy that Python hands over with the study (docs/own-policy.md)"
            raise InputError(message, f"flow[{place}].ack.name", repr(ack["name"]), accepted)


def _with_place(plan: Plan, named: Mapping[str, Label], error: InputError) -> InputError:
    """Return the error with the key that causes it: `grid.…`, `variants.…`, or the whole point."""
    name = " ".join(f"{key}={value}" for key, value in named.items())
    within = _within(plan, error)
    cause, value = _cause(plan, named, error)
    # The only point has no name.
    places = [f"{cause}, at {name}" if cause else name] if name else []
    # Of a key that leads nowhere the core says what the cause says already.
    places += [within] if within and not cause.endswith(f".{within}") else []
    kind = ScenarioError if isinstance(error, ScenarioError) else InputError
    return kind(error.message, ": ".join(places), error.value or value, error.accepted)


def _cause(plan: Plan, named: Mapping[str, Label], error: InputError) -> tuple[str, str | None]:
    """Return the one change that is wrong by itself in the same way, and what it says."""
    variant = str(named.get("variant", ""))
    changes = [(f"variants.{variant}.{k}", k, v) for k, v in plan.variants.get(variant, {}).items()]
    for key, values in plan.grid.items():
        # In a list: what is not a number equals nothing, but is itself.
        meant = [value for value in values if _label(value) in [named[key]]]
        changes += [(f"grid.{key}", key, value) for value in meant]
    for place, key, value in changes:
        try:
            plan.base.with_({key: value})
        except InputError as alone:
            if (alone.message, _within(plan, alone)) == (error.message, _within(plan, error)):
                return place, None if error.value else f"{key} = {_label(value)}"
    return "", None


def _within(plan: Plan, error: InputError) -> str:
    """Where in the scenario: the base's own file is not to blame for a change."""
    place = error.place or ""
    return place.removeprefix(plan.base.name).removeprefix(": ")


def _label(value: Any) -> Label:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, AckPolicy):
        return shown(value)
    if value is None:
        return "default"
    try:
        return toml_text.inline(value)
    except TypeError:
        # No value of a scenario either, which says so better.
        return repr(value)
