"""The table that `acklab run` prints: what matters in a network of that kind.

All measures are in the files; here stand those that somebody looks for first. The one invariant: a
measure of this table is shown also where it is zero, if it has a value at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from acklab.result import Result
from acklab.stats import Estimate

__all__ = ["show"]

# By what the network has.
_HEADLINES = {
    "flows": ("goodput_pps", "goodput_bps", "delivered_packets"),
    "several flows": ("fairness",),
    "tcp": (
        "window_mean",
        "cwnd_max",
        "retransmissions",
        "timeouts",
        "window_cuts",
        "acks_sent",
    ),
    "sessions": ("sessions_completed", "session_delay_mean_s"),
    "cbr": ("delay_mean_s",),
    "802.11": (
        "rts_sent",
        "data_sent",
        "missing_cts",
        "collisions_hidden",
        "collisions_same_slot",
        "retry_drops",
        "queue_drops",
        "link_failures",
        "false_route_failures",
    ),
    "slots": (
        "slot_data_frames",
        "slot_ack_frames",
        "slot_combined_frames",
        "collisions",
        "slot_unechoed",
        "expired_drops",
    ),
    "links": ("p2p_frames_lost", "p2p_retransmissions", "p2p_queue_drops"),
    "cells": ("handoffs", "handoff_timeouts", "queue_drops"),
}
# More flows than these are in the files only.
_MOST_FLOWS = 10


def show(result: Result) -> None:
    """Print the headlines of a result, and the goodput of each flow where there are a few."""
    runs = "1 run" if result.runs == 1 else f"{result.runs} runs"
    covered = {100 * estimate.confidence for estimate in result.measures.values()} - {95.0}
    intervals = "".join(f", {share:g} % intervals" for share in covered)
    click.echo(f"{result.scenario.title}: {runs}, seed {result.seed}{intervals}\n")
    rows = {
        name: result.measures[name]
        for kind in _kinds(result.resolved.tree)
        for name in _HEADLINES[kind]
        if name in result.measures
    }
    _print(rows)
    flows = result.resolved.tree["flow"]
    if 1 < len(flows) <= _MOST_FLOWS:
        click.echo("\n  goodput_pps of each flow")
        _print(
            {
                f"{index}: {flow['kind']}, {flow['from']} to {flow['to']}": goodput
                for index, flow in enumerate(flows)
                if (goodput := result.flow(index).get("goodput_pps")) is not None
            }
        )


def _kinds(tree: Mapping[str, Any]) -> Iterator[str]:
    kinds = {flow["kind"] for flow in tree["flow"]}
    yield "flows"
    if len(tree["flow"]) > 1:
        yield "several flows"
    if kinds & {"ftp", "sessions"}:
        yield "tcp"
    yield from sorted(kinds & {"sessions", "cbr"})
    if "mac" in tree:
        yield "802.11"
    if "slotted" in tree:
        yield "slots"
    if tree.get("point_to_point"):
        yield "links"
    if "cells" in tree:
        yield "cells"


def _print(rows: Mapping[str, Estimate]) -> None:
    width = max(20, *map(len, rows))
    for name, estimate in rows.items():
        half = "" if estimate.half_width is None else f"± {_number(estimate.half_width, 2)}"
        unit = "" if estimate.unit == "1" else estimate.unit
        line = f"  {name:{width}}  {_number(estimate.mean, 5):>10} {half:10} {unit}"
        click.echo(line.rstrip())


def _number(value: float, digits: int) -> str:
    """Return a number with so many significant digits, never in exponents for everyday sizes."""
    if value == 0.0 or not 1e-4 <= abs(value) < 1e12:
        return f"{value:.{digits}g}"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{float(text):g}"
