"""What the second core brings: a study on one core and on two, turn by turn, and bare engines.

The machine's speed changes within seconds, by more than what is asked about. So both studies do the
same runs in turns of a second, or of some with longer runs, and what the machine itself gives to
two processes that do nothing but run the core is measured between them. The one invariant: all that
a study does, from its opening to its last table, falls into its own turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import acklab
from acklab.batch import Group, Job, available_cores, execute, polled
from acklab.store import code_identity
from acklab.study.backends import Threads
from acklab.study.cache import Cache
from acklab.study.campaign import Campaign
from acklab.study.finish import finish
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SPEED_UP = 1.9

SHORT, LONG = "30 s", "180 s"
"""Simulated time of a run: a few milliseconds of a processor, and six times as much."""

CHAIN = """
topology = { kind = "chain", nodes = 9, spacing = "200 m" }
duration = "30 s"
flow = [{ kind = "ftp", window = 8 }]
"""

_TURN_S = 1.0
"""What a turn of a study takes on one core: shorter ones would end more often with one core waiting
for the other. Of long runs it has `_LEAST` all the same."""

_RUNS = 1000
"""Of fewer the tables at the end would be a larger share."""

_LEAST = 200
_BARE = 50

_ENGINE = """
import sys, time
from acklab import _native
text, options = sys.stdin.readline(), '{"leave_out": ["flows", "nodes", "samples"]}'
for line in sys.stdin:
    before = time.perf_counter()
    for run in range(int(line)):
        _native.run(text, 1, run, options)
    print(time.perf_counter() - before, flush=True)
"""


class Turns:
    """Lets threads work one at a time, in a fixed order, until each has had enough."""

    def __init__(self, names: Sequence[str]) -> None:
        self._left = list(names)
        self._now = names[0]
        self._changed = threading.Condition()

    def wait(self, name: str) -> None:
        """Wait for one's turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._now == name)

    def pass_on(self, name: str, *, last: bool = False) -> None:
        """End one's turn; after the last one there is no further."""
        with self._changed:
            following = self._left[(self._left.index(name) + 1) % len(self._left)]
            if last:
                self._left.remove(name)
            self._now = following
            self._changed.notify_all()


@dataclass
class Side(Threads):
    """A study on so many cores: a backend that stops after each turn and counts what it took."""

    name: str
    cores: set[int]
    turns: Turns
    runs_a_turn: int
    wall_s: float = 0.0
    cpu_s: float = 0.0
    runs_cpu_s: float = 0.0
    fault: BaseException | None = None

    def __post_init__(self) -> None:
        super().__init__(len(self.cores))

    def run(self, jobs: Sequence[Job]) -> Generator[Group]:
        """Yield jobs and their records as they finish, a turn's worth at a time."""
        for start in range(0, len(jobs), self.runs_a_turn):
            if start:
                self._stop()
                self.turns.pass_on(self.name)
                self._begin()
            for group in polled(jobs[start : start + self.runs_a_turn], self.workers):
                yield [(start + index, record) for index, record in group]

    def _begin(self) -> None:
        self.turns.wait(self.name)
        # Nothing else works in this process until the turn is over.
        self._began = (time.perf_counter(), time.process_time())

    def _stop(self) -> None:
        wall, cpu = self._began
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += time.process_time() - cpu

    def study(self, study: acklab.Study, folder: Path) -> None:
        """Run a whole study; for a thread of its own, whose workers keep to its cores."""
        try:
            os.sched_setaffinity(0, self.cores)
            self._begin()
            folder.mkdir()
            cache = Cache(code_identity(), folder / "cache.sqlite")
            campaign = Campaign(study.plan, study.points, folder, self, cache, fresh=True)
            campaign.execute(finish)
            self._stop()
            self.runs_cpu_s = campaign.cpu_s
        except BaseException as error:
            self.fault = error
        finally:
            self.turns.pass_on(self.name, last=True)


class Engines:
    """Two processes that do nothing but run the core, each on a core of its own."""

    def __init__(self, cores: Sequence[int], text: str) -> None:
        command = [sys.executable, "-c", _ENGINE]
        pipe = subprocess.PIPE
        self._children = [
            subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in cores
        ]
        self.alone_s = 0.0
        self.both_s = [0.0, 0.0]
        for child, core in zip(self._children, cores, strict=True):
            os.sched_setaffinity(child.pid, {core})
            self._ask(child, text)
        for _ in range(2):
            self._answers(self._children, 5)

    def _ask(self, child: subprocess.Popen[str], line: str) -> None:
        assert child.stdin is not None
        child.stdin.write(line + "\n")
        child.stdin.flush()

    def _answers(self, children: Sequence[subprocess.Popen[str]], runs: int) -> list[float]:
        for child in children:
            self._ask(child, str(runs))
        return [float(child.stdout.readline()) for child in children if child.stdout is not None]

    def turn(self) -> None:
        """Let one run alone, then both at once."""
        self.alone_s += self._answers(self._children[:1], _BARE)[0]
        both = self._answers(self._children, _BARE)
        self.both_s = [a + b for a, b in zip(self.both_s, both, strict=True)]

    @property
    def gain(self) -> float:
        """How much more both do in a second than one alone."""
        return sum(self.alone_s / seconds for seconds in self.both_s)

    def close(self) -> None:
        """End both."""
        for child in self._children:
            with child:
                child.kill()


@contextmanager
def _engines(cores: Sequence[int], text: str) -> Iterator[Engines]:
    engines = Engines(cores, text)
    try:
        yield engines
    finally:
        engines.close()


def alternated(
    study: acklab.Study, cores: Sequence[int], folder: Path, runs_a_turn: int
) -> tuple[Side, Side, float]:
    """Run a study on the first core and on both, in turns; and what bare engines gain by both."""
    turns = Turns(["one", "two", "bare"])
    one = Side("one", {cores[0]}, turns, runs_a_turn)
    two = Side("two", set(cores), turns, runs_a_turn)
    threads = [
        threading.Thread(target=side.study, args=(study, folder / side.name), daemon=True)
        for side in (one, two)
    ]
    text = json.dumps(json.loads(study.points[0].scenario.resolve().text))
    with _engines(cores, text) as engines:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            turns.wait("bare")
            engines.turn()
            turns.pass_on("bare")
        gain = engines.gain
    for side in (one, two):
        if side.fault is not None:
            raise side.fault
    return one, two, gain


def cores(context: Context) -> list[Row]:
    """The wall time of a study on one core and on two, and what the machine gives without one.

    Short runs are the hard case: what one core does alone weighs most there, and pairs of them
    differ by a tenth from one another. The full form adds runs as long as those that papers are
    made of.
    """
    if context.full:
        return [_row(_RUNS, SHORT, 25), _row(_RUNS, LONG, 3)]
    return [_row(_RUNS, SHORT, 9)]


def _row(runs: int, duration: str, pairs: int) -> Row:
    name = f"two cores against one on {runs} runs of {duration} in a chain"
    bar = f"at least {SPEED_UP} ×"
    if available_cores() < 2 or not hasattr(os, "sched_setaffinity"):
        return Row(name, "none", bar, SKIPPED, "this machine has one core, or ties nobody to it")
    first, second = sorted(os.sched_getaffinity(0))[:2]
    scenario = acklab.Scenario.parse(CHAIN).with_(duration=duration)
    head = ["one core", "two cores", "ratio", "two bare engines against one"]
    lines = [[*head, "the runs' own time on one", "on two", "share of both cores in use"]]
    ratios, gains, seconds = [], [], []
    with tempfile.TemporaryDirectory() as place:
        # What a process imports and sets up once belongs to neither.
        acklab.Study(scenario, runs=2).run(Path(place) / "first", fresh=True)
        few = execute([Job(scenario.resolve(), 1, run) for run in range(10)], workers=1)
        turn = max(_LEAST, round(_TURN_S / min(record["wall_s"] for _, record in few)))
        for number in range(pairs):
            study = acklab.Study(scenario, title="cores", runs=runs, seed=number)
            order = (first, second) if number % 2 == 0 else (second, first)
            folder = Path(place) / str(number)
            folder.mkdir()
            one, two, gain = alternated(study, order, folder, turn)
            ratios.append(one.wall_s / two.wall_s)
            gains.append(gain)
            seconds.append(one.runs_cpu_s / runs)
            cells = [f"{one.wall_s:.2f} s", f"{two.wall_s:.2f} s", f"{ratios[-1]:.2f}"]
            cells += [f"{gain:.2f}", f"{one.runs_cpu_s:.2f} s", f"{two.runs_cpu_s:.2f} s"]
            lines.append([*cells, f"{two.cpu_s / (2 * two.wall_s):.0%}"])
    ratio, limit = statistics.median(ratios), statistics.median(gains)
    figure = (
        f"{ratio:.2f} × (runs of {statistics.median(seconds) * 1000:.1f} ms; median of {pairs} "
        f"studies on each, in turns of {min(turn, runs)} runs, {min(ratios):.2f} to "
        f"{max(ratios):.2f}); two bare processes of the core against one, in the same minutes: "
        f"{limit:.2f} × "
        f"({min(gains):.2f} to {max(gains):.2f})"
    )
    return Row(name, figure, bar, verdict(ratio >= SPEED_UP), detail=lines)


CORES = Check("cores", "two cores against one", cores)
