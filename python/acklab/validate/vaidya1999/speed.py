"""Base TCP of Figure 5 beside ns-2, in alternation: judges `bench/peers/wireless.py`."""

from __future__ import annotations

import json

from acklab.validate.foundation.peers import install_ns2
from acklab.validate.foundation.tools import cargo_example, missing_source, python, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

BAR = 20.0
NAME = "speed of the base-TCP points of Figure 5 against ns-2"
WANTED = f"at least {BAR:g} × ns-2's simulated seconds per wall second"


def speed(context: Context) -> list[Row]:
    """Sixteen points, three seeds each (ten in full)."""
    if why := missing_source(context.root) or install_ns2():
        return [Row(NAME, "none", WANTED, SKIPPED, why)]
    peer = cargo_example(context.root, "peer", "release")
    script = str(context.root / "bench" / "peers" / "wireless.py")
    seeds = "10" if context.full else "3"
    done = run(python(script, "--seeds", seeds, "--json", "--peer", str(peer)), context.root)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    report = json.loads(done.stdout)
    ratio = float(report["ratio_median"])
    lines = [
        [
            f"{p['loss']:g}",
            str(p["mean"]),
            f"{p['ns2']:.0f}",
            f"{p['acklab']:.0f}",
            f"{p['ratio']:.1f}",
        ]
        for p in report["points"]
    ]
    return [
        Row(
            NAME,
            f"{ratio:.1f} × (median of {report['pairs']} pairs, {report['ratio_min']:.1f} to "
            f"{report['ratio_max']:.1f}); over all runs acklab {report['acklab']:.0f}, ns-2 "
            f"{report['ns2']:.0f} simulated s per wall s",
            WANTED,
            verdict(ratio >= BAR),
            why="" if ratio >= BAR else WHY,
            detail=[["loss", "mean bytes", "ns-2", "acklab", "ratio"], *lines],
        )
    ]


WHY = (
    "over wires ns-2 spends about 2 µs a packet, data and ACK over two links together, so that the "
    "bar asks for 0.1 µs, which is less than the handful of events of a packet cost"
)
SPEED = Check("vaidya-speed", "speed beside ns-2, in alternation", speed)
