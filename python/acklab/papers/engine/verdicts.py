"""From rules to verdicts: holds, holds in direction, does not hold, undecided, not decidable here.

A part's verdict is the strongest level that is established. When no level is established but one
could be with more runs, the part is undecided. A claim is as good as its weakest part, unless its
`quorum` says how many parts suffice for "in direction". A claim whose runs do not exist yet is
not evaluated, and says what it needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from acklab.papers.engine.findings import Finding, Measured, Met, all_met, any_met
from acklab.papers.engine.model import Claim, Paper, Part
from acklab.papers.engine.parts import swapped_part
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.verdict_rules import judge

HOLDS = "holds"
DIRECTION = "holds in direction"
FAILS = "does not hold"
UNDECIDED = "undecided"
UNDECIDABLE = "not decidable here"
NOT_YET = "not evaluated"
VERDICTS = (HOLDS, DIRECTION, FAILS, UNDECIDED, UNDECIDABLE, NOT_YET)


@dataclass(frozen=True)
class PartVerdict:
    """The verdict on one part, with what was measured."""

    label: str
    verdict: str
    reason: str
    measured: tuple[Measured, ...] = ()


@dataclass(frozen=True)
class UnderVariant:
    """What a variant's rules make of a claim."""

    variant: str
    verdict: str
    reason: str
    base: str = ""
    """The verdict under the rules of the experiments themselves, from as many runs."""


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim's row as it is shown: the statement, its verdict and why."""

    id: str
    place: str
    says: str
    kind: str
    criterion: str
    verdict: str
    partial: bool
    reason: str
    needs: tuple[str, ...]
    parts: tuple[PartVerdict, ...] = ()
    note: str = ""
    why: str = ""
    """Why it does not hold here, or cannot be told, and what tested that."""
    missing: tuple[str, ...] = field(default=())
    under: tuple[UnderVariant, ...] = ()
    """The verdicts under the variants that were run."""
    changed_rule: str = ""
    """How the rule differs from the one first written down for the claim, and why."""

    @property
    def measured(self) -> tuple[Measured, ...]:
        """All measured values of all parts."""
        return tuple(row for part in self.parts for row in part.measured)

    @property
    def runs(self) -> int:
        """The fewest runs behind any of its values."""
        return min((row.runs for row in self.measured), default=0)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"runs": self.runs}


def evaluate_claims(paper: Paper, results: Results) -> list[ClaimVerdict]:
    """A verdict for every claim of the paper, or what it still needs."""
    done: dict[str, ClaimVerdict] = {}
    for claim in paper.claims:
        if not claim.follows and not claim.repeats:
            done[claim.id] = _evaluate(paper, claim, results)
    for claim in paper.claims:
        if claim.repeats:
            done[claim.id] = _repeated(paper, claim, results)
    for claim in paper.claims:
        if claim.follows:
            done[claim.id] = _follow(claim, [done[key] for key in claim.follows if key in done])
    return [done[claim.id] for claim in paper.claims]


def evaluate_part(results: Results, part: Part) -> PartVerdict:
    """The verdict on one part whose experiments have been run."""
    scope = Scope(results, part.needs[0])
    level, holds = _level(scope, part, part.holds)
    if level is True:
        return _part(part, HOLDS, holds)
    direction, weaker = _level(scope, part, part.direction)
    if direction is True:
        return _part(part, DIRECTION, [*holds, *weaker])
    unclear = level is None or direction is None
    return _part(part, UNDECIDED if unclear else FAILS, [*holds, *weaker])


def _level(
    scope: Scope, part: Part, groups: Sequence[Sequence[Mapping[str, Any]]]
) -> tuple[Met, list[Finding]]:
    """Is one of the groups met, and the findings that say so (or of all groups, if none is)?"""
    found = [[judge(scope, {**part.defaults, **check}) for check in group] for group in groups]
    answers = [all_met([finding.met for finding in group]) for group in found]
    if True in answers:
        return True, found[answers.index(True)]
    return any_met(answers), [finding for group in found for finding in group]


def _part(part: Part, verdict: str, findings: Sequence[Finding]) -> PartVerdict:
    reasons = "; ".join(dict.fromkeys(finding.reason for finding in findings))
    if verdict == UNDECIDED:
        reasons += "; intervals too wide at this number of runs"
    measured: dict[str, Measured] = {}
    for finding in findings:
        for row in finding.measured:
            label, number = row.label, 2
            while label in measured and measured[label].value != row.value:
                label, number = f"{row.label} ({number})", number + 1
            measured.setdefault(label, replace(row, label=label))
    return PartVerdict(part.label, verdict, reasons, tuple(measured.values()))


def _evaluate(paper: Paper, claim: Claim, results: Results) -> ClaimVerdict:
    if claim.undecidable:
        return _row(claim, UNDECIDABLE, claim.undecidable)
    if claim.tests:
        first = _tested(claim, results)
        if first.verdict != HOLDS or not claim.parts:
            found = (first,) if first.verdict in (HOLDS, FAILS) else ()
            return _row(claim, first.verdict, first.reason, found)
    have = results.experiments
    ready = [part for part in claim.parts if all(need in have for need in part.needs)]
    missing = tuple(need for need in claim.needs if need not in have)
    parts = tuple(evaluate_part(results, part) for part in ready)
    if not parts:
        return _row(claim, NOT_YET, needs_text(paper, missing or claim.needs), missing=missing)
    verdicts = [part.verdict for part in parts]
    reasons = "; ".join(f"{p.label}: {p.reason}" if p.label else p.reason for p in parts)
    if claim.tests:
        reasons = f"{_tested(claim, results).reason}; {reasons}"
    if len(parts) == len(claim.parts) and not missing:
        return _row(claim, combine(verdicts, claim.quorum), reasons, parts)
    if FAILS in verdicts and claim.quorum == 0:
        return _row(claim, FAILS, f"one part decides; {reasons}", parts, missing)
    so_far = ", ".join(f"{part.label or 'first part'}: {part.verdict}" for part in parts)
    reason = f"so far {so_far}; {needs_text(paper, missing)}; {reasons}"
    return _row(claim, NOT_YET, reason, parts, missing)


def _tested(claim: Claim, results: Results) -> PartVerdict:
    """What the Rust tests that a claim names say of it: all exist and pass, or not."""
    tested = results.tested
    if tested.refused:
        return PartVerdict("", UNDECIDABLE, tested.refused)
    if not tested.ran:
        return PartVerdict("", NOT_YET, "not evaluated yet: its tests run with the whole paper")
    names = {name: name.rpartition("::")[2] for name in claim.tests}
    bad = [short for name, short in names.items() if not tested.passed.get(name)]
    if bad:
        return PartVerdict("", FAILS, f"tests that fail or do not exist: {', '.join(bad)}")
    return PartVerdict("", HOLDS, f"exact, by tests that pass: {', '.join(names.values())}")


def combine(verdicts: Sequence[str], quorum: int = 0) -> str:
    """One verdict from the parts' verdicts."""
    if all(verdict == HOLDS for verdict in verdicts):
        return HOLDS
    good = sum(verdict in (HOLDS, DIRECTION) for verdict in verdicts)
    maybe = good + sum(verdict == UNDECIDED for verdict in verdicts)
    need = quorum or len(verdicts)
    if good >= need:
        return DIRECTION
    return UNDECIDED if maybe >= need else FAILS


def needs_text(paper: Paper, needs: Sequence[str]) -> str:
    """What a claim still needs, in words."""
    names: list[str] = []
    for need in needs:
        if need in paper.planned:
            names.append(paper.planned[need].title)
        else:
            names.append(f"item {paper.item_of(need)}")
    return "not evaluated yet: needs " + "; ".join(dict.fromkeys(names))


def _repeated(paper: Paper, claim: Claim, results: Results) -> ClaimVerdict:
    """Whether other claims get the same verdict elsewhere; a part is a claim at another place."""
    by_id = {other.id: other for other in paper.claims}
    parts: list[PartVerdict] = []
    missing: list[str] = []
    for repeat in claim.repeats:
        where = ", ".join(repeat.swap[need] for need in repeat.swap if need in paper.experiments)
        for key in repeat.claims:
            own = [p for p in by_id[key].parts if all(need in repeat.swap for need in p.needs)]
            again = [swapped_part(p, repeat.swap) for p in own]
            needs = [need for p in (*own, *again) for need in p.needs]
            lacking = [need for need in needs if need not in results.experiments]
            if lacking or not own:
                missing += lacking
                continue
            here, there = (
                combine([evaluate_part(results, p).verdict for p in group])
                for group in (own, again)
            )
            parts.append(PartVerdict(f"{key}, {where}", _same(here, there), f"{here} / {there}"))
    if missing or not parts:
        lacks = tuple(dict.fromkeys(missing))
        return _row(claim, NOT_YET, needs_text(paper, lacks), missing=lacks)
    reasons = "; ".join(f"{part.label}: {part.reason}" for part in parts)
    return _row(claim, combine([p.verdict for p in parts]), reasons, tuple(parts))


def _same(here: str, there: str) -> str:
    """The same verdict holds, another does not; with one not decided neither is this."""
    if UNDECIDED in (here, there):
        return UNDECIDED
    return HOLDS if here == there else FAILS


def _follow(claim: Claim, others: Sequence[ClaimVerdict]) -> ClaimVerdict:
    names = ", ".join(f"{other.id}: {other.verdict}" for other in others)
    if any(other.verdict == NOT_YET for other in others):
        waiting = ", ".join(other.id for other in others if other.verdict == NOT_YET)
        return _row(claim, NOT_YET, f"not evaluated yet: follows from {waiting} ({names})")
    verdicts = [other.verdict for other in others]
    if claim.direction_suffices:
        verdicts = [HOLDS if verdict == DIRECTION else verdict for verdict in verdicts]
    return _row(claim, combine(verdicts, claim.quorum), names)


def _row(
    claim: Claim,
    verdict: str,
    reason: str,
    parts: tuple[PartVerdict, ...] = (),
    missing: tuple[str, ...] = (),
) -> ClaimVerdict:
    return ClaimVerdict(
        claim.id, claim.place, claim.says, claim.kind, claim.criterion, verdict,
        verdict == NOT_YET and bool(parts), reason, claim.needs, parts, claim.note,
        _why(claim, verdict), missing, changed_rule=claim.changed_rule,
    )  # fmt: skip


def _why(claim: Claim, verdict: str) -> str:
    if verdict not in (DIRECTION, FAILS, UNDECIDED) or not claim.why:
        return ""
    return f"{claim.why} (tested by: {', '.join(claim.tested_by)})"


def claim_from_json(row: Mapping[str, Any]) -> ClaimVerdict:
    """A row that `to_json` wrote."""
    parts = tuple(
        PartVerdict(
            part["label"],
            part["verdict"],
            part["reason"],
            tuple(Measured(**entry) for entry in part["measured"]),
        )
        for part in row["parts"]
    )
    names = (
        "id", "place", "says", "kind", "criterion", "verdict", "partial", "reason", "note", "why",
        "changed_rule",
    )  # fmt: skip
    plain: dict[str, Any] = {key: row.get(key, "") for key in names}
    plain |= {key: tuple(row[key]) for key in ("needs", "missing")}
    under = tuple(UnderVariant(**entry) for entry in row["under"])
    return ClaimVerdict(**plain, parts=parts, under=under)
