"""Large networks: cost per frame and memory at constant density, up to 10 000 nodes."""

from __future__ import annotations

import json
import random
import tempfile
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from acklab.validate.foundation.tools import build_kind, cargo_example, missing_source, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SIZES = (100, 1000, 10_000)
GROWTH_BAR = 2.0
MEMORY_BAR = 1024
SPACING_M = 180.0
SEED = 8
HOPS = 3
DURATION = "4 s"
ROUNDS = {"static": 9, "aodv": 5}
"""A run of the smallest network takes 10 ms, of the largest two seconds, through which the machine
is seldom quiet; with AODV some 20 s."""


def scenario(nodes: int, seed: int, duration: str, routing: str) -> str:
    """A jittered square grid, where neighbours always hear each other; a flow per 10 nodes.

    A flow ends three places further on, so that flows stay as long as the network grows.
    """
    draw = random.Random(seed)
    side = round(nodes**0.5)
    places = [
        (
            column * SPACING_M + draw.uniform(-20.0, 20.0) + 50.0,
            row * SPACING_M + draw.uniform(-20.0, 20.0) + 50.0,
        )
        for row in range(-(-nodes // side))
        for column in range(side)
    ][:nodes]
    positions = ",\n".join(f'["{x:.1f} m", "{y:.1f} m"]' for x, y in places)
    flows = []
    for _ in range(nodes // 10):
        row, column = draw.randrange(len(places) // side), draw.randrange(side - HOPS)
        first = row * side + column
        start = draw.uniform(0.0, 1.0)
        flows.append(
            f'[[flow]]\nkind = "ftp"\nfrom = {first}\nto = {first + HOPS}\nwindow = 4\n'
            f'start = "{start:.3f} s"\n'
        )
    return (
        f'duration = "{duration}"\n[mac]\ndata_rate = "2 Mbit/s"\n'
        f'[routing]\nprotocol = "{routing}"\n'
        f'[topology]\nkind = "positions"\npositions = [\n{positions}\n]\n' + "".join(flows)
    )


def scale(context: Context) -> list[Row]:
    """Run 100, 1 000 and 10 000 nodes and compare what a frame costs; memory beside.

    Memory is the peak of the process. Of it, queues are the room of packets and frames that wait
    or are on their way when the run comes to its end (`World::waiting_bytes`).

    With fixed routes a frame is the same thing in all of them. AODV's searches flood the more
    nodes the larger the network is, so that other frames are sent there: its rows say what that
    costs, in the full form.
    """
    rows = _rows(context, "static")
    return rows + (_rows(context, "aodv") if context.full else [])


def _rows(context: Context, routing: str) -> list[Row]:
    names = (
        f"cost per frame from {SIZES[0]} to {SIZES[-1]} nodes, a flow per 10 nodes, {routing}",
        f"memory a node beyond the smallest network's process, {routing}",
    )
    bars = (f"grows by less than {GROWTH_BAR:g} ×", f"under {MEMORY_BAR} B plus queues")
    if why := missing_source(context.root):
        return [Row(n, "none", b, SKIPPED, why) for n, b in zip(names, bars, strict=True)]
    lines = _runs(context, routing)
    costs = [line["wall_s"] / line["frames"] * 1e9 for line in lines]
    memory = [line["peak_rss_kb"] * 1024 for line in lines]
    queues = [line["waiting_bytes"] for line in lines]
    each, queued = ((kind[-1] - kind[0]) / (SIZES[-1] - SIZES[0]) for kind in (memory, queues))
    head = ["nodes", "frames", "ns a frame", "peak memory (MB)", "of it queues (MB)"]
    detail = [head] + [
        [
            str(n),
            f"{line['frames']:.0f}",
            f"{cost:.0f}",
            f"{peak / 2**20:.1f}",
            f"{kept / 2**20:.2f}",
        ]
        for n, line, cost, peak, kept in zip(SIZES, lines, costs, memory, queues, strict=True)
    ]
    growth = costs[-1] / costs[0]
    kind = build_kind(lines[0]["guided"])
    figure = f"{growth:.2f} × ({costs[0]:.0f} to {costs[-1]:.0f} ns a frame, {kind})"
    return [
        Row(names[0], figure, bars[0], verdict(growth < GROWTH_BAR), detail=detail),
        Row(
            names[1],
            f"{each - queued:.0f} B, and {queued:.0f} B of queues",
            bars[1],
            verdict(each - queued < MEMORY_BAR),
        ),
    ]


def _runs(context: Context, routing: str) -> list[dict[str, Any]]:
    """The fastest run of each size, of several in turns, as the machine's speed changes.

    Its memory is the median of theirs: the system tells a few hundred kB more or less.
    All simulate the same time: a network's first seconds, with its searches for routes, are not
    like the later ones.
    """
    peer = cargo_example(context.root, "peer", "release")
    fastest: dict[int, dict[str, Any]] = {}
    peaks: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        for nodes in SIZES:
            text = scenario(nodes, SEED, DURATION, routing)
            (Path(place) / f"{nodes}.toml").write_text(text, encoding="utf-8")
        for _, nodes in product(range(ROUNDS[routing]), SIZES):
            command = [str(peer), str(Path(place) / f"{nodes}.toml")]
            answer = json.loads(run(command, context.root).stdout)
            peaks.setdefault(nodes, []).append(answer["peak_rss_kb"])
            if nodes not in fastest or answer["wall_s"] < fastest[nodes]["wall_s"]:
                fastest[nodes] = answer
    return [fastest[nodes] | {"peak_rss_kb": median(peaks[nodes])} for nodes in SIZES]


SCALE = Check("scale", "large networks at constant density", scale)
