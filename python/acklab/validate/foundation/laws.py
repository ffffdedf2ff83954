"""Textbook laws: maximum throughput over one hop, and a saturated cell against Bianchi's model."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from acklab.papers.engine.estimate import Estimate, mean
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.laws import bianchi, throughput
from acklab.validate.model import Check, Context, Row, verdict

IP_BYTES = 1500
HEADER_BYTES = {"standard": 28, "ns2": 20}
"""What UDP and IP add to a packet: ns-2 adds an IP header only."""

DISTANCE_M = 50.0
DELAY_US = DISTANCE_M / 299.792458
FROM_S, QUICK_S, FULL_S = 1.0, 51.0, 201.0


def _flow(profile: str, sender: int, rate_mbps: float) -> dict[str, Any]:
    return {
        "kind": "cbr",
        "from": sender,
        "to": 0,
        "packet": f"{IP_BYTES - HEADER_BYTES[profile]} B",
        "rate": f"{rate_mbps:g} Mbit/s",
        "start": "0.5 s",
        "start_jitter": "10 ms",
    }


def _scenario(profile: str, senders: int, mac: dict[str, Any], seconds: float) -> dict[str, Any]:
    circle = [
        [
            f"{DISTANCE_M * math.cos(2 * math.pi * k / senders):.4f} m",
            f"{DISTANCE_M * math.sin(2 * math.pi * k / senders):.4f} m",
        ]
        for k in range(senders)
    ]
    return {
        "title": "law",
        "profile": profile,
        "duration": f"{seconds:g} s",
        "measure": {"from": f"{FROM_S:g} s"},
        "topology": {"kind": "positions", "positions": [["0 m", "0 m"], *circle]},
        "mac": mac,
        "link": {"arp": False},
        "routing": {"protocol": "static"},
        "flow": [_flow(profile, 1 + k, 12.0) for k in range(senders)],
    }


def _packet_rates(
    context: Context, scenarios: Sequence[dict[str, Any]], runs: int, seconds: float
) -> list[Estimate]:
    """Delivered packets per second of each scenario."""
    provider = NativeProvider()
    jobs = [Job(provider.resolve(tree, "law"), 1, run) for tree in scenarios for run in range(runs)]
    values: dict[int, float] = {}
    for index, result in provider.run(jobs, context.workers):
        if "error" in result:
            raise RuntimeError(json.dumps(result["error"]))
        values[index] = result["measures"]["delivered_packets"] / (seconds - FROM_S)
    return [mean([values[k * runs + run] for run in range(runs)]) for k in range(len(scenarios))]


def one_hop(context: Context) -> list[Row]:
    """One saturated sender: both profiles, both preambles, four rates, RTS on and off."""
    seconds = FULL_S if context.full else QUICK_S
    laws = list(throughput.table(IP_BYTES, DELAY_US))
    scenarios = [
        _scenario(
            law.profile,
            1,
            {
                "data_rate": f"{law.data_mbps:g} Mbit/s",
                "basic_rate": "1 Mbit/s",
                "preamble": law.preamble,
                "rts_threshold": "0 B" if law.rts else "off",
            },
            seconds,
        )
        for law in laws
    ]
    found = _packet_rates(context, scenarios, 3, seconds)
    offs = [f.value / law.packets_per_second - 1.0 for f, law in zip(found, laws, strict=True)]
    worst = max(range(len(laws)), key=lambda k: abs(offs[k]))
    lines = [
        [
            law.profile,
            law.preamble,
            f"{law.data_mbps:g}",
            "on" if law.rts else "off",
            f"{f.value:.2f} ± {f.half_width():.2f}",
            f"{law.packets_per_second:.2f}",
            f"{off:+.3%}",
        ]
        for f, law, off in zip(found, laws, offs, strict=True)
    ]
    head = ["profile", "preamble", "Mbit/s", "RTS", "packets/s", "closed form", "difference"]
    half = found[worst].half_width() / laws[worst].packets_per_second
    return [
        Row(
            f"one-hop maximum throughput, {len(laws)} settings, against the closed form",
            f"largest difference {offs[worst]:+.3%} ± {half:.3%}",
            "within ±0.5 %",
            verdict(abs(offs[worst]) <= 0.005),
            detail=[head, *lines],
        )
    ]


def cell(context: Context) -> list[Row]:
    """Saturated stations around one receiver, 802.11b, 1500 B, basic access, no retry limit."""
    seconds = FULL_S if context.full else QUICK_S
    mac = {
        "data_rate": "11 Mbit/s",
        "basic_rate": "1 Mbit/s",
        "preamble": "long",
        "rts_threshold": "off",
        "short_retry_limit": "off",
        "long_retry_limit": "off",
    }
    scenarios = [_scenario("standard", n, mac, seconds) for n in bianchi.STATIONS]
    for tree in scenarios:
        tree["radio"] = {"capture": "none"}
    found = _packet_rates(context, scenarios, 5, seconds)
    timing = replace(throughput.PROFILES["standard"], delay_us=DELAY_US)
    lines = []
    offs = []
    for n, rate in zip(bianchi.STATIONS, found, strict=True):
        ours = rate * (8 * IP_BYTES / 1e6)
        models = {
            form: bianchi.saturation(form, n, timing, IP_BYTES).throughput_mbps
            for form in bianchi.FORMS
        }
        offs.append(ours.value / models["refined"] - 1.0)
        lines.append(
            [
                str(n),
                f"{ours.value:.4f} ± {ours.half_width():.4f}",
                *(f"{model:.4f} ({ours.value / model - 1.0:+.2%})" for model in models.values()),
            ]
        )
    worst = max(range(len(offs)), key=lambda k: abs(offs[k]))
    return [
        Row(
            "saturated DCF cell, 5 to 50 stations, against Bianchi's model (refined)",
            f"largest difference {offs[worst]:+.2%} (n = {bianchi.STATIONS[worst]})",
            "within ±2 %",
            verdict(all(abs(off) <= 0.02 for off in offs)),
            detail=[["n", "Mbit/s", *bianchi.FORMS], *lines],
        )
    ]


ONE_HOP = Check("one-hop", "maximum throughput over one hop against the closed form", one_hop)
CELL = Check("cell", "saturated DCF cell against Bianchi's model", cell)
