"""Random networks that both simulators get: places where all are connected, and flows between them.

The one invariant: the same seed gives the same network.
"""

from __future__ import annotations

import math
import random

RANGE_M = 250.0
"""Distance at which a frame can still be decoded, on both sides."""

Position = tuple[float, float]
Flow = tuple[int, int]


def placement(nodes: int, seed: int, area: Position | None = None) -> tuple[Position, ...]:
    """Random places, drawn anew until all are connected.

    They lie on `area`, or in a square in which a node has about 10 neighbours.
    """
    draw = random.Random(seed)
    side = math.sqrt(nodes * math.pi / 10) * RANGE_M
    width, height = area or (side, side)
    while True:
        places = tuple(
            (round(draw.uniform(0, width), 1), round(draw.uniform(0, height), 1))
            for _ in range(nodes)
        )
        if connected(places):
            return places


def random_flows(nodes: int, count: int, seed: int) -> tuple[Flow, ...]:
    """Pairs of two different nodes, each pair once."""
    draw = random.Random(f"flows {seed}")
    pairs: dict[Flow, None] = {}
    while len(pairs) < count:
        a, b = draw.sample(range(nodes), 2)
        pairs[(a, b)] = None
    return tuple(pairs)


def connected(places: tuple[Position, ...]) -> bool:
    """Whether hops of at most the radio's range lead from the first place to all others."""
    reached, frontier = {0}, [0]
    while frontier:
        here = places[frontier.pop()]
        for index, there in enumerate(places):
            if index not in reached and math.dist(here, there) <= RANGE_M:
                reached.add(index)
                frontier.append(index)
    return len(reached) == len(places)
