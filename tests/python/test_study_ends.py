"""Studies end with their files and say what is missing, whatever has failed in them."""

import json
import os
from pathlib import Path

import polars
import pytest
from click.testing import CliRunner

import acklab
from acklab.cli import cli
from acklab.cli.sweep import _show
from acklab.errors import OutputError
from acklab.study import Study, StudyResult, index
from study_folder import edited

pytestmark = pytest.mark.usefixtures("study_folder")

TABLES = ("table", "points", "flows")


class Fails(acklab.AckPolicy):
    def on_segment(self, segment):
        raise LookupError("no such number")


class FailsLater(acklab.AckPolicy):
    """Fails in long runs only."""

    def on_segment(self, segment):
        if segment.number > 900:
            raise LookupError("too far")
        return None if segment.waiting >= 2 else 0.1


def study(variants, **options):
    options = {"runs": 3, "baseline": "every", "title": "thin"} | options
    changes = {name: {"flow.ack": ack} for name, ack in variants.items()}
    grid = {"flow.window": [2, 8]}
    return Study(acklab.Scenario.load("chain.toml"), grid, changes, **options)


def codes(result):
    return [warning["code"] for warning in result.manifest["warnings"]]


def told(result, code):
    return next(w["message"] for w in result.manifest["warnings"] if w["code"] == code)


THIRD = {"policy": "delayed", "count": 3, "interval": "100 ms"}


def test_a_variant_that_fails_throughout_is_left_out_of_the_comparison():
    result = study({"every": "every", "mine": Fails(), "third": THIRD}).run("out")
    assert result.runs == 12
    assert result.comparison()["variant"].to_list() == ["third", "third"]
    assert len(result.manifest["failures"]) == 6
    assert all("no such number" in f["message"] for f in result.manifest["failures"])
    said = told(result, "not-compared")
    assert said == "mine is not compared with every: none of its runs came through"
    assert StudyResult.load("out").runs == 12
    with pytest.raises(acklab.InputError, match="no such number"):
        result.where(variant="mine")


def test_a_baseline_that_fails_leaves_everything_but_the_comparison():
    result = study({"every": Fails(), "third": THIRD}).run("out")
    assert result.runs == 6
    assert result.comparison().is_empty()
    assert not Path("out/comparison.csv").exists()
    assert "no run of the baseline every came through" in told(result, "not-compared")


def test_a_variant_that_fails_at_some_points_is_compared_at_the_others():
    base = acklab.Scenario.load("chain.toml")
    grid = {"duration": ["3 s", "40 s"]}
    variants = {"every": {"flow.ack": "every"}, "mine": {"flow.ack": FailsLater()}}
    made = Study(base, grid, variants, runs=2, baseline="every").run("out")
    assert made.comparison().select("variant", "duration", "n").rows() == [("mine", "3 s", 2)]
    assert "mine is not compared with every at 1 of 2 points" in told(made, "not-compared")


def test_a_study_in_which_every_run_fails_still_ends(capsys):
    result = study({"every": Fails()}).run("out")
    assert result.runs == 0
    assert all(Path(f"out/{name}.parquet").exists() for name in ("table", "points"))
    assert result.frame().columns[:5] == ["variant", "flow.window", "point", "seed", "run"]
    assert len(StudyResult.load("out").manifest["failures"]) == 6
    assert repr(result).endswith(": 0 of 2 points, 0 runs (6 of the study failed)>")
    _show(result, as_json=False)
    shown = capsys.readouterr().out
    assert "failed: run 0 of variant=every flow.window=" in shown
    assert "and 5 more: the ACK policy Fails-" in shown
    for ask in (result.points, lambda: acklab.plot.curves(result, x="flow.window")):
        with pytest.raises(acklab.RunError, match=r"no run came through; run 0: .*no such number"):
            ask()


def test_one_run_is_not_compared_and_the_study_says_why():
    result = study({"every": "every", "third": THIRD}, runs=1).run("out")
    assert result.runs == 4
    assert "runs = 1, and a paired difference needs two" in told(result, "not-compared")


def test_a_measure_that_no_run_has_is_said_when_all_else_is_there():
    result = study({"every": "every", "third": THIRD}, measure="session_delay_mean_s").run("out")
    assert {"no-such-measure", "not-compared"} <= set(codes(result))
    Path("study.toml").write_text(
        Path("study.toml")
        .read_text()
        .replace("runs = 3", 'runs = 3\nmeasure = "session_delay_mean_s"')
    )
    shown = CliRunner().invoke(cli, ["sweep", "study.toml", "--out", "out"], catch_exceptions=False)
    assert "no run has the measure session_delay_mean_s" in shown.stdout


CBR = {"flow": [{"kind": "cbr", "packet": "1000 B", "interval": "20 ms"}]}


@pytest.mark.parametrize("baseline", ["ftp", "cbr"])
def test_a_measure_that_one_side_lacks_is_the_reason_why_nothing_is_compared(baseline):
    base = acklab.Scenario.load("chain.toml")
    variants = {"ftp": {}, "cbr": CBR}
    made = Study(base, {}, variants, runs=2, baseline=baseline, measure="window_mean").run("out")
    said = told(made, "not-compared")
    if baseline == "ftp":
        assert said == "cbr is not compared with ftp: none of its runs has a value of window_mean"
    else:
        assert said.endswith("no run of the baseline cbr has a value of window_mean")
    assert "points none of whose runs has a value of window_mean" in told(made, "no-value")
    ftp, cbr = (made.where(variant=name) for name in ("ftp", "cbr"))
    for sides in ((ftp, cbr), (cbr, ftp)):
        with pytest.raises(acklab.MeasureError, match="none of these runs has a value of it"):
            acklab.compare(*sides, "window_mean", on=[])
    with pytest.raises(acklab.MeasureError, match="none of these runs has a value of it"):
        cbr.points("window_mean")


@pytest.mark.parametrize("table", ["flows", "points", "table", "comparison"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("both", [False, True])
def test_a_finished_study_whose_table_something_else_stands_for_is_not_finished(
    table, ending, both
):
    made = study({"every": "every", "third": THIRD})
    made.run("out")
    name = f"{table}.{ending}"
    for gone in ("csv", "parquet") if both else [ending]:
        Path("out", f"{table}.{gone}").unlink()
    os.mkfifo(Path("out", name))
    with pytest.raises(OutputError, match="is a device, a pipe or a socket") as caught:
        made.run("out")
    assert caught.value.place == str(Path("out", name))
    Path("out", name).unlink()
    assert made.run("out").runs == 12
    assert Path("out", name).is_file()


def test_a_study_goes_where_a_link_leads_that_leads_nowhere_yet():
    Path("link").symlink_to("far")
    assert study({"every": "every", "third": THIRD}).run("link").runs == 12
    assert Path("far/manifest.json").exists()


@pytest.mark.parametrize("name", ["a*b", "st[1]", "~", b"caf\xe9"])
def test_a_study_has_its_own_rows_whatever_its_folder_is_called(name):
    study({"every": "every"}, runs=2).run("aXb")
    folder = os.fsdecode(name)
    assert study({"every": "every"}).run(Path(folder)).runs == 6
    assert StudyResult.load(Path(folder)).runs == 6


def test_a_misspelt_measure_is_refused_before_anything_runs():
    misspelt = edited(("runs = 3", 'runs = 3\nmeasure = "goodputs_pps"'))
    with pytest.raises(acklab.InputError) as caught:
        Study.load(misspelt)
    assert caught.value.place == "study.toml: measure"
    assert caught.value.accepted.startswith("goodput_pps")
    with pytest.raises(acklab.InputError, match="no such measure"):
        study({"every": "every"}, measure="goodput")
    with pytest.raises(acklab.InputError, match="is no name of a measure"):
        study({"every": "every"}, measure=3)
    with pytest.raises(acklab.InputError, match="no such measure"):
        acklab.run(acklab.Scenario.load("chain.toml"), runs=1, measure="goodput")


def test_the_comparison_is_printed_and_in_the_json():
    arguments = ["sweep", "study.toml", "--out", "out"]
    text = CliRunner().invoke(cli, arguments).stdout
    table, against = text.split("against every, run by run:\n")
    assert "variant=third flow.window=8" in table
    frame = StudyResult.load("out").comparison()
    line = next(line for line in against.splitlines() if "variant=third flow.window=8" in line)
    assert f"{frame['difference'][1]:+.4g}" in line
    assert f"{frame['ratio'][1]:+.1%}" in line
    found = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert found["comparison"] == frame.to_dicts()


def test_nothing_of_an_earlier_form_stays():
    kept = ("runs = 3", 'runs = 3\nkeep = ["flows", "nodes"]')
    Study.load(edited(kept)).run("out")
    assert Path("out/nodes.parquet").exists()
    Study.load(edited(('baseline = "every"\n', ""), ("[2, 8]", "[2]"))).run("out")
    assert not list(Path("out").glob("comparison.*"))
    assert not list(Path("out").glob("nodes.*"))
    assert len(list(Path("out/scenarios").iterdir())) == 2


def test_values_that_stand_twice_are_refused():
    for values, found in (("[2, 2]", "2"), ("[2, 2.0]", "2.0"), ('[2, "2"]', "'2'")):
        with pytest.raises(acklab.InputError) as caught:
            Study.load(edited(("[2, 8]", values)))
        assert (caught.value.place, caught.value.value) == ("study.toml: grid.flow.window", found)


def test_a_dry_run_looks_at_fresh_and_at_the_place():
    made = Study.load("study.toml")
    made.run("out")
    fresh = made.dry_run("out", fresh=True)
    assert (fresh.reused, made.dry_run("out").reused) == (0, 12)
    assert fresh.seconds > 0.0
    with pytest.raises(acklab.InputError, match="is no place to run"):
        made.dry_run("out", on="mars")
    sweep = ["sweep", "study.toml", "--dry-run", "--out", "out"]
    assert "0 are there already" in CliRunner().invoke(cli, [*sweep, "--fresh"]).stdout
    assert CliRunner().invoke(cli, [*sweep, "--on", "mars"]).exception


def test_a_finished_study_is_shown_where_nothing_can_be_written(monkeypatch):
    made = Study.load("study.toml")
    before = made.run("out")
    old = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}

    def read_only(*_):
        raise OutputError("cannot be written: read-only", "out")

    monkeypatch.setattr(index.Index, "_open", read_only)
    assert made.run("out").table.equals(before.table)
    assert made.dry_run("out").reused == 12
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")} == old
    for other in (("runs = 3", "runs = 4"), ("[2, 8]", "[2, 9]")):
        with pytest.raises(OutputError, match="read-only"):
            Study.load(edited(other)).run("out")
    with pytest.raises(OutputError, match="read-only"):
        made.run("out", fresh=True)


def test_counts_and_short_times_are_words():
    one = ("[variants.third]", "[variants.third]\nflow.window = 3\n")
    edited(("[2, 8]", "[2]"), one)
    text = CliRunner().invoke(cli, ["sweep", "study.toml", "--dry-run", "--workers", "1"]).stdout
    assert "less than 1 s on 1 core\n" in text
    assert "about less" not in text


@pytest.mark.parametrize(
    ("change", "place", "value"),
    [
        (("flow.window = [2, 8]", "flow.windw = [2]"), "grid.flow.windw, at", "flow.windw = 2"),
        (("[2, 8]", "[2, 0]"), "grid.flow.window, at variant=every flow.window=0", "0"),
        (('"flow.ack" = "every"', "flow.ak = 3"), "variants.every.flow.ak, at", "flow.ak = 3"),
    ],
)
def test_a_mistake_in_a_grid_or_variant_names_file_and_key(change, place, value):
    with pytest.raises(acklab.ScenarioError) as caught:
        Study.load(edited(change))
    assert caught.value.place.startswith(f"study.toml: {place}")
    assert "chain.toml" not in caught.value.place
    assert caught.value.value == value


def test_a_title_is_a_text():
    with pytest.raises(acklab.InputError, match=r"study.toml: title: is no text .*'a'"):
        Study.load(edited(('title = "thin"', 'title = ["a"]')))


def test_a_precision_may_be_said_as_in_a_file_and_is_checked():
    assert study({"every": "every"}, precision="2 %").plan.precision == 0.02
    for wrong in (-0.1, 2.0, "2", True):
        with pytest.raises(acklab.InputError, match="is no precision"):
            study({"every": "every"}, precision=wrong)
        with pytest.raises(acklab.InputError, match="is no precision"):
            acklab.run(acklab.Scenario.load("chain.toml"), precision=wrong)
    made = acklab.run(acklab.Scenario.load("chain.toml"), 2, precision="99 %", max_runs=2)
    assert made.runs == 2


def test_points_that_failed_are_not_counted_as_wide():
    options = {"precision": 0.5, "max_runs": 4, "baseline": None}
    result = study({"every": "every", "mine": Fails()}, **options).run("out")
    assert codes(result) == ["no-interval", "run-failed"]
    assert [w["count"] for w in result.manifest["warnings"]] == [2, 6]
    narrow = study({"every": "every"}, precision=0.0001, max_runs=4, title="b").run("narrow")
    said = told(narrow, "interval-too-wide")
    assert said.startswith("goodput_pps is not within ± 0.01 % after")
    assert said.endswith(
        "after 4 runs, the cap, at variant=every flow.window=2, variant=every flow.window=8"
    )


def test_points_whose_measure_is_zero_in_all_runs_are_named():
    result = study({"every": "every"}, precision=0.5, measure="retry_drops").run("out")
    assert codes(result) == ["all-zero"]
    said = told(result, "all-zero")
    assert said.startswith("retry_drops was 0 in all runs at variant=every flow.window=2, variant=")
    assert codes(study({"every": "every"}, measure="retry_drops", title="b").run("b")) == []


def test_a_very_wide_interval_is_said_without_a_wished_precision(monkeypatch):
    from acklab.study import warnings

    monkeypatch.setattr(warnings, "_WIDE", 1e-9)
    result = study({"every": "every"}).run("out")
    assert "wider than" in told(result, "interval-too-wide")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda chain: Study("chain.toml"), "is no scenario .*Study.load"),
        (lambda chain: Study(chain, {"flow.window": 8}), "grid.flow.window: has no list"),
        (lambda chain: Study(chain, {"flow.window": "28"}), "grid.flow.window: has no list"),
        (lambda chain: Study(chain, ["flow.window"]), "grid: is no table"),
        (lambda chain: Study(chain, variants={"a": None}), "variants.a: is no table of changes"),
        (lambda chain: Study(chain, variants={"a": {"flow.ack": Fails}}), "is a class of policies"),
        (lambda chain: Study(chain, keep="flows"), "keep: is no list of texts"),
        (lambda chain: Study(chain, {"flow.window": [{1}]}), "is no value of a scenario"),
        (lambda chain: Study(chain, {"flow.window": {2, 8}}), "grid.flow.window: has no order"),
        (lambda chain: Study(chain, {"flow.window": [3, "3"]}), "reads like a number"),
        (lambda chain: Study(chain, {"link.arp": [True, "True"]}), "has a value twice"),
        (lambda chain: Study(chain, variants={"a": {}}, baseline=["a"]), "baseline: is no variant"),
        (lambda chain: chain.with_("flow.window=3"), "are no changes"),
        (lambda chain: chain.with_({3: 4}), "is no dotted key"),
        (lambda chain: acklab.Scenario.from_dict("chain.toml"), "is no tree .*Scenario.load"),
        (lambda chain: acklab.run("chain.toml"), "is no scenario"),
        (lambda chain: acklab.run(chain, runs="3"), "is no whole number"),
        (lambda chain: acklab.run(chain, 3, max_runs=9), "max_runs: belongs to precision"),
        (lambda chain: Study(chain, runs=3, max_runs=9), "max_runs: belongs to precision"),
        (lambda chain: Study(chain, {"a": range(10**15)}), "grid: are too many runs to hold"),
        (
            lambda chain: Study(chain, {c: range(99) for c in "abcd"}),
            "found: 96059601 points of 10",
        ),
        (lambda chain: Study(chain, {"a": [1, 2]}, runs=10**6), "runs: are too many runs to hold"),
        (lambda chain: acklab.run(chain, seed=0.5), "is no whole number"),
    ],
)
def test_what_makes_no_sense_in_python_is_an_error_that_says_so(make, said):
    with pytest.raises(acklab.InputError, match=said):
        make(acklab.Scenario.load("chain.toml"))


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    chain = acklab.Scenario.load("chain.toml")
    made = Study(chain, {"flow.window": numpy.array([2, 8])})
    assert [point.labels["flow.window"] for point in made.points] == [2, 8]
    assert chain.with_({"flow.window": numpy.int64(4)}) == chain
    removed = Study(chain, {"flow.window": [2, None]})
    assert [point.name for point in removed.points] == [
        "flow.window=2",
        "flow.window=default",
    ]


def test_frames_and_labels_are_asked_for_by_their_names():
    result = study({"every": "every", "third": THIRD}).run("out")
    with pytest.raises(acklab.InputError, match=r"'runs'\); accepted: run, flow, node, sample"):
        result.frame("runs")
    with pytest.raises(acklab.InputError, match=r"was not kept .*accepted: run, flow$"):
        result.frame("node")
    third, every = result.where(variant="third"), result.where(variant="every")
    one = acklab.compare(third, every, on="flow.window")
    assert isinstance(one, polars.DataFrame)
    assert one.equals(acklab.compare(third, every, on=["flow.window"]))
