"""Which of two sets of rules do a paper's numbers prefer: stated numbers, verdicts, one score.

A stated number is what a `number` claim holds by: the middle of its band `in`, and half the band is
the tolerance that distances are measured in. Intervals are jackknives, experiment by experiment
(`jackknife`): numbers that share runs move together when these are left out, so that they are not
counted as independent evidence. Invariant: both sides are judged by the same claims, checks and
bands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from acklab.papers.engine.jackknife import Figure, Value, combined, groups_of, jackknife
from acklab.papers.engine.model import Claim, Paper, Part, Variant
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Pick, Scope, quantity
from acklab.papers.engine.told import filled
from acklab.papers.engine.verdicts import (
    DIRECTION,
    HOLDS,
    NOT_YET,
    UNDECIDABLE,
    UNDECIDED,
    ClaimVerdict,
    UnderVariant,
    evaluate_claims,
)

FAR = 3.0
"""Distances count no further than this in the score: beyond, a miss is a miss."""


@dataclass(frozen=True)
class StatedNumber:
    """A number of the paper's text and what both sets of rules make of it."""

    claim: str
    label: str
    what: str
    percent: bool
    stated: float
    tolerance: float
    base: Value
    variant: Value
    distance_base: float
    distance_variant: float
    closer: Value
    """Distance under the base rules less the one under the variant's: positive if the variant's
    are closer to the paper."""

    @property
    def nearer(self) -> str:
        """Which side: base or variant; empty where the interval cannot tell."""
        if self.closer.low > 0.0:
            return "variant"
        return "base" if self.closer.high < 0.0 else ""


@dataclass(frozen=True)
class Changed:
    """A claim that is judged otherwise under the variant."""

    claim: str
    says: str
    base: str
    variant: str


@dataclass(frozen=True)
class Comparison:
    """One variant beside the rules of the experiments themselves."""

    variant: Variant
    numbers: tuple[StatedNumber, ...]
    changed: tuple[Changed, ...]
    tally_base: Mapping[str, int]
    tally_variant: Mapping[str, int]
    score_base: Value
    score_variant: Value
    closer: Value
    claims: tuple[ClaimVerdict, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data = asdict(self)
        data["claims"] = [claim.to_json() for claim in self.claims]
        for row, number in zip(data["numbers"], self.numbers, strict=True):
            row["nearer"] = number.nearer
        return data


def compare(paper: Paper, results: Results, variant: Variant) -> Comparison:
    """Judge the paper under both sets of rules; only experiments that both have count."""
    theirs = results.under(variant)
    ours = results.beside(variant)
    touched = touched_by(paper, variant)
    rows = [
        row
        for row in stated_checks(paper)
        if row[0].id in touched and all(n in theirs.experiments for n in row[1].needs)
    ]
    sides = list(zip(_values(ours, rows), _values(theirs, rows), strict=True))
    numbers = tuple(_number(row, *side) for row, side in zip(rows, sides, strict=True))
    base, other = _judged(paper, results, variant)
    both = [
        (a, b)
        for a, b in zip(base, other, strict=True)
        if NOT_YET not in (a.verdict, b.verdict) and a.parts and a.id in touched
    ]
    preference = _preference(rows, sides)
    return Comparison(
        variant,
        numbers,
        tuple(
            Changed(a.id, a.says, a.verdict, b.verdict) for a, b in both if a.verdict != b.verdict
        ),
        _tally(a for a, _ in both),
        _tally(b for _, b in both),
        *preference,
        tuple(filled(paper, [b for _, b in both], results, [claim.id for claim in paper.claims])),
    )


def _preference(
    rows: Sequence[Row], sides: Sequence[tuple[Figure, Figure]]
) -> tuple[Value, Value, Value]:
    """Both scores, and how much closer the variant is; all zero for a paper without numbers."""
    if not rows:
        none = Value(0.0, 0.0, 0.0)
        return none, none, none
    base, variant = (_score(rows, [side[i] for side in sides]) for i in (0, 1))
    return base.interval(), variant.interval(), _closer(base, variant).interval()


Row = tuple[Claim, Part, Mapping[str, Any]]


def _values(results: Results, rows: Sequence[Row]) -> list[Figure]:
    """Each row's quantity, the runs of an experiment grouped alike in all of them."""

    def of(part: Part, check: Mapping[str, Any]) -> Callable[[Pick], float]:
        return lambda pick: _value(results, part, check, pick)

    made = [of(part, check) for _, part, check in rows]
    groups = groups_of(made)
    return [jackknife(one, groups) for one in made]


def _far(value: float, check: Mapping[str, Any]) -> float:
    low, high = check["in"]
    return float(abs(value - (low + high) / 2) / ((high - low) / 2))


def _score(rows: Sequence[Row], figures: Sequence[Figure]) -> Figure:
    """The mean distance of all rows, each cut at `FAR`."""
    checks = [check for _, _, check in rows]
    return combined(
        lambda values: float(
            np.mean([min(FAR, _far(v, c)) for v, c in zip(values, checks, strict=True)])
        ),
        figures,
    )


def _closer(base: Figure, variant: Figure) -> Figure:
    """How much closer the variant is: its runs are others, if with the same seeds."""
    return combined(lambda far: float(far[0] - far[1]), [base, variant.named("@")])


def under_variants(paper: Paper, results: Results) -> list[ClaimVerdict]:
    """Every claim with its verdict, and the one under each variant whose runs are there."""
    claims = evaluate_claims(paper, results)
    for variant in paper.variants.values():
        if not results.under(variant).experiments:
            continue
        touched = touched_by(paper, variant)
        judged = {
            other.id: UnderVariant(variant.key, other.verdict, other.reason, own.verdict)
            for own, other in zip(*_judged(paper, results, variant), strict=True)
            if other.verdict != NOT_YET and other.id in touched
        }
        claims = [
            replace(claim, under=(*claim.under, judged[claim.id])) if claim.id in judged else claim
            for claim in claims
        ]
    known = [claim.id for claim in claims if claim.verdict != NOT_YET]
    return filled(paper, claims, results, known)


def _judged(
    paper: Paper, results: Results, variant: Variant
) -> tuple[list[ClaimVerdict], list[ClaimVerdict]]:
    """The verdicts of the same runs under the experiments' own rules and under the variant's."""
    if variant.key not in results.judged:
        sides = (results.beside(variant), results.under(variant))
        results.judged[variant.key] = tuple(evaluate_claims(paper, side) for side in sides)
    own, other = results.judged[variant.key]
    return own, other


def touched_by(paper: Paper, variant: Variant) -> set[str]:
    """The claims that a variant can change: all, unless it leaves experiments as they are."""
    if not variant.beside:
        return {claim.id for claim in paper.claims}
    touched = {c.id for c in paper.claims if set(c.needs) & set(variant.experiments)}
    touched |= {c.id for c in paper.claims if any(touched & set(r.claims) for r in c.repeats)}
    return touched | {c.id for c in paper.claims if set(c.follows) & touched}


def satisfied(claims: Sequence[ClaimVerdict], variant: str) -> dict[str, list[str]]:
    """The claims by whose rules satisfy them, if only in direction: base, variant, both, neither.

    Claims that no run can decide, and those that were not judged under both, are left out; open are
    those that one of the two could not decide.
    """
    sides = ("both", "base", "variant", "neither", "open")
    found: dict[str, list[str]] = {side: [] for side in sides}
    for claim in claims:
        other = next((u.verdict for u in claim.under if u.variant == variant), NOT_YET)
        if other in (NOT_YET, UNDECIDABLE) or claim.verdict == NOT_YET:
            continue
        mine, theirs = (verdict in (HOLDS, DIRECTION) for verdict in (claim.verdict, other))
        if UNDECIDED in (claim.verdict, other):
            found["open"].append(claim.id)
        elif mine == theirs:
            found["both" if mine else "neither"].append(claim.id)
        else:
            found["base" if mine else "variant"].append(claim.id)
    return found


def _tally(claims: Iterator[ClaimVerdict]) -> dict[str, int]:
    found: dict[str, int] = {}
    for claim in claims:
        found[claim.verdict] = found.get(claim.verdict, 0) + 1
    return found


def stated_checks(paper: Paper) -> list[Row]:
    """The checks of `number` claims that hold within a band."""
    return [
        (claim, part, {**part.defaults, **check})
        for claim in paper.claims
        if claim.kind.startswith("number")
        for part in claim.parts
        for check in part.holds[0]
        if "in" in check and {**part.defaults, **check}.get("test", "estimate") == "estimate"
    ]


def _number(row: Row, base: Figure, variant: Figure) -> StatedNumber:
    claim, part, check = row
    low, high = check["in"]
    far = [combined(lambda v: _far(v[0], check), [side]) for side in (base, variant)]
    return StatedNumber(
        claim.id,
        part.label,
        claim.says,
        str(check.get("unit", "")) == "%",
        (low + high) / 2,
        (high - low) / 2,
        base.interval(),
        variant.interval(),
        far[0].value,
        far[1].value,
        _closer(*far).interval(),
    )


def _value(results: Results, part: Part, check: Mapping[str, Any], pick: Pick) -> float:
    """The check's quantity, the mean over its fan-out."""
    scope = Scope(results, part.needs[0], pick)
    return float(np.mean([quantity(scope, check, point).value for point in scope.fan_out(check)]))
