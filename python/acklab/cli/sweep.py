"""`acklab sweep`: a study of many scenarios, resumed by the same command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from acklab.cli import output
from acklab.errors import EXIT_INTERNAL, EXIT_OK

if TYPE_CHECKING:
    from acklab.study import DryRun, StudyResult

_MOST_ROWS = 40


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Say what it would take, and run nothing.")
@click.option("--on", metavar="PLACE", help="local-cluster, or dask://HOST:PORT.  [default: here]")
@click.option("--workers", type=int, help="Runs at a time.  [default: all cores]")
@click.option("--out", type=click.Path(), help="Folder of the study.  [default: results/NAME-ID]")
@click.option("--fresh", is_flag=True, help="Run everything again, reuse nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest and points as JSON.")
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
    interval; with a baseline, each scheme is compared with it run by run.

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
        _show_dry(study.dry_run(out, workers), str(out or study.folder), as_json)
        return EXIT_OK
    with output.progress_bar(study.plan.title) as progress:
        result = study.run(out, on=on, workers=workers, progress=progress, fresh=fresh)
    _show(result, as_json)
    return EXIT_INTERNAL if result.manifest["failures"] else EXIT_OK


def _show_dry(dry: DryRun, folder: str, as_json: bool) -> None:
    if as_json:
        output.show_json(vars(dry) | {"folder": folder})
        return
    runs = f"{dry.points} points, {dry.runs} runs"
    more = "" if dry.most is None else f" at first, at most {dry.most} for the wished precision"
    click.echo(f"{runs}{more}; {dry.reused} are there already")
    click.echo(f"about {output.duration(dry.seconds)} on {dry.workers} cores")
    click.echo(f"folder: {folder}")


def _show(result: StudyResult, as_json: bool) -> None:
    manifest = result.manifest
    measure = str(manifest["measure"])
    points = result.points(measure)
    if as_json:
        output.show_json(
            dict(manifest) | {"folder": str(result.folder), "table": points.to_dicts()}
        )
        return
    click.echo(
        f"{result.title}: {len(manifest['points'])} points, {result.runs} runs "
        f"({manifest['reused_runs']} reused), seed {manifest['seed']}\n"
    )
    lines = [["point", measure, "95 % interval", "runs"]]
    for row in points.iter_rows(named=True):
        name = " ".join(f"{label}={row[label]}" for label in result.labels) or "the only point"
        half = "one run" if row["low"] is None else f"± {(row['high'] - row['low']) / 2:.2g}"
        lines.append([name, f"{row['mean']:.5g}", half, str(row["n"])])
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for line in lines[: _MOST_ROWS + 1]:
        cells = [
            line[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)),
        ]
        click.echo("  " + "  ".join(cells))
    if len(lines) > _MOST_ROWS + 1:
        click.echo(f"  and {len(lines) - _MOST_ROWS - 1} more in points.csv")
    for warning in manifest["warnings"]:
        click.echo(f"warning: {warning['message']} [{warning['code']}, {warning['count']}×]")
    for failure in manifest["failures"][:3]:
        click.echo(f"failed: run {failure['run']} of {failure['scenario']}: {failure['message']}")
    files = ("table.parquet", "points.csv", "comparison.csv", "manifest.json")
    there = ", ".join(name for name in files if (Path(result.folder) / name).exists())
    click.echo(f"\nfiles: {output.shown(result.folder)} ({there})")
