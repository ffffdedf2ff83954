"""What a study's result answers: where sides meet, which part has a value."""

import pytest

import acklab
from acklab.errors import InputError
from acklab.study import Study

pytestmark = pytest.mark.usefixtures("study_folder")


def test_sides_that_meet_nowhere_are_named_and_can_be_compared_as_a_whole():
    every = Study.load("study.toml").run("out").where(variant="every")
    narrow, wide = every.where({"flow.window": 2}), every.where({"flow.window": 8})
    with pytest.raises(InputError, match="nothing in common") as caught:
        acklab.compare(wide, narrow)
    assert caught.value.place == "on = ['flow.window']"
    assert caught.value.value == "flow.window = [8] in a and [2] in b"
    assert "on=[]" in caught.value.accepted
    found = acklab.compare(wide, narrow, on=[])
    assert found.columns[0] == "difference"
    assert found["n"].to_list() == [3]
