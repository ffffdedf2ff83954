"""Two rules that look at single transfers: their law, and whether all schemes drew the same.

They read the core's own record of transfers (`samples.sessions` of a run), not a mean over them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Array
from acklab.papers.engine.findings import SAID, Check, Finding, Measured, Met, all_met
from acklab.papers.engine.selection import Scope, select

LEVELS = {0.05: 1.358, 0.01: 1.628}
"""Kolmogorov's distribution: what √n D exceeds with that probability (n large)."""

SAME_S = 1e-6
"""Pauses are differences of times that are written with nanoseconds."""


def distribution_rule(scope: Scope, check: Check) -> Finding:
    """Do at least `draws` sizes lie within the Kolmogorov band of a law?"""
    law: Mapping[str, Any] = check["law"]
    if law.get("name") != "pareto":
        raise PaperError("law.name", law.get("name"), ["pareto"])
    level = float(check["level"])
    if level not in LEVELS:
        raise PaperError("level", level, map(str, LEVELS))
    rows: list[Measured] = []
    said = []
    for point in scope.fan_out(check):
        drawn = np.sort(np.concatenate([sizes for sizes, _ in _sessions(scope, check, point)]))
        enough = len(drawn) >= int(check["draws"])
        below = 1.0 - (float(law["least"]) / np.maximum(drawn, float(law["least"]))) ** float(
            law["shape"]
        )
        steps = np.arange(len(drawn) + 1) / len(drawn)
        apart = float(max((steps[1:] - below).max(), (below - steps[:-1]).max()))
        limit = LEVELS[level] / float(np.sqrt(len(drawn)))
        met: Met = bool(apart <= limit) if enough else None
        rows.append(Measured("largest distance of the distributions", apart, None, None, 0, met))
        said.append(f"{len(drawn)} draws, largest distance {apart:.5f}, band {limit:.5f}")
    met = all_met([row.met for row in rows])
    return Finding(met, f"{'; '.join(said)}: {SAID[met]}", tuple(rows))


def same_sessions_rule(scope: Scope, check: Check) -> Finding:
    """In each run: are the k-th size and the k-th pause the same at all points?"""
    points = scope.fan_out(check)
    every = [_sessions(scope, check, point) for point in points]
    shortest = min(len(runs) for runs in every)
    same, compared = 0, 0
    for run, (one, other) in itertools.product(range(shortest), itertools.pairwise(every)):
        for mine, theirs, within in zip(one[run], other[run], (0.0, SAME_S), strict=True):
            shared = min(len(mine), len(theirs))
            compared += 1
            same += bool(np.all(np.abs(mine[:shared] - theirs[:shared]) <= within))
    met = compared > 0 and same == compared
    least = min(len(sizes) for runs in every for sizes, _ in runs)
    reason = (
        f"{same} of {compared} neighbours have the same sizes or pauses, "
        f"{least} transfers or more a run: {SAID[met]}"
    )
    row = Measured(
        "same sizes and pauses", same / max(1, compared), None, None, shortest, met, True
    )
    return Finding(met, reason, (row,))


def _sessions(
    scope: Scope, check: Check, point: Mapping[str, Any]
) -> Sequence[tuple[Array, Array]]:
    """Sizes and pauses of each run at a point."""
    chosen = select(scope, check["cells"]["a"], point, "")
    ((experiment, cell),) = chosen.cells()
    rows = scope.results.experiments[experiment].rows[cell]
    return [_of(rows[run]) for run in sorted(rows)]


def _of(row: Mapping[str, Any]) -> tuple[Array, Array]:
    sessions = (row.get("samples") or {}).get("sessions") or ()
    if not sessions:
        raise PaperError("samples.sessions", "nothing", ["a scenario with short transfers"])
    first = sessions[0]
    starts = np.asarray(first["start_s"], dtype=np.float64)
    delays = np.array([np.nan if d is None else d for d in first["delay_s"]], dtype=np.float64)
    return np.asarray(first["bytes"], dtype=np.float64), starts[1:] - starts[:-1] - delays[:-1]
