"""TCP over random loss against Padhye's model, with Mathis' beside it.

Judged: Reno, the sender that Padhye et al. model (their section 2), with the b of its receiver
(1: every segment acknowledged; 2: every second one), over the whole range of losses. Their p is
the probability that a packet is lost given that the one before it in its round was not: with
independent losses that is the loss probability itself. For traces, where nobody knows it, they
estimate it by loss indications per packet; that is shown beside, with NewReno and SACK. With
several losses in a window there are fewer indications than losses, so the estimate is too low
and the model's rate too high. Losses that take the rest of a round, as the model has them, are
shown too: a real Reno then needs timeouts that the model leaves out, and falls far below it.

Mathis' formula has no timeouts, so its authors limit it to small p: shown, not judged. An earlier
form of this check judged NewReno instead of Reno, and Mathis up to 1 %; both came after misses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.laws import pftk
from acklab.validate.model import Check, Context, Row, verdict

LOSSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05)
RTT_S = 0.1
TICK_S = 0.01
MIN_RTO_S = 0.3
WITHIN = 0.15
RUNS = 4
JUDGED = "reno"
ROUND_LOST = "80 ms"
"""Nearly a round trip: a window leaves as one burst, so a loss takes the rest of its round."""


@dataclass(frozen=True)
class Case:
    """A sender, what its receiver does, and a loss."""

    variant: str
    ack: str
    b: int
    loss: float
    lasts: str = "0 s"

    @property
    def name(self) -> str:
        """As it stands in the table."""
        return self.variant + (", rest of the round lost" if self.lasts == ROUND_LOST else "")


@dataclass(frozen=True)
class Found:
    """What one case sends, beside the models."""

    indications: float
    rate: float
    padhye: float
    padhye_estimated: float
    mathis: float


def scenario(case: Case, seconds: float) -> dict[str, Any]:
    """One connection over a path that neither queues nor limits it: loss and delay alone."""
    return {
        "title": f"loss {case.loss:g}",
        "duration": f"{seconds:g} s",
        "measure": {"from": "20 s"},
        "topology": {"kind": "nodes", "nodes": 2},
        "point_to_point": [
            {
                "between": [0, 1],
                "rate": "1000 Mbit/s",
                "delay": f"{500 * RTT_S:g} ms",
                "queue": 100_000,
                "data_loss": f"{100 * case.loss:g} %",
                "data_loss_lasts": case.lasts,
            }
        ],
        "flow": [
            {
                "kind": "ftp",
                "variant": case.variant,
                "window": 10_000,
                "packet": "960 B",
                "start": "0 s",
                "limited_transmit": False,
                "rto": {"min": f"{1000 * MIN_RTO_S:g} ms", "tick": f"{1000 * TICK_S:g} ms"},
                "ack": case.ack,
            }
        ],
    }


def cases() -> list[Case]:
    """All senders over all losses; the judged one also over losses that take a round's rest."""
    acks = (("every", 1), ("delayed", 2))
    independent = [
        Case(variant, ack, b, loss)
        for variant in ("reno", "newreno", "sack")
        for ack, b in acks
        for loss in LOSSES
    ]
    return independent + [Case(JUDGED, "every", 1, loss, ROUND_LOST) for loss in LOSSES]


def measured(context: Context) -> list[tuple[Case, Found]]:
    """Packets sent per second in each case."""
    provider = NativeProvider()
    seconds = 2020.0 if context.full else 520.0
    every = cases()
    jobs = [
        Job(provider.resolve(scenario(case, seconds), "loss"), 1, run)
        for case in every
        for run in range(RUNS)
    ]
    results = dict(provider.run(jobs, context.workers))
    found = []
    for k, case in enumerate(every):
        flows = [results[k * RUNS + run]["flows"][0] for run in range(RUNS)]
        sent = sum(flow["sent_packets"] for flow in flows)
        # A row of timeouts and a fast retransmit are one indication each.
        p = sum(flow["fast_retransmits"] + flow["timeouts"] for flow in flows) / sent
        rate = sent / (RUNS * (seconds - 20.0))
        padhye = rate / pftk.pftk(case.loss, RTT_S, MIN_RTO_S, case.b) - 1
        estimated = rate / pftk.pftk(p, RTT_S, MIN_RTO_S, case.b) - 1
        mathis = rate / pftk.mathis(case.loss, RTT_S, case.b) - 1
        found.append((case, Found(p, rate, padhye, estimated, mathis)))
    return found


def random_loss(context: Context) -> list[Row]:
    """Packets sent per second at losses from 0.1 to 5 %."""
    found = measured(context)
    head = ["TCP", "b", "loss %", "indications %", "packets/s"]
    lines = [[*head, "Padhye off %", "with p estimated", "Mathis off %"]]
    for case, f in found:
        lines.append(
            [
                case.name,
                str(case.b),
                f"{100 * case.loss:g}",
                f"{100 * f.indications:.3f}",
                f"{f.rate:.1f}",
                f"{100 * f.padhye:+.1f}",
                f"{100 * f.padhye_estimated:+.1f}",
                f"{100 * f.mathis:+.1f}",
            ]
        )
    plain = [(case, f) for case, f in found if case.lasts == "0 s"]
    judged = [f for case, f in plain if case.variant == JUDGED]
    worst = max((f.padhye for f in judged), key=abs)
    estimated = max((f.padhye_estimated for f in judged), key=abs)
    others = max((f.padhye for case, f in plain if case.variant != JUDGED), key=abs)
    small = [c.loss for c, f in plain if c.variant == JUDGED and abs(f.mathis) > WITHIN]
    upto = max((p for p in LOSSES if p < min(small, default=1.0)), default=0.0)
    return [
        Row(
            "Reno over random loss beside Padhye's model, b = 1 and 2",
            f"at most {100 * worst:+.1f} % off; NewReno and SACK {100 * others:+.1f} %; Reno with "
            f"p estimated from indications {100 * estimated:+.1f} %; Mathis within "
            f"{100 * WITHIN:.0f} % up to p = {100 * upto:g} %",
            f"within {100 * WITHIN:.0f} % from 0.1 to 5 %, p being the loss probability",
            verdict(abs(worst) <= WITHIN),
            detail=lines,
        )
    ]


RANDOM_LOSS = Check("vaidya-laws", "throughput over random loss", random_loss)
