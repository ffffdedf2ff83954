"""Measures made of handoffs, and figures of one run around a handoff."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from acklab.figures.curves import Labels
from acklab.figures.handoff import draw_numbers, draw_pilots
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.handoff_measures import per_handoff_figure, read_per_handoff
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.log_measures import best_accuracy, log_measures, roc_area
from acklab.papers.engine.model import PerHandoff, Sampled
from acklab.papers.engine.one_run import numbers_frame, pilots_frame
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.papers.engine.series import figure_of
from acklab.papers.engine.tables import Table

HANDOFFS = [
    {"from": 4, "lost_packets": 5, "rerouted_s": 2.0},
    {"from": 7, "lost_packets": 1, "rerouted_s": 1.0},
    {"from": 4, "lost_packets": 3, "rerouted_s": 4.0},
    {"from": 7, "lost_packets": 9, "rerouted_s": None},
]


def figure(what: str, field: str = "rerouted_s", **more: Any) -> float:
    row = {"samples": {"handoffs": HANDOFFS}}
    return per_handoff_figure(PerHandoff("k", "", field, what, **more), row)


def test_figures_of_handoffs_by_hand() -> None:
    assert figure("mean") == pytest.approx(7 / 3)
    assert figure("median") == 2.0
    assert figure("q25") == 1.5
    assert figure("max") == 4.0
    assert figure("sum") == 7.0
    assert figure("count") == 3.0
    # One has no value and counts all the same.
    assert figure("share", band=(1.5, 9.0)) == 0.5


def test_handoffs_are_picked_by_their_fields() -> None:
    assert figure("mean", where={"from": (4, 4)}) == 3.0
    assert figure("count", where={"lost_packets": (3, 8)}) == 2.0
    # Without such a handoff there is no mean, and nothing to add up.
    assert math.isnan(figure("mean", where={"lost_packets": (90, 99)}))
    assert figure("sum", where={"lost_packets": (90, 99)}) == 0.0


@pytest.mark.parametrize(
    ("data", "accepted"),
    [({"what": "mode"}, "median"), ({"what": "share"}, "low, high"), ({"field": "moon"}, "from")],
)
def test_mistakes_are_named(data: dict[str, Any], accepted: str) -> None:
    table = {"key": "k", "label": "", "field": "from", "what": "mean"} | data
    with pytest.raises(PaperError, match=accepted):
        per_handoff_figure(
            read_per_handoff(Table(table, "here")), {"samples": {"handoffs": HANDOFFS}}
        )


def test_time_outside_a_band_after_the_first_handoff() -> None:
    measure = Sampled("k", "", "x", "outside_after_handoff_s", (4.0, 6.0))
    samples = {"time_s": [0.0, 1.0, 2.0, 3.0, 4.0], "flows": [{"x": [9, 9, 9, 5, 9]}]}
    handoffs = [{"time_s": 1.0}, {"time_s": 3.0}]
    assert figure_of(measure, {"samples": samples | {"handoffs": handoffs}}) == 2.0
    assert math.isnan(figure_of(measure, {"samples": samples | {"handoffs": []}}))


def shown(key: str) -> pl.DataFrame:
    paper = load_paper("cho2005")
    item = paper.items[key]
    runs = {item.experiment: ExperimentRuns(paper.experiments[item.experiment])}
    make = {"pilots": pilots_frame, "numbers": numbers_frame}[item.kind]
    return make(item, Results(runs, {}))


def test_figure_1_has_both_pilots_and_brackets_the_handoff() -> None:
    frame = shown("fig1")
    when = {row["what"]: row["time_ms"] for row in frame.to_dicts()}
    assert when["pacing begins"] < when["handoff"] < when["pacing ends"]
    assert {"pilot of node 4", "pilot of node 7"} <= set(when)
    levels = frame.filter(pl.col("what") == "L_Pacing")["level_dbm"].to_list()
    assert levels == pytest.approx([-102.8 * 0.98])
    drawn = draw_pilots(frame.to_dicts(), Labels("t", "dBm", ""), (5000.0, 7000.0))
    assert drawn["svg"].startswith(b"<?xml")


def test_figure_4_shows_what_pacing_saves() -> None:
    lost = "data lost at the old station"
    plain, paced = (shown(key) for key in ("fig4a-clear", "fig4b-clear"))
    counts = [frame.filter(pl.col("what") == lost).height for frame in (plain, paced)]
    assert counts[0] > 10 > counts[1]
    assert not (paced["what"] == "timeout").any()
    assert (plain["what"] == "timeout").any()
    # Every packet that the mobile acknowledges has come to it.
    came = paced.filter(pl.col("what") == "data received")["number"].max()
    said = paced.filter(pl.col("what") == "ACK sent")["number"].max()
    assert said <= came + 1
    # Nothing happens without pacing from 6.9 s on: the axis goes on all the same, as beside it.
    assert plain["time_ms"].max() < 6900.0
    for frame in (plain, paced):
        drawn = draw_numbers(frame.to_dicts(), Labels("t", "n", ""), (5300.0, 7300.0))
        assert "7000" in "".join(ElementTree.fromstring(drawn["svg"]).itertext())


def test_areas_and_accuracies_by_hand() -> None:
    # Lower values are true: of six pairs five are in order, and one is a tie.
    assert roc_area([(1, True), (2, True), (2, False), (3, False), (4, False)]) == 5.5 / 6
    assert math.isnan(roc_area([(1, True)]))
    # Below 2.5: both true ones and one of three false ones.
    rows = [(1, True), (2, True), (2, False), (3, False), (4, False)]
    assert best_accuracy([(v, t) for v, t in rows]) == pytest.approx(0.5 * (1.0 + 2 / 3))
    assert best_accuracy([(-v, t) for v, t in rows]) == pytest.approx(0.5 * (1.0 + 2 / 3))
    assert math.isnan(best_accuracy([(1.0, True)]))


def segment(ms: float, kind: str, node: int, seq: int = 0, ack: int = 0, **more: Any) -> str:
    forward = seq > 0
    event = {"time_ns": int(ms * 1e6), "node": node, "kind": kind, "flow": 0, "forward": forward,
             "seq": seq, "ack": ack, "len_bytes": 1000 if forward else 0,
             "retransmission": False}  # fmt: skip
    return json.dumps(event | more)


def test_losses_are_told_apart_by_what_became_of_each_packet(tmp_path: Path) -> None:
    lines = [
        segment(0, "tcp_sent", 0, 1),
        segment(10, "tcp_received", 8, 1),
        segment(20, "tcp_received", 0, ack=1001),
        segment(21, "tcp_sent", 0, 1001),
        segment(30, "link_frame", 8, 1001, sight="lost"),
        segment(41, "tcp_sent", 0, 2001),
        segment(61, "tcp_sent", 0, 3001),
        segment(90, "tcp_received", 8, 3001),
        segment(5_000, "tcp_sent", 0, 4001),
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines), encoding="utf-8")
    found = log_measures("losses", log, {"flow": [{"from": 0, "to": 8}]})
    # One was destroyed on the air, one never came; the last may be under way.
    assert (found["error_losses"], found["queue_losses"]) == (1.0, 1.0)


def test_pilots_tell_of_losses_within_a_second(tmp_path: Path) -> None:
    def pilot(ms: int, level: float) -> dict[str, Any]:
        return {"time_ns": ms * 1_000_000, "kind": "pilot", "station": 4, "level_dbm": level}

    drop = {"time_ns": 2_500_000_000, "kind": "packet_dropped", "reason": "too_weak"}
    events = [pilot(1_000, -90.0), pilot(1_600, -99.0), pilot(2_000, -101.0), drop]
    events += [pilot(3_000, -95.0)]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    found = log_measures("pilots", log, {"flow": [{"from": 0, "to": 8}]})
    assert found == {"roc_area": 1.0, "beacons_before_loss": 2.0, "beacons_before_none": 2.0}


def test_a_run_without_a_value_is_left_out_of_pair_and_mean() -> None:
    experiment = load_paper("cho2005").experiments["mixed"]
    data = ExperimentRuns(experiment)
    nan = math.nan
    data.rows[()] = {
        run: {"measures": {"x": x, "y": y}, "flows": []}
        for run, (x, y) in enumerate([(4.0, 2.0), (nan, 9.0), (6.0, 2.0), (8.0, nan)])
    }
    results = Results({"mixed": data}, {})
    check = {"cells": {"a": {"measure": "x"}, "b": {"measure": "y"}}, "quantity": "a / b"}
    found = quantity(Scope(results, "mixed"), check, {})
    assert (found.value, found.runs) == (2.5, 2)
    assert results.point("mixed", (), "x").value == 6.0
