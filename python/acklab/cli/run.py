"""`acklab run`: one scenario, several runs, measures with intervals."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click

from acklab import door, places, simulate, store
from acklab.cli import output, table
from acklab.cli.changes import with_changes
from acklab.errors import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OK,
    InputError,
    Interrupted,
    OutputError,
)
from acklab.result import Result
from acklab.scenario import Scenario, decoded, share, text_of


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--runs", default=10, show_default=True, help="How many independent runs.")
@click.option("--seed", default=1, show_default=True, help="Root seed; the same gives the same.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change one value.")
@click.option("--precision", metavar="SHARE", help="Add runs until a mean is within ± SHARE.")
@click.option("--measure", metavar="NAME", help="Of this measure.  [default: goodput_pps]")
@click.option("--max-runs", type=int, help="No more runs than this.  [default: 1000]")
@click.option("--confidence", default=0.95, show_default=True, help="Of all intervals.")
@click.option("--workers", type=int, help="Runs at a time.  [default: all cores]")
@click.option("--out", type=click.Path(), help="Folder for the result.  [default: results/NAME-ID]")
@click.option("--pcap", type=click.Path(), help="pcapng of run 0: every frame, for Wireshark.")
@click.option(
    "--ip-pcap", type=click.Path(), help="pcap of run 0: TCP/IP at one node, for tcptrace."
)
@click.option("--node", type=int, help="That node.  [default: the first flow's sender]")
@click.option("--events", type=click.Path(), help="Event log of run 0: one JSON object per line.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the manifest with all measures as JSON."
)
def run(
    file: str,
    runs: int,
    seed: int,
    changes: tuple[str, ...],
    precision: str | None,
    measure: str | None,
    max_runs: int | None,
    confidence: float,
    workers: int | None,
    out: str | None,
    pcap: str | None,
    ip_pcap: str | None,
    node: int | None,
    events: str | None,
    as_json: bool,
) -> int:
    """Run the scenario FILE (TOML or JSON; - reads standard input) and print its measures.

    What a network of its kind is looked at for is shown, and each of a few flows.
    Each measure is a mean over the runs with its Student-t interval. The folder gets one row
    per run, flow and node (Parquet and CSV), the means in measures.csv, the window samples over
    time and the sessions where the scenario has any, the resolved scenario with the source of
    each value, and a manifest.

    \b
    Examples:
      acklab run chain.toml
      acklab run chain.toml --runs 30 --seed 7 --out results/thirty
      acklab run chain.toml --set flow.window=20 --set "mac.data_rate=2 Mbit/s"
      acklab run chain.toml --set 'flow.ack={policy="delayed", count=3, interval="100 ms"}'
      acklab run chain.toml --precision 2% --json
      acklab run chain.toml --precision 5% --measure timeouts --max-runs 200
      acklab run chain.toml --runs 1 --pcap air.pcapng --ip-pcap sender.pcap --events log.jsonl

    In a --set key, flow.window means every flow and flow.0.window the first; VALUE is TOML, or
    else a text; "default" takes the key out.
    """
    scenario = _load(file, changes)
    captures = simulate.Captures(pcap, ip_pcap, node, events)
    default = store.default_folder(scenario.title, "")
    _check_captures(captures, file, out, default)
    wished = None if precision is None else share(precision, "--precision")
    if measure is not None and precision is None:
        raise InputError("says what --precision is about", "--measure", measure, "both of them")
    about = measure or "goodput_pps"
    # An hour of runs must not end at a folder that cannot be written.
    places.check_folder(default if out is None else out)
    try:
        with output.progress_bar(scenario.title) as progress:
            result = simulate.run(
                scenario, runs, seed, workers, progress, wished,
                measure=about, max_runs=max_runs, confidence=confidence, captures=captures,
            )  # fmt: skip
    except Interrupted as interrupt:
        return _interrupted(interrupt, out, as_json)
    _save_and_show(result, out, as_json)
    return EXIT_INTERNAL if result.failures else EXIT_OK


def _check_captures(captures: simulate.Captures, file: str, out: str | None, default: Path) -> None:
    """Refuse captures that would overwrite the scenario, or lie where the result will be."""
    for kind, path in captures.files.items():
        option = f"--{kind.replace('_', '-')}"
        if file != "-" and places.real(path) == places.real(file):
            raise InputError("is the scenario itself", option, str(path), "another file")
        folder = _later_folder(path, default) if out is None else Path(out)
        places.check_outside_results(path, option, folder)


def _later_folder(path: Path, default: Path) -> Path | None:
    """Return the folder that a file lies in which a result may have that is named for itself."""
    for parent in (path, *path.parents):
        beside = parent.resolve().parent == default.parent.resolve()
        if beside and parent.name[:-8] == default.name[:-8]:
            return parent
    return None


def _load(file: str, changes: tuple[str, ...]) -> Scenario:
    if file == "-":
        name = "standard input"
        if sys.stdin is None:
            raise InputError("is closed", name, None, "a scenario in TOML or JSON, or a FILE")
        return with_changes(decoded(sys.stdin.buffer.read(), name), name, changes)
    try:
        return with_changes(text_of(Path(file)), file, changes)
    except InputError as error:
        if _is_study(Path(file)):
            accepted = f"a scenario, or {door.command(f'sweep {file}')}"
            raise InputError("is a study, not a scenario", file, None, accepted) from error
        raise


def _is_study(file: Path) -> bool:
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return "scenario" in tree and "topology" not in tree


def _interrupted(interrupt: Interrupted, out: str | None, as_json: bool) -> int:
    if interrupt.result is None:
        message = "interrupted before the first run had finished: nothing was kept"
        output.interrupted(message, as_json)
        return EXIT_INTERRUPTED
    folder = _save_and_show(interrupt.result, out, as_json)
    output.say(
        f"interrupted: the {interrupt.result.runs} finished runs are in {output.shown(folder)}"
    )
    return EXIT_INTERRUPTED


def _save_and_show(result: Result, out: str | None, as_json: bool) -> Path:
    """Save a result and print it: the measures too if the disk has become full meanwhile."""
    try:
        folder = result.save(out)
    except OutputError:
        if not as_json:
            table.show(result)
        raise
    if as_json:
        output.show_json(store.manifest(result) | {"folder": str(folder)})
        return folder
    table.show(result)
    click.echo(f"\nall {len(result.measures)} measures are in measures.csv")
    for warning in result.warnings:
        click.echo(f"warning: {warning}")
    click.echo(result.speed)
    click.echo(f"files: {output.shown(folder)}")
    for kind, path in result.capture_files.items():
        click.echo(f"{kind}: {output.shown(path)}")
    return folder
