"""The report on variants: which rules satisfy which claims, which do the numbers prefer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from acklab.papers.engine.comparison import FAR, Comparison, StatedNumber, satisfied
from acklab.papers.engine.findings import number
from acklab.papers.engine.folder import read_json
from acklab.papers.engine.jackknife import Value
from acklab.papers.engine.model import Paper
from acklab.papers.engine.verdicts import ClaimVerdict
from acklab.report.cells import MARK


def sentence(found: Comparison) -> str:
    """The outcome in words, with its interval."""
    return sentence_of(found.to_json(), found.variant.base, found.variant.key)


def sentence_of(found: Mapping[str, Any], base: str, variant: str) -> str:
    """The same of a comparison that was written as JSON."""
    if not found["numbers"]:
        return f"No number is stated that {base} and {variant} could be told apart by."
    closer = found["closer"]
    if closer["low"] > 0.0:
        outcome = f"The paper's numbers are closer to {variant}"
    elif closer["high"] < 0.0:
        outcome = f"The paper's numbers are closer to {base}"
    else:
        outcome = f"The paper's numbers do not tell {base} and {variant} apart"
    scores = [_value(Value(**found[key])) for key in ("score_base", "score_variant", "closer")]
    numbers = found["numbers"]
    inside = [sum(n[f"distance_{side}"] <= 1.0 for n in numbers) for side in ("base", "variant")]
    nearer = [sum(n["nearer"] == side for n in numbers) for side in ("base", "variant")]
    return (
        f"{outcome}: the mean distance of {len(numbers)} stated numbers is {scores[0]} tolerances "
        f"under {base} and {scores[1]} under {variant}, a difference of {scores[2]} (95 % "
        f"over our runs, {closer['degrees']:.0f} degrees of freedom; a distance counts up to "
        f"{FAR:g}). Within their bands are {inside[0]} and {inside[1]}; significantly "
        f"nearer are {nearer[0]} under {base} and {nearer[1]} under {variant}."
    )


def who_satisfies(claims: Sequence[ClaimVerdict], base: str, variant: str) -> str:
    """How many claims each of two sets of rules satisfies, and which one alone; empty if none."""
    found = satisfied(claims, variant)
    total = sum(map(len, found.values()))
    if total == 0:
        return ""

    def told(side: str, where: str) -> str:
        named = f" ({', '.join(found[side])})" if found[side] and side != "both" else ""
        return f"{len(found[side])} {where}{named}"

    return (
        f"Of {total} claims that were judged under both, {told('both', 'hold under both')}, if "
        f"only in direction, {told('base', f'under {base} alone')}, "
        f"{told('variant', f'under {variant} alone')} and {told('neither', 'under neither')}; "
        f"{told('open', 'are undecided under one or both')}."
    )


def variant_lines(paper: Paper, claims: Sequence[ClaimVerdict], folder: Path) -> list[str]:
    """For each variant in words: who satisfies the claims, and which the numbers prefer."""
    lines = []
    for key, variant in paper.variants.items():
        if not (counts := who_satisfies(claims, variant.base, key)):
            continue
        path = folder / f"{key}.json"
        if path.is_file():
            found = read_json(path, paper.key)
            counts += " " + sentence_of(found, variant.base, key)
        lines.append(f"{variant.base} or {key}? {counts}")
    return lines


def comparison_section(found: Comparison, claims: Sequence[ClaimVerdict]) -> str:
    """The section as HTML."""
    variant = found.variant
    changed = "".join(
        f'<tr><td class="text"><a href="#{c.claim}">{c.claim}</a></td>'
        f'<td class="text">{escape(c.says)}</td><td class="text">{escape(c.base)}</td>'
        f'<td class="text">{escape(c.variant)}</td></tr>'
        for c in found.changed
    )
    return (
        f'<h2 id="{escape(variant.key)}">Which rules do the paper\'s numbers prefer: '
        f"{escape(variant.base)} or {escape(variant.key)}?</h2>"
        f"<p>{escape(sentence(found))}</p>{_numbers(found)}"
        f"<h3>Verdicts under both</h3>"
        f"<p>{escape(who_satisfies(claims, variant.base, variant.key))}</p>"
        f"<p>{escape(variant.base)}: {_tally(found.tally_base)}<br>"
        f"{escape(variant.key)}: {_tally(found.tally_variant)}</p>"
        '<div class="scroll"><table class="claims"><thead><tr><th class="text">claim</th>'
        f'<th class="text">statement</th><th class="text">{escape(variant.base)}</th>'
        f'<th class="text">{escape(variant.key)}</th></tr></thead>'
        f"<tbody>{changed}</tbody></table></div>"
    )


def _numbers(found: Comparison) -> str:
    """The stated numbers under both sets of rules; nothing if there are none."""
    if not found.numbers:
        return ""
    variant = found.variant
    rows = "".join(_row(found, row) for row in found.numbers)
    return (
        f'<p class="soft">A tolerance is half the band in which the claim holds; distances count '
        f"up to {FAR:g} in the mean. Intervals: delete-a-group jackknife, experiment by "
        "experiment, the variances added. Several numbers are one quantity with several stated "
        "values, so that no rules can meet all of them (see the claims' notes).</p>"
        '<div class="scroll"><table><thead><tr><th class="text">claim</th>'
        '<th class="text">statement</th><th>stated</th>'
        f"<th>{escape(variant.base)}</th><th>{escape(variant.key)}</th>"
        '<th>distances</th><th class="text">nearer</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(found: Comparison, row: StatedNumber) -> str:
    names = {"base": found.variant.base, "variant": found.variant.key, "": "cannot tell"}
    label = f" ({escape(row.label)})" if row.label else ""
    stated = f"{number(row.stated, row.percent)} ± {number(row.tolerance, row.percent)}"
    return (
        f'<tr><td class="text"><a href="#{row.claim}">{row.claim}</a></td>'
        f'<td class="text">{escape(row.what)}{label}</td><td>{stated}</td>'
        f"<td>{_value(row.base, row.percent)}</td><td>{_value(row.variant, row.percent)}</td>"
        f"<td>{row.distance_base:.2f} / {row.distance_variant:.2f}</td>"
        f'<td class="text">{escape(names[row.nearer])}</td></tr>'
    )


def _value(value: Value, percent: bool = False) -> str:
    half = value.high - value.value
    return f"{number(value.value, percent).removesuffix(' %')} ± {number(half, percent)}"


def _tally(counts: Mapping[str, int]) -> str:
    return escape(", ".join(f"{counts[v]} {v}" for v in MARK if v in counts))
