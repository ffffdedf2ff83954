"""Optimally paced UDP: the best spacing of 7 hops, and the whole curve against ns-2's."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from acklab import papers, search
from acklab.validate.elrakabawy2005.network import measured, paced_chain
from acklab.validate.model import Check, Context, Row, verdict

CLOSE = 0.10
SHARE = 0.8


def best_spacing(context: Context) -> list[Row]:
    """The search's answer at 7 hops, 2 Mbit/s; the paper's warm-up is its first 10 000 packets."""
    chain = paced_chain(7, 36.0, duration="720 s", measure={"from": "360 s"})
    runs = 16 if context.full else 8
    best = search.best_spacing(
        chain, low_ms=29.0, high_ms=44.0, runs=runs, seed=2005, workers=context.workers
    )
    spacing = Row(
        "paced UDP, 7 hops at 2 Mbit/s: best spacing",
        f"{best.value:.1f} ms, not told from {best.low:.1f} to {best.high:.1f} ms",
        "35.0 to 36.5 ms",
        verdict(35.0 <= best.value <= 36.5),
        detail=[
            ["ms", "kbit/s", "runs", "score, kbit/s"],
            *(
                [
                    f"{c.value:.2f}",
                    f"{c.estimate.mean / 1e3:.1f} ± {(c.estimate.half_width or 0.0) / 1e3:.1f}",
                    str(c.estimate.n),
                    f"{c.score / 1e3:.1f}",
                ]
                for c in best.tried
            ),
        ],
    )
    rate = best.estimate.mean / 1e3
    half = (best.estimate.half_width or 0.0) / 1e3
    goodput = Row(
        "paced UDP, 7 hops at 2 Mbit/s: goodput there, on fresh runs",
        f"{rate:.1f} ± {half:.1f} kbit/s",
        "320 to 330 kbit/s",
        verdict(320.0 <= rate <= 330.0),
    )
    return [spacing, goodput]


def reference() -> dict[float, list[float]]:
    """ns-2's goodput in packets a second, by spacing in ms."""
    folder = papers.load("elrakabawy2005").folder
    path = Path(folder) / "reference" / "ns2-paced-udp-7hop.csv"
    found: dict[float, list[float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(float(row["gap_ms"]), []).append(float(row["goodput_pps"]))
    return dict(sorted(found.items()))


def curve(context: Context) -> list[Row]:
    """Every spacing that ns-2 was run at: our mean near theirs, or theirs within our runs."""
    theirs = reference()
    runs = 12 if context.full else 6
    scenarios = [paced_chain(7, spacing) for spacing in theirs]
    ours = measured(context, scenarios, runs, "goodput_pps")
    lines = [["ms", "ours (pk/s)", "our runs", "ns-2", "ratio", "agrees"]]
    good = 0
    for (spacing, other), sample in zip(theirs.items(), ours, strict=True):
        mean, centre = float(np.mean(sample)), float(np.mean(other))
        ratio = mean / centre
        # Beside the cliff a run is in one of two states, so a mean of two runs says little.
        inside = all(0.98 * min(sample) <= x <= 1.02 * max(sample) for x in other)
        agrees = abs(ratio - 1.0) <= CLOSE or inside
        good += agrees
        spread = f"{min(sample):.1f} to {max(sample):.1f}"
        cells = ", ".join(f"{x:.1f}" for x in other)
        lines.append(
            [
                f"{spacing:g}",
                f"{mean:.2f}",
                spread,
                cells,
                f"{ratio:.3f}",
                "yes" if agrees else "no",
            ]
        )
    return [
        Row(
            f"paced UDP, 7 hops: curve against ns-2, {len(theirs)} spacings, {runs} runs each",
            f"{good} within ±{CLOSE:.0%}, or ns-2's runs within the range of ours",
            f"at least {SHARE:.0%}",
            verdict(good >= SHARE * len(theirs)),
            detail=lines,
        )
    ]


PACED = Check("paced", "Optimally paced UDP, 7 hops", best_spacing)
CURVE = Check("paced-curve", "Paced UDP over the spacing, against ns-2", curve)
