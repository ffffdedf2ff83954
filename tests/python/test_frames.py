"""Tables as files: both kinds hold the same rows, and what the system refuses has its number."""

from __future__ import annotations

import errno
from pathlib import Path

import polars
import pytest

from acklab.frames import TABLE_ENDINGS, read_table, write_table

TABLE = polars.DataFrame({"run": [0, 1, 2], "goodput_bps": [1.5, None, 0.1], "d": ["1", "2", "3"]})


def test_both_files_hold_the_rows_and_replace_what_was_longer(tmp_path):
    for ending in TABLE_ENDINGS:
        (tmp_path / "x").write_bytes(b"before" * 10_000)
        write_table(TABLE, tmp_path / "x", ending)
        read = polars.read_csv if ending == "csv" else polars.read_parquet
        assert read(tmp_path / "x").cast(dict(TABLE.schema)).equals(TABLE)
    assert read_table(tmp_path / "x", "none").equals(TABLE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_a_full_disk_is_an_error_of_the_system(ending):
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_table(TABLE, Path("/dev/full"), ending)
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_a_folder_that_is_not_there_is_an_error_of_the_system(ending, tmp_path):
    with pytest.raises(FileNotFoundError):
        write_table(TABLE, tmp_path / "nowhere" / "x", ending)


def test_a_name_that_is_no_text_serves(tmp_path):
    path = tmp_path / b"caf\xe9".decode(errors="surrogateescape")
    write_table(TABLE, path, "parquet")
    assert path.read_bytes()[:4] == b"PAR1"
