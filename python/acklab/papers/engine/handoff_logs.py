"""Measures of a run's event log about handoffs, blackouts and helpers (`log_measures` names them).

| measure | what it is |
| --- | --- |
| `longest_run` | most packets lost back to back on the way to a mobile that listened elsewhere or |
| | heard too little |
| `runs_of_three` | 1 if three or more were, else 0 (of one handoff: whether it has such a burst) |
| `station_bytes` | the most that agents at base stations held of connections at one time, in |
| | bytes: payload that they keep and what they noted |
| `station_data` | the payload in it |
| `gateway_bytes` | the same of the agent at the gateway, payload and notes |
| `acked_in_vain` | packets that the sender held for acknowledged when the mobile changed station, |
| | and that never came to the mobile |

Back to back: each less than 20 ms after the one before (five packets' time at 2 Mbit/s). A log is
read line by line and only the kinds that count are parsed. Invariant: made of the first flow's
events alone.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Event = Mapping[str, Any]
BACK_TO_BACK_NS = 20_000_000
BURST = 3
LOST = ("not_listening", "too_weak")


def events_of_kinds(path: Path, kinds: Sequence[str]) -> Iterator[Event]:
    """The events of these kinds."""
    marks = [f'"{kind}"' for kind in kinds]
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if any(mark in line for mark in marks):
                event = json.loads(line)
                if event["kind"] in kinds:
                    yield event


def bursts(path: Path, _scenario: Mapping[str, Any]) -> dict[str, float]:
    """The longest run of losses."""
    times = [
        event["time_ns"]
        for event in events_of_kinds(path, ["packet_dropped"])
        if event["reason"] in LOST
    ]
    longest = longest_run(times)
    return {"longest_run": float(longest), "runs_of_three": float(longest >= BURST)}


def longest_run(times: Sequence[int]) -> int:
    """The most ascending times of which each is less than 20 ms after the one before."""
    longest = run = 0
    before = -BACK_TO_BACK_NS
    for time in times:
        run = run + 1 if time - before < BACK_TO_BACK_NS else 1
        before = time
        longest = max(longest, run)
    return longest


def helpers(path: Path, scenario: Mapping[str, Any]) -> dict[str, float]:
    """What agents hold of connections, and what is acknowledged in vain at the first handoff."""
    cells = scenario["cells"]
    stations = {station["node"] for station in cells["station"]}
    sender, mobile = scenario["flow"][0]["from"], scenario["flow"][0]["to"]
    held: dict[int, tuple[int, int]] = {}
    most = {"station_bytes": 0, "station_data": 0, "gateway_bytes": 0}
    came: set[int] = set()
    acked, length, at_handoff = 0, 0, -1
    for event in events_of_kinds(path, ["agent_holds", "tcp_received", "attached"]):
        node = event["node"]
        match event["kind"]:
            case "agent_holds":
                held[node] = (event["data_bytes"], event["note_bytes"])
                now = _held(held, stations, cells["gateway"])
                most = {name: max(most[name], value) for name, value in now.items()}
            case "attached" if at_handoff < 0 and acked:
                at_handoff = acked
            case "tcp_received" if node == sender:
                acked = max(acked, event["ack"])
            case "tcp_received" if node == mobile and event["len_bytes"]:
                came.add(event["seq"])
                length = event["len_bytes"]
    wanted = set(range(1, at_handoff, length)) if length else set()
    said = {name: float(value) for name, value in most.items()}
    return said | {"acked_in_vain": float(len(wanted - came))}


def _held(
    held: Mapping[int, tuple[int, int]], stations: Container[int], gateway: int
) -> dict[str, int]:
    """What the agents of a node hold is one entry: (payload, notes)."""
    there = [both for node, both in held.items() if node in stations]
    return {
        "station_bytes": sum(map(sum, there)),
        "station_data": sum(data for data, _ in there),
        "gateway_bytes": sum(held.get(gateway, (0, 0))),
    }
