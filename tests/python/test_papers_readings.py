"""Claims judged per reading, means of gains, what is measured only, Rust tests as verdicts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Claim, Paper
from acklab.papers.engine.named_tests import ROOT, Outcomes, check_names, run_tests
from acklab.papers.engine.parts import READING, read_parts
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.papers.engine.tables import Table
from acklab.papers.engine.verdict_rules import judge
from acklab.papers.engine.verdicts import (
    FAILS,
    HOLDS,
    NOT_YET,
    UNDECIDABLE,
    evaluate_claims,
)
from test_papers_more_rules import scope

# Two patterns: one gains 100 % of little, the other nothing of much.
UNLIKE = scope(
    {
        ("with", 1): {"x": [2.0] * 8},
        ("without", 1): {"x": [1.0] * 8},
        ("with", 2): {"x": [10.0] * 8},
        ("without", 2): {"x": [10.0] * 8},
    },
    frames=("with", "without"),
    pattern=(1, 2),
)


def gain(how: str, scope: Scope = UNLIKE, where: Any = None) -> float:
    pattern = {"pattern": {how: "all"}} if where is None else {}
    cells = {"a": {"frames": "with", **pattern}, "b": {"frames": "without", **pattern}}
    check = {"cells": cells, "quantity": "a / b - 1", "measure": "x"}
    return quantity(scope, check, where or {}).value


def test_a_mean_of_gains_is_not_the_gain_of_the_means() -> None:
    assert gain("mean") == pytest.approx(12.0 / 11.0 - 1.0)
    assert gain("apart") == pytest.approx(0.5)
    # The same from a point of the fan-out.
    assert gain("", where={"pattern": {"apart": "all"}}) == pytest.approx(0.5)


def test_gains_are_averaged_over_the_runs_that_all_have() -> None:
    data = UNLIKE.results.experiments["e"]
    rows = {cell: dict(runs) for cell, runs in data.rows.items()}
    del rows["with", 2][7]
    short = replace(data, rows=rows, _means={})
    found = gain("apart", Scope(Results({"e": short}, {}), "e"))
    assert found == pytest.approx(0.5)
    with pytest.raises(PaperError, match="apart"):
        gain("apartt")


def two_experiments() -> Scope:
    """`e` gains at both points, `f` at one of two."""
    e = scope({(1,): {"x": 2.0}, (2,): {"x": 2.0}}, h=(1, 2)).results.experiments["e"]
    f = scope({(1,): {"x": 2.0}, (2,): {"x": -2.0}}, h=(1, 2)).results.experiments["e"]
    return Scope(Results({"e": e, "f": f}, {}), "e")


@pytest.mark.parametrize(("share", "met"), [(1.0, False), (0.5, True), (0.6, False)])
def test_most_experiments_whole(share: float, met: bool) -> None:
    over = [{"experiment": key, "each": {"h": "all"}} for key in "ef"]
    check = {"cells": {"a": {}}, "measure": "x", "over": over, "by": "experiment", "sig_above": 0}
    assert judge(two_experiments(), check | {"group_share": share}).met is met


def test_what_is_told_decides_nothing() -> None:
    check = {"test": "told", "cells": {"a": {"h": 2}, "b": {"h": 1}}, "measure": "x", "what": "it"}
    found = judge(two_experiments(), check | {"quantity": "a / b"})
    assert found.met is True
    assert found.reason.startswith("told: it: 1")
    (row,) = found.measured
    assert row.met is None
    assert row.value == pytest.approx(1.0)


READINGS = {"P1": "p1", "H": "h"}


def test_a_part_is_made_for_each_reading() -> None:
    cells = {"a": {"reading": READING, "frames": "single"}}
    table = {"per_reading": True, "needs": ["chain4"], "cells": cells, "holds": {"sig_above": 0}}
    parts = read_parts(Table(table, "claim x"), READINGS)
    assert [part.label for part in parts] == ["P1", "H"]
    assert [part.defaults["cells"]["a"]["reading"] for part in parts] == ["p1", "h"]
    with pytest.raises(PaperError, match="readings"):
        read_parts(Table(table, "claim x"), {})


def criterion_of(claim: Claim, by_id: dict[str, Claim]) -> str:
    """The criterion, or the one that it says it is like."""
    if found := re.match(r"as (\d+)", claim.criterion):
        return criterion_of(by_id[f"yuki-{found[1]}"], by_id)
    return claim.criterion


def test_yuki2004_has_the_levels_that_its_criteria_write_and_no_others() -> None:
    paper = load_paper("yuki2004")
    by_id = {claim.id: claim for claim in paper.claims}
    for claim in paper.claims:
        written = re.search(r"D:|num\(|order\(", criterion_of(claim, by_id)) is not None
        for part in claim.parts:
            assert bool(part.direction) is written, claim.id


def one_claim(*tests: str) -> Paper:
    paper = load_paper("yuki2004")
    claim = Claim("x-1", "§1", "exact", "existence", "H: exact", (), tests=tests)
    return replace(paper, claims=(claim,))


A, B = "acklab-mac slotted::tests::a", "acklab-mac slotted::tests::b"


def says(stdout: str, code: int = 0) -> Any:
    def run(package: str, names: Sequence[str], _root: Path) -> Any:
        assert package == "acklab-mac"
        assert set(names) <= {"slotted::tests::a", "slotted::tests::b"}
        return subprocess.CompletedProcess([], code, stdout, "error: no field\n")

    return run


OK_A, BAD_B = "test slotted::tests::a ... ok\n", "test slotted::tests::b ... FAILED\n"


@pytest.mark.parametrize(
    ("tests", "run", "verdict", "reason"),
    [
        ((A,), says(OK_A), HOLDS, "tests that pass: a"),
        ((A, B), says(OK_A + BAD_B, 101), FAILS, "b"),
        # One that does not exist leaves no line.
        ((A, B), says(OK_A), FAILS, "do not exist: b"),
        ((A,), says("", 101), UNDECIDABLE, "do not build: error: no field"),
    ],
)
def test_a_claim_holds_by_its_tests(
    tests: tuple[str, ...], run: Any, verdict: str, reason: str
) -> None:
    paper = one_claim(*tests)
    results = Results({}, {}, tested=run_tests(paper, ROOT, run))
    (found,) = evaluate_claims(paper, results)
    assert found.verdict == verdict
    assert reason in found.reason


def test_without_a_checkout_or_before_they_ran_nothing_is_claimed(tmp_path: Path) -> None:
    paper = one_claim(A)
    (found,) = evaluate_claims(paper, Results({}, {}, tested=run_tests(paper, tmp_path)))
    assert (found.verdict, "checkout" in found.reason) == (UNDECIDABLE, True)
    (found,) = evaluate_claims(paper, Results({}, {}))
    assert found.verdict == NOT_YET
    # A paper without such claims runs nothing.
    assert run_tests(replace(paper, claims=()), tmp_path) == Outcomes()
    with pytest.raises(PaperError, match="tests"):
        check_names("claim x-1", ["a_test_without_its_package"])


def test_the_tests_that_yuki2004_names_are_there() -> None:
    source = (ROOT / "crates/mac/src/slotted/tests/diagrams.rs").read_text(encoding="utf-8")
    named = [name for claim in load_paper("yuki2004").claims for name in claim.tests]
    assert named
    for name in named:
        module, _, test = name.rpartition("::")
        assert module == "acklab-mac slotted::tests::diagrams"
        assert f"#[test]\nfn {test}()" in source, name
