"""Rules about what a scheme changes, decided by its scenario with every default filled in.

| test | what it asks |
| --- | --- |
| changes | whether a scheme (cell a) differs from another one (cell b) at a `side` |

Sides: a base `station` or the `gateway` (an agent sits at such a node), the `wired` end and the
`wireless` end of the connection (its part of the flow differs). The wireless end is a mobile's: of
a flow to a mobile it is the receiver, with the keys `ack` and `handoff`; selective ACKs need both
ends; every other key of a flow belongs to its sender, and `handoff` to the mobile in either case.
Invariant: what is compared is what the core resolves, so an option that a scheme switches on
elsewhere (a sender that must heed a closed window) counts where it acts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.findings import Check, Finding
from acklab.papers.engine.provider import NativeProvider
from acklab.papers.engine.selection import Scope

OWN: Mapping[str, tuple[str, ...]] = {"changes": ("side", "changed")}
SIDES = ("station", "gateway", "wired", "wireless")
RECEIVER = frozenset({"ack"})
MOBILE = frozenset({"handoff"})
BOTH = frozenset({"sack"})


def changes_rule(scope: Scope, check: Check) -> Finding:
    """Is the scheme's side as the statement has it, changed or unchanged?"""
    side = str(check["side"])
    if side not in SIDES:
        raise PaperError("side", side, SIDES)
    trees = [_tree(scope, check["cells"][name]) for name in ("a", "b")]
    keys = sorted(_changed(trees[0], trees[1], side))
    met = bool(keys) == bool(check["changed"])
    said = f"{side} side: " + (", ".join(keys) if keys else "nothing") + " changed"
    return Finding(met, f"{said}: {'as stated' if met else 'not as stated'}")


def _tree(scope: Scope, cell: Mapping[str, Any]) -> dict[str, Any]:
    experiment = scope.of()
    tree = grid.tree(experiment, grid.match(experiment, cell), "quick")
    resolved: dict[str, Any] = json.loads(NativeProvider().resolve(tree, experiment.key))
    return resolved


def _changed(one: Mapping[str, Any], other: Mapping[str, Any], side: str) -> set[str]:
    if side in ("station", "gateway"):
        return _agents(one, side) ^ _agents(other, side)
    mobiles = {mobile["node"] for mobile in one["cells"]["mobile"]}
    found: set[str] = set()
    for mine, theirs in zip(one["flow"], other["flow"], strict=True):
        to_mobile = mine["to"] in mobiles
        for key in {*mine, *theirs}:
            if mine.get(key) == theirs.get(key):
                continue
            at_mobile = key in MOBILE or (key in RECEIVER) == to_mobile
            if key in BOTH or at_mobile == (side == "wireless"):
                found.add(key)
    return found


def _agents(tree: Mapping[str, Any], side: str) -> set[str]:
    """The agents at base stations, or at the gateway."""
    cells = tree["cells"]
    nodes = {s["node"] for s in cells["station"]} if side == "station" else {cells["gateway"]}
    return {f"agent {a['kind']}" for a in tree.get("agent", ()) if a["node"] in nodes}


RULES = {"changes": changes_rule}
