"""Speed and memory beside ns-2, in alternation: judges what `bench/peers/run.py` measures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from acklab.validate.foundation.manners import CHAIN
from acklab.validate.foundation.tools import (
    build_kind,
    cargo_example,
    missing_source,
    python,
    run,
    tests_row,
)
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

BAR = 8.0
MEMORY_MB = 30.0
ALLOCATION_TEST = "steady_state"

NAME = "speed of the 9-node chain (1 Mbit/s, W = 8, d = 1) against ns-2"
SPEED_BAR = f"at least {BAR:g} × ns-2's simulated seconds per wall second"
MEMORY = "memory of that run, the whole process without Python"
MEMORY_BAR = f"under {MEMORY_MB:g} MB"
ALLOCATION = "allocations in the steady state of the chain"
ALLOCATION_BAR = (
    "none in 110 s without route failures (W = 1); in 100 s of W = 8 at most 2 a node, by buffers "
    "that grow to their greatest length"
)


def speed(context: Context) -> list[Row]:
    """Alternate ns-2 and acklab; the ratio of simulated seconds per wall second, and memory."""
    if why := missing_source(context.root):
        return [
            Row(NAME, "none", SPEED_BAR, SKIPPED, why),
            Row(MEMORY, "none", MEMORY_BAR, SKIPPED, why),
            Row(ALLOCATION, "none", ALLOCATION_BAR, SKIPPED, why),
        ]
    peer = cargo_example(context.root, "peer", "release")
    test = ("--release", "-p", "acklab-world", "--test", ALLOCATION_TEST)
    rows = [tests_row(context.root, ALLOCATION, ALLOCATION_BAR, *test)]
    if why := install_ns2():
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "chain.toml"
            path.write_text(CHAIN, encoding="utf-8")
            line = json.loads(run([str(peer), str(path)], context.root).stdout)
        rate = line["simulated_s"] / line["run_s"]
        figure = f"acklab alone ({build_kind(line['guided'])}): {rate:.0f} simulated s per wall s"
        memory = float(line["peak_rss_kb"] or 0) / 1024
        return [Row(NAME, figure, SPEED_BAR, SKIPPED, why), _memory(memory), *rows]
    report = _alternate(context, peer, "used")
    stock = _alternate(context, peer, "all")
    plain = _plain(context) if report["guided"] and context.full else ""
    return [_speed(report, stock, plain), _memory(float(report["acklab"]["peak_rss_mb"])), *rows]


def _alternate(context: Context, peer: Path, headers: str) -> dict[str, Any]:
    """Run both simulators in turn; `headers` says which packet headers ns-2 carries."""
    pairs = 15 if context.full else 9
    return alternate(context.root, peer, pairs, "--ns2-headers", headers)


def alternate(root: Path, peer: Path, pairs: int, *options: str) -> dict[str, Any]:
    """What `bench/peers/run.py` measures with these options in so many pairs."""
    script = str(root / "bench" / "peers" / "run.py")
    asked = ("--pairs", str(pairs), "--json", "--peer", str(peer), *options)
    done = run(python(script, *asked), root)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _plain(context: Context) -> str:
    """What the plain build reaches, which has to be made for that."""
    with tempfile.TemporaryDirectory() as place:
        plain = Path(shutil.copy(cargo_example(context.root, "peer", "release", plain=True), place))
        # In its place lies again what `./do` builds.
        cargo_example(context.root, "peer", "release")
        report = _alternate(context, plain, "used")
    return f"; before `./do tune` {report['ratio_median']:.1f} × ({spread(report)})"


def _speed(report: dict[str, Any], stock: dict[str, Any], plain: str) -> Row:
    """Judge by ns-2 at its fastest; the ratio to ns-2 as it comes stands beside.

    A packet of ns-2 carries every header that it knows unless the script takes out those that are
    not in use.
    """
    ratio = float(report["ratio_median"])
    figure = (
        f"{ratio:.1f} × ({spread(report)}); against ns-2 with all its packet headers, as it comes, "
        f"{stock['ratio_median']:.1f} × ({spread(stock)}){plain}"
    )
    both = zip(report["acklab"]["runs"], report["ns2"]["runs"], strict=True)
    rates = [tuple(side["simulated_s"] / side["run_s"] for side in pair) for pair in both]
    lines = [[str(k + 1), f"{a:.0f}", f"{b:.0f}", f"{a / b:.1f}"] for k, (a, b) in enumerate(rates)]
    head = ["alternation", "acklab", "ns-2", "ratio"]
    return Row(NAME, figure, SPEED_BAR, verdict(ratio >= BAR), detail=[head, *lines])


def spread(report: dict[str, Any]) -> str:
    """How many pairs, the range of their ratios, and simulated seconds per wall second.

    Of acklab also what a frame on the air takes: ns-2 does not count frames.
    """
    ours, theirs = (report[name]["simulated_s_per_wall_s"] for name in ("acklab", "ns2"))
    frame = report["acklab"]["ns_a_frame"]
    about = build_kind(report["guided"]) + (f", {frame:.0f} ns a frame" if frame else "")
    return (
        f"median of {report['pairs']} alternations, {report['ratio_min']:.1f} to "
        f"{report['ratio_max']:.1f}: acklab {ours:.0f} ({about}), ns-2 {theirs:.0f}"
    )


def _memory(peak_mb: float) -> Row:
    if peak_mb == 0.0:
        why = "this system does not tell a process's memory"
        return Row(MEMORY, "none", MEMORY_BAR, SKIPPED, why)
    return Row(MEMORY, f"{peak_mb:.1f} MB at most", MEMORY_BAR, verdict(peak_mb < MEMORY_MB))


def install_ns2() -> str:
    """Make ns-2 available; the reason if that is not possible."""
    if shutil.which("ns"):
        return ""
    why = _install("ns2")
    return "" if shutil.which("ns") else f"ns-2 is not installed: {why}"


def install_sink(root: Path) -> str:
    """Build the sink for d > 2, which ns-2 lacks; the reason if that is not possible."""
    script = str(root / "bench" / "peers" / "sink.py")
    done = run(python(script), root)
    if done.returncode:
        _install(*run(python(script, "--needs"), root).stdout.split())
        done = run(python(script), root)
    return done.stderr.strip() if done.returncode else ""


def _install(*packages: str) -> str:
    """Ask Debian's packages for these; what stands in the way if something does."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return f"run as root on Debian:  apt-get install {' '.join(packages)}"
    done = subprocess.run(
        ["apt-get", "install", "-y", "--no-install-recommends", *packages],
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        capture_output=True,
        text=True,
        check=False,
    )
    return " ".join(done.stderr.strip().splitlines()[-1:])


SPEED = Check("speed", "speed and memory beside ns-2, in alternation", speed)
