"""`acklab papers`, `claims` and `reproduce`: the papers engine at the command line."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def papers(as_json: bool) -> int:
    """List the papers that can be reproduced, and their tables and figures."""
    raise NotImplementedError


@click.command()
@click.argument("paper")
@click.option("--json", "as_json", is_flag=True, help="Print the claims as JSON.")
def claims(paper: str, as_json: bool) -> int:
    """List what PAPER states, and how each statement is judged."""
    raise NotImplementedError


@click.command()
@click.argument("paper")
def reproduce(paper: str) -> int:
    """Run PAPER's experiments and judge its claims."""
    raise NotImplementedError
