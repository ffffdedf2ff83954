"""Measures of a run's event log about handoffs, blackouts and helpers (`log_measures` names them).

| measure | what it is |
| --- | --- |
| `longest_run` | most packets lost back to back on the way to a mobile that listened elsewhere or |
| | heard too little |
| `runs_of_three` | 1 if three or more were, else 0 (of one handoff: whether it has such a burst) |
| `lost_near_per_s`, | packets and ACKs lost in a second, full queues apart: from 1 s before the |
| `lost_away_per_s` | handoff to 3 s after it, and in the rest of the run's traffic |
| `periods_paced_twice_share` | of the ended periods of low signal: two ACKs or more left the |
| | receiver at another time than a packet came, since they had waited |
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
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Event = Mapping[str, Any]
SECOND_NS = 1_000_000_000
BEFORE_NS, AFTER_NS = SECOND_NS, 3 * SECOND_NS
"""What is around a handoff."""
BACK_TO_BACK_NS = 20_000_000
BURST = 3
LOST = ("not_listening", "too_weak")
LOST_FRAME = '"sight":"lost"'
PACED_TWICE = 2


def events_of_kinds(path: Path, kinds: Sequence[str]) -> Iterator[Event]:
    """The events of these kinds."""
    marks = [f'"{kind}"' for kind in kinds]
    yield from (event for event in marked(path, marks) if event["kind"] in kinds)


def marked(path: Path, marks: Sequence[str]) -> Iterator[Event]:
    """The events in whose lines one of these texts stands."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if any(mark in line for mark in marks))


def bursts(path: Path, scenario: Mapping[str, Any]) -> dict[str, float]:
    """Runs of losses, losses around a handoff and away from it, and ACKs that waited."""
    mobile = scenario["flow"][0]["to"]
    ends = f'"node":{mobile},"kind":"tcp_'
    dropped: list[int] = []
    to_the_mobile: list[int] = []
    errors: list[int] = []
    handoffs: list[int] = []
    waits = Waits()
    first = last = -1
    for event in marked(path, ('"packet_dropped"', LOST_FRAME, '"attached"', '"signal"', ends)):
        time = event["time_ns"]
        match event["kind"]:
            case "packet_dropped" if event["reason"] in LOST:
                dropped.append(time)
                # What comes too weak to a station was the mobile's own.
                to_the_mobile += [time] if event["node"] == mobile else []
            case "link_frame" if "flow" in event:
                errors.append(time)
            case "attached":
                handoffs.append(time)
            case "signal":
                waits.signal(time, event["is_low"])
            case "tcp_received" | "tcp_sent":
                first, last = time if first < 0 else first, time
                waits.packet(time, event)
    longest = longest_run(to_the_mobile)
    found = {"longest_run": float(longest), "runs_of_three": float(longest >= BURST)}
    return found | waits.counted() | around(dropped + errors, handoffs, (first, last))


def around(
    times: Sequence[int], handoffs: Sequence[int], span: tuple[int, int]
) -> dict[str, float]:
    """Losses in a second around the first handoff and away from it; no time, no number.

    ``span`` is from the first to the last event of the traffic: a handoff outside of it has no
    traffic around it, and one in the midst of short traffic none away from it.
    """
    if not handoffs:
        return {"lost_near_per_s": math.nan, "lost_away_per_s": math.nan}
    start, end = max(span[0], handoffs[0] - BEFORE_NS), min(span[1], handoffs[0] + AFTER_NS)
    end = max(start, end)
    near = sum(start <= time < end for time in times)
    return {
        "lost_near_per_s": _per_second(near, end - start),
        "lost_away_per_s": _per_second(len(times) - near, span[1] - span[0] - (end - start)),
    }


def _per_second(count: int, time_ns: int) -> float:
    return count * SECOND_NS / time_ns if time_ns > 0 else math.nan


@dataclass
class Waits:
    """Periods of low signal, and ACKs in them that left at another time than a packet came."""

    periods: int = 0
    paced_twice: int = 0
    low: bool = False
    ended_at: int = -1
    came_at: int = -1
    waited: int = 0

    def signal(self, time: int, is_low: bool) -> None:
        """A period begins or ends; what waits leaves at the very time of the end."""
        if is_low:
            self._settle()
        else:
            self.ended_at = time
        self.low = is_low

    def packet(self, time: int, event: Event) -> None:
        """A packet came to the mobile, or an ACK left it."""
        if event["kind"] == "tcp_received":
            self.came_at = time
        elif (self.low or time == self.ended_at) and time != self.came_at:
            self.waited += 1

    def counted(self) -> dict[str, float]:
        """The share of the periods that have ended, which had two such ACKs or more."""
        self._settle()
        share = self.paced_twice / self.periods if self.periods else math.nan
        return {"periods_paced_twice_share": share}

    def _settle(self) -> None:
        if self.ended_at >= 0:
            self.periods += 1
            self.paced_twice += self.waited >= PACED_TWICE
        self.ended_at, self.waited = -1, 0


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
