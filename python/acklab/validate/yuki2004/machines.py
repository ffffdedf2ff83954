"""The machines of the slotted radio: slot diagrams, conservation, speed."""

from __future__ import annotations

import time

import acklab
from acklab.validate.foundation import tools
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.yuki2004 import network

NODE_SLOTS_PER_S = 5e6
SPEED_S = 2000
TRIES = 3


def diagrams(context: Context) -> list[Row]:
    """Slot diagrams that were computed by hand."""
    arguments = ("-p", "acklab-mac", "--lib", "slotted::tests::diagrams")
    bar = "exact, slot by slot"
    return [tools.tests_row(context.root, "hand-computed slot diagrams", bar, *arguments)]


def swarm(context: Context) -> list[Row]:
    """Random graphs and options."""
    arguments = ("-p", "acklab-mac", "--lib", "slotted::tests::swarm")
    bar = "nothing delivered twice, nothing outlives its lifetime, one frame a node and slot"
    return [tools.tests_row(context.root, "random graphs and options", bar, *arguments)]


def speed(context: Context) -> list[Row]:
    """A chain with one saturated connection each way, on one core."""
    del context
    hops = 8
    tree = network.chain(hops, SPEED_S, {"combining": "data-ack"})
    tree["flow"] = [
        dict(network.TCP) | {"from": 0, "to": hops},
        dict(network.TCP) | {"from": hops, "to": 0},
    ]
    best = 0.0
    for run in range(TRIES):
        started = time.perf_counter()
        acklab.run(tree, seed=1, run=run)
        wall_s = time.perf_counter() - started
        best = max(best, (hops + 1) * SPEED_S / network.SLOT_S / wall_s)
    return [
        Row(
            "slots of busy nodes, one core",
            f"{best / 1e6:.1f} million node-slots a second",
            f"at least {NODE_SLOTS_PER_S / 1e6:g} million",
            verdict(best >= NODE_SLOTS_PER_S),
        )
    ]


DIAGRAMS = Check("yuki-diagrams", "slot diagrams", diagrams)
SWARM = Check("yuki-swarm", "conservation", swarm)
SPEED = Check("yuki-speed", "speed of the slotted radio", speed)
