"""The findings of a reproduction as a Markdown page, made from its results folder alone.

    python -m acklab.report.findings results/altman2003 > docs/findings/altman2003.md

What was found is written by the data: verdicts, reasons that were tested, and which rules the
paper's numbers prefer. Before it stands what a person made of it, if there is anything: the
`summary.md` of the results, the paper's with its numbers filled in. Not here: any number of its
own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acklab.frames import read_table
from acklab.papers.engine.findings import number
from acklab.papers.engine.folder import read_json
from acklab.papers.engine.load import SUMMARY, load_paper
from acklab.papers.engine.model import Paper
from acklab.papers.engine.orderings import KIND as ORDERINGS
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    UNDECIDABLE,
    UNDECIDED,
    VERDICTS,
    claim_from_json,
)
from acklab.report.cells import MARK, ordered
from acklab.report.readings import numbers_grid, readings_of, sentences, statements_grid
from acklab.report.variants import sentence_of, who_satisfies

Json = Mapping[str, Any]
BESIDE = "beside.md"
"""What a check of the validation has found besides and put into the results folder."""

COMPARED = 3
"""With more variants than these, they stand in one table."""


def findings_page(folder: Path, paper: Paper | None = None) -> str:
    """The page of a finished reproduction, of the paper that it names if none is given."""
    manifest: Json = read_json(folder / "manifest.json", paper.key if paper else "PAPER")
    paper = paper or load_paper(str(manifest["paper"]))
    claims: Sequence[Json] = read_json(folder / "claims.json", paper.key)
    runs = manifest["runs"]
    made = (
        f"Made by `acklab reproduce {paper.key}` ({manifest['mode']} setting) on "
        f"{str(manifest['created'])[:10]}: {runs['new'] + runs['reused']} runs, "
        f"{manifest['simulated_s']:,.0f} simulated seconds, core {manifest['core']}. This page is "
        "written by `python -m acklab.report.findings`; don't edit it."
    )
    out = [f"# What was found: {paper.key}", "", made, ""]
    out += [f"{len(claims)} statements: {_tally(claims)}.", ""]
    found = [path / SUMMARY for path in (folder, paper.folder) if (path / SUMMARY).is_file()]
    for summary in found[:1]:
        out += [summary.read_text(encoding="utf-8").strip()]
    if (beside := folder / BESIDE).is_file():
        out += ["", beside.read_text(encoding="utf-8").strip()]
    out += _orderings(folder, paper)
    out += _readings(claims, paper)
    if len(paper.variants) > COMPARED:
        out += _sensitivity(claims, paper)
    else:
        out += _compared(folder, claims, paper)
    out += _claims("What does not hold", claims, FAILS)
    out += _claims("What holds in direction only", claims, DIRECTION)
    out += _claims("What more runs would have to decide", claims, UNDECIDED)
    out += _claims("What cannot be decided here", claims, UNDECIDABLE)
    out += _changed_rules(claims)
    return "\n".join(out).rstrip() + "\n"


def _orderings(folder: Path, paper: Paper) -> list[str]:
    """Where each ordering holds, from the item's own table."""
    out: list[str] = []
    for item in paper.items.values():
        path = folder / "tables" / f"{item.key}.parquet"
        if item.kind == ORDERINGS and path.is_file():
            grid = ordered(None, read_table(path, "the table as it was written"))
            out += ["", f"## {item.title}", "", item.caption, "", *table(grid.head, grid.rows)]
    return out


def _readings(claims: Sequence[Json], paper: Paper) -> list[str]:
    """Which reading of what the paper leaves open explains which number."""
    found = readings_of(tuple(paper.readings), [claim_from_json(c) for c in claims])
    if not found.under():
        return []
    head, *others = sentences(found)
    numbers, statements = numbers_grid(found), statements_grid(found)
    marks = "; ".join(f"{MARK[v]} {v}" for v in (HOLDS, DIRECTION, FAILS, UNDECIDED))
    return [
        "", "## Which reading explains which number", "", f"**{head}** {' '.join(others)}", "",
        f"{marks}; beside the mark what was measured.", "",
        *table(numbers.head, numbers.rows), "",
        "Every statement under each reading:", "", *table(statements.head, statements.rows),
    ]  # fmt: skip


def _compared(folder: Path, claims: Sequence[Json], paper: Paper) -> list[str]:
    """Each variant beside the rules of the experiments themselves."""
    out = []
    for key, variant in paper.variants.items():
        path = folder / f"{key}.json"
        if path.is_file():
            found = read_json(path, paper.key)
            counts = who_satisfies([claim_from_json(c) for c in claims], variant.base, key)
            out += _variant(found, variant.base, key, counts)
    return out


def _sensitivity(claims: Sequence[Json], paper: Paper) -> list[str]:
    """Which verdicts change under which variant, all in one table."""
    under = {c["id"]: {u["variant"]: u for u in c["under"]} for c in claims}
    run = [key for key in paper.variants if any(key in known for known in under.values())]
    if not run:
        return []
    judged, rows = 0, []
    for claim in claims:
        found = [under[claim["id"]].get(key) for key in run]
        judged += any(found)
        told = [_other_verdict(one, claim["verdict"]) for one in found]
        if set(told) - {"", "–"}:
            rows.append((claim["id"], claim["says"], claim["verdict"], *told))
    titles = [paper.variants[key].title for key in run]
    first = paper.variants[run[0]].base
    intro = (
        f"{judged} claims were judged again under {len(run)} other settings, each beside as many "
        f"runs of {first}; {len(rows)} of them get another verdict under one at least. "
        "Empty: the same; –: not judged there."
    )
    head = ("claim", "statement", first, *titles)
    return ["", "## Which verdicts hang on what is left open", "", intro, "", *table(head, rows)]


def _other_verdict(found: Json | None, verdict: str) -> str:
    """A variant's verdict if as many runs of the base give another one."""
    if found is None:
        return "–"
    base = found.get("base") or verdict
    if found["verdict"] == base:
        return ""
    return str(found["verdict"]) + (f" (before: {base})" if base != verdict else "")


def _tally(claims: Sequence[Json]) -> str:
    counts = {v: sum(claim["verdict"] == v for claim in claims) for v in VERDICTS}
    return ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)


def _variant(found: Json, base: str, key: str, counts: str) -> list[str]:
    out = ["", f"## Which rules do the paper's numbers prefer: {base} or {key}?", ""]
    out += [sentence_of(found, base, key), "", counts, ""]
    head = ("claim", "statement", "stated", base, key, "distances", "nearer")
    names = {"base": base, "variant": key, "": "cannot tell"}
    rows = [
        (
            row["claim"],
            row["what"] + (f" ({row['label']})" if row["label"] else ""),
            f"{number(row['stated'], row['percent'])} ± {number(row['tolerance'], row['percent'])}",
            _value(row["base"], row["percent"]),
            _value(row["variant"], row["percent"]),
            f"{row['distance_base']:.2f} / {row['distance_variant']:.2f}",
            names[row["nearer"]],
        )
        for row in found["numbers"]
    ]
    out += [*table(head, rows), ""]
    changed = [(c["claim"], c["says"], c["base"], c["variant"]) for c in found["changed"]]
    if changed:
        out += ["Claims that are judged otherwise:", ""]
        out += [*table(("claim", "statement", base, key), changed)]
    return out


def _value(value: Json, percent: bool) -> str:
    half = value["high"] - value["value"]
    return f"{number(value['value'], percent)} ± {number(half, percent)}"


def _claims(title: str, claims: Sequence[Json], verdict: str) -> list[str]:
    mine = [claim for claim in claims if claim["verdict"] == verdict]
    if not mine:
        return []
    rows = [
        (c["id"], c["says"], c["reason"], " ".join(filter(None, (c["why"], c["note"]))))
        for c in mine
    ]
    return ["", f"## {title}", "", *table(("claim", "statement", "measured", "why"), rows)]


def _changed_rules(claims: Sequence[Json]) -> list[str]:
    rows = [
        (c["id"], c["says"], c["verdict"], c["changed_rule"])
        for c in claims
        if c.get("changed_rule")
    ]
    if not rows:
        return []
    head = ("claim", "statement", "verdict", "what was changed, and why")
    return ["", "## Rules that differ from those first written down", "", *table(head, rows)]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    rule = "|".join(" --- " for _ in head)
    return [f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in lines)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m acklab.report.findings RESULTS_FOLDER")
    sys.stdout.write(findings_page(Path(sys.argv[1])))
