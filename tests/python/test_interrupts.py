"""Requests to end, by Ctrl-C or a signal: they are heard, and wait while runs are taken in."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from acklab import interrupts
from acklab.batch import finished
from acklab.errors import StudyInterrupted
from acklab.interrupts import ENDING
from acklab.study import Study
from acklab.study.index import Index
from acklab.study.rows import Rows
from study_folder import OneByOne, start

pytestmark = pytest.mark.usefixtures("study_folder")


class Deaf(OneByOne):
    """A backend that swallows Ctrl-C, as code of others may where Python cannot raise it."""

    def __init__(self, at, number):
        super().__init__(at, lambda: self.swallow(number))

    def swallow(self, number):
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
            time.sleep(1.0)


@pytest.fixture
def plain_signals():
    """As Python takes them: a shell that started the tests may have it ignore them, or `nohup`."""
    plain = dict.fromkeys(ENDING, signal.SIG_DFL)
    plain[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, handler) for number, handler in plain.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("plain_signals", "no_cache")
@pytest.mark.parametrize("number", [signal.SIGINT, *ENDING])
def test_a_request_to_end_is_heard_although_it_was_swallowed(number):
    work = start(Study.load("study.toml"), Deaf(4, number))
    with pytest.raises(StudyInterrupted, match="4 of 12 runs"):
        work.execute()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert all(signal.getsignal(number) is signal.SIG_DFL for number in ENDING)


MASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def test_ctrl_c_does_not_reach_workers():
    with interrupts.not_in_workers():
        inside = subprocess.run([sys.executable, "-c", MASK], capture_output=True, text=True)
    outside = subprocess.run([sys.executable, "-c", MASK], capture_output=True, text=True)
    assert (inside.stdout, outside.stdout) == ("True\n", "False\n")


class Interrupted:
    """A batch of three jobs that Ctrl-C meets while it waits, when two have finished."""

    def __init__(self):
        self.answers = ['{"run": 0}', '{"run": 1}']

    def remaining(self):
        return 1 + len(self.answers)

    def wait(self, _timeout_s):
        raise KeyboardInterrupt

    def next(self):
        return (2 - len(self.answers), self.answers.pop(0)) if self.answers else None


def test_ctrl_c_while_a_batch_waits_throws_nothing_away_that_has_finished():
    seen = []

    def take():
        for group in finished(Interrupted(), 1.0):
            seen.extend(group)

    with pytest.raises(KeyboardInterrupt):
        take()
    assert seen == [(0, {"run": 0}), (1, {"run": 1})]


def test_ctrl_c_is_raised_though_nobody_asks_for_more():
    groups = finished(Interrupted(), 1.0)
    assert len(next(groups)) == 2
    with pytest.raises(KeyboardInterrupt):
        groups.close()


class Gathered:
    """A batch whose jobs have all finished; a signal comes as the second one is handed over."""

    def __init__(self):
        self.left = [0, 1, 2]

    def remaining(self):
        return len(self.left)

    def wait(self, _timeout_s):
        pass

    def next(self):
        if not self.left:
            return None
        if len(self.left) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return self.left.pop(0), "{}"


@pytest.mark.usefixtures("plain_signals")
def test_ctrl_c_while_a_group_is_made_waits_for_all_of_it():
    seen = []

    def take():
        with interrupts.ended_gently():
            for group in finished(Gathered(), 1.0):
                seen.append([index for index, _ in group])

    with pytest.raises(KeyboardInterrupt):
        take()
    assert seen == [[0, 1, 2]]


class Together(OneByOne):
    """A backend whose runs finish six at a time."""

    def __init__(self):
        super().__init__(0, None)

    def run(self, jobs):
        answers = [answer for group in super().run(jobs) for answer in group]
        for first in range(0, len(answers), 6):
            yield answers[first : first + 6]


@pytest.fixture
def asked_at(monkeypatch):
    """A signal comes when a study has taken in so many runs."""
    honest = Rows.add

    def arrange(number, at):
        def taken_in(rows, *run):
            honest(rows, *run)
            if len(rows) in at:
                os.kill(os.getpid(), number)

        monkeypatch.setattr(Rows, "add", taken_in)

    return arrange


@pytest.mark.usefixtures("plain_signals", "no_cache")
@pytest.mark.parametrize("number", [signal.SIGINT, *ENDING])
def test_a_request_to_end_waits_until_a_group_is_taken_in(asked_at, number):
    # A launcher may pass on what the terminal has sent to both.
    asked_at(number, {2, 3})
    with pytest.raises(StudyInterrupted, match="6 of 12 runs"):
        start(Study.load("study.toml"), Together()).execute()
    assert Study.load("study.toml").dry_run("out").reused == 6


def asked_twice(number):
    with interrupts.ended_gently(), interrupts.held():
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), signal.SIGINT)


def test_two_requests_that_wait_are_both_passed_on(plain_signals):
    other, heard = ENDING[-1], []
    signal.signal(other, lambda number, _: heard.append(number))
    with pytest.raises(KeyboardInterrupt):
        asked_twice(other)
    assert heard == [other]


class Cut:
    """A database of which one command is the last before Ctrl-C."""

    def __init__(self, database, command):
        self.database, self.command = database, command

    def execute(self, command, *values):
        answer = self.database.execute(command, *values)
        if command == self.command:
            self.command = None
            raise KeyboardInterrupt
        return answer

    def __enter__(self):
        return self.database.__enter__()

    def __exit__(self, *raised):
        return self.database.__exit__(*raised)

    def __getattr__(self, name):
        return getattr(self.database, name)


@pytest.mark.usefixtures("no_cache")
def test_ctrl_c_as_a_transaction_of_the_index_begins_leaves_none_open(monkeypatch):
    honest = Index.add

    def cut(index, *batch):
        if not isinstance(index._db, Cut):
            monkeypatch.setattr(index, "_db", Cut(index._db, "BEGIN IMMEDIATE"))
        honest(index, *batch)

    monkeypatch.setattr(Index, "add", cut)
    with pytest.raises(StudyInterrupted, match="12 of 12 runs"):
        start(Study.load("study.toml"), Together()).execute()
    assert Study.load("study.toml").dry_run("out").reused == 12


def interrupted_here():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5.0)


def test_what_another_thread_takes_in_holds_nothing_up(plain_signals):
    begun, over = threading.Event(), threading.Event()

    def hold():
        with interrupts.held():
            begun.set()
            over.wait(10.0)

    thread = threading.Thread(target=hold)
    with interrupts.ended_gently():
        thread.start()
        assert begun.wait(10.0)
        try:
            with pytest.raises(KeyboardInterrupt):
                interrupted_here()
        finally:
            over.set()
            thread.join()
