"""Regret: what one choice for all costs where it is worst.

| test | what it asks |
| --- | --- |
| regret | the least, over one axis, of the worst relative loss across several experiments |

The best that a loss is measured from is picked by the other runs (`left_out_best`), so that noise
does not make it look better than it is. The interval is the one of the loss that decides, at the
value and the experiment found: a lower bound of the uncertainty, since both were picked from the
same runs. Invariant: an interval that covers the bar and is wider than the margin decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.findings import (
    MARGIN,
    SAID,
    Check,
    Finding,
    Met,
    all_met,
    measured,
    number,
)
from acklab.papers.engine.model import Value
from acklab.papers.engine.selection import Scope, quantity


def regret_rule(scope: Scope, check: Check) -> Finding:
    """The least, over one axis, of the worst relative loss across several experiments."""
    key = str(check["axis"])
    wanted = check.get("each", {}).get(key, "all")
    losses: dict[Value, list[tuple[Estimate, str]]] = {}
    for experiment in check["across"]:
        inner = Scope(scope.results, experiment, scope.pick)
        for value in inner.values(inner.of().axis(key), wanted):
            losses.setdefault(value, []).append((_loss(inner, check, key, value), experiment))
    worst = {value: max(found, key=lambda e: e[0].value) for value, found in losses.items()}
    best = min(worst, key=lambda v: worst[v][0].value)
    loss, where = worst[best]
    answers = [
        _beyond(loss if name == "at_least" else -loss, sign * float(check[name]))
        for name, sign in (("at_least", 1.0), ("at_most", -1.0))
        if name in check
    ]
    met = all_met(answers)
    low, high = (number(end, True).removesuffix(" %") for end in loss.interval())
    said = f"least regret {number(loss.value, True)}, interval {low} to {high}, at {key} = {best} "
    row = measured(f"{key} = {best}, {where}", loss, {"unit": "%"}, met)
    return Finding(met, f"{said}({where}): {SAID[met]}", (row,))


def _loss(scope: Scope, check: Check, key: str, value: Value) -> Estimate:
    reference: Mapping[str, Any] = {**check["cells"]["b"], key: {"best": "all"}}
    cells = {"a": {**check["cells"]["a"], key: value}, "b": reference}
    return quantity(scope, {**check, "cells": cells, "quantity": "1 - a / b"}, {})


def _beyond(found: Estimate, bar: float) -> Met:
    """At least the bar: yes or no where the interval tells or is narrow."""
    low, high = found.interval()
    if found.half_width() > MARGIN and low < bar <= high:
        return None
    return found.value >= bar
