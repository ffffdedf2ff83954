"""A capture that holds nothing says so."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

import acklab
from acklab import _native
from acklab.captures import empty_captures
from acklab.store import new_file
from study_folder import BASE

WIRE = """duration = "3 s"
[topology]
kind = "nodes"
nodes = 2
[[point_to_point]]
between = [0, 1]
rate = "2 Mbit/s"
delay = "5 ms"
[[flow]]
kind = "ftp"
from = 0
to = 1
"""


def warned(text: str, captures: acklab.Captures) -> list[str]:
    result = acklab.run(acklab.Scenario.parse(text), runs=1, captures=captures)
    return [w.message for w in result.warnings if w.code == "empty-capture"]


def test_a_capture_of_the_air_where_there_is_none(tmp_path: Path) -> None:
    every = acklab.Captures(tmp_path / "a.pcapng", tmp_path / "a.pcap", events=tmp_path / "a.jsonl")
    (said,) = warned(WIRE, every)
    assert said.startswith(f"{tmp_path / 'a.pcapng'} holds no frame: nothing was sent over 802.11")
    assert "ip_pcap" in said
    assert "events" in said
    assert warned(BASE, every) == []


@pytest.mark.parametrize(("node", "empty"), [(None, False), (1, True), (2, False)])
def test_a_capture_at_a_relay(tmp_path: Path, node: int | None, empty: bool) -> None:
    said = warned(BASE, acklab.Captures(ip_pcap=tmp_path / "a.pcap", node=node))
    assert [text.startswith(f"{tmp_path / 'a.pcap'} holds no packet") for text in said] == [
        True
    ] * empty


class FailsAtFirst(acklab.AckPolicy):
    """Fails in the first run that it is asked in."""

    version = "1"
    asked: ClassVar[list[int]] = []

    def on_segment(self, segment: acklab.Segment) -> None:
        self.asked.append(segment.number)
        if len(self.asked) == 1:
            raise ValueError("not yet")


def test_captures_of_a_run_that_failed_are_not_named(tmp_path: Path) -> None:
    scenario = acklab.Scenario.parse(BASE).with_({"flow.ack": FailsAtFirst()})
    captures = acklab.Captures(tmp_path / "a.pcapng", events=tmp_path / "a.jsonl")
    result = acklab.run(scenario, runs=2, workers=1, captures=captures)
    assert list(result.failures) == [0]
    assert result.capture_files == {}
    assert [w.count for w in result.warnings if w.code == "no-capture"] == [2]
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_written_is_not_judged(tmp_path: Path) -> None:
    assert empty_captures({}) == ()
    assert empty_captures({"pcap": tmp_path / "none", "ip_pcap": tmp_path / "none"}) == ()


def test_an_interrupted_run_writes_no_file(tmp_path: Path) -> None:
    """What stood there stays, and so does a file whose name is a temporary one's."""
    for name in ("a.pcapng", "a.pcapng.part"):
        (tmp_path / name).write_text("mine")
    long = acklab.Scenario.parse(BASE).with_({"duration": "100000 s"})
    text = json.dumps({"pcap": str(tmp_path / "a.pcapng")})
    batch = _native.Batch([(long.resolve().text, 1, 0, text)], 1)
    batch.wait(0.3)
    assert batch.next() is None
    batch.cancel()
    assert batch.ended(60.0)
    acklab.run(acklab.Scenario.parse(BASE), 1, captures=acklab.Captures(tmp_path / "b.pcapng"))
    (tmp_path / "b.pcapng.part").write_text("mine, too")
    acklab.run(acklab.Scenario.parse(BASE), 1, captures=acklab.Captures(tmp_path / "b.pcapng"))
    assert (tmp_path / "a.pcapng").read_text() == "mine"
    assert (tmp_path / "b.pcapng.part").read_text() == "mine, too"
    there = ["a.pcapng", "a.pcapng.part", "b.pcapng", "b.pcapng.part"]
    assert sorted(path.name for path in tmp_path.iterdir()) == there


ANALYSED = "tcp.analysis.retransmission || tcp.analysis.spurious_retransmission"
AGAIN = 'frame.comment contains "retransmission of TCP"'


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
def test_one_end_of_a_connection_can_be_analysed_as_the_page_says(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "captures.md").read_text("utf-8")
    (line,) = re.findall(r"^tshark -r air\.pcapng .* -w node0\.pcapng$", page, re.MULTILINE)
    scenario = acklab.Scenario.parse(BASE).with_(
        {"topology.nodes": 5, "duration": "20 s", "flow.window": 32}
    )
    acklab.run(scenario, 1, seed=3, captures=acklab.Captures(tmp_path / "air.pcapng"))
    # Whoever runs the tests, tshark tells what it thinks of that.
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True, "check": True}
    subprocess.run(shlex.split(line), cwd=tmp_path, **quiet)

    def count(wanted: str) -> int:
        command = ["tshark", "-r", "node0.pcapng", "-Y", wanted]
        return len(subprocess.run(command, cwd=tmp_path, **quiet).stdout.splitlines())

    # What it takes for a retransmission was one, and it finds most of them.
    assert count(f"({ANALYSED}) && !({AGAIN})") == 0
    assert count(ANALYSED) > count(AGAIN) / 2 > 5


def test_a_pipe_is_written_into_and_stays_one(tmp_path: Path) -> None:
    """It was replaced by a file, as /dev/null was for whoever may write in /dev."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    scenario = acklab.Scenario.parse(BASE)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        acklab.run(scenario, 1, captures=acklab.Captures(events=pipe))
        assert pipe.is_fifo()
        text = read.result(60.0)
    acklab.run(scenario, 1, captures=acklab.Captures(events=tmp_path / "log"))
    assert text == (tmp_path / "log").read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "pipe"]
    with pytest.raises(acklab.OutputError, match="is a device, a pipe or a socket"), new_file(pipe):
        pass


def test_a_link_goes_on_to_lead_where_it_led(tmp_path: Path) -> None:
    """The link was replaced, and what it led to stayed as it was."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "log").symlink_to("disk/log")
    (tmp_path / "disk/log").write_text("old")
    acklab.run(acklab.Scenario.parse(BASE), 1, captures=acklab.Captures(events=tmp_path / "log"))
    assert (tmp_path / "log").is_symlink()
    assert (tmp_path / "disk/log").read_text("utf-8").startswith('{"time_ns"')
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["log"]
