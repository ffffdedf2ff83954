"""Studies whose folder others change, whose files are damaged, or whose points differ in kind."""

import errno
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import polars
import pytest

import acklab
from acklab import batch
from acklab.batch import Job, execute
from acklab.errors import InputError, OutputError
from acklab.store import code_identity
from acklab.study import Study, StudyResult, campaign, finish
from acklab.study.backends import Threads
from acklab.study.campaign import Campaign
from acklab.study.index import Index
from study_folder import BASE, OneByOne, begin_afresh, edited, start, tables

pytestmark = pytest.mark.usefixtures("study_folder")

SESSIONS = BASE.replace('"ftp"', '"sessions"\nsize = "3 kB"\npause = "100 ms"')


def lose_a_batch():
    for path in Path("out/batches").glob("*"):
        path.unlink()


@pytest.mark.parametrize("loss", ["afresh", "lost"])
def test_runs_that_go_while_a_study_is_at_work_are_done_again(loss, monkeypatch, no_cache):
    # What one process has written cannot be at hand in another one.
    monkeypatch.setattr(campaign, "_ROWS_AT_HAND", 0)
    monkeypatch.setattr(campaign, "_WRITE_ROWS", 3)
    study = Study.load(edited(("runs = 3", "runs = 10")))
    study.run("whole")
    call = {"afresh": lambda: begin_afresh(study), "lost": lose_a_batch}[loss]
    work = start(study, OneByOne(20, call))
    work.execute()
    finish.finish(work)
    assert work.new > 40
    assert work.reused == 0
    assert tables(Path("out")) == tables(Path("whole"))


def test_who_begins_afresh_before_the_last_run_and_goes_again_is_noticed(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(campaign, "_WRITE_ROWS", 3)
    study = Study.load(edited(("runs = 3", "runs = 10")))
    start(study, OneByOne(40, lambda: begin_afresh(study))).execute()
    assert study.run("out").manifest["new_runs"] == 0


def test_runs_that_were_there_are_counted_right_whatever_is_lost(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_WRITE_ROWS", 3)
    Study.load("study.toml").run("out")
    there = set(Path("out/batches").iterdir())

    def lose_new_ones():
        for path in set(Path("out/batches").iterdir()) - there:
            path.unlink()

    states = []
    work = start(Study.load(edited(("runs = 3", "runs = 10"))), OneByOne(20, lose_new_ones))
    work.progress = states.append
    work.execute()
    assert work.new > 28
    assert (work.reused, states[-1].reused) == (12, 12)


def test_how_far_a_study_is_costs_no_more_the_more_runs_it_has(no_cache, monkeypatch):
    asked = []
    missing = Campaign._missing
    monkeypatch.setattr(Campaign, "_missing", lambda self: asked.append(1) or missing(self))
    monkeypatch.setattr(campaign, "_SHOW_EVERY_S", 0.0)
    monkeypatch.setattr(campaign, "_SHOW_SHARE", 0.0)
    states = []
    work = start(Study.load(edited(("runs = 3", "runs = 30"))), OneByOne(1000, lambda: None))
    work.progress = states.append
    work.execute()
    assert [state.done for state in states[:120]] == list(range(1, 121))
    assert all(state.left_s > 0.0 for state in states[:119])
    assert states[-1].left_s == 0.0
    assert len(asked) < 12


def test_runs_that_go_while_tables_are_made_are_an_error(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_ROWS_AT_HAND", 0)
    study = Study.load("study.toml")
    work = start(study, Threads(1))
    work.execute()
    lose_a_batch()
    with pytest.raises(OutputError, match="lost runs while its tables were made") as caught:
        finish.finish(work)
    assert caught.value.value == "0 runs"
    assert not Path("out/manifest.json").exists()
    assert study.run("out").runs == 12


def test_measures_of_other_runs_in_the_same_files_change_no_table(monkeypatch):
    plain = Study(acklab.Scenario.parse(BASE), runs=3, keep=["flows"])
    other = Study(acklab.Scenario.parse(SESSIONS), runs=3, keep=["flows"])
    with monkeypatch.context() as alone:
        alone.setenv("ACKLAB_CACHE", "off")
        clean = plain.run("clean")
        other.run("both")
        plain.run("both")
    assert set(other.run("lender").measures) - set(clean.measures)
    plain.run("lender")
    assert plain.run("borrower").manifest["reused_runs"] == 3
    for folder in ("both", "lender", "borrower"):
        for name in ("table.csv", "table.parquet", "flows.csv", "flows.parquet", "points.csv"):
            same = Path(folder, name).read_bytes() == Path("clean", name).read_bytes()
            assert same, f"{folder}/{name}"


def test_a_measure_that_some_points_lack_is_no_matter_of_progress(no_cache):
    # At first, points are there of which no run has got so far as to tell the measure.
    slow = acklab.Scenario.parse(SESSIONS).with_({"duration": "60 s"})
    options = {"runs": 3, "max_runs": 6, "precision": 0.5, "measure": "session_delay_mean_s"}
    found = []
    for name, shown in (("silent", None), ("shown", lambda state: None)):
        study = Study(slow, {"duration": ["1.02 s", "60 s"]}, **options)
        found.append(study.run(name, progress=shown).frame())
    assert found[0].equals(found[1])
    assert found[0]["session_delay_mean_s"].null_count() > 0


def test_somebody_is_told_while_no_run_finishes(monkeypatch):
    monkeypatch.setattr(batch, "_POLL_S", 0.001)
    long = acklab.Scenario.parse(BASE).with_({"duration": "1000 s"})
    groups = list(Threads(1).run([Job(long.resolve(), 1, 0)]))
    assert groups.count([]) > 3
    assert [index for group in groups for index, _ in group] == [0]
    assert len(list(execute([Job(long.resolve(), 1, 0)], 1))) == 1


def test_what_is_finished_is_written_while_a_long_run_goes_on(monkeypatch, no_cache):
    monkeypatch.setattr(batch, "_POLL_S", 0.001)
    monkeypatch.setattr(campaign, "_WRITE_EVERY_S", 0.0)
    study = Study(acklab.Scenario.parse(BASE), {"duration": ["2 s", "20000 s"]}, runs=1)
    seen = []

    def look(state):
        seen.append((state.done, len(list(Path("out").glob("batches/*.parquet")))))

    study.run("out", workers=1, progress=look)
    # One run, in two files: its own row and its flows'.
    assert (1, 2) in seen


def damaged(name, page):
    """A copy of the study's folder with noise in one page of its index."""
    shutil.copytree("out", name)
    with Path(name, "index.sqlite").open("r+b") as file:
        file.seek(page * 4096)
        file.write(random.Random(page).randbytes(4096))


def complaint(call, folder):
    """What acklab says against a folder, if anything."""
    try:
        call(folder)
    except InputError as error:
        return str(error)
    return None


def test_damage_anywhere_in_an_index_is_named(no_cache):
    study = Study.load(edited(("runs = 3", "runs = 30")))
    study.run("out")
    named = set()
    for page in range(Path("out/index.sqlite").stat().st_size // 4096):
        for call in ("run", "dry_run"):
            damaged(f"{call}{page}", page)
            said = complaint(getattr(study, call), f"{call}{page}")
            assert said is None or f"{call}{page}" in said
            named |= {page} if said else set()
    assert len(named) > 3


def test_a_damaged_index_of_another_study_is_passed_over():
    study = Study.load(edited(("runs = 3", "runs = 30")))
    study.run("out")
    pages = Path("out/index.sqlite").stat().st_size // 4096
    whole = Path("out/index.sqlite").read_bytes()
    for page in range(pages):
        shutil.rmtree("again", ignore_errors=True)
        noise = random.Random(page).randbytes(4096)
        Path("out/index.sqlite").write_bytes(
            whole[: page * 4096] + noise + whole[(page + 1) * 4096 :]
        )
        assert study.run("again", fresh=False).runs == 120


def test_a_dry_run_counts_what_other_studies_can_lend():
    Study.load("study.toml").run("lender")
    nodes = Study.load(edited(("runs = 3", 'runs = 3\nkeep = ["nodes"]')))
    assert nodes.dry_run("out").reused == 0
    assert nodes.run("out").manifest["reused_runs"] == 0
    flows = Study.load(edited(("runs = 3", "runs = 5")))
    assert flows.dry_run("more").reused == 12
    assert flows.run("more").manifest["reused_runs"] == 12


def test_a_dry_run_makes_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", str(tmp_path / "caches"))
    Study.load("study.toml").dry_run("out")
    assert not (tmp_path / "caches").exists()


def test_a_lender_is_left_as_it_is():
    Study.load("study.toml").run("lender")
    held = {path: path.stat().st_mtime_ns for path in Path("lender").rglob("*")}
    assert Study.load("study.toml").run("out").manifest["reused_runs"] == 12
    assert {path: path.stat().st_mtime_ns for path in Path("lender").rglob("*")} == held


KILLED = """
import os
import acklab
from acklab.study import finish
write = finish._write
def once(folder, name, frame):
    (folder / f".{name}.parquet.abcd1234").write_bytes(b"half of it")
    write(folder, name, frame)
    os._exit(9)
finish._write = once
acklab.Study.load("study.toml").run("out")
"""


def test_a_kill_among_the_tables_leaves_no_manifest_of_an_earlier_form(no_cache):
    Study.load("study.toml").run("out")
    edited(("[2, 8]", "[3, 4]"), ("runs = 3", "runs = 2"))
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == 9
    with pytest.raises(InputError, match="holds no finished study"):
        StudyResult.load("out")
    assert list(Path("out").glob(".table.*"))
    assert Study.load("study.toml").run("out").manifest["reused_runs"] == 8
    assert not list(Path("out").glob(".table.*"))


def test_a_manifest_of_the_same_question_stays_while_tables_are_written(no_cache):
    Study.load("study.toml").run("out")
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == 9
    assert StudyResult.load("out").runs == 12


@pytest.mark.parametrize(
    ("kind", "met"),
    [(polars.Float64, [2.0, 8.0]), (polars.String, ["2", "8"]), (polars.Int64, [2, 8])],
)
def test_labels_of_different_types_are_compared(kind, met, no_cache):
    a = Study(acklab.Scenario.parse(BASE), {"flow.window": [2, 8]}, runs=2).run("a")
    # As the column is where a fraction, or a word, stands in the same grid.
    table = a.table.with_columns(polars.col("flow.window").cast(kind))
    b = StudyResult(a.title, a.folder, a.labels, table, a.manifest)
    for left, right in ((a, b), (b, a)):
        found = acklab.compare(left, right, on="flow.window", measure="goodput_pps")
        assert found["flow.window"].to_list() == met
        assert found["difference"].to_list() == [0.0, 0.0]


@pytest.mark.parametrize("text", ["[]", '{"kind": "study"}', '{"kind": "study", "title": "a"}'])
def test_a_manifest_that_says_too_little_is_no_study(text):
    Study.load("study.toml").run("out")
    Path("out/manifest.json").write_text(text)
    with pytest.raises(InputError, match="holds no finished study"):
        StudyResult.load("out")
    assert Study.load("study.toml").run("out").runs == 12


@pytest.mark.parametrize("noise", [b"", b"junk" * 100])
def test_damaged_tables_are_named(noise):
    result = Study.load("study.toml").run("out")
    for name, ask in (("flows", lambda: result.frame("flow")), ("comparison", result.comparison)):
        Path("out", f"{name}.parquet").write_bytes(noise)
        with pytest.raises(InputError, match="is damaged") as caught:
            ask()
        assert f"{name}.parquet" in caught.value.place
    Path("out/table.parquet").write_bytes(noise)
    with pytest.raises(InputError, match=r"table\.parquet: is damaged"):
        StudyResult.load("out")
    assert Study.load("study.toml").run("out").comparison().height > 0


def test_an_index_without_its_file_sweeps_only_what_is_ours(no_cache):
    Study.load("study.toml").run("out")
    kept = [Path("out/.hidden"), Path("out/.notes.txt.abcd1234"), Path("out/.lock")]
    for path in kept:
        path.touch()
    left = [Path("out/.points.csv.a1b2c3d4"), Path("out/scenarios/.x.toml.a_b2c3d4")]
    for path in left:
        path.touch()
    Study.load("study.toml").run("out")
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left)
    assert json.loads(Path("out/manifest.json").read_text())["kind"] == "study"


def test_samples_are_kept_only_where_some_are_taken():
    with pytest.raises(InputError, match=r"no point takes samples.*measure\.sample"):
        Study(acklab.Scenario.parse(BASE), keep=["samples"])
    sampled = acklab.Scenario.parse(BASE).with_({"measure.sample": "500 ms"})
    result = Study(sampled, keep=["samples"], runs=1).run("out")
    assert result.frame("sample").height > 0


def test_a_finished_study_with_a_precision_is_known_as_that(no_cache):
    wish = {"runs": 2, "max_runs": 4, "precision": 0.5}
    base, grid = acklab.Scenario.parse(BASE), {"flow.window": [2, 8]}
    study = Study(base, grid, **wish)
    study.run("out")
    assert study._finished(Path("out"))
    capped = Study(base, grid, **wish | {"precision": 1e-9})
    capped.run("capped")
    assert capped._finished(Path("capped"))
    for other in ({"precision": 0.4}, {"runs": 5}):
        assert not Study(base, grid, **wish | other | {"max_runs": 9})._finished(Path("out"))
    assert not Study(base, grid, **wish | {"precision": 1e-9, "max_runs": 5})._finished(
        Path("capped")
    )


def test_a_disk_without_locks_is_named(monkeypatch, no_cache):
    import fcntl

    Path("out").mkdir()
    index = Index(Path("out"), code_identity())

    def refused(*what):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    for ask in (index.shared, lambda: index.forget(1, ["a"]), Study.load("study.toml").run):
        with pytest.raises(OutputError, match="No locks available") as caught:
            ask()
        assert caught.value.place.endswith("index.sqlite")
    index.close()
