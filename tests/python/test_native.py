"""The extension module keeps the promises of its stub and of its border."""

import json
import subprocess
import sys
import time

import pytest

from acklab import ScenarioError, _native, measure_info, starter


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


def test_a_batch_reads_each_text_and_mixes_none_up():
    texts = [
        _native.resolve(starter().replace("150 s", f"{seconds} s"), "starter.toml", "toml")
        for seconds in (2, 3)
    ]
    # The same text once more, as another object; and one that is no scenario, twice.
    texts += [(texts[0] + " ").strip(), "{}"]
    jobs = [(text, 1, run) for run in range(3) for text in texts]
    batch = _native.Batch(jobs, 2)
    answers = {}
    while batch.remaining():
        answers |= {index: json.loads(text) for index, text in batch.finished(1.0)}
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
    assert batch.finished(0.0) == []
    assert batch.remaining() == 0
