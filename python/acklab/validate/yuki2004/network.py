"""The paper's chain as a scenario, and its measure: packets per slot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SLOT_S = 0.01
TCP: Mapping[str, Any] = {
    "kind": "ftp",
    "start": "0 s",
    "variant": "reno",
    "window": 20,
    "initial_window": 1,
    "initial_ssthresh": 1_000_000,
    "handshake": False,
    "limited_transmit": False,
    "halving": "whole-window",
    "recovery_exit": "ssthresh",
    "newreno": {"guard": "less-careful"},
    "rto": {"initial": "3 s", "min": "200 ms", "tick": "100 ms", "estimator": "rounded"},
}
DELAYED = {"policy": "delayed", "count": 2, "interval": "200 ms"}


def chain(hops: int, seconds: float, slotted: Mapping[str, Any], **flow: Any) -> dict[str, Any]:
    """A connection over so many hops."""
    return {
        "duration": f"{seconds:g} s",
        "topology": {
            "kind": "graph",
            "nodes": hops + 1,
            "edges": [[node, node + 1] for node in range(hops)],
        },
        "slotted": dict(slotted),
        "flow": [dict(TCP) | flow],
    }
