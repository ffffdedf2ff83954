"""The extension module keeps the promises of its stub and of its border."""

import json
import subprocess
import sys
import time

import pytest

from acklab import ScenarioError, _native, measure_info, starter
from acklab.batch import finished


def test_the_stub_says_what_the_module_holds(tmp_path):
    # The stub uses nothing of the package, which need not be checked for it.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nfollow_imports = skip\n", encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", settings, "acklab._native"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout


def test_a_mistake_becomes_the_error_class_of_the_package():
    with pytest.raises(ScenarioError) as caught:
        _native.resolve("duration = 5", "file.toml", "toml")
    assert caught.value.place == "file.toml:1:1: duration"
    assert caught.value.value == "5"
    assert caught.value.accepted


def test_an_unknown_format_is_an_input_error():
    with pytest.raises(ValueError, match="toml or json"):
        _native.resolve("", "file", "yaml")


def test_one_run_as_text():
    resolved = _native.resolve(starter().replace("150 s", "3 s"), "starter.toml", "toml")
    result = json.loads(_native.run(resolved, 1, 0))
    assert result["wall_s"] > 0.0
    assert len(result["digest"]) == 16
    traced = json.loads(_native.run(resolved, 1, 0, '{"trace": true}'))
    assert traced["digest"] == result["digest"]
    assert traced["measures"] == result["measures"]
    with pytest.raises(ValueError, match="unknown field"):
        _native.run(resolved, 1, 0, '{"speed": 9}')


def test_what_nobody_reads_is_left_out_and_the_rest_is_the_same():
    resolved = _native.resolve(starter().replace("150 s", "3 s"), "starter.toml", "toml")
    whole = json.loads(_native.run(resolved, 1, 0))
    less = json.loads(_native.run(resolved, 1, 0, '{"leave_out": ["nodes", "samples"]}'))
    assert whole.keys() - less.keys() == {"nodes", "samples"}
    assert {name: whole[name] for name in less if name != "wall_s"} == {
        name: value for name, value in less.items() if name != "wall_s"
    }
    with pytest.raises(ValueError, match="flows"):
        _native.run(resolved, 1, 0, '{"leave_out": ["flow"]}')


def test_a_run_tells_the_processors_time_where_it_is_asked_for():
    resolved = _native.resolve(starter(), "starter.toml", "toml")
    assert "cpu_s" not in json.loads(_native.run(resolved, 1, 0))
    before = time.thread_time()
    result = json.loads(_native.run(resolved, 1, 0, '{"cpu": true}'))
    assert 0.0 < result["cpu_s"] < time.thread_time() - before


def finished_by_the_end(batch):
    """Every answer of a batch, in the order in which they come."""
    answers = [answer for group in finished(batch, 1.0) for answer in group]
    assert len(answers) == len({index for index, _ in answers})
    return answers


def test_a_batch_reads_each_text_and_mixes_none_up():
    texts = [
        _native.resolve(starter().replace("150 s", f"{seconds} s"), "starter.toml", "toml")
        for seconds in (2, 3)
    ]
    # The same text once more, as another object; and one that is no scenario, twice.
    texts += [(texts[0] + " ").strip(), "{}"]
    jobs = [(text, 1, run) for run in range(3) for text in texts]
    batch = _native.Batch(jobs, 2)
    answers = dict(finished_by_the_end(batch))
    for place, (text, seed, run) in enumerate(jobs):
        if text == "{}":
            assert answers[place]["error"]["kind"] == "ScenarioError"
        else:
            alone = json.loads(_native.run(text, seed, run))
            assert answers[place]["digest"] == alone["digest"]
            assert answers[place]["simulated_s"] == alone["simulated_s"]


def test_every_measure_of_a_result_is_declared_with_a_unit():
    resolved = _native.resolve(starter().replace("150 s", "3 s"), "starter.toml", "toml")
    result = json.loads(_native.run(resolved, 1, 0))
    declared = measure_info()
    for part in (result["measures"], *result["flows"], *result["nodes"]):
        assert set(part) <= set(declared)
    assert all(info.unit and info.what for info in declared.values())


def test_a_batch_refuses_no_workers_and_ends_when_cancelled():
    with pytest.raises(ValueError, match="worker"):
        _native.Batch([], 0)
    batch = _native.Batch([], 1)
    batch.wait(0.0)
    assert batch.next() is None
    assert batch.remaining() == 0
    endless = _native.resolve(starter().replace("150 s", "100000 s"), "starter.toml", "toml")
    batch = _native.Batch([(endless, 1, run) for run in range(3)], 2)
    batch.cancel()
    assert batch.ended(60.0)
    batch.wait(1.0)
    assert (batch.next(), batch.remaining()) == (None, 0)


def test_runs_that_finish_close_together_are_handed_over_together():
    short = _native.resolve(starter().replace("150 s", "1.1 s"), "starter.toml", "toml")
    batch = _native.Batch([(short, 1, run) for run in range(300)], 2)
    waits, indices = 0, []
    while batch.remaining():
        batch.wait(1.0)
        waits += 1
        while (answer := batch.next()) is not None:
            indices.append(answer[0])
    assert sorted(indices) == [*range(300)]
    assert waits < 150


def test_threads_wait_where_python_does_not_fetch():
    short = _native.resolve(starter().replace("150 s", "1.1 s"), "starter.toml", "toml")
    batch = _native.Batch([(short, 1, run) for run in range(2000)], 1)
    room, most = 1024 + 16, 0
    while batch.remaining():
        # Longer than so many runs take, at first.
        time.sleep(0.0 if most else 2.0)
        batch.wait(1.0)
        most = max(most, sum(1 for _ in iter(batch.next, None)))
    assert most == room
