"""Rules about extremes, ranks and spans over the points of several experiments.

| test | what it asks |
| --- | --- |
| extreme | the lowest or highest value of a quantity over all points meets the conditions |
| best_at | one value of an axis has the highest mean at (a share of) the points |
| narrow | intervals are no wider than so much of their mean, at a share of the points |
| touch | the interval meets a stated one, or the mean lies within so much of a stated value |
| central | a stated value lies in the central part of the runs (placements, say) |
| association | Kendall's tau between two measures along an axis, one a run |
| moves | a quantity's highest and lowest value along an axis differ by more than so much |
| best_above | the best values of an axis lie above a quantity |
| best_near | a quantity lies within a share of all best values of an axis |
| best_grows | the best value of an axis rises from step to step of another one |

An extreme was picked from the same runs that its interval comes from, so the interval is a lower
bound of the uncertainty. What a search found has the span of the values that it could not tell
from the best for an interval; `moves` must hold between the spans. Other rules: `verdict_rules`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acklab.papers.engine.estimate import Estimate, mean
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
from acklab.papers.engine.selection import Scope, describe, quantity, searched, select

OWN: Mapping[str, tuple[str, ...]] = {
    "extreme": ("of", "over", "in", "at_least", "at_most", "sig_above", "sig_below"),
    "best_at": ("axis", "is", "among", "over"),
    "narrow": ("width",),
    "touch": ("of", "value", "within"),
    "central": ("value", "level"),
    "association": ("axis", "with", "tau_above", "tau_below"),
    "moves": ("axis", "by", "within"),
    "best_above": ("axis", "than"),
    "best_near": ("axis", "than", "within"),
    "best_grows": ("axis", "along", "steps"),
}
CONDITIONS = ("in", "at_least", "at_most", "sig_above", "sig_below")


def points_over(scope: Scope, check: Check) -> list[tuple[Scope, dict[str, Any]]]:
    """The fan-out, over several experiments where `over` says so."""
    if "over" not in check:
        return [(scope, dict(point)) for point in scope.fan_out(check)]
    found: list[tuple[Scope, dict[str, Any]]] = []
    for group in check["over"]:
        inner = Scope(scope.results, str(group.get("experiment", scope.experiment)))
        at: Mapping[str, Any] = group.get("at", {})
        found += [(inner, {**at, **point}) for point in inner.fan_out(group)]
    return found


def extreme_rule(scope: Scope, check: Check) -> Finding:
    """The lowest or highest value of a quantity over all points."""
    rows: list[tuple[str, Estimate]] = []
    for inner, point in points_over(scope, check):
        found = quantity(inner, check, point)
        if found.value == found.value:
            where = describe(point)
            label = where if inner.experiment == scope.experiment else f"{inner.experiment} {where}"
            rows.append((label, found))
    if not rows:
        return Finding(None, "no point has a value", ())
    lowest = check.get("of", "lowest") == "lowest"
    label, at = (min if lowest else max)(rows, key=lambda row: row[1].value)
    margin = float(check.get("margin", MARGIN))
    wanted = {name: check[name] for name in CONDITIONS if name in check}
    met = all_met([condition(at, name, bound, margin) for name, bound in wanted.items()])
    percent = str(check.get("unit", "")) == "%"
    terms = ", ".join(f"{n.replace('_', ' ')} {_bound(b, percent)}" for n, b in wanted.items())
    what = f"{check['what']}, " if "what" in check else ""
    low, high = (number(v, percent).removesuffix(" %") for v in at.interval())
    said = f"{what}{'lowest' if lowest else 'highest'} of {len(rows)} points {terms}: {SAID[met]} "
    said += f"({number(at.value, percent)}, interval {low} to {high}, at {label})"
    others = tuple(
        measured(name, found, check, met if name == label else None) for name, found in rows
    )
    return Finding(met, said, others)


def _bound(bound: Any, percent: bool) -> str:
    bounds: Sequence[Any] = bound if isinstance(bound, list) else [bound]
    return " to ".join(number(float(b), percent) for b in bounds)


def best_at_rule(scope: Scope, check: Check) -> Finding:
    """One value of an axis has the highest mean, at a share of the points."""
    key, name = str(check["axis"]), str(check["measure"])
    rows: list[Measured] = []
    for inner, point in points_over(scope, check):
        axis = inner.of(check["cells"]["a"].get("experiment")).axis(key)
        among = inner.values(axis, check.get("among", "all"))
        cells = {v: select(inner, check["cells"]["a"], {**point, key: v}, name) for v in among}
        runs = scope.results.common_runs(c for s in cells.values() for c in s.cells())
        means = {v: mean(s.sample(scope.results, runs)) for v, s in cells.items()}
        best = max(means, key=lambda v: means[v].value)
        where = describe(point)
        where = where if inner.experiment == scope.experiment else f"{inner.experiment} {where}"
        label = f"{where}: best at {key} = {best}".removeprefix(": ")
        rows.append(measured(label, means[best], check, best == check["is"]))
    share = float(check.get("share", 1.0))
    met = share_met([row.met for row in rows], share)
    good = sum(row.met is True for row in rows)
    need = "" if share == 1.0 else f", {share:.0%} needed"
    said = f"{name} best at {key} = {check['is']} at {good} of {len(rows)} points{need}"
    return Finding(met, f"{said}: {SAID[met]}", tuple(rows))


def narrow_rule(scope: Scope, check: Check) -> Finding:
    """Intervals are no wider (low to high) than so much of their mean."""
    width, share = float(check["width"]), float(check.get("share", 1.0))
    rows: list[Measured] = []
    widths: list[float] = []
    for point in scope.fan_out(check):
        found = quantity(scope, check, point)
        if found.value == 0.0:
            continue
        widths.append(2.0 * found.half_width() / abs(found.value))
        rows.append(measured(describe(point), found, check, widths[-1] <= width))
    met = share_met([row.met for row in rows], share)
    good = sum(row.met is True for row in rows)
    said = f"width ≤ {width:.0%} of the mean at {good} of {len(rows)} points, {share:.0%} needed"
    said += f", median width {np.median(widths):.1%}" if widths else ""
    return Finding(met, f"{said}: {SAID[met]}", tuple(rows))


def touch_rule(scope: Scope, check: Check) -> Finding:
    """Our interval meets the stated one, or our mean is near the stated value."""
    found = quantity(scope, check, {})
    low, high = found.interval()
    bottom, top = check["of"]
    near = abs(found.value - float(check["value"])) <= float(check["within"])
    met = bool(near or (low <= top and high >= bottom))
    said = f"{found.value:.3g} [{low:.3g}, {high:.3g}] against {check['value']} [{bottom}, {top}]"
    return Finding(met, f"{said}: {SAID[met]}", (measured("ours", found, check, met),))


def central_rule(scope: Scope, check: Check) -> Finding:
    """A stated value lies in the central part of the runs."""
    chosen = select(scope, check["cells"]["a"], {}, str(check["measure"]))
    runs = scope.results.common_runs(chosen.cells())
    sample = chosen.sample(scope.results, runs)
    edge = (1.0 - float(check["level"])) / 2.0
    low, middle, high = (float(v) for v in np.quantile(sample, (edge, 0.5, 1.0 - edge)))
    met = bool(low <= float(check["value"]) <= high)
    said = f"{check['value']} against the central {check['level']:.0%} of {len(runs)} runs, "
    said += f"{low:.3g} to {high:.3g}, median {middle:.3g}: {SAID[met]}"
    row = Measured("median, and the central part", middle, low, high, len(runs), met)
    return Finding(met, said, (row,))


def association_rule(scope: Scope, check: Check) -> Finding:
    """Kendall's tau between two measures along an axis, one a run."""
    axis = scope.of().axis(str(check["axis"]))
    cell = check["cells"]["a"]
    names = (str(check["measure"]), str(check["with"]))
    pairs = [[select(scope, cell, {axis.key: v}, n) for v in axis.values] for n in names]
    runs = scope.results.common_runs(c for s in pairs[0] for c in s.cells())
    one, other = (np.array([s.sample(scope.results, runs) for s in row]) for row in pairs)
    upper = np.triu_indices(len(axis.values), k=1)
    signs = np.sign(one[upper[1]] - one[upper[0]]) * np.sign(other[upper[1]] - other[upper[0]])
    tau = mean(signs.mean(axis=0))
    answers: list[Met] = []
    if "tau_above" in check:
        answers.append(condition(tau, "sig_above", check["tau_above"], 0.25))
    if "tau_below" in check:
        answers.append(condition(tau, "sig_below", check["tau_below"], 0.25))
    met = all_met(answers)
    low, high = tau.interval()
    said = f"tau of {names[0]} and {names[1]} over {axis.key} is {tau.value:.2f} "
    said += f"[{low:.2f}, {high:.2f}]: {SAID[met]}"
    return Finding(met, said, (measured("tau", tau, {}, met),))


def moves_rule(scope: Scope, check: Check) -> Finding:
    """The highest and the lowest value along an axis differ by more than a share of the lowest."""
    cell = check["cells"]["a"]
    axis = scope.of(cell.get("experiment")).axis(str(check["axis"]))
    chosen = scope.values(axis, check.get("within", "all"))
    found = {v: quantity(scope, {**check, "quantity": "a"}, {axis.key: v}) for v in chosen}
    low = min(found, key=lambda v: found[v].value)
    high = max(found, key=lambda v: found[v].value)
    gap = found[high].value / found[low].value - 1.0
    rows = {
        v: measured(f"{axis.key} = {v}", e, {}, None, searched(scope, check, {axis.key: v}))
        for v, e in found.items()
    }
    by = float(check["by"])
    met: Met = gap > by
    said = f"{check['measure']} from {found[low].value:.4g} at {axis.key} = {low} to "
    said += f"{found[high].value:.4g} at {high}, {gap:+.1%}"
    ends = [searched(scope, check, {axis.key: v}) for v in (high, low)]
    if ends[0] and ends[1]:
        apart = ends[0][0] / ends[1][1] - 1.0
        met = None if met and apart <= by else met
        said += f", between the intervals {apart:+.1%}"
    return Finding(met, f"{said}: {SAID[met]}", tuple(rows.values()))


def best_above_rule(scope: Scope, check: Check) -> Finding:
    """The best values of an axis (all that cannot be told from the best) lie above a quantity."""
    from acklab.papers.engine.verdict_rules import best_set

    best = best_set(scope, check["cells"]["a"], check)
    than = quantity(scope, {**check["than"], "quantity": "a"}, {})
    above = [float(m) > than.value for m in best.members]
    met: Met = True if all(above) else (None if float(best.argmax) > than.value else False)
    said = f"best {check['axis']} {best.argmax} (not told from it: "
    said += f"{', '.join(map(str, best.members))}) against {than.value:.3g}: {SAID[met]}"
    return Finding(met, said, (measured("compared with", than, {}, met),))


def best_near_rule(scope: Scope, check: Check) -> Finding:
    """A quantity is within a share of every value that cannot be told from the best."""
    from acklab.papers.engine.verdict_rules import best_set

    best = best_set(scope, check["cells"]["a"], check)
    than = quantity(scope, {**check["than"], "quantity": "a"}, {})
    far = max(abs(than.value / float(m) - 1.0) for m in best.members)
    met = bool(far <= float(check["within"]))
    said = f"{than.value:.3g} against the best {check['axis']} {best.argmax} (not told from it: "
    said += f"{', '.join(map(str, best.members))}), at most {far:.0%} apart: {SAID[met]}"
    return Finding(met, said, (measured("compared with", than, {}, met),))


def best_grows_rule(scope: Scope, check: Check) -> Finding:
    """The best value of an axis is higher at each step of another one than at the step before."""
    from acklab.papers.engine.verdict_rules import best_set

    along = str(check["along"])
    cell = check["cells"]["a"]
    best = {v: best_set(scope, {**cell, along: v}, check) for v in check["steps"]}
    values = [float(found.argmax) for found in best.values()]
    met = all(b > a for a, b in itertools.pairwise(values))
    said = f"best {check['axis']} " + ", ".join(f"{f.argmax} at {v}" for v, f in best.items())
    rows = tuple(measured(f"best, at {along} = {v}", f.best, check) for v, f in best.items())
    return Finding(met, f"{said}: {SAID[met]}", rows)


RULES = {
    "extreme": extreme_rule,
    "best_at": best_at_rule,
    "narrow": narrow_rule,
    "touch": touch_rule,
    "central": central_rule,
    "association": association_rule,
    "moves": moves_rule,
    "best_above": best_above_rule,
    "best_near": best_near_rule,
    "best_grows": best_grows_rule,
}
