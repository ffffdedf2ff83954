"""One folder, several studies: each tells its own numbers, or that they have gone."""

import json
import threading
from contextlib import closing
from pathlib import Path

import pytest

from acklab.errors import InputError
from acklab.study import Study, StudyResult
from acklab.study.cache import code_identity
from acklab.study.index import Index
from acklab.study.result import ASKED
from study_folder import edited, tables

pytestmark = pytest.mark.usefixtures("study_folder", "no_cache")

HOW = {"version", "created", "command", "machine", "new_runs", "reused_runs", "failures", "workers"}


def test_a_manifest_says_what_was_asked_and_how_it_came_about():
    Study.load("study.toml").run("out")
    told = set(json.loads(Path("out/manifest.json").read_text()))
    assert told == {*ASKED, *HOW, "elapsed_s", "runs_cpu_s", "warnings"}


@pytest.mark.parametrize(
    "edit",
    [('"goodput_pps"', '"timeouts"'), ("[2, 8]", "[3, 4]"), ("runs = 3", "runs = 2")],
)
def test_a_result_whose_folder_another_study_took_says_so(edit):
    first = edited(("runs = 3", 'runs = 3\nmeasure = "goodput_pps"'))
    earlier = Study.load(first).run("out")
    before = earlier.comparison()
    table = earlier.table
    again = Study.load(first).run("out")
    assert earlier.comparison().equals(before)
    edited(("runs = 3", 'runs = 3\nmeasure = "goodput_pps"'), edit)
    later = Study.load("study.toml").run("out")
    for ask in (earlier.comparison, lambda: again.frame("flow")):
        with pytest.raises(InputError, match="no longer holds this study") as caught:
            ask()
        assert caught.value.place == "out"
    assert earlier.table.equals(table)
    assert later.comparison().height > 0


def test_tables_are_written_and_read_by_one_at_a_time():
    Study.load("study.toml").run("whole")
    Path("out").mkdir()
    found = []
    with closing(Index(Path("out"), code_identity())) as other:
        writer = threading.Thread(
            target=lambda: found.append(Study.load("study.toml").run("out")), daemon=True
        )
        with other.exclusively():
            writer.start()
            writer.join(3.0)
            assert not found
            assert not Path("out/manifest.json").exists()
        writer.join(60.0)
    assert [result.runs for result in found] == [StudyResult.load("whole").runs]
    assert tables(Path("out")) == tables(Path("whole"))
