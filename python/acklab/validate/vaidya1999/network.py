"""The network of vaidya1999 under the reference settings: S - BS - WH, one TCP Reno transfer.

The paper leaves much open (TCP tick, receiver window, RTO floor, the link's timer); the reference
settings are one complete reading, fixed before any result was seen but for the window, which ns-2's
results chose. `papers/vaidya1999` lists them with the paper's own.
"""

from __future__ import annotations

from typing import Any

END_S = {0.0: 20, 0.01: 20, 0.03: 60, 0.05: 80}
"""When a run ends, by the congestion loss (section 6)."""

MEANS = (16384, 32768, 65536, 131072)
"""Mean bytes between errors (section 6)."""

PACKET_BITS = 8000
"""A TCP data packet on the wire; the throughput of the paper counts whole packets."""


def wired(loss: float) -> dict[str, Any]:
    """S - BS."""
    return {
        "between": [0, 1],
        "rate": "10 Mbit/s",
        "delay": "20 ms",
        "queue": 40,
        "data_loss": f"{100 * loss:g} %",
    }


def wireless(delay_ms: float, mean_bytes: int, arq: bool, rate: str = "2 Mbit/s") -> dict[str, Any]:
    """BS - WH; no errors if `mean_bytes` is 0."""
    link: dict[str, Any] = {
        "between": [1, 2],
        "rate": rate,
        "delay": f"{delay_ms:g} ms",
        "queue": 40,
    }
    if mean_bytes:
        link["errors"] = {"kind": "exponential", "mean": f"{mean_bytes} B"}
    if arq:
        link["arq"] = {}
    return link


def transfer(ack: str | dict[str, Any]) -> dict[str, Any]:
    """The Reno of the ns-2 of 1998, with a receiver window of 20 packets."""
    return {
        "kind": "ftp",
        "variant": "reno",
        "window": 20,
        "packet": "960 B",
        "initial_window": 1,
        "initial_ssthresh": 20,
        "handshake": False,
        "limited_transmit": False,
        "halving": "whole-window",
        "inflate_unguarded": True,
        "start": "0 s",
        "start_jitter": "1 s",
        "rto": {"initial": "6 s", "min": "200 ms", "max": "64 s", "tick": "100 ms"},
        "ack": ack,
    }


def scenario(
    delay_ms: float, loss: float, mean_bytes: int, scheme: str, dupack_delay_s: float = 0.0
) -> dict[str, Any]:
    """One point: scheme `base`, `dd` (with link-level retransmission), `snoop` or `snoop_ns2`."""
    arq = scheme == "dd"
    ack: str | dict[str, Any] = "every"
    if arq and dupack_delay_s > 0:
        ack = {"policy": "delayed-dupacks", "delay": f"{1000 * dupack_delay_s:g} ms"}
    tree: dict[str, Any] = {
        "title": f"{scheme} {dupack_delay_s:g}",
        "duration": f"{END_S.get(loss, 60)} s",
        "topology": {"kind": "nodes", "nodes": 3},
        "point_to_point": [wired(loss), wireless(delay_ms, mean_bytes, arq)],
        "flow": [transfer(ack)],
    }
    if scheme.startswith("snoop"):
        rules = "ns2" if scheme == "snoop_ns2" else "paper"
        tree["agent"] = [{"kind": "snoop", "node": 1, "toward": 2, "rules": rules}]
    return tree


def throughput_kbps(result: dict[str, Any]) -> float:
    """In-order packets at the receiver, in kbit/s from the start of the transfer to the end."""
    flow = result["flows"][0]
    return float(flow["delivered_packets"]) * PACKET_BITS / 1000 / float(flow["active_s"])
