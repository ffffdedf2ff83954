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
