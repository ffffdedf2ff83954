"""From finished runs to a finished study: sorted tables, the comparison, scenarios, the manifest.

Whatever has failed, a study ends with its files, and the manifest says what is missing from them
and why. The one invariant: the manifest is written last, and beside it lies nothing of an earlier
form of the study.
"""

from __future__ import annotations

import io
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import policy, stats, store
from acklab.errors import OutputError
from acklab.places import MANIFEST
from acklab.study import archive
from acklab.study.cache import code_identity
from acklab.study.campaign import Campaign
from acklab.study.plan import KEEPABLE, Plan
from acklab.study.points import column, labels, policies_of
from acklab.study.result import StudyResult, compare_studies, summary

if TYPE_CHECKING:
    import polars

__all__ = ["finish"]

_FORMAT = 1
# Without a wished precision, a mean with an interval wider than this share of it says little.
_WIDE = 0.25
_NAMED = 5


def finish(campaign: Campaign) -> None:
    """Write the sorted tables, the scenarios, and last the manifest."""
    folder = campaign.folder
    _part_with_the_past(campaign)
    campaign.show_tables(0)
    with ThreadPoolExecutor(2, "acklab-write") as writer:
        tables, warnings = _tables(campaign, writer)
        for number, point in enumerate(campaign.points):
            campaign.show_tables(number)
            _text(folder / "scenarios" / f"{point.key}.toml", point.scenario.resolve().to_toml())
        written = {name for name, table in tables.items() if table.result()}
    _sweep(folder, written, {point.key for point in campaign.points})
    manifest = _manifest(campaign, labels(campaign.plan)) | {"warnings": warnings}
    _text(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def _part_with_the_past(campaign: Campaign) -> None:
    """Take an earlier manifest away unless it says the same: it would tell of other tables."""
    path = campaign.folder / MANIFEST
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        earlier = {}
    question = _question(campaign, labels(campaign.plan))
    same = isinstance(earlier, dict) and all(earlier.get(k) == v for k, v in question.items())
    if same:
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        reason = f"cannot be taken away: {error.strerror or error}"
        raise OutputError(reason, str(path), None, "a folder that is writeable") from error


def _tables(
    campaign: Campaign, writer: ThreadPoolExecutor
) -> tuple[dict[str, Future[bool]], list[dict[str, Any]]]:
    """Have tables written while others are worked out; return which there are, and the warnings."""
    plan, folder = campaign.plan, campaign.folder
    names = labels(plan)
    written: dict[str, Future[bool]] = {}
    runs = archive.read(folder, campaign.batches, "runs", campaign.sums, campaign.at_hand)
    if runs.is_empty():
        runs = archive.rows_of([], ())["runs"]
    table = _sorted(runs, campaign, names, ["run"])
    _check_whole(table, campaign)
    written["table"] = writer.submit(_write, folder, "table", table)
    for kind in sorted(plan.keep):
        written[kind] = writer.submit(_write_kept, campaign, kind, names)
    result = StudyResult(plan.title, folder, names, table, {})
    points = summary(table, names, result.measures)
    written["points"] = writer.submit(_write, folder, "points", points)
    warnings = [*_told(campaign, points, names), *_alike(campaign), *_failed(campaign)]
    warnings += _policies_changed(campaign)
    if plan.baseline is not None:
        compared, said = _compared(result, plan)
        warnings += said
        if not compared.is_empty():
            written["comparison"] = writer.submit(_write, folder, "comparison", compared)
    return written, warnings


def _check_whole(table: polars.DataFrame, campaign: Campaign) -> None:
    """Refuse to call a study finished of which runs are gone again."""
    targets = [campaign.targets[point.key] for point in campaign.points]
    failed = Counter(key.scenario for key in campaign.failures)
    wanted = sum(targets) - sum(failed[point.key] for point in campaign.points)
    if table.height != wanted:
        reason = "lost runs while its tables were made, by another process or by hand"
        accepted = f"{wanted}, which the same command brings back"
        raise OutputError(reason, str(campaign.folder), f"{table.height} runs", accepted)


def _write_kept(campaign: Campaign, kind: str, names: Sequence[str]) -> bool:
    """Write the rows of one kind that the study keeps besides its runs; whether there are any."""
    stored = (campaign.batches, kind, campaign.sums, campaign.at_hand)
    rows = archive.read(campaign.folder, *stored)
    if rows.is_empty():
        return False
    order = [name for name in ("run", "flow", "node", "time_s") if name in rows.columns]
    return _write(campaign.folder, kind, _sorted(rows, campaign, names, order))


def _sorted(
    rows: polars.DataFrame, campaign: Campaign, names: Sequence[str], order: Sequence[str]
) -> polars.DataFrame:
    """Give rows their labels, in the order of points, only the runs that were asked for."""
    import polars

    what: dict[str, Any] = {
        name: column([point.labels[name] for point in campaign.points]) for name in names
    }
    what |= {
        "point": list(range(len(campaign.points))),
        "scenario": [point.key for point in campaign.points],
        "_target": [campaign.targets[point.key] for point in campaign.points],
    }
    mine = rows.filter(rows.get_column("seed") == campaign.plan.seed)
    labelled = polars.DataFrame(what).join(mine, on="scenario", maintain_order="left_right")
    wanted = labelled.filter(labelled.get_column("run") < labelled.get_column("_target"))
    wanted = archive.with_values(wanted, what)
    measures = sorted(set(wanted.columns) - {*what, *archive.HEAD_COLUMNS, *order})
    head = [name for name in archive.HEAD_COLUMNS if name in rows.columns and name != "wall_s"]
    rest = [name for name in head if name not in archive.KEY]
    parts = [name for name in order if name != "run"]
    chosen = wanted.select(*names, "point", "seed", "run", *parts, *rest, *measures)
    return chosen.sort("point", *order, maintain_order=True)


def _told(
    campaign: Campaign, points: polars.DataFrame, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Warn of points whose measure the runs do not tell well enough, or not at all."""
    plan = campaign.plan
    wide, zero, told = [], [], 0
    for row in points.filter(points.get_column("measure") == plan.measure).iter_rows(named=True):
        if row["n"] < 2:
            continue
        told += 1
        point = " ".join(f"{name}={row[name]}" for name in names) or "the only point"
        if (row["high"] - row["low"]) / 2 > (plan.precision or _WIDE) * abs(row["mean"]):
            wide.append(point)
        elif plan.precision is not None and row["low"] == row["high"] == 0.0:
            zero.append(point)
    if zero:
        said = f"{plan.measure} was 0 in all runs at {_first(zero)}: {stats.ALL_ZERO}"
        yield _warning("all-zero", said, len(zero))
    if wide:
        shown = _first(wide)
        share = f"± {100 * (plan.precision or _WIDE):g} %"
        if plan.precision is None:
            said = f"{plan.measure} has an interval wider than {share} of its mean at {shown}"
        else:
            cap = f"after {plan.max_runs} runs, the cap"
            said = f"{plan.measure} is not within {share} {cap}, at {shown}"
        yield _warning("interval-too-wide", said, len(wide))
    untold = len(campaign.points) - told
    if plan.precision is not None and untold:
        said = f"points of which fewer than two runs tell {plan.measure}: they have no interval"
        yield _warning("no-interval", said, untold)
    elif plan.measure not in points.get_column("measure") and not points.is_empty():
        said = f"no run has the measure {plan.measure}"
        yield _warning("no-such-measure", said, len(campaign.points))


def _alike(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Warn of points that share their runs: what tells them apart has no effect there."""
    by_key: dict[str, list[str]] = {}
    for point in campaign.points:
        by_key.setdefault(point.key, []).append(point.name)
    shared = [names for names in by_key.values() if len(names) > 1]
    if shared:
        shown = "; ".join(" and ".join(names[:_NAMED]) for names in shared[:_NAMED])
        said = f"points that are one and the same scenario, whatever their labels say: {shown}"
        yield _warning("same-scenario", said, sum(map(len, shared)))


def _policies_changed(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Warn of policies that are no longer what they were before the runs."""
    if names := policy.changed(policies_of(campaign.points)):
        yield _warning("policy-changed", f"{', '.join(names)}: {policy.CHANGED}", len(names))


def _first(points: Sequence[str]) -> str:
    return ", ".join(points[:_NAMED]) + (", …" if len(points) > _NAMED else "")


def _failed(campaign: Campaign) -> Iterator[dict[str, Any]]:
    if campaign.failures:
        said = "runs that failed and are left out; `failures` says why"
        yield _warning("run-failed", said, len(campaign.failures))


def _compared(result: StudyResult, plan: Plan) -> tuple[polars.DataFrame, list[dict[str, Any]]]:
    """Return each variant against the baseline, and a warning for what cannot be compared."""
    import polars

    each = math.prod(len(values) for values in plan.grid.values())
    others = [name for name in plan.variants if name != plan.baseline]
    base = result.part(variant=plan.baseline)
    two = "a paired difference needs two runs or more of both"
    why = ""
    if plan.runs < 2 and plan.precision is None:
        why = f"runs = {plan.runs}, and {two}"
    elif not base.runs:
        why = f"no run of the baseline {plan.baseline} came through"
    elif plan.measure not in result.measures:
        why = f"no run has the measure {plan.measure}"
    if why:
        said = f"nothing is compared with {plan.baseline}: {why}"
        return polars.DataFrame(), [_warning("not-compared", said, each * len(others))]
    frames, warnings = [], []
    for name in others:
        part = result.part(variant=name)
        found = compare_studies(part, base, plan.measure, None, least=0)
        frames.append(found.select(polars.lit(name).alias("variant"), polars.all()))
        if lacking := each - found.height:
            at = "" if lacking == each else f" at {lacking} of {each} points"
            why = two if part.runs else "none of its runs came through"
            said = f"{name} is not compared with {plan.baseline}{at}: {why}"
            warnings.append(_warning("not-compared", said, lacking))
    return polars.concat(frames) if frames else polars.DataFrame(), warnings


def _warning(code: str, message: str, count: int) -> dict[str, Any]:
    return {"code": code, "message": message, "count": count}


def _question(campaign: Campaign, names: Sequence[str]) -> dict[str, Any]:
    """Return the part of the manifest that says what was asked."""
    plan = campaign.plan
    return {
        "format": _FORMAT,
        "kind": "study",
        "title": plan.title,
        "labels": list(names),
        "code": code_identity(),
        "seed": plan.seed,
        "precision": plan.precision,
        "measure": plan.measure,
        "baseline": plan.baseline,
        "points": [
            {
                "labels": dict(point.labels),
                "scenario": point.key,
                "runs": campaign.targets[point.key],
            }
            for point in campaign.points
        ],
    }


def _manifest(campaign: Campaign, names: Sequence[str]) -> dict[str, Any]:
    return {
        **_question(campaign, names),
        "version": store.code_version(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "machine": store.machine(),
        "policies": policy.described(policies_of(campaign.points)),
        "new_runs": campaign.new,
        "reused_runs": campaign.reused,
        "failures": [
            {"scenario": key.scenario, "run": key.run, "message": message}
            for key, message in sorted(campaign.failures.items())
        ],
        "workers": campaign.backend.workers,
        "elapsed_s": time.monotonic() - campaign.started,
        "runs_cpu_s": campaign.cpu_s,
    }


def _sweep(folder: Path, written: Collection[str], scenarios: Collection[str]) -> None:
    """Take away what an earlier form of the study wrote and this one does not."""
    for name in {*KEEPABLE, "comparison"} - set(written):
        for ending in ("parquet", "csv"):
            (folder / f"{name}.{ending}").unlink(missing_ok=True)
    for path in (folder / "scenarios").glob("*.toml"):
        if path.stem not in scenarios:
            path.unlink(missing_ok=True)


def _write(folder: Path, name: str, frame: polars.DataFrame) -> bool:
    for ending, write in (("parquet", frame.write_parquet), ("csv", frame.write_csv)):
        # Through memory, so that a full disk is Python's own OSError, with nothing of polars in it.
        buffer = io.BytesIO()
        write(buffer)
        with store.new_file(folder / f"{name}.{ending}") as path:
            path.write_bytes(buffer.getbuffer())
    return True


def _text(path: Path, text: str) -> None:
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            return
    with store.new_file(path) as new:
        new.write_text(text, encoding="utf-8")
