"""From finished runs to a finished study: sorted tables, the comparison, scenarios, the manifest.

Whatever has failed, a study ends with its files, and the manifest says what is missing from them
and why. The one invariant: the manifest is written last, and beside it lies nothing of an earlier
form of the study.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import policy, store
from acklab.errors import OutputError
from acklab.frames import as_files
from acklab.places import MANIFEST
from acklab.store import code_identity
from acklab.study import archive
from acklab.study.campaign import Campaign
from acklab.study.means import summary
from acklab.study.plan import KEEPABLE, Plan
from acklab.study.points import column, labels, policies_of
from acklab.study.result import StudyResult, compare_studies
from acklab.study.rows import HEAD, KEY, Rows
from acklab.study.warnings import warning, warnings_of

if TYPE_CHECKING:
    import polars

__all__ = ["finish"]

_FORMAT = 1


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
    if lost := archive.lacking(folder, campaign.whole, campaign.plan.keep):
        found = f"{len(campaign.whole) - len(lost)} of {len(campaign.whole)} batches"
        raise _lost(campaign, found, "all of them")
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
    kept = {kind: writer.submit(_kept, campaign, kind, names) for kind in sorted(plan.keep)}
    runs = archive.read(folder, campaign.batches, "runs", campaign.sums, campaign.at_hand)
    if runs.is_empty():
        runs = Rows().frames()["runs"]
    table = _sorted(runs, campaign, names, ["run"])
    # Nothing is written before it is known that no run is lost.
    _check_whole(table, campaign)
    written = {"table": writer.submit(_write, folder, "table", table)}
    for kind in list(kept):
        # Taken out: no rows stay in memory once they are written.
        written[kind] = writer.submit(_write_kept, folder, kind, kept.pop(kind))
    result = StudyResult(plan.title, folder, names, table, {})
    points = summary(table, names, result.measures)
    written["points"] = writer.submit(_write, folder, "points", points)
    warnings = list(warnings_of(campaign, result, points))
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
        raise _lost(campaign, f"{table.height} runs", str(wanted))


def _lost(campaign: Campaign, found: str, wanted: str) -> OutputError:
    reason = "lost runs while its tables were made, by another process or by hand"
    accepted = f"{wanted}, which the same command brings back"
    return OutputError(reason, str(campaign.folder), found, accepted)


def _kept(campaign: Campaign, kind: str, names: Sequence[str]) -> polars.DataFrame:
    """Return the rows of one kind that the study keeps besides its runs, in their order."""
    stored = (campaign.batches, kind, campaign.sums, campaign.at_hand)
    rows = archive.read(campaign.folder, *stored)
    if rows.is_empty():
        return rows
    order = [name for name in ("run", "flow", "node", "time_s") if name in rows.columns]
    return _sorted(rows, campaign, names, order)


def _write_kept(folder: Path, kind: str, kept: Future[polars.DataFrame]) -> bool:
    """Write them; whether there are any."""
    rows = kept.result()
    return not rows.is_empty() and _write(folder, kind, rows)


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
    # Which rows, and in which order, their keys alone tell; of the many other columns each is
    # gathered once.
    keys = rows.select(*KEY, *(part for part in order if part not in KEY))
    mine = keys.with_row_index("_row").filter(keys.get_column("seed") == campaign.plan.seed)
    labelled = polars.DataFrame(what).join(mine, on="scenario", maintain_order="left_right")
    wanted = labelled.filter(labelled.get_column("run") < labelled.get_column("_target"))
    wanted = wanted.sort("point", *order, maintain_order=True)
    found = archive.with_values(rows[wanted.get_column("_row")])
    measures = sorted(set(found.columns) - {*what, *HEAD, *order})
    head = [name for name in HEAD if name in rows.columns and name != "wall_s"]
    rest = [name for name in head if name not in KEY]
    parts = [name for name in order if name != "run"]
    chosen = found.select("seed", "run", *parts, *rest, *measures)
    return polars.concat([wanted.select(*names, "point"), chosen], how="horizontal")


def _compared(result: StudyResult, plan: Plan) -> tuple[polars.DataFrame, list[dict[str, Any]]]:
    """Return each variant against the baseline, and a warning for what cannot be compared."""
    import polars

    each = math.prod(len(values) for values in plan.grid.values())
    others = [name for name in plan.variants if name != plan.baseline]
    base = result.part(variant=plan.baseline)
    two = f"a paired difference needs two runs or more of both with a value of {plan.measure}"
    why = ""
    if plan.runs < 2 and plan.precision is None:
        why = f"runs = {plan.runs}, and {two}"
    elif not base.runs:
        why = f"no run of the baseline {plan.baseline} came through"
    elif plan.measure not in result.measures:
        why = f"no run has the measure {plan.measure}"
    elif not base.tells(plan.measure):
        why = f"no run of the baseline {plan.baseline} has a value of {plan.measure}"
    if why:
        said = f"nothing is compared with {plan.baseline}: {why}"
        return polars.DataFrame(), [warning("not-compared", said, each * len(others))]
    frames, warnings = [], []
    for name in others:
        part = result.part(variant=name)
        found = compare_studies(part, base, plan.measure, None, least=0)
        frames.append(found.select(polars.lit(name).alias("variant"), polars.all()))
        if lacking := each - found.height:
            at = "" if lacking == each else f" at {lacking} of {each} points"
            why = two
            if not part.runs:
                why = "none of its runs came through"
            elif not part.tells(plan.measure):
                why = f"none of its runs has a value of {plan.measure}"
            said = f"{name} is not compared with {plan.baseline}{at}: {why}"
            warnings.append(warning("not-compared", said, lacking))
    return polars.concat(frames) if frames else polars.DataFrame(), warnings


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
    labels_of = {point.key: dict(point.labels) for point in reversed(campaign.points)}
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
            {
                "labels": labels_of[key.scenario],
                "scenario": key.scenario,
                "seed": key.seed,
                "run": key.run,
                "message": message,
            }
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
    for file, content in as_files(frame, name):
        with store.new_file(folder / file) as path:
            path.write_bytes(content)
    return True


def _text(path: Path, text: str) -> None:
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            return
    with store.new_file(path) as new:
        new.write_text(text, encoding="utf-8")
