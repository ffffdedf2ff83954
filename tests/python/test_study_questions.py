"""Odd questions, and folders with odd rights: each means what it says, or is refused by name."""

import errno
import itertools
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

import acklab
from acklab import places
from acklab.errors import InputError, OutputError, StudyInterrupted
from acklab.store import code_identity
from acklab.study import Study, StudyResult, campaign, finish
from acklab.study.cache import Cache
from acklab.study.index import RunKey
from acklab.study.rounds import runs_for
from study_folder import edited

pytestmark = pytest.mark.usefixtures("study_folder", "no_cache")

MOVING = """
scenario.duration = "5 s"
scenario.topology = { kind = "chain", nodes = 3, spacing = "200 m" }
scenario.flow = [{ kind = "ftp", window = 4 }]
scenario.moving = [{ nodes = [2], motion = { kind = "setdest", script_file = "moves.ns" } }]
runs = 1
"""

DRIVE = '$ns_ at 0.1 "$node_(2) setdest {x} 0.0 1000.0"\n'


def packets(study):
    return study.run("out", fresh=True).table["goodput_pps"].sum()


def test_a_base_scenario_that_is_not_there_is_told_of_the_study_that_names_it():
    Path("alone.toml").write_text('scenario = "nothere.toml"')
    for study in (Path("alone.toml"), Path("alone.toml").resolve()):
        with pytest.raises(InputError, match="cannot be read") as caught:
            Study.load(study)
        assert caught.value.place == f"{study}: {study.parent / 'nothere.toml'}"
    # One name may be a part of the other.
    Path("alone.toml").write_text('scenario = "stand-alone.toml"')
    with pytest.raises(InputError, match="cannot be read") as caught:
        Study.load("alone.toml")
    assert caught.value.place == "alone.toml: stand-alone.toml"


def test_the_only_point_leaves_no_gap_in_a_place():
    base = (
        Path("chain.toml")
        .read_text()
        .replace('kind = "ftp"', 'kind = "ftp"\nack = { policy = "own", name = "x" }')
    )
    Path("own.toml").write_text(base)
    Path("alone.toml").write_text('scenario = "own.toml"')
    with pytest.raises(InputError, match="no policy of this name") as caught:
        Study.load("alone.toml")
    assert caught.value.place == "alone.toml: flow[0].ack.name"


def test_a_script_stands_beside_the_study_that_names_it():
    Path("sub").mkdir()
    Path("sub/study.toml").write_text(MOVING)
    with pytest.raises(InputError, match="cannot be read") as caught:
        Study.load("sub/study.toml")
    assert "sub/study.toml: scenario: moving[0].motion.script_file" in caught.value.place
    Path("sub/moves.ns").write_text(DRIVE.format(x="9000.0"))
    Path("moves.ns").write_text(DRIVE.format(x="401.0"))
    away = packets(Study.load("sub/study.toml"))
    Path("sub/moves.ns").write_text(DRIVE.format(x="401.0"))
    assert away < packets(Study.load("sub/study.toml"))


def test_a_script_gives_way_to_one_that_a_point_names():
    for name, x in (("near.ns", "401.0"), ("far.ns", "9000.0")):
        Path(name).write_text(DRIVE.format(x=x))
    text = MOVING.replace("moves.ns", "near.ns")
    Path("study.toml").write_text(
        text + 'grid."moving.0.motion.script_file" = ["near.ns", "far.ns"]\n'
    )
    near, far = Study.load("study.toml").run("out").table["goodput_pps"]
    assert far < near


def test_a_variant_has_the_last_word_on_each_of_its_keys():
    changes = {
        "flow.ack": {"policy": "delayed", "interval": "300 ms"},
        "flow.ack.count": 4,
    }
    base = acklab.Scenario.load("chain.toml")
    with_grid = Study(base, grid={"flow.ack.count": [2, 3]}, variants={"v": changes})
    alone = Study(base, variants={"v": changes})
    assert {point.key for point in with_grid.points} == {alone.points[0].key}


@pytest.mark.parametrize(
    ("place", "edit"),
    [
        ("grid", ("flow.window = [2, 8]", 'flow.window = [2, 8]\n"flow.window" = [3]')),
        ("variants.every", ('"flow.ack" = "every"', '"flow.ack" = "every"\nflow.ack = "rfc5681"')),
    ],
)
def test_a_key_with_and_without_quotes_stands_twice(place, edit):
    with pytest.raises(InputError, match="stands twice") as caught:
        Study.load(edited(edit))
    assert caught.value.place == f"study.toml: {place}"


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("flow", [[{"kind": "ftp", "window": 2}], [{"kind": "ftp", "window": 3}]]),
        ("measure", [{"sample": "1 s"}, {"sample": "0.5 s"}]),
    ],
)
def test_a_key_that_is_another_column_is_refused_before_anything_runs(key, values):
    base = acklab.Scenario.load("chain.toml")
    with pytest.raises(InputError, match="another column") as caught:
        Study(base, grid={key: values})
    assert caught.value.place == f"grid.{key}"
    variants = {str(number): {key: value} for number, value in enumerate(values)}
    assert Study(base, variants=variants, runs=1).run("out").runs == 2


def test_a_variant_may_be_of_another_kind():
    grid = 'topology = { kind = "grid", rows = 2, columns = 2, spacing = "200 m" }'
    made = Study.load(edited(('"flow.ack" = "every"', grid)))
    assert made.points[0].scenario.to_dict()["topology"]["kind"] == "grid"
    # Of the same kind, a table changes what it names.
    longer = Study.load(edited(('"flow.ack" = "every"', "topology = { nodes = 4 }")))
    tree = longer.points[0].scenario.to_dict()
    assert (tree["topology"]["nodes"], tree["topology"]["spacing"]) == (4, "200 m")


def test_a_fresh_start_that_is_cut_off_at_the_tables_goes_on_from_there(monkeypatch):
    Study.load("study.toml").run("out")

    def cut_off(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(finish, "summary", cut_off)
        with pytest.raises(StudyInterrupted):
            Study.load("study.toml").run("out", fresh=True)
    assert Study.load("study.toml").dry_run("out", fresh=True).reused == 12
    assert Study.load("study.toml").run("out", fresh=True).manifest["reused_runs"] == 12
    assert Study.load("study.toml").run("out", fresh=True).manifest["new_runs"] == 12


def test_an_index_that_was_emptied_is_damaged():
    Study.load("study.toml").run("out")
    batches = sorted(Path("out/batches").iterdir())
    Path("out/index.sqlite").write_bytes(b"")
    with pytest.raises(InputError, match="is damaged: the file is empty"):
        Study.load("study.toml").run("out")
    assert sorted(Path("out/batches").iterdir()) == batches
    Path("out/index.sqlite").unlink()
    assert Study.load("study.toml").run("out").manifest["new_runs"] == 12


def test_a_request_to_end_before_the_index_is_open_is_one(monkeypatch):
    def cut_off(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(campaign, "Index", cut_off)
    with pytest.raises(StudyInterrupted, match="0 of 12 runs"):
        Study.load("study.toml").run("out")


def test_a_folder_that_is_there_asks_nothing_of_the_one_around_it(monkeypatch, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path and allowed(path, mode))
    probed = []
    temporary = places.tempfile.TemporaryFile

    def named(**how):
        probed.append(Path(how["dir"]))
        return temporary(**how)

    monkeypatch.setattr(places.tempfile, "TemporaryFile", named)
    for kind in ("study", "reproduction"):
        places.check_folder(mine, kind, look=True)
        places.check_folder(mine, kind)
    assert probed == [mine, mine]
    for flags, why in ((0, "Permission denied"), (os.ST_RDONLY, "Read-only file system")):
        monkeypatch.setattr(os, "statvfs", lambda _, flags=flags: SimpleNamespace(f_flag=flags))
        with pytest.raises(OutputError, match=why):
            places.check_folder(mine, "run", look=True)


@pytest.fixture
def locked(monkeypatch):
    """A folder that nobody may look into."""
    there = Path.exists

    def exists(path):
        if "locked" in path.parts:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return there(path)

    monkeypatch.setattr(Path, "exists", exists)
    return Path("locked")


def test_a_place_that_nobody_may_look_into_is_named(locked):
    study = Study.load("study.toml")
    for ask in (study.run, study.dry_run):
        with pytest.raises(OutputError, match="cannot be written: Permission denied") as caught:
            ask(locked / "out")
        assert "locked/out" in caught.value.place


def test_a_name_that_is_too_long_is_named():
    with pytest.raises(OutputError, match="File name too long"):
        Study.load("study.toml").run("x" * 300)


def test_a_cache_that_nobody_may_look_into_stops_no_study(locked):
    cache = Cache(code_identity(), locked / "studies.sqlite")
    assert cache.find([RunKey("a", 1, 0)]) == {}


def test_a_cache_that_was_asked_for_and_cannot_be_used_is_named_once(monkeypatch, caplog):
    Path("file").touch()
    monkeypatch.setenv("ACKLAB_CACHE", "file/cache")
    for title in ("one", "other"):
        Study.load(edited(('"thin"', f'"{title}"'))).run(title)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("ACKLAB_CACHE: file/cache cannot be used (Not a directory): ")


def test_a_holder_that_nobody_may_look_into_is_passed_over(locked, tmp_path):
    cache = Cache(code_identity(), tmp_path / "cache" / "studies.sqlite")
    key = RunKey("a", 1, 0)
    Path("zz").mkdir()
    Path("zz/index.sqlite").touch()
    for folder in (locked, Path("zz")):
        cache.add(folder, [key])
    assert cache.find([key]) == {Path("zz").resolve(): [key]}


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("ACKLAB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", home)
    assert Cache("code").path is None


def test_no_precision_is_too_fine():
    assert runs_for(acklab.Estimate(1.0, 0.5, 10), 5e-324, 10) == 20


def test_progress_is_shown_again_soon_after_two_slow_looks(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(campaign.time, "monotonic", lambda: float(next(clock)))
    made = campaign.Campaign.__new__(campaign.Campaign)
    made._show_at, made._show_costs = 0.0, (0.0, 0.0, 0.0)
    made.progress, made.started, made.targets = (lambda _: None), 0.0, {}
    made._left, made._walls, made._done_here = campaign.Counter(), {}, set()
    made.failures, made.plan = {}, Study.load("study.toml").plan
    made.backend = type("Backend", (), {"workers": 1})()
    # Each look takes a second by this clock, and the next one begins a second later.
    waits = []
    for done in (1.0, 3.0, 5.0):
        made._show(force=True)
        waits.append(made._show_at - done)
    soon = campaign._SHOW_EVERY_S
    assert waits == pytest.approx([soon, soon, campaign._SHOW_SHARE])


@pytest.mark.parametrize("path", [5, b"x", "a\0b"])
def test_what_is_no_path_of_a_folder_is_refused(path):
    study = Study.load("study.toml")
    for ask in (study.run, study.dry_run, StudyResult.load):
        with pytest.raises(InputError, match="is no path of a file"):
            ask(path)


def test_what_is_no_label_is_refused():
    result = Study.load("study.toml").run("out")
    with pytest.raises(InputError, match="are no labels"):
        result.where(5)
    each = result.where(variant="every"), result.where(variant="third")
    once = acklab.compare(*each, "goodput_pps", on=["flow.window"])
    assert acklab.compare(*each, "goodput_pps", on=["flow.window", "flow.window"]).equals(once)
    with pytest.raises(InputError, match="half a character"):
        Study(acklab.Scenario.load("chain.toml"), variants={"\ud800": {}})


def test_precision_goes_on_where_one_of_the_first_runs_tells_the_measure():
    """As `acklab.run` does, by the same rule."""
    short = {"kind": "sessions", "size": {"law": "pareto", "mean": "10000 B", "shape": 1.5}}
    chain = acklab.Scenario.load("chain.toml").with_(
        {"duration": "1.3 s", "measure": {"from": "0 s"}, "topology.nodes": 4, "flow": [short]}
    )
    wished = {"precision": 0.3, "max_runs": 40, "measure": "session_delay_mean_s", "runs": 4}
    alone = acklab.run(chain, **wished)
    told = alone.measures["session_delay_mean_s"].n
    assert told < alone.runs
    assert Study(chain, **wished).run("out").runs == alone.runs
