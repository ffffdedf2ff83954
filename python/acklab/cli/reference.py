"""The reference page of the command line, made from the verbs' own help.

``python -m acklab.cli.reference`` prints the page; a test compares it with ``docs/cli.md``.
"""

from __future__ import annotations

import click

from acklab.cli import cli

_HEAD = """\
# The command line

Made from the verbs' own `--help` by `python -m acklab.cli.reference`; do not edit.
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD, _section("acklab", cli, None)]
    context = click.Context(cli, info_name="acklab")
    for name in sorted(cli.commands):
        parts.append(_section(f"acklab {name}", cli.commands[name], context))
    return "\n".join(parts)


def _section(title: str, command: click.Command, parent: click.Context | None) -> str:
    name = title.rsplit(" ", maxsplit=1)[-1]
    context = click.Context(command, info_name=name, parent=parent, max_content_width=88)
    context.help_option_names = ["-h", "--help"]
    # The width of the page, not of whoever's terminal it was made on.
    context.terminal_width = 88
    return f"## {title}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    click.echo(page(), nl=False)
