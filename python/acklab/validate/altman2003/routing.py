"""Routing in a world that loses nothing: AODV, DSR and DSDV on random graphs.

The checks are tests of `acklab-routing`; each walks over two hundred graphs and more, whose seed
it prints when it fails, under every profile of its protocol.
"""

from __future__ import annotations

from acklab.validate.foundation.tools import tests_row
from acklab.validate.model import Check, Context, Row

GRAPHS = "at least 200 random connected graphs of 3 to 20 nodes for each protocol and profile"
WORLDS = (
    ("AODV", "perfect_world", "seeds 0 to 199 and 1000 to 1199, cuts 2000 to 2419"),
    (
        "DSR",
        "dsr_worlds",
        "seeds 0 to 259, cuts 2000 to 2559; without the graphs that are 12 hops or more across",
    ),
    (
        "DSDV",
        "dsdv_worlds",
        "seeds 0 to 199, cuts 2000 to 2419; new routes settle for 0.5 s instead of the profile's "
        "6 s",
    ),
)


def routing(context: Context) -> list[Row]:
    """Delivery wherever the graph is connected, no loop that stays, healing of a cut link."""
    return [
        tests_row(
            context.root,
            f"{protocol}: delivers whenever connected, no loop stays, a cut link heals ({seeds})",
            GRAPHS,
            "-p",
            "acklab-routing",
            "--release",
            "--test",
            "routing",
            f"{module}::",
        )
        for protocol, module, seeds in WORLDS
    ]


ROUTING = Check("routing-correctness", "routing on random graphs", routing)
