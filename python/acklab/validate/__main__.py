"""`python -m acklab.validate`: run the checks of one section, or of all."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from acklab.batch import available_cores
from acklab.errors import InputError
from acklab.papers.engine.output import write_text
from acklab.validate.altman2003 import ALTMAN2003
from acklab.validate.campaigns import CAMPAIGNS
from acklab.validate.cho2005 import CHO2005
from acklab.validate.elrakabawy2005 import ELRAKABAWY2005
from acklab.validate.foundation import FOUNDATION
from acklab.validate.model import FAIL, PASS, SKIPPED, Check, Context, Outcome, run_check
from acklab.validate.page import page
from acklab.validate.vaidya1999 import VAIDYA1999
from acklab.validate.yuki2004 import YUKI2004

SECTIONS: dict[str, Sequence[Check]] = {
    "foundation": FOUNDATION,
    "altman2003": ALTMAN2003,
    "campaigns": CAMPAIGNS,
    "vaidya1999": VAIDYA1999,
    "elrakabawy2005": ELRAKABAWY2005,
    "yuki2004": YUKI2004,
    "cho2005": CHO2005,
}
COLOUR = {PASS: "green", FAIL: "red", SKIPPED: "yellow"}
ROOT = Path(__file__).resolve().parents[3]


def _chosen(section: str | None, only: tuple[str, ...], full: bool) -> dict[str, list[Check]]:
    if section is not None and section not in SECTIONS:
        raise InputError("no such section", "SECTION", section, ", ".join(SECTIONS))
    known = [check.key for checks in SECTIONS.values() for check in checks]
    for key in only:
        if key not in known:
            raise InputError("no such check", "--only", key, ", ".join(known))
    return {
        name: [
            check
            for check in checks
            if (check.key in only if only else full or not check.full_only)
        ]
        for name, checks in SECTIONS.items()
        if section in (None, name)
    }


@click.command()
@click.argument("section", required=False)
@click.option("--full", is_flag=True, help="More runs, and the checks that take long.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--only", multiple=True, metavar="CHECK", help="Only this check (repeatable).")
@click.option("--write-page", is_flag=True, help="Write these sections into docs/validation.md.")
@click.option("--list", "listing", is_flag=True, help="List sections and checks.")
@click.option("--workers", type=click.IntRange(1), help="Runs at a time.  [default: all cores]")
def main(
    section: str | None,
    full: bool,
    as_json: bool,
    only: tuple[str, ...],
    write_page: bool,
    listing: bool,
    workers: int | None,
) -> None:
    """Measure every figure that this project promises.

    The quick form leaves out the checks that --list marks with (--full); --only runs any.
    Exit code 0 when all rows pass; 1 when one fails or was skipped; 2 for a bad argument.

    \b
    Examples:
      ./do validate
      ./do validate foundation --full --write-page
      ./do validate foundation --only table1 --json
    """
    chosen = _chosen(section, only, full or listing)
    if listing:
        for name, checks in chosen.items():
            click.echo(name)
            for check in checks:
                long = " (--full)" if check.full_only else ""
                click.echo(f"  {check.key:<14} {check.title}{long}")
        return
    console = Console(stderr=True)
    context = Context(
        root=ROOT,
        full=full,
        workers=workers or available_cores(),
        folder=Path("results") / "validation",
        say=lambda text: console.print(f"  {escape(text)}", style="dim", highlight=False),
    )
    started = time.monotonic()
    done: dict[str, list[Outcome]] = {}
    for name, checks in chosen.items():
        for check in checks:
            console.print(f"{name}: {escape(check.title)}", highlight=False)
            outcome = run_check(check, context)
            done.setdefault(name, []).append(outcome)
            for row in outcome.rows:
                console.print(
                    f"  [{COLOUR[row.verdict]}]{row.verdict}[/] {escape(row.name)}: "
                    f"{escape(row.figure)} ({outcome.wall_s:.0f} s)",
                    highlight=False,
                )
    left_out = [c.key for name in chosen for c in SECTIONS[name] if c not in chosen[name]]
    described = _described(full, left_out, time.monotonic() - started)
    if write_page:
        place = ROOT / "docs" / "validation.md"
        old = place.read_text(encoding="utf-8") if place.exists() else ""
        path = write_text(place, page(done, described, old))
        console.print(f"written: {path}", highlight=False)
    _report(done, described, as_json)
    rows = [row for outcomes in done.values() for o in outcomes for row in o.rows]
    sys.exit(0 if all(row.verdict == PASS for row in rows) else 1)


def _described(full: bool, left_out: list[str], wall_s: float) -> dict[str, Any]:
    from acklab.store import code_version

    return {
        "version": code_version(),
        "setting": "full" if full else "quick",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {available_cores()} cores, {platform.system()}",
        "wall time": f"{wall_s:.0f} s",
        "not measured": ", ".join(left_out) or "nothing",
    }


def _report(done: dict[str, list[Outcome]], described: dict[str, Any], as_json: bool) -> None:
    if as_json:
        rows = [
            {"section": name, "check": o.check.key, "wall_s": round(o.wall_s, 2)} | row.to_json()
            for name, outcomes in done.items()
            for o in outcomes
            for row in o.rows
        ]
        click.echo(json.dumps({"described": described, "rows": rows}, ensure_ascii=False))
        return
    console = Console()
    for name, outcomes in done.items():
        table = Table(title=name, title_justify="left", title_style="bold", box=None)
        for column in ("verdict", "what", "measured", "bar"):
            table.add_column(column)
        for row in (row for o in outcomes for row in o.rows):
            why = f"\n[dim]{escape(row.why)}[/]" if row.why else ""
            verdict = f"[{COLOUR[row.verdict]}]{row.verdict}[/]"
            table.add_row(verdict, escape(row.name) + why, escape(row.figure), escape(row.bar))
        console.print(table)
    console.print(f"not measured: {described['not measured']}", style="dim")


def run() -> None:
    """The command, with errors told in one line."""
    try:
        main.main(standalone_mode=False)
    except InputError as error:
        click.echo(f"validate: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("validate: interrupted; finished runs are kept", err=True)
        sys.exit(130)


if __name__ == "__main__":
    run()
