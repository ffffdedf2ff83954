"""The chain of 4 hops beside an independent slot simulator."""

from __future__ import annotations

import csv
from importlib.resources import files

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.yuki2004 import network

WITHIN = 0.02
SHARE = 0.9
RUNS = 5
QUICK_S = 4000
FULL_S = 10_000
HOW = (
    "TCP as that simulator describes it, which differs from ns-2's in two rules; H's one open rule "
    "that its cells do not tell (spacing of what is sent again) by five sensitivities outside the "
    "table: docs/findings/yuki2004.md"
)


def chain(context: Context) -> list[Row]:
    """Readings P1 and H, delayed ACK off and on, six intervals, with and without combining."""
    text = files("acklab.papers").joinpath("yuki2004/reference/chain4.csv").read_text("utf-8")
    cells = list(csv.DictReader(text.splitlines()))
    provider = NativeProvider()
    seconds = FULL_S if context.full else QUICK_S
    jobs = []
    for cell in cells:
        slotted = {
            "reading": cell["reading"],
            "combining": "data-ack" if cell["frames"] == "combined" else "none",
            "retry_max": int(cell["interval"]),
        }
        ack = "every" if cell["delack"] == "off" else network.DELAYED
        resolved = provider.resolve(network.chain(4, seconds, slotted, ack=ack), "chain4")
        jobs += [Job(resolved, 1, run) for run in range(RUNS)]
    found = dict(provider.run(jobs, context.workers))
    slots = seconds / network.SLOT_S
    detail = [("reading", "delayed ACK", "frames", "interval", "ours", "theirs", "apart")]
    good: dict[str, int] = {}
    count: dict[str, int] = {}
    for place, cell in enumerate(cells):
        runs = [found[place * RUNS + run]["measures"]["acked_packets"] for run in range(RUNS)]
        ours, theirs = sum(runs) / RUNS / slots, float(cell["packets_per_slot"])
        apart = ours / theirs - 1.0
        reading = cell["reading"].upper()
        good[reading] = good.get(reading, 0) + (abs(apart) <= WITHIN)
        count[reading] = count.get(reading, 0) + 1
        name = (reading, cell["delack"], cell["frames"], f"3-{cell['interval']}")
        detail.append((*name, f"{ours:.4f}", f"{theirs:.4f}", f"{100 * apart:+.1f} %"))
    total, cells_total = sum(good.values()), sum(count.values())
    told = ", ".join(f"{good[r]} of {count[r]} in {r}" for r in good)
    return [
        Row(
            "chain of 4 hops beside an independent simulator",
            f"{total} of {cells_total} cells within {100 * WITHIN:g} % ({told})",
            f"at least {100 * SHARE:g} %",
            verdict(total >= SHARE * cells_total),
            HOW,
            detail,
        )
    ]


CHAIN = Check("yuki-chain", "the chain beside another simulator", chain)
