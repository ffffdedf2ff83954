"""Nothing is lost: studies that are killed again and again, and a cluster that loses a worker."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import acklab
from acklab import door
from acklab.validate.model import SKIPPED, Check, Context, Row, verdict

SEED = 20261122

STUDY = """
title = "killed"
runs = 40
baseline = "every"

[scenario]
duration = "10 s"
topology = { kind = "chain", nodes = 5, spacing = "200 m" }
flow = [{ kind = "ftp", window = 8 }]

[grid]
"flow.window" = [2, 3, 5, 8, 20]

[variants.every]
"flow.ack" = "every"

[variants.third]
"flow.ack" = { policy = "delayed", count = 3, interval = "100 ms" }
"""

PROGRAM = "import acklab; acklab.Study.load('study.toml').run('killed')"
TABLES = ("table.csv", "table.parquet", "flows.csv", "points.csv", "comparison.csv")


def _tables(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES}


def kills(context: Context) -> list[Row]:
    """Kill a study at random instants, let it end, compare its tables; over and over."""
    wanted = 200 if context.full else 25
    draw = random.Random(SEED)
    done = studies = unequal = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        whole = _child(folder, "whole")
        if whole.wait() != 0:
            raise RuntimeError("the study does not run")
        expected = _tables(folder / "whole")
        while done < wanted:
            done += _killed_until_done(folder, draw, min(8, wanted - done))
            studies += 1
            unequal += _tables(folder / "killed") != expected
            for path in sorted((folder / "killed").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            context.say(f"{done} of {wanted} kills, {unequal} tables differ")
    figure = f"{done} kills over {studies} studies: {unequal} tables differ (seed {SEED})"
    name = f"{wanted} random kill -9 over a study"
    bar = "the final table identical to an uninterrupted one, each time"
    return [Row(name, figure, bar, verdict(unequal == 0))]


def _child(folder: Path, out: str) -> subprocess.Popen[bytes]:
    program = PROGRAM.replace("'killed'", repr(out))
    environment = os.environ | {"ACKLAB_CACHE": "off"}
    return subprocess.Popen([sys.executable, "-c", program], cwd=folder, env=environment)


def _killed_until_done(folder: Path, draw: random.Random, kills: int) -> int:
    """Start the study, kill it, start it again; the last time it may end. Returns the kills."""
    done = 0
    while True:
        child = _child(folder, "killed")
        try:
            # The first tenths are Python's own start, the rest is runs and writing.
            code = child.wait(draw.uniform(0.3, 2.5) if done < kills else None)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            done += 1
            continue
        if code != 0:
            raise RuntimeError(f"the study ended with {code}")
        return done


def cluster(_context: Context) -> list[Row]:
    """Run a study on two worker processes, kill one half-way, compare with a local run."""
    name = "a cluster of 2 dask workers on this machine, one killed half-way"
    bar = "same table as local"
    if find_spec("distributed") is None:
        return [Row(name, "none", bar, SKIPPED, f"needs dask: {door.extra('dask')}")]
    from distributed import Client

    killed: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        if _child(folder, "whole").wait() != 0:
            raise RuntimeError("the study does not run")
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
        with Client(n_workers=2, **options) as client:
            pids = list(client.run(os.getpid).values())

            def kill(state: acklab.study.StudyProgress) -> None:
                if 2 * state.done >= state.total and not killed:
                    killed.append(pids[0])
                    os.kill(pids[0], signal.SIGKILL)

            study = acklab.Study.load(folder / "study.toml")
            address = client.scheduler.address.replace("tcp://", "dask://")
            study.run(folder / "there", on=address, progress=kill, fresh=True)
        same = _tables(folder / "whole") == _tables(folder / "there")
    figure = f"{'the same' if same else 'another'} table; workers killed: {len(killed)}"
    return [Row(name, figure, bar, verdict(same and len(killed) == 1))]


KILLS = Check("kills", "kill -9 at random instants", kills)
CLUSTER = Check("cluster", "a dask cluster that loses a worker", cluster)
