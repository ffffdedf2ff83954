"""What a study's result answers: where sides meet, which part has a value."""

import subprocess
import sys
from pathlib import Path

import polars
import pytest

import acklab
from acklab.cli import execute
from acklab.errors import InputError
from acklab.study import Study

pytestmark = pytest.mark.usefixtures("study_folder")


class Every(acklab.AckPolicy):
    """Acknowledges every so many segments."""

    def __init__(self, count):
        self.count = count

    def on_segment(self, segment):
        return None if segment.waiting >= self.count else 0.1


def test_sides_that_meet_nowhere_are_named_and_can_be_compared_as_a_whole():
    every = Study.load("study.toml").run("out").where(variant="every")
    narrow, wide = every.where({"flow.window": 2}), every.where({"flow.window": 8})
    with pytest.raises(InputError, match="nothing in common") as caught:
        acklab.compare(wide, narrow)
    assert caught.value.place == "on = ['flow.window']"
    assert caught.value.value == "flow.window = [8] in a and [2] in b"
    assert "on=[]" in caught.value.accepted
    found = acklab.compare(wide, narrow, on=[])
    assert found.columns[0] == "difference"
    assert found["n"].to_list() == [3]


def test_a_part_is_named_by_the_values_of_its_grid():
    delayed = {"policy": "delayed", "count": 3, "interval": "100 ms"}
    policies = ["every", None, delayed, Every(2)]
    grid = {"flow.ack": policies, "flow.initial_ssthresh": [2, None]}
    study = Study(acklab.Scenario.load("chain.toml"), grid=grid, runs=1)
    result = study.run("out")
    for place, policy in enumerate(policies):
        part = result.where({"flow.ack": policy})
        assert part.table["point"].to_list() == [2 * place, 2 * place + 1]
    turned = dict(reversed(delayed.items()))
    assert result.where({"flow.ack": turned}).table.equals(
        result.where({"flow.ack": delayed}).table
    )
    with pytest.raises(InputError, match="no point has it"):
        result.where({"flow.ack": delayed | {"count": 4}})
    assert result.where({"flow.ack": "default"}).runs == 2
    for value in (2, "2"):
        assert result.where({"flow.initial_ssthresh": value}).runs == 4
    with pytest.raises(InputError, match="no point has it") as caught:
        result.where({"flow.initial_ssthresh": 3})
    assert (caught.value.value, caught.value.accepted) == ("3", "'2', 'default'")


def test_points_have_the_units_of_their_measures():
    result = Study.load("study.toml").run("out")
    units = dict(polars.read_csv("out/points.csv").select("measure", "unit").rows())
    for name in ("goodput_pps", "goodput_bps", "timeouts"):
        assert units[name] == acklab.measure_info()[name].unit
        assert set(result.points(name)["unit"]) == {units[name]}


def test_a_dry_run_refuses_the_folder_that_the_study_would(capsys):
    acklab.run(acklab.Scenario.load("chain.toml"), runs=1).save("run")
    before = sorted(path.name for path in Path("run").iterdir())
    for more in ([], ["--dry-run"]):
        assert execute(["sweep", "study.toml", "--out", "run", *more]) == 2
        assert "holds the result of a run" in capsys.readouterr().err
    assert sorted(path.name for path in Path("run").iterdir()) == before


def test_whole_numbers_meet_whatever_stands_beside_them(no_cache):
    chain = acklab.Scenario.load("chain.toml")
    sizes = {"law": "pareto", "mean": "5 kB", "shape": 1.5}
    short = chain.with_({"flow": [{"kind": "sessions", "size": sizes}]})
    key = "flow.0.size.shape"
    numbers = Study(short, grid={key: [1.5, 2]}, runs=2).run("numbers")
    texts = Study(short, grid={key: [None, 1.5, 2]}, runs=2).run("texts")
    assert acklab.compare(numbers, texts)[key].to_list() == ["1.5", "2"]
    assert texts.where({key: 2.0}).runs == texts.where({key: 2}).runs == 2


def test_a_damaged_table_is_named():
    Study.load("study.toml").run("out")
    table = Path("out/table.parquet")
    table.write_bytes(table.read_bytes()[:1000])
    with pytest.raises(InputError, match="is damaged") as caught:
        acklab.StudyResult.load("out")
    assert caught.value.place == str(table)
    assert "the study's own command writes it again" in caught.value.accepted


def test_a_key_that_another_one_sets_again_is_refused():
    chain = acklab.Scenario.load("chain.toml")
    twice = {"flow.window": [2, 4], "flow.0.window": [6]}
    with pytest.raises(InputError, match=r"set again by flow\.0\.window") as caught:
        Study(chain, grid=twice).run("out")
    assert caught.value.place == "grid.flow.window"
    # Of two flows one is left to it; and the later of two keys has an effect.
    second = {"kind": "ftp", "window": 3}
    two = chain.with_({"flow": [second, second]})
    assert Study(two, grid=twice, runs=2).dry_run("out").points == 2
    table = {"policy": "delayed", "count": 2}
    later = {"flow.ack": [table], "flow.ack.count": [3, 4]}
    assert Study(chain, grid=later, runs=2).dry_run("out").points == 2


@pytest.mark.parametrize("name", ["", "a\nb", " a", "a\t"])
def test_a_name_that_nobody_can_read_in_a_table_is_refused(name):
    with pytest.raises(InputError, match="is no name of a variant"):
        Study(acklab.Scenario.load("chain.toml"), variants={name: {}})


def test_a_measure_that_is_not_there_is_told_with_the_name_that_is_near():
    result = Study.load("study.toml").run("out")
    every = result.where(variant="every")
    for ask in (
        lambda name: result.points(name),
        lambda name: acklab.compare(every, every, name),
        lambda name: acklab.plot.curves(result, "flow.window", name),
    ):
        with pytest.raises(acklab.MeasureError, match="no such measure") as typo:
            ask("godput_pps")
        assert (typo.value.value, typo.value.place) == ("godput_pps", "measure")
        assert "goodput_pps" in typo.value.accepted
        assert typo.value.accepted.count(",") < 3
        with pytest.raises(acklab.MeasureError, match="none of these runs has a value of it"):
            ask("session_delay_mean_s")


def test_numpy_is_loaded_before_there_is_a_run_to_lose():
    """Ctrl-C while it loads: it cannot be loaded once more, and what has finished not be written.

    From within polars it would be a panic of polars besides.
    """
    code = "import sys, acklab.study; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
