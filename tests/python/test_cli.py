"""The command line: every verb as people call it, and what programs get from it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import acklab as package
from acklab import _native, papers
from acklab import cli as command_line
from conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]
VERBS = sorted(command_line.cli.commands)


def test_run_prints_means_with_intervals_the_cost_and_where_the_files_are(acklab, tmp_path):
    answer = acklab("run", "small.toml", "--runs", 3)
    assert answer.code == 0
    assert "goodput_pps" in answer.out
    assert "±" in answer.out
    assert "simulated s per wall s" in answer.out
    assert "events/s" in answer.out
    folder = answer.out.split("files: ")[1].splitlines()[0]
    assert (tmp_path / folder / "manifest.json").exists()
    assert folder.startswith("results/small-")


def test_run_as_json_is_one_object_on_standard_output(acklab):
    answer = acklab("run", "small.toml", "--runs", 2, "--json", "--out", "here")
    assert answer.code == 0
    assert answer.json["folder"] == "here"
    assert answer.json["measures"]["goodput_pps"]["n"] == 2
    assert answer.json["runs"] == {
        "requested": 2,
        "finished": 2,
        "failed": {},
        "interrupted": False,
    }


def test_the_same_command_gives_the_same_numbers_in_the_same_place(acklab, tmp_path):
    first = acklab("run", "small.toml", "--runs", 2, "--workers", 1)
    rows = {path: path.read_bytes() for path in tmp_path.glob("results/*/flows.csv")}
    second = acklab("run", "small.toml", "--runs", 2, "--workers", 2)
    assert first.code == second.code == 0
    assert rows == {path: path.read_bytes() for path in tmp_path.glob("results/*/flows.csv")}


def test_changes_reach_the_scenario(acklab, tmp_path):
    acklab("run", "small.toml", "--runs", 1, "--set", "flow.window=2", "--out", "two")
    assert "window = 2" in (tmp_path / "two" / "scenario.toml").read_text()


def test_a_capture_overwrites_neither_the_scenario_nor_another_capture(acklab, tmp_path):
    before = (tmp_path / "small.toml").read_text()
    answer = acklab("run", "small.toml", "--events", "./small.toml")
    assert answer.code == 2
    assert "is the scenario itself" in answer.err
    assert (tmp_path / "small.toml").read_text() == before
    answer = acklab("run", "small.toml", "--pcap", "same.bin", "--ip-pcap", "same.bin")
    assert answer.code == 2
    assert "is the file of pcap too" in answer.err
    assert not (tmp_path / "same.bin").exists()


def test_there_is_no_802_11_capture_of_a_slotted_radio(acklab, tmp_path):
    text = (tmp_path / "small.toml").read_text()
    (tmp_path / "slots.toml").write_text(text + "\n[slotted]\n")
    answer = acklab("run", "slots.toml", "--pcap", "air.pcapng")
    assert answer.code == 2
    assert "sends no 802.11 frames" in answer.err
    assert not (tmp_path / "air.pcapng").exists()


def test_claims_from_a_folder_without_verdicts_is_an_error(acklab):
    answer = acklab("claims", "altman2003", "--from", "nowhere")
    assert answer.code == 2
    assert "nowhere" in answer.err
    assert "no claims.json in this folder" in answer.err


def test_captures_of_the_first_run(acklab, tmp_path):
    answer = acklab(
        "run", "small.toml", "--runs", 2, "--pcap", "c/air.pcapng", "--ip-pcap", "c/ip.pcap",
        "--node", 2, "--events", "c/log.jsonl",
    )  # fmt: skip
    assert answer.code == 0
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [
        "air.pcapng",
        "ip.pcap",
        "log.jsonl",
    ]
    assert "pcap: c/air.pcapng" in answer.out


@pytest.mark.parametrize(
    ("example", "shown", "left_out"),
    [
        ("cbr-chain", "delay_mean_s", "timeouts"),
        ("chain9-short", "session_delay_mean_s", "delay_mean_s"),
        ("wireless-link", "p2p_frames_lost", "rts_sent"),
        ("access-tree", "handoffs", "rts_sent"),
        ("slotted-cross", "slot_data_frames", "rts_sent"),
        ("cell-saturated", "  9: cbr, 10 to 0 ", "p2p_frames_lost"),
    ],
)
def test_run_shows_what_a_network_has(acklab, example, shown, left_out):
    answer = acklab("run", ROOT / "examples" / f"{example}.toml", "--runs", 1)
    names = [line.split()[0] for line in answer.out.splitlines() if line.startswith("  ")]
    assert shown.split()[0] in names
    assert left_out not in names
    assert shown in answer.out


def test_a_scenario_and_a_study_are_not_taken_for_each_other(acklab, tmp_path):
    (tmp_path / "study.toml").write_text('scenario = "small.toml"\nruns = 2\n')
    run = acklab("run", "study.toml")
    assert run.code == 2
    assert "study.toml: is a study, not a scenario" in run.err
    assert "acklab sweep study.toml" in run.err
    sweep = acklab("sweep", "small.toml")
    assert sweep.code == 2
    assert "small.toml: is a scenario, not a study" in sweep.err
    assert "acklab run small.toml" in sweep.err


def test_precision_as_people_write_it(acklab):
    for share in ("20%", "20 %", "0.2"):
        answer = acklab("run", "small.toml", "--runs", 2, "--precision", share, "--json")
        goodput = answer.json["measures"]["goodput_pps"]
        assert goodput["high"] - goodput["mean"] <= 0.2 * goodput["mean"]


def test_precision_of_another_measure_with_a_cap(acklab):
    wished = ("--precision", "0.1%", "--measure", "delivered_bytes", "--max-runs", 5)
    answer = acklab("run", "small.toml", "--runs", 2, *wished, "--confidence", 0.9)
    assert answer.out.startswith("small: 5 runs, seed 1, 90 % intervals\n")
    assert "delivered_bytes is not within ± 0.1 % after 5 runs" in answer.out


def test_a_measure_without_a_precision_is_an_error(acklab):
    answer = acklab("run", "small.toml", "--measure", "timeouts")
    assert answer.code == 2
    assert "--measure: says what --precision is about\n  found:    timeouts" in answer.err


def test_a_scenario_from_standard_input(tmp_path):
    answer = run_process(["run", "-", "--runs", "1", "--json"], tmp_path, input=SMALL)
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["scenario"] == "standard input"


def test_new_writes_a_scenario_that_runs(acklab, tmp_path):
    assert acklab("new", "mine.toml").code == 0
    answer = acklab("run", "mine.toml", "--runs", 1, "--set", "duration=3 s")
    assert answer.code == 0
    text = (tmp_path / "mine.toml").read_text()

    again = acklab("new", "mine.toml")
    assert again.code == 2
    assert "already there" in again.err
    assert (tmp_path / "mine.toml").read_text() == text

    (tmp_path / "mine.toml").write_text("mine")
    assert acklab("new", "mine.toml", "--force", "--json").json == {"file": "mine.toml"}
    assert (tmp_path / "mine.toml").read_text() == text


def test_doctor_says_what_is_missing_and_how_to_get_it(acklab, monkeypatch, tmp_path):
    answer = acklab("doctor", "--json")
    findings = {finding["name"]: finding for finding in answer.json["findings"]}
    assert answer.code == 0
    assert {"python", "core", "disk", "results", "fonts", "cargo", "tshark", "ns"} <= set(findings)
    build = "guided" if _native.guided() else "plain"
    assert findings["core"]["found"] == f"acklab {package.__version__}, {build} build"

    monkeypatch.setenv("PATH", "")
    plain = acklab("doctor")
    assert plain.code == 0
    assert "apt-get install" in plain.out
    (tmp_path / "results").write_text("a file")
    assert acklab("doctor").code == 1


def test_papers_lists_keys_and_items(acklab):
    listed = acklab("papers", "--json").json["papers"]
    keys = {paper["key"] for paper in listed}
    assert "altman2003" in keys
    plain = acklab("papers").out
    for paper in listed:
        assert all(f"{paper['key']}:{item}" in plain for item in paper["items"])


def test_claims_without_a_reproduction_are_listed_and_not_evaluated(acklab):
    answer = acklab("claims", "altman2003", "--json")
    assert answer.code == 0
    verdicts = {claim["verdict"] for claim in answer.json["claims"]}
    assert verdicts <= {"not evaluated", "not decidable here"}
    assert "claims:" in acklab("claims", "altman2003").out


@pytest.mark.slow
def test_a_reproduction_from_end_to_end(acklab, tmp_path):
    arguments = ["reproduce", "altman2003:table1", "--runs", 2, "--out", "made"]
    answer = acklab(*arguments)
    assert answer.code == 0
    assert "made/report.html" in answer.out
    assert (tmp_path / "made" / "report.html").exists()
    again = acklab(*arguments, "--json")
    assert again.json["runs"]["new"] == 0
    assert acklab("claims", "altman2003", "--from", "made").code in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["reproduce", "altman1999"], ["altman1999", "altman2003"]),
        (["reproduce", "altman2003:table9"], ["table9", "table1"]),
        (["reproduce", "altman2003:"], ["altman2003:table1"]),
        (["reproduce", "altman2003", "--runs", "0"], ["runs", "0"]),
        (["reproduce", "altman2003", "--out", "small.toml"], ["small.toml"]),
        (["claims", "altman1999"], ["altman1999", "altman2003"]),
        (["claims", "altman2003", "--from", "nowhere"], ["--from", "nowhere", "a reproduction"]),
        (["simulate"], ["simulate"]),
        (["run"], ["FILE"]),
        (["run", "small.toml", "--speed", "9"], ["--speed"]),
    ],
)
def test_bad_commands(acklab, tmp_path, arguments, named):
    before = sorted(tmp_path.rglob("*"))
    answer = acklab(*arguments)
    assert answer.code == 2
    assert all(name in answer.err for name in named)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupt_says_what_was_kept(monkeypatch, capsys):
    def stop(*_arguments):
        raise papers.PaperInterrupted(3, 8, "made")

    monkeypatch.setattr(papers, "reproduce", stop)
    assert command_line.execute(["reproduce", "altman2003"]) == 130
    assert "interrupted after 3 of 8 runs; they are kept in made" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches_by_example(acklab, verb):
    answer = acklab(verb, "--help")
    assert answer.code == 0
    assert "Examples:" in answer.out
    assert f"acklab {verb}" in answer.out
    assert "--json" in answer.out


def test_help_says_what_exit_codes_mean(acklab):
    answer = acklab("--help")
    assert answer.code == 0
    assert "130 interrupted" in " ".join(answer.out.split())
    assert acklab("--version").out.strip() == f"acklab, version {package.__version__}"


def test_a_fault_of_ours_is_no_traceback(acklab, monkeypatch):
    def broken(*_arguments, **_named):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("acklab.simulate.run", broken)
    answer = acklab("run", "small.toml")
    assert answer.code == 3
    assert "a fault of acklab itself" in answer.err
    assert "Traceback" not in answer.err
    monkeypatch.setenv("ACKLAB_TRACEBACK", "1")
    assert "Traceback" in acklab("run", "small.toml").err
    assert acklab("run", "small.toml", "--json").json["error"]["exit_code"] == 3


def test_too_little_memory_is_told_with_what_needs_less(acklab, monkeypatch):
    def full(*_arguments, **_named):
        raise MemoryError

    monkeypatch.setattr("acklab.simulate.run", full)
    answer = acklab("run", "small.toml")
    assert answer.code == 2
    assert "memory ran out" in answer.err
    assert "measure.sample" in answer.err
    assert acklab("run", "small.toml", "--json").json["error"]["kind"] == "MemoryError"


def run_process(arguments, folder, **options):
    return subprocess.run(
        [sys.executable, "-m", "acklab", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def interrupted_after(seconds, folder, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", "acklab", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(seconds)
    # As through a launcher that passes the terminal's signal on: one Ctrl-C, two signals.
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def test_ctrl_c_in_a_reproduction_says_where_the_runs_are_and_how_to_go_on(tmp_path):
    for seconds in (3, 12, 40):
        code, _, err = interrupted_after(
            seconds, tmp_path, "reproduce", "altman2003:fig8", "--full", "--out", "kept"
        )
        if " of " in err:
            break
    assert code == 130
    assert "they are kept in kept; the same command goes on" in err
    assert (tmp_path / "kept" / "manifest.json").exists()


def test_ctrl_c_keeps_finished_runs_and_says_where(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    # On a busy machine Python itself may take seconds to start.
    for seconds in (2, 8, 30):
        code, out, err = interrupted_after(
            seconds, tmp_path, "run", "small.toml", "--runs", "200000"
        )
        if "runs are in" in err:
            break
    assert code == 130
    assert "Traceback" not in err
    folder = tmp_path / err.split("runs are in ")[1].splitlines()[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["runs"]["interrupted"]
    assert 1 <= manifest["runs"]["finished"] < 200_000
    assert "goodput_pps" in out


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    command = f"{sys.executable} -m acklab doctor --json | head -n 1; exit ${{PIPESTATUS[0]}}"
    answer = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0
    assert answer.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("as_json", ["", "--json"])
def test_an_output_that_is_full_is_told(as_json):
    command = f"{sys.executable} -m acklab doctor {as_json} > /dev/full"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "No space left" in answer.stderr
    assert "fault" not in answer.stderr
    assert "Traceback" not in answer.stderr


def test_help_is_immediate(tmp_path):
    code = (
        "import sys; from acklab import cli; cli.execute(['--help']);"
        "heavy = {'polars', 'numpy', 'scipy', 'matplotlib', 'rich'} & set(sys.modules);"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    # By turns, and as a ratio: how fast this machine is must not decide.
    least = [sys.executable, "-c", "import click"]
    takes = {"help": [], "least": []}
    for _ in range(3):
        for name, command in (
            ("help", [sys.executable, "-m", "acklab", "--help"]),
            ("least", least),
        ):
            started = time.perf_counter()
            subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
            takes[name].append(time.perf_counter() - started)
    assert min(takes["help"]) < 5 * min(takes["least"])
