"""Pictures of studies in the house style: means with intervals, legible in print.

acklab.plot.curves(result, x="flow.window").save("goodput.svg")
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acklab import arguments, store
from acklab.errors import InputError
from acklab.measures import measure_info

if TYPE_CHECKING:
    import polars

    from acklab.figures.curves import XAxis
    from acklab.study import StudyResult

__all__ = ["Picture", "curves"]

_QUANTITY = re.compile(r"\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(\D.*?)\s*\Z", re.IGNORECASE)
# Numbers that span a factor of so much are seen better on a logarithmic axis.
_LOG_FROM = 10.0
_LOG = logging.getLogger("acklab")


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawn figure; a notebook shows it by itself.

    Attributes:
        data: the file's bytes by ending: ``svg``, ``pdf``, ``png``.
    """

    data: Mapping[str, bytes]

    def save(self, path: str | Path) -> Path:
        """Write the picture; the ending says how: ``.svg``, ``.pdf`` or ``.png``.

        Raises:
            InputError: there is no such kind of picture.
            OutputError: the file cannot be written.
        """
        path = arguments.path(path, "the path of a new file")
        ending = path.suffix.removeprefix(".")
        if ending not in self.data:
            accepted = ", ".join(f".{known}" for known in self.data)
            raise InputError("is no kind of picture", str(path), path.suffix, accepted)
        with store.new_file(path) as new:
            new.write_bytes(self.data[ending])
        return path

    def _repr_svg_(self) -> str:
        return self.data["svg"].decode()


def curves(
    result: StudyResult,
    x: str,
    measure: str = "goodput_pps",
    by: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    x_scale: Literal["linear", "log"] | None = None,
) -> Picture:
    """Draw one curve per value of ``by`` over the label ``x``, each point with its 95 % interval.

    Markers of different curves stand a little aside from each other: the value is that of the tick.
    A red ring marks points whose runs carry warnings (`StudyResult.warned`).

    Args:
        result: a study, or the part of it that `StudyResult.where` leaves.
        x: a label: numbers (``flow.window``), quantities of one unit (``"150 m"``; the unit then
            stands at the axis), or anything else, side by side in the study's order, with no
            line from one to the next.
        measure: what is drawn.
        by: the label that makes curves; by default ``variant`` where there is one. What has no
            value of the measure at any point is left out, with a warning in the log.
        x_label: the axis's own words; by default the label.
        y_label: by default the measure with its unit.
        x_scale: ``"linear"`` or ``"log"``; by default logarithmic where positive numbers span a
            factor of ten or more.

    Raises:
        InputError: no such label, further labels that would put several points on one spot, or
            values that have no place on a logarithmic axis that was asked for.
        MeasureError: there is no such measure, or no run has a value of it.
    """
    from acklab.figures import Panel, draw_curves
    from acklab.figures.curves import Labels
    from acklab.study import StudyResult

    if not isinstance(result, StudyResult):
        accepted = "the result of acklab.Study.run"
        raise InputError("is no result of a study", "result", repr(result), accepted)
    _check_words(x_label=x_label, y_label=y_label)
    by = by or ("variant" if "variant" in result.labels else None)
    by = None if by == x else by  # what stands under the axis already
    _check_labels(result, x=x, **({} if by is None else {"by": by}))
    points = result.points(measure)
    _check_spots(result, x, by)
    spot = (x,) if by is None else (x, by)
    _tell_missing(result, points, spot, measure)
    values = points.get_column(x).unique(maintain_order=True).to_list()
    axis, places, x_unit = _axis(values, x_scale)
    rows = [
        {
            "x": places[row[x]],
            "series": row[by] if by else measure,
            **{name: row[name] for name in ("mean", "low", "high", "warnings")},
        }
        for row in _marked(points, result, spot)
    ]
    said = (x_label or f"{x}{x_unit}", y_label or _with_unit(measure))
    words = Labels(*said, _naming(by, rows[0]["series"]))
    return Picture(draw_curves([Panel(rows)], "x", "series", words, axis=axis))


def _marked(
    points: polars.DataFrame, result: StudyResult, spot: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the points, and whether runs of them carry warnings."""
    warned = set(result.warned().select(spot).iter_rows())
    for row in points.iter_rows(named=True):
        yield row | {"warnings": tuple(row[name] for name in spot) in warned}


def _naming(by: str | None, first: Any) -> str:
    """Return how a legend names curves: names and quantities speak for themselves."""
    if by is None:
        return ""
    return "{}" if isinstance(first, str) else f"{by.rpartition('.')[2]} = {{}}"


def _tell_missing(
    result: StudyResult, points: polars.DataFrame, labels: Sequence[str], measure: str
) -> None:
    """Tell in the log which values of a label have none of the measure, if others have."""
    for label in labels:
        there = set(points.get_column(label))
        every = result.table.get_column(label).unique(maintain_order=True)
        if missing := [str(value) for value in every if value not in there]:
            _LOG.warning("no value of %s for %s %s: not drawn", measure, label, ", ".join(missing))


def _with_unit(measure: str) -> str:
    """Return a measure with its unit; one without a dimension is a bare number."""
    info = measure_info().get(measure)
    return f"{measure} ({info.unit})" if info and info.unit not in ("", "1") else measure


def _check_words(**words: object) -> None:
    for place, said in words.items():
        if not isinstance(said, str | None):
            raise InputError("are no words", place, repr(said), "a text")


def _check_labels(result: StudyResult, **labels: object) -> None:
    for place, label in labels.items():
        if label not in result.labels:
            raise InputError("is no label", place, str(label), ", ".join(result.labels) or "none")


def _axis(values: Sequence[Any], scale: str | None) -> tuple[XAxis, dict[Any, float], str]:
    """Return the axis for these labels, each one's value on it, and their unit."""
    from acklab.figures.curves import XAxis

    if scale not in (None, "linear", "log"):
        raise InputError("is no kind of axis", "x_scale", repr(scale), "linear, log")
    numbers, unit = _numbers(values)
    if numbers is None:
        if scale is not None:
            accepted = "a label with numbers, or quantities of one unit"
            raise InputError("has values that are no numbers", "x", repr(values[0]), accepted)
        names = tuple(str(value) for value in values)
        places = {value: float(place) for place, value in enumerate(values)}
        return XAxis(tuple(places.values()), names=names), places, ""
    ordered = tuple(sorted(set(numbers)))
    if scale == "log" and ordered[0] <= 0.0:
        raise InputError("has no place on a logarithmic axis", "x", f"{ordered[0]:g}", "above 0")
    spans = ordered[0] > 0.0 and ordered[-1] >= _LOG_FROM * ordered[0]
    linear = not spans if scale is None else scale == "linear"
    # An axis of one's own is what was asked for, from end to end.
    return XAxis(ordered, linear, breaks=False), dict(zip(values, numbers, strict=True)), unit


def _numbers(values: Sequence[Any]) -> tuple[list[float] | None, str]:
    """Return labels as numbers, with their unit in brackets; ``None`` where they are names."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], ""
    found = [_QUANTITY.match(value) if isinstance(value, str) else None for value in values]
    units = {match[2] if match else None for match in found}
    if len(units) != 1 or None in units:
        return None, ""
    try:
        return [float(match[1]) for match in found if match], f" ({units.pop()})"
    except ValueError:
        return None, ""


def _check_spots(result: StudyResult, x: str, by: str | None) -> None:
    for label in result.labels:
        if label not in (x, by) and result.table.get_column(label).n_unique() > 1:
            accepted = f"result.where({{{label!r}: …}}) first"
            raise InputError("still has several values", "result", label, accepted)
