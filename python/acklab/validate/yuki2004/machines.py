"""The machines of the slotted radio: slot diagrams, conservation, speed."""

from __future__ import annotations

import time

from acklab import _native
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.foundation import tools
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.yuki2004 import network

NODE_SLOTS_PER_S = 5e6
SPEED_S = 1000
TRIES = 3


def diagrams(context: Context) -> list[Row]:
    """Slot diagrams that were computed by hand."""
    arguments = ("-p", "acklab-mac", "--lib", "slotted::tests::diagrams")
    bar = "exact, slot by slot"
    return [tools.tests_row(context.root, "hand-computed slot diagrams", bar, *arguments)]


def swarm(context: Context) -> list[Row]:
    """Random graphs and options."""
    bar = "nothing delivered twice, nothing outlives its lifetime, one frame a node and slot"
    radios = ("-p", "acklab-mac", "--lib", "slotted::tests::swarm")
    modules = ("slotted_swarm::", "slotted_options::")
    networks = ("-p", "acklab-world", "--test", "networks", "--", *modules)
    effect = f"{bar}; every option changes what is sent"
    return [
        tools.tests_row(context.root, "random graphs and options", bar, *radios),
        tools.tests_row(context.root, "the same in whole networks, with TCP", effect, *networks),
    ]


def speed(context: Context) -> list[Row]:
    """CPU seconds of one run; every slot of every node counts.

    In the first network each node holds packets in nearly all of them.
    """
    del context
    provider = NativeProvider()
    kind = tools.build_kind(_native.guided())
    rows = []
    for name, tree in (
        ("mesh of 21 nodes, every queue overloaded", network.overloaded(SPEED_S)),
        ("chain of 9 nodes, TCP both ways", network.both_ways(8, SPEED_S)),
    ):
        job = Job(provider.resolve(tree, name), 1, 0)
        nodes = tree["topology"]["nodes"]
        best = 0.0
        for _ in range(TRIES):
            before = time.process_time()
            list(provider.run([job], 1))
            spent_s = time.process_time() - before
            best = max(best, nodes * SPEED_S / network.SLOT_S / spent_s)
        rows.append(
            Row(
                f"speed on one core: {name}",
                f"{best / 1e6:.1f} million node-slots per CPU second ({kind})",
                f"at least {NODE_SLOTS_PER_S / 1e6:g} million",
                verdict(best >= NODE_SLOTS_PER_S),
            )
        )
    return rows


DIAGRAMS = Check("yuki-diagrams", "slot diagrams", diagrams)
SWARM = Check("yuki-swarm", "conservation", swarm)
SPEED = Check("yuki-speed", "speed of the slotted radio", speed)
