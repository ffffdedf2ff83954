"""`acklab.plot.curves` over whatever a grid may hold: numbers, quantities, zero, names."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as pyplot
import polars
import pytest

import acklab
from acklab.figures.curves import XAxis, _from_zero
from acklab.figures.room import tick_room
from acklab.plot import _axis
from acklab.study import StudyResult


def result(values):
    rows = [
        {
            "variant": variant,
            "x": value,
            "point": 2 * place + (variant == "b"),
            "seed": 1,
            "run": run,
            "warnings": "[]",
            "goodput_pps": 10.0 + place + run,
        }
        for place, value in enumerate(values)
        for variant in ("a", "b")
        for run in (0, 1)
    ]
    table = polars.DataFrame(rows).sort("point")
    return StudyResult("made up", Path(), ("variant", "x"), table, {})


def words(picture):
    return list(ElementTree.fromstring(picture.data["svg"]).itertext())


@pytest.mark.parametrize(("times", "below"), [(1.0, True), (0.01, False)])
def test_an_interval_below_zero_is_drawn_whole(times, below):
    made = result([150, 200])
    spread = polars.lit(1.0) + times * polars.col("run")
    made = replace(made, table=made.table.with_columns(spread.alias("goodput_pps")))
    assert any(word.startswith("−") for word in words(acklab.plot.curves(made, x="x"))) == below


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([150, 200, 250], ["150", "200", "250", "x"]),
        (["150 m", "200 m", "250 m"], ["150", "200", "250", "x (m)"]),
        (["0 %", "2.5 %"], ["0", "2.5", "x (%)"]),
        ([0, 1, 2], ["0", "1", "2"]),
        (["chain", "grid", "random"], ["chain", "grid", "random", "x"]),
        (["500 ms", "1 s"], ["500 ms", "1 s", "x"]),
        ([True, False], ["True", "False"]),
        ([4], ["4"]),
    ],
)
def test_every_kind_of_label_has_an_axis(values, wanted):
    shown = words(acklab.plot.curves(result(values), x="x"))
    assert set(wanted) <= set(shown)


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [("goodput_pps", "goodput_pps (packets/s)"), ("drop_probability", "drop_probability")],
)
def test_a_measure_stands_with_its_unit_where_it_has_one(measure, wanted):
    made = result([150, 200])
    made = replace(made, table=made.table.rename({"goodput_pps": measure}))
    assert wanted in words(acklab.plot.curves(made, x="x", measure=measure))


def test_an_axis_is_logarithmic_where_that_shows_more_or_is_asked_for():
    assert _axis([1, 2, 5, 10, 50], None)[0] == XAxis((1.0, 2.0, 5.0, 10.0, 50.0), breaks=False)
    assert _axis([2, 8], None)[0].linear
    assert not _axis([2, 8], "log")[0].linear
    assert _axis([1, 50], "linear")[0].linear
    assert _axis([0, 50], None)[0].linear


def test_a_linear_axis_keeps_proportions_and_labels_what_has_room():
    axis = XAxis((0.0, 1.0, 2.0, 10.0), linear=True)
    assert axis.place(2.0) == pytest.approx(0.2 * axis.place(10.0))
    assert not axis.broken
    many = XAxis(tuple(float(value) for value in range(100)), linear=True)
    assert {0.0, 99.0} < set(many.ticks())
    assert len(many.ticks()) <= 12


@pytest.mark.parametrize("curves", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "axis",
    [
        XAxis((1.0, 2.0, 4.0)),
        XAxis(tuple(map(float, range(100))), linear=True),
        XAxis((0.0, 1.0), names=("chain", "grid")),
        XAxis((4.0,)),
    ],
)
def test_curves_aside_of_each_other_stay_nearer_to_their_own_value(axis, curves):
    places = [axis.place(value) for value in axis.values] + [axis.place(axis.values[0]) + 1.0]
    assert 0.0 < axis.aside(curves) * (curves - 1) + 1e-9 < (places[1] - places[0]) / 1.5
    assert axis.aside(1) >= axis.aside(curves)


@pytest.mark.parametrize("value", [4, "150 m"])
def test_curves_over_one_value_stand_together_above_it(value):
    markers = _markers(acklab.plot.curves(result([value]), x="x"))
    assert len(markers) == 2
    # Points; the axes are about 200 of them wide.
    assert 0.0 < max(markers) - min(markers) < 30.0


def _markers(picture):
    """How far from the left the markers stand, which have a white edge; the legend is above."""
    uses = ElementTree.fromstring(picture.data["svg"]).iter("{http://www.w3.org/2000/svg}use")
    white = [use for use in uses if "stroke: #ffffff" in use.get("style", "")]
    return [float(use.get("x")) for use in white if float(use.get("y")) > 20.0]


def _lines(picture):
    """How many strokes with dashes, or through several points, a picture has."""
    return picture.data["svg"].count(b"stroke-dasharray")


def test_names_have_no_line_from_one_to_the_next():
    assert _lines(acklab.plot.curves(result([150, 200]), x="x")) > 0
    assert _lines(acklab.plot.curves(result(["chain", "grid"]), x="x")) == 0


@pytest.mark.parametrize(
    ("values", "scale", "said"),
    [
        ([0, 1], "log", "no place on a logarithmic axis"),
        (["chain", "grid"], "log", "are no numbers"),
        ([1, 2], "cubic", "is no kind of axis"),
    ],
)
def test_an_axis_that_cannot_be_is_an_error(values, scale, said):
    with pytest.raises(acklab.InputError, match=said):
        acklab.plot.curves(result(values), x="x", x_scale=scale)


def test_a_label_under_the_axis_makes_no_curves():
    made = replace(result([1]), labels=("variant",))
    said = words(acklab.plot.curves(made, x="variant"))
    assert [said.count(name) for name in ("a", "b")] == [1, 1]
    same = acklab.plot.curves(made, x="variant", by="variant")
    assert words(same) == said


def test_long_names_stay_different_when_they_are_shortened():
    names = tuple(
        f"a variant of which number {n} waits for {n} segments or 100 ms" for n in range(9)
    )
    texts = tick_room(names).words
    assert len(set(texts)) == 9
    assert all(str(n) in text for n, text in enumerate(texts))


def test_what_has_no_value_is_told(caplog):
    made = result([1, 2, 3])
    none = polars.when(polars.col("variant") == "b").then(None).otherwise(polars.col("goodput_pps"))
    acklab.plot.curves(replace(made, table=made.table.with_columns(goodput_pps=none)), x="x")
    (record,) = [record for record in caplog.records if record.name == "acklab"]
    assert record.getMessage() == "no value of goodput_pps for variant b: not drawn"


def test_a_measure_without_any_value_is_an_error():
    made = result([1, 2])
    none = made.table.with_columns(goodput_pps=polars.lit(None, polars.Float64))
    with pytest.raises(acklab.MeasureError, match="goodput_pps: none of these runs has a value"):
        acklab.plot.curves(replace(made, table=none), x="x")


def test_a_last_value_far_away_stands_where_it_belongs():
    for scale in ("log", None):
        axis, _, _ = _axis([1, 10, 100, 1000], scale)
        steps = [right - left for left, right in pairwise(map(axis.place, axis.values))]
        assert steps == pytest.approx([steps[0]] * 3), scale
        assert not axis.broken


def test_a_marker_at_zero_is_seen_whole():
    nothing = result([1, 2])
    nothing = replace(nothing, table=nothing.table.with_columns(goodput_pps=polars.lit(0.0)))
    figure = pyplot.figure()
    axes = figure.add_subplot()
    axes.plot([1, 2], [0.0, 0.0])
    _from_zero(axes)
    assert axes.get_ylim()[0] < 0.0
    axes.clear()
    axes.plot([1, 2], [1.0, 2.0])
    _from_zero(axes)
    assert axes.get_ylim()[0] == 0.0
    # No tick stands below zero all the same.
    assert not any(word.startswith("−") for word in words(acklab.plot.curves(nothing, x="x")))
