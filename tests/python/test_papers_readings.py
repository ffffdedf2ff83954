"""Claims judged per reading, means of gains, what is measured only, Rust tests as verdicts."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.findings import Measured
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Claim, Paper
from acklab.papers.engine.named_tests import ROOT, Outcomes, check_names, run_tests
from acklab.papers.engine.parts import READING, read_parts
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.papers.engine.tables import Table
from acklab.papers.engine.told import check_text, fill
from acklab.papers.engine.verdict_rules import judge
from acklab.papers.engine.verdicts import (
    DIRECTION,
    FAILS,
    HOLDS,
    NOT_YET,
    UNDECIDABLE,
    ClaimVerdict,
    PartVerdict,
    evaluate_claims,
)
from acklab.places import MANIFEST
from acklab.report.findings import BESIDE, findings_page
from acklab.report.readings import (
    APART,
    numbers_grid,
    readings_of,
    sentences,
    statements_grid,
)
from acklab.validate.model import Context
from acklab.validate.yuki2004 import meshes
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


def judged(claim_id: str, kind: str, verdicts: Sequence[str], value: float = 0.1) -> ClaimVerdict:
    rows = (
        Measured("gain", value, value, value, 5, verdicts[0] == HOLDS or None, True),
        Measured("told: besides", 9.9, 9.9, 9.9, 5),
    )
    parts = tuple(
        PartVerdict(label, verdict, "", rows)
        for label, verdict in zip(
            ["P1", "H"] if len(verdicts) == 2 else [""], verdicts, strict=True
        )
    )
    return ClaimVerdict(claim_id, "§1", "it gains", kind, "H: x", verdicts[0], False, "", (), parts)


def test_the_table_of_readings_says_how_far_each_goes() -> None:
    claims = [
        judged("x-1", "number", (HOLDS, HOLDS)),
        judged("x-2", "number (implied)", (HOLDS, DIRECTION), 0.527),
        judged("x-3", "number", (FAILS, FAILS)),
        judged("x-4", "ordering", (FAILS, HOLDS)),
        judged("x-5", "existence", (HOLDS,)),
    ]
    found = readings_of(("P1", "H"), claims)
    head, counts, numbers, _ = sentences(found)
    assert head == "No reading explains all of the paper's numbers."
    assert "P1: 2 of 3 numbers and 2 of 4 statements" in counts
    assert "H: 1 of 3 numbers and 2 of 4 statements" in counts
    assert "every reading explains: x-1." in numbers
    assert "x-2 by P1 alone" in numbers
    assert numbers.endswith("that no reading explains: x-3.")
    grid = numbers_grid(found)
    assert grid.head[3:] == ("P1", "H")
    assert [row[0] for row in grid.rows] == ["x-1", "x-2", "x-3"]
    # What is only told does not stand beside the verdict.
    assert grid.rows[1][3:] == ("✓ 52.7 %", "≈ 52.7 %")
    every = statements_grid(found)
    assert every.head[-1] == APART
    assert every.rows[-1][2:] == ("", "", "✓"), "no reading has a part in it"
    assert every.rows[3][2:] == ("✗", "✓", "")


def test_the_sentence_follows_the_verdicts() -> None:
    both = [judged("x-1", "number", (HOLDS, HOLDS)), judged("x-2", "shape", (HOLDS, FAILS))]
    head, *_ = sentences(readings_of(("P1", "H"), both))
    assert head == "All statements hold under P1."
    head, *_ = sentences(readings_of(("P1", "H"), [both[0], judged("x", "shape", (FAILS, FAILS))]))
    assert head == "All numbers hold under P1 and H, but not all statements do."
    assert sentences(readings_of((), both)) == []


def test_in_direction_under_one_reading_may_be_against_another() -> None:
    claims = [
        judged("x-1", "number", (DIRECTION, FAILS)),
        judged("x-2", "shape", (DIRECTION, HOLDS)),
        judged("x-3", "shape", (HOLDS, HOLDS)),
        judged("x-4", "shape", (FAILS, FAILS)),
    ]
    said = sentences(readings_of(("P1", "H"), claims))[-1]
    assert said.endswith(
        "Of the 2 that hold in direction so, 1 do not hold under another reading: x-1."
    )


def test_the_findings_have_the_table_and_what_a_check_found_besides(tmp_path: Path) -> None:
    claims = [judged("x-1", "number", (HOLDS, FAILS))]
    written = json.dumps([claim.to_json() for claim in claims])
    (tmp_path / "claims.json").write_text(written, encoding="utf-8")
    manifest: dict[str, Any] = {
        "paper": "yuki2004",
        "mode": "quick",
        "created": "2026-11-22T",
        "core": "x",
    }
    manifest |= {"runs": {"new": 1, "reused": 0}, "simulated_s": 1.0}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (tmp_path / "beside.md").write_text("## The search\n\nfound", encoding="utf-8")
    paper = replace(load_paper("yuki2004"), readings={"P1": "p1", "H": "h"})
    page = findings_page(tmp_path, paper)
    assert "**All statements hold under P1.**" in page
    assert "| x-1 | it gains | H: x | ✓ 10 % | ✗ 10 % |" in page
    assert "## The search\n\nfound" in page


def test_the_search_of_meshes_is_told_beside_the_full_results(tmp_path: Path) -> None:
    context = Context(tmp_path, True, 1, tmp_path, print)
    detail = [("mesh", "gain off"), ("7", "+18 %")]
    meshes.note(context, "1 of 60", detail)
    assert not list(tmp_path.iterdir()), "without results there is nothing to tell it beside"
    folder = tmp_path / "yuki2004-full"
    folder.mkdir()
    (folder / MANIFEST).write_text("{}")
    meshes.note(context, "1 of 60", detail)
    text = (folder / BESIDE).read_text(encoding="utf-8")
    assert "on: 1 of 60." in text
    assert text.endswith("| mesh | gain off |\n| --- | --- |\n| 7 | +18 % |\n")


def test_a_figure_in_prose_may_be_a_mean_of_gains() -> None:
    paper = load_paper("yuki2004")
    body = (
        "random load=3 reading=p1 frames=combined delack=off interval=17 pattern={} / frames=single"
    )
    check_text(paper, "here", "{gain " + body.format("each(all)") + "}")
    text = "{gain e frames=with pattern=PATTERN / frames=without}"
    results = UNLIKE.results
    data = replace(results.experiments["e"], _means={})
    data.experiment = replace(data.experiment, precision_measure="x")
    told = Results({"e": data}, {})
    assert fill(text.replace("PATTERN", "all"), told).startswith("9.1")
    assert fill(text.replace("PATTERN", "each(all)"), told).startswith("50")


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


def too_slow(package: str, names: Sequence[str], root: Path) -> Any:
    raise subprocess.TimeoutExpired([package, *names, str(root)], 900.0)


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
    results = Results({}, {}, tested=run_tests(paper, ROOT, too_slow))
    (found,) = evaluate_claims(paper, results)
    assert (found.verdict, "could not be run" in found.reason) == (UNDECIDABLE, True)
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
