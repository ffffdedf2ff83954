"""What runs cost besides themselves: the store and Python, a policy in Python."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import acklab
from acklab.batch import Job, execute
from acklab.validate.campaigns.cores import CHAIN
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

OVERHEAD_BAR = 0.05
DECISIONS_BAR = 200_000

# One hop at 11 Mbit/s: many segments a second, each of which the policy is asked about.
FAST = """
topology = { kind = "chain", nodes = 2, spacing = "200 m" }
mac = { data_rate = "11 Mbit/s", rts_threshold = "off" }
routing = { protocol = "static" }
duration = "400 s"
flow = [{ kind = "ftp", window = 20 }]
"""


class EveryOther(acklab.AckPolicy):
    """The cheapest policy that thins at all."""

    def on_segment(self, segment: acklab.policy.Segment) -> float | None:
        """Acknowledge every second segment."""
        return None if segment.waiting >= 2 else 0.1


def overhead(context: Context) -> list[Row]:
    """What a study spends beyond its runs: both by the processor's time within the same study.

    The runs' own time is that of the very threads that run them, taken around the core's call: what
    reads scenarios, writes and reads results, and keeps them is all on the other side, and the
    speed of the machine, which is never quite the same for two studies, is the same for both.
    """
    runs, studies = 200, 9 if context.full else 5
    name, bar = "overhead of the store and Python per run of 50 ms", "under 5 %"
    scenario = _of_50_ms()
    lines = [["share", "of the processor's time", "of it the runs'", "a run"]]
    shares, each = [], []
    with tempfile.TemporaryDirectory() as place:
        start = _started(Path(place))
        # What a process imports and sets up once is told by itself.
        acklab.Study(scenario, runs=2).run(Path(place) / "first", workers=1, fresh=True)
        for number in range(studies):
            study = acklab.Study(scenario, title="overhead", runs=runs, seed=number)
            before = time.process_time()
            result = study.run(Path(place) / str(number), workers=1, fresh=True)
            spent, theirs = time.process_time() - before, result.manifest["runs_cpu_s"]
            if not theirs:
                why = "this system does not tell the processor's time of a thread"
                return [Row(name, "none", bar, SKIPPED, why)]
            shares.append(spent / theirs - 1.0)
            each.append(theirs / runs)
            seconds = [f"{value:.2f} s" for value in (spent, theirs)]
            lines.append([f"{shares[-1]:.1%}", *seconds, f"{each[-1] * 1e3:.1f} ms"])
    share = statistics.median(shares)
    figure = (
        f"{share:.1%} of the runs' own processor time, a study's beginning and end included "
        f"(median of {studies} studies of {runs} runs of {statistics.median(each) * 1e3:.0f} ms, "
        f"{min(shares):.1%} to {max(shares):.1%}); besides, once a process, {start:.2f} s to "
        "start Python and what it imports"
    )
    return [Row(name, figure, bar, verdict(share < OVERHEAD_BAR), detail=lines)]


def _of_50_ms() -> acklab.Scenario:
    """Return the chain at such a length that a run takes about 50 ms here."""
    scenario, seconds = acklab.Scenario.parse(CHAIN), 30.0
    # The first round warms up; the machine's speed changes within the second one's 40 ms.
    for _round in range(3):
        scenario = scenario.with_(duration=f"{seconds:.0f} s")
        jobs = [Job(scenario.resolve(), 0, run, {"cpu": True}) for run in range(20)]
        costs = [record.get("cpu_s", 0.05) for _, record in execute(jobs, 1)]
        seconds = max(5.0, seconds * 0.05 / statistics.median(costs))
    return scenario.with_(duration=f"{seconds:.0f} s")


_STARTED = f"""
import time, acklab, acklab.stats
study = acklab.Study(acklab.Scenario.parse({CHAIN!r}), runs=2)
for folder in ("first", "second"):
    before = time.process_time()
    study.run(folder, workers=1, fresh=True)
    if folder == "first":
        first = time.process_time()
print(first - (time.process_time() - before))
"""


def _started(place: Path) -> float:
    """Processor seconds of a new process up to its first study, less those of any later one."""
    command = [sys.executable, "-c", _STARTED]
    answers = [
        subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    ]
    return statistics.median(map(float, answers))


def policy(_context: Context) -> list[Row]:
    """Decisions per second of a policy in Python: what it adds to the built-in one's time."""
    scenario = acklab.Scenario.parse(FAST)
    built_in = {"policy": "delayed", "count": 2, "interval": "100 ms"}
    mine, theirs = (scenario.with_({"flow.ack": ack}) for ack in (EveryOther(), built_in))
    rates = []
    for _ in range(5):
        ours = acklab.run(mine, runs=1, workers=1).records[0]
        base = acklab.run(theirs, runs=1, workers=1).records[0]
        if ours["digest"] != base["digest"]:
            raise RuntimeError("the policy does not decide as the built-in one does")
        decisions = ours["measures"]["delivered_packets"]
        rates.append(decisions / max(ours["wall_s"] - base["wall_s"], 1e-9))
    rate = statistics.median(rates)
    figure = f"{rate:,.0f} decisions per second: {1e6 / rate:.2f} µs each beyond a built-in policy"
    detail = [["decisions per second"], *[[f"{value:,.0f}"] for value in rates]]
    bar = f"at least {DECISIONS_BAR:,} per second"
    return [Row("a policy in Python", figure, bar, verdict(rate >= DECISIONS_BAR), detail=detail)]


OVERHEAD = Check("overhead", "overhead of the store and Python", overhead)
POLICY = Check("python-policy", "decisions of a policy in Python", policy)
