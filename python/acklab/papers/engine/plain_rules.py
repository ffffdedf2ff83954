"""Rules that look at numbers of the statement itself, at orders of many points, or at chance.

| test | what it asks |
| --- | --- |
| arithmetic | a number worked out from the statement's own numbers meets the conditions |
| concordance | two quantities order the points of a fan-out alike: Spearman's rank correlation |
| over_grid | the mean of a quantity over the points of a fan-out is above a bound |
| same_runs | every run of one cell is that of another, event for event |
| told | nothing: a quantity is measured and shown beside what decides |
| inversions | how likely so few runs show a curve that falls where all runs together do not |

The other rules are in `verdict_rules`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from acklab.papers.engine import expression
from acklab.papers.engine.findings import (
    SAID,
    Check,
    Finding,
    Measured,
    Met,
    all_met,
    measured,
    number,
)
from acklab.papers.engine.selection import Scope, describe, quantity, select

OWN: Mapping[str, tuple[str, ...]] = {
    "arithmetic": ("value", "of", "above", "at_most"),
    "over_grid": ("mean_above",),
    "same_runs": (),
    "told": (),
    "concordance": ("other", "rho_above", "over"),
    "inversions": ("axis", "steps", "draws", "of_runs", "chance_above", "monotone"),
}
DRAWS = 2_000
TOLD = "told: "
"""Before the label of a value that decides nothing."""
SEED = 1999


def arithmetic_rule(_scope: Scope, check: Check) -> Finding:
    """The value of an expression of numbers."""
    value = expression.number(str(check["value"]), "value")
    answers: list[Met] = []
    if "above" in check:
        answers.append(value > float(check["above"]))
    if "at_most" in check:
        answers.append(value <= float(check["at_most"]))
    met = all_met(answers)
    said = f"{check.get('of', 'by arithmetic')}: {check['value']} = {value:.4g}: {SAID[met]}"
    return Finding(met, said, (Measured("by arithmetic", value, value, value, 0, met),))


def concordance_rule(scope: Scope, check: Check) -> Finding:
    """Spearman's rank correlation of two quantities over the points of one or more experiments."""
    pairs: list[tuple[float, float]] = []
    for key in check.get("over", [scope.experiment]):
        inner = Scope(scope.results, str(key))
        for point in inner.fan_out(check):
            one = quantity(inner, check, point).value
            other = quantity(inner, {**check, "quantity": check["other"]}, point).value
            pairs.append((one, other))
    rho = rank_correlation(pairs)
    # Of a quantity that is the same everywhere there is none.
    met = None if math.isnan(rho) else rho >= float(check["rho_above"])
    said = f"rank correlation of {check['quantity']} and {check['other']} over {len(pairs)} points "
    said += f"is {rho:.2f}: {SAID[met]}"
    return Finding(met, said, (Measured("rank correlation", rho, rho, rho, len(pairs), met),))


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's; equal values share the mean of their ranks; no number where one side is flat."""
    ranks = [_ranks(column) for column in zip(*pairs, strict=True)]
    if any(np.ptp(side) == 0.0 for side in ranks):
        return math.nan
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(column: Sequence[float]) -> npt.NDArray[np.float64]:
    _, places, counts = np.unique(column, return_inverse=True, return_counts=True)
    ranks: npt.NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return ranks[places]


def told_rule(scope: Scope, check: Check) -> Finding:
    """A quantity that a criterion asks to be reported; any value will do."""
    what = str(check.get("what", check.get("measure", "")))
    percent = str(check.get("unit", "")) == "%"
    rows: list[Measured] = []
    said: list[str] = []
    for point in scope.fan_out(check):
        found = quantity(scope, check, point)
        label = f"{what} {describe(point)}".strip()
        rows.append(measured(f"{TOLD}{label}", found, check))
        value = "no value" if found.value != found.value else number(found.value, percent)
        said.append(f"{label}: {value}")
    return Finding(True, f"told: {'; '.join(said)}", tuple(rows))


def over_grid_rule(scope: Scope, check: Check) -> Finding:
    """The sign of an order over a grid as a whole, whatever its points say for themselves."""
    values = [quantity(scope, check, point).value for point in scope.fan_out(check)]
    value, bound = float(np.mean(values)), float(check["mean_above"])
    met, percent = value > bound, str(check.get("unit", "")) == "%"
    what = f"{check['what']}, " if "what" in check else ""
    said = f"{what}mean of {len(values)} points > {number(bound, percent)}: "
    said += f"{SAID[met]} ({number(value, percent)})"
    row = Measured("mean over the grid", value, value, value, len(values), met, percent)
    return Finding(met, said, (row,))


def same_runs_rule(scope: Scope, check: Check) -> Finding:
    """Cells a and b have the same digest of all events, run by run."""
    rows: list[Measured] = []
    for point in scope.fan_out(check):
        sides = [select(scope, check["cells"][name], point, "").cells() for name in ("a", "b")]
        runs = scope.results.common_runs(cell for side in sides for cell in side)
        digests = [
            [scope.results.experiments[key].rows[cell][run]["digest"] for run in runs]
            for ((key, cell),) in sides
        ]
        same = float(np.mean([one == other for one, other in zip(*digests, strict=True)]))
        met = bool(runs) and same == 1.0
        rows.append(Measured(describe(point), same, same, same, len(runs), met, percent=True))
    met = all(row.met for row in rows)
    good = sum(bool(row.met) for row in rows)
    counted = sum(row.runs for row in rows)
    said = f"the same events, by their digests, in all runs at {good} of {len(rows)} points "
    said += f"({counted} pairs of runs): {SAID[met]}"
    return Finding(met, said, tuple(rows))


def inversions_rule(scope: Scope, check: Check) -> Finding:
    """The chance that means of `of_runs` independent runs fall somewhere along `steps`.

    Drawn with replacement from all runs, each step for itself: the paper says nothing of shared
    seeds. `monotone` says what the means of all runs must do.
    """
    axis, steps = str(check["axis"]), list(check["steps"])
    size, draws = int(check["of_runs"]), int(check.get("draws", DRAWS))
    random = np.random.default_rng(SEED)
    rows: list[Measured] = []
    for point in scope.fan_out(check):
        samples = []
        for step in steps:
            where = {**point, axis: step}
            chosen = select(scope, check["cells"]["a"], where, str(check["measure"]))
            runs = scope.results.common_runs(chosen.cells())
            samples.append(chosen.sample(scope.results, runs))
        means = np.array([random.choice(s, (draws, size)).mean(axis=1) for s in samples])
        chance = float(np.mean((np.diff(means, axis=0) < 0.0).any(axis=0)))
        rises = all(b.mean() >= a.mean() for a, b in itertools.pairwise(samples))
        answers: list[Met] = []
        if "chance_above" in check:
            answers.append(chance >= float(check["chance_above"]))
        if "monotone" in check:
            answers.append(rises is bool(check["monotone"]))
        met = all_met(answers)
        label = f"{describe(point)}, means of all runs {'rise' if rises else 'fall somewhere'}"
        count = min(len(s) for s in samples)
        rows.append(Measured(label, chance, chance, chance, count, met, percent=True))
    met = all_met([row.met for row in rows])
    span = f"{100 * min(_values(rows)):.0f} to {100 * max(_values(rows)):.0f} %"
    said = f"chance that means of {size} runs fall somewhere along {axis}: {span}; "
    said += "; ".join(row.label for row in rows)
    return Finding(met, f"{said}: {SAID[met]}", tuple(rows))


def _values(rows: list[Measured]) -> list[float]:
    return [row.value for row in rows if row.value is not None]


RULES = {
    "arithmetic": arithmetic_rule,
    "over_grid": over_grid_rule,
    "same_runs": same_runs_rule,
    "told": told_rule,
    "concordance": concordance_rule,
    "inversions": inversions_rule,
}
