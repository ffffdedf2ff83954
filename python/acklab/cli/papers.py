"""`acklab papers`, `reproduce` and `claims`: the papers engine at the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acklab import door
from acklab.cli import output
from acklab.errors import EXIT_CHECK_FAILED, EXIT_INTERNAL, EXIT_OK, InputError

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def papers(as_json: bool) -> int:
    """List the papers that can be reproduced, with their tables and figures.

    \b
    Examples:
      acklab papers
      acklab papers --json
    """
    from acklab.papers import list_papers

    found = list_papers()
    if as_json:
        output.show_json({"papers": [vars(paper) for paper in found]})
        return EXIT_OK
    for paper in found:
        click.echo(f"{paper.key}: {', '.join(paper.authors)} ({paper.year}). {paper.title}")
        for key, title in paper.items.items():
            click.echo(f"  {paper.key}:{key:10} {title}")
        click.echo(f"  {paper.claims} claims:  {door.command(f'claims {paper.key}')}")
    return EXIT_OK


@click.command()
@click.argument("paper", metavar="[PAPER[:ITEM]]", default="altman2003:table1,fig2")
@click.option("--quick/--full", "quick", default=True, help="A few minutes, or the paper's own.")
@click.option("--runs", type=int, help="Runs per point, instead of what the setting says.")
@click.option("--workers", type=int, help="Runs at a time.  [default: all cores]")
@click.option("--out", type=click.Path(), help="Folder for the result.  [default: results/PAPER]")
@click.option("--fresh", is_flag=True, help="Run everything again, reuse nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print tables, claims and files as JSON.")
def reproduce(
    paper: str,
    quick: bool,
    runs: int | None,
    workers: int | None,
    out: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Reproduce PAPER's tables and figures and judge the claims that they decide.

    Without PAPER it is altman2003:table1,fig2.

    The quick setting takes a few minutes; --full uses the paper's own durations and as many runs
    as intervals within 5 % need. Every number has its 95 % interval. The folder gets the numbers
    (CSV and Parquet), the figures (SVG, PDF, PNG), the verdicts, a report (HTML) and the manifest.

    Finished runs are kept: after Ctrl-C, or with more runs, the same command goes on from there.
    A claim that does not hold is a finding, not an error: the exit code is 0 all the same
    (acklab claims tells by its exit code).

    \b
    Examples:
      acklab reproduce altman2003
      acklab reproduce altman2003:table1
      acklab reproduce altman2003:table1,fig2 --runs 3 --out results/try
      acklab reproduce altman2003 --full
      acklab reproduce altman2003 --json > altman2003.json
    """
    from acklab import papers as engine

    key, items = _items(paper)
    with output.progress_bar(f"reproducing {key}") as progress:
        made = engine.reproduce(
            key, items, "quick" if quick else "full", out, runs, workers, progress, fresh
        )
    if as_json:
        output.show_json(made.to_json())
    else:
        from acklab.report.terminal import print_reproduction

        print_reproduction(made, _console())
    return EXIT_INTERNAL if any(note.code == "failed" for note in made.warnings) else EXIT_OK


@click.command()
@click.argument("paper")
@click.option(
    "--from", "folder", type=click.Path(), help="A reproduction.  [default: results/PAPER]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the claims as JSON.")
def claims(paper: str, folder: str | None, as_json: bool) -> int:
    """List what PAPER states, with the verdicts of the last reproduction.

    A claim holds, holds in direction, does not hold, is undecided (the interval is too wide), is
    not decidable here (with the reason), or was not evaluated yet. Below it stand the verdicts
    under other rules (a paper's variants, such as an older simulator's), at the end which rules the
    paper's numbers prefer. Exit code 1 when some claim does not hold.

    \b
    Examples:
      acklab claims altman2003
      acklab claims altman2003 --from results/try
      acklab claims altman2003 --json
    """
    from acklab import papers as engine
    from acklab.papers.engine.verdicts import FAILS

    if folder and not (Path(folder) / "claims.json").is_file():
        accepted = "the folder of a reproduction"
        raise InputError("no claims.json in this folder", "--from", folder, accepted)
    found = engine.claims(paper, folder)
    if as_json:
        output.show_json({"paper": paper, "claims": [claim.to_json() for claim in found]})
    else:
        from acklab.report.terminal import print_claims
        from acklab.report.variants import variant_lines

        print_claims(found, _console(), every_claim=True)
        place = Path(folder or f"results/{paper}")
        for line in variant_lines(engine.load(paper), found, place):
            click.echo(f"\n{line}")
        verdicts = place / "claims.json"
        if verdicts.exists():
            click.echo(f"verdicts of {output.shown(verdicts)}")
        else:
            click.echo(f"no verdicts yet; run:  {door.command(f'reproduce {paper}')}")
    return EXIT_CHECK_FAILED if any(claim.verdict == FAILS for claim in found) else EXIT_OK


def _items(text: str) -> tuple[str, list[str] | None]:
    """Read ``paper``, ``paper:item`` or ``paper:item,item``."""
    key, colon, rest = text.partition(":")
    items = [item.strip() for item in rest.split(",")]
    if not key or (colon and not all(items)):
        raise InputError("is no paper or item", "PAPER[:ITEM]", text, "such as altman2003:table1")
    return key, items if colon else None


def _console() -> Console:
    from rich.console import Console

    # In a file or a pipe there is no terminal whose width would matter.
    return Console(width=None if sys.stdout.isatty() else 120)
