"""Rules about where nodes are: decided by distances alone, whatever has been run.

| test | what it asks |
| --- | --- |
| hidden | which nodes of a chain can disrupt a transmission that they cannot sense |
| flows_meet | every two flows of an experiment's network have nodes within sensing range |
| connected | how many uniform placements are connected, by Monte Carlo, with and without a border |

Nodes of a chain are numbered from 1, as the paper does; ranges are the paper's: 250 m to decode,
550 m to sense and to disturb. A hidden node of a transmission hears nothing of the sender
and disturbs the receiver.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from acklab.papers.engine import grid
from acklab.papers.engine.findings import Check, Finding, Measured
from acklab.papers.engine.selection import Scope

OWN: Mapping[str, tuple[str, ...]] = {
    "hidden": ("hops", "sender", "receiver", "from", "node", "count", "most"),
    "flows_meet": ("within",),
    "connected": ("nodes", "width", "height", "range", "at_least", "draws"),
}
SENSE_M = 550.0
SPACING_M = 200.0
DRAWS = 2_000


def hidden_from(hops: int, sender: int, receiver: int) -> list[int]:
    """The nodes of a chain that do not sense the sender and disturb the receiver."""
    return [
        node
        for node in range(1, hops + 2)
        if abs(node - sender) * SPACING_M > SENSE_M >= abs(node - receiver) * SPACING_M
    ]


def culprits(hops: int, node: int) -> list[int]:
    """The nodes that can disrupt what a node sends, to either neighbour."""
    neighbours = [n for n in (node - 1, node + 1) if 1 <= n <= hops + 1]
    return sorted({c for n in neighbours for c in hidden_from(hops, node, n)})


def hidden_rule(_scope: Scope, check: Check) -> Finding:
    """Hidden nodes of one transmission (`from`), of one node (`count`), or of any (`most`)."""
    hops = int(check["hops"])
    if "from" in check:
        found = hidden_from(hops, int(check["sender"]), int(check["receiver"]))
        met = found == list(check["from"])
        said = f"hidden to {check['sender']} → {check['receiver']} of {hops} hops: {found}"
        return Finding(met, f"{said}: {_said(met)}", (_row("hidden nodes", len(found), met),))
    per_node = {node: culprits(hops, node) for node in range(1, hops + 2)}
    if "node" in check:
        found = per_node[int(check["node"])]
        met = len(found) == int(check["count"])
        said = f"node {check['node']} of {hops} hops can be disrupted by {found}"
        return Finding(met, f"{said}: {_said(met)}", (_row("hidden nodes", len(found), met),))
    worst = max(per_node, key=lambda node: len(per_node[node]))
    met = len(per_node[worst]) <= int(check["most"])
    said = f"of {hops} hops node {worst} has most: {per_node[worst]}"
    return Finding(met, f"{said}: {_said(met)}", (_row("most", len(per_node[worst]), met),))


def flows_meet_rule(scope: Scope, check: Check) -> Finding:
    """Every two flows, on their straight lines, have two nodes within sensing range."""
    experiment = scope.of()
    fixed: Mapping[str, Any] = check["cells"]["a"]
    cell = tuple(fixed.get(axis.key, axis.values[0]) for axis in experiment.axes)
    tree = grid.tree(experiment, cell, "quick")
    places = [tuple(float(x.split(" ")[0]) for x in p) for p in tree["topology"]["positions"]]
    lines = [_on_line(places, flow["from"], flow["to"]) for flow in tree["flow"]]
    gaps = [
        min(math.dist(places[i], places[j]) for i in a for j in b)
        for a, b in itertools.combinations(lines, 2)
    ]
    met = max(gaps) <= float(check["within"])
    said = f"{len(lines)} flows, largest gap between two {max(gaps):.0f} m: {_said(met)}"
    return Finding(met, said, (_row("largest gap (m)", max(gaps), met),))


def _on_line(places: list[tuple[float, ...]], start: int, end: int) -> list[int]:
    a, b = places[start], places[end]
    length = math.dist(a, b)
    return [i for i, p in enumerate(places) if math.dist(a, p) + math.dist(p, b) <= length + 1e-6]


def connected_rule(_scope: Scope, check: Check) -> Finding:
    """The share of uniform placements in which every node reaches every other.

    Beside it, undecided by: the share without a border, each side of the area joined to the other.
    """
    draws = int(check.get("draws", DRAWS))
    shares = []
    for border in (True, False):
        good = connected_placements(
            int(check["nodes"]), float(check["width"]), float(check["height"]),
            float(check["range"]), draws, border=border,
        )  # fmt: skip
        share = good / draws
        shares.append((share, 1.96 * math.sqrt(max(share * (1.0 - share), 1.0 / draws) / draws)))
    (share, half), (joined, spread) = shares
    met = share >= float(check["at_least"])
    said = f"{share:.2%} ± {half:.2%} of {draws} placements connected: {_said(met)}; "
    said += f"without a border {joined:.2%} ± {spread:.2%}"
    return Finding(
        met,
        said,
        (
            Measured("connected", share, share - half, share + half, draws, met, percent=True),
            Measured(
                "without a border", joined, joined - spread, joined + spread, draws, percent=True
            ),
        ),
    )


@lru_cache(maxsize=16)
def connected_placements(
    nodes: int,
    width: float,
    height: float,
    reach: float,
    draws: int,
    seed: int = 2005,
    border: bool = True,
) -> int:
    """How many of `draws` uniform placements are connected; without a border: on a torus."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    random = np.random.default_rng(seed)
    good = 0
    for _ in range(draws):
        places = random.random((nodes, 2)) * (width, height)
        apart = np.abs(places[:, None, :] - places[None, :, :])
        if not border:
            apart = np.minimum(apart, np.array((width, height)) - apart)
        near = (apart**2).sum(axis=2) <= reach * reach
        good += connected_components(csr_array(near), directed=False, return_labels=False) == 1
    return good


def _row(label: str, value: float, met: bool) -> Measured:
    return Measured(label, float(value), float(value), float(value), 0, met)


def _said(met: bool) -> str:
    return "yes" if met else "no"


RULES = {"hidden": hidden_rule, "flows_meet": flows_meet_rule, "connected": connected_rule}
