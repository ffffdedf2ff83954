"""What the rows of altman2003 beside ns-2 judge, on made-up runs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from acklab.papers.engine.load import load_paper
from acklab.papers.engine.results import Results
from acklab.papers.engine.verdicts import FAILS, HOLDS, evaluate_claims
from acklab.validate import reasons
from acklab.validate.altman2003.references import Pair, ack, chain, judge, routed, rows_of, short
from acklab.validate.model import FAIL, PASS


def pair(cell: str, ours: list[float], theirs: list[float]) -> Pair:
    return Pair((cell, "1"), "goodput_pps", ours, theirs)


def test_a_cell_agrees_within_ten_per_cent_or_two_errors() -> None:
    near = pair("1", [10.8, 10.9, 11.0], [10.0, 10.1])
    assert near.agrees
    assert abs(near.errors) > 2.0
    # 20 % off, but the spread is wide: pooled variance 8 / 3, error √(8/3 × (1/3 + 1/2)) = 1.49.
    noisy = pair("2", [10.0, 12.0, 14.0], [10.0, 10.0])
    assert noisy.difference == pytest.approx(0.2)
    assert noisy.errors == pytest.approx(2.0 / (8 / 3 * 5 / 6) ** 0.5)
    assert noisy.agrees
    assert not pair("3", [12.0, 12.1], [10.0, 10.1]).agrees


def test_four_of_five_cells_are_enough() -> None:
    good = [pair(str(k), [10.0, 10.1], [10.0, 10.1]) for k in range(4)]
    bad = [pair(str(k), [20.0, 20.1], [10.0, 10.1]) for k in (4, 5)]
    row = judge("thing", [*good, bad[0]])
    assert (row.verdict, row.figure[:6]) == (PASS, "4 of 5")
    assert judge("thing", [*good, *bad]).verdict == FAIL


def test_a_raised_number_of_runs_is_told() -> None:
    late = pair("1", [20.0, 20.1, 10.0, 10.0, 0.0, 0.1], [10.0, 10.1])
    row = judge("thing", [late], planned=2)
    assert (row.verdict, row.figure[:6]) == (PASS, "1 of 1")
    assert "6 runs a cell, raised from 2" in row.why
    assert row.why.endswith("the first 2 runs alone: 0 of 1 cells")


def test_a_cell_with_one_measure_apart_is_apart() -> None:
    other: dict[str, Any] = {"cell": ("1", "1"), "measure": "delay"}
    apart = Pair(ours=[20.0, 20.1], theirs=[10.0, 10.1], **other)
    row = judge("thing", [pair("1", [10.0, 10.1], [10.0, 10.1]), apart])
    assert row.figure.startswith("0 of 1")


def test_every_row_of_the_references_becomes_a_scenario() -> None:
    for row in rows_of("ns2-short9"):
        assert short(row).resolve().text
    for protocol in ("dsr", "dsdv"):
        for row in rows_of(f"ns2-fig9-{protocol}"):
            assert f'protocol = "{protocol}"' in routed(protocol)(row).resolve().to_toml()
    assert ack("1") == "every"
    dynamic = chain({"n": "9", "wmax": "20", "d": "dyn"}, {"kind": "ftp"}, duration="9 s")
    assert "every-waiting" in dynamic.resolve().to_toml()


def test_a_reason_counts_if_its_tests_ran() -> None:
    paper = load_paper("altman2003")
    blank = evaluate_claims(paper, Results({}, {}))
    claims = [
        replace(c, verdict=FAILS, why="x") if c.id == "altman-44" else replace(c, verdict=HOLDS)
        for c in blank
    ]

    def found(experiments: list[str], variants: list[str], why: str = "x") -> Any:
        told = [replace(c, why=why) if c.verdict == FAILS else c for c in claims]
        return SimpleNamespace(
            paper=paper,
            claims=told,
            results=SimpleNamespace(experiments=experiments),
            comparisons=variants,
        )

    assert reasons.tested(found(["static9"], ["ns2-2.1b9"])).verdict == PASS
    # One of the two was not run; a number of the reason was not; nothing has tested it.
    assert reasons.tested(found(["static9"], [])).verdict == FAIL
    assert reasons.tested(found(["static9"], ["ns2-2.1b9"], "not run timeouts")).verdict == FAIL
    bare = replace(paper, claims=tuple(replace(c, tested_by=()) for c in paper.claims))
    nothing = found(["static9"], ["ns2-2.1b9"])
    nothing.paper = bare
    assert reasons.tested(nothing).verdict == FAIL
