"""Studies: plans and their errors, what is reused, comparisons, pictures."""

import json
import time
from pathlib import Path

import pytest

import acklab
from acklab.batch import Job
from acklab.errors import InputError, ScenarioError
from acklab.study import Plan, Study, StudyResult, backends, dry_run
from acklab.study.rounds import runs_for
from study_folder import BASE, edited, tables

pytestmark = pytest.mark.usefixtures("study_folder")


def test_points_are_all_combinations_named_and_identified_by_content():
    study = Study.load("study.toml")
    assert [point.name for point in study.points] == [
        "variant=every flow.window=2",
        "variant=every flow.window=8",
        "variant=third flow.window=2",
        "variant=third flow.window=8",
    ]
    assert len({point.key for point in study.points}) == 4
    # A title and a default that is spelled out are no other question.
    scenario = acklab.Scenario.load("chain.toml")
    same = scenario.with_(title="another", profile="ns2")
    assert scenario.resolve().content == same.resolve().content


@pytest.mark.parametrize(
    ("old", "new", "place", "found"),
    [
        ("runs = 3", "run = 3", "study.toml: run", None),
        ("runs = 3", "runs = 0", "study.toml: runs", "0"),
        ("runs = 3", "runs = 1.5", "study.toml: runs", "1.5"),
        ("runs = 3", 'precision = "0 %"', "study.toml: precision", "0 %"),
        ("runs = 3", 'runs = 3\nprecision = "2 %"\nmax_runs = 2', "study.toml: max_runs", "2"),
        ("runs = 3", "runs = 3\nmax_runs = 9", "study.toml: max_runs", "9"),
        ("runs = 3", "runs = 3\nseed = -1", "study.toml: seed", "-1"),
        ("runs = 3", 'runs = 3\nkeep = ["packets"]', "study.toml: keep", "packets"),
        ('baseline = "every"', 'baseline = "first"', "study.toml: baseline", "first"),
        ("flow.window = [2, 8]", "flow.window = 2", "study.toml: grid.flow.window", "2"),
        ("flow.window = [2, 8]", "flow.window = []", "study.toml: grid.flow.window", "[]"),
        ('scenario = "chain.toml"', "", "study.toml: scenario", None),
    ],
)
def test_a_mistake_in_a_study_names_its_place(old, new, place, found):
    with pytest.raises(InputError) as caught:
        Study.load(edited((old, new)))
    assert (caught.value.place, caught.value.value) == (place, found)
    assert caught.value.accepted


def test_a_byte_order_mark_is_no_part_of_a_study():
    text = Path("study.toml").read_text()
    Path("marked.toml").write_text(text, encoding="utf-8-sig")
    assert Study.load("marked.toml").points == Study.load("study.toml").points


def test_a_point_that_is_no_scenario_is_named():
    with pytest.raises(ScenarioError) as caught:
        Study.load(edited(("[2, 8]", "[2, 0]")))
    assert "variant=every flow.window=0" in caught.value.place
    with pytest.raises(InputError, match="scenario in TOML"):
        Study.load(edited(("chain.toml", "absent.toml")))


def test_rows_are_sorted_and_carry_their_labels():
    result = Study.load("study.toml").run("out", workers=2)
    frame = result.frame()
    assert frame.columns[:5] == ["variant", "flow.window", "point", "seed", "run"]
    assert frame.get_column("run").to_list() == [0, 1, 2] * 4
    assert frame.get_column("point").to_list() == sorted(frame.get_column("point").to_list())
    flows = result.frame("flow")
    assert flows.height == 12
    assert flows.get_column("delivered_packets").to_list() == pytest.approx(
        frame.get_column("delivered_packets").to_list()
    )
    alone = acklab.run(Study.load("study.toml").points[3].scenario, runs=3)
    mine = result.where({"flow.window": 8}, variant="third").frame()
    assert mine.get_column("digest").to_list() == [record["digest"] for record in alone.records]
    assert list(result.frame(pandas=True).columns) == frame.columns
    with pytest.raises(InputError, match="was not kept"):
        result.frame("node")


def test_nothing_is_run_twice_in_a_folder_or_across_studies():
    first = Study.load("study.toml").run("out")
    assert (first.manifest["new_runs"], first.manifest["reused_runs"]) == (12, 0)
    again = Study.load("study.toml").run("out")
    assert (again.manifest["new_runs"], again.manifest["reused_runs"]) == (0, 12)
    other = Study.load(edited(("[2, 8]", "[8, 16]"), ('"thin"', '"other"'))).run("other")
    assert (other.manifest["new_runs"], other.manifest["reused_runs"]) == (6, 6)
    fresh = Study.load("study.toml").run("other", fresh=True)
    assert fresh.manifest["reused_runs"] == 0
    theirs, ours = (r.where({"flow.window": 8}).frame().drop("point") for r in (other, first))
    assert theirs.equals(ours)


def test_the_core_reports_what_is_kept_and_no_more(monkeypatch):
    asked = []
    honest = backends.polled

    def noted(jobs, *rest):
        asked.extend(job.options["leave_out"] for job in jobs)
        for group in honest(jobs, *rest):
            for index, record in group:
                assert set(jobs[index].options["leave_out"]).isdisjoint(record)
            yield group

    monkeypatch.setattr(backends, "polled", noted)
    before = time.process_time()
    result = Study.load("study.toml").run("out")
    assert asked == [["nodes", "samples"]] * 12
    assert 0.0 < result.manifest["runs_cpu_s"] < time.process_time() - before


def test_a_cache_that_points_nowhere_is_passed_over():
    Study.load("study.toml").run("out")
    for path in Path("out/batches").iterdir():
        path.write_bytes(b"torn")
    result = Study.load(edited(('"thin"', '"other"'))).run("other")
    assert result.manifest["new_runs"] == 12


def test_more_runs_go_on_where_fewer_ended():
    three = Study.load("study.toml").run("out")
    five = Study.load(edited(("runs = 3", "runs = 5"))).run("out")
    assert (five.manifest["new_runs"], five.manifest["reused_runs"]) == (8, 12)
    assert five.frame().filter(five.frame()["run"] < 3).equals(three.frame())


def test_precision_adds_runs_only_where_the_interval_is_wide(monkeypatch):
    text = ("runs = 3", 'runs = 3\nprecision = "4 %"\nmax_runs = 12')
    states = []
    result = Study.load(edited(text)).run("out", progress=states.append)
    for row in result.points().iter_rows(named=True):
        relative = (row["high"] - row["low"]) / 2 / row["mean"]
        assert relative <= 0.04 or row["n"] == 12
    assert states[-1].done == states[-1].total == result.runs
    wide = [w for w in result.manifest["warnings"] if w["code"] == "interval-too-wide"]
    assert bool(wide) == any(row["n"] == 12 for row in result.points().iter_rows(named=True))
    # Uninterrupted, in one go, elsewhere, without what is there: the same.
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    again = Study.load("study.toml").run("again", workers=1)
    assert tables(Path("out")) == tables(Path("again"))
    assert again.manifest["reused_runs"] == 0


def test_runs_for_never_shrinks_and_at_most_doubles():
    def estimate(relative):
        return acklab.Estimate(1.0, relative, 10)

    assert runs_for(None, 0.02, 10) == 10
    assert runs_for(estimate(0.01), 0.02, 10) == 10
    assert runs_for(estimate(0.0201), 0.02, 10) == 11
    assert runs_for(estimate(0.5), 0.02, 10) == 20
    assert runs_for(acklab.Estimate(0.0, 1.0, 10), 0.02, 10) == 20


def test_a_pilot_is_as_long_as_it_must_be():
    late = acklab.Scenario.parse(BASE).with_(duration="4000 s", measure={"from": "7 s"})
    short, longer = dry_run._shortened(late, 5.0)
    assert short.to_dict()["duration"] == "10 s"
    assert longer == 400.0
    brief = acklab.Scenario.parse(BASE)
    assert dry_run._shortened(brief, 5.0) == (brief, 1.0)


def test_a_run_that_ends_with_a_number_of_packets_is_not_told_to_take_its_whole_duration():
    job = Job(acklab.Scenario.parse(BASE).with_(measure={"stop_after": 200}).resolve(), 1, 0)

    # The pilot takes 3 s, of which packets count in the last two.
    def cost(delivered):
        record = {"wall_s": 0.5, "measures": {"delivered_packets": delivered}}
        return dry_run._cost(record, job, 50.0)

    assert [cost(delivered) for delivered in (200.0, 20.0, 2.0, 0.0)] == [0.5, 3.5, 25.0, 25.0]
    late = {"from": "2 s", "stop_after": 200}
    job = Job(acklab.Scenario.parse(BASE).with_(measure=late).resolve(), 1, 0)
    # 3 s, of which 1 s counts: 2 s and ten times 1 s.
    assert cost(20.0) == 0.5 * 12.0 / 3.0


def test_a_dry_run_tells_what_it_would_take_and_writes_nothing():
    study = Study.load("study.toml")
    dry = study.dry_run("out")
    assert (dry.points, dry.runs, dry.reused, dry.most) == (4, 12, 0, None)
    assert dry.seconds > 0.0
    assert not Path("out").exists()
    study.run("out")
    assert study.dry_run("out").reused == 12
    assert study.dry_run("elsewhere").reused == 12
    assert study.dry_run("out").seconds == 0.0


def test_variants_are_compared_run_by_run():
    result = Study.load("study.toml").run("out")
    third, every = result.where(variant="third"), result.where(variant="every")
    frame = acklab.compare(third, every, "goodput_pps")
    assert frame.get_column("flow.window").to_list() == [2, 8]
    row = frame.row(1, named=True)
    points = Study.load("study.toml").points
    direct = acklab.compare(*(acklab.run(points[place].scenario, runs=3) for place in (3, 1)))
    assert row["difference"] == pytest.approx(direct.difference.mean)
    assert row["low"] == pytest.approx(direct.difference.low)
    assert row["n"] == 3
    written = Path("out/comparison.csv").read_text().splitlines()
    assert len(written) == 3
    with pytest.raises(InputError, match="several points"):
        acklab.compare(third, every, on=[])
    with pytest.raises(InputError, match="not of one kind"):
        acklab.compare(third, acklab.run(points[0].scenario, runs=2))


def test_curves_are_drawn_from_a_part_that_has_one_point_a_spot():
    result = Study.load("study.toml").run("out")
    picture = acklab.plot.curves(result, x="flow.window")
    saved = picture.save("goodput.svg")
    assert saved.read_bytes().startswith(b"<?xml")
    with pytest.raises(InputError, match="several values"):
        acklab.plot.curves(result, x="flow.window", by="flow.window")
    with pytest.raises(InputError, match="is no label"):
        acklab.plot.curves(result, x="mac.rate")
    with pytest.raises(InputError, match="kind of picture"):
        picture.save("goodput.bmp")


def test_a_saved_study_is_loaded_again():
    made = Study.load("study.toml").run("out")
    loaded = StudyResult.load("out")
    assert loaded.frame().equals(made.frame())
    with pytest.raises(InputError, match="no finished study"):
        StudyResult.load(".")


def test_a_study_made_in_python_is_the_study_of_the_file():
    scenario = acklab.Scenario.load("chain.toml")
    third = {"policy": "delayed", "count": 3, "interval": "100 ms"}
    made = Study(
        scenario,
        grid={"flow.window": [2, 8]},
        variants={"every": {"flow.ack": "every"}, "third": {"flow.ack": third}},
        title="thin",
        runs=3,
        baseline="every",
    )
    assert made.folder == Study.load("study.toml").folder
    assert isinstance(made.plan, Plan)


def test_a_place_that_is_none_is_an_error():
    with pytest.raises(InputError, match="no place to run"):
        Study.load("study.toml").run("out", on="moon")
    with pytest.raises(InputError, match="does not answer"):
        Study.load("study.toml").run("out", on="dask://127.0.0.1:1")


def test_the_verb_runs_resumes_and_shows(tmp_path):
    from click.testing import CliRunner

    from acklab.cli import execute

    assert execute(["sweep", "study.toml", "--out", "out"]) == 0
    assert execute(["sweep", "study.toml", "--dry-run"]) == 0
    assert execute(["sweep", "absent.toml"]) == 2
    from acklab.cli import cli

    shown = CliRunner().invoke(cli, ["sweep", "study.toml", "--out", "out", "--json"])
    found = json.loads(shown.stdout)
    assert found["reused_runs"] == 12
    assert len(found["table"]) == 4
    text = CliRunner().invoke(cli, ["sweep", "study.toml", "--out", "out"]).stdout
    assert "variant=third flow.window=8" in text
    assert "95 % interval" in text
