"""Speed on the random topology beside ns-2: 120 nodes, 10 flows, the same placement in both."""

from __future__ import annotations

from acklab.validate.foundation.peers import alternate, install_ns2, spread
from acklab.validate.foundation.tools import cargo_example, missing_source
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

BAR = 8.0
ASKED = f"at least {BAR:g} × ns-2's simulated seconds per wall second"
CASE = (
    *("--nodes", "120", "--place", "random", "--area", "2500x1000", "--flows", "10"),
    *("--rate", "2", "--window", "64", "--duration", "100"),
)
PAIRS = 7


def speed(context: Context) -> list[Row]:
    """NewReno and Vegas, in alternation with ns-2 at its fastest."""
    name = "random topology, 120 nodes, 10 flows at 2 Mbit/s, 100 s, speed against ns-2"
    why = missing_source(context.root) or install_ns2()
    if why:
        return [Row(name, "none", ASKED, SKIPPED, why)]
    peer = cargo_example(context.root, "peer", "release")
    rows = []
    for variant in ("newreno", "vegas"):
        report = alternate(context.root, peer, PAIRS, *CASE, "--variant", variant)
        ratio = float(report["ratio_median"])
        delivered = [report[side]["delivered_mean"] for side in ("acklab", "ns2")]
        figure = (
            f"{ratio:.1f} × ({spread(report)}); "
            f"delivered on the mean {delivered[0]:.0f} and {delivered[1]:.0f} packets"
        )
        rows.append(Row(f"{name}, {variant}", figure, ASKED, verdict(ratio >= BAR)))
    return rows


SPEED = Check(
    "speed-random", "the random topology beside ns-2, in alternation", speed, full_only=True
)
