"""The tools that run ns-2 beside acklab; none of these tests needs ns-2."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import sys
import tarfile
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acklab.validate.foundation.peers import spread

PEERS = Path(__file__).resolve().parents[2] / "bench" / "peers"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"peers_{name}", PEERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # They find one another in the folder that they are started from.
    sys.path.insert(0, str(PEERS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(PEERS))
    return module


run = load("run")
networks, sink = sys.modules["networks"], sys.modules["sink"]
ns2_counts = load("ns2_counts")

# Node 0 sends RTS twice (the first is lost), then data to node 1; node 1 loses a frame of its own.
TRACE = """\
s 1.000000000 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
s 1.000000000 _0_ RTR  --- 0 AODV 48 [0 0 0 0] ------- [0:255 -1:255 30 0] [0x2 1 1 [2 0] [0 4]] \
(REQUEST)
s 1.000000000 _1_ RTR  --- 0 AODV 48 [0 0 0 0] ------- [1:255 -1:255 29 0] [0x2 2 1 [2 0] [0 4]] \
(REQUEST)
s 1.000115000 _0_ MAC  --- 0 AODV 106 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0]
s 1.004337227 _0_ MAC  --- 0 RTS 44 [52e 1 0 0]
D 1.004689893 _1_ MAC  COL 0 RTS 44 [52e 1 0 0]
s 1.005337227 _0_ MAC  --- 0 RTS 44 [52e 1 0 0]
r 1.005689893 _1_ MAC  --- 0 RTS 44 [52e 1 0 0]
s 1.005699893 _1_ MAC  --- 0 CTS 38 [3f4 0 0 0]
r 1.006004560 _0_ MAC  --- 0 CTS 38 [3f4 0 0 0]
s 1.006014560 _0_ MAC  --- 0 tcp 98 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 0 0
r 1.006703227 _1_ MAC  --- 0 tcp 40 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 1 0
s 1.006713227 _1_ MAC  --- 0 ACK 38 [0 0 0 0]
r 1.006728227 _1_ AGT  --- 0 tcp 40 [13a 1 0 800] ------- [0:0 1:0 30 1] [1 0] 1 0
r 1.007017893 _0_ MAC  --- 0 ACK 38 [0 0 0 0]
D 1.100000000 _1_ MAC  RET 38 ack 40 [13a 0 1 800] ------- [1:0 0:0 28 5] [1 0] 2 0
"""


def test_a_trace_is_counted_line_by_line():
    counts = ns2_counts.TraceCounts()
    counts.read(TRACE.splitlines())
    assert dict(counts.sent) == {"RTS": 2, "CTS": 1, "ACK": 1, "data": 1, "broadcast": 1}
    assert dict(counts.heard) == {"RTS": 1, "CTS": 1, "ACK": 1}
    assert dict(counts.done) == {"tcp": 1}
    assert dict(counts.routing) == {"REQUEST": 1, "REQUEST forwarded": 1}
    assert counts.dropped("MAC", "COL") == 1
    assert counts.dropped("MAC", "RET", "ack") == 1
    assert counts.in_order() == 1


def test_the_row_has_the_missing_cts_and_the_link_failures():
    counts = ns2_counts.TraceCounts()
    counts.read(TRACE.splitlines())
    summary = {"delivered": 1, "sent": 1, "rexmit": 0, "timeouts": 0, "cwndcuts": 0}
    row = ns2_counts.row(ns2_counts.Run(nodes=2), counts, summary)
    assert (row["rts_fail"], row["ack_fail"], row["aodv_fail"]) == (1, 0, 1)


def test_the_mean_window_counts_the_time_before_the_start_as_zero():
    lines = ["0.00000  0  0  1  0  cwnd_ 1.000", "2.00000  0  0  1  0  cwnd_ 9.000"]
    case = ns2_counts.Run(window=3, start=1.0, duration=4.0)
    means = ns2_counts.mean_window(lines, case)
    assert means == {"maxcwnd": 9.0, "avgcwnd": (1 + 2 * 9) / 4, "avgmin": (1 + 2 * 3) / 4}


def test_lists_of_numbers():
    assert ns2_counts.numbers("1-3,9") == [1, 2, 3, 9]


def test_the_scenario_says_the_case():
    case = run.Case(9, 8, 2, 2.0, 150.0, 200.0, ())
    tree = tomllib.loads(case.toml())
    assert tree["topology"] == {"kind": "chain", "nodes": 9, "spacing": "200 m"}
    assert tree["flow"][0]["window"] == 8
    assert tree["flow"][0]["ack"]["count"] == 2
    assert tree["mac"] == {"data_rate": "2 Mbit/s"}


def test_more_than_two_segments_an_ack_go_through_a_sink_of_ours(tmp_path):
    case = run.Case(9, 8, 3, 1.0, 150.0, 200.0, (), sink=tmp_path / "it.so")
    told = case.ns2(1)
    assert told[told.index("-d") + 1] == "3"
    assert told[told.index("-sink") + 1] == str(tmp_path / "it.so")
    ours = tomllib.loads(case.toml())["flow"][0]["ack"]
    assert ours == {
        "policy": "delayed", "count": 3, "interval": "100 ms", "timer": "first-waiting",
    }  # fmt: skip


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that is found as ns-2, and nothing else that is found."""
    path = tmp_path / "bin" / "ns"
    path.parent.mkdir()
    path.write_bytes(b"ns-2.35")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent))
    return path


@pytest.fixture
def workshop(tmp_path, monkeypatch, program):
    """A place to build in, where apt knows ns-2's package."""
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path))
    archive = tmp_path / "pool"
    archive.mkdir()
    package = f"'{archive.as_uri()}/ns2_2.35%2bdfsg-5_amd64.deb' ns2.deb 1 SHA256:0"
    monkeypatch.setattr(sink, "run", lambda *_: package)
    return archive


def test_the_source_lies_beside_the_package(workshop):
    assert sink.address() == f"{workshop.as_uri()}/{sink.SOURCE}"


def test_a_source_that_is_not_there_is_told(workshop):
    with pytest.raises(sink.MissingError, match=re.escape(f"{sink.SOURCE} cannot be fetched")):
        sink.library()


def test_a_source_of_another_content_is_refused_and_fetched_again(workshop, tmp_path):
    (workshop / sink.SOURCE).write_bytes(b"something else")
    with pytest.raises(sink.MissingError, match=f"not {sink.SOURCE_SHA256}: removed"):
        sink.library()
    assert list((tmp_path / "ns2").iterdir()) == []


def test_another_version_of_ns2_is_none_for_the_sink(workshop, monkeypatch):
    monkeypatch.setattr(sink, "run", lambda *_: "'file:///pool/ns2_2.36-1_amd64.deb' ns2.deb 1")
    with pytest.raises(sink.MissingError, match=r"it says 'ns2_2\.36-1_amd64\.deb'"):
        sink.library()


def test_a_compiler_that_is_missing_is_named_with_what_to_install(
    program, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path))
    monkeypatch.setattr(sink, "fetch", lambda _: tmp_path)
    monkeypatch.setattr(sink, "unpack", lambda *_: tmp_path)
    monkeypatch.setattr(sys, "argv", ["sink.py"])
    assert sink.main() == 3
    told = capsys.readouterr().err
    assert "g++ is missing; on Debian:  apt-get install ns2 g++ tcl-dev" in told


def test_a_place_that_cannot_be_made_is_named(program, monkeypatch, tmp_path):
    monkeypatch.setenv("CARGO_TARGET_DIR", str(program))
    with pytest.raises(sink.MissingError, match="bin/ns/ns2: cannot be built in: "):
        sink.library()


def test_an_apt_that_knows_nothing_is_told_how_to_learn(program):
    with pytest.raises(sink.MissingError, match="apt-get update"):
        sink.address()


def test_a_library_is_for_one_program_and_one_code(program, monkeypatch, tmp_path):
    before = sink.fingerprint()
    other = tmp_path / "sink.cc"
    other.write_text("// other", encoding="utf-8")
    with monkeypatch.context() as changed:
        changed.setattr(sink, "CODE", other)
        assert sink.fingerprint() != before
    assert sink.fingerprint() == before
    program.write_bytes(b"ns-2.36")
    assert sink.fingerprint() != before


def test_only_headers_come_out_of_the_source(tmp_path):
    inside = tmp_path / "ns-2.35" / "tcp"
    inside.mkdir(parents=True)
    for name in ("tcp.h", "tcp.cc"):
        (inside / name).write_text("// ns-2\n", encoding="utf-8")
    archive = tmp_path / "source.tar.xz"
    with tarfile.open(archive, "w:xz") as source:
        source.add(tmp_path / "ns-2.35", "ns-2.35")
    place = tmp_path / "out"
    headers = sink.unpack(archive, place)
    found = sorted(str(path.relative_to(place)) for path in place.rglob("*.*h"))
    assert headers == place / "ns-2.35"
    assert found == ["ns-2.35/autoconf.h", "ns-2.35/tcp/tcp.h"]


def test_random_placements_are_connected_and_repeatable():
    places = networks.placement(30, 7)
    assert places == networks.placement(30, 7)
    assert networks.connected(places)
    assert not networks.connected(((0.0, 0.0), (251.0, 0.0)))


@pytest.mark.parametrize("tool", [run, ns2_counts])
def test_a_missing_ns2_is_skipped_with_its_own_exit_code(tool, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["tool"])
    assert tool.main() == 3
    assert "apt-get install ns2" in capsys.readouterr().err


def test_too_few_pairs_are_refused(capsys):
    with pytest.raises(SystemExit) as refusal:
        run.main(["--pairs", "3"])
    assert refusal.value.code == 2
    assert "--pairs 3" in capsys.readouterr().err


def test_an_ack_for_no_segment_is_refused(capsys):
    with pytest.raises(SystemExit) as refusal:
        run.main(["--d", "0"])
    assert refusal.value.code == 2
    assert "--d 0: an ACK is for one segment or more" in capsys.readouterr().err


def test_random_flows_lie_on_a_connected_placement_of_the_asked_extent():
    places = networks.placement(120, 1, (2500.0, 1000.0))
    assert networks.connected(places)
    assert max(x for x, _ in places) <= 2500.0
    assert max(y for _, y in places) <= 1000.0
    flows = networks.random_flows(120, 10, 1)
    assert len(set(flows)) == 10
    assert all(a != b for a, b in flows)
    case = run.Case(
        nodes=120, window=64, d=1, duration_s=100.0, rate_mbps=2.0, spacing_m=200.0,
        positions=places, flows=flows, variant="vegas",
    )  # fmt: skip
    told = case.ns2(1)
    assert told[told.index("-flows") + 1].split()[:2] == [str(flows[0][0]), str(flows[0][1])]
    ours = tomllib.loads(case.toml())["flow"]
    assert [(f["from"], f["to"], f["variant"]) for f in ours] == [(a, b, "vegas") for a, b in flows]


def test_an_extent_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        run.parse(["--area", "2500"])
    assert stopped.value.code == 2
    assert "such as 2500x1000" in capsys.readouterr().err


def test_wireless_points_are_those_of_figure_5() -> None:
    wireless = load("wireless")
    assert len(wireless.points()) == 16
    assert "-loss 0.03 -mean 16384 -duration 60" in " ".join(wireless.ns2((0.03, 16384), 2))
    tree = tomllib.loads(wireless.toml((0.05, 65536)))
    assert (tree["duration"], tree["point_to_point"][0]["data_loss"]) == ("80 s", "5 %")

    def cost(seconds: float) -> Any:
        return run.Cost(20.0, seconds, 1.0, 1, 100.0, guided=seconds < 0.02)

    found = {(0.0, 16384): [(cost(0.02), cost(0.01)), (cost(0.04), cost(0.01))]}
    report = wireless.summary(found, None)
    assert report["ratio"] == pytest.approx(3.0)
    assert (report["ratio_median"], report["pairs"]) == (3.0, 2)
    assert report["guided"]


def report_of(*frames: float | None) -> dict[str, Any]:
    """Pairs of a fifth of ns-2's time each, in which acklab says that it had so many frames."""
    ns2 = run.Cost(20.0, 0.1, 1.0, 1, 100.0, guided=False)
    ours = [run.Cost(20.0, 0.02, 1.0, 1, 100.0, guided=True, frames=number) for number in frames]
    case = run.Case(9, 8, 1, 1.0, 20.0, 200.0, ())
    return run.summary(case, None, [(ns2, cost) for cost in ours])


def test_what_a_frame_takes_is_told_of_the_program_that_counts_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = report_of(2e5, 1e5, 1.25e5)
    assert report["acklab"]["ns_a_frame"] == pytest.approx(160.0)
    assert report["ns2"]["ns_a_frame"] is None
    assert "acklab 1000 (guided build, 160 ns a frame), ns-2 200" in spread(report)
    run.show(report)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("a frame")
    assert lines[2].endswith(" -")
    assert lines[3].endswith(" 160 ns")


def test_a_program_that_counts_no_frames_is_measured_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = report_of(None, None)
    assert "acklab 1000 (guided build), ns-2 200" in spread(report)
    run.show(report)
    assert capsys.readouterr().out.splitlines()[3].endswith(" -")


def test_frames_are_taken_from_what_the_program_says_if_it_does() -> None:
    said = {"simulated_s": 20, "wall_s": 0.02, "delivered": 100, "peak_rss_kb": 5000}

    def cost(line: dict[str, Any]) -> Any:
        return run.measure([sys.executable, "-c", f"print({json.dumps(json.dumps(line))})"])

    assert cost(said).frame_ns is None
    assert cost(said | {"frames": 2e5}).frame_ns == pytest.approx(100.0)


def test_the_lines_of_the_page_on_performance_are_understood() -> None:
    page = (PEERS.parents[1] / "docs" / "performance.md").read_text(encoding="utf-8")
    lines = re.findall(r"^python3 bench/peers/run\.py *(.*)$", page, re.MULTILINE)
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line.split(">")[0], comments=True)
        assert run.parse(words).nodes >= 9
