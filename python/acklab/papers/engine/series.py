"""Figures of a sampled series: its largest value, its falls, and what a picture of it shows.

A series is one number a sample of a run's first flow, at a constant interval from time zero on. Not
here: how it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Array
from acklab.papers.engine.model import Sampled

OTHER = ("time_s", "flows", "sessions")
"""What a run's samples hold besides series of the whole network."""


def series_of(row: Mapping[str, Any], name: str) -> tuple[Array, Array]:
    """Times and values of a series of a run's first flow, or of the whole network."""
    samples = row.get("samples") or {}
    times = samples.get("time_s") or ()
    own: Mapping[str, Any] = next(iter(samples.get("flows") or ()), {})
    flow = {key: values for key, values in samples.items() if key not in OTHER} | dict(own)
    if not times or name not in flow:
        known = [*flow] if times else ["nothing: the scenario has no measure.sample"]
        raise PaperError("series", name, known, "no such series")
    return np.asarray(times, dtype=np.float64), np.asarray(flow[name], dtype=np.float64)


def figure_of(sampled: Sampled, row: Mapping[str, Any]) -> float:
    """The figure that a measure makes of its series in one run."""
    times, values = series_of(row, sampled.series)
    if sampled.what == "max":
        return float(values.max())
    if sampled.what == "p99":
        return float(np.quantile(values, 0.99))
    if sampled.what == "reaches":
        # A series that never gets there counts as one that gets there at the end.
        there = values >= sampled.band[0]
        return float(times[int(there.argmax()) if there.any() else -1])
    if sampled.what == "outside_after_handoff_s":
        low, high = sampled.band
        handoffs = row["samples"].get("handoffs") or ()
        if not handoffs:
            return math.nan
        outside = ((values < low) | (values > high)) & (times >= handoffs[0]["time_s"])
        return float(np.diff(times)[outside[:-1]].sum())
    falls = values[1:] < values[:-1]
    if sampled.what == "max_after_fall":
        # A series that never falls has no later part: its last value stands for it.
        return float(values[int(falls.argmax()) + 1 :].max() if falls.any() else values[-1])
    if sampled.what == "falls":
        return float(falls.sum())
    low, high = sampled.band
    # Where the series stood before a fall, not where the fall has brought it.
    inside = (values[:-1] >= low) & (values[:-1] <= high)
    spent = float(np.diff(times)[inside].sum())
    return float((falls & inside).sum() / spent) if spent else 0.0
