"""The numbers of rows in one column, as files of a batch hold them, and in a column each.

Polars' writer estimates of each column how many different values it has, which takes as long for
one row as for a thousand: 169 columns took 11 ms of a processor to write so, and take 1. The one
invariant: unpacked is what was packed, to the last bit, of frames that `acklab.study.rows` makes,
in which every number is a float or no value and never NaN. The form is part of what
`acklab.store.code_identity` tells: no file of another form is read.
"""

from __future__ import annotations

import polars

from acklab.study.rows import HEAD, PARTS, columns

__all__ = ["packed", "unpacked"]

_FEW = 1000
"""From some 1 500 rows on a column for each number takes less time to write and read back, and from
1 000 on it is smaller where most numbers are zero, as those of nodes are."""

_HEAD = {*HEAD, *PARTS}
_NAMES, _VALUES = "measures", "values"
"""What a packed frame has besides the head: the names, in the first row alone, and the numbers of
each row in that order, where what a run does not tell is not a number."""


def packed(frame: polars.DataFrame) -> polars.DataFrame:
    """Return a frame with all its numbers in one column; as it is with many rows or no number."""
    # Frames are made anew: to choose from so many columns of one takes twice as long.
    numbers = [series for series in frame if series.name not in _HEAD]
    if not numbers or not 0 < frame.height <= _FEW:
        return frame
    names = [[series.name for series in numbers], *[None] * (frame.height - 1)]
    packed_names = polars.Series(_NAMES, names, polars.List(polars.String))
    values = polars.Series(_VALUES, polars.DataFrame(numbers).to_numpy(order="c"))
    head = [series for series in frame if series.name in _HEAD]
    return polars.DataFrame([*head, packed_names, values])


def unpacked(frame: polars.DataFrame) -> polars.DataFrame:
    """Return a frame with each number in a column of its own; as it is if it was not packed."""
    if not isinstance(frame.schema.get(_VALUES), polars.Array):
        return frame
    numbers = frame.get_column(_VALUES).to_numpy()
    names = frame.get_column(_NAMES)[0].to_list()
    head = [series for series in frame if series.name not in (_NAMES, _VALUES)]
    return polars.DataFrame(head + columns(numbers, names))
