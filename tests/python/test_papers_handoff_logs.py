"""Measures of event logs about handoffs and blackouts: runs of losses, paced ACKs, helpers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from acklab.papers.engine import log_measures as log_measures_module
from acklab.papers.engine.handoff_logs import SECOND_NS, around
from acklab.papers.engine.log_measures import log_measures

MOBILE = 8


def log_of(path: Path, events: list[dict[str, Any]]) -> Path:
    lines = [json.dumps(event, separators=(",", ":")) for event in events]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_runs_of_losses_by_hand(tmp_path: Path) -> None:
    def drop(ms: int, reason: str = "not_listening", node: int = MOBILE) -> dict[str, Any]:
        kind = "packet_dropped"
        return {"time_ns": ms * 1_000_000, "node": node, "kind": kind, "reason": reason}

    # At 30 and 90 ms an ACK of the mobile comes too weak to its station.
    events = [drop(0), drop(19), drop(30, "too_weak", 4), drop(39), drop(40, "queue_full")]
    events += [drop(58), drop(77), drop(90, "too_weak", 4), drop(200)]
    found = log_measures("bursts", log_of(tmp_path / "log", events), TO_THE_MOBILE)
    assert (found["longest_run"], found["runs_of_three"]) == (3.0, 1.0)
    found = log_measures("bursts", log_of(tmp_path / "log", events[:2]), TO_THE_MOBILE)
    assert (found["longest_run"], found["runs_of_three"]) == (2.0, 0.0)


TO_THE_MOBILE = {"flow": [{"from": 0, "to": MOBILE}]}


def test_losses_around_a_handoff_and_away_from_it_by_hand(tmp_path: Path) -> None:
    def at(ms: int, kind: str, **fields: Any) -> dict[str, Any]:
        return {"time_ns": ms * 1_000_000, "node": MOBILE, "kind": kind, **fields}

    events = [
        at(0, "tcp_received"),
        at(500, "link_frame", sight="lost", flow=0),
        at(600, "link_frame", sight="lost"),
        at(4100, "link_frame", sight="lost", flow=0),
        at(5000, "attached"),
        at(5001, "packet_dropped", reason="not_listening"),
        at(5002, "packet_dropped", reason="queue_full"),
        at(7999, "packet_dropped", reason="not_listening"),
        at(8000, "link_frame", sight="lost", flow=0),
        at(9000, "tcp_sent"),
    ]
    found = log_measures("bursts", log_of(tmp_path / "log", events), TO_THE_MOBILE)
    # Three in the 4 s from 4 to 8 s; two in the other 5 s. A beacon is no packet.
    assert (found["lost_near_per_s"], found["lost_away_per_s"]) == (0.75, 0.4)
    found = log_measures("bursts", log_of(tmp_path / "log", events[:4]), TO_THE_MOBILE)
    assert math.isnan(found["lost_near_per_s"])


def test_acks_that_waited_in_a_blackout_by_hand(tmp_path: Path) -> None:
    def at(ms: int, kind: str, **fields: Any) -> dict[str, Any]:
        return {"time_ns": ms * 1_000_000, "node": MOBILE, "kind": kind, **fields}

    def period(ms: int, held: int) -> list[dict[str, Any]]:
        # One ACK at once, then one each 100 ms; what is left leaves at the end, at 450 ms.
        out = [at(ms, "signal", is_low=True), at(ms + 10, "tcp_received"), at(ms + 10, "tcp_sent")]
        out += [at(ms + min(450, 110 + 100 * n), "tcp_sent") for n in range(held)]
        ends = at(ms + 450, "signal", is_low=False)
        before = [event for event in out if event["time_ns"] < ends["time_ns"]]
        return [*before, ends, *out[len(before) :], at(ms + 460, "tcp_sent")]

    for held, twice in ((0, 0.0), (1, 0.0), (2, 0.5), (5, 0.5)):
        log = log_of(tmp_path / "log", [*period(1000, held), *period(3000, 0)])
        found = log_measures("bursts", log, TO_THE_MOBILE)
        assert found["periods_paced_twice_share"] == twice


def test_what_agents_hold_and_acknowledge_in_vain_by_hand(tmp_path: Path) -> None:
    def tcp(node: int, ack: int = 0, seq: int = 0) -> dict[str, Any]:
        length = 1000 if seq else 0
        return {"kind": "tcp_received", "node": node, "ack": ack, "seq": seq, "len_bytes": length}

    def holds(node: int, data: int, notes: int) -> dict[str, Any]:
        return {"kind": "agent_holds", "node": node, "data_bytes": data, "note_bytes": notes}

    events: list[dict[str, Any]] = [
        {"kind": "attached", "node": 8},
        tcp(8, seq=1),
        holds(4, 3000, 50),
        tcp(0, ack=4001),
        {"kind": "attached", "node": 8},
        tcp(0, ack=9001),
        tcp(8, seq=2001),
        holds(1, 9000, 7),
        holds(7, 1000, 40),
        holds(4, 0, 20),
        holds(7, 3500, 40),
    ]
    cells = {"gateway": 1, "station": [{"node": 4}, {"node": 7}]}
    scenario = {"cells": cells, "flow": [{"from": 0, "to": 8}]}
    found = log_measures("helpers", log_of(tmp_path / "log", events), scenario)
    # Four packets were acknowledged at the handoff; the second and the fourth never came.
    assert found["acked_in_vain"] == 2.0
    # Most bytes: 3050 and 1040 at a time; most payload: 3000 and 1000; the last time has less.
    assert (found["station_bytes"], found["station_data"]) == (4090.0, 4000.0)
    assert found["gateway_bytes"] == 9007.0


def test_a_time_of_no_length_has_no_losses_in_a_second() -> None:
    second = SECOND_NS
    # All of the traffic lies around the handoff, at 5 s; it ended before; it never was.
    near = around([5 * second], [5 * second], (4 * second, 6 * second))
    assert near["lost_near_per_s"] == 0.5
    assert math.isnan(near["lost_away_per_s"])
    ended = around([second], [10 * second], (0, 5 * second))
    assert math.isnan(ended["lost_near_per_s"])
    assert ended["lost_away_per_s"] == 0.2
    assert all(map(math.isnan, around([], [second], (-1, -1)).values()))


def test_rows_of_a_log_are_of_the_code_that_reads_it(monkeypatch) -> None:
    mine = log_measures_module.version("bursts")
    assert mine != log_measures_module.version("losses")
    monkeypatch.setattr(log_measures_module, "_sources", lambda: "another")
    assert mine != log_measures_module.version("bursts")
