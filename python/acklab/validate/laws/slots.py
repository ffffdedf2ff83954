"""A Monte-Carlo of the standard's backoff in one saturated cell, slot by slot.

What it is: the rule of IEEE 802.11-1999 clause 9.2.5.2 and nothing else, to learn which form of
Bianchi's model it obeys. Every station holds a counter of empty slots. When the medium has been
idle for DIFS (EIFS for who saw a collision), each empty slot takes one from every counter; a
station whose counter is 0 at a slot's start transmits. A busy period freezes the others where they
are. Who transmitted draws anew: uniform on 0..CW after a success, from a doubled window after a
collision, without a retry limit.
What it is not: acklab's engine (no events, no frames, no propagation) or a Markov chain.

One step of the loop is one busy period: the least counter says how many empty slots pass before it
and who is in it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass

import numpy as np

from acklab.validate.laws.bianchi import DOUBLINGS, FORMS, STATIONS, saturation
from acklab.validate.laws.timing import STANDARD, Timing

__all__ = ["Measured", "main", "simulate"]

BATCHES = 20
T_95 = 2.093
"""Student's t for 20 batches at 95 %."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run saw; ``half_width_mbps`` is of the 95 % interval over batches."""

    stations: int
    seed: int
    throughput_mbps: float
    half_width_mbps: float
    collision: float


def simulate(
    stations: int,
    timing: Timing = STANDARD,
    payload_bytes: int = 1500,
    *,
    rts: bool = False,
    doublings: int = DOUBLINGS,
    collider_lag: int = 1,
    busy_periods: int = 100_000,
    seed: int = 1,
) -> Measured:
    """Play ``busy_periods`` busy periods of one cell, from a seeded generator."""
    draw = np.random.default_rng(seed)
    success_us = timing.success_us(payload_bytes, rts=rts)
    frame_us = timing.rts_us if rts else timing.data_us(payload_bytes)
    collision_us = frame_us + timing.delay_us + timing.eifs_us
    stage = np.zeros(stations, dtype=np.int64)
    counter = draw.integers(0, timing.window, size=stations)
    rates: list[float] = []
    attempts = lost = 0
    for _ in range(BATCHES):
        elapsed = 0.0
        delivered = 0
        for _ in range(busy_periods // BATCHES):
            empty = int(counter.min())
            counter -= empty
            senders = np.flatnonzero(counter == 0)
            elapsed += empty * timing.slot_us
            attempts += senders.size
            if senders.size == 1:
                elapsed += success_us
                delivered += 1
                stage[senders] = 0
                lag = 0
            else:
                elapsed += collision_us
                lost += senders.size
                stage[senders] = np.minimum(stage[senders] + 1, doublings)
                # Who collided resumes this many slots after those who only heard it.
                lag = collider_lag
            counter[senders] = draw.integers(0, timing.window * 2 ** stage[senders]) + lag
        rates.append(8 * payload_bytes * delivered / elapsed)
    spread = float(np.std(rates, ddof=1))
    return Measured(
        stations=stations,
        seed=seed,
        throughput_mbps=float(np.mean(rates)),
        half_width_mbps=T_95 * spread / math.sqrt(BATCHES),
        collision=lost / attempts,
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the Monte-Carlo beside every form of the model."""
    parser = argparse.ArgumentParser(
        prog="python -m acklab.validate.laws.slots",
        description="Monte-Carlo of the standard's backoff rule, beside Bianchi's model.",
    )
    parser.add_argument("--payload", type=int, default=1500, help="bytes of the IP packet")
    parser.add_argument("--busy-periods", type=int, default=100_000, help="length of each run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the generator")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead")
    options = parser.parse_args(arguments)
    rows: list[dict[str, float]] = []
    for stations in (1, *STATIONS):
        seen = simulate(
            stations,
            payload_bytes=options.payload,
            busy_periods=options.busy_periods,
            seed=options.seed,
        )
        row = {
            "stations": float(stations),
            "measured_mbps": seen.throughput_mbps,
            "half_width_mbps": seen.half_width_mbps,
            "measured_collision": seen.collision,
        }
        for form in FORMS:
            model = saturation(form, stations, payload_bytes=options.payload)
            row[f"{form}_mbps"] = model.throughput_mbps
        rows.append(row)
    if options.json:
        print(json.dumps(rows))
        return 0
    print(f"seed {options.seed}, {options.busy_periods} busy periods each")
    print("stations  measured Mbit/s    collided  " + "  ".join(f"{form:<13}" for form in FORMS))
    for row in rows:
        measured = row["measured_mbps"]
        print(
            f"{row['stations']:8.0f}  {measured:.4f} ± {row['half_width_mbps']:.4f}  "
            f"{row['measured_collision']:8.4f}  "
            + "  ".join(
                f"{row[f'{form}_mbps']:.4f} {row[f'{form}_mbps'] / measured - 1:+6.2%}"
                for form in FORMS
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
