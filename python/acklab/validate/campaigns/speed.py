"""The engine beside ns-2: chains and a random network, in alternation on one core."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

from acklab.validate.foundation.peers import alternate, install_ns2, install_sink, spread
from acklab.validate.foundation.tools import cargo_example, missing_source, python, run
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

CHAIN = ("--rate", "1", "--window", "8")
CASES = {
    "9-node chain, 1 Mbit/s, W = 8, d = 1": (20.0, ("--nodes", "9", *CHAIN)),
    "9-node chain, 1 Mbit/s, W = 8, d = 2": (20.0, ("--nodes", "9", "--d", "2", *CHAIN)),
    "9-node chain, 1 Mbit/s, W = 8, d = 3": (20.0, ("--nodes", "9", "--d", "3", *CHAIN)),
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

D3 = "ns-2 has no sink of its own for d > 2: its delayed-ACK sink with a counter (bench/peers)"
_SIDES = {"ns-2 as it comes": "all", "ns-2 with the headers in use only": "used"}
_SEEDS = range(1, 6)
_SINK = "that sink at d = 2 beside ns-2's own"
_SINK_BAR = f"every count of {len(_SEEDS)} runs is the same"


def speed(context: Context) -> list[Row]:
    """Two ratios for each network, each judged: to ns-2 as it comes, and to ns-2 at its fastest.

    A packet of ns-2 carries every header that it knows unless the script takes out those that are
    not in use, which makes it about one and a half times as fast.
    """
    why = missing_source(context.root) or install_ns2()
    peer = None if why else cargo_example(context.root, "peer", "release")
    no_sink = why or install_sink(context.root)
    rows = []
    for (name, (least, options)), (side, headers) in product(CASES.items(), _SIDES.items()):
        bar = f"at least {least:g} × ns-2's simulated seconds per wall second"
        named, d3 = f"{name}, {side}", "d = 3" in name
        missing = no_sink if d3 else why
        if missing or peer is None:
            rows.append(Row(named, "none", bar, SKIPPED, missing))
            continue
        pairs = _PAIRS if context.full else 5
        found = alternate(context.root, peer, pairs, *options, "--ns2-headers", headers)
        ratio = float(found["ratio_median"])
        figure = f"{ratio:.1f} × ({spread(found)})"
        rows.append(Row(named, figure, bar, verdict(ratio >= least), D3 if d3 else ""))
    return [*rows, _sink(context.root, no_sink)]


def _sink(root: Path, missing: str) -> Row:
    """Whether the sink with a counter is ns-2's own where that has one."""
    if missing:
        return Row(_SINK, "none", _SINK_BAR, SKIPPED, missing)
    library = run(python(str(root / "bench" / "peers" / "sink.py")), root).stdout.strip()
    same = sum(_counts(root, seed) == _counts(root, seed, "-sink", library) for seed in _SEEDS)
    figure = f"{same} of {len(_SEEDS)} runs (seeds {_SEEDS[0]} to {_SEEDS[-1]})"
    return Row(_SINK, figure, _SINK_BAR, verdict(same == len(_SEEDS)))


def _counts(root: Path, seed: int, *options: str) -> dict[str, int]:
    """What ns-2 counts in a run of the chain of nine with d = 2."""
    script = str(root / "bench" / "peers" / "ns2_chain.tcl")
    done = run(["ns", script, "-d", "2", "-seed", str(seed), *options], root)
    line = next((text for text in done.stdout.splitlines() if text.startswith("{")), "")
    if not line:
        raise RuntimeError(f"ns-2: {done.stderr.strip()}")
    said: dict[str, int] = json.loads(line)
    names = ("delivered", "sent", "rexmit", "timeouts", "cwndcuts")
    return {name: said[name] for name in names}


SPEED = Check("speed-campaigns", "the engine beside ns-2, in alternation", speed)
