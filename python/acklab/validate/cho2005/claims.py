"""The paper reproduced: its table of variants with intervals, and the verdict of each claim."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import polars as pl

from acklab import papers
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.report.cells import tally
from acklab.validate.model import Check, Context, Row, verdict

KEY = "cho2005"
CLAIMS_OF_THE_PAPER = 122
LIMIT_MIN = {"quick": 4.0, "full": 10.0}
ITEMS = ("goodput", "timeouts", "losses", "reroute")
"""The items whose values make the table of variants."""
MEASURES = ("goodput_pps", "timeouts_per_handoff", "lost_per_handoff", "reroute_mean_s")
"""The same as measures, for paired differences."""
HANDOFFS, SEEDS = 30, 20
"""A point of the full setting has as many handoffs and seeds at least."""


def _reproduced(context: Context, mode: str) -> list[Row]:
    started = time.monotonic()
    made = papers.reproduce(
        KEY, mode=mode, out=context.folder / f"{KEY}-{mode}", workers=context.workers, fresh=True
    )
    minutes = (time.monotonic() - started) / 60.0
    silent = [claim.id for claim in made.claims if not claim.reason]
    spoken = len(made.claims) - len(silent)
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    failed = sum(note.code == "failed" for note in made.warnings)
    full_only = [sizes(made.results)] if mode == "full" else []
    return [
        *full_only,
        Row(
            f"acklab reproduce {KEY} --{mode}: {len(made.items)} items, {made.runs} runs",
            f"{minutes:.1f} min on {context.workers} cores, {failed} failed runs",
            f"under {LIMIT_MIN[mode]:g} min",
            verdict(minutes <= LIMIT_MIN[mode] and failed == 0),
            detail=_variants(made),
        ),
        Row(
            f"claims of {KEY} with a verdict or a reason ({mode})",
            f"{spoken} of {len(made.claims)}: {counts}",
            f"all {CLAIMS_OF_THE_PAPER}; those that wait for a machine say for which",
            verdict(spoken == len(made.claims) == CLAIMS_OF_THE_PAPER),
            detail=[
                ["claim", "verdict", "why"],
                *([claim.id, claim.verdict, claim.reason] for claim in made.claims),
            ],
        ),
    ]


def _variants(made: Reproduction) -> list[list[str]]:
    """Each variant without and with pacing, and the difference over the same runs."""
    lines = [["variant", "ACK Pacing", *ITEMS]]
    first = made.tables[ITEMS[0]]
    for name in first["variant"].unique(maintain_order=True):
        for series in first["entry"].unique(maintain_order=True):
            cells = [_cell(made.tables[item], name, series) for item in ITEMS]
            lines.append([str(name), str(series), *cells])
        lines.append([str(name), "difference, paired", *(_paired(made, m, name) for m in MEASURES)])
    return lines


def _paired(made: Reproduction, measure: str, variant: str) -> str:
    """With minus without pacing over the runs that both have, with its interval."""
    check = {"cells": {"a": {"pacing": "with"}, "b": {"pacing": "without"}}, "quantity": "a - b"}
    scope = Scope(made.results, "roads")
    found = quantity(scope, check | {"measure": measure}, {"variant": variant})
    low, high = found.interval()
    return f"{found.value:+.3g} [{low:+.3g}, {high:+.3g}]"


def _cell(table: pl.DataFrame, name: str, series: str) -> str:
    row = table.filter(pl.col("variant") == name, pl.col("entry") == series).row(0, named=True)
    return f"{row['mean']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"


def sizes(results: Results) -> Row:
    """Handoffs and seeds of each point of each experiment whose mobile goes between stations."""
    fewest: dict[str, tuple[int, int]] = {}
    for key, data in results.experiments.items():
        if not _hands_off(data.experiment.scenario):
            continue
        for rows in data.rows.values():
            samples = [row.get("samples") or {} for row in rows.values()]
            handoffs = sum(len(sample.get("handoffs", ())) for sample in samples)
            known = fewest.get(key, (handoffs, len(rows)))
            fewest[key] = (min(known[0], handoffs), min(known[1], len(rows)))
    handoffs, seeds = (min(counts[i] for counts in fewest.values()) for i in (0, 1))
    return Row(
        "handoffs and seeds of a point (full)",
        f"at least {handoffs} handoffs, {seeds} seeds",
        f"{HANDOFFS} handoffs, {SEEDS} seeds",
        verdict(handoffs >= HANDOFFS and seeds >= SEEDS),
        detail=[["experiment", "handoffs", "seeds"]]
        + [[key, str(h), str(s)] for key, (h, s) in fewest.items()],
    )


def _hands_off(scenario: Mapping[str, Any]) -> bool:
    """Does the mobile turn at the right station (at rest or in a tunnel it does not)?"""
    motion = scenario["cells"]["mobile"][0]["motion"]
    return bool(motion.get("to") == scenario["cells"]["station"][1]["position"])


def quick(context: Context) -> list[Row]:
    """The quick setting."""
    return _reproduced(context, "quick")


def full(context: Context) -> list[Row]:
    """At least 30 handoffs and 20 seeds a point of the paper's own comparison."""
    return _reproduced(context, "full")


CLAIMS = Check("cho-claims", "The paper reproduced, quick", quick)
FULL = Check("cho-claims-full", "The paper reproduced, full", full, full_only=True)
