"""Speed and memory beside ns-2: the same chain, in alternation on the same machine."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from acklab.validate.foundation.tools import cargo_example, cargo_test, missing_source, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

BAR = 8.0
MEMORY_MB = 30.0
ALLOCATION_TEST = "steady_state"

NAME = "speed of the 9-node chain (1 Mbit/s, W = 8, d = 1) against ns-2"
MEMORY = "memory of that run, the whole process without Python"
ALLOCATION = "allocations in the steady state"


def speed(context: Context) -> list[Row]:
    """Alternate acklab and ns-2; the ratio of simulated seconds per wall second, and memory."""
    if why := missing_source(context.root):
        return [
            Row(NAME, "none", f"at least {BAR:g} ×", SKIPPED, why),
            Row(MEMORY, "none", f"under {MEMORY_MB:g} MB", SKIPPED, why),
        ]
    peer = cargo_example(context.root, "peer", "release")
    pairs = 11 if context.full else 5
    why = install_ns2()
    ours: list[dict[str, Any]] = []
    theirs: list[float] = []
    for seed in range(1, pairs + 1):
        # Several of ours against one of theirs: each side then takes a comparable time.
        ours += [_ours(context.root, peer, 100 * seed + k) for k in range(5)]
        if not why:
            theirs.append(_theirs(context.root, seed))
            context.say(f"{seed} of {pairs}: acklab {_rate(ours[-5:]):.0f}, ns-2 {theirs[-1]:.0f}")
    return [_speed(ours, theirs, why), _memory(ours), _allocation(context)]


def _rate(lines: list[dict[str, Any]]) -> float:
    return float(statistics.median(line["simulated_s"] / line["wall_s"] for line in lines))


def _speed(ours: list[dict[str, Any]], theirs: list[float], why: str) -> Row:
    rate = _rate(ours)
    bar = f"at least {BAR:g} × ns-2's simulated seconds per wall second"
    if why:
        return Row(NAME, f"acklab {rate:.0f} simulated s per wall s", bar, SKIPPED, why)
    each = len(ours) // len(theirs)
    ratios = [_rate(ours[k * each : (k + 1) * each]) / t for k, t in enumerate(theirs)]
    ratio = statistics.median(ratios)
    figure = (
        f"{ratio:.1f} × (median of {len(ratios)} alternations, {min(ratios):.1f} to "
        f"{max(ratios):.1f}): acklab {rate:.0f}, ns-2 {statistics.median(theirs):.0f}"
    )
    lines = [
        [str(k + 1), f"{_rate(ours[k * each : (k + 1) * each]):.0f}", f"{t:.0f}", f"{r:.1f}"]
        for k, (t, r) in enumerate(zip(theirs, ratios, strict=True))
    ]
    head = ["alternation", "acklab", "ns-2", "ratio"]
    return Row(NAME, figure, bar, verdict(ratio >= BAR), detail=[head, *lines])


def _memory(ours: list[dict[str, Any]]) -> Row:
    known = [line["peak_rss_kb"] for line in ours if line.get("peak_rss_kb")]
    bar = f"under {MEMORY_MB:g} MB"
    if not known:
        return Row(MEMORY, "none", bar, SKIPPED, "this system does not tell a process's memory")
    peak = max(known) / 1024
    return Row(MEMORY, f"{peak:.1f} MB at most", bar, verdict(peak < MEMORY_MB))


def _allocation(context: Context) -> Row:
    tests = cargo_test(context.root, "--release", "-p", "acklab-world", ALLOCATION_TEST)
    figure = f"{tests.passed} tests pass, {tests.failed} fail"
    if not tests.passed and not tests.failed:
        why = f"the world room has no test named {ALLOCATION_TEST}"
        return Row(ALLOCATION, "none", "none", SKIPPED, why)
    return Row(ALLOCATION, figure, "none", verdict(tests.failed == 0))


def _ours(root: Path, peer: Path, seed: int) -> dict[str, Any]:
    done = run([str(peer), str(root / "bench" / "peers" / "chain.toml"), str(seed)], root)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    line: dict[str, Any] = json.loads(done.stdout)
    return line


def _theirs(root: Path, seed: int) -> float:
    script = str(root / "bench" / "peers" / "ns2_chain.tcl")
    options = ["-nodes", "9", "-window", "8", "-d", "1", "-seed", str(seed)]
    done = run(["ns", script, *options], root)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    line = json.loads(next(text for text in done.stdout.splitlines() if text.startswith("{")))
    return float(line["simulated_s"]) / float(line["wall_s"])


def install_ns2() -> str:
    """Make ns-2 available; the reason if that is not possible."""
    if shutil.which("ns"):
        return ""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return "ns-2 is not installed; run as root on Debian:  apt-get install ns2"
    done = subprocess.run(
        ["apt-get", "install", "-y", "--no-install-recommends", "ns2"],
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        capture_output=True,
        text=True,
        check=False,
    )
    if shutil.which("ns"):
        return ""
    return f"ns-2 cannot be installed: {' '.join(done.stderr.strip().splitlines()[-1:])}"


SPEED = Check("speed", "speed and memory beside ns-2, in alternation", speed)
