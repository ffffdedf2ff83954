"""The checks of campaigns: what they build, and that a killed study is compared at all."""

import json
import os
import subprocess
import threading

import pytest

import acklab
from acklab.batch import available_cores
from acklab.validate.campaigns import cores, scale, survival
from acklab.validate.model import Context

PINNED = pytest.mark.skipif(
    available_cores() < 2 or not hasattr(os, "sched_setaffinity"),
    reason="one core, or none that a process can be tied to",
)


@pytest.mark.parametrize(("nodes", "routing"), [(100, "static"), (400, "aodv")])
def test_the_large_network_is_a_scenario_with_a_flow_per_ten_nodes(nodes, routing):
    text = scale.scenario(nodes, 8, "3 s", routing)
    scenario = acklab.Scenario.parse(text)
    assert scenario.flows == nodes // 10
    assert scale.scenario(nodes, 8, "3 s", routing) == text
    assert scenario.resolve().tree["routing"]["protocol"] == routing
    flows = scenario.resolve().tree["flow"]
    assert {flow["to"] - flow["from"] for flow in flows} == {scale.HOPS}


@pytest.mark.parametrize("full", [True, False], ids=["full", "quick"])
def test_each_size_has_as_much_time_in_every_turn(monkeypatch, tmp_path, full):
    done = []

    def fake(command, _root):
        small = command[1].endswith("100.toml")
        done.append("small" if small else "large")
        costs = {"wall_s": 0.5, "frames": 250} if small else {"wall_s": 4.0, "frames": 1000}
        answer = costs | {"peak_rss_kb": 1, "waiting_bytes": 0, "guided": False}
        return subprocess.CompletedProcess(command, 0, json.dumps(answer))

    monkeypatch.setattr(scale, "run", fake)
    monkeypatch.setattr(scale, "cargo_example", lambda *_: "peer")
    monkeypatch.setattr(scale, "SIZES", (100, 400))
    monkeypatch.setattr(scale, "TURNS", {"static": 2})
    monkeypatch.setattr(scale, "QUICK_TURNS", 1)
    context = Context(tmp_path, full=full, workers=1, folder=tmp_path, say=print)
    turns = scale._turns(context, "static")
    smallest_first = [*["small"] * 8, "large"]
    assert done == ["large", *["small"] * 8, *(smallest_first if full else [])]
    assert [turn[400].cost_ns / turn[100].cost_ns for turn in turns] == [2.0] * (1 + full)


def test_a_table_that_differs_would_be_noticed(tmp_path, monkeypatch):
    small = survival.STUDY.replace("runs = 40", "runs = 2").replace("[2, 3, 5, 8, 20]", "[2, 8]")
    (tmp_path / "study.toml").write_text(small)
    assert survival._child(tmp_path, "whole").wait(60) == 0
    assert survival._child(tmp_path, "killed").wait(60) == 0
    tables = survival._tables(tmp_path / "whole")
    assert tables == survival._tables(tmp_path / "killed")
    (tmp_path / "study.toml").write_text(small.replace("[2, 8]", "[2, 9]"))
    assert survival._child(tmp_path, "other").wait(60) == 0
    assert tables != survival._tables(tmp_path / "other")


def test_a_child_that_fails_is_no_success(tmp_path):
    child = survival._child(tmp_path, "whole")
    assert isinstance(child, subprocess.Popen)
    assert child.wait(60) != 0


def test_turns_go_round_until_each_has_had_enough():
    turns = cores.Turns(["a", "b", "c"])
    heard = []

    def take(name, times):
        for time in range(times):
            turns.wait(name)
            heard.append(name)
            turns.pass_on(name, last=time == times - 1)

    threads = [threading.Thread(target=take, args=part) for part in (("a", 3), ("b", 1), ("c", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert "".join(heard) == "abcaca"


@PINNED
def test_a_study_in_turns_is_the_same_study(tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "_BARE", 1)
    scenario = acklab.Scenario.parse(cores.CHAIN).with_(duration="2 s")
    study = acklab.Study(scenario, runs=8)
    pair = sorted(os.sched_getaffinity(0))[:2]
    *sides, gain = cores.alternated(study, pair, tmp_path, 3)
    study.run(tmp_path / "whole")
    for side in sides:
        for name in ("table.parquet", "flows.csv", "points.csv"):
            mine = (tmp_path / side.name / name).read_bytes()
            assert mine == (tmp_path / "whole" / name).read_bytes()
        assert 0.0 < side.runs_cpu_s < side.cpu_s
        assert side.wall_s > 0.0
    assert gain > 0.0


@PINNED
def test_a_study_that_fails_in_its_turn_is_told(tmp_path):
    (tmp_path / "two").mkdir()
    study = acklab.Study(acklab.Scenario.parse(cores.CHAIN).with_(duration="2 s"), runs=1)
    pair = sorted(os.sched_getaffinity(0))[:2]
    with pytest.raises(FileExistsError):
        cores.alternated(study, pair, tmp_path, 3)
