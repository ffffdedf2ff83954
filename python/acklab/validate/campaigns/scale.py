"""Large networks: cost per frame and memory at constant density, up to 10 000 nodes.

The machine's speed changes within seconds, and a run of 100 nodes takes 10 ms, one of 10 000 two
seconds: the fastest of a few short runs finds a quiet moment, the fastest of a few long ones does
not. So each size is given as much time in each turn as one run of the largest network takes (its
runs' own, without the starts of their processes), and what is compared is what frames took in the
same turn. Every second turn begins with the smallest.
"""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import dataclass
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
TURNS = {"static": 7, "aodv": 3}
"""In the full form. A run of the largest network takes two seconds; with AODV some 20."""
QUICK_TURNS = 3


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
    turns = _turns(context, routing)
    costs = [median(turn[n].cost_ns for turn in turns) for n in SIZES]
    memory = [median(turn[n].peak_kb for turn in turns) * 1024 for n in SIZES]
    queues = [turns[0][n].queues for n in SIZES]
    each, queued = ((kind[-1] - kind[0]) / (SIZES[-1] - SIZES[0]) for kind in (memory, queues))
    head = ["nodes", "frames", "ns a frame", "peak memory (MB)", "of it queues (MB)"]
    detail = [head] + [
        [
            str(n),
            f"{turns[0][n].frames:.0f}",
            f"{cost:.0f}",
            f"{peak / 2**20:.1f}",
            f"{kept / 2**20:.2f}",
        ]
        for n, cost, peak, kept in zip(SIZES, costs, memory, queues, strict=True)
    ]
    ratios = [turn[SIZES[-1]].cost_ns / turn[SIZES[0]].cost_ns for turn in turns]
    growth = median(ratios)
    figure = (
        f"{growth:.2f} × (median of the ratios of {len(turns)} turns, {min(ratios):.2f} to "
        f"{max(ratios):.2f}; medians of {costs[0]:.0f} and {costs[-1]:.0f} ns a frame, "
        f"{turns[0][SIZES[0]].kind})"
    )
    return [
        Row(names[0], figure, bars[0], verdict(growth < GROWTH_BAR), detail=detail),
        Row(
            names[1],
            f"{each - queued:.0f} B, and {queued:.0f} B of queues",
            bars[1],
            verdict(each - queued < MEMORY_BAR),
        ),
    ]


@dataclass(frozen=True)
class _Turn:
    """What runs of one size took in one turn; each of them simulates the same."""

    cost_ns: float
    """A frame, over all of them."""
    frames: float
    """Of one run."""
    peak_kb: float
    """The median of their processes: the system tells a few hundred kB more or less."""
    queues: float
    kind: str


def _turns(context: Context, routing: str) -> list[dict[int, _Turn]]:
    """Each size in each turn for as long as the run of the largest took that came last.

    All simulate the same time: a network's first seconds, with its searches for routes, are not
    like the later ones.
    """
    peer = cargo_example(context.root, "peer", "release")
    with tempfile.TemporaryDirectory() as place:
        files = {nodes: Path(place) / f"{nodes}.toml" for nodes in SIZES}
        for nodes, file in files.items():
            file.write_text(scenario(nodes, SEED, DURATION, routing), encoding="utf-8")

        turns: list[dict[int, _Turn]] = []
        least_s = 0.0
        for number in range(TURNS[routing] if context.full else QUICK_TURNS):
            found = {}
            for nodes in SIZES if number % 2 else reversed(SIZES):
                once = nodes == SIZES[-1]
                command = [str(peer), str(files[nodes])]
                runs = _runs(command, context.root, 0.0 if once else least_s)
                least_s = runs[0]["wall_s"] if once else least_s
                found[nodes] = _turn(runs)
            turns.append(found)
        return turns


def _runs(command: list[str], root: Path, least_s: float) -> list[dict[str, Any]]:
    """Run it until all runs together took so long, once at least."""
    runs: list[dict[str, Any]] = []
    while not runs or sum(one["wall_s"] for one in runs) < least_s:
        runs.append(json.loads(run(command, root).stdout))
    return runs


def _turn(runs: list[dict[str, Any]]) -> _Turn:
    first = runs[0]
    wall_s, frames = (sum(one[what] for one in runs) for what in ("wall_s", "frames"))
    return _Turn(
        cost_ns=wall_s / frames * 1e9,
        frames=first["frames"],
        peak_kb=median(one["peak_rss_kb"] for one in runs),
        queues=first["waiting_bytes"],
        kind=build_kind(first["guided"]),
    )


SCALE = Check("scale", "large networks at constant density", scale)
