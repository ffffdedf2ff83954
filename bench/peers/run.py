"""The same TCP transfers in ns-2 and in acklab, in alternation: speed and memory of both.

What it is: a stopwatch. Each pair runs ns-2 (`ns2_chain.tcl`, tracing off) and then acklab (the
example `peer` of the world room, no Python) with the same seed number, pinned to one core where
the system lets us; the rate is simulated seconds per wall second of the run alone, without the
start of either program. Equal seeds do not make equal runs: the two draw different numbers, so
a pair's ratio scatters with the work that the two runs happened to have, and the median over
pairs with its range is what counts. acklab counts its frames on the air, so what one of them takes
is told of it alone.
What it is not: a check that the two agree; the tables of the papers engine do that.

    python3 bench/peers/run.py                     nine nodes, W = 8, d = 1, 9 pairs
    python3 bench/peers/run.py --nodes 50 --place random --pairs 5 --json
    python3 bench/peers/run.py --nodes 120 --place random --area 2500x1000 --flows 10 --rate 2

Exit codes: 0 measured, 2 usage, 3 ns-2 or what its sink for d > 2 needs is missing (skipped, which
is not a pass), 4 a run failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import sink
from networks import Flow, Position, placement, random_flows

MEASURED, RUN_FAILED, NS2_MISSING = 0, 4, 3
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("ns2_chain.tcl")
PEER = "examples/peer"


class RunError(Exception):
    """A program that was started did not do its work."""


@dataclass(frozen=True)
class Case:
    """What is transferred over which network; one case for both simulators."""

    nodes: int
    window: int
    d: int
    rate_mbps: float
    duration_s: float
    spacing_m: float
    positions: tuple[Position, ...]
    ns2_headers: str = "used"
    flows: tuple[Flow, ...] = ()
    """None: one from the first node to the last."""
    variant: str = "newreno"
    sink: Path | None = None
    """ns-2's library with a sink for more than d = 2, which its own do not have."""

    def ns2(self, seed: int) -> list[str]:
        """The command for ns-2."""
        places = " ".join(f"{x:g} {y:g}" for x, y in self.positions)
        ends = " ".join(f"{a} {b}" for a, b in self.flows)
        return [
            "ns",
            str(SCRIPT),
            *("-nodes", str(self.nodes), "-window", str(self.window), "-d", str(self.d)),
            *("-rate", f"{self.rate_mbps:g}Mb", "-duration", f"{self.duration_s:g}"),
            *("-spacing", f"{self.spacing_m:g}", "-seed", str(seed)),
            *("-headers", self.ns2_headers, "-variant", self.variant),
            *(("-positions", places) if places else ()),
            *(("-flows", ends) if ends else ()),
            *(("-sink", str(self.sink)) if self.sink else ()),
        ]

    def toml(self) -> str:
        """The scenario for acklab; everything unsaid has ns-2's value by default."""
        if self.positions:
            places = ", ".join(f'["{x:g} m", "{y:g} m"]' for x, y in self.positions)
            topology = f'kind = "positions"\npositions = [{places}]'
        else:
            topology = f'kind = "chain"\nnodes = {self.nodes}\nspacing = "{self.spacing_m:g} m"'
        ack = '"every"'
        if self.d > 1:
            ack = (
                f'{{ policy = "delayed", count = {self.d}, interval = "100 ms", '
                'timer = "first-waiting" }'
            )
        flows = "".join(
            f'[[flow]]\nkind = "ftp"\nfrom = {a}\nto = {b}\nvariant = "{self.variant}"\n'
            f"window = {self.window}\nack = {ack}\n"
            for a, b in self.flows or ((0, self.nodes - 1),)
        )
        return (
            f'duration = "{self.duration_s:g} s"\n\n[topology]\n{topology}\n\n'
            f'[mac]\ndata_rate = "{self.rate_mbps:g} Mbit/s"\n\n{flows}'
        )


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    simulated_s: float
    run_s: float
    """Wall time of the run loop, as the program itself says."""
    process_s: float
    """Processor time of the whole process, its start included."""
    peak_rss_kb: int
    delivered: float
    guided: bool
    """Whether the program says that it was guided by a profile (`./do tune`)."""
    frames: float | None = None
    """Frames on the air, where the program counts them."""

    @property
    def speed(self) -> float:
        """Simulated seconds per wall second."""
        return self.simulated_s / self.run_s

    @property
    def frame_ns(self) -> float | None:
        """Wall time of the run loop for each frame on the air, in ns."""
        return 1e9 * self.run_s / self.frames if self.frames else None


def measure(command: list[str]) -> Cost:
    """Run a program that prints a JSON line about itself, and take its processor time."""
    # A file instead of a pipe: nobody has to read while the program runs.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        # wait4 has taken the exit status that Popen would wait for.
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        line = next((text for text in out if text.startswith("{")), None)
        if process.returncode != 0 or line is None:
            raise RunError(f"{' '.join(command)}: exit code {process.returncode}\n{err.read()}")
    said = json.loads(line)
    return Cost(
        simulated_s=float(said["simulated_s"]),
        # acklab's whole time is more than that of its run.
        run_s=float(said.get("run_s", said["wall_s"])),
        process_s=usage.ru_utime + usage.ru_stime,
        # Not usage.ru_maxrss: Linux counts the memory of this driver, before exec, into it.
        peak_rss_kb=int(said["peak_rss_kb"] or 0),
        delivered=float(said["delivered"]),
        guided=bool(said.get("guided")),
        frames=float(said["frames"]) if "frames" in said else None,
    )


def peer_program(given: Path | None) -> Path:
    """The acklab side's program, built when no path is given."""
    if given is not None:
        return given
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    build = ["cargo", "build", "--quiet", "--release", "-p", "acklab-world", "--example", "peer"]
    # With the features of the extension, whose crates serve then; guided where `./do` says so.
    build += ["-p", "acklab-py"]
    flags = os.environ.get("ACKLAB_RUSTFLAGS")
    environment = os.environ | ({"CARGO_ENCODED_RUSTFLAGS": flags} if flags else {})
    try:
        subprocess.run(build, cwd=ROOT, env=environment, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise RunError(f"cannot build acklab's side: {error}") from error
    return target / "release" / PEER


def pin() -> int | None:
    """Keep this process and its children on one core; says which, or None where that is refused."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def compare(case: Case, peer: Path, pairs: int, progress: bool) -> list[tuple[Cost, Cost]]:
    """Run both in alternation; one unmeasured pair first, to fill the caches."""
    measured: list[tuple[Cost, Cost]] = []
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder, "case.toml")
        scenario.write_text(case.toml())
        for seed in range(pairs + 1):
            pair = (
                measure(case.ns2(max(seed, 1))),
                measure([str(peer), str(scenario), str(max(seed, 1))]),
            )
            if seed > 0:
                measured.append(pair)
            if progress:
                print(f"\rpair {seed} of {pairs}", end="", file=sys.stderr, flush=True)
    if progress:
        print("\r", end="", file=sys.stderr)
    return measured


def summary(case: Case, core: int | None, pairs: list[tuple[Cost, Cost]]) -> dict[str, object]:
    """The figures of all pairs."""
    ratios = [acklab.speed / ns2.speed for ns2, acklab in pairs]
    report: dict[str, object] = {
        "nodes": case.nodes,
        "window": case.window,
        "d": case.d,
        "rate_mbps": case.rate_mbps,
        "duration_s": case.duration_s,
        "ns2_headers": case.ns2_headers,
        "flows": max(1, len(case.flows)),
        "variant": case.variant,
        "placement": "explicit" if case.positions else "chain",
        "core": core,
        "guided": all(acklab.guided for _, acklab in pairs),
        "pairs": len(pairs),
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
    }
    for name, costs in zip(("ns2", "acklab"), zip(*pairs, strict=True), strict=True):
        total = sum(cost.simulated_s for cost in costs)
        report[name] = {
            "simulated_s_per_wall_s": statistics.median(cost.speed for cost in costs),
            "over_all_runs": total / sum(cost.run_s for cost in costs),
            "ns_a_frame": _median(cost.frame_ns for cost in costs),
            "process_cpu_s": statistics.median(cost.process_s for cost in costs),
            "peak_rss_mb": max(cost.peak_rss_kb for cost in costs) / 1024,
            "delivered_mean": statistics.fmean(cost.delivered for cost in costs),
            "runs": [asdict(cost) for cost in costs],
        }
    return report


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def show(report: dict[str, object]) -> None:
    """The report as a table."""
    where = "not pinned" if report["core"] is None else f"core {report['core']}"
    print(
        f"{report['nodes']} nodes ({report['placement']}), {report['rate_mbps']:g} Mbit/s, "
        f"{report['flows']} × {report['variant']}, W = {report['window']}, d = {report['d']}, "
        f"{report['duration_s']:g} s, "
        f"{report['pairs']} pairs in alternation, {where}, "
        f"ns-2 with {report['ns2_headers']} headers, "
        f"acklab's build {'guided' if report['guided'] else 'plain'}"
    )
    print(
        "          simulated s per wall s   over all runs   process   peak memory   delivered"
        "   a frame"
    )
    for name in ("ns2", "acklab"):
        row = report[name]
        assert isinstance(row, dict)
        frame = row["ns_a_frame"]
        print(
            f"{name:<8}  {row['simulated_s_per_wall_s']:22.0f}  {row['over_all_runs']:14.0f}  "
            f"{row['process_cpu_s']:6.3f} s  {row['peak_rss_mb']:8.1f} MB  "
            f"{row['delivered_mean']:10.1f}  {f'{frame:.0f} ns' if frame else '-':>8}"
        )
    print(
        f"acklab / ns-2: {report['ratio_median']:.1f} "
        f"({report['ratio_min']:.1f} to {report['ratio_max']:.1f}; median and range of pairs)"
    )


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=9, help="number of nodes")
    parser.add_argument("--window", type=int, default=8, help="receiver window, packets")
    parser.add_argument(
        "--d",
        type=int,
        default=1,
        help="segments per ACK; for more than 2 ns-2 gets a sink of ours (sink.py)",
    )
    parser.add_argument("--rate", type=float, default=1.0, help="data rate, Mbit/s")
    parser.add_argument("--duration", type=float, default=150.0, help="simulated seconds")
    parser.add_argument("--spacing", type=float, default=200.0, help="spacing of a chain, m")
    parser.add_argument("--place", choices=("chain", "random"), default="chain")
    parser.add_argument("--place-seed", type=int, default=1, help="seed of a random placement")
    parser.add_argument("--area", type=area, help="extent of a random placement, such as 2500x1000")
    parser.add_argument("--flows", type=int, help="so many between random nodes")
    parser.add_argument("--variant", choices=("newreno", "vegas"), default="newreno")
    parser.add_argument("--pairs", type=int, default=9, help="measured pairs, at least 5")
    parser.add_argument(
        "--ns2-headers",
        choices=("used", "all"),
        default="used",
        help="packet headers in ns-2: those in use (about 1.4 times faster), or all (as it comes)",
    )
    parser.add_argument("--peer", type=Path, help="acklab's program, if it is built already")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args(arguments)
    if options.pairs < 5:
        parser.error(f"--pairs {options.pairs}: fewer than 5 pairs say nothing about a median")
    if options.d < 1:
        parser.error(f"--d {options.d}: an ACK is for one segment or more")
    if options.nodes < 2:
        parser.error(f"--nodes {options.nodes}: a transfer needs two nodes")
    if options.flows is not None and not 1 <= options.flows <= options.nodes:
        parser.error(f"--flows {options.flows}: 1 to the number of nodes")
    return options


def area(text: str) -> Position:
    """Width and height in metres."""
    width, cross, height = text.partition("x")
    if not cross or min(float(width), float(height)) <= 0:
        raise argparse.ArgumentTypeError(f"{text}: accepted: such as 2500x1000")
    return float(width), float(height)


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table or the JSON object."""
    options = parse(arguments)
    if shutil.which("ns") is None:
        print("ns-2 is not installed (no `ns` on the PATH): apt-get install ns2", file=sys.stderr)
        return NS2_MISSING
    try:
        ns2_sink = sink.library() if options.d > 2 else None
    except sink.MissingError as error:
        print(f"no sink for ns-2 with d = {options.d}: {error}", file=sys.stderr)
        return NS2_MISSING
    chain = options.place == "chain"
    case = Case(
        nodes=options.nodes,
        window=options.window,
        d=options.d,
        rate_mbps=options.rate,
        duration_s=options.duration,
        spacing_m=options.spacing,
        positions=() if chain else placement(options.nodes, options.place_seed, options.area),
        ns2_headers=options.ns2_headers,
        flows=()
        if options.flows is None
        else random_flows(options.nodes, options.flows, options.place_seed),
        variant=options.variant,
        sink=ns2_sink,
    )
    try:
        peer = peer_program(options.peer)
        core = pin()
        pairs = compare(case, peer, options.pairs, progress=sys.stderr.isatty())
    except RunError as error:
        print(error, file=sys.stderr)
        return RUN_FAILED
    report = summary(case, core, pairs)
    if options.json:
        print(json.dumps(report))
    else:
        show(report)
    return MEASURED


if __name__ == "__main__":
    sys.exit(main())
