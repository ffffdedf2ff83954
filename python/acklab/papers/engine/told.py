"""Numbers in prose: what a text says of our runs is filled in from the runs.

A text names a figure in braces, `{gain chain9 d=3 window=above10 / d=1}`: what is made of an
experiment's cell, behind the slash of another cell that differs in what stands there. An
experiment may be a variant's (`chain9@ns2-2.1b9`), a measure may follow it (`short9:losses`; else
it is the experiment's own), an axis takes a value (in quotes if it has a space), a named set (its
mean; `each(large)`: the figure is made at each of its values, and the mean of these is told),
`best`, `lowest` (of a set: `best(large)`), or some values of which the best is taken (`d=3|4`).

| figure | what it is |
| --- | --- |
| mean | the mean of the measure |
| percent | the same, in percent |
| gain | a / b − 1, in percent |
| loss | 1 − a / b, in percent |
| ratio | a / b |
| difference | a − b |
| argmax | the value of the axis (`window=argmax`) with the highest mean |
| runs | how many runs a point of the experiment has (`{runs chain9}`) |

Invariant: a number of ours in prose comes from the runs of the same folder, with its interval. A
text that lacks one of its runs is not told at all (`told`): `not run` is no figure of a sentence.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import Axis, Experiment, Paper
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import APART, Scope, quantity, select
from acklab.papers.engine.verdicts import ClaimVerdict

FIGURE = re.compile(r"\{(\w+) ([^{}]+)\}")
MADE = {"mean": "a", "percent": "a", "gain": "a / b - 1", "loss": "1 - a / b", "ratio": "a / b",
        "difference": "a - b"}  # fmt: skip
PICKS = re.compile(r"(best|lowest|each)(?:\((\w+)\))?")
ARGMAX = "argmax"
RUNS = "runs"
NOT_RUN = "not run"


def filled(
    paper: Paper, claims: Sequence[ClaimVerdict], results: Results, judged: Sequence[str]
) -> list[ClaimVerdict]:
    """The claims with the numbers of their reasons and notes.

    A reason is told if all that it says to have been tested by is there; `judged` are the claims
    that have a verdict.
    """
    tests = {claim.id: claim.tested_by for claim in paper.claims}
    there = {*results.experiments, *judged}
    there |= {key for key, variant in paper.variants.items() if results.has(variant)}
    return [
        replace(
            claim,
            why=_reason(paper.key, claim.why, results, set(tests[claim.id]) <= there),
            note=told(paper.key, claim.note, results),
        )
        for claim in claims
    ]


def _reason(paper: str, why: str, results: Results, tested: bool) -> str:
    return told(paper, why, results) if tested or not why else not_told(paper)


def told(paper: str, text: str, results: Results) -> str:
    """The text with its figures in it, or that it rests on runs that were not made."""
    if any(name not in results.experiments for name in experiments_of(text)):
        return not_told(paper)
    return fill(text, results)


def not_told(paper: str) -> str:
    """What stands in the place of a text about runs that were not made."""
    return f"{NOT_RUN} here; `acklab reproduce {paper} --full` tells"


def experiments_of(text: str) -> list[str]:
    """The experiments that a text's figures are made of."""
    return [_experiment_of(body) for _, body in FIGURE.findall(text)]


def fill(text: str, results: Results) -> str:
    """The text with its figures in it, `not run` where there are no runs."""

    def figure(match: re.Match[str]) -> str:
        kind, body = match.groups()
        name = _experiment_of(body)
        if name not in results.experiments:
            return NOT_RUN
        return _told(kind, body, results.experiments[name].experiment, results)

    return FIGURE.sub(figure, text)


def check_text(paper: Paper, place: str, text: str) -> None:
    """Raise `PaperError` if a figure of the text names what the folder does not have."""
    for kind, body in FIGURE.findall(text):
        if kind not in (*MADE, ARGMAX, RUNS):
            raise PaperError(place, kind, (*MADE, ARGMAX, RUNS), "no such figure")
        name = _experiment_of(body)
        if name not in paper.experiments:
            raise PaperError(place, name, paper.experiments, "no such experiment")
        if kind == RUNS:
            if body != name:
                raise PaperError(place, body, name, "is about a whole experiment")
            continue
        cells = _cells(body, paper.experiments[name])
        if ("b" in cells) != ("b" in MADE.get(kind, "a")):
            raise PaperError(
                place, body, "`/` and another cell with gain, loss, ratio and difference alone"
            )


def _experiment_of(body: str) -> str:
    return body.split()[0].split(":")[0]


def _told(kind: str, body: str, experiment: Experiment, results: Results) -> str:
    if kind == RUNS:
        return _counts(results, experiment)
    _, _, named = body.split()[0].partition(":")
    measure = named or experiment.precision_measure
    scope = Scope(results, experiment.key)
    cells = _cells(body, experiment)
    if kind == ARGMAX:
        (key,) = (key for key, wanted in cells["a"].items() if wanted == ARGMAX)
        means = {
            value: select(scope, {**cells["a"], key: value}, {}, measure)
            for value in experiment.axis(key).values
        }
        runs = results.common_runs(c for s in means.values() for c in s.cells())
        return str(max(means, key=lambda v: float(means[v].sample(results, runs).mean())))
    check = {"measure": measure, "cells": cells, "quantity": MADE[kind]}
    found = quantity(scope, check, {})
    if math.isnan(found.value):
        return "no value"
    half = found.half_width()
    if kind in ("percent", "gain", "loss"):
        value, half = 100.0 * found.value, 100.0 * half
        digits = 0 if abs(value) >= 10.0 or half >= 1.0 else 1
        return f"{_number(value, half, digits)} %"
    if kind == "ratio":
        return f"× {_number(found.value, half, 2)}"
    size = math.floor(math.log10(abs(found.value))) if found.value else 0
    return _number(found.value, half, max(0, 2 - size))


def _counts(results: Results, experiment: Experiment) -> str:
    """How many runs its points have: as many each, or from the fewest to the most."""
    counts = [len(runs) for runs in results.experiments[experiment.key].rows.values()] or [0]
    fewest, most = min(counts), max(counts)
    return str(most) if fewest == most else f"{fewest} to {most}"


def _number(value: float, half: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    text = text.replace("-", "−")
    return f"{text} ± {half:.{digits}f}" if math.isfinite(half) else text


def _cells(body: str, experiment: Experiment) -> dict[str, dict[str, Any]]:
    """The cells a and, behind a slash, b."""
    first, slash, second = body.partition(" / ")
    a = _cell(shlex.split(first)[1:], experiment)
    missing = [axis.key for axis in experiment.axes if axis.key not in a]
    if missing:
        raise PaperError(f"{{{body}}}", "nothing", missing, "axis not set")
    cells = {"a": a}
    if slash:
        cells["b"] = {**a, **_cell(shlex.split(second), experiment)}
    return cells


def _cell(words: Sequence[str], experiment: Experiment) -> dict[str, Any]:
    axes = {axis.key: axis for axis in experiment.axes}
    cell: dict[str, Any] = {}
    for word in words:
        key, _, text = word.partition("=")
        if key not in axes:
            raise PaperError(f"{experiment.key}: {word}", key, axes, "no such axis")
        cell[key] = _wanted(axes[key], text)
    return cell


def _wanted(axis: Axis, text: str) -> Any:
    values: Mapping[str, Any] = {str(value): value for value in axis.values}
    if text == ARGMAX:
        return ARGMAX
    if picks := PICKS.fullmatch(text):
        among = picks[2] or "all"
        if among != "all" and among not in axis.sets:
            raise PaperError(axis.key, among, axis.sets, "no such set")
        return {APART if picks[1] == "each" else picks[1]: among}
    if text in axis.sets or (text == "all" and text not in values):
        return {"mean": text}
    parts = text.split("|")
    for part in parts:
        if part not in values:
            raise PaperError(axis.key, part, [*axis.sets, *values], "no such value")
    return values[text] if len(parts) == 1 else {"best": [values[part] for part in parts]}
