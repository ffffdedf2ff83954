"""A provider of made-up runs with known means, for tests of the papers engine.

No simulation: goodput is a formula of window and d plus luck that depends on (seed, run) alone in
part, so that common random numbers are seen to work.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from acklab.papers.engine.provider import Finished, Job

TABLE = {
    (3, 1): 6181, (3, 2): 6707, (3, 3): 6866, (3, 4): 2711,
    (2000, 1): 6180, (2000, 2): 6720, (2000, 3): 6896, (2000, 4): 6994,
}  # fmt: skip

COUNTS = (
    "rts_sent", "cts_sent", "data_sent", "ack_sent", "broadcast_sent", "missing_cts",
    "missing_ack", "unicast_done_tcp_data", "unicast_done_tcp_ack", "collisions",
    "collisions_hidden", "retry_drops_tcp_data", "retry_drops_tcp_ack", "queue_drops",
    "arp_drops", "link_failures", "rreq_sent", "rerr_sent", "no_route_drops", "loop_drops",
    "ttl_drops", "purged_drops", "timeouts", "window_cuts", "retransmissions", "sent_packets",
    "acks_sent", "acks_by_count", "acks_by_timer", "cwnd_max", "cwnd_mean", "window_mean",
    "airtime_s", "airtime_broadcast_s",
)  # fmt: skip


class Synthetic:
    """Made-up results; `calls` counts the runs that were asked for."""

    version = "synthetic-1"

    def __init__(self, stop_after: int | None = None, noise: float = 0.1) -> None:
        self.calls = 0
        self.stop_after = stop_after
        self.noise = noise

    def resolve(self, tree: Mapping[str, Any], name: str) -> str:
        return json.dumps(tree | {"sources": {"mac": "profile"}})

    def run(self, jobs: Sequence[Job], workers: int) -> Finished:
        for index, job in enumerate(jobs):
            if self.stop_after is not None and self.calls >= self.stop_after:
                raise KeyboardInterrupt
            self.calls += 1
            yield index, self.result(json.loads(job.scenario), job.seed, job.run)

    def result(self, scenario: dict[str, Any], seed: int, run: int) -> dict[str, Any]:
        flow = scenario["flow"][0]
        ack = flow["ack"]
        d = 1 if ack == "every" else int(ack["count"])
        window = int(flow["window"])
        nodes = int(scenario["topology"]["nodes"])
        packets = self.packets(nodes, window, d, seed, run)
        if scenario["mac"]["data_rate"] == "2 Mbit/s":
            packets *= 1.6
        measures: dict[str, float] = dict.fromkeys(COUNTS, 0.0)
        measures |= {"delivered_packets": packets, "goodput_pps": packets / 149}
        exchanges = packets * (nodes - 1) * (1 + 1 / d)
        measures |= dict.fromkeys(("cts_sent", "data_sent", "ack_sent"), exchanges)
        measures["rts_sent"] = exchanges * 1.02
        measures["missing_cts"] = exchanges * 0.02
        measures["window_mean"] = min(window, 5)
        measures["acks_sent"] = packets / d
        measures["acks_by_timer"] = packets / d if window < d else 1.0
        warnings = []
        if window == 2000 and d == 1:
            measures |= {"queue_drops": 14.0, "window_cuts": 5.0, "timeouts": 2.0}
            warnings.append({"code": "queue-full", "message": "the queue was full", "count": 14})
        return {
            "measures": measures,
            "flows": [{}],
            "nodes": [],
            "samples": self.samples(scenario, run),
            "warnings": warnings,
            "digest": f"{hash((nodes, window, d, run)) & (2**64 - 1):016x}",
            "events": 1000,
            "simulated_s": 150.0,
            "wall_s": 0.01,
            "seed": seed,
            "run": run,
        }

    def samples(self, scenario: dict[str, Any], run: int) -> dict[str, Any] | None:
        """A saw tooth with `4 + run` falls, where samples are asked for."""
        if "sample" not in scenario.get("measure", {}):
            return None
        cwnd = [1.0 + place % 8 for place in range(8 * (5 + run))]
        flow = {"cwnd_packets": cwnd, "flight_packets": [min(3.0, w) for w in cwnd]}
        times = [0.1 * place for place in range(1000)]
        fill = {name: (values + [8.0] * 1000)[:1000] for name, values in flow.items()}
        return {"time_s": times, "flows": [fill]}

    def packets(self, nodes: int, window: int, d: int, seed: int, run: int) -> float:
        own = np.random.default_rng([seed, run, window, d, nodes])
        shared = np.random.default_rng([seed, run, nodes])
        if nodes == 3:
            known = TABLE.get((window, d))
            if known is None:
                known = TABLE[2000, d] if window >= d else 2700 * window / 3
            return float(round(known + own.normal(0, 4)))
        peak = {1: 14.6, 2: 14.1, 3: 15.0, 4: 13.0}[d]
        best = {1: 2.5, 2: 3.5, 3: 5.0, 4: 5.5}[d]
        floor = {1: 0.54, 2: 0.64, 3: 0.79, 4: 0.93}[d]
        over = max(0.0, np.log2(window / best))
        shape = max(floor, 1 - 0.35 * over) if window >= best else (window / best) ** 0.6
        luck = 1 + self.noise * (0.6 * shared.normal() + 0.8 * own.normal())
        return float(peak * shape * max(0.2, luck) * 149)


TINY = {
    "paper": """
key = "tiny"
title = "A paper of made-up numbers"
authors = ["Nobody"]
year = 2005
venue = "nowhere"
""",
    "experiments": """
[[experiment]]
key = "rates"
title = "two schemes at two rates"
seed = 5
runs = { quick = 4, full = 4, cap = 4 }
precision = 0.05
precision_measure = "goodput_bps"
duration = { quick = "10 s", full = "100 s" }
setting = { quick = { measure = { from = "2 s" } }, full = { measure = { from = "20 s" } } }
by_run = ["topology.seed"]

[experiment.scenario]
mac = { data_rate = "2 Mbit/s" }
[[experiment.scenario.flow]]
kind = "ftp"
[[experiment.scenario.flow]]
kind = "ftp"

[[experiment.axis]]
key = "rate"
label = "rate"
path = "mac.data_rate"
values = [2, 11]
choose = { 2 = "2 Mbit/s", 11 = "11 Mbit/s" }

[[experiment.axis]]
key = "scheme"
label = "scheme"
path = "flow.*"
values = ["reno", "vegas"]
choose = { reno = { variant = "reno" }, vegas = { variant = "vegas", vegas = { alpha = 2 } } }

[[derived]]
key = "cost"
label = "a tenth of the goodput"
of = ["goodput_bps"]
weights = [0.1]

[[experiment]]
key = "batched"
title = "one run in batches"
seed = 5
runs = { quick = 2, full = 2, cap = 2 }
precision = 0.05
precision_measure = "goodput_bps"
duration = { quick = "10 s", full = "100 s" }
discard = 1

[experiment.scenario]
mac = { data_rate = "2 Mbit/s" }
measure = { batch = 100, stop_after = 400 }
[[experiment.scenario.flow]]
kind = "ftp"

[[experiment.axis]]
key = "scheme"
label = "scheme"
path = "flow.*"
values = ["reno", "vegas"]
choose = { reno = { variant = "reno" }, vegas = { variant = "vegas" } }

[[experiment]]
key = "paced"
title = "paced senders"
seed = 5
runs = { quick = 4, full = 4, cap = 4 }
precision = 0.05
precision_measure = "goodput_bps"
duration = { quick = "10 s", full = "100 s" }

[experiment.scenario]
mac = { data_rate = "2 Mbit/s" }
[[experiment.scenario.flow]]
kind = "cbr"

[[experiment.axis]]
key = "rate"
label = "rate"
path = "mac.data_rate"
values = [2, 11]
choose = { 2 = "2 Mbit/s", 11 = "11 Mbit/s" }

[experiment.search]
path = "flow.0.interval"
measure = "goodput_bps"
shown_as = "spacing_ms"
ladder = [5, 60]
unit = "ms"
resolution = { quick = 0.5, full = 0.1 }
runs = { quick = 4, full = 8 }
""",
    "figures": """
[[item]]
key = "curves"
title = "Goodput over the rate"
kind = "lines"
caption = "Made up."
measure = "goodput_bps"
x = "rate"
x_label = "rate (Mbit/s)"
y_label = "goodput (bit/s)"
entry = [
  { label = "Reno", experiment = "rates", cell = { scheme = "reno" } },
  { label = "Vegas", experiment = "rates", cell = { scheme = "vegas" } },
  { label = "paced UDP", experiment = "paced" },
]

[[item]]
key = "bars"
title = "The same as bars"
kind = "bars"
caption = "Made up."
measure = "goodput_bps"
x = "rate"
x_label = "rate (Mbit/s)"
y_label = "goodput (bit/s)"
entry = [
  { label = "Reno", experiment = "rates", cell = { scheme = "reno" } },
  { label = "paced UDP", experiment = "paced" },
]

[[item]]
key = "gains"
title = "Vegas over Reno"
kind = "bars"
caption = "Made up."
measure = "goodput_bps"
x = "rate"
x_label = "rate (Mbit/s)"
y_label = "gain (%)"
x_values = [2, 11]
entry = [
  { label = "gain", experiment = "rates", cell = { scheme = "vegas" }, over = { scheme = "reno" } },
  {label="x", experiment = "rates", cell = {scheme = "vegas"}, over = {scheme = "reno", rate = 2}},
  { label = "both", experiment = "rates", cell = { scheme = { mean = "all" } } },
  { label = "text", stated = { 11 = 60 } },
]

[[item]]
key = "batches"
title = "One run in batches"
kind = "bars"
caption = "Made up."
measure = "goodput_bps"
x = "scheme"
x_label = "scheme"
y_label = "goodput (bit/s)"
entry = [{ label = "2 Mbit/s", experiment = "batched" }]

[[item]]
key = "flows"
title = "Who gets what"
kind = "flows"
caption = "Made up."
measure = "goodput_bps"
x_label = "flow"
y_label = "goodput (bit/s)"
entry = [
  { label = "Reno", experiment = "rates", cell = { rate = 11, scheme = "reno" } },
  { label = "Vegas", experiment = "rates", cell = { rate = 11, scheme = "vegas" } },
]
""",
    "claims": """
[[claim]]
id = "tiny-1"
place = "nowhere"
says = "the paced sender is ahead of both schemes at both rates"
kind = "ordering"
criterion = "H: order"
[[claim.part]]
needs = ["rates", "paced"]
measure = "goodput_bps"
each = { rate = "all", scheme = "all" }
cells.a = { experiment = "paced" }
cells.b = {}
quantity = "a / b - 1"
holds = { sig_above = 0 }

[[claim]]
id = "tiny-2"
place = "nowhere"
says = "the best spacing at 2 is 30 ms"
kind = "number"
criterion = "H: 29–31"
[[claim.part]]
needs = ["paced"]
measure = "spacing_ms"
cells.a = { rate = 2 }
holds = { in = [29, 31] }
""",
    "open_choices": "",
}
"""A paper in a few lines: two schemes, a searched spacing, one item of each kind of panel."""

CLIFF_MS = {"2 Mbit/s": 30.0, "11 Mbit/s": 9.0}


def write_tiny(root: Path) -> Path:
    """Write the folder of the tiny paper below `root`; returns `root`."""
    folder = root / "tiny"
    folder.mkdir(parents=True)
    for name, text in TINY.items():
        (folder / f"{name}.toml").write_text(text)
    return root


def cliff_goodput(spacing_ms: float, edge_ms: float, seed: int, run: int) -> float:
    """Paced goodput: 1/t above the edge; just below it some runs collapse, further down all."""
    luck = np.random.default_rng([seed, run, round(1000 * spacing_ms)]).random()
    below = (edge_ms - spacing_ms) / edge_ms
    collapsed = luck < 40.0 * below
    return min(11680.0 / spacing_ms, 0.45 * 11680.0 / edge_ms if collapsed else 1e9)


class TwoSchemes(Synthetic):
    """Made-up results for the tiny paper."""

    version = "tiny-1"

    def result(self, scenario: dict[str, Any], seed: int, run: int) -> dict[str, Any]:
        rate = scenario["mac"]["data_rate"]
        first = scenario["flow"][0]
        if first["kind"] == "cbr":
            spacing = float(first["interval"].removesuffix(" ms"))
            goodputs = [cliff_goodput(spacing, CLIFF_MS[rate], seed, run)]
        else:
            assert all(f["variant"] == first["variant"] for f in scenario["flow"])
            base = {"2 Mbit/s": 90.0, "11 Mbit/s": 250.0}[rate]
            luck = np.random.default_rng([seed, run]).normal(0.0, 1.0)
            share = 0.8 if first["variant"] == "reno" else 0.55
            goodputs = [base * share + luck, base * (1.0 - share) + luck]
        batch = scenario.get("measure", {}).get("batch")
        batches = int(scenario["measure"]["stop_after"]) // batch if batch else 0
        if not batch and first["kind"] == "ftp":
            assert scenario["topology"]["seed"] == run
        return {
            "samples": {
                "batches": [
                    # The first is a transient.
                    {
                        "measures": {"goodput_bps": 1.0 if b == 0 else 50.0 + run + b},
                        "flows": [{"goodput_bps": 50.0 + run + b}],
                    }
                    for b in range(batches)
                ],
            },
            "measures": {"goodput_bps": sum(goodputs)},
            "flows": [{"goodput_bps": goodput} for goodput in goodputs],
            "warnings": [],
            "digest": f"{run:016x}",
            "events": 1,
            "simulated_s": 10.0,
            "wall_s": 0.01,
        }
