"""Studies that share runs: with each other, with a second process, with a call that was cut off."""

import contextlib
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acklab.errors import InputError, StudyInterrupted
from acklab.interrupts import ENDING
from acklab.store import code_identity
from acklab.study import Study, StudyResult, archive, campaign, finish, rounds
from acklab.study.cache import Cache
from acklab.study.campaign import Campaign
from study_folder import BASE, STUDY, OneByOne, edited, tables

pytestmark = pytest.mark.usefixtures("study_folder")


def test_a_borrower_is_a_source_when_the_first_folder_is_gone():
    Study.load("study.toml").run("a")
    other = Study.load(edited(('"thin"', '"other"')))
    assert other.run("b").manifest["new_runs"] == 0
    shutil.rmtree("a")
    assert other.run("c").manifest["new_runs"] == 0
    # Either of two folders will do.
    shutil.rmtree("c")
    assert other.run("d").manifest["new_runs"] == 0


def test_what_was_run_without_a_cache_is_announced_at_the_next_call(monkeypatch, tmp_path):
    with monkeypatch.context() as off:
        off.setenv("ACKLAB_CACHE", "off")
        Study.load("study.toml").run("a")
    assert (tmp_path / "a/manifest.json").exists()
    Study.load("study.toml").run("a")
    assert Study.load(edited(('"thin"', '"other"'))).run("b").manifest["new_runs"] == 0


def test_a_damaged_cache_is_named_once_and_mends_when_it_is_removed(caplog):
    cache = Path("cache/studies.sqlite").resolve()
    cache.parent.mkdir()
    cache.write_bytes(bytes(range(256)) * 64)
    Study.load("study.toml").run("a")
    Study.load("study.toml").run("a")
    said = [record.getMessage() for record in caplog.records if record.name == "acklab"]
    assert len(said) == 1
    assert said[0].startswith(f"{cache} is damaged")
    cache.unlink()
    Study.load("study.toml").run("a")
    assert Study.load(edited(('"thin"', '"other"'))).run("b").manifest["new_runs"] == 0


def test_runs_that_lack_what_is_kept_now_are_done_again():
    Path("chain.toml").write_text(BASE + '[measure]\nsample = "1 s"\n')
    flows = Study.load("study.toml").run("out")
    rows = flows.frame("flow")
    wider = ("runs = 3", 'runs = 5\nkeep = ["nodes"]')
    study = Study.load(edited(wider))
    assert study.dry_run("out").reused == 0
    nodes = study.run("out")
    assert nodes.manifest["new_runs"] == 20
    found = nodes.frame("node").select("point", "run").unique()
    assert sorted(found.rows()) == [(point, run) for point in range(4) for run in range(5)]
    # Nothing was lost by it: the way back is free, and says the same.
    Path("study.toml").write_text(STUDY)
    back = Study.load("study.toml").run("out")
    assert back.manifest["new_runs"] == 0
    assert back.frame("flow").equals(rows)
    # Elsewhere, too, a run counts only with all that is kept.
    both = Study.load(edited(("runs = 3", 'runs = 3\nkeep = ["flows", "samples"]')))
    assert both.run("elsewhere").manifest["new_runs"] == 12


def test_what_a_second_process_has_done_is_not_done_again(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    monkeypatch.setattr(campaign, "_LOOK_EVERY_S", 0.0)
    study = Study.load(edited(("runs = 3", "runs = 10")))
    second = []
    backend = OneByOne(6, lambda: second.append(study.run("out").manifest["new_runs"]))
    Path("out").mkdir()
    first = Campaign(study.plan, study.points, Path("out"), backend, Cache(code_identity()))
    first.execute()
    # Five were finished but not yet written, and one was on its way.
    assert second == [40]
    assert first.new <= 6
    study.run("whole")
    assert study.run("out").manifest["new_runs"] == 0
    assert tables(Path("out")) == tables(Path("whole"))


def test_two_processes_divide_what_is_missing(monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    monkeypatch.setattr(campaign, "_LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(rounds, "_PORTION_S", 0.0)
    study = Study.load(edited(("runs = 3", "runs = 10")))
    Path("out").mkdir()

    def start(after, call):
        backend = OneByOne(after, call)
        cache = Cache(code_identity())
        return Campaign(study.plan, study.points, Path("out"), backend, cache)

    def halt():
        raise KeyboardInterrupt

    late = start(21, halt)

    def join():
        with pytest.raises(StudyInterrupted):
            late.execute()

    first = start(6, join)
    first.execute()
    # The second one began at the other end and was stopped after 20 runs: none of them again.
    assert late.new == 20
    assert first.new == 20
    assert study.run("out").manifest["new_runs"] == 0


def test_what_another_process_adds_while_the_folder_is_looked_at_waits(monkeypatch, no_cache):
    study = Study.load(edited(("runs = 3", 'runs = 3\nprecision = "2 %"\nmax_runs = 30')))
    study.run("whole")
    plain = archive.lacking
    for moment in (2, 3):
        out = Path(f"out{moment}")
        out.mkdir()
        looks = []

        def lacking(*arguments, out=out, looks=looks, moment=moment):
            looks.append(arguments)
            if len(looks) == moment:
                study.run(out)
            return plain(*arguments)

        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(archive, "lacking", lacking)
            backend = OneByOne(10**6, None)
            first = Campaign(study.plan, study.points, out, backend, Cache(code_identity()))
            first.execute(finish.finish)
        assert len(looks) > moment
        assert tables(out) == tables(Path("whole"))


def test_two_that_keep_different_rows_do_not_undo_each_other(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_LOOK_EVERY_S", 0.0)
    flows = Study.load(edited(("runs = 3", "runs = 10")))
    nodes = Study.load(edited(("runs = 3", 'runs = 10\nkeep = ["nodes"]')))
    Path("out").mkdir()
    backend = OneByOne(6, lambda: nodes.run("out"))
    first = Campaign(flows.plan, flows.points, Path("out"), backend, Cache(code_identity()))
    first.execute(finish.finish)
    assert [study.run("out").manifest["new_runs"] for study in (flows, nodes, flows)] == [0, 0, 0]


def test_a_failure_that_another_process_did_not_have_is_none(monkeypatch, no_cache):
    monkeypatch.setattr(campaign, "_LOOK_EVERY_S", 0.0)
    study = Study.load("study.toml")
    Path("out").mkdir()

    class Failing(OneByOne):
        def run(self, jobs):
            for job, [(place, record)] in zip(jobs, super().run(jobs), strict=True):
                failed = {"error": {"message": "the worker died"}}
                yield [(place, failed if job.run == 0 else record)]

    backend = Failing(8, lambda: study.run("out"))
    work = Campaign(study.plan, study.points, Path("out"), backend, Cache(code_identity()))
    work.execute(finish.finish)
    assert not work.failures
    assert StudyResult.load("out").runs == 12


SEATED = """
import sys
from pathlib import Path
from acklab.store import code_identity
from acklab.study.index import Index
index = Index(Path("out"), code_identity())
print(index.seat(), flush=True)
sys.stdin.read()
"""


def test_each_of_many_processes_has_a_seat_of_its_own():
    Path("out").mkdir()
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SEATED]
    with contextlib.ExitStack() as stack:
        seats, children = [], []
        for _ in range(4):
            child = stack.enter_context(
                subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            )
            children.append(child)
            seats.append(int(child.stdout.readline()))
        assert seats == [0, 1, 2, 3]
        # A seat that was left is taken again.
        children[1].communicate("")
        late = stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
        assert int(late.stdout.readline()) == 1
        for child in (*children, late):
            child.kill()


def test_seats_are_far_from_each_other():
    runs = [rounds.RunKey("a", 1, number) for number in range(80)]
    first = [rounds.apart(runs, seat)[0].run for seat in range(7)]
    assert first == [0, 79, 40, 20, 60, 10, 50]
    assert all(sorted(rounds.apart(runs, seat)) == runs for seat in range(7))


def test_a_fresh_study_that_was_cut_off_goes_on():
    Study.load("study.toml").run("out")
    study = Study.load(edited(("runs = 3", "runs = 10")))
    Path("out").mkdir(exist_ok=True)

    def halt():
        raise KeyboardInterrupt

    def fresh(backend):
        cache = Cache(code_identity())
        return Campaign(study.plan, study.points, Path("out"), backend, cache, fresh=True)

    cut = fresh(OneByOne(9, halt))
    with pytest.raises(StudyInterrupted):
        cut.execute()
    assert cut.new == 8
    assert [study.dry_run("out", fresh=fresh).reused for fresh in (True, False)] == [8, 8]
    rest = fresh(OneByOne(0, halt))
    rest.execute()
    assert rest.new == 32
    again = fresh(OneByOne(0, halt))
    again.execute()
    assert again.new == 40


LONG = """
import signal, sys
from acklab import cli
# What started the tests may have it ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
sys.argv = ["acklab", "sweep", "study.toml", "--out", "out", "--workers", "1"]
cli.main()
"""


@pytest.mark.parametrize("number", ENDING)
def test_a_request_to_end_keeps_what_is_finished(number, monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    study = edited(("runs = 3", "runs = 5000"))
    process = subprocess.Popen([sys.executable, "-c", LONG], stderr=subprocess.PIPE, text=True)
    while not list(Path("out").glob("batches/*.parquet")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on from there" in said
    kept = int(said.split("interrupted: ")[1].split()[0])
    assert kept > 0
    assert Study.load(study).dry_run("out").reused == kept
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


SLOW_TABLES = """
import sys, time
from acklab import cli
from acklab.study import finish
def slow(*_):
    print("tables", flush=True)
    # In steps: a signal that comes just before one long sleep begins would be heard only after it.
    for _ in range(6000):
        time.sleep(0.01)
finish.summary = slow
sys.argv = ["acklab", "sweep", "study.toml", "--out", "out"]
cli.main()
"""


def test_a_request_to_end_is_heard_while_tables_are_made():
    edited(("runs = 3", "runs = 1"))
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SLOW_TABLES]
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout.readline() == "tables\n"
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "4 of 4 runs are finished" in said
    assert not Path("out/manifest.json").exists()
    assert Study.load("study.toml").run("out").manifest["reused_runs"] == 4


def one_batch(folder, kind):
    """The first file of a batch that holds this kind of row."""
    return sorted(Path(folder, "batches").glob(f"*{kind}.parquet"))[0]


@pytest.mark.parametrize("what", [b"junk", b"", b"PAR1 cut off"])
def test_a_damaged_batch_is_done_again(what, monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    Study.load("study.toml").run("whole")
    Study.load("study.toml").run("out")
    one_batch("out", ".flows").write_bytes(what)
    assert Study.load("study.toml").run("out").manifest["new_runs"] > 0
    assert tables(Path("out")) == tables(Path("whole"))
    assert Study.load("study.toml").run("out").manifest["new_runs"] == 0


def test_damage_inside_of_a_batch_is_named():
    Study.load("study.toml").run("out")
    Path("out/manifest.json").unlink()
    file = one_batch("out", ".flows")
    inside = bytearray(file.read_bytes())
    inside[4:-4] = bytes(len(inside) - 8)
    file.write_bytes(inside)
    with pytest.raises(InputError, match="is damaged") as error:
        Study.load("study.toml").run("out")
    assert error.value.place == str(file)
    file.unlink()
    assert Study.load("study.toml").run("out").manifest["new_runs"] > 0
    # Another study does not stumble over it either.
    one_batch("out", ".flows").write_bytes(inside)
    assert Study.load(edited(('"thin"', '"other"'))).run("other").manifest["new_runs"] > 0


def test_a_damaged_index_is_named_as_that():
    Study.load("study.toml").run("out")
    before = tables(Path("out"))
    index = Path("out/index.sqlite")
    index.write_bytes(b"junk" * 2000)
    with pytest.raises(InputError, match="is damaged: file is not a database") as error:
        Study.load("study.toml").run("out")
    assert error.value.place == str(index)
    for file in Path("out").glob("index.sqlite*"):
        file.unlink()
    Study.load("study.toml").run("out")
    assert tables(Path("out")) == before
