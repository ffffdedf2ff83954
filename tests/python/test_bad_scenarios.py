"""Every mistake ends in exit code 2, a message that helps, and nothing half-written."""

import os
import re
import resource
import shutil
import subprocess
import sys

import pytest

from conftest import SMALL


def changed(old, new):
    assert old in SMALL
    return SMALL.replace(old, new)


# name, scenario, what the message must name (a place and what helps)
SCENARIOS = [
    ("unknown key", changed("spacing", "spacings"), ["topology.spacings", "spacing"]),
    ("missing unit", changed('"200 m"', "200"), ["topology.spacing", "200", "m"]),
    ("unknown unit", changed('"200 m"', '"200 yd"'), ["topology.spacing", "200 yd"]),
    ("negative distance", changed('"200 m"', '"-200 m"'), ["topology.spacing", "-200 m"]),
    ("zero window", changed("window = 4", "window = 0"), ["window", "0"]),
    ("unreachable destination", changed('"200 m"', '"900 m"'), ["reach", "900 m"]),
    (
        "two nodes on one spot",
        changed(
            'kind = "chain"\nnodes = 3\nspacing = "200 m"',
            'kind = "positions"\npositions = [["0 m", "0 m"], ["0 m", "0 m"]]',
        ),
        ["positions", "0"],
    ),
    ("no duration", changed('duration = "5 s"', ""), ["duration"]),
    ("zero duration", changed('"5 s"', '"0 s"'), ["duration", "0 s"]),
    ("flow to itself", changed("window = 4", "window = 4\nfrom = 1\nto = 1"), ["flow[0]", "1"]),
    ("no such node", changed("window = 4", "window = 4\nto = 9"), ["flow[0].to", "9"]),
    ("not TOML", "duration = = 5", ["bad.toml:1"]),
    ("empty", "", ["bad.toml"]),
]


@pytest.mark.parametrize(
    ("text", "named"), [row[1:] for row in SCENARIOS], ids=[row[0] for row in SCENARIOS]
)
def test_a_bad_scenario(acklab, tmp_path, text, named):
    (tmp_path / "bad.toml").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    answer = acklab("run", "bad.toml", "--runs", 2, "--out", "result")
    assert answer.code == 2
    assert answer.out == ""
    for name in ["bad.toml", *named]:
        assert name in answer.err
    assert "Traceback" not in answer.err
    assert sorted(tmp_path.rglob("*")) == before

    as_json = acklab("run", "bad.toml", "--json")
    assert as_json.code == 2
    assert as_json.json["error"]["place"]
    assert as_json.json["error"]["exit_code"] == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--runs", "0"], ["runs", "0", "1 or more"]),
        (["--runs", "-3"], ["runs", "-3"]),
        (["--runs", "many"], ["runs", "many"]),
        (["--seed", "-1"], ["seed", "-1"]),
        (["--workers", "0"], ["workers", "0"]),
        (["--precision", "2 kg"], ["--precision", "2 kg", "2%"]),
        (["--set", "flow.window"], ["--set", "flow.window", "key=value"]),
        (["--set", "flow.window=0"], ["window", "0"]),
        (["--set", "flow.9.window=1"], ["flow.9.window"]),
        (["--node", "1"], ["node"]),
        (["--ip-pcap", "x.pcap", "--node", "77"], ["node", "77"]),
        (["--pcap", "small.toml/air.pcapng"], ["air.pcapng", "not a folder"]),
        (["--out", "small.toml"], ["small.toml", "no result of acklab"]),
        (["--out", "small.toml/result"], ["not a folder"]),
        (["--out", "/proc/acklab/result"], ["/proc"]),
    ],
)
def test_bad_options(acklab, tmp_path, arguments, named):
    before = sorted(tmp_path.rglob("*"))
    answer = acklab("run", "small.toml", "--runs", 2, *arguments)
    assert answer.code == 2
    for name in named:
        assert name in answer.err
    assert "Traceback" not in answer.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "changes", "place"),
    [
        # What the file says itself stands with its line, a change as it was given.
        ("to = 3", ["flow.window=2"], "small.toml:13:1: flow[0].to"),
        ("to = 3", ["flow.to=9"], "--set flow.to=9: flow[0].to"),
        ("", ["flow.windo=9", "flow.to=1"], "--set flow.windo=9: flow[0].windo"),
        ("", ["flow.9.to=1"], "--set flow.9.to=1"),
        # Neither alone makes the third node one too many.
        (
            "",
            ["flow.to=2", "topology.nodes=2"],
            "--set flow.to=2 --set topology.nodes=2: flow[0].to",
        ),
    ],
)
def test_an_error_of_a_changed_scenario_names_what_it_comes_from(
    acklab, tmp_path, line, changes, place
):
    file = tmp_path / "small.toml"
    file.write_text(file.read_text().replace("window = 4", line))
    options = [part for change in changes for part in ("--set", change)]
    answer = acklab("run", "small.toml", *options, "--json")
    assert (answer.code, answer.json["error"]["place"]) == (2, place)


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [("window = 4", "to = 3", "flow.to=2"), ('duration = "5 s"', "", "duration=5 s")],
)
def test_a_change_may_give_what_is_missing_and_mend_what_is_wrong(
    acklab, tmp_path, old, new, change
):
    file = tmp_path / "small.toml"
    file.write_text(file.read_text().replace(old, new))
    assert acklab("run", "small.toml", "--runs", 1).code == 2
    assert acklab("run", "small.toml", "--runs", 1, "--set", change).code == 0


def test_a_file_that_is_not_there(acklab):
    answer = acklab("run", "absent.toml")
    assert answer.code == 2
    assert "absent.toml" in answer.err
    assert "No such file" in answer.err


@pytest.fixture
def locked(tmp_path):
    """A folder that may not be written, not even by root."""
    place = tmp_path / "locked"
    place.mkdir(mode=0o500)
    if os.geteuid() != 0:
        yield place
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=32k", "acklab-test", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("root may write anywhere, and nothing can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("option", ["--out", "--pcap", "--events"])
def test_a_folder_that_may_not_be_written(acklab, locked, option):
    answer = acklab("run", "small.toml", "--runs", 1, option, "locked/result")
    assert answer.code == 2
    assert "locked/result" in answer.err
    assert re.search("Permission denied|Read-only file system", answer.err)
    assert list(locked.iterdir()) == []


@pytest.fixture
def full_disk(tmp_path):
    """A file system of 32 kB that holds a scenario."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "acklab-test", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("capture", [[], ["--pcap", "small/air.pcapng"]], ids=["result", "capture"])
def test_a_full_disk(acklab, full_disk, capture):
    answer = acklab("run", "small.toml", "--runs", 1, "--out", "small/result", *capture)
    assert answer.code == 2
    assert "No space left" in answer.err
    assert list(full_disk.iterdir()) == []
    # What was found out is told all the same.
    assert ("goodput_pps" in answer.out) == (not capture)


def test_a_file_size_limit_is_told_like_a_full_disk(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    answer = subprocess.run(
        [sys.executable, "-m", "acklab", "run", "small.toml", "--runs", "1", "--out", "result"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )
    assert answer.returncode == 2
    assert re.search("File too large|No space left", answer.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.toml"]


def test_a_capture_does_not_lie_in_a_result_which_is_replaced_as_a_whole(acklab, tmp_path):
    short = ["run", "small.toml", "--runs", 1]
    for out, pcap in [("new", "new/air.pcapng"), ("new", "new"), ("new", "x/../new/y/air.pcapng")]:
        answer = acklab(*short, "--out", out, "--pcap", pcap)
        assert answer.code == 2, (out, pcap)
        assert "lies in the folder of a result, which is replaced as a whole" in answer.err
        assert not (tmp_path / "new").exists()
    assert acklab(*short, "--out", "old").code == 0
    before = (tmp_path / "old" / "runs.csv").read_bytes()
    answer = acklab(*short, "--out", "other", "--events", "old/runs.csv")
    assert answer.code == 2
    assert f"a file that is not in {tmp_path / 'old'}" in answer.err.replace("\n", "")
    assert (tmp_path / "old" / "runs.csv").read_bytes() == before
    assert not (tmp_path / "other").exists()
    # Of the folder of a result that is given none only the beginning of its name is known before.
    shutil.rmtree(tmp_path / "results", ignore_errors=True)
    answer = acklab(*short, "--ip-pcap", "results/small-00000000/ip.pcap")
    assert answer.code == 2
    assert "--ip-pcap: lies in the folder of a result" in answer.err
    assert not (tmp_path / "results").exists()
