"""The 180 means of the reference against ours: throughput by delay, losses and scheme."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from acklab.papers.engine.estimate import Estimate, mean
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.vaidya1999 import network

QUICK_RUNS, FULL_RUNS = 12, 48
WITHIN, ALL_WITHIN, SHARE = 0.05, 0.12, 0.90


@dataclass(frozen=True)
class Point:
    """A row of the reference."""

    delay_ms: float
    loss: float
    mean_bytes: int
    scheme: str
    dupack_delay_s: float
    kbps: float
    half_width: float

    @property
    def name(self) -> str:
        """The point in a few words."""
        scheme = f"d = {self.dupack_delay_s:g}" if self.scheme == "dd" else self.scheme
        return f"{self.delay_ms:g} ms, loss {self.loss:g}, mean {self.mean_bytes}, {scheme}"


def reference() -> list[Point]:
    """The reference rows: means of 48 runs of ns-2.35 with link, Snoop and sink added."""
    path = files("acklab.papers").joinpath("vaidya1999", "reference", "ns2-means.csv")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return [
        Point(
            float(row["wireless_delay_ms"]),
            float(row["congestion_loss"]),
            int(row["mean_bytes_between_errors"]),
            row["scheme"],
            float(row["dupack_delay_s"]),
            float(row["throughput_kbps"]),
            float(row["half_width_95"]),
        )
        for row in rows
    ]


def measured(points: Sequence[Point], runs: int, workers: int) -> list[Estimate]:
    """Our throughput at each point in kbit/s."""
    provider = NativeProvider()
    jobs = []
    for point in points:
        tree = network.scenario(
            point.delay_ms, point.loss, point.mean_bytes, point.scheme, point.dupack_delay_s
        )
        resolved = provider.resolve(tree, point.name)
        jobs += [Job(resolved, 1, run) for run in range(runs)]
    values: dict[int, float] = {}
    for index, result in provider.run(jobs, workers):
        if "error" in result:
            raise RuntimeError(json.dumps(result["error"]))
        values[index] = network.throughput_kbps(result)
    return [mean([values[k * runs + run] for run in range(runs)]) for k in range(len(points))]


def means(context: Context) -> list[Row]:
    """Every row of the reference."""
    points = reference()
    runs = FULL_RUNS if context.full else QUICK_RUNS
    found = measured(points, runs, context.workers)
    lines = [["point", "ns-2 kbit/s", "±", "acklab kbit/s", "±", "off %", "within"]]
    near, offs = 0, []
    for point, ours in zip(points, found, strict=True):
        off = ours.value / point.kbps - 1.0
        half = ours.half_width()
        close = abs(ours.value - point.kbps) <= point.half_width + half or abs(off) <= WITHIN
        near += close
        offs.append(abs(off))
        lines.append(
            [
                point.name,
                f"{point.kbps:.1f}",
                f"{point.half_width:.1f}",
                f"{ours.value:.1f}",
                f"{half:.1f}",
                f"{100 * off:+.1f}",
                "yes" if close else "no",
            ]
        )
    far = max(range(len(points)), key=lambda k: offs[k])
    share = near / len(points)
    return [
        Row(
            "means of throughput beside ns-2's own Reno",
            f"{near} of {len(points)} within ({100 * share:.0f} %); the farthest is "
            f"{100 * offs[far]:.1f} % off ({points[far].name})",
            f"the sum of both 95 % half-widths or ±5 % for ≥ {100 * SHARE:.0f} %, "
            f"none off by more than {100 * ALL_WITHIN:.0f} %",
            verdict(share >= SHARE and max(offs) <= ALL_WITHIN),
            detail=lines,
        )
    ]


MEANS = Check("vaidya-means", "throughput under the reference settings", means)
