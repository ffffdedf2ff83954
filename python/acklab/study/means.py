"""The means of a study's points, with their intervals.

Of thousands of points or of a thousand runs: the one invariant is that each mean is what
`acklab.stats.mean` says of the point's finite values, to the last digit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from acklab import stats
from acklab.measures import measure_info

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

__all__ = ["is_wide", "summary"]


def summary(
    table: polars.DataFrame,
    labels: Sequence[str],
    measures: Sequence[str],
    confidence: float = 0.95,
) -> polars.DataFrame:
    """Return one row per point and measure: labels, measure, mean, low, high, n, unit."""
    import polars

    # One array, not a frame for each point: a study may have thousands of points of few runs.
    if not table.get_column("point").is_sorted():
        table = table.sort("point", maintain_order=True)
    numbers = table.select(polars.col(measures).cast(polars.Float64)).to_numpy()
    finite, something = np.isfinite(numbers), numbers != 0.0
    counts = table.get_column("point").rle().struct.field("len").to_list()
    known = measure_info()
    units = [known[name].unit if name in known else "" for name in measures]
    rows: list[tuple[Any, ...]] = []
    for place, count in zip(itertools.accumulate(counts, initial=0), counts, strict=False):
        named = table.select(labels).row(place) if labels else ()
        # Most measures of most networks count what never happens there.
        nothing = stats.mean([0.0] * count, "", confidence)
        here = slice(place, place + count)
        found = _means(numbers[here], finite[here], something[here], nothing)
        for measure, unit, one in zip(measures, units, found, strict=True):
            if one is not None:
                rows.append((*named, measure, one.mean, one.low, one.high, one.n, unit))
    schema: dict[str, Any] = {name: table.schema[name] for name in labels}
    schema |= {"measure": polars.String, "mean": polars.Float64, "low": polars.Float64}
    schema |= {"high": polars.Float64, "n": polars.Int64, "unit": polars.String}
    return polars.DataFrame(rows, schema=schema, orient="row")


def is_wide(row: Mapping[str, Any], share: float) -> bool:
    """Whether a row of `summary` has an interval wider than ± this share of its mean."""
    low, high = row["low"], row["high"]
    return low is not None and bool((high - low) / 2 > share * abs(row["mean"]))


def _means(
    runs: npt.NDArray[np.float64],
    finite: npt.NDArray[np.bool_],
    something: npt.NDArray[np.bool_],
    nothing: stats.Estimate,
) -> Iterator[stats.Estimate | None]:
    """Yield the mean of each column: ``nothing`` of zeros, ``None`` where no value is finite."""
    for column, told, some in zip(runs.T, finite.T, something.T, strict=True):
        if not some.any():
            yield nothing
        elif not told.any():
            yield None
        else:
            yield stats.mean_of_array(column[told], nothing.confidence)
