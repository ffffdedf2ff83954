"""Files of a batch hold all numbers in one column, and nothing is lost by that."""

import math
import random
import struct
import tomllib
from pathlib import Path

import polars
import pytest

from acklab.study import Study, archive, campaign, packing
from acklab.study.packing import packed, unpacked
from acklab.study.rows import HEAD, KEY, PARTS

ODD = (0.0, -0.0, 1.0, 5e-324, -1e308, math.inf, -math.inf, 2.0**53 + 2.0, 0.1, None)

NAMES = ("n4", "n0", "values", "n6", "measures", "n1", "n5")
"""In no order: nor are those of a batch of several kinds of runs."""


def frame(rows, head, seed):
    """Rows with a head and seven numbers each, among them whatever a number can be."""
    draw = random.Random(seed)
    types = {**HEAD, **PARTS}
    told = {
        name: [draw.choice("ab") if kind == polars.String else place for place in range(rows)]
        for name, kind in types.items()
        if name in head
    }
    numbers = {name: [draw.choice(ODD) for _ in range(rows)] for name in NAMES}
    schema = {name: types[name] for name in told} | dict.fromkeys(numbers, polars.Float64)
    return polars.DataFrame(told | numbers, schema=schema)


def bits(rows):
    """What is in a frame, told apart to the last bit: zeros have signs."""
    return [
        [struct.pack("d", value) if isinstance(value, float) else value for value in row]
        for row in rows.iter_rows()
    ]


@pytest.mark.parametrize("rows", [1, 2, 80, 1000])
@pytest.mark.parametrize("head", [[*HEAD], [*KEY, "flow"], [*KEY, "flow", "time_s"]])
def test_what_was_packed_comes_back_to_the_last_bit(rows, head):
    seed = 20261126 + rows
    print(f"seed {seed}")
    before = frame(rows, head, seed)
    assert packed(before).columns == [*head, "measures", "values"]
    found = unpacked(packed(before))
    assert found.schema == before.schema
    assert bits(found) == bits(before)


def test_a_packed_frame_says_its_names_once():
    found = packed(frame(3, [*KEY, "flow"], 1))
    assert found.get_column("measures").to_list() == [[*NAMES], None, None]
    assert found.schema["values"] == polars.Array(polars.Float64, len(NAMES))


def test_many_rows_no_rows_and_no_numbers_are_left_as_they_are():
    rows = frame(1001, [*KEY, "flow"], 1)
    for same in (rows, rows.head(0), rows.select(*KEY)):
        assert packed(same).equals(same)
        assert packed(same).schema == same.schema


MIXED = """
title = "mixed"
runs = 3
keep = ["flows", "nodes", "samples"]
scenario = "chain.toml"
[variants.two]
flow = [{ kind = "ftp", window = 4 }, { kind = "ftp", window = 3 }]
[variants.cbr]
flow = [{ kind = "cbr", interval = "20 ms" }]
[variants.more]
"topology.nodes" = 4
[variants.sampled]
measure = { sample = "500 ms" }
"""


def _tables(folder):
    kinds = ("table", "points", "flows", "nodes", "samples")
    return {kind: Path(folder, f"{kind}.csv").read_bytes() for kind in kinds}


@pytest.mark.usefixtures("study_folder", "no_cache")
def test_batches_of_several_kinds_of_runs_make_the_same_tables_in_either_form(monkeypatch):
    Path("mixed.toml").write_text(MIXED)
    study = Study.load("mixed.toml")
    study.run("from memory", workers=1)
    variants = set(tomllib.loads(MIXED)["variants"])
    assert set(polars.read_csv("from memory/table.csv").get_column("variant")) == variants
    monkeypatch.setattr(campaign, "_ROWS_AT_HAND", 0)
    for few, form in ((1000, "in one column"), (0, "in a column each"), (30, "in both forms")):
        monkeypatch.setattr(packing, "_FEW", few)
        study.run(form, workers=1)
        assert _tables(form) == _tables("from memory")
    files = [polars.read_parquet(path) for path in Path("in both forms/batches").glob("*.parquet")]
    assert {"values" in file.columns for file in files} == {True, False}


def test_rows_of_both_forms_go_together(tmp_path, monkeypatch):
    rows = {"runs": frame(4, [*HEAD], 1)}
    first = archive.write(tmp_path, rows)
    monkeypatch.setattr(packing, "_FEW", 0)
    second = archive.write(tmp_path, {"runs": rows["runs"].with_columns(polars.col("run") + 4)})
    found = archive.read(tmp_path, [first.name, second.name], "runs", first.sums | second.sums)
    assert found.height == 8
    assert bits(found.head(4)) == bits(rows["runs"])
    assert bits(found.tail(4).drop("run")) == bits(rows["runs"].drop("run"))
