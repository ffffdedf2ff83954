"""Runs through the Python API: determinism, intervals, pairing, precision, Ctrl-C."""

import json
import threading

import polars
import pytest

import acklab
from acklab import InputError, Interrupted, OutputError, RunError, _native, store
from acklab.batch import Job, execute, finished


def digests(result):
    return [record["digest"] for record in result.records]


def test_a_run_delivers_packets_and_says_what_it_cost(small):
    result = acklab.run(small, runs=3)
    goodput = result.measures["goodput_pps"]
    assert goodput.mean > 1.0
    assert goodput.n == 3
    assert goodput.low <= goodput.mean <= goodput.high
    assert goodput.unit
    assert result.events > 0
    assert result.simulated_s == pytest.approx(15.0)
    assert "simulated s per wall s" in result.speed


def test_same_seed_same_digest_on_any_number_of_workers(small):
    one = acklab.run(small, runs=4, seed=7, workers=1)
    two = acklab.run(small, runs=4, seed=7, workers=2)
    assert digests(one) == digests(two)
    assert one.frame().drop("wall_s").equals(two.frame().drop("wall_s"))
    assert len(set(digests(one))) == 4


def test_another_seed_is_another_result(small):
    assert digests(acklab.run(small, runs=1, seed=1)) != digests(acklab.run(small, runs=1, seed=2))


def test_a_run_does_not_depend_on_how_many_there_are(small):
    assert digests(acklab.run(small, runs=5))[:2] == digests(acklab.run(small, runs=2))


def test_capturing_does_not_change_the_run(small, tmp_path):
    captures = acklab.Captures(
        pcap=tmp_path / "air.pcapng", ip_pcap=tmp_path / "ip.pcap", events=tmp_path / "log.jsonl"
    )
    captured = acklab.run(small, runs=1, captures=captures)
    assert digests(captured) == digests(acklab.run(small, runs=1))
    assert (tmp_path / "air.pcapng").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert len((tmp_path / "ip.pcap").read_bytes()) > 100
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(events) > 10


def test_frames_per_run_flow_and_node(small):
    result = acklab.run(small, runs=3)
    assert result.frame().height == 3
    assert result.frame()["run"].to_list() == [0, 1, 2]
    assert result.frame("flow").select("run", "flow").rows() == [(0, 0), (1, 0), (2, 0)]
    assert result.frame("node").height == 9
    with pytest.raises(InputError):
        result.frame("packet")


def test_a_measure_that_is_not_there_is_told_with_the_name_that_is_near(small):
    measures = acklab.run(small, runs=1).measures
    with pytest.raises(acklab.MeasureError) as typo:
        measures["godput_pps"]
    assert "measures: no such measure (found: godput_pps); accepted: goodput_pps" in str(typo.value)
    with pytest.raises(acklab.MeasureError, match="none of these runs has a value of it"):
        measures["session_delay_mean_s"]
    # A mapping all the same.
    assert measures.get("godput_pps") is None
    with pytest.raises(KeyError):
        measures.values_of("godput_pps")


def test_one_flow_carries_all_that_the_network_delivers(small):
    result = acklab.run(small, runs=2)
    assert result.flow(0)["delivered_packets"] == result.measures["delivered_packets"]
    with pytest.raises(InputError):
        result.flow(1)
    with pytest.raises(InputError):
        result.node(3)


def test_samples_over_time(small):
    result = acklab.run(small, runs=1)
    frame = result.samples(0)
    assert {"time_s", "flow", "cwnd_packets", "window_packets"} <= set(frame.columns)
    assert frame["time_s"].diff().drop_nulls().round(9).unique().to_list() == [0.5]
    assert frame["window_packets"].max() <= 4.0
    with pytest.raises(InputError):
        result.samples(5)


def test_no_samples_unless_the_scenario_asks(small):
    result = acklab.run(small.with_(measure=None), runs=1)
    with pytest.raises(InputError, match=r"measure\.sample"):
        result.samples()


@pytest.fixture(scope="module")
def transfers():
    return acklab.Scenario.parse("""
        duration = "20 s"
        topology = { kind = "chain", nodes = 3, spacing = "200 m" }
        flow = [
            { kind = "ftp", to = 1 },
            { kind = "sessions", size = { law = "pareto", mean = "9 kB" }, pause = "100 ms" },
            { kind = "sessions", from = 2, to = 0, size = "3 kB" },
        ]
    """)


def test_short_transfers_are_listed_with_their_delays(transfers, tmp_path):
    result = acklab.run(transfers, runs=2)
    frame = result.sessions(1)
    assert frame.columns == ["flow", "session", "start_s", "bytes", "delay_s"]
    for flow in (1, 2):
        own = frame.filter(polars.col("flow") == flow)
        assert own["session"].to_list() == list(range(own.height))
        # Whole packets of 1000 B; only the last transfer can be unfinished.
        assert (own["bytes"] % 1000).sum() == 0
        assert own["delay_s"][:-1].null_count() == 0
    done = frame["delay_s"].drop_nulls()
    record = result.records[1]["measures"]
    # Measuring begins with the first opening, so every transfer counts.
    assert record["sessions_completed"] == done.len()
    assert record["session_delay_mean_s"] == pytest.approx(done.mean())
    folder = result.save(tmp_path / "kept")
    kept = polars.read_parquet(folder / "sessions.parquet")
    assert kept.filter(polars.col("run") == 1).drop("run").equals(frame)
    assert not (folder / "samples.parquet").exists()


def test_sizes_and_pauses_are_those_of_any_other_scheme(transfers):
    every = acklab.run(transfers, runs=1).sessions()
    delayed = {"policy": "delayed", "count": 4}
    other = acklab.run(transfers.with_({"flow.1.ack": delayed}), runs=1).sessions()
    for flow in (1, 2):
        one, two = (frame.filter(polars.col("flow") == flow) for frame in (every, other))
        both = min(one.height, two.height)
        assert both > 5
        assert one["bytes"][:both].to_list() == two["bytes"][:both].to_list()
    assert every["delay_s"].to_list() != other["delay_s"].to_list()


def test_no_transfers_unless_the_scenario_has_some(small):
    with pytest.raises(InputError, match="short transfers"):
        acklab.run(small, runs=1).sessions()


def test_one_run_carries_a_warning_that_it_has_no_interval(small):
    result = acklab.run(small, runs=1)
    assert result.measures["goodput_pps"].half_width is None
    assert "no-interval" in {warning.code for warning in result.warnings}


def test_comparison_is_paired_by_seed(small):
    narrow = acklab.run(small.with_({"flow.window": 1}), runs=4)
    wide = acklab.run(small, runs=4)
    difference = acklab.compare(wide, narrow, "goodput_pps")
    assert difference.difference.n == 4
    assert difference.difference.mean == pytest.approx(
        wide.measures["goodput_pps"].mean - narrow.measures["goodput_pps"].mean
    )
    same = acklab.compare(wide, wide)
    assert same.difference.mean == 0.0
    assert not same.significant
    with pytest.raises(InputError, match="seed"):
        acklab.compare(wide, acklab.run(small, runs=4, seed=2))
    with pytest.raises(InputError, match="measure"):
        acklab.compare(wide, narrow, "goodput")


def test_precision_adds_runs_until_the_interval_is_narrow(small):
    result = acklab.run(small, runs=3, precision=0.05)
    assert result.measures["goodput_pps"].relative <= 0.05
    assert digests(result) == digests(acklab.run(small, runs=result.runs))


def test_precision_that_is_not_reached_is_a_warning(small):
    jittered = small.with_({"flow.start_jitter": "3 s", "flow.start": "1 s"})
    result = acklab.run(jittered, runs=2, precision=1e-9, max_runs=4)
    assert result.runs == 4
    messages = {warning.code: warning.message for warning in result.warnings}
    assert messages["interval-too-wide"] == "goodput_pps is not within ± 1e-07 % after 4 runs"


def test_a_precision_of_what_no_run_tells_ends_with_the_runs_that_there_are(small):
    result = acklab.run(small, runs=3, precision=0.05, measure="session_delay_mean_s")
    assert result.runs == 3
    (said,) = (str(w) for w in result.warnings if w.code == "no-such-measure")
    assert "no run has a value of session_delay_mean_s" in said


def test_a_precision_that_zeros_reach_is_a_warning(small):
    result = acklab.run(small, runs=3, precision=0.05, measure="retry_drops")
    assert result.runs == 3
    messages = {warning.code: warning.message for warning in result.warnings}
    assert messages["all-zero"].startswith("retry_drops was 0 in all 3 runs: an interval of no")
    assert "all-zero" not in {w.code for w in acklab.run(small, runs=3, precision=0.9).warnings}


@pytest.mark.parametrize(
    "arguments",
    [
        {"runs": 0},
        {"runs": -1},
        {"seed": -1},
        {"seed": 2**64},
        {"workers": 0},
        {"workers": 2**64},
        {"precision": 0.0},
        {"precision": 2.0},
        {"precision": 0.1, "measure": "goodput"},
        {"precision": 0.1, "runs": 10, "max_runs": 5},
    ],
)
def test_arguments_that_make_no_sense(small, arguments):
    with pytest.raises(InputError):
        acklab.run(small, **{"runs": 2} | arguments)


def test_progress_is_told_until_all_is_done(small):
    states = []
    acklab.run(small, runs=3, progress=states.append)
    assert (states[-1].done, states[-1].total) == (3, 3)
    assert states[-1].left_s == 0.0
    assert [state.done for state in states] == sorted(state.done for state in states)


def test_ctrl_c_keeps_the_finished_runs(small):
    def interrupt(state):
        if state.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        acklab.run(small, runs=50, workers=1, progress=interrupt)
    kept = caught.value.result
    # The run whose arrival was interrupted may or may not be counted; nothing else is lost.
    assert 1 <= kept.runs <= 2
    assert kept.interrupted
    assert digests(kept) == digests(acklab.run(small, runs=kept.runs))
    assert "interrupted" in {warning.code for warning in kept.warnings}


def test_a_saved_result_holds_everything(small, tmp_path):
    result = acklab.run(small, runs=2)
    folder = result.save(tmp_path / "kept")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted(manifest["files"])
    assert manifest["seed"] == 1
    assert manifest["runs"]["finished"] == 2
    assert manifest["version"].startswith(acklab.__version__)
    assert manifest["measures"]["goodput_pps"]["mean"] == result.measures["goodput_pps"].mean
    for name, frame in (("runs", result.frame()), ("flows", result.frame("flow"))):
        assert polars.read_parquet(folder / f"{name}.parquet").equals(frame)
        assert polars.read_csv(folder / f"{name}.csv").height == frame.height
    samples = polars.read_parquet(folder / "samples.parquet")
    assert samples["run"].unique().sort().to_list() == [0, 1]
    assert acklab.Scenario.load(folder / "scenario.toml") == small
    acklab.Scenario.load(folder / "resolved.toml")
    resolved = (folder / "resolved.toml").read_text(encoding="utf-8")
    assert 'packet = "1000 B"  # profile ns2: packetSize_\n' in resolved


def test_the_default_folder_is_named_for_the_question(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = acklab.run(small, runs=1).save()
    assert first.parent.name == "results"
    assert first.name.startswith("small-")
    assert acklab.run(small, runs=1).save() == first
    assert acklab.run(small, runs=2).save() != first


def test_a_capture_that_cannot_be_written_is_an_error_before_anything_runs(small, tmp_path):
    (tmp_path / "file").write_text("x")
    captures = acklab.Captures(pcap=tmp_path / "file" / "air.pcapng")
    with pytest.raises(OutputError, match="not a folder"):
        acklab.run(small, runs=1, captures=captures)


def test_cancelling_ends_the_threads(small):
    before = threading.active_count()
    jobs = [Job(small.resolve(), 1, run) for run in range(10_000)]
    finished = execute(jobs, workers=2)
    next(finished)
    finished.close()
    assert threading.active_count() == before


def test_a_batch_hands_over_every_job_once(small):
    jobs = [Job(small.resolve(), 1, run) for run in range(7)]
    seen = sorted((index, record["run"]) for index, record in execute(jobs, workers=3))
    assert seen == [(index, index) for index in range(7)]
    assert list(execute([])) == []


def test_a_resolved_text_that_is_none_fails_that_run_only(small):
    batch = _native.Batch([("{}", 1, 0), (small.resolve().text, 1, 1)], 1)
    answers = dict(answer for group in finished(batch, 1.0) for answer in group)
    assert "error" in answers[0]
    assert "measures" in answers[1]


def test_when_no_run_comes_through_that_is_an_error(small, monkeypatch):
    def broken(jobs, workers, progress):
        for index, _ in enumerate(jobs):
            yield index, {"error": {"kind": "RunError", "message": "queue is upside down"}}

    monkeypatch.setattr("acklab.simulate.execute", broken)
    with pytest.raises(RunError, match="upside down"):
        acklab.run(small, runs=2)


def test_the_identity_of_a_result_tells_scenarios_apart(small):
    one = acklab.run(small, runs=1)
    other = acklab.run(small.with_({"flow.window": 2}), runs=1)
    assert store.identity(one) != store.identity(other)


def test_a_result_is_a_pandas_frame_on_request(small):
    result = acklab.run(small, runs=2)
    frame = result.frame("flow", pandas=True)
    assert list(frame.columns) == result.frame("flow").columns
    assert len(frame) == 2


def test_no_more_runs_than_a_memory_holds(small):
    with pytest.raises(InputError, match="too many runs") as error:
        acklab.run(small, runs=2, precision=0.01, max_runs=10**12)
    assert error.value.place == "max_runs"


def test_a_warning_that_names_other_things_in_other_runs_says_of_which_run_it_speaks(small):
    result = acklab.run(small, runs=3)
    for number, record in enumerate(result.records):
        record["warnings"] = [{"code": "silent", "message": f"flow {number}", "count": 2}]
        record["warnings"] += [{"code": "same", "message": "all alike", "count": 1}]
    told = {warning.code: warning for warning in result.warnings}
    assert told["silent"].message == "flow 0 (in the first of these runs)"
    assert told["silent"].count == 6
    assert told["same"].message == "all alike"


def test_samples_of_flows_that_have_no_window(small, tmp_path):
    datagrams = {"kind": "cbr", "interval": "50 ms"}
    both = small.with_({"measure.sample": "1 s", "flow": [{"kind": "ftp"}, datagrams]})
    result = acklab.run(both, 2)
    frame = result.samples()
    assert frame.filter(frame["flow"] == 1)["cwnd_packets"].null_count() == frame.height / 2
    assert frame["delivered_packets"].null_count() == 0
    assert (result.save(tmp_path / "both") / "samples.parquet").exists()
    alone = small.with_({"measure.sample": "1 s", "flow": [datagrams]})
    result = acklab.run(alone, 1)
    assert "cwnd_packets" not in result.samples().columns
    assert not {"cwnd_mean", "cwnd_max", "window_mean"} & set(result.measures)
    study = acklab.Study(both, runs=2, keep=["samples"]).run(tmp_path / "study")
    assert study.frame("sample")["cwnd_packets"].null_count() > 0


def test_any_seed_fits_into_the_frame(small):
    result = acklab.run(small, 1, seed=2**64 - 1)
    assert str(result.frame()["seed"].dtype) == "UInt64"
    assert result.frame()["seed"].to_list() == [2**64 - 1]
