"""Movement scripts of ns-2: read from a file beside the scenario, written by the command line."""

import pytest

from acklab import InputError, Scenario, ScenarioError
from acklab.simulate import run
from study_folder import BASE

RADIO = """\
duration = "6 s"

[topology]
kind = "chain"
nodes = 3
spacing = "150 m"

[[moving]]
motion = {motion}

[[flow]]
kind = "ftp"
start = "1 s"
"""
WAYPOINT = """{ kind = "random-waypoint", corner = ["-9 m", "-9 m"], size = ["400 m", "90 m"], \
speeds = ["1 m/s", "9 m/s"], pause = "1 s" }"""
SCRIPTED = '{ kind = "setdest", script_file = "moves.ns" }'

CELLS = """\
duration = "12 s"

[topology]
kind = "nodes"
nodes = 4

[[point_to_point]]
between = [0, 1]
rate = "10 Mbit/s"
delay = "5 ms"

[[point_to_point]]
between = [0, 2]
rate = "10 Mbit/s"
delay = "5 ms"

[cells]
gateway = 0
rate = "2 Mbit/s"

[[cells.station]]
node = 1
position = ["0 m", "0 m"]

[[cells.station]]
node = 2
position = ["240 m", "0 m"]

[[cells.mobile]]
node = 3
motion = {motion}

[[flow]]
kind = "ftp"
from = 0
to = 3
"""
ROAD = """{ kind = "back-and-forth", from = ["0 m", "0 m"], to = ["240 m", "0 m"], \
speed = "70 km/h" }"""


def scenario(folder, name, text, motion):
    path = folder / name
    path.write_text(text.replace("{motion}", motion), encoding="utf-8")
    return path


def goodput(path):
    measures = run(Scenario.load(path), runs=1, seed=3).measures
    return {name: measures[name].mean for name in ("delivered_packets", "goodput_pps")}


@pytest.mark.parametrize(("text", "motion"), [(RADIO, WAYPOINT), (CELLS, ROAD)])
def test_what_is_written_reads_back_as_the_same_run(acklab, tmp_path, text, motion):
    own = scenario(tmp_path, "own.toml", text, motion)
    script = tmp_path / "moves.ns"
    answer = acklab("motion", str(own), "--setdest", str(script), "--seed", "3")
    assert answer.code == 0, answer.err
    scripted = scenario(tmp_path, "scripted.toml", text, SCRIPTED)
    assert Scenario.load(scripted).movement(3) == script.read_text(encoding="utf-8")
    assert goodput(own) == goodput(scripted)
    assert goodput(own)["delivered_packets"] > 50
    again = acklab("motion", str(own), "--setdest", str(script))
    assert again.code == 2
    assert "is already there" in again.err


def test_a_scenario_with_a_script_is_whole_without_its_file(tmp_path):
    script = tmp_path / "moves.ns"
    script.write_text('$ns_ at 1.0 "$node_(1) setdest 160.0 9.0 5.0"\n', encoding="utf-8")
    loaded = Scenario.load(scenario(tmp_path, "s.toml", RADIO, SCRIPTED))
    script.unlink()
    assert Scenario.parse(loaded.to_toml(), "elsewhere.toml") == loaded
    longer = loaded.with_(duration="9 s")
    assert longer.resolve().tree["moving"][0]["motion"]["script"].startswith("$ns_ at 1.0")


def test_a_mistake_in_a_script_names_file_line_and_what_is_accepted(tmp_path):
    path = scenario(tmp_path, "s.toml", RADIO, SCRIPTED)
    (tmp_path / "moves.ns").write_text("# one\n$node_(1) set W_ 3\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        Scenario.load(path)
    said = str(caught.value)
    assert f"{tmp_path / 'moves.ns'}:2: W_ is none of X_, Y_, Z_" in said
    assert "$node_(1) set W_ 3" in said
    assert "a movement script of ns-2" in said
    (tmp_path / "moves.ns").unlink()
    with pytest.raises(ScenarioError, match="cannot be read"):
        Scenario.load(path)


@pytest.mark.parametrize(
    ("numbers", "place"), [((-1, 0), "seed"), ((2**64, 0), "seed"), ((1, -1), "run")]
)
def test_there_are_no_such_seeds_and_runs(numbers, place):
    with pytest.raises(InputError, match="is no such number") as error:
        Scenario.parse(BASE).movement(*numbers)
    assert error.value.place == place
