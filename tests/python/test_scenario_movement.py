"""What can be asked of the motion of a scenario, and of its results, from Python."""

import pytest

import acklab
from acklab.errors import InputError
from study_folder import BASE


@pytest.mark.parametrize(
    ("numbers", "place"), [((-1, 0), "seed"), ((2**64, 0), "seed"), ((1, -1), "run")]
)
def test_there_are_no_such_seeds_and_runs(numbers, place):
    with pytest.raises(InputError, match="is no such number") as error:
        acklab.Scenario.parse(BASE).movement(*numbers)
    assert error.value.place == place


def test_a_result_is_a_pandas_frame_on_request():
    result = acklab.run(acklab.Scenario.parse(BASE), runs=2)
    frame = result.frame("flow", pandas=True)
    assert list(frame.columns) == result.frame("flow").columns
    assert len(frame) == 2
