"""A folder with a small study in it, and the cache of studies out of the way."""

from pathlib import Path

from acklab.batch import execute
from acklab.store import code_identity
from acklab.study.cache import Cache
from acklab.study.campaign import Campaign
from acklab.study.index import Index

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


class OneByOne:
    """A backend that does each run when it is asked for it, and calls somebody before one."""

    workers = 1

    def __init__(self, at, call):
        self.done = 0
        self.at, self.call = at, call

    def run(self, jobs):
        for place, job in enumerate(jobs):
            self.done += 1
            if self.done == self.at:
                self.call()
            for _, record in execute([job], 1):
                yield [(place, record)]

    def close(self):
        pass


def start(study, backend):
    """A call to run a study in the folder `out`."""
    Path("out").mkdir(exist_ok=True)
    cache = Cache(code_identity())
    return Campaign(study.plan, study.points, Path("out"), backend, cache)


def begin_afresh(study):
    """What another process does first that runs the study with `fresh`."""
    index = Index(Path("out"), code_identity())
    index.forget(study.plan.seed, {point.key for point in study.points})
    index.close()
