"""Speed on the random topology beside ns-2: 120 nodes, 10 flows, the same placement in both."""

from __future__ import annotations

import json

from acklab.validate.foundation.peers import install_ns2
from acklab.validate.foundation.tools import cargo_example, missing_source, python, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

BAR = 8.0
ASKED = f"at least {BAR:g} × ns-2's simulated seconds per wall second"
CASE = (
    *("--nodes", "120", "--place", "random", "--area", "2500x1000", "--flows", "10"),
    *("--rate", "2", "--window", "64", "--duration", "100"),
)
PAIRS = "7"


def speed(context: Context) -> list[Row]:
    """NewReno and Vegas, in alternation with ns-2 at its fastest."""
    name = "random topology, 120 nodes, 10 flows at 2 Mbit/s, 100 s, speed against ns-2"
    why = missing_source(context.root) or install_ns2()
    if why:
        return [Row(name, "none", ASKED, SKIPPED, why)]
    peer = cargo_example(context.root, "peer", "release")
    script = str(context.root / "bench" / "peers" / "run.py")
    rows = []
    for variant in ("newreno", "vegas"):
        options = ("--variant", variant, "--pairs", PAIRS, "--json", "--peer", str(peer))
        done = run(python(script, *CASE, *options), context.root)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        report = json.loads(done.stdout)
        ratio = float(report["ratio_median"])
        ours, theirs = (report[side]["simulated_s_per_wall_s"] for side in ("acklab", "ns2"))
        delivered = [report[side]["delivered_mean"] for side in ("acklab", "ns2")]
        figure = (
            f"{ratio:.1f} × (median of {report['pairs']} alternations, {report['ratio_min']:.1f} "
            f"to {report['ratio_max']:.1f}): acklab {ours:.0f}, ns-2 {theirs:.0f}; "
            f"delivered on the mean {delivered[0]:.0f} and {delivered[1]:.0f} packets"
        )
        rows.append(Row(f"{name}, {variant}", figure, ASKED, verdict(ratio >= BAR)))
    return rows


SPEED = Check(
    "speed-random", "the random topology beside ns-2, in alternation", speed, full_only=True
)
