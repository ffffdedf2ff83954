"""Figures of one real run around a handoff: pilots with the pacing period, packet and ACK numbers.

The run is run 0 of the experiment's seed, from its own event log, for the picture alone: it is no
part of any number. Packets count from 1; an ACK stands at the packet that it asks for. Not here:
how it is drawn (`acklab.figures.handoff`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from acklab.papers.engine.model import Item
from acklab.papers.engine.results import Results
from acklab.papers.engine.timelines import events_of

LEVELS = ("L_Handoff", "L_Pacing")
PERIOD = ("pacing begins", "pacing ends")
MOMENTS = ("handoff", "new route")
PACKETS = (
    "data sent",
    "data sent again",
    "data received",
    "data lost to errors",
    "data lost at the old station",
    "ACK sent",
    "ACK at the sender",
)
"""What the figure of numbers shows."""


def pilots_frame(item: Item, results: Results) -> pl.DataFrame:
    """Time in ms, what, and a level in dBm where there is one, within the item's `x_values`."""
    resolved, events = events_of(item, results)
    cells = resolved["cells"]
    handoff = _dbm(str(cells["handoff_level"]))
    levels = dict(zip(LEVELS, (handoff, (1.0 - float(cells["alpha"])) * handoff), strict=True))
    start, end = (float(v) for v in item.x_values)
    rows: list[dict[str, Any]] = [
        {"time_ms": start, "what": name, "level_dbm": level} for name, level in levels.items()
    ]
    for event in events:
        at = event["time_ns"] / 1e6
        if not start <= at <= end:
            continue
        match event["kind"]:
            case "pilot":
                what = f"pilot of node {event['station']}"
                rows.append({"time_ms": at, "what": what, "level_dbm": event["level_dbm"]})
            case "signal":
                what = PERIOD[0] if event["is_low"] else PERIOD[1]
                rows.append({"time_ms": at, "what": what, "level_dbm": None})
            case "attached":
                rows.append({"time_ms": at, "what": MOMENTS[0], "level_dbm": None})
            case "rerouted":
                rows.append({"time_ms": at, "what": MOMENTS[1], "level_dbm": None})
    return pl.DataFrame(rows, infer_schema_length=None)


def _dbm(power: str) -> float:
    """A resolved power, which is a text in watts or dBm."""
    value, unit = power.split(" ")
    return float(value) if unit == "dBm" else 10.0 * math.log10(float(value) * 1e3)


def numbers_frame(item: Item, results: Results) -> pl.DataFrame:
    """Time in ms, packet number and what happened, within the item's `x_values`."""
    resolved, events = events_of(item, results)
    flow = resolved["flow"][0]
    packet = next(event["len_bytes"] for event in events if event.get("len_bytes"))
    start, end = (float(v) for v in item.x_values)
    rows = [
        {"time_ms": at, "number": number, "what": what}
        for at, number, what in _happenings(events, (flow["from"], flow["to"]), packet)
        if start <= at <= end
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _happenings(
    events: Sequence[Mapping[str, Any]], ends: tuple[int, int], packet: int
) -> Iterator[tuple[float, int | None, str]]:
    """What is shown of a flow between its two ends."""
    came: Mapping[str, Any] = {}
    for event in events:
        at, node, kind = event["time_ns"] / 1e6, event["node"], event["kind"]
        data = (event.get("seq", 1) - 1) // packet + 1
        wants = (event.get("ack", 1) - 1) // packet + 1
        forward = event.get("forward") is True and event.get("len_bytes", 0) > 0
        match kind:
            case "tcp_sent" if forward:
                yield at, data, PACKETS[1] if event["retransmission"] else PACKETS[0]
            case "tcp_sent" if node == ends[1]:
                yield at, wants, PACKETS[5]
            case "tcp_received" if forward:
                yield at, data, PACKETS[2]
            case "tcp_received" if node == ends[0]:
                yield at, wants, PACKETS[6]
            case "link_frame" if node == ends[1] and forward:
                came = event
                if event["sight"] == "lost":
                    yield at, data, PACKETS[3]
            case "packet_dropped" if event["reason"] == "not_listening" and came:
                yield at, (came["seq"] - 1) // packet + 1, PACKETS[4]
            case "attached":
                yield at, None, MOMENTS[0]
            case "rerouted":
                yield at, None, MOMENTS[1]
            case "timeout":
                yield at, None, "timeout"
