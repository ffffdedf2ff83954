"""One folder, several studies: each tells its own numbers, or that they have gone."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import polars
import pytest

import acklab
from acklab.errors import InputError, OutputError
from acklab.places import TEMPORARY
from acklab.store import code_identity
from acklab.study import Study, StudyResult, archive, borrowing, campaign, finish
from acklab.study.backends import Threads
from acklab.study.index import Index, RunKey
from acklab.study.progress import POINT_S
from acklab.study.result import ASKED
from study_folder import edited, start, tables

pytestmark = pytest.mark.usefixtures("study_folder", "no_cache")

HOW = {"version", "created", "command", "machine", "new_runs", "reused_runs", "failures", "workers"}


def test_a_manifest_says_what_was_asked_and_how_it_came_about():
    Study.load("study.toml").run("out")
    told = set(json.loads(Path("out/manifest.json").read_text()))
    assert told == {*ASKED, *HOW, "elapsed_s", "policies", "runs_cpu_s", "warnings"}


@pytest.mark.parametrize(
    "edit",
    [('"goodput_pps"', '"timeouts"'), ("[2, 8]", "[3, 4]"), ("runs = 3", "runs = 2")],
)
def test_a_result_whose_folder_another_study_took_says_so(edit):
    first = edited(("runs = 3", 'runs = 3\nmeasure = "goodput_pps"'))
    earlier = Study.load(first).run("out")
    before = earlier.comparison()
    table = earlier.table
    again = Study.load(first).run("out")
    assert earlier.comparison().equals(before)
    edited(("runs = 3", 'runs = 3\nmeasure = "goodput_pps"'), edit)
    later = Study.load("study.toml").run("out")
    for ask in (earlier.comparison, lambda: again.frame("flow")):
        with pytest.raises(InputError, match="no longer holds this study") as caught:
            ask()
        assert caught.value.place == "out"
    assert earlier.table.equals(table)
    assert later.comparison().height > 0


def test_tables_are_written_and_read_by_one_at_a_time():
    Study.load("study.toml").run("whole")
    Path("out").mkdir()
    found = []
    with closing(Index(Path("out"), code_identity())) as other:
        writer = threading.Thread(
            target=lambda: found.append(Study.load("study.toml").run("out")), daemon=True
        )
        with other.exclusively():
            writer.start()
            writer.join(3.0)
            assert not found
            assert not Path("out/manifest.json").exists()
        writer.join(60.0)
    assert [result.runs for result in found] == [StudyResult.load("whole").runs]
    assert tables(Path("out")) == tables(Path("whole"))


def test_a_bit_that_flips_in_a_stored_run_is_named_wherever_it_is():
    study = Study.load(edited(("runs = 3", 'runs = 3\nkeep = ["flows"]')))
    study.run("out")
    draw = random.Random(1)
    for path in sorted(Path("out/batches").iterdir()):
        whole = path.read_bytes()
        inside = range(4, len(whole) - 4)
        for place in draw.sample(inside, 12):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << draw.randrange(8)
            path.write_bytes(damaged)
            with pytest.raises(InputError, match="is damaged") as caught:
                study.run("out")
            assert Path(caught.value.place) == path
        path.write_bytes(whole)
    assert study.run("out").manifest["reused_runs"] == 12


def test_an_index_that_knows_no_sums_is_read_as_before():
    study = Study.load("study.toml")
    study.run("out")
    with closing(sqlite3.connect("out/index.sqlite")) as database:
        database.execute("DROP TABLE sums")
        database.commit()
    assert study.dry_run("out").reused == 12
    with closing(Index(Path("out"), code_identity(), look=True)) as index:
        assert index.contents().sums == {}
    assert study.run("out").manifest["reused_runs"] == 12


def test_a_table_that_makes_polars_panic_is_named(monkeypatch):
    def panic(_):
        raise polars.exceptions.PanicException("range start index 9 out of range")

    result = Study.load("study.toml").run("out")
    monkeypatch.setattr(polars, "read_parquet", panic)
    with pytest.raises(InputError, match="is damaged: range start"):
        result.frame("flow")


def test_labels_that_change_nothing_are_told():
    acks = {"policy": "delayed", "count": 2, "interval": "100 ms", "timer": "first-waiting"}
    base = acklab.Scenario.load("chain.toml").with_({"flow.ack": acks})
    study = Study(
        base,
        {"flow.ack.count": [2, 4]},
        variants={"as it comes": {}, "short": {"flow.ack": acks | {"interval": "10 ms"}}},
        runs=2,
    )
    told = study.run("out").manifest["warnings"]
    found = [warning for warning in told if warning["code"] == "same-scenario"]
    assert [warning["count"] for warning in found] == [2]
    same = "variant=short flow.ack.count=2 and variant=short flow.ack.count=4"
    assert found[0]["message"].endswith(same)


@pytest.mark.parametrize(
    ("left", "goes_on"),
    [
        ([".lock"], True),
        ([".acklab.k2j1h3g4"], True),
        ([".lock", ".acklab.k2j1h3g4", "index.sqlite"], True),
        ([".lock", f"batches/{'3f' * 16}.parquet", f"batches/.{'4e' * 16}.flows.parquet"], True),
        ([".lock", "table.csv", ".points.csv.k2j1h3g4"], True),
        ([".lock", "letter.txt"], False),
        ([".lock", "batches/letter.txt"], False),
        ([".lock", "scenarios/precious.toml"], False),
        ([".acklab.k2j1h3g4", "scenarios/precious.toml"], False),
        ([".acklab.toml"], False),
        ([f"batches/{'3f' * 16}.parquet"], False),
    ],
    ids=str,
)
def test_what_a_process_left_that_was_killed_as_it_began_is_no_hindrance(left, goes_on):
    for name in left:
        path = Path("out", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    study = Study.load("study.toml")
    if goes_on:
        assert study.run("out").manifest["new_runs"] == 12
        assert not list(Path("out").glob(".acklab.*"))
        assert not any(Path("out", name).exists() for name in left if name.startswith("batches"))
    else:
        with pytest.raises(OutputError, match="no result of acklab"):
            study.run("out")
        assert all(Path("out", name).exists() for name in left)


@pytest.mark.parametrize("lost", ["[!.]*.*", "[im]*.*"])
def test_a_study_that_lost_its_index_before_it_ended_begins_again(lost):
    study = Study.load("study.toml")
    study.run("whole")
    shutil.copytree("whole", "out")
    # Killed before the tables, or behind them.
    for written in Path("out").glob(lost):
        written.unlink()
    assert study.run("out").manifest["new_runs"] == 12
    assert tables(Path("out")) == tables(Path("whole"))


TOGETHER = """
import multiprocessing, sys
from pathlib import Path
from acklab.study.index import Index
from acklab.study.study import _prepared

def begin(start, place):
    start.wait()
    Index(_prepared(place), "code").close()

fork = multiprocessing.get_context("fork")
failed = 0
for turn in range(60):
    start, place = fork.Barrier(4), Path(f"r{turn}", "a", "b")
    if turn % 2:
        place.mkdir(parents=True)
    children = [fork.Process(target=begin, args=(start, place)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    failed += sum(child.exitcode != 0 for child in children)
print(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin in one instant")
def test_processes_that_begin_a_study_together_do_not_refuse_each_other(tmp_path):
    command = [sys.executable, "-c", TOGETHER]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == "0", ended.stderr[-2000:]


def test_what_begins_as_a_trial_and_is_none_stays():
    study = Study.load("study.toml")
    study.run("out")
    Path("out/.acklab.toml").touch()
    Path("out/.acklab.k2j1h3g4").mkdir()
    study.run("out")
    assert Path("out/.acklab.toml").exists()
    assert Path("out/.acklab.k2j1h3g4").exists()


def test_the_time_left_counts_tables_and_says_when_it_is_that_of_a_round():
    states = []
    Study.load("study.toml").run("out", progress=states.append)
    assert states[-1].tables
    assert states[-1].doing == "writing tables"
    assert states[-1].left_s <= 4 * POINT_S
    # A slow machine also says how many of the points' files are written, one by one.
    first = next(state for state in states if state.tables)
    assert first.doing == "writing tables"
    assert first.left_s == pytest.approx(4 * POINT_S)
    assert {state.left_of for state in states} == {""}
    states.clear()
    wished = edited(("runs = 3", 'runs = 3\nprecision = "1 %"\nmax_runs = 12'))
    Study.load(wished).run("narrow", progress=states.append)
    told = [state.left_of for state in states if not state.tables]
    assert "in this round" in told
    assert states[-1].left_of == ""
    states.clear()
    once = edited(("runs = 3", 'runs = 3\nprecision = "1 %"\nmax_runs = 3'))
    Study.load(once).run("once", progress=states.append)
    assert {state.left_of for state in states} == {""}


def test_rows_that_go_while_tables_are_made_are_an_error(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_ROWS_AT_HAND", 0)
    study = Study.load("study.toml")
    kept = finish._kept

    def lost(*asked):
        next(Path("out/batches").glob("*.flows.parquet")).unlink()
        return kept(*asked)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(finish, "_kept", lost)
        with pytest.raises(OutputError, match="lost runs while its tables were made") as caught:
            study.run("out")
    assert caught.value.value == "0 of 1 batches"
    assert not Path("out/manifest.json").exists()
    assert study.run("out").frame("flow").height == 12


def test_where_runs_are_lost_no_table_is_replaced(monkeypatch):
    monkeypatch.setattr(campaign, "_ROWS_AT_HAND", 0)
    Study.load("study.toml").run("out")
    before = {path: path.read_bytes() for path in Path("out").glob("*.csv")}
    before |= {path: path.read_bytes() for path in Path("out").glob("*.parquet")}
    work = start(Study.load(edited(("runs = 3", "runs = 4"))), Threads(1))
    work.execute()
    # Rows of flows are all there.
    for path in Path("out/batches").glob("*.parquet"):
        if not path.name.endswith(".flows.parquet"):
            path.unlink()
    with pytest.raises(OutputError, match="lost runs while its tables were made"):
        finish.finish(work)
    assert len(before) == 8
    assert all(path.read_bytes() == content for path, content in before.items())
    assert not [path for path in Path("out").glob(".*") if TEMPORARY.fullmatch(path.name)]


def test_a_lender_that_begins_afresh_just_then_lends_no_part_of_a_run(monkeypatch):
    for runs in (3, 6):
        study = Study.load(edited(("runs = 3", f"runs = {runs}")))
        study.run("lender")
    read = archive.read

    def lost(folder, batches, kind, *more):
        for path in list(folder.glob("batches/*.flows.parquet"))[1:]:
            path.unlink()
        return read(folder, batches, kind, *more)

    wanted = [RunKey(point.key, 1, run) for point in study.points for run in range(6)]
    keep = study.plan.keep
    assert borrowing.borrowed(Path("lender"), wanted, keep)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(archive, "read", lost)
        assert borrowing.borrowed(Path("lender"), wanted, keep) == []
