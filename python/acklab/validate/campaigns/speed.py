"""The engine beside ns-2: chains and a random network, in alternation on one core."""

from __future__ import annotations

from acklab.validate.foundation.peers import alternate, install_ns2, spread
from acklab.validate.foundation.tools import cargo_example, missing_source
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

CHAIN = ("--rate", "1", "--window", "8")
CASES = {
    "9-node chain, 1 Mbit/s, W = 8, d = 1": (20.0, ("--nodes", "9", *CHAIN)),
    "9-node chain, 1 Mbit/s, W = 8, d = 2": (20.0, ("--nodes", "9", "--d", "2", *CHAIN)),
    "20-node chain, 1 Mbit/s, W = 8, d = 1": (20.0, ("--nodes", "20", *CHAIN)),
    "120 random nodes, 10 flows at 2 Mbit/s": (
        15.0,
        (
            *("--nodes", "120", "--place", "random", "--area", "2500x1000", "--flows", "10"),
            *("--rate", "2", "--window", "64", "--duration", "50"),
        ),
    ),
}
"""What is run, with its bar."""

_PAIRS = 25
"""How much happens in a chain's run differs by half from seed to seed, on both sides apart: medians
of 9 pairs differ by two from one another."""

D3 = "stands for d = 3 too: stock ns-2 has sinks for d = 1 and d = 2 only"


def speed(context: Context) -> list[Row]:
    """The ratio to ns-2 at its fastest, and to ns-2 as it comes beside it."""
    why = missing_source(context.root) or install_ns2()
    peer = None if why else cargo_example(context.root, "peer", "release")
    rows = []
    for name, (least, options) in CASES.items():
        bar = f"at least {least:g} × ns-2's simulated seconds per wall second"
        if peer is None:
            rows.append(Row(name, "none", bar, SKIPPED, why))
            continue
        pairs = _PAIRS if context.full else 5
        lean, stock = (
            alternate(context.root, peer, pairs, *options, "--ns2-headers", headers)
            for headers in ("used", "all")
        )
        ratio = float(lean["ratio_median"])
        figure = (
            f"{ratio:.1f} × ({spread(lean)}); against ns-2 with all its packet headers, as it "
            f"comes, {stock['ratio_median']:.1f} × ({spread(stock)})"
        )
        note = D3 if "d = 2" in name else ""
        rows.append(Row(name, figure, bar, verdict(ratio >= least), note))
    return rows


SPEED = Check("speed-campaigns", "the engine beside ns-2, in alternation", speed)
