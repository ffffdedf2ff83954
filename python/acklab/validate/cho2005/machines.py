"""Motion, Cellular IP, soft state and the handoff agent against cases by hand; refused input."""

from __future__ import annotations

from acklab.validate.foundation.tools import tests_row
from acklab.validate.model import Check, Context, Row


def motion(context: Context) -> list[Row]:
    """Places and crossings of levels."""
    row = tests_row(
        context.root,
        "motion: crossings of signal levels, random waypoint, scripts of ns-2",
        "closed form to a microsecond; a script reads back to a millimetre",
        *("-p", "acklab-radio", "-p", "acklab-world", "--test", "places", "--test", "networks"),
        *("--", "motion::", "cells_crossed::"),
    )
    return [row]


def agent(context: Context) -> list[Row]:
    """The agent that watches pilots, and ACK Pacing under it."""
    beacons = tests_row(
        context.root,
        "the handoff agent, beacon by beacon",
        "pacing brackets the handoff; what is expected, one by one",
        *("-p", "acklab-agents", "--test", "agents", "handoff::"),
    )
    network = tests_row(
        context.root,
        "ACK Pacing in a network, ACKs and data",
        "by hand, to a nanosecond",
        *("-p", "acklab-world", "--test", "networks", "cells_pacing::"),
    )
    return [beacons, network]


def cases(context: Context) -> list[Row]:
    """Cellular IP: crossover distance 1, 2, 3, semisoft, the start."""
    row = tests_row(
        context.root,
        "Cellular IP by hand: crossover distances, losses, semisoft with and without delay device",
        "exact to a nanosecond and a packet",
        *("-p", "acklab-world", "--test", "networks", "--", "cells::", "cells_start::"),
    )
    return [row]


def soft_state(context: Context) -> list[Row]:
    """Lost route updates and beacons, stations off and on, two mobiles; caches node by node."""
    network = tests_row(
        context.root,
        "soft state: lost route updates, lost beacons, a station off and on, two mobiles",
        "traffic resumes within the stated timers; nothing twice by hard handoff",
        *("-p", "acklab-world", "--test", "networks", "cells_soft_state::"),
    )
    caches = tests_row(
        context.root,
        "soft state: caches of Cellular IP, node by node",
        "entries die at their timeouts, to a nanosecond",
        *("-p", "acklab-routing", "--test", "routing", "cellular_ip"),
    )
    return [network, caches]


def below(context: Context) -> list[Row]:
    """802.11 below a cell: by hand, and its laws."""
    by_hand = tests_row(
        context.root,
        "802.11 below a cell: a packet and its ACK, handoffs, mobiles that share",
        "to the nanosecond; nothing twice, nothing lost untold",
        *("-p", "acklab-mac", "-p", "acklab-world", "--test", "machines", "--test", "networks"),
        *("--", "cell::", "cells_dcf::"),
    )
    laws = tests_row(
        context.root,
        "802.11 below a cell: maximum throughput, shares, loss behind the retry limit",
        "closed forms within four standard errors",
        *("-p", "acklab-mac", "--test", "machines", "cell_laws::"),
    )
    return [by_hand, laws]


def refused(context: Context) -> list[Row]:
    """Levels above reach, nobody in range, α outside (0, 1), loops in the tree."""
    row = tests_row(
        context.root,
        "bad input: levels, range at the start, α, loops, roles, motions, timers, silent inputs",
        "an error that names key, value and what is accepted",
        *("-p", "acklab-scenario", "--test", "scenarios", "--", "errors_cells::", "handoffs::"),
    )
    return [row]


MOTION = Check("cho-motion", "Motion against closed forms", motion)
AGENT = Check("cho-agent", "The handoff agent", agent)
CASES = Check("cho-cells", "Cellular IP by hand", cases)
SOFT = Check("cho-soft", "Soft state", soft_state)
BELOW = Check("cho-dcf", "802.11 below a cell", below)
INPUT = Check("cho-input", "Bad input", refused)
