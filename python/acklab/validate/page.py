"""The committed page of a validation, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.validate.model import FAIL, PASS, SKIPPED, Outcome, Row

MARK = {PASS: "pass", FAIL: "**fail**", SKIPPED: "*skipped*"}


HEAD = """# Validation

Every figure that this project promises, measured. This page is written by
`./do validate SECTION --write-page`, which leaves the other sections as they are; don't edit it.
A skipped row is not passed.
"""

_SECTION = "\n## "


def page(sections: Mapping[str, Sequence[Outcome]], described: Mapping[str, Any], old: str) -> str:
    """The page: what `old` says of other sections, and these ones anew, in order of their names."""
    _, *kept = old.split(_SECTION)
    blocks = {block.partition("\n")[0]: block.rstrip() for block in kept}
    blocks |= {name: _block(name, outcomes, described) for name, outcomes in sections.items()}
    return "".join([HEAD, *(f"{_SECTION}{blocks[name]}\n" for name in sorted(blocks))])


def _block(name: str, outcomes: Sequence[Outcome], described: Mapping[str, Any]) -> str:
    """A section: its table, then the tables behind the figures."""
    rows = [row for outcome in outcomes for row in outcome.rows]
    passed = sum(row.verdict == PASS for row in rows)
    out = [name, "", *(f"- {key}: {value}" for key, value in described.items()), ""]
    out += [f"{passed} of {len(rows)} rows pass.", ""]
    out += _table(
        [
            ("what", "measured", "bar", "verdict"),
            *((r.name, r.figure, r.bar, MARK[r.verdict] + _why(r)) for r in rows),
        ]
    )
    for row in rows:
        if row.detail:
            out += [f"### {row.name}", "", *_table(row.detail)]
    return "\n".join(out).rstrip()


def _why(row: Row) -> str:
    return f": {row.why}" if row.why else ""


def _table(lines: Sequence[Sequence[str]]) -> list[str]:
    head, *rows = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    rule = "|".join(" --- " for _ in head)
    body = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    return [body[0], f"|{rule}|", *body[1:], ""]
