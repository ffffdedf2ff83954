"""Two rules that look at single runs, or at one grid under two kinds of traffic.

`runs` speaks of how a measure is spread over the runs, where the paper shows a single one;
`reversal` of two schemes that change places. The other rules are in `verdict_rules`.
"""

from __future__ import annotations

import itertools

import numpy as np

from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.findings import (
    SAID,
    Check,
    Finding,
    Measured,
    Met,
    all_met,
    any_met,
    measured,
    number,
)
from acklab.papers.engine.selection import Scope, describe, quantity, select


def runs_rule(scope: Scope, check: Check) -> Finding:
    """At every point: where the median lies, what the 5–95 % range holds, how many are small."""
    name = str(check["measure"])
    rows: list[Measured] = []
    said: list[str] = []
    for point in scope.fan_out(check):
        chosen = select(scope, check["cells"]["a"], point, name)
        runs = scope.results.common_runs(chosen.cells())
        sample = chosen.sample(scope.results, runs)
        median = float(np.median(sample))
        low, high = (float(v) for v in np.quantile(sample, (0.05, 0.95)))
        answers: list[Met] = []
        if "median_in" in check:
            bottom, top = check["median_in"]
            answers.append(bool(bottom <= median <= top))
        if "range_contains" in check:
            answers.append(bool(low <= float(check["range_contains"]) <= high))
        for key, sign in (("run_at_most", 1.0), ("run_at_least", -1.0)):
            if key in check:
                good = np.mean(sign * sample <= sign * float(check[key]))
                answers.append(bool(good >= float(check.get("run_share", 0.5))))
                word = "≤" if sign > 0 else "≥"
                said.append(f"{good:.0%} of the runs {word} {number(float(check[key]), False)}")
        if "median_than" in check:
            other = select(scope, check["cells"]["b"], point, name)
            theirs = other.sample(scope.results, scope.results.common_runs(other.cells()))
            answers.append(bool(median <= float(check["median_than"]) * float(np.median(theirs))))
        met = all_met(answers)
        said.append(f"median {number(median, False)}, 5–95 % of runs {low:.4g} to {high:.4g}")
        label = f"{describe(point)} median".strip()
        rows.append(Measured(label, median, low, high, len(runs), met))
    met = all_met([row.met for row in rows])
    return Finding(met, f"{name}: {'; '.join(said)}: {SAID[met]}", tuple(rows))


def reversal_rule(scope: Scope, check: Check) -> Finding:
    """Is there a point where two values of an axis change places between two experiments?"""
    axis = str(check["axis"])
    first, second = check["across"]
    measures = dict(zip((first, second), check["measures"], strict=True))
    significant = bool(check.get("significant", True))
    rows: list[Measured] = []
    answers: list[Met] = []
    for point in scope.fan_out(check):
        for one, other in itertools.combinations(check["values"], 2):
            gains = [
                _gain(scope, key, measures[key], {**point, axis: one}, {**point, axis: other})
                for key in (first, second)
            ]
            if gains[0].value * gains[1].value >= 0.0:
                continue
            sure = all(_clear(found) for found in gains)
            answers.append(sure or not significant)
            if sure or not significant:
                label = f"{describe(point)}: {axis} = {one} over {other}"
                for key, found in zip((first, second), gains, strict=True):
                    rows.append(measured(f"{label} in {key}", found, {"unit": "%"}, True))
    met = any_met(answers) if answers else False
    kind = "significantly " if significant else ""
    pairs = sum(answer is True for answer in answers)
    return Finding(met, f"{pairs} pairs of {axis} {kind}change places", tuple(rows[:8]))


def _gain(
    scope: Scope, experiment: str, measure: str, a: dict[str, object], b: dict[str, object]
) -> Estimate:
    cells = {"a": {"experiment": experiment, **a}, "b": {"experiment": experiment, **b}}
    inner = Scope(scope.results, experiment, scope.pick)
    return quantity(inner, {"cells": cells, "measure": measure, "quantity": "a / b - 1"}, {})


def _clear(found: Estimate) -> bool:
    low, high = found.interval()
    return low > 0.0 or high < 0.0
