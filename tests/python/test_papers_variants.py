"""Experiments made of others, windows over time, stated marks, claims under a variant."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acklab import papers
from acklab.figures.curves import Labels, Panel, draw_curves
from acklab.figures.marks import StatedMark
from acklab.papers.engine import grid
from acklab.papers.engine.comparison import compare, satisfied, stated_checks
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import relative_spread
from acklab.papers.engine.inherit import completed, under_variant
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Paper, Sampled, Variant
from acklab.papers.engine.reproduce import reproduce_paper
from acklab.papers.engine.run_rules import reversal_rule, runs_rule
from acklab.papers.engine.series import figure_of
from acklab.papers.engine.session_rules import distribution_rule, same_sessions_rule
from acklab.report.cells import places
from acklab.report.findings import findings_page
from acklab.report.variants import variant_lines
from papers_synthetic import Synthetic
from test_papers_rules import world

BASE = {
    "key": "a",
    "scenario": {"topology": {"nodes": 3}, "flow": [{"window": 8}]},
    "axis": [
        {"key": "w", "path": "flow.0.window", "values": [1, 2]},
        {"key": "d", "path": "flow.0.ack", "values": [1]},
    ],
}


def test_like_takes_what_is_not_said() -> None:
    like = {"key": "b", "like": "a", "set": {"topology.nodes": 9}, "without": ["d"]}
    _, made = completed([BASE, {**like, "axis": [{"key": "w", "values": [4]}]}])
    assert made["scenario"] == {"topology": {"nodes": 9}, "flow": [{"window": 8}]}
    assert made["axis"] == [{"key": "w", "path": "flow.0.window", "values": [4]}]
    assert BASE["scenario"] == {"topology": {"nodes": 3}, "flow": [{"window": 8}]}


def test_like_names_an_earlier_experiment() -> None:
    with pytest.raises(PaperError, match=r"experiment\.like.*found: later.*accepted: a"):
        completed([BASE, {"key": "b", "like": "later"}])


def test_a_variant_changes_its_settings_alone() -> None:
    paper = load_paper("altman2003")
    base = paper.experiments["chain9"]
    variant = Variant("v", "under v", "ns2", {"mac.long_retry_limit": 7}, {}, ("chain9",), 0.25)
    (made,) = under_variant(variant, paper.experiments)
    assert made.key == "chain9@v"
    assert made.axes == base.axes
    assert made.scenario["mac"] == {**base.scenario["mac"], "long_retry_limit": 7}
    assert "long_retry_limit" not in base.scenario["mac"]
    assert (made.runs.quick, made.runs.full, made.runs.cap) == (3, 5, 18)


def test_a_variant_may_speak_of_what_some_points_have() -> None:
    paper = load_paper("vaidya1999")
    where = {"point_to_point.1.arq.tries": 4}
    variant = Variant("v", "three times more", "the paper", {}, where, ("near1",), 0.25)
    (made,) = under_variant(variant, paper.experiments)
    link = {
        scheme: grid.tree(made, (0, 16384, scheme), "quick")["point_to_point"][1]
        for scheme in ("base", "d80")
    }
    assert "arq" not in link["base"]
    assert link["d80"]["arq"] == {"tries": 4}


def row(cwnd: list[float]) -> dict[str, Any]:
    times = [0.5 * place for place in range(len(cwnd))]
    return {"samples": {"time_s": times, "flows": [{"cwnd": cwnd}]}}


@pytest.mark.parametrize(
    ("what", "band", "value"),
    [
        ("max", (), 9.0),
        ("falls", (), 2.0),
        # At or above 8 from 1.0 s to 2.0 s, and one of the falls begins there.
        ("falls_per_s_in", (8.0, 100.0), 1.0),
        ("falls_per_s_in", (20.0, 100.0), 0.0),
        ("reaches", (8.0,), 1.0),
        # Never reached: the end.
        ("reaches", (10.0,), 3.0),
    ],
)
def test_figures_of_a_series(what: str, band: tuple[float, ...], value: float) -> None:
    series = [1.0, 5.0, 8.0, 9.0, 4.0, 2.0, 3.0]
    assert figure_of(Sampled("k", "", "cwnd", what, band), row(series)) == value


def test_a_series_that_was_not_sampled_is_an_error() -> None:
    with pytest.raises(PaperError, match=r"measure\.sample"):
        figure_of(Sampled("k", "", "cwnd", "max"), {"samples": None})


def test_relative_spread_of_a_large_sample() -> None:
    sample = np.random.default_rng(5).normal(10.0, 2.0, 4000)
    found = relative_spread(sample)
    assert found.value == pytest.approx(0.2, abs=0.01)
    # The standard error of s/m for normal samples: about cv sqrt((1/2 + cv²) / n).
    assert found.standard_error == pytest.approx(0.2 * np.sqrt(0.54 / 4000), rel=0.1)


def test_runs_rule() -> None:
    scope = world({}, 0.1, runs=40)
    check = {"measure": "x", "points": [{"window": 5, "d": 1}], "cells": {"a": {}}}
    assert runs_rule(scope, {**check, "median_in": [9.0, 11.0], "range_contains": 10}).met
    assert not runs_rule(scope, {**check, "range_contains": 20}).met
    assert runs_rule(scope, {**check, "run_at_most": 20, "run_share": 1.0}).met
    assert not runs_rule(scope, {**check, "run_at_least": 20}).met
    two = {**check, "cells": {"a": {}, "b": {"d": 2}}}
    assert not runs_rule(scope, {**two, "median_than": 0.5}).met


def test_reversal_rule() -> None:
    scope = world({(5, 3): 13.0}, 0.02)
    other = world({(5, 1): 13.0}, 0.02, seed=8)
    scope.results.experiments["f"] = other.results.experiments["e"]
    check = {"axis": "d", "across": ["e", "f"], "measures": ["x", "x"], "values": [1, 3]}
    assert reversal_rule(scope, {**check, "points": [{"window": 5}]}).met
    assert not reversal_rule(scope, {**check, "points": [{"window": 5}], "values": [1, 2]}).met


def transfers(sizes: list[float], pauses: list[float]) -> dict[str, Any]:
    starts = [0.0]
    for pause in pauses:
        starts.append(starts[-1] + 1.0 + pause)
    delays: list[float | None] = [1.0] * len(sizes)
    sessions = {"bytes": sizes, "start_s": starts[: len(sizes)], "delay_s": delays}
    return {"samples": {"sessions": [sessions]}, "measures": {}}


def test_rules_on_transfers() -> None:
    scope = world({}, 0.1, runs=2)
    rng = np.random.default_rng(11)
    sizes = [float(size) for size in 10_000 * rng.random(3000) ** (-1 / 1.5)]
    pauses = [0.5] * 3000
    rows = scope.results.experiments["e"].rows
    rows[5, 1] = {0: transfers(sizes, pauses)}
    rows[5, 2] = {0: transfers(sizes[:50], pauses)}
    same = {"points": [{"window": 5, "d": 1}, {"window": 5, "d": 2}], "cells": {"a": {}}}
    assert same_sessions_rule(scope, same).met
    rows[5, 2] = {0: transfers([*sizes[:49], 1.0], pauses)}
    assert not same_sessions_rule(scope, same).met
    check = {"points": [{"window": 5, "d": 1}], "cells": {"a": {}}, "draws": 3000, "level": 0.01}
    law = {"name": "pareto", "least": 10_000, "shape": 1.5}
    assert distribution_rule(scope, {**check, "law": law}).met
    assert distribution_rule(scope, {**check, "law": {**law, "shape": 1.3}}).met is False
    assert distribution_rule(scope, {**check, "law": law, "draws": 9999}).met is None


def test_places_name_every_figure() -> None:
    assert places("§3.1 ¶7, Fig. 5–7") == {"Fig. 5", "Fig. 6", "Fig. 7"}
    assert places("§3.1 ¶6, Fig. 5, 6") == {"Fig. 5", "Fig. 6"}
    assert places("Table 1") == {"Table 1"}
    assert places("Abstract; §1 ¶3 (cited)") == set()


@pytest.mark.parametrize("kind", ["point", "level", "best", "from", "gain", "fall"])
def test_every_mark_is_drawn_and_named(kind: str) -> None:
    rows = [
        {"w": w, "d": d, "mean": 10.0 + d, "low": 9.0, "high": 13.0, "warnings": ""}
        for d in (1, 3)
        for w in (1, 2, 50, 2000)
    ]
    mark = StatedMark(kind, series=3, over=1, x=(2, 50), y=5.0, low=0.1, high=0.2)
    labels = Labels("W", "T", "d")
    plain = draw_curves([Panel(rows)], "w", "d", labels)["svg"]
    marked = draw_curves([Panel(rows, "", [mark])], "w", "d", labels)["svg"]
    assert marked.count(b"<path") > plain.count(b"<path")
    assert b"the paper" in marked
    assert b"the paper" not in plain


def made_of(paper: Paper, out: Path, items: list[str]) -> Any:
    return reproduce_paper(paper, items, out=out, runs=5, workers=1, provider=Synthetic())


def test_a_trace_has_a_picture_and_its_figures(tmp_path: Path) -> None:
    made = made_of(load_paper("altman2003"), tmp_path / "out", ["fig5"])
    shown = made.shown["fig5"]
    assert shown.frame.columns == ["time_s", "one run", "p5", "median", "p95"]
    falls = shown.counts.filter(measure="cwnd_falls").to_dicts()[0]
    assert falls["median"] == 6.0
    assert made.files["fig5.png"].stat().st_size > 0
    assert "falls of the sampled congestion window" in made.files["report.html"].read_text()


def test_a_variant_is_compared_with_intervals(tmp_path: Path) -> None:
    paper = load_paper("altman2003")
    variant = Variant("v", "under v", "ns2", {"mac.data_rate": "2 Mbit/s"}, {}, ("chain3",), 1.0)
    under = {e.key: e for e in under_variant(variant, paper.experiments)}
    paper = replace(paper, variants={"v": variant}, experiments={**paper.experiments, **under})
    made = made_of(paper, tmp_path / "out", ["v"])
    found = made.comparisons["v"]
    # All eight numbers of Table 1 and two gains: the made-up 2 Mbit/s is 1.6 times too fast.
    assert {row.claim for row in found.numbers} >= {f"altman-{i}" for i in range(57, 65)}
    assert found.closer.high < 0.0
    assert found.closer.degrees >= 1.0
    assert sum(row.nearer == "base" for row in found.numbers) >= 8
    assert found.score_variant.value > found.score_base.value
    assert {change.claim for change in found.changed} >= {"altman-57", "altman-64"}
    json.dumps(made.to_json(), allow_nan=False)
    assert "closer to ns2" in made.files["report.html"].read_text()
    # Each claim that could be judged has both verdicts, wherever it is read.
    table = {claim.id: claim for claim in made.claims}["altman-57"]
    assert [(u.variant, u.verdict) for u in table.under] == [("v", "does not hold")]
    assert table.verdict in ("holds", "holds in direction")
    assert papers.claims("altman2003", made.folder) == made.claims
    assert "altman-57" in satisfied(made.claims, "v")["base"]
    (line,) = variant_lines(paper, made.claims, made.folder)
    assert line.startswith("ns2 or v? Of ")
    assert "closer to ns2" in line
    page = findings_page(made.folder, paper)
    assert "closer to ns2" in page
    assert "altman-6 |" in page
    # With more variants than a reader can compare one by one, there is one table.
    more = {key: replace(variant, key=key) for key in "abc"}
    page = findings_page(made.folder, replace(paper, variants={"v": variant, **more}))
    assert "under 1 other settings" in page
    (line,) = [row for row in page.splitlines() if row.startswith("| altman-57 ")]
    assert line.endswith("| does not hold |")
    assert compare(paper, made.results, variant).numbers == found.numbers


def test_stated_numbers_are_those_with_a_band() -> None:
    checks = stated_checks(load_paper("altman2003"))
    assert len(checks) > 30
    assert all(low < high for low, high in (check["in"] for _, _, check in checks))
