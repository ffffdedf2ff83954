"""Maximum throughput of the DCF over one hop: one saturated sender, one receiver, no collision.

The law: nobody else contends, so every exchange repeats the same cycle

    DIFS + backoff + [RTS + SIFS + CTS + SIFS] + DATA + SIFS + ACK  (+ a propagation delay a frame)

and the backoff of a station that always finds its first window has mean (window - 1)/2 slots:
15.5 slots in the standard (0..31), 15 in ns-2 (0..30). The throughput is the payload of a packet
over the mean cycle, exactly, whatever the distribution of the backoff (renewal-reward).

With 34 B beside the payload and no propagation delay these are the published figures of
J. Jun, P. Peddabachari, M. Sichitiu, "Theoretical maximum throughput of IEEE 802.11 and its
applications", IEEE NCA 2003 (DSSS and HR-DSSS, long preamble).

What it is not: a model of losses, of several stations, or of the packet's own TCP/IP headers: the
payload is the IP packet, which LLC and SNAP wrap.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from acklab.validate.laws.timing import NS2, STANDARD, Timing

__all__ = ["PROFILES", "RATES_MBPS", "Row", "cycle_us", "main", "table", "throughput_mbps"]

PROFILES = {"ns2": NS2, "standard": STANDARD}
RATES_MBPS = (1.0, 2.0, 5.5, 11.0)
PREAMBLES = ("long", "short")


def cycle_us(timing: Timing, payload_bytes: int, *, rts: bool) -> float:
    """Mean time from one packet's acknowledgement to the next one's, in microseconds."""
    mean_backoff = (timing.window - 1) / 2 * timing.slot_us
    return mean_backoff + timing.success_us(payload_bytes, rts=rts)


def throughput_mbps(timing: Timing, payload_bytes: int, *, rts: bool) -> float:
    """Payload bits per microsecond, which is Mbit/s."""
    return 8 * payload_bytes / cycle_us(timing, payload_bytes, rts=rts)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    profile: str
    preamble: str
    data_mbps: float
    rts: bool
    payload_bytes: int
    cycle_us: float
    throughput_mbps: float
    packets_per_second: float


def table(payload_bytes: int = 1500, delay_us: float = 0.0) -> Iterator[Row]:
    """Every combination of profile, preamble, data rate and RTS/CTS."""
    for profile, preamble, rate, rts in product(PROFILES, PREAMBLES, RATES_MBPS, (True, False)):
        timing = replace(PROFILES[profile], preamble=preamble, data_mbps=rate, delay_us=delay_us)
        cycle = cycle_us(timing, payload_bytes, rts=rts)
        yield Row(
            profile=profile,
            preamble=preamble,
            data_mbps=rate,
            rts=rts,
            payload_bytes=payload_bytes,
            cycle_us=cycle,
            throughput_mbps=8 * payload_bytes / cycle,
            packets_per_second=1e6 / cycle,
        )


def main(arguments: list[str] | None = None) -> int:
    """Print the table, as text or as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m acklab.validate.laws.throughput",
        description="Maximum one-hop throughput of the 802.11b DCF, in closed form.",
    )
    parser.add_argument("--payload", type=int, default=1500, help="bytes of the IP packet")
    parser.add_argument("--delay", type=float, default=0.0, help="propagation delay, µs one way")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead")
    options = parser.parse_args(arguments)
    rows = list(table(options.payload, options.delay))
    if options.json:
        print(json.dumps([{name: getattr(row, name) for name in Row.__slots__} for row in rows]))
        return 0
    print(f"IP packets of {options.payload} B, {options.delay} µs propagation delay")
    print("profile   preamble  Mbit/s  RTS  cycle µs  Mbit/s through  packets/s")
    for row in rows:
        print(
            f"{row.profile:<8}  {row.preamble:<8}  {row.data_mbps:6.1f}  "
            f"{'on ' if row.rts else 'off'}  {row.cycle_us:8.1f}  {row.throughput_mbps:14.4f}  "
            f"{row.packets_per_second:9.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
