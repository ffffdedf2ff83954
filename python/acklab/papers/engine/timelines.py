"""One real run as a timeline: which packet was where and when, from the run's own event log.

It is run for the picture alone (run 0 of the experiment's seed) and is no part of any number. A
packet's number counts from 1, as the paper of a constructed case would; an ACK stands at the packet
that it asks for. Not here: how it is drawn (`acklab.figures.timeline`).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from acklab.papers.engine import grid
from acklab.papers.engine.model import Item
from acklab.papers.engine.results import Results

KINDS = (
    "sent by the sender",
    "sent again by the sender",
    "over the wireless link",
    "lost on the wireless link",
    "sent again by the base station",
    "ACK of the receiver",
    "ACK kept by the base station",
    "ACK at the sender",
    "duplicate ACK at the sender",
)
"""What a timeline shows, in the order of its legend."""


def timeline_frame(item: Item, results: Results) -> pl.DataFrame:
    """Time in ms, packet number and what happened, within the item's `x_values`."""
    _, events = events_of(item, results)
    start, end = (float(v) for v in item.x_values)
    packet = next(event["len_bytes"] for event in events if event.get("len_bytes"))
    rows = [
        {"time_ms": at, "number": number, "what": what}
        for at, number, what in _happenings(events, packet)
        if start <= at <= end
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def events_of(item: Item, results: Results) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The resolved scenario of an item's point, and the event log of its run 0."""
    from acklab import Captures, Scenario, run

    experiment = results.experiments[item.experiment].experiment
    cell = grid.match(experiment, item.at)
    scenario = Scenario.from_dict(grid.tree(experiment, cell, "quick"))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "events.jsonl"
        run(scenario, runs=1, seed=experiment.seed, captures=Captures(events=log))
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return dict(scenario.resolve().tree), events


def _happenings(
    events: Sequence[Mapping[str, Any]], packet: int
) -> Iterator[tuple[float, int, str]]:
    """What is shown of a path sender (0), base station (1), receiver (2)."""
    asked = 0
    for event in events:
        if event.get("flow") != 0:
            continue
        at = event["time_ns"] / 1e6
        node, kind = event["node"], event["kind"]
        data = (event.get("seq", 1) - 1) // packet + 1
        wants = (event.get("ack", 1) - 1) // packet + 1
        match kind, node:
            case "tcp_sent", 0:
                yield at, data, KINDS[1] if event["retransmission"] else KINDS[0]
            case "tcp_sent", 2:
                yield at, wants, KINDS[5]
            case "tcp_received", 0:
                yield at, wants, KINDS[8] if wants == asked else KINDS[7]
                asked = wants
            case "agent", 1 if event["act"] == "retransmitted":
                yield at, data, KINDS[4]
            case "agent", 1 if event["act"] == "suppressed":
                yield at, wants, KINDS[6]
            case "link_frame", 1 if event["sight"] == "sent" and event["forward"]:
                yield at, data, KINDS[4] if event["again"] else KINDS[2]
            case "link_frame", 2 if event["sight"] == "lost" and event["forward"]:
                yield at, data, KINDS[3]
