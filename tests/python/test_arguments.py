"""What is handed over is checked before anything runs, and errors name place, value and remedy."""

import json
import threading

import numpy
import pytest

import acklab
from acklab import InputError, Scenario, papers, plot


def refused(call):
    """Return the error that the call ends with."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.place
    assert caught.value.accepted
    return caught.value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), numpy.float64("nan"), 10**400])
def test_a_number_without_a_form_in_json_is_refused_with_its_key(small, value):
    error = refused(lambda: small.with_({"flow.window": value}))
    assert error.place == "flow[0].window"
    assert error.value in ("nan", "inf", "1329 bits")
    assert "JSON" not in str(error)


def test_a_grid_says_which_of_its_values_is_no_number(small):
    error = refused(lambda: acklab.Study(small, grid={"flow.window": [2, float("nan")]}))
    assert error.place.startswith("grid.flow.window, at flow.window=nan")
    assert error.value == "nan"


def test_half_a_character_is_refused_with_its_key(small):
    error = refused(lambda: small.with_(title="a\udc80"))
    assert (error.place, error.value) == ("title", r"'a\udc80'")
    refused(lambda: Scenario.parse(small.to_toml() + "# \udc80"))


def test_the_command_line_names_the_key_of_a_value_that_is_no_number(acklab):
    answer = acklab("run", "small.toml", "--set", "flow.window=nan")
    assert answer.code == 2
    assert "flow[0].window: not a finite number found: nan" in " ".join(answer.err.split())


@pytest.mark.parametrize("value", [2, 1, 0, -1, float("nan"), "x", True])
def test_a_confidence_that_is_none_is_refused_before_anything_runs(small, value):
    shown = []
    error = refused(lambda: acklab.run(small, runs=3, confidence=value, progress=shown.append))
    assert (error.place, error.value, shown) == ("confidence", repr(value), [])


def test_whole_numbers_of_numpy_are_whole_numbers(small):
    two, one, zero = numpy.int64(2), numpy.uint8(1), numpy.int32(0)
    result = acklab.run(small, runs=two, seed=one, workers=one, max_runs=two, precision=0.9)
    plain = acklab.run(small, runs=2)
    assert [r["digest"] for r in result.records] == [r["digest"] for r in plain.records]
    assert (type(result.seed), type(result.workers), type(result.requested)) == (int, int, int)
    assert result.flow(zero)["goodput_pps"] == plain.flow(0)["goodput_pps"]
    plan = acklab.Study(small, runs=two, seed=one, max_runs=two, precision=0.9).plan
    assert [type(n) for n in (plan.runs, plan.seed, plan.max_runs)] == [int, int, int]


@pytest.mark.parametrize("value", [2.5, 2.0, True, "6", numpy.float64(2.0), None])
def test_what_is_no_whole_number_of_runs_is_shown_as_it_is(small, value):
    for call in (
        lambda: acklab.run(small, runs=value),
        lambda: acklab.Study(small, runs=value),
        lambda: acklab.Study(small, seed=value),
        lambda: acklab.run(small, seed=value),
    ):
        error = refused(call)
        assert (error.message, error.value) == ("is no whole number", repr(value))


def test_more_runs_than_a_memory_holds_are_refused(small):
    for call in (
        lambda: acklab.run(small, runs=10**12),
        lambda: acklab.Study(small, runs=10**12),
        lambda: papers.reproduce("altman2003", runs=10**12),
    ):
        error = refused(call)
        assert (error.place, error.value, error.accepted) == ("runs", str(10**12), "1 to 1000000")


class Locked(acklab.AckPolicy):
    """A policy that holds what cannot be copied."""

    version = "1"

    def __init__(self):
        self.lock = threading.Lock()

    def on_segment(self, segment):
        return None


def holding_itself():
    tree = {}
    tree["it"] = tree
    return tree


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda c: acklab.Study(c, run=3), "run"),
        (lambda c: acklab.Study(c, base=c), "base"),
        (lambda c: acklab.run(c, workers="2"), "workers"),
        (lambda c: acklab.Study(c).run("out", workers="2"), "workers"),
        (lambda c: acklab.Study(c).run("out", on="mars"), "on"),
        (lambda c: acklab.run(c, captures="x.pcapng"), "captures"),
        (lambda c: acklab.run(c, progress=5), "progress"),
        (lambda c: acklab.Study(c).run("out", progress=5), "progress"),
        (lambda c: acklab.Captures(pcap=3), "pcap"),
        (lambda c: acklab.Captures(ip_pcap="x", node="1"), "node"),
        (lambda _: Scenario.parse(None), "scenario"),
        (lambda _: Scenario.load(None), "path"),
        (lambda _: acklab.Study.load(None), "path"),
        (lambda c: c.movement(seed="1"), "seed"),
        (lambda c: acklab.run(c, runs=2).flow("0"), "flow"),
        (lambda c: acklab.run(c, runs=2).node(1.0), "node"),
        (lambda c: c.with_({"flow.ack": Locked()}), "flow.ack"),
        (lambda c: Scenario.from_dict({**c.to_dict(), "title": threading.Lock()}), "title"),
        (lambda c: Scenario.parse(c.to_toml(), name=5), "name"),
        (lambda c: Scenario.from_dict(c.to_dict(), name=None), "name"),
        (lambda c: Scenario.from_dict({**c.to_dict(), ("a", "b"): 1}), "a key of the scenario"),
        (lambda c: Scenario.from_dict({"topology": {(1, 2): 3}}), "a key of topology"),
        (lambda _: Scenario.from_dict(holding_itself()), "scenario"),
        (lambda c: c.with_({"flow.ack": holding_itself()}), "flow.ack"),
        (lambda c: plot.curves(acklab.run(c, runs=2), x="run"), "result"),
        (lambda _: papers.reproduce("altman2003", items="table1"), "items"),
        (lambda _: papers.reproduce("altman2003", workers="2"), "workers"),
        (lambda _: papers.reproduce("altman2003", progress=5), "progress"),
    ],
)
def test_no_argument_ends_in_an_error_of_python(small, tmp_path, monkeypatch, call, place):
    monkeypatch.chdir(tmp_path)
    assert refused(lambda: call(small)).place == place


def test_a_policy_in_a_dict_is_copied_too(small):
    tree = small.to_dict()
    tree["flow"][0]["ack"] = Locked()
    assert "cannot be copied" in str(refused(lambda: Scenario.from_dict(tree)))


def test_a_scenario_may_be_json(small, acklab, tmp_path):
    text = json.dumps(small.to_dict() | {"title": None}, indent=1)
    (tmp_path / "small.json").write_text(text)
    assert Scenario.parse(text) == Scenario.load(tmp_path / "small.json") == small
    assert Scenario.parse(Scenario.parse(text).to_toml()) == small
    assert Scenario.parse(text).with_({"flow.window": 3}) == small.with_({"flow.window": 3})
    assert acklab("run", str(tmp_path / "small.json"), "--runs", "2", "--json").code == 0


def test_json_that_is_wrong_is_refused_with_its_line(small):
    text = json.dumps(small.to_dict(), indent=1).replace('"window": 4', '"window": "many"')
    assert refused(lambda: Scenario.parse(text, "a.json")).place.startswith("a.json:")
    with pytest.raises(InputError, match="not JSON") as caught:
        Scenario.parse(text[:-1], "cut.json")
    assert caught.value.place.startswith("cut.json:")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("duration = " + "1" * 5000, "range"),
        ('{"duration": ' + "1" * 5000 + "}", "has a number of too many digits|range"),
        ("a = " + "[" * 20_000, "recurse|nested too deeply"),
        ('{"a":' * 20_000, "recursion|nested too deeply"),
    ],
)
def test_a_text_that_python_cannot_read_is_an_error_of_the_text(acklab, tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        Scenario.parse(text)
    (tmp_path / "odd.toml").write_text(text)
    for verb in ("run", "sweep"):
        answer = acklab(verb, "odd.toml", "--json")
        assert answer.code == 2, answer.out
        assert "odd.toml" in answer.json["error"]["place"]


@pytest.mark.parametrize("value", ["1" * 5000, "[" * 3000])
def test_a_change_that_python_cannot_read_is_an_error_of_the_change(acklab, value):
    answer = acklab("run", "small.toml", "--set", f"flow.window={value}", "--json")
    assert answer.code == 2
    assert "--set flow.window" in answer.json["error"]["place"]


def test_a_script_without_a_file_needs_none():
    text = """
    duration = "2 s"
    topology = { kind = "chain", nodes = 3, spacing = "200 m" }
    flow = [{ kind = "ftp" }]
    """
    motion = {"kind": "setdest", "script": "$node_(0) set X_ 0\n$node_(0) set Y_ 9\n"}
    entry = {"nodes": [0], "motion": {**motion, "script_file": None}}
    moving = Scenario.from_dict({**Scenario.parse(text).to_dict(), "moving": [entry]})
    assert moving.to_dict()["moving"][0]["motion"] == motion
