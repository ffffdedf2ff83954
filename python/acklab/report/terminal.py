"""Results for a terminal: rich tables of items, claims, warnings and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from acklab.papers.engine.items import ONE_RUN
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.shown import Shown
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    NOT_YET,
    UNDECIDABLE,
    UNDECIDED,
    ClaimVerdict,
)
from acklab.report.cells import (
    MARK,
    Grid,
    by_x,
    happened,
    nearness,
    order,
    ordered_briefly,
    pivot,
    signed,
    slotted,
    tally,
    traced,
    undefined,
)
from acklab.report.extent import extent
from acklab.report.variants import sentence, who_satisfies

COLOUR = {
    HOLDS: "green",
    DIRECTION: "yellow",
    FAILS: "red",
    UNDECIDED: "magenta",
    UNDECIDABLE: "blue",
    NOT_YET: "dim",
}


def print_reproduction(made: Reproduction, console: Console, every_claim: bool = False) -> None:
    """Everything a person wants to see after `acklab reproduce`."""
    for shown in made.shown.values():
        print_item(shown, console)
    for found in made.comparisons.values():
        variant = found.variant
        counts = who_satisfies(made.claims, variant.base, variant.key)
        console.print(f"\n{escape(sentence(found))} {escape(counts)}")
    print_claims(made.claims, console, every_claim)
    print_warnings(made, console)
    reused = f", {made.reused_runs} reused" if made.reused_runs else ""
    console.print(
        f"{made.new_runs} runs{reused}, {made.simulated_s:.0f} simulated seconds, "
        f"{made.wall_s:.1f} s of wall time ({made.mode})"
    )
    for told in extent(made):
        console.print(escape(told))
    console.print(f"report   {made.files['report.html']}", highlight=False, soft_wrap=True)
    console.print(f"files    {made.folder}", highlight=False, soft_wrap=True)


def print_item(shown: Shown, console: Console) -> None:
    """One table or figure as numbers."""
    console.print()
    make = {
        "table": pivot,
        "trace": traced,
        **dict.fromkeys(ONE_RUN, happened),
        "slots": slotted,
        "signs": signed,
        "orderings": ordered_briefly,
    }.get(shown.item.kind, by_x)
    _print_grid(shown.item.title, make(shown, shown.frame), console)
    for key, frame in shown.below.items():
        _print_grid(shown.titles[key], make(shown, frame), console)
    for key, frame in shown.beside.items():
        _print_grid(f"beside it: {shown.titles[key]}", make(shown, frame), console)
    for told in (*nearness(shown), *undefined(shown)):
        console.print(escape(told))
    if any(row.get("warnings") for row in shown.frame.to_dicts()):
        console.print("* runs of this point carry warnings", style="dim")


def _print_grid(title: str, grid: Grid, console: Console) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, name in enumerate(grid.head):
        justify: Literal["left", "right"] = "left" if index < grid.names else "right"
        table.add_column(escape(name), justify=justify, no_wrap=True)
    for index, row in enumerate(grid.rows):
        table.add_row(*map(escape, row), style="dim" if index in grid.aside else None)
    console.print(table)


def print_claims(
    claims: Sequence[ClaimVerdict], console: Console, every_claim: bool = False
) -> None:
    """Claims with verdicts; those that wait for other items only on request."""
    groups = order(list(claims))
    table = Table(
        title="Claims", title_justify="left", title_style="bold", box=None, pad_edge=False
    )
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("statement and what was measured")
    shown = groups["judged"] + groups["partly"] + (groups["waiting"] if every_claim else [])
    for claim in shown:
        colour = COLOUR[claim.verdict]
        verdict = f"[{colour}]{MARK[claim.verdict]} {_word(claim)}[/]"
        for other in claim.under:
            verdict += (
                f"\n[{COLOUR[other.verdict]}]{MARK[other.verdict]} {escape(other.variant)}[/]"
            )
        text = f"{escape(claim.says)}\n[dim]{escape(claim.reason)}[/]"
        if claim.why:
            text += f"\n[italic]why: {escape(claim.why)}[/]"
        table.add_row(claim.id, verdict, text)
    console.print()
    if shown:
        console.print(table)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally(list(claims)).items())
    console.print(f"{len(claims)} claims: {counts}", style="bold")
    if groups["waiting"] and not every_claim:
        console.print(f"{len(groups['waiting'])} wait for items that were not run", style="dim")


def _word(claim: ClaimVerdict) -> str:
    return "judged in part" if claim.partial else claim.verdict


def print_warnings(made: Reproduction, console: Console) -> None:
    """Warnings of runs and intervals."""
    if not made.warnings:
        return
    console.print("\nWarnings", style="bold")
    for note in made.warnings:
        count = f" ({note.runs} runs)" if note.runs else ""
        text = f"{note.place}: {note.code}{count}: {note.message}"
        console.print(f"  {escape(text)}", highlight=False)
