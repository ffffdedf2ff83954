"""The report as one self-contained HTML file, which can be mailed or archived as it is."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import polars as pl

from acklab.papers.engine.findings import Measured
from acklab.papers.engine.items import ONE_RUN
from acklab.papers.engine.model import Choice, Item
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.shown import Shown
from acklab.papers.engine.told import told
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
    digits,
    happened,
    measured_text,
    nearness,
    order,
    ordered,
    pivot,
    places,
    signed,
    slotted,
    tally,
    traced,
    undefined,
    with_interval,
)
from acklab.report.extent import extent
from acklab.report.readings import numbers_grid, readings_of, sentences, statements_grid
from acklab.report.variants import comparison_section

CLASS = {
    HOLDS: "holds",
    DIRECTION: "direction",
    FAILS: "fails",
    UNDECIDED: "undecided",
    UNDECIDABLE: "undecidable",
    NOT_YET: "waiting",
}

STYLE = """
:root{--ink:#1d2430;--soft:#5b6472;--line:#d9dde3;--back:#fff;--panel:#f6f7f9}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:2rem 1.25rem 5rem;color:var(--ink);
 background:var(--back);
 font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .3rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;
 padding-top:.75rem;border-top:1px solid var(--line)}h3{font-size:1rem;margin:1.5rem 0 .4rem}
p{margin:.4rem 0}.soft{color:var(--soft)}figure{margin:1rem 0}figure img{width:100%;max-width:42rem}
figcaption{color:var(--soft);font-size:.9rem;max-width:42rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;
 font-variant-numeric:tabular-nums}th,td{padding:.28rem .6rem;border-bottom:1px solid var(--line);
 text-align:right;vertical-align:top;white-space:nowrap}th{font-weight:600}
td.text,th.text{text-align:left;white-space:normal}tr.ratio td{color:var(--soft)}
tr.block td{border-top:2px solid var(--line)}
.claims td{text-align:left;white-space:normal}.claims td.id{white-space:nowrap}
.badge{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-size:.8rem;
 white-space:nowrap;border:1px solid}
.holds{color:#0b6b3a;background:#e7f5ec}.direction{color:#8a5a00;background:#fdf3dc}
.fails{color:#a11d1d;background:#fbe9e9}.undecided{color:#6a2c91;background:#f3e9f9}
.undecidable{color:#26527e;background:#e7f0f8}.waiting{color:#5b6472;background:#eef0f3}
details{margin:.6rem 0}summary{cursor:pointer;color:#26527e}
pre{background:var(--panel);padding:.8rem;overflow-x:auto;font-size:.78rem}
ul{margin:.3rem 0;padding-left:1.2rem}.off{color:#a11d1d;font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.9rem}
dt{color:var(--soft)}
dd{margin:0}@media print{details{display:block}body{max-width:none}}
"""


def report_page(
    made: Reproduction, pictures: Mapping[str, bytes], described: Mapping[str, Any]
) -> str:
    """The whole page."""
    parts = [
        _head(made),
        *(_item(shown, pictures.get(key), made.claims) for key, shown in made.shown.items()),
        *(comparison_section(found, made.claims) for found in made.comparisons.values()),
        _readings(made),
        _claims(made),
        _choices(made),
        _warnings(made),
        _manifest(described),
    ]
    title = escape(f"{made.paper.key}: {made.paper.title}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _head(made: Reproduction) -> str:
    paper = made.paper
    doi = f' · <a href="https://doi.org/{escape(paper.doi)}">{escape(paper.doi)}</a>' * bool(
        paper.doi
    )
    counts = " ".join(
        f'<span class="badge {CLASS[v]}">{MARK[v]} {n} {escape(v)}</span>'
        for v, n in tally(made.claims).items()
    )
    remark = f"<p>{escape(paper.remark)}</p>" if paper.remark else ""
    remark += "".join(f"<p>{escape(told)}</p>" for told in extent(made))
    return (
        f"<h1>{escape(paper.title)}</h1>"
        f'<p class="soft">{escape(", ".join(paper.authors))} ({paper.year}). '
        f"{escape(paper.venue)}{doi}</p>"
        f"<p>Reproduced by simulation, packet by packet: {escape(', '.join(made.items))} "
        f"({made.mode} setting), {made.runs} runs, {made.simulated_s:,.0f} simulated seconds. "
        "Every interval is a 95 % Student-t interval over independent runs, or over the batches of "
        "a run; schemes are compared "
        f"run by run on the same random numbers.</p>{remark}<p>{counts}</p>"
    )


def _item(shown: Shown, picture: bytes | None, claims: Sequence[ClaimVerdict]) -> str:
    item = shown.item
    out = [f'<h2 id="{item.key}">{escape(item.title)}</h2>']
    if picture is not None:
        data = base64.b64encode(picture).decode()
        out.append(
            f'<figure><img alt="{escape(item.title)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(item.caption)} {_reading(item)}</figcaption></figure>"
        )
    else:
        out.append(f'<p class="soft">{escape(item.caption)}</p>')
    out.append(_said(item, claims))
    make = {
        "table": pivot,
        "trace": traced,
        **dict.fromkeys(ONE_RUN, happened),
        "slots": slotted,
        "signs": signed,
        "orderings": ordered,
    }.get(item.kind, by_x)
    table = _grid(make(shown, shown.frame))
    out.append(_details("the numbers", table) if item.kind == "curves" else table)
    out += [
        _details(f"the numbers: {shown.titles[key]}", _grid(make(shown, frame)))
        for key, frame in shown.below.items()
    ]
    out += [
        f"<h3>Beside it: {escape(shown.titles[key])}</h3>{_grid(make(shown, frame))}"
        for key, frame in shown.beside.items()
    ]
    out += [f"<p>{escape(sentence)}</p>" for sentence in (*nearness(shown), *undefined(shown))]
    notes = "".join(f"<li>{escape(r.label)}: {escape(r.origin)}</li>" for r in shown.references)
    if notes:
        out.append(f'<p class="soft">References:</p><ul class="soft">{notes}</ul>')
    if item.kind != "trace" and not shown.counts.is_empty():
        out.append(_details("counts side by side with the reference", _counts(shown.counts, shown)))
    if any(row.get("warnings") for row in shown.frame.to_dicts()):
        out.append('<p class="soft">* runs of this point carry warnings (below)</p>')
    return "\n".join(out)


def _reading(item: Item) -> str:
    bars = "Bars are 95 % intervals."
    if item.kind == "pilots":
        return "One run, from its event log."
    if item.kind in ONE_RUN:
        return "A packet's number counts from 1; an ACK stands at the packet that it asks for."
    if item.kind == "trace":
        bars = "A line is one run; its band holds 90 % of the runs at each time."
    if item.kind == "slots":
        bars = "Drawn from the event log of the point's first run."
    stated = "; ".join(mark.says for mark in item.marks)
    if not stated:
        return bars
    return f"{bars} Stars and hatched bands are what the paper's text states: {escape(stated)}."


def _said(item: Item, claims: Sequence[ClaimVerdict]) -> str:
    """What the text says of this table or figure, with the verdicts."""
    about = [c for c in claims if item.place and item.place in places(c.place)]
    if not about:
        return ""
    badges = " ".join(
        f'<a class="badge {CLASS[c.verdict]}" href="#{c.id}" title="{escape(c.says)}">'
        f"{MARK[c.verdict]} {c.id}</a>"
        for c in about
    )
    return f'<p class="soft">What the text says of it: {badges}</p>'


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in grid.head)
    body = []
    for index, row in enumerate(grid.rows):
        kind = "ratio" if index in grid.aside else "block" if grid.names == 2 else ""
        cells = "".join(
            f'<td class="text">{escape(c)}</td>' if i < grid.names else f"<td>{escape(c)}</td>"
            for i, c in enumerate(row)
        )
        body.append(f'<tr class="{kind}">{cells}</tr>')
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _counts(frame: pl.DataFrame, shown: Shown) -> str:
    rows = []
    for row in frame.to_dicts():
        off = ' class="off"' if row["off by more than 10 %"] else ""
        ratio = "–" if row["ratio"] is None else f"{row['ratio']:.3f}"
        rows.append(
            f"<tr><td>{row[shown.item.x]}</td><td>{row[shown.item.series]}</td>"
            f'<td class="text">{escape(shown.labels.get(row["measure"], row["measure"]))}</td>'
            f"<td>{with_interval(row)}</td>"
            f"<td>{digits(row['reference mean'], 0.1)}</td><td{off}>{ratio}</td></tr>"
        )
    head = "".join(
        f"<th>{escape(name)}</th>"
        for name in (shown.item.x, shown.item.series, "measure", "ours", "reference", "ratio")
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _details(summary: str, inner: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{inner}</details>"


def _readings(made: Reproduction) -> str:
    """Which reading of what the paper leaves open explains which number."""
    found = readings_of(tuple(made.paper.readings), made.claims)
    if not found.under():
        return ""
    head, *others = sentences(found)
    marks = "; ".join(f"{MARK[v]} {v}" for v in (HOLDS, DIRECTION, FAILS, UNDECIDED))
    return (
        '<h2 id="readings">Which reading explains which number</h2>'
        f"<p><strong>{escape(head)}</strong> {escape(' '.join(others))}</p>"
        f'<p class="soft">{escape(marks)}; beside the mark what was measured.</p>'
        + _grid(numbers_grid(found))
        + _details("every statement under each reading", _grid(statements_grid(found)))
    )


def _claims(made: Reproduction) -> str:
    groups = order(made.claims)
    out = ['<h2 id="claims">What the paper says, and what was measured</h2>']
    if groups["judged"]:
        out.append(_claim_table(groups["judged"]))
    if groups["partly"]:
        out.append("<h3>Judged in part: other items are still needed</h3>")
        out.append(_claim_table(groups["partly"]))
    if groups["waiting"]:
        text = f"{len(groups['waiting'])} claims wait for items that were not run"
        out.append(_details(text, _claim_table(groups["waiting"])))
    return "\n".join(out)


def _claim_table(claims: Sequence[ClaimVerdict]) -> str:
    rows = []
    for claim in claims:
        note = f'<p class="soft">{escape(claim.note)}</p>' if claim.note else ""
        if claim.why:
            note += f"<p><strong>Why:</strong> {escape(claim.why)}</p>"
        if claim.changed_rule:
            note += f"<p><strong>Rule changed:</strong> {escape(claim.changed_rule)}</p>"
        values = _measured(claim.measured)
        rows.append(
            f'<tr id="{claim.id}"><td class="id">{claim.id}<br><span class="soft">'
            f'{escape(claim.place)}</span></td><td><span class="badge {CLASS[claim.verdict]}">'
            f"{MARK[claim.verdict]} {escape(claim.verdict)}</span>{_under(claim)}</td>"
            f'<td>{escape(claim.says)}<p class="soft">{escape(claim.reason)}</p>{note}{values}'
            f"{_details('how it is decided', f'<p>{escape(claim.criterion)}</p>')}</td></tr>"
        )
    return f'<div class="scroll"><table class="claims"><tbody>{"".join(rows)}</tbody></table></div>'


def _under(claim: ClaimVerdict) -> str:
    """The verdicts under other rules."""
    return "".join(
        f'<br><span class="badge {CLASS[u.verdict]}" '
        f'title="{escape(f"{u.verdict}: {u.reason}")}">'
        f"{MARK[u.verdict]} {escape(u.variant)}</span>"
        for u in claim.under
    )


def _measured(rows: Sequence[Measured]) -> str:
    if not rows:
        return ""
    items = "".join(
        f"<li>{escape(row.label or 'value')}: {escape(measured_text(row))}, {row.runs} runs</li>"
        for row in rows
    )
    return _details(f"measured ({len(rows)})", f"<ul>{items}</ul>")


def _choices(made: Reproduction) -> str:
    rows = "".join(
        f'<tr><td class="text">{escape(c.open)}</td><td class="text">{escape(c.choice)}</td>'
        f'<td class="text">{escape(told(made.paper.key, c.reason, made.results))}</td>'
        f'<td class="text">{escape(_tried(made, c))}</td></tr>'
        for c in made.paper.choices
    )
    return (
        '<h2 id="choices">What the paper leaves open, and the choice made</h2>'
        '<div class="scroll"><table><thead><tr><th class="text">open</th>'
        '<th class="text">choice</th><th class="text">why</th>'
        '<th class="text">tried besides</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _tried(made: Reproduction, choice: Choice) -> str:
    """The experiment that makes the other choice, if there is one."""
    return made.paper.experiments[choice.evidence].title if choice.evidence else ""


def _warnings(made: Reproduction) -> str:
    if not made.warnings:
        return '<h2 id="warnings">Warnings</h2><p>None.</p>'
    rows = "".join(
        f"<li><strong>{escape(n.place)}: {escape(n.code)}</strong>"
        f"{f' ({n.runs} runs)' if n.runs else ''}: {escape(n.message)}</li>"
        for n in made.warnings
    )
    return f'<h2 id="warnings">Warnings</h2><ul>{rows}</ul>'


def _manifest(described: Mapping[str, Any]) -> str:
    short = {k: v for k, v in described.items() if k not in ("points", "warnings", "files")}
    text = escape(json.dumps(short, indent=1, ensure_ascii=False))
    points = "\n".join(
        f"{p['experiment']} {p['point']}: scenario {p['scenario']}, {p['runs']} runs"
        for p in described["points"]
    )
    return (
        f'<h2 id="manifest">Manifest</h2><pre>{text}</pre>'
        f"{_details('every point, its scenario hash and runs', f'<pre>{escape(points)}</pre>')}"
    )
