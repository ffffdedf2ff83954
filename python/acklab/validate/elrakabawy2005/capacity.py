"""Capacity of a long chain (Li et al. 2001): 1500 B at 2 Mbit/s, routes known.

About a quarter of the one-hop rate is what the geometry allows, about a seventh what 802.11 gets
when the source is greedy; pacing gets part of the difference back.
"""

from __future__ import annotations

from acklab import search
from acklab.stats import mean
from acklab.validate.elrakabawy2005.network import measured, paced_chain
from acklab.validate.model import Check, Context, Row, verdict

HOPS = (16, 24, 32)
PACKET = "1480 B"
"""With the IP header 1500 B."""

PACKET_BITS = 1500 * 8


def capacity(context: Context) -> list[Row]:
    """A greedy source, and the best paced one."""
    runs = 8 if context.full else 3
    changes = {
        "duration": "160 s",
        "measure": {"from": "60 s"},
        "routing": {"protocol": "static"},
    }
    flow = {"kind": "cbr", "packet": PACKET}
    greedy = [paced_chain(h, 3.0, **changes, flow=[flow | {"interval": "3 ms"}]) for h in HOPS]
    rates = [
        mean([PACKET_BITS * x / 1e6 for x in sample])
        for sample in measured(context, greedy, runs, "goodput_pps")
    ]
    rows = [
        Row(
            f"chain capacity, {hops} hops: greedy source, 1500 B at 2 Mbit/s",
            f"{rate.mean:.3f} ± {rate.half_width or 0.0:.3f} Mbit/s",
            "0.22 to 0.30 Mbit/s",
            verdict(0.22 <= rate.mean <= 0.30),
        )
        for hops, rate in zip(HOPS, rates, strict=True)
    ]
    paced = paced_chain(HOPS[0], 36.0, **changes, flow=[flow | {"interval": "36 ms"}])
    best = search.best_spacing(
        paced, low_ms=28.0, high_ms=44.0, resolution_ms=0.5,
        measure="goodput_pps", runs=max(4, runs), seed=2005, workers=context.workers,
    )  # fmt: skip
    rate = PACKET_BITS * best.estimate.mean / 1e6
    rows.append(
        Row(
            f"chain capacity, {HOPS[0]} hops: best paced source, every {best.value:g} ms",
            f"{rate:.3f} Mbit/s",
            "0.30 to 0.43 Mbit/s",
            verdict(0.30 <= rate <= 0.43),
        )
    )
    return rows


CAPACITY = Check("capacity", "Capacity of a long chain", capacity)
