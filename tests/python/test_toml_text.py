"""Whatever tree a scenario can hold comes back from its TOML text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acklab import toml_text

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
plain = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | text
nested = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)
)
trees = st.dictionaries(text, nested, max_size=5)


@given(trees)
def test_what_is_written_reads_back_equal(tree):
    assert tomllib.loads(toml_text.dumps(tree)) == tree


names = st.text("abc_-", min_size=1, max_size=3)
bare = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
)


@given(st.dictionaries(names, bare, max_size=5))
def test_comments_change_nothing_that_is_read(tree):
    def paths(value, path):
        yield path
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from paths(inner, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from paths(inner, f"{path}[{index}]")

    notes = dict.fromkeys(paths(tree, ""), 'in two\n "lines" # ]')
    written = toml_text.dumps(tree, notes)
    assert tomllib.loads(written) == tree
    plain_values = sum(not isinstance(value, dict | list) for value in tree.values())
    assert written.count("  # in two") >= plain_values


def test_a_comment_stands_behind_its_value():
    tree = {"duration": "10 s", "flow": [{"window": 8, "rto": {"min": "1 s", "max": "60 s"}}]}
    notes = {"duration": "the paper's", "flow[0].rto.min": "RFC 6298"}
    assert toml_text.dumps(tree, notes) == (
        'duration = "10 s"  # the paper\'s\n'
        "\n[[flow]]\nwindow = 8\n"
        '\n[flow.rto]\nmin = "1 s"  # RFC 6298\nmax = "60 s"\n'
    )


def test_a_scenario_reads_like_one_that_a_person_wrote():
    tree = {
        "duration": "10 s",
        "topology": {"kind": "chain", "nodes": 9},
        "flow": [{"window": 8, "ack": {"policy": "delayed", "count": 3}}],
    }
    assert toml_text.dumps(tree) == (
        'duration = "10 s"\n'
        "\n[topology]\n"
        'kind = "chain"\nnodes = 9\n'
        "\n[[flow]]\n"
        'window = 8\nack = { policy = "delayed", count = 3 }\n'
    )


def test_what_toml_cannot_say_is_refused():
    with pytest.raises(TypeError, match="NoneType"):
        toml_text.dumps({"key": None})
