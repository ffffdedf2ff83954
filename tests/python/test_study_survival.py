"""Studies: whatever is killed, full or interrupted, the table comes out the same."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from acklab.errors import OutputError, StudyInterrupted
from acklab.study import Study, archive, campaign
from study_folder import STUDY, edited, tables

pytestmark = pytest.mark.usefixtures("study_folder")


def test_an_interrupt_keeps_what_is_finished(monkeypatch):
    whole = Study.load("study.toml").run("whole", fresh=True)

    def stop(state):
        if state.done >= 5:
            raise KeyboardInterrupt

    monkeypatch.setenv("ACKLAB_CACHE", "off")
    # Progress is shown a few times a second; more runs than that are needed to be in between.
    many = edited(("runs = 3", "runs = 400"))
    with pytest.raises(StudyInterrupted, match="goes on from there") as caught:
        Study.load(many).run("out", progress=stop)
    assert 5 <= caught.value.done < caught.value.total == 1600
    rest = Study.load(edited()).run("out")
    assert rest.manifest["reused_runs"] >= 5
    assert rest.frame().equals(whole.frame())


KILLED = """
import acklab, sys
acklab.Study.load("study.toml").run("killed", workers=2)
"""


def _wait_for(path, process):
    """Python's own start is of no interest, and takes how long the machine likes."""
    while not path.exists() and process.poll() is None:
        time.sleep(0.005)


def test_kill_9_at_any_instant_changes_nothing(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    study = edited(("runs = 3", "runs = 300"), ("[2, 8]", "[2, 3, 4, 5, 8]"))
    Study.load(study).run("whole")
    seed = 20261122
    print(f"seed {seed}")
    draw = random.Random(seed)
    kills = 0
    while True:
        process = subprocess.Popen([sys.executable, "-c", KILLED])
        try:
            if kills < 6:
                _wait_for(Path("killed/index.sqlite"), process)
            pause = draw.expovariate(5.0) + (0.3 if kills else 0.0)
            process.wait(pause if kills < 6 else None)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert process.returncode == 0
    assert kills > 0
    assert tables(Path("whole")) == tables(Path("killed"))
    batches = {path.name for path in Path("killed/batches").iterdir()}
    assert not [name for name in batches if name.startswith(".")]


def test_two_processes_on_one_study_agree(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    study = edited(("runs = 3", "runs = 60"))
    Study.load(study).run("whole")
    both = [subprocess.Popen([sys.executable, "-c", KILLED]) for _ in range(2)]
    assert [process.wait(120) for process in both] == [0, 0]
    assert tables(Path("whole")) == tables(Path("killed"))


def test_tables_are_the_same_from_memory_and_from_files(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    monkeypatch.setattr(campaign, "_WRITE_ROWS", 5)
    read = []
    rows = archive.read_table
    monkeypatch.setattr(archive, "read_table", lambda *asked: read.append(asked) or rows(*asked))
    Study.load(edited()).run("from memory")
    assert not read
    # Room for one batch of runs and their flows, and then for none.
    for room in (10, 0):
        monkeypatch.setattr(campaign, "_ROWS_AT_HAND", room)
        Study.load("study.toml").run(f"room for {room}")
        assert tables(Path(f"room for {room}")) == tables(Path("from memory"))
        assert read
        read.clear()


def test_a_writer_that_was_killed_leaves_nothing_that_counts():
    Study.load("study.toml").run("out")
    orphan = Path("out/batches/0123456789abcdef.parquet")
    orphan.write_bytes(b"whole, but never made part of the study")
    torn = Path("out/batches/.fedcba.parquet")
    torn.write_bytes(b"half")
    result = Study.load("study.toml").run("out")
    assert not orphan.exists()
    assert not torn.exists()
    assert result.manifest["new_runs"] == 0


def test_a_full_disk_is_an_error_and_loses_nothing(monkeypatch):
    from acklab.study import archive

    Study.load("study.toml").run("out")
    before = tables(Path("out"))
    more = Study.load(edited(("runs = 3", "runs = 6")))
    monkeypatch.setattr(archive.os, "fsync", _full)
    with pytest.raises(OutputError, match="No space left"):
        more.run("out")
    monkeypatch.setattr(archive.os, "fsync", os_fsync)
    Path("study.toml").write_text(STUDY)
    assert not list(Path("out/batches").glob(".*"))
    Study.load("study.toml").run("out")
    assert tables(Path("out")) == before


os_fsync = os.fsync


def _full(_file):
    raise OSError(28, "No space left on device")


def test_a_folder_of_somebody_else_is_left_alone():
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear")
    with pytest.raises(OutputError, match="no result of acklab"):
        Study.load("study.toml").run("mine")
    assert [path.name for path in Path("mine").iterdir()] == ["letter.txt"]


def _kept(make, made):
    def kept(*args, **options):
        made.append(make(*args, **options))
        return made[-1]

    return kept


@pytest.mark.slow
def test_a_cluster_gives_the_same_table_although_a_worker_dies(monkeypatch):
    import distributed
    from distributed import Client

    monkeypatch.setenv("ACKLAB_CACHE", "off")
    study = Study.load(edited(("runs = 3", "runs = 100")))
    study.run("here")
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(n_workers=2, **options) as client:
        address = client.scheduler.address.replace("tcp://", "dask://")
        pids = list(client.run(os.getpid).values())
        killed, waits = [], []
        monkeypatch.setattr(distributed, "as_completed", _kept(distributed.as_completed, waits))

        def kill(state):
            if state.done > state.total / 4 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        study.run("there", on=address, progress=kill)
        # The study waits with its own client: no event may be waited for in two loops.
        assert waits
        assert client.loop not in [wait.loop for wait in waits]
    assert killed
    assert tables(Path("here")) == tables(Path("there"))


def test_where_no_thread_can_be_started_batches_are_written_all_the_same(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    study = Study.load("study.toml")
    study.run("whole")
    plain = threading.Thread.start

    def scarce(thread):
        if thread.name.startswith("acklab-batch"):
            raise RuntimeError("can't start new thread")
        plain(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    study.run("out")
    assert len(list(Path("out/batches").iterdir())) == 2
    assert tables(Path("out")) == tables(Path("whole"))
