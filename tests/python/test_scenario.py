"""Scenarios: loading, changing, resolving, writing."""

import json
import tomllib
from pathlib import Path

import pytest

from acklab import InputError, Scenario, ScenarioError, json_schema, starter
from acklab.changes import parse_change

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_a_file_and_its_tree_are_the_same_scenario(small, tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(small.to_toml())
    loaded = Scenario.load(path)
    assert loaded == small == Scenario.from_dict(small.to_dict())
    assert loaded.title == "small"


def test_the_shortest_faithful_chain_has_at_most_twelve_lines():
    text = """\
duration = "150 s"
[topology]
kind = "chain"
nodes = 9
spacing = "200 m"
[[flow]]
kind = "ftp"
window = 8
"""
    assert text.count("\n") <= 12
    tree = Scenario.parse(text).resolve().tree
    assert len(tree["topology"]["positions"]) == 9
    assert (tree["flow"][0]["from"], tree["flow"][0]["to"]) == (0, 8)
    assert tree["routing"]["protocol"] == "aodv"


def test_every_default_is_filled_and_says_where_it_comes_from(small):
    resolved = small.resolve()
    assert resolved.tree["mac"]["data_rate"]
    assert resolved.sources["mac.data_rate"]
    assert resolved.sources["flow[0].window"] == "given"


def test_a_resolved_scenario_is_a_scenario_that_resolves_to_itself(small):
    text = small.resolve().to_toml()
    again = Scenario.parse(text, "small.toml").resolve()
    without = {key: value for key, value in again.tree.items() if key != "sources"}
    assert without == {
        key: value for key, value in small.resolve().tree.items() if key != "sources"
    }


def test_with_leaves_the_original_alone(small):
    before = small.to_dict()
    changed = small.with_({"flow.window": 9}, duration="7 s")
    assert small.to_dict() == before
    assert changed.to_dict()["flow"] == [{"kind": "ftp", "window": 9}]
    assert changed.resolve().tree["duration"] == "7 s"
    assert changed != small


def test_a_key_without_index_means_every_flow(small):
    two = small.with_(
        flow=[
            {"kind": "ftp", "window": 1},
            {"kind": "ftp", "window": 2, "from": 2, "to": 0},
        ]
    )
    both = two.with_({"flow.window": 5}).to_dict()["flow"]
    assert [flow["window"] for flow in both] == [5, 5]
    second = two.with_({"flow.1.window": 5}).to_dict()["flow"]
    assert [flow["window"] for flow in second] == [1, 5]


def test_a_value_replaces_what_stood_there(small):
    delayed = {"policy": "delayed", "count": 3}
    dynamic = {"policy": "dynamic", "thresholds": [2, 5, 9]}
    changed = small.with_({"flow.ack": delayed}).with_({"flow.ack": dynamic})
    assert changed.to_dict()["flow"][0]["ack"] == dynamic


def test_a_mapping_changes_only_its_keys_of_a_section(small):
    longer = small.with_(topology={"nodes": 5}).to_dict()["topology"]
    assert longer == {"kind": "chain", "nodes": 5, "spacing": "200 m"}


def test_a_new_kind_replaces_the_section(small):
    pair = {"kind": "positions", "positions": [["0 m", "0 m"], ["100 m", "0 m"]]}
    assert small.with_(topology=pair).to_dict()["topology"] == pair


def test_none_brings_the_default_back(small):
    with_rate = small.with_({"mac.data_rate": "2 Mbit/s"})
    assert with_rate != small
    assert with_rate.with_({"mac.data_rate": None}) == small


@pytest.mark.parametrize("key", ["flow.7.window", "duration.deep.", "flow..window"])
def test_a_key_that_leads_nowhere_is_an_error(small, key):
    with pytest.raises(InputError):
        small.with_({key: 1})


def test_an_unknown_key_is_an_error_with_place_value_and_what_is_accepted(small):
    with pytest.raises(ScenarioError) as caught:
        small.with_({"mac.data_rat": "2 Mbit/s"})
    error = caught.value
    assert "mac.data_rat" in error.place
    assert "data_rate" in f"{error.message} {error.accepted}"
    assert isinstance(error, ValueError)


def test_a_text_that_is_no_toml_names_its_line():
    with pytest.raises(ScenarioError) as caught:
        Scenario.parse('duration = "5 s"\nnodes 3\n', "broken.toml")
    assert "broken.toml:2" in caught.value.place


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(ScenarioError, match="No such file"):
        Scenario.load(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="UTF-8"):
        Scenario.load(tmp_path / "binary.toml")


@pytest.mark.parametrize("name", ["small.toml", "small.json"])
def test_a_byte_order_mark_is_no_part_of_the_text(small, tmp_path, name):
    text = small.to_toml() if name.endswith("toml") else json.dumps(small.to_dict())
    path = tmp_path / name
    path.write_text(text, encoding="utf-8-sig")
    assert Scenario.load(path).to_dict() == small.to_dict()


def test_a_key_that_stands_twice_is_an_error_in_json_too():
    chain = '"duration": "3 s", "topology": {"kind": "chain", "nodes": 3, "spacing": "200 m"}'
    text = f'{{{chain}, "flow": [{{"kind": "ftp", "window": 2, "window": 4}}]}}'
    with pytest.raises(ScenarioError, match="a key stands twice") as caught:
        Scenario.parse(text, "twice.json")
    assert (caught.value.place, caught.value.value) == ("twice.json", "window")


def test_the_starter_is_a_scenario():
    assert Scenario.parse(starter(), "starter.toml").flows >= 1
    assert "#" in starter()


def test_the_schema_names_every_key_of_a_resolved_scenario(small):
    schema = json_schema()
    assert set(small.resolve().tree) <= set(schema["properties"])


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("flow.window=8", "flow.window", 8),
        ("link.arp=false", "link.arp", False),
        ("duration=60 s", "duration", "60 s"),
        ('duration="60 s"', "duration", "60 s"),
        ("radio.capture = none", "radio.capture", "none"),
        ("flow.ack={policy='delayed', count=3}", "flow.ack", {"policy": "delayed", "count": 3}),
        ("flow.ack.thresholds=[2, 5, 9]", "flow.ack.thresholds", [2, 5, 9]),
        ("mac.data_rate=default", "mac.data_rate", None),
        ("title=a=b", "title", "a=b"),
    ],
)
def test_changes_as_the_command_line_takes_them(text, key, value):
    assert parse_change(text) == (key, value)


@pytest.mark.parametrize("text", ["flow.window", "=8", ""])
def test_what_is_no_change_is_an_error(text):
    with pytest.raises(InputError, match="no change"):
        parse_change(text)


def test_changes_of_the_tree_and_of_the_text_agree(small):
    tree = tomllib.loads(small.to_toml())
    tree["flow"][0]["window"] = 6
    assert Scenario.from_dict(tree) == small.with_({"flow.window": 6})


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_resolved_scenario_reads_back_with_its_sources(example):
    resolved = Scenario.load(example).resolve()
    again = Scenario.parse(resolved.to_toml()).resolve()
    assert again.sources == resolved.sources
    assert again.to_toml() == resolved.to_toml()
    filled = sum(source != "given" for source in resolved.sources.values())
    written = resolved.to_toml().partition("[sources]")[0]
    # Of some the value is that there is none, which TOML does not say.
    assert filled - 2 <= written.count("  # ") <= filled


@pytest.mark.parametrize(
    "slotted", ["", 'combining = "none"', 'combining = "xor"', 'reading = "p2"']
)
def test_what_has_no_effect_in_a_resolved_scenario_is_no_mistake(slotted):
    text = 'duration = "90 s"\n[topology]\nkind = "chain"\nnodes = 4\nspacing = "200 m"\n'
    flow = '[[flow]]\nkind = "ftp"\nstart = "0 s"\n'
    resolved = Scenario.parse(f"{text}[slotted]\n{slotted}\n{flow}").resolve()
    assert Scenario.parse(resolved.to_toml()).resolve().tree == resolved.tree


def test_none_removes_one_of_several(small):
    two = small.with_({"flow": [{"kind": "ftp", "window": 2}, {"kind": "ftp", "window": 3}]})
    assert [flow["window"] for flow in two.with_({"flow.0": None}).resolve().tree["flow"]] == [3]


def test_a_resolved_scenario_keeps_its_profile():
    """Its values all stand there: another profile would fill in nothing and lend its name."""
    chain = Scenario.load(EXAMPLES / "chain9.toml")
    resolved = Scenario.parse(chain.resolve().to_toml(), "resolved.toml")
    assert resolved == chain
    for changes in (
        {"profile": "standard"},
        {"mac.profile": "standard"},
        {"flow.profile": "ns2-2.1b9"},
    ):
        with pytest.raises(
            ScenarioError, match="stand here as profile ns2 filled them in"
        ) as caught:
            resolved.with_(changes)
        assert caught.value.place.endswith("profile")
        assert "resolved from" in caught.value.accepted
    assert (
        resolved.with_({"flow.window": 3, "profile": "ns2-2.35"}).resolve().tree["profile"] == "ns2"
    )
    # Who means the values as they stand says so.
    assert (
        resolved.with_({"profile": "standard", "sources": None}).resolve().tree["mac"]["cw_max"]
        == 1023
    )
    # A part that was given another profile from the start has it still.
    mixed = chain.with_({"mac.profile": "standard"})
    assert Scenario.parse(mixed.resolve().to_toml()) == mixed
    fewer = resolved.to_dict()
    fewer["flow"] = [{"kind": "ftp"}]
    assert Scenario.from_dict(fewer).flows == 1
