"""The validation command: verdicts, exit codes, the page; its figures on made-up runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from acklab import papers
from acklab.papers.engine.references import read_reference
from acklab.validate import __main__ as command
from acklab.validate.foundation import FOUNDATION, figures, laws, manners, peers
from acklab.validate.foundation.figures import Pair, reduced, welch_p
from acklab.validate.foundation.manners import CHAIN
from acklab.validate.foundation.tools import missing_source
from acklab.validate.model import FAIL, PASS, SKIPPED, Check, Context, Row, run_check
from acklab.validate.page import page
from papers_synthetic import Synthetic


def context(folder: Path, full: bool = False) -> Context:
    return Context(command.ROOT, full, 1, folder, lambda text: None)


def check(verdict: str) -> Check:
    rows = [
        Row("thing", "1.0", "≤ 2", verdict, "why not" if verdict != PASS else "", [["a"], ["b"]])
    ]
    return Check("thing", "a thing", lambda _: rows)


def run(monkeypatch: pytest.MonkeyPatch, verdict: str, *arguments: str) -> Any:
    monkeypatch.setattr(command, "SECTIONS", {"made": [check(verdict)]})
    return CliRunner().invoke(command.main, arguments)


def test_every_check_has_a_key_of_its_own() -> None:
    keys = [check.key for check in FOUNDATION]
    assert len(set(keys)) == len(keys) == 12


@pytest.mark.parametrize(("verdict", "code"), [(PASS, 0), (FAIL, 1), (SKIPPED, 1)])
def test_exit_code(monkeypatch: pytest.MonkeyPatch, verdict: str, code: int) -> None:
    assert run(monkeypatch, verdict).exit_code == code


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run(monkeypatch, PASS, "made", "--json")
    rows = json.loads(answer.stdout)["rows"]
    assert [row["verdict"] for row in rows] == [PASS]
    assert rows[0]["section"] == "made"
    assert rows[0]["detail"] == [["a"], ["b"]]


def test_unknown_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "made" in str(run(monkeypatch, PASS, "other").exception)
    assert "thing" in str(run(monkeypatch, PASS, "made", "--only", "other").exception)


def test_a_fault_in_a_check_is_a_failed_row(tmp_path: Path) -> None:
    def broken(_: Context) -> list[Row]:
        raise RuntimeError("no answer")

    outcome = run_check(Check("x", "a check", broken), context(tmp_path))
    assert outcome.rows[0].verdict == FAIL
    assert "no answer" in outcome.rows[0].why


def test_page(tmp_path: Path) -> None:
    outcome = run_check(check(SKIPPED), context(tmp_path))
    text = page({"made": [outcome]}, {"version": "1"}, "")
    assert "| thing | 1.0 | ≤ 2 | *skipped*: why not |" in text
    assert "0 of 1 rows pass" in text
    assert "### thing" in text


def test_the_page_keeps_the_sections_that_were_not_measured(tmp_path: Path) -> None:
    outcome = run_check(check(PASS), context(tmp_path))
    first = page({"made": [outcome], "later": [outcome]}, {"version": "1"}, "")
    second = page({"made": [outcome]}, {"version": "2"}, first)
    assert second.count("\n## ") == 2
    assert second.index("## later\n\n- version: 1") < second.index("## made\n\n- version: 2")
    assert page({"made": [outcome]}, {"version": "2"}, second) == second


@pytest.fixture
def synthetic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up runs instead of the core's."""
    figures.measured.cache_clear()
    monkeypatch.setattr(figures, "NativeProvider", lambda: Synthetic(noise=0.05))
    yield
    figures.measured.cache_clear()


@pytest.mark.usefixtures("synthetic")
def test_table1_rows(tmp_path: Path) -> None:
    rows = figures.table1(context(tmp_path))
    assert [row.verdict for row in rows] == [PASS, PASS]
    assert [len(row.detail) for row in rows] == [9, 9]


@pytest.mark.usefixtures("synthetic")
def test_figure2_rows(tmp_path: Path) -> None:
    rows = figures.figure2(context(tmp_path))
    assert rows[0].figure.endswith("of 24")
    assert rows[0].verdict == FAIL
    assert "W = 1" in rows[1].figure


@pytest.mark.usefixtures("synthetic")
def test_counts_ask_for_reasons(tmp_path: Path) -> None:
    rows = figures.counts(context(tmp_path))
    assert rows[0].verdict == FAIL
    assert any(line[-1] == "none" for line in rows[0].detail)


def test_only_the_cells_of_the_reference_are_run() -> None:
    paper = papers.load("altman2003")
    item = paper.items["fig2"]
    cut = reduced(paper, item, read_reference(paper, "ns2-fig2")).experiments["chain9"]
    assert [axis.values for axis in cut.axes] == [(1, 3, 5, 10, 20, 50), (1, 2, 3, 4)]


def test_pair() -> None:
    same = Pair((1, 2), [753.0] * 3, [753.0] * 5)
    assert same.sigmas == 0.0
    assert welch_p(same.ours, same.theirs) == 1.0
    # Textbook: t = 1.2247 at 4 degrees of freedom.
    assert welch_p([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]) == pytest.approx(0.2879, abs=2e-3)


def test_explanations_are_read() -> None:
    for entry in figures.explanations():
        assert {"item", "measures", "windows", "d", "ratios", "why"} == set(entry)


def test_an_explanation_holds_for_ratios_of_its_size_alone() -> None:
    def why(ours: float) -> str:
        # Both sides scatter so little that chance explains nothing.
        pair = Pair((3, 4), [ours, ours + 0.01, ours - 0.01], [10.0, 10.01, 9.99])
        return figures.explanation("fig2", "timeouts", pair)

    assert "link failures" in why(7.7)
    assert why(3.0) == ""
    assert why(17.0) == ""


@pytest.mark.slow
def test_laws_hold(tmp_path: Path) -> None:
    for run_law in (laws.one_hop, laws.cell):
        for row in run_law(context(tmp_path)):
            assert row.verdict == PASS, row


def test_manners(tmp_path: Path) -> None:
    for run_manner in (manners.smallest, manners.bad_input):
        for row in run_manner(context(tmp_path)):
            assert row.verdict in (PASS, SKIPPED), row
    assert len(CHAIN.splitlines()) <= manners.SMALLEST_LINES


def test_long_checks_are_no_part_of_the_quick_form() -> None:
    quick = command._chosen("elrakabawy2005", (), full=False)["elrakabawy2005"]
    full = command._chosen("elrakabawy2005", (), full=True)["elrakabawy2005"]
    left_out = [check.key for check in full if check not in quick]
    assert left_out == [check.key for check in full if check.full_only] != []
    assert command._chosen(None, (left_out[0],), full=False)["elrakabawy2005"]


def test_without_sources_rust_checks_are_skipped(tmp_path: Path) -> None:
    assert "checkout" in missing_source(tmp_path)
    away = Context(tmp_path, False, 1, tmp_path, lambda text: None)
    assert {row.verdict for row in peers.speed(away)} == {SKIPPED}
