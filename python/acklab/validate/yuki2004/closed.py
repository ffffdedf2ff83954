"""Rates that can be counted: one packet under way.

No packet is lost, so no timer of the sender has a part in it. With the other rows' least timeout
of 20 slots and the delayed ACK over 6 hops one would: the round trip of 33 slots is timed as 3
ticks of 10, and once its deviation has died away the timeout is 30. Here the least timeout is RFC
6298's 1 s (since 2026-11-22, after a miss: 8 such timeouts took 4 of 1000 cycles).
"""

from __future__ import annotations

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.yuki2004 import network

HOPS = (2, 4, 6)
DELAY_SLOTS = 20
CYCLES = 1000
WARM_S = 10
LEAST = "1 s"


def closed(context: Context) -> list[Row]:
    """Window 1 over h hops: 2h + 2 slots a packet, 2h + 1 + D with a delayed ACK."""
    provider = NativeProvider()
    cases = []
    for hops in HOPS:
        cases += [(hops, "every", 2 * hops + 2), (hops, "delayed", 2 * hops + 1 + DELAY_SLOTS)]
    jobs = []
    for hops, policy, cycle in cases:
        ack = "every" if policy == "every" else network.DELAYED
        seconds = WARM_S + CYCLES * cycle * network.SLOT_S
        tree = network.chain(hops, seconds, {}, window=1, ack=ack)
        tree["measure"] = {"from": f"{WARM_S} s"}
        for flow in tree["flow"]:
            flow["rto"] = {**flow["rto"], "min": LEAST}
        jobs.append(Job(provider.resolve(tree, f"{hops} hops"), 1, 0))
    found = dict(provider.run(jobs, context.workers))
    rows = []
    for place, (hops, policy, cycle) in enumerate(cases):
        packets = found[place]["measures"]["acked_packets"]
        rows.append(
            Row(
                f"window 1, {hops} hops, ACK policy {policy}, least timeout {LEAST}",
                f"{packets:g} packets in {CYCLES * cycle} slots",
                f"exactly 1/{cycle} packets per slot",
                verdict(packets == CYCLES),
            )
        )
    return rows


CLOSED = Check("yuki-closed", "rates that can be counted", closed)
