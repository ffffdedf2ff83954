"""Slot diagrams: from the event log of a run to rows, picture and report."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from acklab import _native, papers
from acklab.figures.slots import draw_slots
from acklab.papers.engine import grid
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.items import read_item
from acklab.papers.engine.provider import NativeProvider
from acklab.papers.engine.slots import slot_row
from acklab.papers.engine.tables import Table


def test_figure_1_is_the_relay_echo_counted_by_hand(tmp_path: Path) -> None:
    made = papers.reproduce("yuki2004", items=["fig1"], runs=1, out=tmp_path / "out")
    sent = made.tables["fig1"].filter(event="sent")
    rows = [tuple(row) for row in sent.select("slot", "node", "name", "to").iter_rows()]
    data = [(hop, hop, "D1", hop + 1) for hop in range(4)]
    acks = [(5 + hop, 4 - hop, "A1", 3 - hop) for hop in range(4)]
    assert rows == [*data, (4, 4, "FRN", 3), *acks, (9, 0, "FRN", 1), (10, 0, "D2", 1)]
    heard = made.tables["fig1"].filter(event="heard", slot=1)["node"].to_list()
    assert heard == [0, 2], "who sent the packet hears its echo"
    page = made.files["report.html"].read_text()
    assert "4: FRN→3" in page
    picture = made.files["fig1.svg"].read_bytes()
    assert "FRN ACK" in "".join(ElementTree.fromstring(picture).itertext())


def test_figure_2_shows_what_its_caption_says(tmp_path: Path) -> None:
    """In the run that is drawn: the combined frame, and both of its echoes a slot apart."""
    paper = papers.load("yuki2004")
    item = paper.items["fig2"]
    assert "In slot 52 node 2 sends data 7 on to node 3 and ACK 5 on to node 1" in item.caption
    assert "echoes ACK 5 in slot 53" in item.caption
    assert "echoes data 7 in slot 54" in item.caption
    scenario = grid.tree(
        paper.experiments["chain4"], ("p1", "combined", "off", 17), "quick"
    ) | {"duration": "1 s"}  # fmt: skip
    provider, log = NativeProvider(), tmp_path / "events.jsonl"
    resolved = provider.resolve(scenario, "fig2")
    batch = _native.Batch([(resolved, 2004, 0, json.dumps({"events": str(log)}))], 1)
    while batch.next() is None:
        batch.wait(1.0)
    rows = [slot_row(json.loads(line), 10.0) for line in log.read_text().splitlines()]
    found = {
        (row["slot"], row["node"]): {
            (row["name"], row["to"]),
            (row["second_name"], row["second_to"]),
        }
        for row in rows
        if row is not None and row["event"] == "sent"
    }
    assert found[52, 2] == {("D7", 3), ("A5", 1)}
    assert ("A5", 0) in found[53, 1]
    assert ("D7", 4) in found[54, 3]
    heard = {(r["slot"], r["node"]) for r in rows if r is not None and r["event"] == "heard"}
    assert heard >= {(53, 2), (54, 2)}, "node 2 hears both"


def test_a_combined_frame_has_two_halves() -> None:
    event = {
        "time_ns": 520_000_000, "node": 2, "kind": "slot_sent", "what": "data", "source": 0,
        "number": 7, "to": 3, "second_what": "ack", "second_source": 4, "second_number": 5,
        "second_to": 1,
    }  # fmt: skip
    sent = slot_row(event, 10.0)
    lost = slot_row({"time_ns": 530_000_000, "node": 3, "kind": "slot_collided", "senders": 2}, 10)
    assert sent is not None
    assert lost is not None
    assert (sent["slot"], sent["name"], sent["second_name"]) == (52, "D7", "A5")
    assert (lost["slot"], lost["event"]) == (52, "collided")
    assert slot_row({"time_ns": 0, "node": 0, "kind": "tcp_sent"}, 10.0) is None
    text = "".join(ElementTree.fromstring(draw_slots([sent, lost], 51, 3)["svg"]).itertext())
    for word in ("D7", "A5", "TCP ACK", "frames meet"):
        assert word in text


@pytest.mark.parametrize("slots", [[3], [0, 0], [0, "x"]])
def test_slots_are_a_first_and_a_number(slots: list[object]) -> None:
    item = {"key": "k", "title": "t", "kind": "slots", "slots": slots}
    with pytest.raises(PaperError, match="first slot, number of slots"):
        read_item(Table(item, "figures.toml"))
