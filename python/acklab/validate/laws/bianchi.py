"""Bianchi's model of the saturated DCF, in its classic form and corrected for freezing.

**Classic** (G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination
function", IEEE JSAC 18(3), 2000). Each of ``n`` stations always has a packet; a transmission
collides with a constant probability ``p`` whatever its stage. Time is cut at the instants where
the counters change: a *slot* is an empty one of σ, or a whole busy period, and every counter goes
down by one in either. A packet in stage ``i`` draws from ``W_i = 2^i W`` values (``i ≤ m``,
retries without end). A station transmits in a slot with probability τ. One renewal cycle (a packet)
has ``Σ p^i = 1/(1-p)`` attempts and takes ``Σ p^i (b_i + 1)`` slots, with ``b_i = (W_i - 1)/2``
the mean of the draw; τ is their ratio, and with ``p = 1 - (1-τ)^(n-1)`` this is a fixed point:

    τ = 2(1-2p) / ((1-2p)(W+1) + pW(1-(2p)^m))                               (Bianchi's eq. 7)

    S = Ps Ptr E[P] / ((1-Ptr) σ + Ptr Ps Ts + Ptr (1-Ps) Tc)                (eq. 13)

    Ts = DATA + δ + SIFS + ACK + δ + DIFS        Tc = DATA + δ + DIFS        (eq. 14, basic access)

**Refined**, for the standard's own rule of freezing (I. Tinnirello, G. Bianchi, Y. Xiao,
"Refinements on IEEE 802.11 distributed coordination function modeling approaches", IEEE
Trans. Vehicular Technology 59(3), 2010). A frozen counter is *not* decremented by the busy
period; it resumes after DIFS and loses its next unit at the end of the first empty slot. Since a
frozen counter is at least 1, nobody who was frozen can use that first slot: only the station that
has just succeeded, by drawing 0. So:

* a success is followed, with probability 1/W, by another of the same station at once: a burst has
  ``g = 1/(1 - 1/W)`` packets on average, takes ``g Ts`` and cannot be hit by a collision;
* after the burst the first slot is empty for certain and counts for everybody: the slot of the
  chain is the busy period *plus* σ, in which every frozen counter goes down by one;
* the winner's draw, given that it is not 0, has lost its unit too: uniform on ``0..W-2``, mean
  ``b_0 = (W - 2)/2``.

After a collision others wait EIFS (clause 9.2.3.4) from the end of the medium's busy time:
``Tc = DATA + δ + EIFS`` (+ σ, as above). Those who collided learn it from the missing ACK. Two
readings of their timeout exist, and ``collider_lag`` names them:

* ``1``: the wait is SIFS + ACK + one slot, then DIFS, then the draw. They start one slot behind the
  others, which makes up for the unit that the others lose: ``b_i = (W_i - 1)/2`` for ``i ≥ 1``
  as in the classic chain. This is what acklab's ``standard`` profile does (ACKTimeout = SIFS +
  ACK + slot).
* ``0``: the wait ends with SIFS + ACK. Then the slot after EIFS belongs to colliders that draw 0.
  A fraction ``1/W_i`` of them transmits there; neglecting these (order 1/W), the draw is uniform
  on ``0..W_i - 2``.

**classic-eifs** is the classic chain with this longer ``Tc``: it shows how much of the difference
is EIFS (most of it, from five stations on) and how much is freezing.

With ``n = 1`` all forms are the law of :mod:`acklab.validate.laws.throughput` exactly. Which form
fits a simulator of the standard's rule is settled by :mod:`acklab.validate.laws.slots`, an
independent Monte-Carlo of that rule.

What it is not: a model of retry limits, hidden stations, capture or unsaturated sources.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace

from acklab.validate.laws.timing import STANDARD, Timing

__all__ = [
    "FORMS",
    "STATIONS",
    "Saturation",
    "attempt_probability",
    "busy_times_us",
    "fixed_point",
    "main",
    "saturation",
]

FORMS = ("classic", "classic-eifs", "refined")
STATIONS = (5, 10, 20, 50)
DOUBLINGS = 5
"""Stages above the first: 32 → 1024 values, CWmax = 1023."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """The model's answer for one cell.

    Attributes:
        tau: probability that a station transmits in a slot of the chain.
        collision: probability ``p`` that a transmission collides (of the refined form: that a
            transmission which may collide does; the packets of a burst behind its first cannot).
        throughput_mbps: payload delivered by the whole cell, Mbit/s.
        share: the same as a share of the data rate.
    """

    form: str
    stations: int
    tau: float
    collision: float
    throughput_mbps: float
    share: float


def attempt_probability(p: float, mean_draws: list[float]) -> float:
    """τ, given ``p`` and the mean draw of each stage; the last stage repeats without end.

    The last stage and all after it weigh ``p^m / (1 - p)`` together.
    """
    last = len(mean_draws) - 1
    slots = sum(p**stage * (mean + 1) for stage, mean in enumerate(mean_draws[:last]))
    slots += p**last / (1 - p) * (mean_draws[last] + 1)
    return 1 / (1 - p) / slots


def mean_draws(
    form: str, window: int, doublings: int = DOUBLINGS, collider_lag: int = 1
) -> list[float]:
    """The mean counter, in slots of the chain, that each stage starts with."""
    sizes = [window * 2**stage for stage in range(doublings + 1)]
    if form != "refined":
        return [(size - 1) / 2 for size in sizes]
    later = [(size - 1) / 2 if collider_lag else (size - 2) / 2 for size in sizes[1:]]
    return [(window - 2) / 2, *later]


def fixed_point(stations: int, draws: list[float]) -> tuple[float, float]:
    """(τ, p) by bisection: τ falls with ``p`` in the chain and rises with it in the cell."""
    if stations == 1:
        return attempt_probability(0.0, draws), 0.0
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(200):
        p = (low + high) / 2
        if 1 - (1 - attempt_probability(p, draws)) ** (stations - 1) > p:
            low = p
        else:
            high = p
    p = (low + high) / 2
    return attempt_probability(p, draws), p


def busy_times_us(
    form: str, timing: Timing, payload_bytes: int, *, rts: bool
) -> tuple[float, float]:
    """(Ts, Tc): how long a success and a collision keep a counter from moving, without σ."""
    success = timing.success_us(payload_bytes, rts=rts)
    frame = timing.rts_us if rts else timing.data_us(payload_bytes)
    after = timing.difs_us if form == "classic" else timing.eifs_us
    return success, frame + timing.delay_us + after


def saturation(
    form: str,
    stations: int,
    timing: Timing = STANDARD,
    payload_bytes: int = 1500,
    *,
    rts: bool = False,
    doublings: int = DOUBLINGS,
    collider_lag: int = 1,
) -> Saturation:
    """Solve the model for one cell.

    Args:
        form: one of :data:`FORMS`.
        stations: contending stations; their receiver does not contend.
        timing: durations and the first window.
        payload_bytes: payload of every packet, counted as throughput.
        rts: whether RTS/CTS precedes the data.
        doublings: how often the window may double.
        collider_lag: see the module's text; only the refined form knows it.
    """
    tau, p = fixed_point(stations, mean_draws(form, timing.window, doublings, collider_lag))
    some = 1 - (1 - tau) ** stations
    single = stations * tau * (1 - tau) ** (stations - 1)
    success, collision = busy_times_us(form, timing, payload_bytes, rts=rts)
    burst = 1.0
    if form == "refined":
        burst = 1 / (1 - 1 / timing.window)
        success = burst * success + timing.slot_us
        collision += timing.slot_us
    length = (1 - some) * timing.slot_us + single * success + (some - single) * collision
    throughput = single * burst * 8 * payload_bytes / length
    return Saturation(form, stations, tau, p, throughput, throughput / timing.data_mbps)


def main(arguments: list[str] | None = None) -> int:
    """Print all forms for the usual numbers of stations."""
    parser = argparse.ArgumentParser(
        prog="python -m acklab.validate.laws.bianchi",
        description="Saturation throughput of one DCF cell by Bianchi's model.",
    )
    parser.add_argument("--payload", type=int, default=1500, help="bytes of the IP packet")
    parser.add_argument("--rate", type=float, default=11.0, help="data rate, Mbit/s")
    parser.add_argument("--preamble", choices=("long", "short"), default="long")
    parser.add_argument("--rts", action="store_true", help="RTS/CTS before the data")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead")
    options = parser.parse_args(arguments)
    timing = replace(STANDARD, data_mbps=options.rate, preamble=options.preamble)
    rows = [
        saturation(form, stations, timing, options.payload, rts=options.rts)
        for stations in (1, *STATIONS)
        for form in FORMS
    ]
    if options.json:
        print(json.dumps([{name: getattr(row, name) for name in row.__slots__} for row in rows]))
        return 0
    print(
        f"{options.payload} B at {options.rate} Mbit/s, {options.preamble} preamble, no retry limit"
    )
    print("stations  form          tau       p       Mbit/s")
    for row in rows:
        print(
            f"{row.stations:8d}  {row.form:<12}  {row.tau:.6f}  {row.collision:.4f}  "
            f"{row.throughput_mbps:.4f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
