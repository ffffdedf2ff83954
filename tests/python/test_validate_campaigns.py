"""The checks of campaigns: what they build, and that a killed study is compared at all."""

import subprocess

import pytest

import acklab
from acklab.validate.campaigns import scale, survival


@pytest.mark.parametrize(("nodes", "routing"), [(100, "static"), (400, "aodv")])
def test_the_large_network_is_a_scenario_with_a_flow_per_ten_nodes(nodes, routing):
    text = scale.scenario(nodes, 8, "3 s", routing)
    scenario = acklab.Scenario.parse(text)
    assert scenario.flows == nodes // 10
    assert scale.scenario(nodes, 8, "3 s", routing) == text
    assert scenario.resolve().tree["routing"]["protocol"] == routing
    flows = scenario.resolve().tree["flow"]
    assert {flow["to"] - flow["from"] for flow in flows} == {scale.HOPS}


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
