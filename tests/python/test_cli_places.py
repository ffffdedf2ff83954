"""What the command line reads and writes: closed streams, pipes, links, the current folder."""

import os
import subprocess
import sys

import pytest

from conftest import SMALL


def test_of_changes_of_one_key_the_last_counts(acklab, tmp_path):
    changes = ["flow.0.window=5", "flow.window=3", "flow.0.window=7"]
    options = [part for change in changes for part in ("--set", change)]
    assert acklab("run", "small.toml", "--runs", 1, *options, "--out", "x").code == 0
    assert "window = 7" in (tmp_path / "x" / "scenario.toml").read_text()


@pytest.mark.parametrize(("closed", "file", "code"), [("2", "small.toml", 0), ("0", "-", 2)])
def test_a_closed_stream_is_no_fault(tmp_path, closed, file, code):
    (tmp_path / "small.toml").write_text(SMALL)
    line = f"{sys.executable} -m acklab run {file} --runs 1 {closed}>&-"
    answer = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == code
    assert ("standard input: is closed" in answer.stderr) == (file == "-")


def test_a_pipe_is_no_place_for_a_scenario(acklab, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    answer = acklab("new", "pipe", "--force")
    assert answer.code == 2
    assert "pipe: is a device, a pipe or a socket" in answer.err
    assert (tmp_path / "pipe").is_fifo()


def test_a_capture_through_a_link_is_written_where_it_leads(acklab, tmp_path):
    (tmp_path / "link").symlink_to("there.jsonl")
    assert acklab("run", "small.toml", "--runs", 1, "--events", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there.jsonl").stat().st_size > 0


def test_the_current_folder_is_refused_before_anything_runs(acklab, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    answer = acklab("run", tmp_path / "small.toml", "--runs", 1, "--out", ".")
    assert answer.code == 2
    assert "is the folder in which you are" in answer.err
