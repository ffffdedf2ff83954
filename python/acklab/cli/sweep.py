"""`acklab sweep`: a study of many scenarios, resumed by the same command."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acklab.cli import output
from acklab.errors import EXIT_INTERNAL, EXIT_OK

if TYPE_CHECKING:
    import polars

    from acklab.study import DryRun, StudyResult

_MOST_ROWS = 40
_MOST_FAILURES = 3
_WARNED, _WIDE = " *", " !"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Say what it would take, and run nothing.")
@click.option("--on", metavar="PLACE", help="local-cluster, or dask://HOST:PORT.  [default: here]")
@click.option(
    "--workers", type=int, help="Runs at a time, but not with dask://.  [default: all cores]"
)
@click.option("--out", type=click.Path(), help="Folder of the study.  [default: results/NAME-ID]")
@click.option("--fresh", is_flag=True, help="Run everything again, reuse nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print manifest, points, comparison as JSON.")
def sweep(
    file: str,
    dry_run: bool,
    on: str | None,
    workers: int | None,
    out: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Run the study FILE (TOML): a grid and named variants over a base scenario.

    A study names its base scenario, the keys to vary, the schemes to compare, and either how many
    runs each point gets or how narrow its interval shall be. Each point of the table has its 95 %
    interval; with a baseline, each scheme is compared with it run by run in a second table.

    Finished runs are kept at once, whatever happens: after Ctrl-C, a crash or a power cut the same
    command goes on from there, and the table comes out the same. A run that any study of yours has
    done with this code is not done again.

    \b
    Examples:
      acklab sweep study.toml --dry-run
      acklab sweep study.toml
      acklab sweep study.toml --on local-cluster --workers 2
      acklab sweep study.toml --on dask://head:8786
      acklab sweep study.toml --json > study.json

    \b
    A study:
      scenario = "chain.toml"
      precision = "2 %"
      [grid]
      "flow.window" = [2, 5, 10, 20]
      [variants.every]
      "flow.ack" = "every"
      [variants.third]
      "flow.ack" = { policy = "delayed", count = 3, interval = "100 ms" }
    """
    from acklab.study import Study

    study = Study.load(file)
    if dry_run:
        dry = study.dry_run(out, workers, on=on, fresh=fresh)
        _show_dry(dry, str(out or study.folder), as_json)
        return EXIT_OK
    with output.progress_bar(study.plan.title) as progress:
        result = study.run(out, on=on, workers=workers, progress=progress, fresh=fresh)
    _show(result, as_json)
    return EXIT_INTERNAL if result.manifest["failures"] else EXIT_OK


def _show_dry(dry: DryRun, folder: str, as_json: bool) -> None:
    if as_json:
        output.show_json(vars(dry) | {"folder": folder})
        return
    runs = f"{_count(dry.points, 'point')}, {_count(dry.runs, 'run')}"
    more = "" if dry.most is None else f" at first, at most {dry.most} for the wished precision"
    are = "is" if dry.reused == 1 else "are"
    click.echo(f"{runs}{more}; {dry.reused} {are} there already")
    time = output.duration(dry.seconds)
    about = "" if time.startswith("less") else "about "
    more = ""
    if dry.seconds_at_most:
        cap = output.duration(max(1.0, dry.seconds_at_most))
        more = f" for the first runs of each point, up to about {cap} for the wished precision"
    click.echo(f"{about}{time} on {_count(dry.workers, 'core')}{more}")
    click.echo(f"folder: {folder}")
    for warning in dry.warnings:
        _show_warning(warning)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _show(result: StudyResult, as_json: bool) -> None:
    from acklab.study.means import is_wide, summary

    manifest = result.manifest
    measure = str(manifest["measure"])
    # Not `result.points`: what came out is shown even if no run has the measure.
    known = [measure] if measure in result.measures else []
    points = summary(result.table, result.labels, known)
    compared = result.comparison()
    if as_json:
        tables = {"table": points.to_dicts(), "comparison": compared.to_dicts()}
        output.show_json(dict(manifest) | {"folder": str(result.folder)} | tables)
        return
    click.echo(
        f"{result.title}: {_count(len(manifest['points']), 'point')}, {_count(result.runs, 'run')} "
        f"({manifest['reused_runs']} reused), seed {manifest['seed']}"
    )
    head = ["point", measure, "95 % interval", "runs"]
    rows = result.warned().unique("point").iter_rows(named=True)
    warned = {tuple(row[label] for label in result.labels) for row in rows}
    precision = manifest["precision"]
    _show_table(head, list(_point_lines(points, result.labels, warned, precision)), "points.csv")
    if warned and known:
        click.echo(f" {_WARNED} runs of this point carry warnings")
    shown = points.head(_MOST_ROWS).iter_rows(named=True)
    if precision and any(is_wide(row, precision) for row in shown):
        click.echo(f" {_WIDE} the interval is wider than the wished ± {100 * precision:g} %")
    if not compared.is_empty():
        click.echo(f"\nagainst {manifest['baseline']}, run by run:")
        head = ["point", "difference", "95 % interval", "share", "pairs"]
        labels = [name for name in result.labels if name in compared.columns]
        _show_table(head, list(_compared_lines(compared, labels)), "comparison.csv")
    _show_problems(manifest)
    files = ("table.parquet", "points.csv", "comparison.csv", "manifest.json")
    there = ", ".join(name for name in files if (Path(result.folder) / name).exists())
    click.echo(f"\nfiles: {output.shown(result.folder)} ({there})")


def _point_lines(
    points: polars.DataFrame,
    labels: Sequence[str],
    warned: Collection[tuple[Any, ...]],
    precision: float | None,
) -> Iterator[list[str]]:
    from acklab.study.means import is_wide

    for row in points.iter_rows(named=True):
        half = "one run" if row["low"] is None else f"± {(row['high'] - row['low']) / 2:.2g}"
        name = _name(row, labels)
        if tuple(row[label] for label in labels) in warned:
            name += _WARNED
        if precision and is_wide(row, precision):
            name += _WIDE
        yield [name, f"{row['mean']:.5g}", half, str(row["n"])]


def _compared_lines(compared: polars.DataFrame, labels: Sequence[str]) -> Iterator[list[str]]:
    for row in compared.iter_rows(named=True):
        half = f"± {(row['high'] - row['low']) / 2:.2g}"
        share = "" if row["ratio"] is None else f"{row['ratio']:+.1%}"
        yield [_name(row, labels), f"{row['difference']:+.4g}", half, share, str(row["n"])]


def _name(row: dict[str, Any], labels: Sequence[str]) -> str:
    return " ".join(f"{label}={row[label]}" for label in labels) or "the only point"


def _show_table(head: list[str], lines: list[list[str]], file: str) -> None:
    if not lines:
        return
    shown = [head, *lines[:_MOST_ROWS]]
    widths = [max(map(len, cells)) for cells in zip(*shown, strict=True)]
    click.echo("")
    for first, *others in shown:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        click.echo("  " + "  ".join([first.ljust(widths[0]), *cells]))
    if len(lines) > _MOST_ROWS:
        click.echo(f"  and {len(lines) - _MOST_ROWS} more in {file}")


def _show_warning(warning: Mapping[str, Any]) -> None:
    click.echo(f"warning: {warning['message']} [{warning['code']}, {warning['count']}×]")


def _show_problems(manifest: Mapping[str, Any]) -> None:
    """Warnings, and each kind of failure once with the first run that it ended."""
    if manifest["warnings"] or manifest["failures"]:
        click.echo("")
    for warning in manifest["warnings"]:
        _show_warning(warning)
    alike: dict[str, list[str]] = {}
    for failure in manifest["failures"]:
        point = failure["labels"]
        where = f"run {failure['run']} of {_name(point, list(point))}"
        alike.setdefault(failure["message"], []).append(where)
    for message, places in list(alike.items())[:_MOST_FAILURES]:
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        click.echo(f"failed: {places[0]}{more}: {message}")
    if len(alike) > _MOST_FAILURES:
        click.echo("failed: others for other reasons: `failures` in manifest.json")
