"""Policies on a cluster: what a worker has of them is what the client named, or nothing runs."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import acklab
from acklab.errors import InputError
from acklab.study import Study

pytestmark = [pytest.mark.usefixtures("study_folder", "no_cache"), pytest.mark.slow]

MODULE = """
import acklab

COUNT = 1


class Thin(acklab.AckPolicy):
    def on_segment(self, segment):
        return None if segment.waiting >= COUNT else 0.1
"""

SCRIPT = """
import sys
import acklab
from acklab.study import Study


class Fails(acklab.AckPolicy):
    def on_segment(self, segment):
        raise ValueError("boo")


if __name__ == "__main__":
    chain = acklab.Scenario.load("chain.toml").with_({"flow.ack": Fails()})
    study = Study(chain, runs=2, title="fails")
    for name, on in (("here", None), ("there", "local-cluster")):
        print({f["message"] for f in study.run(name, on=on, workers=1).manifest["failures"]})
"""


def test_a_policy_that_is_another_one_to_a_worker_is_refused(monkeypatch):
    Path("thin_of_a_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    thin = importlib.import_module("thin_of_a_test")

    def study():
        chain = acklab.Scenario.load("chain.toml").with_({"flow.ack": thin.Thin()})
        return Study(chain, runs=2)

    assert study().run("same", on="local-cluster", workers=1).runs == 2
    monkeypatch.setattr(thin, "COUNT", 3)
    with pytest.raises(
        InputError, match=r"is Thin-\w+ to the worker tcp://\S+: what it is"
    ) as told:
        study().run("other", on="local-cluster", workers=1)
    assert "register_pickle_by_value" in told.value.accepted
    assert not list(Path("other").glob("batches/*"))


def test_a_failure_on_a_cluster_names_the_file_of_the_policy():
    Path("script.py").write_text(SCRIPT)
    shown = subprocess.run(
        [sys.executable, "script.py"], capture_output=True, text=True, check=True, timeout=120
    )
    here, there = shown.stdout.splitlines()
    assert here == there
    assert "boo" in here
    assert "script.py, line 9)" in here
