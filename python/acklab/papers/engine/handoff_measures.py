"""Measures made of each run's handoffs: a share, a median, a sum over what is noted of each.

| `what` | what it is |
| --- | --- |
| `mean`, `median`, `q25`, `q75`, `max` | of the field, over the handoffs that have it |
| `share` | of all handoffs that are looked at: the field is there and within `band` |
| `sum`, `count` | of the field; of the handoffs that have it |

`where` picks handoffs: a field within [low, high]. Invariant: made from the samples alone; a run
without such a handoff has no mean (not a number), and a sum of zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.model import PerHandoff
from acklab.papers.engine.tables import Table

FIGURES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: float(np.mean(values)),
    "median": lambda values: float(np.median(values)),
    "q25": lambda values: float(np.quantile(values, 0.25)),
    "q75": lambda values: float(np.quantile(values, 0.75)),
    "max": lambda values: float(np.max(values)),
}
OF_ALL = ("share", "sum", "count")
WHAT = (*FIGURES, *OF_ALL)


def per_handoff_figure(measure: PerHandoff, row: Mapping[str, Any]) -> float:
    """The figure of one run."""
    handoffs = (row.get("samples") or {}).get("handoffs") or ()
    looked_at = [entry for entry in handoffs if _is_meant(measure, entry)]
    values = [float(v) for entry in looked_at if (v := _field(measure, entry)) is not None]
    if measure.what == "sum":
        return float(sum(values))
    if measure.what == "count":
        return float(len(values))
    if measure.what == "share":
        low, high = measure.band
        met = sum(low <= value <= high for value in values)
        return met / len(looked_at) if looked_at else math.nan
    return FIGURES[measure.what](values) if values else math.nan


def _is_meant(measure: PerHandoff, handoff: Mapping[str, Any]) -> bool:
    for name, (low, high) in measure.where.items():
        value = handoff.get(name)
        if value is None or not low <= value <= high:
            return False
    return True


def _field(measure: PerHandoff, handoff: Mapping[str, Any]) -> Any:
    if measure.of not in handoff:
        raise PaperError("per_handoff.field", measure.of, sorted(handoff), "no such field")
    return handoff[measure.of]


def read_per_handoff(t: Table) -> PerHandoff:
    """One measure of the folder."""
    measure = PerHandoff(
        key=t.take("key", str),
        label=t.take("label", str),
        of=t.take("field", str),
        what=t.take("what", str),
        band=tuple(float(v) for v in t.take("band", list, [])),
        where={k: (float(v[0]), float(v[1])) for k, v in t.take("where", dict, {}).items()},
    )
    t.done()
    if measure.what not in WHAT:
        raise PaperError(f"{t.place}.what", measure.what, WHAT, "no such figure of handoffs")
    if len(measure.band) != (2 if measure.what == "share" else 0):
        raise PaperError(f"{t.place}.band", measure.band, "[low, high] with share, else none")
    return measure
