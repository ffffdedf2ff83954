"""Slot diagrams: who sends what in which slot, drawn from one real run.

The run is the first of the item's grid point, with its seed, cut off behind the slots that are
shown: what comes later cannot change them. Not here: how a diagram is drawn
(`acklab.figures.slots`). Invariant: nothing is drawn that is not in the run's event log.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from acklab.papers.engine import grid
from acklab.papers.engine.model import Experiment, Item

NANOSECONDS = 1e9
SENT, LOST = "sent", "collided"
COLUMNS = {
    "slot": pl.Int64,
    "node": pl.Int64,
    "event": pl.String,
    "what": pl.String,
    "name": pl.String,
    "to": pl.Int64,
    "second_what": pl.String,
    "second_name": pl.String,
    "second_to": pl.Int64,
}


def slots_frame(item: Item, experiment: Experiment, mode: str) -> pl.DataFrame:
    """One row an event of the slots that the item shows: sent, heard, collided."""
    from acklab.scenario import Scenario
    from acklab.simulate import Captures, run

    first, count = item.slots
    tree = grid.tree(experiment, grid.match(experiment, item.at), mode)
    slot_ms = float(str(tree["slotted"].get("slot", "10 ms")).removesuffix(" ms"))
    # What is heard in a slot is told when it is over.
    tree["duration"] = f"{(first + count + 1) * slot_ms:g} ms"
    tree.pop("measure", None)
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "events.jsonl"
        scenario = Scenario.from_dict(tree)
        run(scenario, runs=1, seed=experiment.seed, workers=1, captures=Captures(events=log))
        events = [json.loads(line) for line in log.read_text().splitlines()]
    rows = [row for event in events if (row := slot_row(event, slot_ms)) is not None]
    shown = [row for row in rows if first <= row["slot"] < first + count]
    return pl.DataFrame(shown, schema=COLUMNS)


def slot_row(event: Mapping[str, Any], slot_ms: float) -> dict[str, Any] | None:
    """An event of the slotted radio as a row; what is heard belongs to the slot that is over."""
    slot = round(event["time_ns"] / (slot_ms * NANOSECONDS / 1000))
    head: dict[str, Any] = dict.fromkeys(COLUMNS) | {"slot": slot, "node": event["node"]}
    if event["kind"] == "slot_sent":
        row = head | {"event": SENT} | _part("", event)
        return row | _part("second_", event) if "second_what" in event else row
    if event["kind"] in ("slot_heard", "slot_collided"):
        return head | {"event": event["kind"].removeprefix("slot_"), "slot": slot - 1}
    return None


def _part(prefix: str, event: Mapping[str, Any]) -> dict[str, Any]:
    what = event[f"{prefix}what"]
    letter = {"data": "D", "ack": "A"}.get(what, "")
    # An FRN ACK names the packet that it confirms.
    name = f"{letter}{event[f'{prefix}number']}" if letter else "FRN"
    return {f"{prefix}what": what, f"{prefix}name": name, f"{prefix}to": event[f"{prefix}to"]}
