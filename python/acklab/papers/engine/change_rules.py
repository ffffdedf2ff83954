"""Rules about what a scheme changes, decided by what its scenario says: no run can show them.

| test | what it asks |
| --- | --- |
| changes | whether a scheme (cell a) differs from another one (cell b) at a `side` |

Sides: the base `station` (an agent sits there), the `wired` end and the `wireless` end of the
connection (its part of the flow differs). The wireless end is a mobile's: of a flow to a mobile it
is the receiver, with the keys `ack` and `handoff`; every other key of a flow belongs to its sender,
and `handoff` to the mobile in either case. Invariant: what is compared is what the paper's folder
says, before any default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.papers.engine import grid
from acklab.papers.engine.findings import Check, Finding
from acklab.papers.engine.selection import Scope

OWN: Mapping[str, tuple[str, ...]] = {"changes": ("side", "changed")}
SIDES = ("station", "wired", "wireless")
RECEIVER = frozenset({"ack"})
MOBILE = frozenset({"handoff"})


def changes_rule(scope: Scope, check: Check) -> Finding:
    """Is the scheme's side as the statement has it, changed or unchanged?"""
    trees = [_tree(scope, check["cells"][name]) for name in ("a", "b")]
    keys = sorted(_changed(trees[0], trees[1], str(check["side"])))
    met = bool(keys) == bool(check["changed"])
    said = f"{check['side']} side: " + (", ".join(keys) if keys else "nothing") + " changed"
    return Finding(met, f"{said}: {'as stated' if met else 'not as stated'}")


def _tree(scope: Scope, cell: Mapping[str, Any]) -> dict[str, Any]:
    experiment = scope.of()
    return grid.tree(experiment, grid.match(experiment, cell), "quick")


def _changed(one: Mapping[str, Any], other: Mapping[str, Any], side: str) -> set[str]:
    if side == "station":
        agents = (tree.get("agent", []) for tree in (one, other))
        kinds = [[agent["kind"] for agent in listed] for listed in agents]
        return set() if kinds[0] == kinds[1] else {f"agent {kind}" for kind in kinds[0]}
    mobiles = {mobile["node"] for mobile in one["cells"]["mobile"]}
    found: set[str] = set()
    for mine, theirs in zip(one["flow"], other["flow"], strict=True):
        to_mobile = mine["to"] in mobiles
        for key in {*mine, *theirs}:
            if mine.get(key) == theirs.get(key):
                continue
            at_mobile = key in MOBILE or (key in RECEIVER) == to_mobile
            if at_mobile == (side == "wireless"):
                found.add(key)
    return found


RULES = {"changes": changes_rule}
