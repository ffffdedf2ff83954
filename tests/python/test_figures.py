"""Figures: three formats, every series told apart without colour, intervals and warnings drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from acklab.figures.curves import Labels, Panel, XAxis, draw_curves
from acklab.figures.style import SERIES

LABELS = Labels("Maximum window (packets)", "Throughput (packets/s)", "d", "ns-2.35")


def rows(warned: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "window": window,
            "d": d,
            "mean": 10.0 + d - i / 10,
            "low": 9.5 + d - i / 10,
            "high": 10.5 + d - i / 10,
            "warnings": "queue-full (1)" if warned and window == 2000 else "",
            "ns2 mean": 10.0 if window == 3 else None,
            "ns2 se": 0.1,
        }
        for d in (1, 2, 3, 4)
        for i, window in enumerate((1, 2, 3, 5, 10, 50, 2000))
    ]


def test_three_formats_with_labels() -> None:
    made = draw_curves([Panel(rows(warned=True))], "window", "d", LABELS, ["ns2"])
    assert list(made) == ["svg", "pdf", "png"]
    assert made["png"].startswith(b"\x89PNG")
    assert made["pdf"].startswith(b"%PDF")
    # Publishers refuse letters that are drawn (Type 3), and a date would differ each time.
    assert b"/Subtype /Type3" not in made["pdf"]
    assert b"CreationDate" not in made["pdf"]
    text = "".join(ElementTree.fromstring(made["svg"]).itertext())
    for wanted in (
        "Maximum window (packets)",
        "Throughput (packets/s)",
        "d = 4",
        "ns-2.35",
        "2000",
    ):
        assert wanted in text
    assert "runs with warnings" in text


def test_same_data_same_file() -> None:
    one = draw_curves([Panel(rows())], "window", "d", LABELS, ["ns2"])
    assert draw_curves([Panel(rows())], "window", "d", LABELS, ["ns2"])["svg"] == one["svg"]


def test_points_without_an_interval_are_drawn_so() -> None:
    words = "one run, no interval"
    told = draw_curves([Panel(rows())], "window", "d", LABELS)["svg"]
    assert words not in "".join(ElementTree.fromstring(told).itertext())
    for least in (3, 5000):
        some = [
            row | {"low": None, "high": None} if row["window"] < least else row for row in rows()
        ]
        made = draw_curves([Panel(some)], "window", "d", LABELS)
        assert words in "".join(ElementTree.fromstring(made["svg"]).itertext())
        # A white marker with its own edge for each of them, besides the one in the legend.
        alone = sum(row["low"] is None for row in some)
        assert _white_markers(made["svg"]) - _white_markers(told) == alone + 1


def test_what_has_no_value_keeps_its_look_and_its_place() -> None:
    some = [row | {"mean": None} if row["d"] == 1 else row for row in rows()]
    made = draw_curves([Panel(some)], "window", "d", LABELS)["svg"]
    assert "2000" in "".join(ElementTree.fromstring(made).itertext())
    rest = draw_curves([Panel([row for row in rows() if row["d"] > 1])], "window", "d", LABELS)
    assert b"#cc79a7" not in made
    # The fourth curve is the third one where the first does not count.
    assert b"#009e73" in made
    assert b"#009e73" not in rest["svg"]


def _white_markers(svg: bytes) -> int:
    return svg.count(b'style="fill: #ffffff; stroke: #')


def test_series_differ_without_colour() -> None:
    assert len({look.marker for look in SERIES}) == len(SERIES)
    assert len({look.colour for look in SERIES}) == len(SERIES)


def test_far_value_stands_behind_a_break() -> None:
    axis = XAxis((1, 2, 5, 10, 50, 2000))
    assert axis.broken
    assert axis.place(50) < axis.place(2000) < axis.place(50) + 1.5
    assert {1, 2, 5, 10, 50, 2000} <= set(axis.ticks())
    assert not XAxis((1, 2, 4)).broken


@pytest.mark.parametrize("value", [1, 2, 50])
def test_ordinary_values_are_logarithmic(value: float) -> None:
    axis = XAxis((1, 2, 50, 2000))
    assert 2 ** axis.place(value) == pytest.approx(value)
