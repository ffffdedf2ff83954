"""Tables as files: what is written is read back, whatever the name and wherever memory lies."""

from __future__ import annotations

import io
import os

import polars
import pytest

from acklab.errors import InputError
from acklab.frames import as_bytes, as_files, read_table

TABLE = polars.DataFrame({"run": [0, 1, 2], "goodput_bps": [1.5, None, 0.1], "d": ["1", "2", "3"]})


def refused(*_):
    raise OSError(1, "not permitted")


@pytest.mark.parametrize("memory", ["the system's", "Python's"])
def test_both_files_hold_the_rows(memory, monkeypatch):
    if memory == "Python's":
        monkeypatch.setattr(os, "memfd_create", refused, raising=False)
    files = dict(as_files(TABLE, "table"))
    assert list(files) == ["table.csv", "table.parquet"]
    assert files["table.csv"].decode() == TABLE.write_csv()
    assert polars.read_parquet(files["table.parquet"]).equals(TABLE)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="no files in memory")
def test_polars_writes_into_a_file_of_the_system_where_that_may_be():
    asked = []

    def write(file):
        asked.append(isinstance(file, io.FileIO))
        file.write(b"x")

    assert as_bytes(write) == b"x"
    assert asked == [True]


def test_a_limit_for_files_is_none_for_memory():
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        files = dict(as_files(TABLE, "table"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files["table.csv"].decode() == TABLE.write_csv()
    assert polars.read_parquet(files["table.parquet"]).equals(TABLE)


def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="is a device, a pipe or a socket") as caught:
        read_table(tmp_path / "x.parquet", "a table")
    assert (caught.value.place, caught.value.accepted) == (str(tmp_path / "x.parquet"), "a table")


def test_options_go_to_polars():
    plain, small = (as_bytes(TABLE.write_parquet, **how) for how in ({}, {"statistics": False}))
    assert polars.read_parquet(small).equals(TABLE)
    assert len(small) < len(plain)


@pytest.mark.parametrize("folder", ["a*b", "a?b", "st[1]", "~", "file:", "http:", b"caf\xe9"])
def test_a_table_is_read_from_the_file_of_that_name_alone(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("aXb", 1), (folder, 3)):
        place = tmp_path / os.fsdecode(name)
        place.mkdir()
        (place / "x.parquet").write_bytes(as_bytes(TABLE.head(rows).write_parquet))
    path = (tmp_path / os.fsdecode(folder)).relative_to(tmp_path) / "x.parquet"
    assert read_table(path, "none").equals(TABLE)


def test_a_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file") as caught:
        read_table(tmp_path / "x.parquet", "a table")
    assert (caught.value.place, caught.value.accepted) == (str(tmp_path / "x.parquet"), "a table")
