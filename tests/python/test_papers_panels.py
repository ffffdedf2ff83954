"""Panels, searched values and settings on the tiny paper of made-up numbers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from acklab.figures.marks import StatedMark
from acklab.figures.panels import PanelWords, _hatch, draw_panel, tick_labels
from acklab.figures.style import look_of
from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError, PaperInterrupted
from acklab.papers.engine.estimate import mean
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.output import interval_columns
from acklab.papers.engine.reproduce import Reproduction, reproduce_paper
from acklab.papers.engine.results import ExperimentRuns, Results, mean_row
from acklab.papers.engine.verdicts import HOLDS
from acklab.report.cells import by_x, undefined
from papers_synthetic import CLIFF_MS, TINY, TwoSchemes, write_tiny


def make(root: Path, provider: TwoSchemes | None = None, **options: Any) -> Reproduction:
    paper = load_paper("tiny", root)
    return reproduce_paper(
        paper, out=root / "out", workers=1, provider=provider or TwoSchemes(), **options
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return make(write_tiny(tmp_path_factory.mktemp("tiny")))


def test_one_axis_value_can_say_several_things_of_every_flow(tmp_path: Path) -> None:
    experiment = load_paper("tiny", write_tiny(tmp_path)).experiments["rates"]
    tree = grid.tree(experiment, (11, "vegas"), "full")
    assert tree["mac"]["data_rate"] == "11 Mbit/s"
    assert tree["flow"] == [{"kind": "ftp", "variant": "vegas", "vegas": {"alpha": 2}}] * 2
    assert (tree["duration"], tree["measure"]) == ("100 s", {"from": "20 s"})
    assert grid.tree(experiment, (2, "reno"), "quick")["measure"] == {"from": "2 s"}


def test_a_table_may_shorten_a_list() -> None:
    scenario = {"flow": [{"window": 1}, {"window": 2}, {"window": 3}]}
    grid.put(scenario, ".", {"flow": {"first": 2, 1: {"window": 9}}})
    assert scenario == {"flow": [{"window": 1}, {"window": 9}]}


def test_labels_of_ticks_do_not_touch() -> None:
    # Of 200 points 20 of 400 takes 10, of which two labels of two digits leave one.
    assert tick_labels([0, 10, 20, 40, 80, 400]) == ["0", "", "", "40", "80", "400"]
    assert tick_labels([1, 20]) == ["1", "20"]


def test_every_run_has_its_own_placement(made: Reproduction) -> None:
    # The provider refuses a run whose placement is not its own; here: they are told apart on disk.
    rows = (made.folder / "runs" / "rates.jsonl").read_text().splitlines()
    seen = {(row["scenario"], row["run"]) for row in map(json.loads, rows)}
    assert len(seen) == len({scenario for scenario, _ in seen}) == 4 * 4


def test_batches_are_observations_but_for_the_first(made: Reproduction) -> None:
    data = made.results.experiments["batched"]
    assert sorted(data.runs(("reno",))) == [1, 2, 3, 10_001, 10_002, 10_003]
    point = made.results.point("batched", ("reno",), "goodput_bps")
    assert point.value == pytest.approx((51 + 52 + 53 + 52 + 53 + 54) / 6)
    assert point.runs == 6
    cost = made.results.point("batched", ("reno",), "cost")
    assert cost.value == pytest.approx(0.1 * point.value)
    (flow,) = made.results.flow_points("batched", ("reno",), "goodput_bps")
    assert flow.value == pytest.approx(point.value)
    rows = made.tables["batches"].to_dicts()
    assert [row["runs"] for row in rows] == [6, 6]


def test_a_run_may_count_by_the_mean_of_its_batches(made: Reproduction) -> None:
    data = made.results.experiments["batched"]
    together = replace(data.experiment, observe="runs")
    rows = dict(data.rows)
    # A run that ended within its transient says nothing.
    rows["reno",] = {**rows["reno",], 2: {"samples": {"batches": [{}]}}}
    runs = Results({"batched": ExperimentRuns(together, rows)}, made.results.derived)
    assert sorted(runs.experiments["batched"].runs(("reno",))) == [0, 1]
    column = runs.column("batched", ("reno",), "goodput_bps")
    assert column == pytest.approx({0: (51 + 52 + 53) / 3, 1: (52 + 53 + 54) / 3})
    assert runs.column("batched", ("reno",), "cost")[1] == pytest.approx(5.3)
    (flow,) = runs.flow_points("batched", ("reno",), "goodput_bps")
    assert (flow.value, flow.runs) == (pytest.approx(52.5), 2)
    # A ratio that a batch has not is no nought.
    assert mean_row([{"a": 1.0, "b": 4.0}, {"a": 2.0}]) == {"a": 1.5, "b": 4.0}


def test_what_counts_as_an_observation_is_named(tmp_path: Path) -> None:
    root = write_tiny(tmp_path)
    path = root / "tiny" / "experiments.toml"
    path.write_text(TINY["experiments"].replace("discard = 1", 'discard = 1\nobserve = "flows"'))
    with pytest.raises(PaperError, match=r"observe.*flows.*batches, runs"):
        load_paper("tiny", root)


def test_paths() -> None:
    tree: dict[str, Any] = {"flow": [{"a": 1}, {"a": 2}]}
    grid.put(tree, "flow.1", {"b": 3})
    grid.put(tree, "flow.*.c", 4)
    grid.put(tree, ".", {"flow": [5], "x": {"y": 6}})
    assert tree == {"flow": [5], "x": {"y": 6}}
    tree = {"flow": [{"a": 1}, {"a": 2}]}
    grid.put(tree, "flow.1", {"b": 3})
    grid.put(tree, "flow.*.c", 4)
    assert tree == {"flow": [{"a": 1, "c": 4}, {"a": 2, "b": 3, "c": 4}]}


def test_searched_spacings_are_before_the_cliff_and_shown(made: Reproduction) -> None:
    results = made.results
    for rate, edge in ((2, CLIFF_MS["2 Mbit/s"]), (11, CLIFF_MS["11 Mbit/s"])):
        found = results.point("paced", (rate,), "spacing_ms").value
        assert edge - 0.5 <= found <= edge + 1.0
        assert results.point("paced", (rate,), "spacing_ms_low").value <= found
    points = pl.read_csv(made.files["paced-points.csv"])
    assert points.filter(measure="spacing_ms").height == 2
    scenarios = json.loads(made.files["paced scenarios"].read_text())
    assert {s["flow"][0]["interval"].split(" ")[1] for s in scenarios.values()} == {"ms"}


def test_claims_across_experiments(made: Reproduction) -> None:
    assert [claim.verdict for claim in made.claims] == [HOLDS, HOLDS]


def test_panels_show_every_entry(made: Reproduction) -> None:
    curves = made.tables["curves"]
    assert curves["entry"].unique(maintain_order=True).to_list() == ["Reno", "Vegas", "paced UDP"]
    assert curves.height == 6
    flows = made.tables["flows"]
    assert flows.filter(entry="Reno")["flow"].to_list() == ["1", "2", "sum"]
    reno = flows.filter(entry="Reno")["mean"].to_list()
    assert reno[0] + reno[1] == pytest.approx(reno[2])
    assert reno[0] > 3 * reno[1]


def test_gains_means_and_stated_numbers(made: Reproduction) -> None:
    shown = made.tables["gains"]

    def row(label: str, rate: int) -> dict[str, Any]:
        return shown.filter(entry=label, rate=rate).to_dicts()[0]

    def at(scheme: str, rate: int) -> float:
        return made.results.point("rates", (rate, scheme), "goodput_bps").value

    for rate in (2, 11):
        gain = 100 * (at("vegas", rate) / at("reno", rate) - 1)
        assert row("gain", rate)["mean"] == pytest.approx(gain)
        assert row("gain", rate)["low"] <= gain <= row("gain", rate)["high"]
        over_two = 100 * (at("vegas", rate) / at("reno", 2) - 1)
        assert row("x", rate)["mean"] == pytest.approx(over_two)
        both = (at("vegas", rate) + at("reno", rate)) / 2
        assert row("both", rate)["mean"] == pytest.approx(both)
    said = shown.filter(entry="text").to_dicts()
    assert [(s["rate"], s["mean"], s["low"], s["runs"]) for s in said] == [(11, 60.0, None, 0)]


def test_panels_are_drawn_and_reported(made: Reproduction) -> None:
    page = made.files["report.html"].read_text()
    for key in ("curves", "bars", "flows"):
        text = "".join(ElementTree.fromstring(made.files[f"{key}.svg"].read_bytes()).itertext())
        assert "goodput (bit/s)" in text
        assert "Reno" in text
        assert made.files[f"{key}.png"].read_bytes().startswith(b"\x89PNG")
        assert f'id="{key}"' in page


@pytest.mark.parametrize("kind", ["lines", "bars"])
@pytest.mark.parametrize("low", [0.5, -2.0])
def test_an_interval_below_zero_is_drawn_whole(kind: str, low: float) -> None:
    row = {"entry": "gain", "mean": 1.0, "high": 4.0, "runs": 2, "warnings": ""}
    rows = [row | {"x": 1, "low": low}, row | {"x": 2, "low": 0.5}]
    svg = draw_panel(kind, rows, "x", "entry", PanelWords("x", "y"))["svg"]
    # The sign of a tick's label.
    assert ("−".encode() in svg) == (low < 0)


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_what_the_text_states_is_drawn_over_its_entry(kind: str) -> None:
    rows = [
        {"x": x, "entry": e, "mean": m * x, "low": None, "high": None, "runs": 2, "warnings": w}
        for e, m, w in (("Reno", 10.0, ""), ("Vegas", 20.0, "silent_flow (1)"))
        for x in (2, 5.5)
    ]
    words = PanelWords("x", "y")
    plain = draw_panel(kind, rows, "x", "entry", words)["svg"]
    mark = StatedMark("gain", "Vegas", "Reno", (5.5,), low=0.5, high=0.5)
    marked = draw_panel(kind, rows, "x", "entry", words, [mark])["svg"]
    assert b"the paper" in marked
    assert b"the paper" not in plain
    # A ring is explained where there is one.
    assert b"runs with warnings" in plain
    assert b"runs with warnings" not in draw_panel(kind, rows[:2], "x", "entry", words)["svg"]
    assert marked.count(b"<use") > plain.count(b"<use")


def test_a_mark_names_an_entry(tmp_path: Path) -> None:
    root = write_tiny(tmp_path)
    path = root / "tiny" / "figures.toml"
    mark = 'marks = [{ kind = "best", series = "Reno", says = "" }]\n'
    good = TINY["figures"].replace('kind = "bars"\n', f'kind = "bars"\n{mark}', 1)
    path.write_text(good)
    assert load_paper("tiny", root).items["bars"].marks[0].series == "Reno"
    path.write_text(good.replace('series = "Reno"', 'series = "Tahoe"'))
    with pytest.raises(PaperError, match=r"marks.*Tahoe.*Reno, paced UDP"):
        load_paper("tiny", root)
    path.write_text(TINY["figures"].replace('kind = "flows"\n', f'kind = "flows"\n{mark}'))
    with pytest.raises(PaperError, match="flows have no axis"):
        load_paper("tiny", root)


def test_a_second_time_searches_nothing(tmp_path: Path) -> None:
    write_tiny(tmp_path)
    first = make(tmp_path)
    again = TwoSchemes()
    second = make(tmp_path, again)
    assert again.calls == 0
    assert second.tables["curves"].equals(first.tables["curves"])
    # Another item's claims keep their verdicts, searched experiments included.
    third = make(tmp_path, again, items=["flows"])
    assert again.calls == 0
    assert [claim.verdict for claim in third.claims] == [HOLDS, HOLDS]


def test_an_interrupted_search_goes_on(tmp_path: Path) -> None:
    write_tiny(tmp_path)
    stopped = TwoSchemes(stop_after=20)
    with pytest.raises(PaperInterrupted):
        make(tmp_path, stopped, items=["bars"])
    rest = TwoSchemes()
    make(tmp_path, rest, items=["bars"])
    whole = TwoSchemes()
    make(tmp_path, whole, items=["bars"], fresh=True)
    assert rest.calls + 20 == whole.calls


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("figures", 'cell = { scheme = "vegas" }', "cell = {}", "axes left open"),
        ("figures", 'scheme = "vegas" }', 'scheme = "cubic" }', "off the grid"),
        ("figures", 'kind = "bars"', 'kind = "curves"', "no experiment"),
        ("figures", 'label = "Vegas",', "", "no label"),
        ("figures", 'over = { scheme = "reno" }', "over = { rate = 2 }", "axes left open"),
        ("figures", "stated = { 11 = 60 }", "stated = { 5 = 60 }", "off the axis"),
        ("experiments", "ladder = [5, 60]", "", "either values or ladder"),
        ("experiments", 'shown_as = "spacing_ms"', "", "no shown_as"),
        ("experiments", "weights = [0.1]", "weights = [1, 2]", "1 numbers"),
    ],
)
def test_mistakes_in_a_folder(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    write_tiny(tmp_path)
    assert old in TINY[file]
    (tmp_path / "tiny" / f"{file}.toml").write_text(TINY[file].replace(old, new, 1))
    with pytest.raises(PaperError, match=said):
        load_paper("tiny", tmp_path)


def test_a_gain_over_nothing_has_no_value(made: Reproduction) -> None:
    nothing = mean([3.0, 4.0]) / mean([0.0, 0.0])
    columns = interval_columns(nothing)
    assert columns == {"mean": None, "low": None, "high": None, "runs": 2}
    shown = replace(
        made.shown["gains"], frame=made.tables["gains"].with_columns(mean=pl.lit(None, pl.Float64))
    )
    cells = [cell for row in by_x(shown, shown.frame).rows for cell in row[1:]]
    assert set(cells) == {"–"}
    assert "– has no value" in undefined(shown)[0]
    assert undefined(made.shown["gains"]) == []


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_what_has_no_value_is_not_drawn_and_keeps_its_place(kind: str) -> None:
    row = {"low": None, "high": None, "runs": 2, "warnings": ""}
    rows = [
        row | {"x": x, "entry": entry, "mean": value}
        for x, entry, value in ((1, "a", None), (2, "a", None), (1, "b", 2.0), (2, "b", None))
    ]
    words = PanelWords("x", "y")
    drawn = draw_panel(kind, rows, "x", "entry", words)["svg"]
    said = list(ElementTree.fromstring(drawn).itertext())
    assert {"1", "2", "b"} < set(said)
    assert "a" not in said
    assert draw_panel(kind, rows[:2], "x", "entry", words)["svg"].startswith(b"<?xml")


def test_no_two_entries_are_drawn_alike(tmp_path: Path) -> None:
    root = write_tiny(tmp_path)
    path = root / "tiny" / "figures.toml"
    first = '{ label = "Reno", experiment'
    assert TINY["figures"].count(first) >= 1
    path.write_text(TINY["figures"].replace(first, '{ label = "Reno", look = 2, experiment', 1))
    with pytest.raises(PaperError, match=r"look.*found: 2.*") as caught:
        load_paper("tiny", root)
    assert caught.value.message == "is how Reno is drawn"
    assert "1" in str(caught.value.accepted)
    # Bars know seven hatches; what comes behind them has the same colours with others.
    drawn = {(look_of(look).colour, _hatch(look)) for look in range(49)}
    assert len(drawn) == 49
