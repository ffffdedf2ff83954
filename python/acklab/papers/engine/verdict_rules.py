"""The rules that claims are decided by: each looks at runs and says met, not met or cannot tell.

A rule's answer is three-valued. *Cannot tell* (None) is reserved for intervals that are wider
than the margin that the rule speaks of, so that more runs could change the answer. A level
(holds, in direction) is met when all its checks are.

| test | what it asks |
| --- | --- |
| estimate | a quantity at each point of a fan-out: in a band, above or below, significantly so |
| none | a count is zero in at least `run_share` of the runs, or at most `than` × a comparator |
| best_set | which axis values are best (paired test against the best), and where they lie |
| trend | Kendall's tau along an axis, one a run |
| monotone | values rise from step to step, neighbours significantly |
| spread | a quantity varies over the fan-out by no more than so much |
| rank | the order of the means along an axis |
| regret | what the best single choice loses across experiments |
| runs | how a measure is spread over the runs: median, 5–95 % range, share of runs below a bound |
| reversal | two values of an axis that change places from one experiment to another |
| distribution | the sizes of short transfers follow a law |
| same_sessions | the sizes and pauses of short transfers are the same at all points |

Further rules are in `extreme_rules` (extremes, ranks, spans), `geometry_rules` (distances),
`plain_rules` (arithmetic, rank correlation, chance) and `change_rules` (what a scheme changes).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acklab.papers.engine import change_rules, extreme_rules, geometry_rules, plain_rules
from acklab.papers.engine.estimate import Estimate, kendall_by_run, mean
from acklab.papers.engine.findings import (
    MARGIN,
    SAID,
    Check,
    Finding,
    Measured,
    Met,
    all_met,
    condition,
    measured,
    number,
    share_met,
)
from acklab.papers.engine.model import Value
from acklab.papers.engine.regret_rules import regret_rule
from acklab.papers.engine.run_rules import reversal_rule, runs_rule
from acklab.papers.engine.selection import Scope, describe, quantity, searched, select
from acklab.papers.engine.session_rules import distribution_rule, same_sessions_rule

TAU_MARGIN = 0.25

Rule = Callable[[Scope, Check], Finding]


def judge(scope: Scope, check: Check) -> Finding:
    """Apply the rule that the check names."""
    return RULES[str(check.get("test", "estimate"))](scope, check)


# -- estimate ---------------------------------------------------------------------------------


CONDITIONS = ("in", "above", "at_least", "at_most", "sig_above", "sig_below",
              "no_sig_above", "no_sig_below", "ci_above", "ci_below")  # fmt: skip


def estimate_rule(scope: Scope, check: Check) -> Finding:
    """A quantity at every point (or a share of the points) meets all conditions."""
    margin = float(check.get("margin", MARGIN))
    share = float(check.get("share", 1.0))
    wanted = {name: check[name] for name in CONDITIONS if name in check}
    strict = {n: b for n, b in wanted.items() if n.startswith("no_sig")}
    level = float(check.get("level", 0.95))
    against: list[str] = []
    rows: list[Measured] = []
    groups: dict[Any, list[Met]] = {}
    vetoes: list[Met] = []
    for inner, point in extreme_rules.points_over(scope, check):
        found = quantity(inner, check, point)
        answers = [
            condition(found, n, b, margin, level) for n, b in wanted.items() if n not in strict
        ]
        answer = all_met(answers)
        by = {"experiment": inner.experiment, **point}
        groups.setdefault(by.get(str(check.get("by", ""))), []).append(answer)
        where = describe(point)
        label = where if inner.experiment == scope.experiment else f"{inner.experiment} {where}"
        # "None significantly the other way" binds every point, whatever the share.
        vetoes += (veto := [condition(found, n, b, margin) for n, b in strict.items()])
        if False in veto:
            value = number(found.value, str(check.get("unit", "")) == "%")
            against.append(f"{label} ({value})".strip())
        met_here = answer if answers else vetoes[-1]
        label = label.strip() or str(check.get("what", ""))
        rows.append(measured(label, found, check, met_here, searched(inner, check, point)))
    group_share = float(check.get("group_share", 1.0))
    of_groups = share_met([share_met(g, share) for g in groups.values()], group_share)
    met = all_met([of_groups, *vetoes])
    good = sum(row.met is True for row in rows)
    need = "" if share == 1.0 else f", {share:.0%} needed"
    need += "" if group_share == 1.0 else f", {group_share:.0%} of {len(groups)} needed whole"
    terms = ", ".join(_term(n, b, rows[0].percent) for n, b in wanted.items())
    where = "" if len(rows) == 1 else f" at {good} of {len(rows)} points{need}"
    what = f"{check['what']} " if "what" in check else ""
    terms += f" (intervals of {level:.1%})" if "level" in check else ""
    other = f"; significantly the other way at {', '.join(against)}" if against else ""
    return Finding(met, f"{what}{terms}{where}: {SAID[met]} ({_span(rows)}{other})", tuple(rows))


_TERMS = {"in": "in {}", "above": "> {}", "at_least": "≥ {}", "at_most": "≤ {}",
          "sig_above": "significantly > {}", "sig_below": "significantly < {}",
          "no_sig_above": "nowhere significantly > {}",
          "no_sig_below": "nowhere significantly < {}", "ci_above": "interval above {}",
          "ci_below": "interval below {}"}  # fmt: skip


def _term(name: str, bound: Any, percent: bool) -> str:
    bounds = bound if isinstance(bound, list) else [bound]
    return _TERMS[name].format(" to ".join(number(float(b), percent) for b in bounds))


def _span(rows: Sequence[Measured]) -> str:
    values = [row.value for row in rows if row.value is not None]
    if not values:
        return "no value"
    low, high = (number(v, rows[0].percent) for v in (min(values), max(values)))
    if len(rows) > 1 or rows[0].low is None or rows[0].high is None:
        return low if low == high else f"{low} to {high}"
    ends = (number(v, rows[0].percent).removesuffix(" %") for v in (rows[0].low, rows[0].high))
    return f"{low}, interval {' to '.join(ends)}"


# -- none -------------------------------------------------------------------------------------


def none_rule(scope: Scope, check: Check) -> Finding:
    """A count is zero (`some`: not zero) in `run_share` of the runs, or small against `than`."""
    run_share = float(check.get("run_share", 0.95))
    measure = str(check["measure"])
    some = bool(check.get("some", False))
    rows: list[Measured] = []
    answers: list[Met] = []
    for point in scope.fan_out(check):
        chosen = select(scope, check["cells"]["a"], point, measure)
        runs = scope.results.common_runs(chosen.cells())
        sample = chosen.sample(scope.results, runs)
        found = mean(sample)
        if "than" in check:
            ratio = quantity(scope, {**check, "quantity": "a / b"}, point)
            met: Met = bool(ratio.value <= float(check["than"]) or found.value == 0.0)
        else:
            right = sample > 0.0 if some else sample == 0.0
            met = bool(len(sample) and np.mean(right) >= run_share)
        answers.append(met)
        rows.append(measured(describe(point), found, check, met))
    good = sum(answer is True for answer in answers)
    asked = f"{'> 0' if some else '0'} in ≥ {run_share:.0%} of the runs"
    if "than" in check:
        asked = f"≤ {float(check['than']):.0%} of the comparator"
    met = all_met(answers)
    said = f"{SAID[met]} ({_span(rows)} a run)"
    return Finding(met, f"{measure} {asked} at {good} of {len(rows)} points: {said}", tuple(rows))


# -- best_set ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class BestSet:
    """The axis values that a paired test cannot tell from the best one."""

    argmax: Value
    members: tuple[Value, ...]
    best: Estimate
    means: Mapping[Value, float]


def best_set(scope: Scope, cell: Mapping[str, Any], check: Check) -> BestSet:
    """Find the best value of an axis and all that the paired 95 % test cannot tell from it."""
    axis = scope.of(cell.get("experiment")).axis(str(check["axis"]))
    highest = bool(check.get("highest", True))
    chosen = {v: select(scope, cell, {axis.key: v}, str(check["measure"])) for v in axis.values}
    runs = scope.results.common_runs(c for s in chosen.values() for c in s.cells())
    samples = {v: s.sample(scope.results, runs) for v, s in chosen.items()}
    means = {v: float(sample.mean()) for v, sample in samples.items()}
    argmax = (max if highest else min)(means, key=lambda v: means[v])
    members = []
    for value, sample in samples.items():
        low, high = mean(samples[argmax] - sample).interval()
        if value == argmax or low <= 0.0 <= high:
            members.append(value)
    return BestSet(argmax, tuple(members), mean(samples[argmax]), means)


def best_set_rule(scope: Scope, check: Check) -> Finding:
    """Where the best values of an axis lie, alone or against another cell's."""
    a = best_set(scope, check["cells"]["a"], check)
    answers: list[Met] = []
    what = f"{check['what']}, " if "what" in check else ""
    said = f"{what}best at {a.argmax}; not told from it: {_list(a.members)}"
    flat = len(a.members) > float(check.get("flat_above", 1.0)) * len(a.means)
    if flat:
        said += f", flat: {len(a.members)} of {len(a.means)}"
    if "within" in check:
        answers.append(set(a.members) <= set(check["within"]))
    if "contains" in check:
        answers.append(_in_set(bool(set(a.members) & set(check["contains"])), flat))
    if "meets" in check:
        low, high = check["meets"]
        answers.append(_in_set(any(low <= float(m) <= high for m in a.members), flat))
    if "argmax_in" in check:
        answers.append(a.argmax in check["argmax_in"])
    rows = [measured(f"{what}best, at {check['axis']} = {a.argmax}", a.best, check)]
    if "disjoint" in check or "argmax_differs" in check:
        b = best_set(scope, check["cells"]["b"], check)
        said += f"; against {b.argmax} ({_list(b.members)})"
        rows.append(measured(f"other's best, at {check['axis']} = {b.argmax}", b.best, check))
        if "disjoint" in check:
            answers.append(not set(a.members) & set(b.members))
        if "argmax_differs" in check:
            answers.append(a.argmax != b.argmax)
    met = all_met(answers)
    return Finding(met, f"{said}: {SAID[met] if answers else 'told'}", tuple(rows))


def _in_set(found: bool, flat: bool) -> Met:
    """A set that takes in much of its axis says little about what is in it."""
    return None if found and flat else found


def _list(values: Sequence[Value]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


# -- trend, monotone, spread, rank ------------------------------------------------------------


def trend_rule(scope: Scope, check: Check) -> Finding:
    """Kendall's tau of `a` along an axis, of a / b, or a - b; `beyond_best`: from the last best."""
    axis = scope.of().axis(str(check["axis"]))
    cell = check["cells"]["a"]
    values = list(scope.values(axis, check.get("each", {}).get(axis.key, "all")))
    if check.get("beyond_best"):
        best = best_set(scope, cell, check)
        values = [v for v in values if axis.values.index(v) > axis.values.index(best.members[-1])]
        values.insert(0, best.members[-1])
    parts = [check["cells"][name] for name in ("a", "b") if name in check["cells"]]
    measure = str(check["measure"])
    chosen = [[select(scope, part, {axis.key: v}, measure) for v in values] for part in parts]
    runs = scope.results.common_runs(c for part in chosen for s in part for c in s.cells())
    curves = [np.array([s.sample(scope.results, runs) for s in part]) for part in chosen]
    rows = curves[0]
    if len(curves) > 1:
        rows = rows - curves[1] if check.get("difference") else rows / curves[1]
    tau = kendall_by_run(range(len(values)), rows) if len(values) > 1 else mean([0.0] * len(runs))
    low, high = tau.interval()
    answers: list[Met] = []
    if "tau_above" in check:
        answers.append(condition(tau, "sig_above", check["tau_above"], TAU_MARGIN))
    if "tau_below" in check:
        answers.append(condition(tau, "sig_below", check["tau_below"], TAU_MARGIN))
    met = all_met(answers)
    span = f"{values[0]} to {values[-1]}"
    reason = f"tau over {axis.key} {span} is {tau.value:.2f} [{low:.2f}, {high:.2f}]: {SAID[met]}"
    return Finding(met, reason, (measured(f"tau over {axis.key}", tau, {}, met),))


RISES: Mapping[object, str] = {True: "sig_above", "in the mean": "above", False: "at_least"}
"""What a step must do by the rule's `strict`: rise significantly, in the mean, or not fall."""


def monotone_rule(scope: Scope, check: Check) -> Finding:
    """The quantity rises along `steps` of an axis at every point, as `strict` says."""
    key = str(check["axis"])
    rows: list[Measured] = []
    cell = dict(check["cells"]["a"])
    for point in scope.fan_out(check):
        for lower, upper in itertools.pairwise(check["steps"]):
            pair = {"a": {**cell, key: upper}, "b": {**cell, key: lower}}
            found = quantity(scope, {**check, "cells": pair, "quantity": "a / b - 1"}, point)
            name = RISES[check.get("strict", True)]
            met = condition(found, name, 0.0, MARGIN)
            label = f"{describe(point)}: {key} {lower} → {upper}".lstrip(": ")
            rows.append(measured(label, found, {"unit": "%"}, met))
    good = sum(row.met is True for row in rows)
    met = share_met([row.met for row in rows], float(check.get("share", 1.0)))
    word = "significantly up" if check.get("strict", True) is True else "up"
    said = f"{good} of {len(rows)} steps along {key} {word}: {SAID[met]} ({_span(rows)})"
    return Finding(met, said, tuple(rows))


def spread_rule(scope: Scope, check: Check) -> Finding:
    """The quantity varies over the points (of each `by` group) by at most so many points."""
    limit = float(check["at_most_points"])
    groups: dict[Any, list[tuple[str, Estimate]]] = {}
    for point in scope.fan_out(check):
        group = point.get(str(check.get("by", "")))
        groups.setdefault(group, []).append((describe(point), quantity(scope, check, point)))
    rows: list[Measured] = []
    for group, entries in groups.items():
        top = max(entries, key=lambda e: e[1].value)
        bottom = min(entries, key=lambda e: e[1].value)
        # The extremes were picked from the same runs, so this width is a lower bound.
        gap = _paired_gap(top[1], bottom[1])
        met = condition(gap, "at_most", limit, limit)
        label = f"{check.get('by', '')} {group}: {top[0]} against {bottom[0]}".strip()
        rows.append(measured(label, gap, check, met))
    met = all_met([row.met for row in rows])
    return Finding(
        met, f"varies by ≤ {100 * limit:g} points: {SAID[met]} ({_span(rows)})", tuple(rows)
    )


def _paired_gap(a: Estimate, b: Estimate) -> Estimate:
    both = min(a.runs, b.runs)
    return Estimate(a.value - b.value, a.influence[:both] - b.influence[:both])


def rank_rule(scope: Scope, check: Check) -> Finding:
    """One value's rank among an axis' means is as in `ascending`; the value is the cell's own."""
    key = str(check["axis"])
    cell = check["cells"]["a"]
    order: list[Value] = list(check["ascending"])
    means = {
        value: quantity(scope, {**check, "quantity": "a", "cells": {"a": {**cell, key: value}}}, {})
        for value in order
    }
    ours = sorted(order, key=lambda v: means[v].value)
    mine = cell[key]
    met = ours.index(mine) == order.index(mine)
    reason = f"{key} = {mine} is number {ours.index(mine) + 1} in {_list(ours)}: {SAID[met]}"
    return Finding(met, reason, (measured(f"{key} = {mine}", means[mine], check, met),))


RULES: Mapping[str, Rule] = {
    "estimate": estimate_rule,
    "none": none_rule,
    "best_set": best_set_rule,
    "trend": trend_rule,
    "monotone": monotone_rule,
    "spread": spread_rule,
    "rank": rank_rule,
    "regret": regret_rule,
    "runs": runs_rule,
    "reversal": reversal_rule,
    "distribution": distribution_rule,
    "same_sessions": same_sessions_rule,
    **extreme_rules.RULES,
    **geometry_rules.RULES,
    **plain_rules.RULES,
    **change_rules.RULES,
}
