"""Files of a batch hold all numbers in one column, and nothing is lost by that."""

import math
import random
import struct

import polars
import pytest

from acklab.study import archive
from acklab.study.packing import packed, unpacked
from acklab.study.rows import HEAD, KEY, PARTS

ODD = (0.0, -0.0, 1.0, 5e-324, -1e308, math.inf, -math.inf, 2.0**53 + 2.0, 0.1, None)


def frame(rows, head, seed):
    """Rows with a head and seven numbers each, among them whatever a number can be."""
    draw = random.Random(seed)
    types = {**HEAD, **PARTS}
    told = {
        name: [draw.choice("ab") if kind == polars.String else place for place in range(rows)]
        for name, kind in types.items()
        if name in head
    }
    numbers = {f"n{number}": [draw.choice(ODD) for _ in range(rows)] for number in range(7)}
    schema = {name: types[name] for name in told} | dict.fromkeys(numbers, polars.Float64)
    return polars.DataFrame(told | numbers, schema=schema)


def bits(rows):
    """What is in a frame, told apart to the last bit: zeros have signs."""
    return [
        [struct.pack("d", value) if isinstance(value, float) else value for value in row]
        for row in rows.iter_rows()
    ]


@pytest.mark.parametrize("rows", [1, 2, 80, 2000])
@pytest.mark.parametrize("head", [[*HEAD], [*KEY, "flow"], [*KEY, "flow", "time_s"]])
def test_what_was_packed_comes_back_to_the_last_bit(rows, head):
    seed = 20261126 + rows
    print(f"seed {seed}")
    before = frame(rows, head, seed)
    found = unpacked(packed(before))
    assert found.schema == before.schema
    assert bits(found) == bits(before)


def test_a_packed_frame_says_its_names_once():
    before = frame(3, [*KEY, "flow"], 1)
    found = packed(before)
    assert found.columns == [*KEY, "flow", "measures", "values"]
    names = [f"n{number}" for number in range(7)]
    assert found.get_column("measures").to_list() == [names, None, None]
    assert found.schema["values"] == polars.Array(polars.Float64, 7)


def test_no_rows_and_no_numbers_are_left_as_they_are():
    rows = frame(3, [*KEY, "flow"], 1)
    for nothing in (rows.head(0), rows.select(*KEY)):
        assert packed(nothing).equals(nothing)
        assert packed(nothing).schema == nothing.schema


def test_a_batch_of_an_older_acklab_has_a_column_for_each_number(tmp_path, monkeypatch):
    rows = {"runs": frame(4, [*HEAD], 1), "flows": frame(6, [*KEY, "flow"], 2)}
    rows["flows"] = rows["flows"].with_columns(flow=polars.Series([0, 1, 2, 3, 4, 5]))
    new = archive.write(tmp_path, rows)
    monkeypatch.setattr(archive, "packed", lambda frame: frame)
    old = archive.write(tmp_path, rows)
    assert len(polars.read_parquet(tmp_path / f"batches/{new.name}.parquet").columns) == 10
    assert len(polars.read_parquet(tmp_path / f"batches/{old.name}.parquet").columns) == 15
    for kind, wanted in rows.items():
        for batch in (new, old):
            assert bits(archive.read(tmp_path, [batch.name], kind, batch.sums)) == bits(wanted)
        # Both in one study: each run counts once.
        both = archive.read(tmp_path, [old.name, new.name], kind, {})
        assert bits(both) == bits(wanted)
