"""What several tests share: a small network, and the command line in this process."""

import dataclasses
import json
from pathlib import Path

import pytest

from acklab import Scenario, cli
from study_folder import BASE, STUDY

SMALL = """\
duration = "5 s"

[measure]
sample = "500 ms"

[topology]
kind = "chain"
nodes = 3
spacing = "200 m"

[[flow]]
kind = "ftp"
window = 4
"""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def small():
    """Three nodes in a row, one TCP connection, five seconds."""
    return Scenario.parse(SMALL, "small.toml")


@pytest.fixture
def acklab(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder that holds only ``small.toml``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)

    def call(*arguments):
        code = cli.execute([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return call


@pytest.fixture
def study_folder(tmp_path, monkeypatch):
    """A folder with a small study in it, and the cache of studies out of the way."""
    monkeypatch.setenv("ACKLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("chain.toml").write_text(BASE)
    Path("study.toml").write_text(STUDY)


@pytest.fixture
def no_cache(monkeypatch):
    """No study takes runs from another one."""
    monkeypatch.setenv("ACKLAB_CACHE", "off")
