"""What runs cost besides themselves: the second core, the store and Python, a policy in Python."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

import acklab
from acklab.batch import Job, available_cores, execute
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SPEED_UP = 1.9
PAIRS = 5
OVERHEAD_BAR = 0.05
DECISIONS_BAR = 200_000

CHAIN = """
topology = { kind = "chain", nodes = 9, spacing = "200 m" }
duration = "30 s"
flow = [{ kind = "ftp", window = 8 }]
"""

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


def _wall(scenario: acklab.Scenario, runs: int, workers: int, cores: set[int]) -> float:
    """Seconds that the runs take with so many workers, on no other cores than these."""
    jobs = [Job(scenario.resolve(), 1, run) for run in range(runs)]
    allowed = os.sched_getaffinity(0)
    # The workers' threads, which are made when the runs start, inherit it.
    os.sched_setaffinity(0, cores)
    try:
        started = time.perf_counter()
        for _ in execute(jobs, workers):
            pass
        return time.perf_counter() - started
    finally:
        os.sched_setaffinity(0, allowed)


def cores(context: Context) -> list[Row]:
    """The wall time of many runs on one core and on two, in alternation.

    One core is one core: a second one, left free, would read the results that a single worker
    makes. That is shown beside.
    """
    runs = 1000 if context.full else 400
    name = f"two cores against one on {runs} runs"
    bar = f"at least {SPEED_UP} ×"
    if available_cores() < 2:
        return [Row(name, "none", bar, SKIPPED, "this machine has one core")]
    scenario = acklab.Scenario.parse(CHAIN)
    both = set(sorted(os.sched_getaffinity(0))[:2])
    settings = ((1, {min(both)}), (1, both), (2, both))
    times = [[_wall(scenario, runs, *setting) for setting in settings] for _ in range(PAIRS)]
    ratio, left_free = (
        statistics.median(line[which] / line[-1] for line in times) for which in (0, 1)
    )
    lines = [[*(f"{spent:.2f} s" for spent in line), f"{line[0] / line[-1]:.2f}"] for line in times]
    detail = [["one core", "one worker, the other core free", "two cores", "ratio"], *lines]
    figure = f"{ratio:.2f} ×; two workers against one that has both cores: {left_free:.2f} ×"
    return [Row(name, figure, bar, verdict(ratio >= SPEED_UP), detail=detail)]


def overhead(context: Context) -> list[Row]:
    """What a study spends beyond its runs, by the processor's time of this very process."""
    runs = 400 if context.full else 200
    scenario, each = _of_50_ms()
    shares = []
    with tempfile.TemporaryDirectory() as place:
        for number in range(3):
            study = acklab.Study(scenario, title="overhead", runs=runs, seed=number)
            before = time.process_time()
            result = study.run(Path(place) / str(number), workers=1, fresh=True)
            spent = time.process_time() - before
            rows = result.frame().height
            # The runs' own time is that of the threads of the core, on the same clock.
            alone = _processor_time(scenario, number, rows)
            shares.append(spent / alone - 1.0)
    share = statistics.median(shares)
    figure = f"{share:.1%} of the processor's time ({runs} runs of {each * 1e3:.0f} ms)"
    detail = [["share"], *[[f"{value:.1%}"] for value in shares]]
    name = "overhead of the store and Python per run of 50 ms"
    return [Row(name, figure, "under 5 %", verdict(share < OVERHEAD_BAR), detail=detail)]


def _of_50_ms() -> tuple[acklab.Scenario, float]:
    """Return the chain at such a length that a run takes about 50 ms here."""
    scenario = acklab.Scenario.parse(CHAIN)
    _processor_time(scenario, 0, 2)
    each = _processor_time(scenario, 0, 20) / 20
    seconds = max(5.0, 30.0 * 0.05 / each)
    longer = scenario.with_(duration=f"{seconds:.0f} s")
    return longer, _processor_time(longer, 0, 10) / 10


def _processor_time(scenario: acklab.Scenario, seed: int, runs: int) -> float:
    """Seconds that the runs alone take, one after the other."""
    from acklab import _native

    text = scenario.resolve().text
    before = time.process_time()
    for run in range(runs):
        _native.run(text, seed, run)
    return time.process_time() - before


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


CORES = Check("cores", "two cores against one", cores)
OVERHEAD = Check("overhead", "overhead of the store and Python", overhead)
POLICY = Check("python-policy", "decisions of a policy in Python", policy)
