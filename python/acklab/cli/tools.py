"""`acklab new`, `motion`, `doctor`: a start, who moves how, and what is missing here."""

from __future__ import annotations

from pathlib import Path

import click

from acklab import door
from acklab.cli import output
from acklab.errors import EXIT_CHECK_FAILED, EXIT_OK, OutputError


@click.command()
@click.argument("file", type=click.Path(), default="scenario.toml")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print where the file is as JSON.")
def new(file: str, force: bool, as_json: bool) -> int:
    """Write a commented scenario to FILE (scenario.toml by default), ready to run.

    \b
    Examples:
      acklab new
      acklab new chain.toml && acklab run chain.toml
      acklab new chain.toml --force
    """
    from acklab import store
    from acklab.scenario import starter

    path = Path(file)
    if path.exists() and not force:
        raise OutputError("is already there", file, None, "a new name, or --force to overwrite")
    with store.new_file(path) as temporary:
        temporary.write_text(starter(), encoding="utf-8")
    if as_json:
        output.show_json({"file": str(path)})
    else:
        hint = door.command(f"run {output.shown(path)}")
        click.echo(f"wrote {output.shown(path)}; run it with:  {hint}")
    return EXIT_OK


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--setdest", "script", type=click.Path(), required=True, help="The file to write.")
@click.option("--seed", default=1, show_default=True, help="Root seed of the run.")
@click.option("--run", default=0, show_default=True, help="Which run: each draws its own motion.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print where the file is as JSON.")
def motion(file: str, script: str, seed: int, run: int, force: bool, as_json: bool) -> int:
    """Write how the nodes of the scenario FILE move as a movement script of ns-2 (setdest).

    A scenario reads it as motion = { kind = "setdest", script_file = "moves.ns" }; so does ns-2.

    \b
    Examples:
      acklab motion city.toml --setdest moves.ns
      acklab motion city.toml --setdest moves.ns --seed 7 --run 3
    """
    from acklab import store
    from acklab.scenario import Scenario

    path = Path(script)
    if path.exists() and not force:
        raise OutputError("is already there", script, None, "a new name, or --force to overwrite")
    movement = Scenario.load(file).movement(seed, run)
    with store.new_file(path) as temporary:
        temporary.write_text(movement, encoding="utf-8")
    if as_json:
        output.show_json({"file": str(path)})
    else:
        click.echo(f"wrote {output.shown(path)}")
    return EXIT_OK


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Say what is missing on this machine, and the line that would get it.

    Exit code 1 when something is missing that acklab cannot do without.

    \b
    Examples:
      acklab doctor
      acklab doctor --json
    """
    from acklab.doctor import examine

    findings = examine()
    bad = [finding for finding in findings if finding.state == "missing"]
    if as_json:
        output.show_json({"ok": not bad, "findings": [finding.as_dict() for finding in findings]})
    else:
        for finding in findings:
            click.echo(f"  {finding.state:8}  {finding.name:9} {finding.found}")
            if finding.state != "ok":
                click.echo(f"{'':22}for {finding.purpose}; get it:  {finding.remedy}")
        click.echo("\nnothing needed is missing" if not bad else f"\n{len(bad)} missing")
    return EXIT_CHECK_FAILED if bad else EXIT_OK
