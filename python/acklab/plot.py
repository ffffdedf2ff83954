"""Pictures of studies in the house style: means with intervals, legible in print.

acklab.plot.curves(result, x="flow.window").save("goodput.svg")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acklab import store
from acklab.errors import InputError
from acklab.result import measure_info

if TYPE_CHECKING:
    from acklab.study import StudyResult

__all__ = ["Picture", "curves"]


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawn figure; a notebook shows it by itself.

    Attributes:
        data: the file's bytes by ending, ``svg`` and ``png``.
    """

    data: Mapping[str, bytes]

    def save(self, path: str | Path) -> Path:
        """Write the picture; the ending says how: ``.svg`` or ``.png``.

        Raises:
            InputError: there is no such kind of picture.
            OutputError: the file cannot be written.
        """
        path = Path(path)
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
) -> Picture:
    """Draw one curve per value of ``by`` over the label ``x``, each point with its 95 % interval.

    Args:
        result: a study, or the part of it that `StudyResult.where` leaves.
        x: a label with positive numbers, such as ``flow.window``; the axis is logarithmic.
        measure: what is drawn.
        by: the label that makes curves; by default ``variant`` where there is one.
        x_label: the axis's own words; by default the label.
        y_label: by default the measure with its unit.

    Raises:
        InputError: no such label or measure, values that are no positive numbers, or further
            labels that would put several points on one spot.
    """
    from acklab.figures import Panel, draw_curves
    from acklab.figures.curves import Labels

    by = by or ("variant" if "variant" in result.labels else None)
    for place, label in (("x", x), ("by", by)):
        if label is not None and label not in result.labels:
            raise InputError("is no label", place, label, ", ".join(result.labels) or "none")
    points = result.points(measure)
    _check_spots(result, x, by)
    values = points.get_column(x)
    if not values.dtype.is_numeric() or values.min() <= 0:  # type: ignore[operator]
        raise InputError("has values that are no positive numbers", "x", x, "a label with numbers")
    rows = [
        {
            "x": row[x],
            "series": row[by] if by else "",
            "mean": row["mean"],
            "low": row["low"],
            "high": row["high"],
            "warnings": 0,
        }
        for row in points.iter_rows(named=True)
    ]
    info = measure_info().get(measure)
    unit = f" ({info.unit})" if info and info.unit else ""
    words = Labels(x_label or x, y_label or f"{measure}{unit}", by or measure)
    return Picture(draw_curves([Panel(rows)], "x", "series", words))


def _check_spots(result: StudyResult, x: str, by: str | None) -> None:
    for label in result.labels:
        if label not in (x, by) and result.table.get_column(label).n_unique() > 1:
            accepted = f"result.where({{{label!r}: …}}) first"
            raise InputError("still has several values", "result", label, accepted)
