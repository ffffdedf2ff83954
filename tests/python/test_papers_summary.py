"""What a reproduction of some items says, and what it leaves out."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from acklab.papers.engine import judged, told
from acklab.papers.engine.load import SUMMARY, load_paper, paper_keys
from acklab.papers.engine.model import Paper
from acklab.papers.engine.reproduce import reproduce_paper
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.summary import Runs, summary
from acklab.papers.engine.told import NOT_RUN, not_told
from papers_synthetic import Synthetic


@pytest.fixture(autouse=True)
def any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of what was run, without the runs: only what is told matters here."""
    monkeypatch.setattr(told, "_told", lambda *_: "7 ± 1")
    monkeypatch.setattr(judged, "_where", lambda *_: "1 of 1 points")


def runs_of(paper: Paper, *items: str) -> Runs:
    needed = paper.needed_by(items)
    results = Results({k: ExperimentRuns(paper.experiments[k]) for k in needed}, paper.derived)
    return Runs(results, {item: pl.DataFrame() for item in items}, ())


def summary_of(paper: Paper) -> str:
    path = paper.folder / SUMMARY
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def prose(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


@pytest.mark.parametrize("key", paper_keys())
def test_no_sentence_is_told_of_runs_that_were_not_made(key: str) -> None:
    paper = load_paper(key)
    text = summary_of(paper)
    for items in (*([name] for name in paper.names), list(paper.items)[:2]):
        runs = runs_of(paper, *items)
        for claim in paper.claims:
            for words in (claim.why, claim.note):
                found = told.told(key, words, runs.results)
                assert found == not_told(key) or NOT_RUN not in found.replace(words, "")
        made = summary(key, text, runs)
        assert "{" not in made
        assert "[[" not in made
        assert NOT_RUN not in prose(made), items
        if runs.missing(text):
            assert made.endswith(f"`acklab reproduce {key} --full` makes them.*\n")


@pytest.mark.parametrize("key", paper_keys())
def test_with_all_runs_the_summary_is_whole(key: str) -> None:
    paper = load_paper(key)
    runs = runs_of(paper, *paper.names)
    text = summary_of(paper)
    assert runs.missing(text) == []
    assert summary(key, text, runs) == runs.fill(text)
    assert NOT_RUN not in runs.fill(text)


TEXT = """Everything is as it was said.

## What was run

The first has {mean chain9 d=1 window=5}, on
two lines. This hangs on it.

* **A point** with {mean chain9 d=1 window=5}.
* **Another** with {mean static9 d=1 window=5}
  and what follows from it.
* One without a figure.

| | ours | theirs |
| --- | --- | --- |
| a | {mean chain9 d=3|4 window=5} | {mean static9 d=3|4 window=5}, {mean static9 d=1 window=5} |

## What was not run

It has {mean static9 d=1 window=5}.

### And how

| | {mean static9 d=1 window=5} |

## What does not hold

There are [[claims does not hold]], and {mean chain9 d=1 window=5}.
"""


def test_what_is_left_out() -> None:
    paper = load_paper("altman2003")
    assert summary("altman2003", TEXT, runs_of(paper, "fig2")) == (
        """## What was run

The first has 7 ± 1, on
two lines. This hangs on it.

* **A point** with 7 ± 1.

| | ours | theirs |
| --- | --- | --- |
| a | 7 ± 1 | not run |

*Left out here is what rests on runs that were not made (static9): """
        "`acklab reproduce altman2003 --full` makes them.*\n"
    )


def test_a_reason_is_told_if_what_tested_it_was_run(tmp_path: Path) -> None:
    paper = load_paper("altman2003")
    made = reproduce_paper(
        paper, ["table1", "fig2"], out=tmp_path / "out", runs=2, workers=1, provider=Synthetic()
    )
    tests = {claim.id: claim.tested_by for claim in paper.claims}
    untested = [c for c in made.claims if c.why and "static9" in tests[c.id]]
    assert untested
    assert {c.why for c in untested} == {not_told("altman2003")}
    assert NOT_RUN not in prose(made.files[SUMMARY].read_text(encoding="utf-8"))
