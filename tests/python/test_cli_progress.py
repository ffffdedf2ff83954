"""What a terminal shows while a study runs, and what an interrupt leaves on standard output."""

import io
import json
import re
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from acklab import cli as command_line
from acklab import papers, simulate
from acklab.cli import output
from acklab.errors import Interrupted
from acklab.study.progress import StudyProgress
from conftest import SMALL


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def state(done: int, total: int, left_s: float | None, *, rounds: bool = True) -> StudyProgress:
    wide = 3 if rounds else None
    return StudyProgress(done, total, 2.0, left_s, 2, 0, wide, 6, rounds=rounds)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal of 80 columns, for standard error to be led to."""
    for name, value in (("TERM", "xterm"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    return Terminal()


def lines(terminal: Terminal) -> list[str]:
    """What was shown, without the terminal's own signs."""
    return re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue()))


def test_on_a_narrow_terminal_the_bar_gives_way_and_the_numbers_stay(terminal: Terminal) -> None:
    with redirect_stderr(terminal), output.progress_bar("long") as update:
        update(state(238, 1248, 0.4))
        update(state(12_345, 123_456, 3_599.0))
    shown = [line.strip() for line in lines(terminal) if "running" in line]
    assert all(len(line) <= 80 for line in shown)
    assert shown[0].startswith("2 running, 3/6 points still wide")
    assert shown[0].endswith(" 238/1248 less than 1 s left in this round")
    assert shown[-1].endswith(" 12345/123456 59 min 59 s left in this round")


def test_the_first_line_says_what_is_known_already(terminal: Terminal) -> None:
    with redirect_stderr(terminal), output.progress_bar("k") as update:
        update(state(7, 48, None, rounds=False))
    first = next(line for line in lines(terminal) if line.strip())
    assert "7/48" in first
    assert "time left not known yet" in first


def stop(*_arguments: object) -> None:
    raise papers.PaperInterrupted(3, 8, "made")


def test_an_interrupt_is_an_object_for_programs_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(papers, "reproduce", stop)
    assert command_line.execute(["reproduce", "altman2003", "--json"]) == 130
    said = capsys.readouterr()
    error = json.loads(said.out)["error"]
    assert (error["kind"], error["exit_code"]) == ("Interrupted", 130)
    assert "interrupted after 3 of 8 runs" in error["message"]
    assert error["message"] in said.err


def test_an_interrupt_is_told_though_the_reader_has_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(_value: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(output, "show_json", gone)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    with monkeypatch.context() as papers_end:
        papers_end.setattr(papers, "reproduce", stop)
        assert command_line.execute(["reproduce", "altman2003", "--json"]) == 130
    # Nothing more goes to those who have left.
    assert sys.stdout.name == "/dev/null"
    sys.stdout.close()
    assert "interrupted after 3 of 8 runs" in capsys.readouterr().err


def test_an_interrupt_before_the_first_run_is_an_object_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stopped(*_arguments: object, **_options: object) -> None:
        raise Interrupted(None)

    (tmp_path / "small.toml").write_text(SMALL)
    monkeypatch.setattr(simulate, "run", stopped)
    assert command_line.execute(["run", str(tmp_path / "small.toml"), "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == 130
