"""Measures that only the event log of a run can give; an experiment names them with `log`.

| `log` | measures |
| --- | --- |
| `losses` | how well an end tells wireless errors from queue drops: the balanced accuracy of the |
| | best threshold (`accuracy_by_rtt`, `accuracy_by_gap`), `error_losses`, `queue_losses` |
| `pilots` | how well the own station's pilot tells of losses: `roc_area` of its level for a loss |
| | within the next second, `beacons_before_loss`, `beacons_before_none` |
| `bursts`, `helpers` | longest runs of losses; where agents act (`handoff_logs`) |

All speak of the first flow. Invariant: made of what an end could see, but for the labels: why a
packet was lost, and whether one will be.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from acklab.papers.engine import handoff_logs

Event = Mapping[str, Any]
SECOND_NS = 1_000_000_000


def log_measures(what: str, path: Path, scenario: Mapping[str, Any]) -> dict[str, float]:
    """The measures of one run's log; the file is read and left alone."""
    return LOGS[what](path, scenario)


def version(what: str) -> str:
    """Name what is measured, with a digest of the code that does: its rows are no other's."""
    return f"{what}-{_sources()}"


@cache
def _sources() -> str:
    files = (Path(__file__), Path(handoff_logs.__file__))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def _events(path: Path) -> list[Event]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _losses(path: Path, scenario: Mapping[str, Any]) -> dict[str, float]:
    events = _events(path)
    flow = scenario["flow"][0]
    ends = (flow["from"], flow["to"])
    mine = [e for e in events if e.get("flow") == 0 and "seq" in e]
    data = [e for e in mine if e["forward"] and e["len_bytes"]]
    sent = [(e["time_ns"], e["seq"]) for e in data if e["kind"] == "tcp_sent"]
    came = [
        (e["time_ns"], e["seq"], e["kind"] == "tcp_received")
        for e in data
        if e["node"] == ends[1]
        and (e["kind"] == "tcp_received" or (e["kind"], e.get("sight")) == ("link_frame", "lost"))
    ]
    arrivals = [time for time, _, arrived in came if arrived]
    trips = _round_trips(mine, ends)
    by_seq: dict[int, list[tuple[int, bool]]] = {}
    for time, seq, arrived in came:
        by_seq.setdefault(seq, []).append((time, arrived))
    next_sent: dict[int, float] = {}
    rows: list[tuple[bool, float, float]] = []
    for time, seq in reversed(sent):
        if time > events[-1]["time_ns"] - SECOND_NS:
            # It may still be under way.
            next_sent[seq] = time
            continue
        fate = next(
            (f for f in by_seq.get(seq, ()) if time < f[0] < next_sent.get(seq, math.inf)), None
        )
        next_sent[seq] = time
        if fate is not None and fate[1]:
            continue
        rows.append((fate is not None, _at(trips, time), _gap(arrivals, fate[0] if fate else time)))
    errors = sum(is_error for is_error, _, _ in rows)
    return {
        "error_losses": float(errors),
        "queue_losses": float(len(rows) - errors),
        "accuracy_by_rtt": best_accuracy([(r[1], r[0]) for r in rows]),
        "accuracy_by_gap": best_accuracy([(r[2], r[0]) for r in rows]),
    }


def _round_trips(events: Sequence[Event], ends: tuple[int, int]) -> list[tuple[int, float]]:
    """When, and how long: data sent once, and the first ACK at the sender that covers it."""
    waiting: dict[int, int] = {}
    found: list[tuple[int, float]] = []
    for event in events:
        if event["kind"] == "tcp_sent" and event["node"] == ends[0] and event["len_bytes"]:
            end = event["seq"] + event["len_bytes"]
            if event["retransmission"]:
                waiting.pop(end, None)
            else:
                waiting[end] = event["time_ns"]
        elif event["kind"] == "tcp_received" and event["node"] == ends[0]:
            since = waiting.pop(event["ack"], None)
            if since is not None:
                found.append((event["time_ns"], float(event["time_ns"] - since)))
            for end in [end for end in waiting if end <= event["ack"]]:
                del waiting[end]
    return found


def _at(trips: Sequence[tuple[int, float]], time: float) -> float:
    """The last round trip that was known."""
    place = bisect.bisect_right(trips, (time, math.inf))
    return trips[place - 1][1] if place else math.nan


def _gap(arrivals: Sequence[int], time: int) -> float:
    """The time between the arrivals around the place where one is missing."""
    place = bisect.bisect_right(arrivals, time)
    inside = 0 < place < len(arrivals)
    return float(arrivals[place] - arrivals[place - 1]) if inside else math.nan


def best_accuracy(rows: Sequence[tuple[float, bool]]) -> float:
    """The balanced accuracy of the best threshold on a value, in either sense."""
    known = sorted((value, is_true) for value, is_true in rows if value == value)
    true = sum(is_true for _, is_true in known)
    false = len(known) - true
    if not true or not false:
        return math.nan
    best, below = 0.5, [0, 0]
    for (value, is_true), after in itertools.zip_longest(known, known[1:]):
        below[is_true] += 1
        if after is not None and after[0] == value:
            continue
        accuracy = 0.5 * (below[True] / true + (false - below[False]) / false)
        best = max(best, accuracy, 1.0 - accuracy)
    return best


def _pilots(path: Path, _scenario: Mapping[str, Any]) -> dict[str, float]:
    events = _events(path)
    lost = [
        e["time_ns"]
        for e in events
        if e["kind"] == "packet_dropped" and e["reason"] in ("not_listening", "too_weak")
    ]
    own = next(e["station"] for e in events if e["kind"] == "pilot")
    rows: list[tuple[float, bool]] = []
    for event in events:
        if event["kind"] == "attached":
            own = event["station"]
        elif event["kind"] == "pilot" and event["station"] == own:
            place = bisect.bisect_right(lost, event["time_ns"])
            soon = place < len(lost) and lost[place] <= event["time_ns"] + SECOND_NS
            rows.append((float(event["level_dbm"]), soon))
    before = sum(soon for _, soon in rows)
    return {
        "roc_area": roc_area(rows),
        "beacons_before_loss": float(before),
        "beacons_before_none": float(len(rows) - before),
    }


def roc_area(rows: Sequence[tuple[float, bool]]) -> float:
    """The chance that a true row has a lower value than a false one, ties counting half."""
    true = np.sort([value for value, is_true in rows if is_true])
    false = np.sort([value for value, is_true in rows if not is_true])
    if not len(true) or not len(false):
        return math.nan
    above = len(false) - np.searchsorted(false, true, side="right")
    ties = np.searchsorted(false, true, side="right") - np.searchsorted(false, true, side="left")
    return float((above + 0.5 * ties).sum() / (len(true) * len(false)))


LOGS: Mapping[str, Callable[[Path, Mapping[str, Any]], dict[str, float]]] = {
    "losses": _losses,
    "pilots": _pilots,
    "bursts": handoff_logs.bursts,
    "helpers": handoff_logs.helpers,
}
