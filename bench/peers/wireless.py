"""Base TCP of vaidya1999's Figure 5 in ns-2 and in acklab, in alternation: speed of both.

What it is: a stopwatch, as `run.py` is one for radio chains, that takes two times. As a campaign:
so many runs of every point (congestion loss and mean bytes between errors), from the first start of
a program to its last end; ns-2 has to be started for each run, acklab does all in one process
(`campaign.py`). The runs alone: a pair is one point and one seed, ns-2 first, and what counts is
the run itself, without the start of either program. ns-2 runs `ns2_wireless.tcl`, tracing off, only
the headers in use. Rates are simulated seconds per wall second.
What it is not: a check that the two agree; `./do validate vaidya1999` does that.

    ./do python bench/peers/wireless.py            16 points; 288 runs; 48 pairs
    ./do python bench/peers/wireless.py --seeds 10 --parts 7 --part-seeds 9 --json

Exit codes: 0 measured, 2 usage, 3 ns-2 is missing (skipped, which is not a pass), 4 a run failed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import MEASURED, NS2_MISSING, RUN_FAILED, Cost, RunError, measure, peer_program, pin

SCRIPT = Path(__file__).with_name("ns2_wireless.tcl")
CAMPAIGN = Path(__file__).with_name("campaign.py")
END_S = {0.0: 20, 0.01: 20, 0.03: 60, 0.05: 80}
"""When a run ends, by the congestion loss (vaidya1999 section 6)."""

MEANS = (16384, 32768, 65536, 131072)
Point = tuple[float, int]
Pair = tuple[Cost, Cost]


def points() -> list[Point]:
    """Congestion loss and mean bytes between errors."""
    return list(itertools.product(END_S, MEANS))


def ns2(point: Point, seed: int) -> list[str]:
    """The command for ns-2."""
    loss, mean = point
    return [
        "ns",
        str(SCRIPT),
        *("-delay", "1ms", "-loss", f"{loss:g}", "-mean", str(mean)),
        *("-duration", str(END_S[loss]), "-seed", str(seed)),
    ]


def toml(point: Point) -> str:
    """The scenario for acklab."""
    loss, mean = point
    return f"""\
duration = "{END_S[loss]} s"
[topology]
kind = "nodes"
nodes = 3
[[point_to_point]]
between = [0, 1]
rate = "10 Mbit/s"
delay = "20 ms"
queue = 40
data_loss = "{100 * loss:g} %"
[[point_to_point]]
between = [1, 2]
rate = "2 Mbit/s"
delay = "1 ms"
queue = 40
errors = {{ kind = "exponential", mean = "{mean} B" }}
[[flow]]
kind = "ftp"
variant = "reno"
window = 20
packet = "960 B"
initial_window = 1
initial_ssthresh = 20
handshake = false
limited_transmit = false
halving = "whole-window"
inflate_unguarded = true
start = "0 s"
start_jitter = "1 s"
rto = {{ initial = "6 s", min = "200 ms", max = "64 s", tick = "100 ms" }}
ack = "every"
"""


def compare(peer: Path, seeds: int) -> dict[Point, list[Pair]]:
    """Every point with every seed, both simulators in turn; one unmeasured pair first."""
    found: dict[Point, list[Pair]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for place, point in enumerate(points()):
            scenario = Path(folder, f"{place}.toml")
            scenario.write_text(toml(point))
            for seed in range(0 if place == 0 else 1, seeds + 1):
                program = [str(peer), str(scenario), str(max(seed, 1))]
                pair = (measure(ns2(point, max(seed, 1))), measure(program))
                if seed > 0:
                    found.setdefault(point, []).append(pair)
    return found


def ns2_part(script: Path, seeds: range) -> float:
    """Wall time of every point with these seeds, a process each, started by a shell."""
    every = itertools.product(points(), seeds)
    lines = [shlex.join(ns2(point, seed)) + " || exit 1" for point, seed in every]
    script.write_text("\n".join([*lines, ""]))
    started = time.perf_counter()
    done = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=False)
    wall = time.perf_counter() - started
    if done.returncode != 0 or len(done.stdout.splitlines()) != len(lines):
        raise RunError(f"ns-2: exit code {done.returncode}\n{done.stderr}")
    return wall


class Campaign:
    """acklab's one process, halted while ns-2 runs; its start belongs to the first part."""

    def __init__(self, folder: str) -> None:
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, str(CAMPAIGN), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.wall = 0.0
        self.pending = time.perf_counter() - started

    def part(self, seeds: range) -> float:
        """Wall time of every point with so many runs."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.perf_counter() - self.pending
        self.pending = 0.0
        print(len(seeds), seeds.start, file=self.process.stdin, flush=True)
        runs = len(points()) * len(seeds)
        if not any(line.startswith('{"runs": ' + f"{runs}}}") for line in self.process.stdout):
            raise RunError(f"acklab's campaign ended: exit code {self.process.wait()}")
        return time.perf_counter() - started

    def end(self) -> float:
        """Wall time until the process is gone."""
        started = time.perf_counter()
        self.process.communicate()
        return time.perf_counter() - started


def campaigns(parts: int, seeds: int) -> dict[str, object]:
    """All points with so many seeds, several times: a campaign of each simulator, in turn."""
    runs = len(points()) * seeds
    simulated = sum(END_S[loss] for loss, _ in points()) * seeds
    walls: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for place, point in enumerate(points()):
            Path(folder, f"{place:02}.toml").write_text(toml(point))
        script = Path(folder, "ns2.sh")
        # A start of each beforehand, to fill the caches.
        measure(ns2(points()[0], 1))
        Campaign(folder).end()
        ours: Campaign | None = None
        for part in range(parts):
            some = range(1 + part * seeds, 1 + (part + 1) * seeds)
            theirs = ns2_part(script, some)
            ours = ours or Campaign(folder)
            walls.append((theirs, ours.part(some)))
        end = ours.end() if ours else 0.0
    ratios = [theirs / ours for theirs, ours in walls]
    rates = {
        "ns2": parts * simulated / sum(theirs for theirs, _ in walls),
        "acklab": parts * simulated / (sum(ours for _, ours in walls) + end),
    }
    return rates | {
        "parts": parts,
        "runs": parts * runs,
        "ratio": rates["acklab"] / rates["ns2"],
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
    }


def summary(found: dict[Point, list[Pair]], core: int | None) -> dict[str, object]:
    """Each point's median ratio, and the ratio over all runs."""
    pairs = [pair for at in found.values() for pair in at]
    rows = []
    for (loss, mean), at in found.items():
        speeds = [[cost.speed for cost in side] for side in zip(*at, strict=True)]
        theirs, ours = (statistics.median(side) for side in speeds)
        ratio = statistics.median(b / a for a, b in zip(*speeds, strict=True))
        rows.append({"loss": loss, "mean": mean, "ns2": theirs, "acklab": ours, "ratio": ratio})
    simulated = [sum(cost.simulated_s for cost in side) for side in zip(*pairs, strict=True)]
    wall = [sum(cost.run_s for cost in side) for side in zip(*pairs, strict=True)]
    rates = [s / w for s, w in zip(simulated, wall, strict=True)]
    ratios = [b.speed / a.speed for a, b in pairs]
    return {
        "core": core,
        "guided": all(ours.guided for _, ours in pairs),
        "pairs": len(pairs),
        "ns2": rates[0],
        "acklab": rates[1],
        "ratio": rates[1] / rates[0],
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
        "points": rows,
    }


def show(report: dict[str, object]) -> None:
    """The report as a table."""
    whole = report["campaign"]
    assert isinstance(whole, dict)
    print(
        f"base TCP of Figure 5 as campaigns, start included, {whole['runs']} runs a side in "
        f"{whole['parts']} parts in alternation: ns-2 {whole['ns2']:.0f}, acklab "
        f"{whole['acklab']:.0f} simulated s per wall s, {whole['ratio']:.1f} times (parts: median "
        f"{whole['ratio_median']:.1f}, {whole['ratio_min']:.1f} to {whole['ratio_max']:.1f})"
    )
    build = "guided" if report["guided"] else "plain"
    print(f"the runs alone, {report['pairs']} pairs in alternation, acklab's build {build}")
    print("loss  mean     ns-2    acklab  ratio   (simulated s per wall s)")
    rows = report["points"]
    assert isinstance(rows, list)
    for row in rows:
        print(
            f"{row['loss']:<5g} {row['mean']:<7} {row['ns2']:6.0f}  {row['acklab']:8.0f}  "
            f"{row['ratio']:5.1f}"
        )
    print(
        f"all runs: ns-2 {report['ns2']:.0f}, acklab {report['acklab']:.0f}, {report['ratio']:.1f} "
        f"times; pairs: median {report['ratio_median']:.1f}, {report['ratio_min']:.1f} to "
        f"{report['ratio_max']:.1f}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table or the JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3, help="seeds a point, for the runs alone")
    parser.add_argument("--parts", type=int, default=3, help="parts of a campaign")
    parser.add_argument("--part-seeds", type=int, default=6, help="seeds a point in a part")
    parser.add_argument("--peer", type=Path, help="acklab's program, if it is built already")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args(arguments)
    for name in ("seeds", "parts", "part_seeds"):
        if (given := getattr(options, name)) < 1:
            parser.error(f"--{name.replace('_', '-')} {given}: at least 1")
    if shutil.which("ns") is None:
        print("ns-2 is not installed (no `ns` on the PATH): apt-get install ns2", file=sys.stderr)
        return NS2_MISSING
    try:
        peer = peer_program(options.peer)
        core = pin()
        whole = campaigns(options.parts, options.part_seeds)
        report = summary(compare(peer, options.seeds), core) | {"campaign": whole}
    except RunError as error:
        print(error, file=sys.stderr)
        return RUN_FAILED
    print(json.dumps(report)) if options.json else show(report)
    return MEASURED


if __name__ == "__main__":
    sys.exit(main())
