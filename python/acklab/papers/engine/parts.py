"""Reading one part of a claim: its defaults and the checks of each level.

A part gives defaults (cells, fan-out, quantity, measure); `holds` is a check or a list of checks
that must all be met; `direction` the same for the weaker level. `holds_any` and `direction_any` are
lists of such groups of which one suffices. A check may override any default. Which keys a check
takes is declared by its rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from acklab.papers.engine import (
    change_rules,
    expression,
    extreme_rules,
    geometry_rules,
    plain_rules,
)
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Part
from acklab.papers.engine.tables import Table

COMMON = (
    "test",
    "cells",
    "each",
    "points",
    "quantity",
    "measure",
    "by",
    "share",
    "margin",
    "unit",
    "what",
    "unpaired",
)
OWN: Mapping[str, tuple[str, ...]] = {
    "estimate": ("over", "in", "above", "at_least", "at_most", "sig_above", "sig_below",
                 "no_sig_above", "no_sig_below", "ci_above", "ci_below", "level", "group_share"),
    "none": ("than", "run_share", "some"),
    "best_set": ("axis", "within", "contains", "meets", "argmax_in", "disjoint", "argmax_differs",
                 "highest", "flat_above"),
    "trend": ("axis", "tau_above", "tau_below", "beyond_best", "difference"),
    "monotone": ("axis", "steps", "strict"),
    "spread": ("at_most_points",),
    "rank": ("axis", "ascending"),
    "regret": ("across", "axis", "at_most", "at_least"),
    "runs": ("median_in", "range_contains", "run_at_most", "run_at_least", "run_share",
             "median_than"),
    "distribution": ("law", "draws", "level"),
    "same_sessions": (),
    "reversal": ("across", "measures", "axis", "values", "significant"),
    **extreme_rules.OWN,
    **geometry_rules.OWN,
    **plain_rules.OWN,
    **change_rules.OWN,
}  # fmt: skip


READING = "<reading>"
"""In a part that is judged per reading: where the reading stands."""


def read_parts(t: Table, readings: Mapping[str, str]) -> list[Part]:
    """One part, or one for each reading of the paper."""
    if not t.take("per_reading", bool, False):
        return [read_part(t)]
    if not readings:
        raise PaperError(f"{t.place}.per_reading", True, "[readings] in paper.toml")
    part = read_part(t)
    return [
        replace(swapped_part(part, {READING: value}), label=label)
        for label, value in readings.items()
    ]


def swapped_part(part: Part, swap: Mapping[str, str]) -> Part:
    """The same part with some names standing for others."""

    def swapped(value: Any) -> Any:
        if isinstance(value, str):
            return swap.get(value, value)
        if isinstance(value, Mapping):
            return {key: swapped(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(swapped(inner) for inner in value)
        return value

    return Part(
        part.label,
        tuple(swap.get(need, need) for need in part.needs),
        swapped(part.defaults),
        swapped(part.holds),
        swapped(part.direction),
    )


def read_part(t: Table) -> Part:
    """One part of a claim."""
    needs = t.texts("needs")
    label = t.take("label", str, "")
    one_of: list[Any] = t.take("holds_any", list, [])
    if not one_of:
        one_of = [t.take("holds", object)]
    holds = tuple(_group(g, f"{t.place}.holds") for g in one_of)
    any_of: list[Any] = t.take("direction_any", list, [])
    if "direction" in t.data:
        any_of = [t.take("direction", object)]
    direction = tuple(_group(g, f"{t.place}.direction") for g in any_of)
    defaults = t.rest()
    checks = [check for group in (*holds, *direction) for check in group]
    for check in checks:
        _check_rule({**defaults, **check}, t.place)
        _check_keys(check, (_test({**defaults, **check}),), t.place)
    # A default may be meant for some of the part's checks alone.
    _check_keys(defaults, [_test({**defaults, **check}) for check in checks], t.place)
    if not needs:
        raise PaperError(t.place, "no needs", "one or more experiments", "a key is missing")
    return Part(label, needs, defaults, holds, direction)


def _group(entry: object, place: str) -> tuple[Mapping[str, Any], ...]:
    checks = entry if isinstance(entry, list) else [entry]
    for check in checks:
        if not isinstance(check, Mapping):
            raise PaperError(place, check, "a table, or a list of tables")
    return tuple(checks)


def _test(check: Mapping[str, Any]) -> str:
    return str(check.get("test", "estimate"))


def _check_keys(table: Mapping[str, Any], tests: Sequence[str], place: str) -> None:
    """Refuse keys that none of these rules reads."""
    accepted = (*COMMON, *dict.fromkeys(key for test in tests for key in OWN[test]))
    for key in table:
        if key not in accepted:
            raise PaperError(f"{place}.{key}", key, accepted, "unknown key")


def _check_rule(check: Mapping[str, Any], place: str) -> None:
    test = _test(check)
    if test not in OWN:
        raise PaperError(f"{place}.test", test, OWN, "unknown rule")
    cells = check.get("cells", {})
    if test in ("estimate", "spread", "extreme"):
        used = expression.names(check.get("quantity", "a"), f"{place}.quantity")
        for name in sorted(used - set(cells)):
            raise PaperError(f"{place}.quantity", name, sorted(cells), "no such cell")
