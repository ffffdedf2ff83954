"""Pictures with more to say than they have room for: legends, names under the axis, many curves."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import pytest
from matplotlib.image import imread

from acklab.figures import Panel, draw_curves
from acklab.figures.curves import Labels, XAxis
from acklab.figures.room import legend_room, shortened, text_width, tick_room, wrapped
from acklab.figures.style import SERIES, look_of

POLICIES = ["every", "rfc5681", *(f'{{ policy = "delayed", count = {n} }}' for n in (3, 4))]
LONG = [f"delayed ACK with a long name number {n}" for n in range(1, 10)]


def picture(names: list[str], axis: XAxis, words: str = "x") -> Any:
    """The picture's darkness, pixel by pixel."""
    rows = [
        {"x": x, "series": name, "mean": 5.0, "low": 4.0, "high": 6.0, "warnings": 0}
        for name in names
        for x in axis.values
    ]
    drawn = draw_curves([Panel(rows)], "x", "series", Labels(words, words, "{}"), axis=axis)
    return 1.0 - imread(io.BytesIO(drawn["png"]))[:, :, :3].min(axis=2)


def check(dark: Any) -> None:
    """Nothing is cut off at an edge, and the axes are as wide as they should be."""
    for edge in (dark[:2], dark[-2:], dark[:, :2], dark[:, -2:]):
        assert edge.max() < 0.1
    lines = (dark > 0.5).sum(axis=1) / dark.shape[1]
    assert lines.max() > 0.7


NUMBERS = XAxis((1.0, 2.0, 3.0, 4.0, 6.0, 10.0))


@pytest.mark.parametrize(
    "names",
    [["a", "b"], POLICIES, LONG, ["word " * 30, "w" * 90], [f"d = {n}" for n in range(30)]],
    ids=["few", "tables", "long", "endless", "many"],
)
def test_a_legend_never_takes_the_axes_room(names: list[str]) -> None:
    check(picture(names, NUMBERS))


@pytest.mark.parametrize(
    "names", [["a", "b"], POLICIES, LONG, ["w" * 200] * 40], ids=["few", "tables", "long", "many"]
)
def test_names_under_an_axis_do_not_touch(names: list[str]) -> None:
    check(picture(["a"], XAxis(tuple(map(float, range(len(names)))), names=tuple(names))))


def test_long_words_at_the_axes_are_broken() -> None:
    check(picture(["a"], NUMBERS, "a measure with many words to its name " * 2))


def test_what_fits_stays_as_it_is() -> None:
    short = legend_room(["d = 1", "d = 2", "d = 3", "ns-2 (open)"])
    assert (short.columns, short.above, short.extra_in) == (3, False, 0.0)
    assert tick_room(["a", "b"]).words == ("a", "b")
    assert tick_room(["a", "b"]).extra_in == 0.0


def test_a_legend_has_as_many_columns_as_fit() -> None:
    assert legend_room(POLICIES).columns == 2
    one = legend_room(LONG)
    assert (one.columns, one.words) == (1, tuple(LONG))
    assert one.extra_in > 0.5
    assert "\n" in legend_room(["word " * 30]).words[0]


def test_names_are_broken_or_stand_upright() -> None:
    broken = tick_room(POLICIES)
    assert not broken.upright
    assert broken.words[2] == '{ policy =\n"delayed",\ncount = 3 }'
    upright = tick_room(LONG)
    assert upright.upright
    assert len(set(upright.words)) == len(LONG)
    # The figure grows for them: nothing of a name of 33 letters is left out.
    whole = [f"delayed ACKs, {n:2} segments or 99 ms" for n in range(1, 13)]
    assert tick_room(whole).words == tuple(whole)
    # Of very many some are named.
    few = [word for word in tick_room([f"name {n}" for n in range(60)]).words if word]
    assert 10 < len(few) < 30


def test_words_are_broken_to_fit() -> None:
    assert wrapped("one two", 1000.0) == ["one two"]
    lines = wrapped(f"one two {'x' * 60} three", 60.0)
    assert all(text_width(line) <= 60.0 for line in lines)
    assert "".join(lines).replace(" ", "") == f"onetwo{'x' * 60}three"
    assert shortened("abc", 100.0) == "abc"
    assert text_width(shortened("a" * 80, 50.0)) <= 50.0


def test_labels_of_numbers_do_not_overlap() -> None:
    far = XAxis(tuple(float(10**n + d) for n in range(9) for d in (0, 1)), linear=False)
    wide = XAxis(tuple(float(1_000_000 + n) for n in range(0, 400_000, 20_000)), linear=True)
    # Windows of a figure with a far point: 20 and 40 stand by each other there.
    near = XAxis((1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0), linear=True)
    for axis in (far, wide, near):
        shown = axis.ticks()
        assert shown[-1] == axis.values[-1]
        span = axis.place(axis.values[-1]) - axis.place(axis.values[0])
        for one, other in pairwise(shown):
            between = (axis.place(other) - axis.place(one)) * 200.0 / span
            widths = text_width(axis.label(one)) + text_width(axis.label(other))
            # A gap of a letter, or "20" and "40" read "2040".
            assert between > widths / 2 + text_width("0") / 2


def test_no_two_curves_look_alike() -> None:
    looks = [look_of(index) for index in range(49)]
    assert looks[:7] == list(SERIES)
    assert len({(look.colour, look.marker) for look in looks}) == 49
