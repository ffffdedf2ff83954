"""Arguments that make no sense, or mean something odd, of what looks at results."""

import numpy
import polars
import pytest

import acklab
from acklab import search, stats
from acklab.errors import InputError
from acklab.figures import curves as drawn
from acklab.study import Study, StudyResult

CHAIN = acklab.Scenario.parse(
    'duration = "2 s"\n'
    'topology = { kind = "chain", nodes = 3, spacing = "200 m" }\n'
    'flow = [{ kind = "ftp", window = 8 }]\n'
)


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    grid = {"flow.window": [8, 1, 2000, 4]}
    variants = {"b$\\frac$": {}, "$a_1$": {"flow.ack": "rfc5681"}}
    return Study(CHAIN, grid=grid, variants=variants, runs=2).run(tmp_path / "out")


class Axes:
    """Remembers lines."""

    def __init__(self):
        self.lines = []

    def plot(self, places, means, *_, **how):
        self.lines.append((list(places), how.get("linestyle")))

    def errorbar(self, *_, **__):
        pass


def rows(*values):
    return [{"x": x, "mean": 1.0, "low": 0.5, "high": 1.5, "warnings": 0, "s": 1} for x in values]


def test_a_curve_goes_from_left_to_right_and_only_over_the_break_in_dots(monkeypatch):
    axis = drawn.XAxis((1.0, 2.0, 4.0, 2000.0))
    for values, far in (((2000, 4, 1, 2), True), ((2, 1), False), ((2000,), True)):
        axes = Axes()
        drawn._panel(axes, axis, drawn.Panel(rows(*values)), ("x", "s"), [1], ())
        for places, _ in axes.lines:
            assert places == sorted(places)
        dotted = [places for places, line in axes.lines if line == ":"]
        assert bool(dotted) == far
        if len(values) > 1 and far:
            assert dotted[0][-1] == pytest.approx(axis.place(2000.0))


def test_a_dollar_sign_is_one(study):
    picture = acklab.plot.curves(study, x="flow.window")
    assert picture.data["png"]


def test_a_run_that_cannot_tell_a_measure_is_left_out_of_a_comparison():
    a = acklab.run(CHAIN, runs=4)
    b = acklab.run(CHAIN.with_({"flow.ack": "rfc5681"}), runs=4)
    whole = acklab.compare(a, b, "goodput_pps")
    assert whole.difference.n == 4
    b.records[1]["measures"]["goodput_pps"] = None
    part = acklab.compare(a, b, "goodput_pps")
    assert part.difference.n == 3
    kept = [0, 2, 3]
    told = [side.records[run]["measures"]["goodput_pps"] for side in (a, b) for run in kept]
    assert part.difference.mean == pytest.approx(sum(told[:3]) / 3 - sum(told[3:]) / 3)
    for record in b.records[1:]:
        record["measures"]["goodput_pps"] = None
    with pytest.raises(InputError, match="too few runs tell it"):
        acklab.compare(a, b, "goodput_pps")


def test_a_comparison_says_what_it_cannot_do(study, tmp_path):
    a, part = acklab.run(CHAIN, runs=2), study.where(variant="$a_1$")
    with pytest.raises(InputError, match="results have no labels"):
        acklab.compare(a, a, on="flow.window")
    with pytest.raises(InputError, match="not one for both"):
        acklab.compare(a, acklab.run(CHAIN, runs=2, confidence=0.9))
    for measure in (["goodput_pps"], "goodput"):
        with pytest.raises(InputError, match="measure"):
            acklab.compare(a, a, measure)
        with pytest.raises(InputError, match="no such measure"):
            acklab.compare(part, part, measure)
    with pytest.raises(InputError, match="are no labels"):
        acklab.compare(study, study, on=5)
    other = Study(CHAIN, grid={"flow.window": [8, 1]}, runs=2, seed=7).run(tmp_path / "other")
    with pytest.raises(InputError, match="different seeds are not paired"):
        acklab.compare(part, other, on="flow.window")


def test_statistics_take_arrays_and_columns_and_refuse_what_holds_no_numbers():
    values = [1.0, 2.0, 4.0]
    for made in (numpy.array(values), polars.Series(values), tuple(values), iter(values)):
        assert stats.mean(made) == stats.mean(values)
    both = stats.paired(numpy.array(values), polars.Series(values[::-1]))
    assert both == stats.paired(values, values[::-1])
    assert stats.jain(numpy.array(values)) == stats.jain(values)
    assert stats.mann_kendall(numpy.array(values)) == stats.mann_kendall(values)
    for wrong in (None, 5, ["a", "b"], [None]):
        with pytest.raises(InputError, match="are no numbers"):
            stats.mean(wrong)
    with pytest.raises(InputError, match="no values"):
        stats.mean(numpy.array([]))
    with pytest.raises(InputError, match="too few values"):
        stats.student_t(0.95, float("nan"))


@pytest.mark.parametrize(
    ("place", "how"),
    [
        ("seed", {"seed": -1}),
        ("seed", {"seed": 1.5}),
        ("seed", {"seed": None}),
        ("runs", {"runs": "x"}),
        ("runs", {"runs": None}),
        ("windows", {"windows": None}),
        ("windows", {"windows": ["a", "b"]}),
        ("windows", {"windows": [1, float("nan")]}),
        ("flow", {"flow": "0"}),
        ("flow", {"flow": 1}),
        ("measure", {"measure": "goodput"}),
    ],
)
def test_a_search_names_what_makes_no_sense(place, how):
    with pytest.raises(InputError) as caught:
        search.best_window(CHAIN, **how)
    assert caught.value.place == place


def test_a_search_names_other_things_too():
    for resolution in (-1, float("nan"), "x"):
        with pytest.raises(InputError, match="fineness"):
            search.find(lambda values, runs: {}, [1, 2], resolution, 2)
    for scenario in (None, "chain.toml"):
        with pytest.raises(InputError, match="is no scenario"):
            search.best_window(scenario)
        with pytest.raises(InputError, match="is no scenario"):
            search.best_value(scenario, "flow.window", [1, 2])


class Boom(acklab.AckPolicy):
    def on_segment(self, segment):
        raise ZeroDivisionError("boom")


def test_a_search_whose_runs_fail_says_why():
    with pytest.raises(acklab.RunError, match="a run did not come through: the ACK policy Boom"):
        search.best_window(CHAIN.with_({"flow.ack": Boom()}), windows=[2, 4], runs=2)
    with pytest.raises(InputError, match="is not told by every run"):
        search.best_window(CHAIN, windows=[2, 4], runs=2, measure="session_delay_mean_s")


def test_what_is_no_argument_of_a_study_or_a_picture_is_refused(study, tmp_path):
    with pytest.raises(InputError, match="is no plan"):
        Study.of(None)
    with pytest.raises(InputError, match="confidence"):
        study.points("goodput_pps", "x")
    with pytest.raises(InputError, match="is no label"):
        acklab.plot.curves(study, x=None)
    with pytest.raises(InputError, match="are no words"):
        acklab.plot.curves(study, x="flow.window", x_label=5)
    for ask in (acklab.plot.Picture({}).save, acklab.run(CHAIN).save, StudyResult.load):
        with pytest.raises(InputError, match="is no path"):
            ask(5)
