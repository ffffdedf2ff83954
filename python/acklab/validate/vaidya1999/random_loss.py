"""TCP over random loss against Mathis' and Padhye's models.

Both models cut the window once for all losses of a round. With losses that are independent of each
other NewReno does that; Reno cuts once for each, and falls below both models (shown beside, no part
of the verdict): the models, not the simulator, leave that out.
"""

from __future__ import annotations

from typing import Any

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.laws import pftk
from acklab.validate.model import Check, Context, Row, verdict

LOSSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05)
MATHIS_UP_TO = 0.01
"""Above, timeouts decide, which Mathis' model does not have."""

RTT_S = 0.1
TICK_S = 0.01
MIN_RTO_S = 0.3
WITHIN = 0.15
RUNS = 4


def scenario(loss: float, ack: str, seconds: float, variant: str = "newreno") -> dict[str, Any]:
    """One connection over a path that neither queues nor limits it: loss and delay alone."""
    return {
        "title": f"loss {loss:g}",
        "duration": f"{seconds:g} s",
        "measure": {"from": "20 s"},
        "topology": {"kind": "nodes", "nodes": 2},
        "point_to_point": [
            {
                "between": [0, 1],
                "rate": "1000 Mbit/s",
                "delay": f"{500 * RTT_S:g} ms",
                "queue": 100_000,
                "data_loss": f"{100 * loss:g} %",
            }
        ],
        "flow": [
            {
                "kind": "ftp",
                "variant": variant,
                "window": 10_000,
                "packet": "960 B",
                "start": "0 s",
                "limited_transmit": False,
                "rto": {"min": f"{1000 * MIN_RTO_S:g} ms", "tick": f"{1000 * TICK_S:g} ms"},
                "ack": ack,
            }
        ],
    }


def _indications(flow: dict[str, float]) -> float:
    """Rows of timeouts and fast retransmits; a window cut is one of the two."""
    return flow["fast_retransmits"] + flow["timeouts"]


def random_loss(context: Context) -> list[Row]:
    """Packets sent per second at losses from 0.1 to 5 %."""
    provider = NativeProvider()
    seconds = 2020.0 if context.full else 520.0
    kinds = (("newreno", "every", 1), ("newreno", "delayed", 2), ("reno", "every", 1))
    cases = [(variant, loss, ack, b) for variant, ack, b in kinds for loss in LOSSES]
    jobs = [
        Job(provider.resolve(scenario(loss, ack, seconds, variant), "loss"), 1, run)
        for variant, loss, ack, _ in cases
        for run in range(RUNS)
    ]
    found = dict(provider.run(jobs, context.workers))
    lines = [["TCP", "loss %", "b", "indications %", "packets/s", "Padhye off %", "Mathis off %"]]
    worst = {"Padhye": 0.0, "Mathis": 0.0}
    for k, (variant, loss, _, b) in enumerate(cases):
        flows = [found[k * RUNS + run]["flows"][0] for run in range(RUNS)]
        sent = sum(flow["sent_packets"] for flow in flows)
        p = sum(_indications(flow) for flow in flows) / sent
        rate = sent / (RUNS * (seconds - 20.0))
        off = {
            "Padhye": rate / pftk.pftk(p, RTT_S, MIN_RTO_S, b) - 1,
            "Mathis": rate / pftk.mathis(p, RTT_S, b) - 1,
        }
        if variant == "newreno":
            worst["Padhye"] = max(worst["Padhye"], abs(off["Padhye"]))
        if variant == "newreno" and loss <= MATHIS_UP_TO:
            worst["Mathis"] = max(worst["Mathis"], abs(off["Mathis"]))
        lines.append(
            [
                variant,
                f"{100 * loss:g}",
                str(b),
                f"{100 * p:.3f}",
                f"{rate:.1f}",
                f"{100 * off['Padhye']:+.1f}",
                f"{100 * off['Mathis']:+.1f}",
            ]
        )
    return [
        Row(
            f"throughput over random loss beside {name}'s model",
            f"at most {100 * worst[name]:.1f} % off",
            f"within {100 * WITHIN:.0f} % from 0.1 to {upto}",
            verdict(worst[name] <= WITHIN),
            detail=lines if name == "Padhye" else (),
        )
        for name, upto in (("Padhye", "5 %"), ("Mathis", "1 %, where timeouts are rare"))
    ]


RANDOM_LOSS = Check("vaidya-laws", "throughput over random loss", random_loss)
