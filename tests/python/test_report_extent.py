"""A reproduction of a part in the folder of the whole: what its report says of what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from acklab.papers.engine.load import load_paper
from acklab.papers.engine.reproduce import reproduce_paper
from acklab.report.extent import extent
from acklab.report.terminal import print_reproduction
from papers_synthetic import TwoSchemes, write_tiny


def test_a_part_says_what_it_shows_no_longer_and_what_its_verdicts_rest_on(tmp_path: Path) -> None:
    paper = load_paper("tiny", write_tiny(tmp_path))
    common = {"out": tmp_path / "out", "workers": 1, "provider": TwoSchemes()}
    whole = reproduce_paper(paper, **common)
    assert extent(whole) == []
    part = reproduce_paper(paper, ["bars"], **common)
    assert part.new_runs == 0
    others = sum(part.earlier.values())
    assert part.runs + others == whole.runs
    assert others > 0
    rest, shown = extent(part)
    assert f"these {part.runs} runs and on {others} that earlier" in rest
    for key in set(paper.names) - {"bars"}:
        assert key in shown
    assert "acklab reproduce tiny shows all again" in shown
    console = Console(record=True, width=400)
    print_reproduction(part, console)
    for said in (console.export_text(), part.files["report.html"].read_text()):
        assert rest in said
        assert shown in said
    manifest = json.loads(part.files["manifest.json"].read_text())
    assert manifest["runs"]["earlier"] == part.earlier
    again = reproduce_paper(paper, **common)
    assert (extent(again), again.new_runs) == ([], 0)
