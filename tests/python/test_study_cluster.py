"""Studies on a cluster: workers that come late, go, or are of another build; no cluster at all."""

import logging
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import acklab
from acklab.batch import Job
from acklab.batch import execute as in_threads
from acklab.cli import execute
from acklab.errors import InputError
from acklab.store import code_identity
from acklab.study import Study, backends, worker
from acklab.study import cluster as dask_cluster
from study_folder import edited, tables


@contextmanager
def _cluster(workers):
    """A scheduler with its workers in threads of this process, and its address."""
    from distributed import LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": ":0", "protocol": "tcp://"}
    with LocalCluster(n_workers=workers, processes=False, **options) as cluster:
        yield cluster, cluster.scheduler_address.replace("tcp://", "dask://")


@pytest.fixture(autouse=True)
def hasty(study_folder, monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    monkeypatch.setattr(dask_cluster, "_COUNT_EVERY_S", 0.05)
    monkeypatch.setattr(dask_cluster, "_BEAT_S", 0.05)
    monkeypatch.setattr(dask_cluster, "_SAY_AFTER_S", 0.2)


def test_workers_that_come_late_are_waited_for_and_used(caplog):
    study = Study.load(edited(("runs = 3", "runs = 60")))
    study.run("here")
    states = []
    with _cluster(0) as (cluster, address), caplog.at_level(logging.WARNING, "acklab"):

        def said():
            return [record.getMessage() for record in caplog.records if record.name == "acklab"]

        def look(state):
            states.append(state)
            if said() and not cluster.workers:
                cluster.scale(3)

        result = study.run("there", on=address, progress=look)
    assert "waiting for a worker" in states[0].doing
    assert states[0].left_s is None
    assert said() == [f"{address}: no worker is there; the study waits for one"]
    assert result.manifest["workers"] == 3
    assert tables(Path("here")) == tables(Path("there"))


def _builds(monkeypatch):
    """Let the workers, which are threads here, be of another build than the client."""
    from distributed import get_worker

    mine = code_identity()

    def identity():
        try:
            get_worker()
        except ValueError:
            return mine
        return "0.0.0-another"

    monkeypatch.setattr(worker, "code_identity", identity)
    return mine


def test_a_late_worker_of_another_build_ends_the_study(monkeypatch):
    mine = _builds(monkeypatch)
    study = Study.load("study.toml")
    with _cluster(0) as (cluster, address):

        def look(_state):
            if not cluster.workers:
                cluster.scale(1)

        with pytest.raises(InputError, match=r"the worker tcp://.* runs other code") as caught:
            study.run("out", on=address, progress=look)
    assert caught.value.place == f"on {address}"
    assert caught.value.value == "0.0.0-another"
    assert mine in caught.value.accepted
    assert study.dry_run("out").reused == 0


def test_a_worker_of_another_build_is_refused_at_the_start(monkeypatch):
    _builds(monkeypatch)
    with _cluster(1) as (_, address):
        monkeypatch.setattr(worker, "build", lambda: "0.0.0-another")
        with pytest.raises(InputError, match="runs other code"):
            Study.load("study.toml").run("out", on=address)
        assert execute(["sweep", "study.toml", "--out", "out", "--on", address]) == 2


@pytest.mark.slow
def test_a_scheduler_that_goes_ends_the_study(caplog):
    study = Study.load(edited(("runs = 3", "runs = 2000")))
    with _cluster(1) as (cluster, address):

        def close(state):
            if state.done:
                cluster.close()

        with pytest.raises(InputError, match="the scheduler has gone") as caught:
            study.run("out", on=address, progress=close)
    assert caught.value.value == address
    # dask's own words of it are thirty lines of tracebacks.
    assert not [record for record in caplog.records if record.name == "distributed.client"]
    assert study.dry_run("out").reused > 0


@pytest.mark.parametrize("when", ["asked who is there", "a result is fetched"])
def test_a_scheduler_that_is_killed_is_named_whatever_is_asked_of_it(monkeypatch, when):
    from distributed import Client, Future
    from distributed.comm import CommClosedError

    def closed(*_asked, **_how):
        raise CommClosedError("reset by peer")

    asked = (Client, "run") if when == "asked who is there" else (Future, "result")
    with _cluster(1) as (_, address):
        monkeypatch.setattr(*asked, closed)
        with pytest.raises(InputError, match="the scheduler has gone; finished runs are kept"):
            Study.load("study.toml").run("out", on=address)
        monkeypatch.undo()


@pytest.mark.parametrize(
    "on", ["x", "", 3, "dask://", "dask://nowhere", "dask://:8786", "dask://head:port"]
)
def test_a_place_that_cannot_be_is_bad_input(on):
    with pytest.raises(InputError) as caught:
        Study.load("study.toml").run("out", on=on)
    assert (caught.value.place, caught.value.value) == ("on", str(on))
    assert "dask://HOST:PORT" in caught.value.accepted
    assert execute(["sweep", "study.toml", "--out", "out", "--on", str(on)]) == 2


@pytest.mark.parametrize("on", [None, "local-cluster"])
@pytest.mark.parametrize(
    ("workers", "said"), [(0, "at least one worker"), (10**30, "is no such number")]
)
def test_numbers_of_workers_that_cannot_be_are_bad_input(on, workers, said):
    with pytest.raises(InputError, match=said):
        Study.load("study.toml").run("out", on=on, workers=workers)
    assert not Path("out").exists()


def test_a_running_cluster_has_its_own_workers():
    with pytest.raises(InputError, match="has its own workers") as caught:
        Study.load("study.toml").run("out", on="dask://head:8786", workers=2)
    assert (caught.value.place, caught.value.value) == ("workers", "2")
    assert "local-cluster" in caught.value.accepted


def test_a_script_without_a_guard_is_told_of_it_in_a_few_lines():
    script = """\
import acklab
study = acklab.Study(acklab.Scenario.load("chain.toml"), runs=1)
study.run("out", on="local-cluster", workers=2)
"""
    Path("unguarded.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "unguarded.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert "its workers cannot start" in lines[-1]
    guarded = 'a script in a file that starts its study below `if __name__ == "__main__":`'
    assert f"accepted: {guarded}" in lines[-1]
    assert len(lines) < 30
    assert not Path("out").exists()


class Deadly(acklab.AckPolicy):
    """Ends the process that it works in."""

    def on_segment(self, segment):
        os._exit(9)


def test_a_run_that_ends_its_workers_takes_no_other_one_with_it():
    changes = {"every": {"flow.ack": "every"}, "deadly": {"flow.ack": Deadly()}}
    study = Study(acklab.Scenario.load("chain.toml"), variants=changes, runs=1)
    result = study.run("out", on="local-cluster", workers=2)
    assert result.table["variant"].to_list() == ["every"]
    assert [failure["run"] for failure in result.manifest["failures"]] == [0]
    assert "the cluster gave it up" in result.manifest["failures"][0]["message"]


def _read_at_home():
    if threading.current_thread() is not threading.main_thread():
        raise ModuleNotFoundError("No module named 'mine'")
    return Homely()


class Homely(acklab.AckPolicy):
    """Stands in a module that only the client has."""

    def on_segment(self, segment):
        return None

    def __reduce__(self):
        return _read_at_home, ()


def test_a_policy_that_workers_cannot_read_is_refused_before_any_run():
    study = Study(acklab.Scenario.load("chain.toml").with_({"flow.ack": Homely()}), runs=3)
    with _cluster(1) as (_, address), pytest.raises(InputError) as refused:
        study.run("out", on=address)
    said = r"flow\.ack: cannot be read by the worker tcp://\S+: No module named 'mine' "
    said += r"\(found: Homely-[0-9a-f]+\); accepted: a policy whose "
    assert re.match(said + "module is there too, as on the client", str(refused.value)), (
        refused.value
    )
    assert not list(Path("out").glob("batches/*"))


def test_a_cluster_of_our_own_that_lost_all_workers_gets_new_ones(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_REVIVE_AFTER_S", 1.0)
    resolved = acklab.Scenario.load("chain.toml").resolve()
    jobs = [Job(resolved, 1, run) for run in range(4)]

    def events(backend):
        return {index: record["events"] for group in backend.run(jobs) for index, record in group}

    ours = backends.open_backend("local-cluster", 1)
    try:
        ours.client.cluster.scale(0)
        while ours.client.nthreads():
            time.sleep(0.05)
        found = events(ours)
        assert ours.workers
    finally:
        ours.close()
    assert found == events(backends.Threads(1))


def test_a_run_that_is_lost_with_others_is_not_given_up_with_them():
    todo = dask_cluster._Todo(4)
    assert todo.batch(3) == [0, 1, 2]
    assert todo.put_back([0, 1, 2])
    assert todo.batch(5) == [0, 1, 2, 3]
    # Of the second batch, the last one was lost for the first time.
    assert todo.put_back([0, 1, 2, 3])
    assert (list(todo.suspects), todo.waiting) == ([0, 1, 2], [3])
    alone = todo.suspects.popleft()
    assert todo.put_back([alone])
    assert list(todo.suspects) == [1, 2, 0]
    assert not todo.put_back([alone])


def test_while_nobody_knows_what_a_run_takes_each_worker_gets_its_share_until_some_are_lost():
    todo = dask_cluster._Todo(3000)
    assert [todo.first_size(workers) for workers in (0, 1, 2, 8)] == [5, 500, 500, 125]
    assert todo.put_back(todo.batch(500))
    assert todo.first_size(8) == 5
    assert [dask_cluster._Todo(few).first_size(8) for few in (1, 50)] == [1, 2]
    todo = dask_cluster._Todo(5)
    todo.leave(todo.batch(4)[2:])
    assert todo.batch(9) == [2, 3, 4]


def test_what_a_worker_has_no_time_for_is_done_in_another_batch(monkeypatch):
    study = Study.load("study.toml")
    study.run("here")
    jobs = [Job(point.scenario.resolve(), 1, run, None) for point in study.points for run in (0, 1)]
    sent = [worker.plain(job, {}) for job in jobs]
    (first,) = worker.do(code_identity(), sent, 0.0)
    assert "measures" in first
    whole = worker.do(code_identity(), sent, 60.0)
    assert [record["digest"] for record in whole] == [
        record["digest"] for _, record in sorted(in_threads(jobs, 1))
    ]
    batches = []
    submit = dask_cluster.Dask._submit

    def noted(self, jobs, batch, running):
        batches.append(len(batch))
        return submit(self, jobs, batch, running)

    monkeypatch.setattr(dask_cluster.Dask, "_submit", noted)
    monkeypatch.setattr(dask_cluster, "BATCH_S", 1e-9)
    with _cluster(2) as (_, address):
        result = study.run("there", on=address)
    # One run of each, however many were sent.
    assert len(batches) == result.runs < sum(batches)
    assert tables(Path("here")) == tables(Path("there"))


def test_dask_does_not_close_workers_of_our_own_that_come_back():
    import dask

    def timeout():
        return dask.config.get("distributed.deploy.lost-worker-timeout")

    before = timeout()
    ours = backends.open_backend("local-cluster", 1)
    try:
        assert timeout() == "1000 d"
    finally:
        ours.close()
    assert timeout() == before != "1000 d"


BLOCKED = """
import signal
from acklab.study.backends import open_backend

def blocked():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

if __name__ == "__main__":
    ours = open_backend("local-cluster", 2)
    print(blocked(), *ours.client.run(blocked).values())
    ours.close()
"""


def test_ctrl_c_at_a_terminal_reaches_no_worker_not_even_the_first():
    Path("blocked.py").write_text(BLOCKED)
    asked = subprocess.run([sys.executable, "blocked.py"], capture_output=True, text=True)
    assert asked.stdout.split() == ["False", "True", "True"]


KILLED_AS_IT_STARTS = """
import os, signal
from pathlib import Path
from acklab import Study

def end_the_first_one():
    # A worker process reads this script before it does anything else.
    if os.getppid() == int(os.environ.get("CLIENT", 0)):
        try:
            Path("killed").touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    os.environ["CLIENT"] = str(os.getpid())
    print(Study.load("study.toml").run("out", on="local-cluster", workers=2).runs)
else:
    end_the_first_one()
"""


def test_a_worker_that_is_killed_as_it_starts_does_not_end_the_study():
    Path("killed.py").write_text(KILLED_AS_IT_STARTS)
    done = subprocess.run([sys.executable, "killed.py"], capture_output=True, text=True)
    assert Path("killed").exists()
    assert (done.returncode, done.stdout) == (0, "12\n"), done.stderr[-2000:]
