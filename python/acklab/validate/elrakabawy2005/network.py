"""The networks that the checks of elrakabawy2005 run, and running them."""

from __future__ import annotations

from typing import Any

from acklab import Scenario
from acklab.batch import Job, execute
from acklab.validate.model import Context


def paced_chain(hops: int, spacing_ms: float, **changes: Any) -> Scenario:
    """A chain at 2 Mbit/s with one CBR flow of 1460 B from end to end."""
    tree: dict[str, Any] = {
        "profile": "ns2",
        "duration": "450 s",
        "measure": {"from": "50 s"},
        "topology": {"kind": "chain", "nodes": hops + 1, "spacing": "200 m"},
        "mac": {"data_rate": "2 Mbit/s", "basic_rate": "1 Mbit/s"},
        "routing": {"protocol": "aodv"},
        "flow": [{"kind": "cbr", "packet": "1460 B", "interval": f"{spacing_ms:g} ms"}],
    }
    return Scenario.from_dict(tree | changes)


def measured(
    context: Context, scenarios: list[Scenario], runs: int, measure: str, seed: int = 2005
) -> list[list[float]]:
    """A measure of each scenario, one number a run."""
    jobs = [Job(s.resolve(), seed, run) for s in scenarios for run in range(runs)]
    found = [0.0] * len(jobs)
    for index, record in execute(jobs, context.workers):
        found[index] = float(record["measures"][measure])
    return [found[i * runs : (i + 1) * runs] for i in range(len(scenarios))]
