"""Networks of the slotted radio as scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.papers.engine.load import load_paper

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
    "halving": "threshold",
    "repetition_acked_at_once": True,
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


def both_ways(hops: int, seconds: float) -> dict[str, Any]:
    """A chain with a connection each way, both of which always have something to send."""
    tree = chain(hops, seconds, {"combining": "data-ack"})
    tree["flow"] = [
        dict(TCP) | {"from": 0, "to": hops},
        dict(TCP) | {"from": hops, "to": 0},
    ]
    return tree


def overloaded(seconds: float) -> dict[str, Any]:
    """Mesh M0 in which every node makes a datagram every 4 slots, several times what it carries."""
    mesh = load_paper("yuki2004").experiments["mesh"].scenario["topology"]
    nodes = mesh["nodes"]
    return {
        "duration": f"{seconds:g} s",
        "topology": dict(mesh),
        "slotted": {"combining": "data-ack"},
        "flow": [
            {
                "kind": "cbr",
                "from": node,
                "to": (node + 8) % nodes,
                "start": "0 s",
                "interval": "40 ms",
            }
            for node in range(nodes)
        ],
    }
