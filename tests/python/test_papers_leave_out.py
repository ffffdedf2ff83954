"""Experiments that leave out parts of their grid, and runs that several experiments share."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acklab.papers.engine import grid
from acklab.papers.engine.campaign import Campaign
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.load import load_paper
from acklab.scenario import Resolved
from papers_synthetic import Synthetic


def test_what_is_left_out_is_not_run() -> None:
    experiment = load_paper("yuki2004").experiments["ablation"]
    cells = grid.cells(experiment)
    # Three readings, delayed ACK off and on, and the baseline without its four changes.
    assert len(cells) == 3 * 2 * (5 + 1)
    wanted = {"reading": "p1", "frames": "single", "delack": "off", "interval": 17, "rule": "all"}
    assert grid.match(experiment, wanted) in cells
    with pytest.raises(PaperError, match="leave_out"):
        grid.match(experiment, wanted | {"rule": "xor"})


@pytest.mark.parametrize("part", [{"rules": "all"}, {"rule": "none"}])
def test_only_parts_of_the_grid_are_left_out(tmp_path: Path, part: dict[str, str]) -> None:
    source = load_paper("yuki2004").folder
    folder = tmp_path / "yuki2004"
    folder.mkdir()
    for path in source.glob("*.toml"):
        text = path.read_text()
        given = json.dumps(part).replace(":", " =")[1:-1].replace('" =', " =").lstrip('"')
        old = 'leave_out = [{ rts = "without", window = 4 }]'
        (folder / path.name).write_text(text.replace(old, f"leave_out = [{{ {given} }}]"))
    (folder / "reference").symlink_to(source / "reference")
    with pytest.raises(PaperError, match="leave_out"):
        load_paper("yuki2004", tmp_path)


def test_the_title_makes_no_other_run() -> None:
    def content(title: str, a: int, source: str) -> str:
        return Resolved(json.dumps({"title": title, "a": a, "sources": {"a": source}})).content

    assert content("x", 1, "given") == content("y", 1, "the paper")
    assert content("x", 1, "given") != content("x", 2, "given")


def test_points_with_the_same_rules_share_their_runs(tmp_path: Path) -> None:
    paper = load_paper("altman2003")
    own = paper.experiments["chain9"]
    twin = replace(own, key="twin", title="the same by another name")
    both = replace(paper, experiments={"chain9": own, "twin": twin})

    def execute(keys: list[str], folder: str) -> tuple[Any, Synthetic]:
        provider = Synthetic()
        campaign = Campaign(both, keys, "quick", provider, tmp_path / folder, 1, runs=2)
        return campaign.execute(), provider

    alone, once = execute(["chain9"], "alone")
    results, shared = execute(["chain9", "twin"], "both")
    assert shared.calls == once.calls == 2 * len(grid.cells(own))
    rows = {key: results.experiments[key].rows for key in ("chain9", "twin")}
    assert rows["twin"].keys() == rows["chain9"].keys()
    for cell, runs in rows["chain9"].items():
        for run, row in runs.items():
            assert rows["twin"][cell][run]["measures"] == row["measures"]
            assert alone.experiments["chain9"].rows[cell][run]["measures"] == row["measures"]
