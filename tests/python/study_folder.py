"""A folder with a small study in it, and the cache of studies out of the way."""

from pathlib import Path

BASE = """
duration = "3 s"
[topology]
kind = "chain"
nodes = 3
spacing = "200 m"
[[flow]]
kind = "ftp"
window = 4
"""

STUDY = """
title = "thin"
scenario = "chain.toml"
runs = 3
baseline = "every"

[grid]
flow.window = [2, 8]

[variants.every]
"flow.ack" = "every"

[variants.third]
"flow.ack" = { policy = "delayed", count = 3, interval = "100 ms" }
"""


def edited(*changes: tuple[str, str]) -> Path:
    text = STUDY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("study.toml").write_text(text)
    return Path("study.toml")


def tables(folder: Path) -> dict[str, bytes]:
    names = ("table.csv", "table.parquet", "flows.csv", "points.csv", "comparison.csv")
    return {name: (folder / name).read_bytes() for name in names}
