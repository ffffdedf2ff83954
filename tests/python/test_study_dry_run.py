"""The time that a dry run tells: that of the missing runs, wherever in the grid they stand."""

import pytest
from click.testing import CliRunner

import acklab
from acklab.cli import cli
from acklab.study import Study
from acklab.study import dry_run as module
from acklab.study.progress import POINT_S
from study_folder import edited

pytestmark = pytest.mark.usefixtures("study_folder")


@pytest.fixture
def by_nodes(monkeypatch):
    """Let a run take as many seconds as it has nodes."""

    def cost(_record, job, _longer):
        return float(len(job.resolved.tree["topology"]["positions"]))

    monkeypatch.setattr(module, "_cost", cost)
    monkeypatch.setattr(module, "_PILOT_S", 0.1)
    monkeypatch.setattr(module, "_HANDLING_S", 0.0)


def seconds(study, workers=1):
    told = study.dry_run("out", workers)
    return told.seconds - told.points * POINT_S


def nodes(*counts, **options):
    return Study(acklab.Scenario.load("chain.toml"), {"topology.nodes": counts}, **options)


def test_the_time_is_that_of_runs_that_are_missing(by_nodes):
    nodes(3, 4, runs=2).run("out")
    assert seconds(nodes(3, 4, 9, runs=2)) == pytest.approx(18.0)
    assert seconds(nodes(3, 9, runs=4)) == pytest.approx(2 * 3.0 + 4 * 9.0)


def test_a_grid_of_even_steps_is_looked_at_all_over(by_nodes):
    chain = acklab.Scenario.load("chain.toml")
    for many in (32, 64, 160):
        grid = {"flow.window": range(1, many + 1), "topology.nodes": [2, 20]}
        told = seconds(Study(chain, grid, runs=1))
        assert 2 / 3 < told / (many * 22.0) < 3 / 2


def test_the_last_runs_take_as_long_as_one_on_however_many_cores(by_nodes):
    assert seconds(nodes(5, runs=1), workers=8) == pytest.approx(5.0)
    assert seconds(nodes(5, runs=9), workers=8) == pytest.approx(10.0)


def test_a_wished_precision_may_take_until_its_cap(by_nodes):
    study = nodes(3, 5, runs=2, max_runs=10, precision=0.5)
    told = study.dry_run("out", 1)
    assert (told.runs, told.most) == (4, 20)
    assert told.seconds == pytest.approx(2 * (3.0 + 5.0), abs=0.1)
    assert told.seconds_at_most == pytest.approx(10 * (3.0 + 5.0), abs=0.1)
    assert nodes(3, runs=2).dry_run("out", 1).seconds_at_most is None
    study.run("out")
    # Nothing more is asked for, but by somebody who begins afresh, or wishes more.
    assert study.dry_run("out", 1).seconds_at_most == 0.0
    assert study.dry_run("out", 1, fresh=True).seconds_at_most == pytest.approx(80.0, abs=0.1)
    narrow = nodes(3, 5, runs=2, max_runs=10, precision=1e-9).dry_run("out", 1)
    assert narrow.seconds == 0.0
    assert narrow.seconds_at_most == pytest.approx(64.0, abs=0.1)


def test_runs_of_later_rounds_that_are_there_are_not_counted_again(by_nodes):
    nodes(5, runs=8).run("out")
    told = nodes(3, 5, runs=2, max_runs=10, precision=1e-9).dry_run("out", 1)
    assert told.reused == 2
    assert told.seconds == pytest.approx(2 * 3.0, abs=0.1)
    assert told.seconds_at_most == pytest.approx(10 * 3.0 + 2 * 5.0, abs=0.1)


def test_people_are_told_both_times(study_folder):
    def said(*changes):
        edited(*changes)
        answer = CliRunner().invoke(cli, ["sweep", "study.toml", "--dry-run", "--workers", "1"])
        return answer.stdout.splitlines()[1]

    assert said() == "less than 1 s on 1 core"
    wished = ("runs = 3", 'runs = 3\nprecision = "1 %"\nmax_runs = 5000')
    first, rest = said(wished).split(" on 1 core for the first runs of each point, up to about ")
    assert first == "less than 1 s"
    assert rest.endswith(" s for the wished precision")
    assert int(rest.split()[0]) >= 1


def test_pilots_grow_until_they_are_the_runs_themselves_or_have_taken_a_while(monkeypatch):
    tried, long = [], acklab.Scenario.load("chain.toml").with_(duration="100 s")

    def quick(pilots, _seed, each, _workers):
        tried.append((each, *(longer for _, _, longer in pilots)))
        return 0.001

    monkeypatch.setattr(module, "_tried", quick)
    assert seconds(Study(long, runs=40)) > 0.0
    assert tried == [(2, 20.0), (2, 5.0), (2, 1.25), (2, 1.0), (8, 1.0), (32, 1.0), (128, 1.0)]
    tried.clear()
    monkeypatch.setattr(module, "_PILOT_WALL_S", -1.0)
    assert seconds(Study(long, runs=40)) > 0.0
    assert tried == [(2, 20.0)]
