"""What the reader of a study must know: of its points, of its policies, and what its runs warn of.

The one invariant: a code stands once, however many points or runs it is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab import policy, stats
from acklab.study.campaign import Campaign
from acklab.study.means import is_wide
from acklab.study.points import Point, labels, policies_of
from acklab.study.result import StudyResult

if TYPE_CHECKING:
    import polars

__all__ = ["alike", "warning", "warnings_of"]

# Without a wished precision, a mean with an interval wider than this share of it says little.
_WIDE = 0.25
_NAMED = 5


def warnings_of(
    campaign: Campaign, result: StudyResult, points: polars.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield all warnings of a study but those of its comparison.

    Args:
        campaign: the study.
        result: its runs.
        points: its points, as `summary` has them.
    """
    yield from _told(campaign, points, labels(campaign.plan))
    yield from alike(campaign.points)
    yield from _failed(campaign)
    yield from _policies_changed(campaign)
    yield from _of_runs(campaign, result)


def warning(code: str, message: str, count: int) -> dict[str, Any]:
    """Return a warning as the manifest has it."""
    return {"code": code, "message": message, "count": count}


def _told(
    campaign: Campaign, points: polars.DataFrame, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Warn of points whose measure the runs do not tell well enough, or not at all."""
    plan = campaign.plan
    wide, zero, told = [], [], 0
    mine = points.filter(points.get_column("measure") == plan.measure)
    for row in mine.iter_rows(named=True):
        if row["n"] < 2:
            continue
        told += 1
        point = " ".join(f"{name}={row[name]}" for name in names) or "the only point"
        if is_wide(row, plan.precision or _WIDE):
            wide.append(point)
        elif plan.precision is not None and row["low"] == row["high"] == 0.0:
            zero.append(point)
    if zero:
        said = f"{plan.measure} was 0 in all runs at {_first(zero)}: {stats.ALL_ZERO}"
        yield warning("all-zero", said, len(zero))
    if wide:
        shown = _first(wide)
        share = f"± {100 * (plan.precision or _WIDE):g} %"
        if plan.precision is None:
            said = f"{plan.measure} has an interval wider than {share} of its mean at {shown}"
        else:
            cap = f"after {plan.max_runs} runs, the cap"
            said = f"{plan.measure} is not within {share} {cap}, at {shown}"
        yield warning("interval-too-wide", said, len(wide))
    untold = len(campaign.points) - told
    if plan.precision is not None and untold:
        said = f"points of which fewer than two runs tell {plan.measure}: they have no interval"
        yield warning("no-interval", said, untold)
    elif mine.is_empty() and not points.is_empty():
        said = f"no run has the measure {plan.measure}"
        yield warning("no-such-measure", said, len(campaign.points))
    elif not mine.is_empty():
        # A point of which all runs failed has no row at all.
        some = points.select(names).n_unique() if names else 1
        if silent := some - mine.height:
            said = f"points none of whose runs has a value of {plan.measure}: they have no mean"
            yield warning("no-value", said, silent)


def alike(points: Sequence[Point]) -> Iterator[dict[str, Any]]:
    """Warn of points that share their runs: what tells them apart has no effect there."""
    by_key: dict[str, list[str]] = {}
    for point in points:
        by_key.setdefault(point.key, []).append(point.name)
    shared = [names for names in by_key.values() if len(names) > 1]
    if shared:
        shown = "; ".join(" and ".join(names[:_NAMED]) for names in shared[:_NAMED])
        said = f"points that are one and the same scenario, whatever their labels say: {shown}"
        yield warning("same-scenario", said, sum(map(len, shared)))


def _policies_changed(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Warn of policies that are no longer what they were before the runs."""
    if names := policy.changed(policies_of(campaign.points)):
        yield warning("policy-changed", f"{', '.join(names)}: {policy.CHANGED}", len(names))


def _first(points: Sequence[str]) -> str:
    return ", ".join(points[:_NAMED]) + (", …" if len(points) > _NAMED else "")


def _failed(campaign: Campaign) -> Iterator[dict[str, Any]]:
    if campaign.failures:
        said = "runs that failed and are left out; `failures` says why"
        yield warning("run-failed", said, len(campaign.failures))


@dataclass
class _Warned:
    """One code among the warnings of runs."""

    first: str
    count: int
    runs: int
    points: dict[int, None]
    alike: bool = True


def _of_runs(campaign: Campaign, result: StudyResult) -> Iterator[dict[str, Any]]:
    """Pass on what runs warn of: how often, in how many of them, and where."""
    found: dict[str, _Warned] = {}
    for point, entries in result.warned().select("point", "warnings").iter_rows():
        for entry in json.loads(entries):
            message, count = entry["message"], entry["count"]
            mine = found.setdefault(entry["code"], _Warned(message, 0, 0, {}))
            mine.count += count
            mine.runs += 1
            mine.points[point] = None
            mine.alike &= message == mine.first
    for code, mine in sorted(found.items()):
        names = [campaign.points[point].name for point in mine.points]
        which = "" if mine.alike else " (in the first of these runs)"
        where = "" if len(campaign.points) == 1 else f", at {_first(names)}"
        said = f"in {mine.runs} of {result.runs} runs{where}: {mine.first}{which}"
        yield warning(code, said, mine.count)
