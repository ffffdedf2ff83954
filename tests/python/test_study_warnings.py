"""What runs warn of reaches whoever reads a study: its manifest, its table, its pictures."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import acklab
from acklab.cli import cli
from acklab.cli.sweep import _show
from acklab.study import Study

pytestmark = pytest.mark.usefixtures("study_folder")

IDEAL = {"policy": "oracle-window", "thresholds": [2, 5, 9]}

STUDY = """
scenario = "chain.toml"
runs = 2

[grid]
"flow.window" = [2, 8]

[variants.every]
"flow.ack" = "every"

[variants.ideal]
"flow.ack" = { policy = "oracle-window", thresholds = [2, 5, 9] }
"""


def study(variants):
    grid = {"flow.window": [2, 8]}
    return Study(acklab.Scenario.load("chain.toml"), grid, variants, runs=2)


def test_a_warning_of_runs_stands_once_with_where_it_came_from():
    result = study({"every": {"flow.ack": "every"}, "ideal": {"flow.ack": IDEAL}}).run("out")
    (told,) = (w for w in result.manifest["warnings"] if w["code"] == "oracle_ack_policy")
    said = "in 4 of 8 runs, at variant=ideal flow.window=2, variant=ideal flow.window=8: ACKs of"
    assert told["message"].startswith(said)
    sent = result.where(variant="ideal").table["acks_sent"].sum()
    assert told["count"] == sent > 0


def test_a_message_that_differs_is_that_of_the_first_run():
    starts = {"topology.nodes": 3, "flow.start": "4.999 s"}
    silent = {"near": starts, "far": starts | {"topology.nodes": 4, "flow.to": 3}}
    base = acklab.Scenario.load("chain.toml").with_({"duration": "5 s", "measure.from": "0 s"})
    result = Study(base, {}, silent, runs=1).run("out")
    (told,) = (w for w in result.manifest["warnings"] if w["code"] == "silent_flow")
    assert told["message"].startswith("in 2 of 2 runs, at variant=near, variant=far: flows that")
    assert told["message"].endswith("(in the first of these runs)")
    assert told["count"] == 2


def test_pictures_mark_points_whose_runs_carry_warnings():
    both = study({"every": {"flow.ack": "every"}, "ideal": {"flow.ack": IDEAL}}).run("out")
    picture = acklab.plot.curves(both, x="flow.window")
    assert b"runs with warnings" in picture.data["svg"]
    clean = acklab.plot.curves(both.where(variant="every"), x="flow.window")
    assert b"runs with warnings" not in clean.data["svg"]
    assert both.warned()["variant"].unique().to_list() == ["ideal"]
    assert json.loads(both.warned()["warnings"][0])[0]["code"] == "oracle_ack_policy"


def test_the_command_line_marks_them_too(tmp_path):
    (tmp_path / "ideal.toml").write_text(STUDY.replace("chain.toml", "base.toml"))
    (tmp_path / "base.toml").write_text(acklab.Scenario.load("chain.toml").to_toml())
    shown = CliRunner().invoke(cli, ["sweep", str(tmp_path / "ideal.toml")]).stdout
    lines = [line.split("  ")[1] for line in shown.splitlines() if line.startswith("  variant")]
    assert [line.rstrip().endswith("*") for line in lines] == [False, False, True, True]
    assert "* runs of this point carry warnings" in shown
    assert "[oracle_ack_policy," in shown


def test_a_study_of_one_point_marks_it():
    base = acklab.Scenario.load("chain.toml").with_({"flow.ack": IDEAL})
    (told,) = (
        w for w in Study(base, runs=2).run("out").manifest["warnings"] if "oracle" in w["code"]
    )
    assert told["message"].startswith("in 2 of 2 runs: ACKs of receivers")


def test_points_that_missed_the_wished_precision_are_marked():
    wished = 'runs = 2\nprecision = "0.001 %"\nmax_runs = 2'
    Path("wide.toml").write_text(STUDY.replace("runs = 2", wished))
    said = CliRunner().invoke(cli, ["sweep", "wide.toml", "--out", "wide"]).output
    points, legend = (line for line in said.splitlines() if " ! " in line)
    assert points.startswith("  variant=every flow.window=2 ! ")
    assert legend == "  ! the interval is wider than the wished ± 0.001 %"


def test_a_name_that_ends_like_a_mark_is_a_name(capsys):
    result = study({"fast !": {"flow.ack": "every"}}).run("out")
    _show(result, as_json=False)
    shown = capsys.readouterr().out
    assert "variant=fast ! flow.window=2 " in shown
    assert "wider than the wished" not in shown


def test_two_points_of_one_scenario_are_told_before_they_run():
    same = study({"every": {"flow.ack": "every"}, "again": {"flow.ack": "every"}})
    (before,) = same.dry_run("out").warnings
    assert before["code"] == "same-scenario"
    assert before in same.run("out").manifest["warnings"]
