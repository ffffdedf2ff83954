"""The committed page of a validation, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acklab.validate.model import FAIL, PASS, SKIPPED, Outcome, Row

MARK = {PASS: "pass", FAIL: "**fail**", SKIPPED: "*skipped*"}


def page(sections: Mapping[str, Sequence[Outcome]], described: Mapping[str, Any]) -> str:
    """The page: a table a section, then the tables behind the figures."""
    out = [
        "# Validation",
        "",
        "Every figure that this project promises, measured. This page is written by "
        "`./do validate --write-page`; don't edit it. A skipped row is not passed.",
        "",
        *(f"- {name}: {value}" for name, value in described.items()),
        "",
    ]
    for section, outcomes in sections.items():
        rows = [row for outcome in outcomes for row in outcome.rows]
        passed = sum(row.verdict == PASS for row in rows)
        out += [f"## {section}", "", f"{passed} of {len(rows)} rows pass.", ""]
        out += _table(
            [
                ("what", "measured", "bar", "verdict"),
                *((r.name, r.figure, r.bar, MARK[r.verdict] + _why(r)) for r in rows),
            ]
        )
        for row in rows:
            if row.detail:
                out += [f"### {row.name}", "", *_table(row.detail)]
    return "\n".join(out).rstrip() + "\n"


def _why(row: Row) -> str:
    return f": {row.why}" if row.why else ""


def _table(lines: Sequence[Sequence[str]]) -> list[str]:
    head, *rows = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    rule = "|".join(" --- " for _ in head)
    body = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    return [body[0], f"|{rule}|", *body[1:], ""]
