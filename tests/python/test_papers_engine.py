"""The engine end to end on made-up runs: folder, campaign, files, claims, report."""

from __future__ import annotations

import io
import json
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from acklab import papers
from acklab.errors import InputError, OutputError
from acklab.papers.engine import grid
from acklab.papers.engine.campaign import Progress, runs_for
from acklab.papers.engine.errors import PaperError, PaperInterrupted
from acklab.papers.engine.estimate import mean
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.references import read_reference
from acklab.papers.engine.reproduce import Reproduction, _how_wide, reproduce_paper
from acklab.papers.engine.store import Store
from acklab.papers.engine.verdicts import HOLDS, NOT_YET, VERDICTS, claim_from_json
from acklab.report.terminal import print_claims, print_reproduction
from papers_synthetic import Synthetic


def make(out: Path, provider: Synthetic | None = None, **options: Any) -> Reproduction:
    options = {"runs": 4, "workers": 1, "items": ["table1", "fig2"]} | options
    return reproduce_paper(
        load_paper("altman2003"), out=out, provider=provider or Synthetic(), **options
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return make(tmp_path_factory.mktemp("papers") / "out")


def test_paper_has_every_claim_in_order() -> None:
    paper = papers.load("altman2003")
    assert [claim.id for claim in paper.claims] == [f"altman-{i}" for i in range(1, 120)]
    assert all(claim.says and claim.place and claim.criterion for claim in paper.claims)
    assert all(claim.parts or claim.follows or claim.undecidable for claim in paper.claims)


def test_papers_are_listed() -> None:
    summary = papers.list_papers()[0]
    assert summary.key == "altman2003"
    figures = {f"fig{number}" for number in range(2, 14)}
    assert {"table1", *figures} <= set(summary.items)
    assert summary.claims == 119


def test_unknown_names_are_errors_that_name_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(PaperError, match="altman2003"):
        papers.load("altman2004")
    with pytest.raises(PaperError, match="table1, fig2"):
        make(tmp_path / "x", items=["table2"])
    with pytest.raises(PaperError, match="quick, full"):
        make(tmp_path / "x", mode="fast")
    with pytest.raises(ValueError, match="1 or more"):
        make(tmp_path / "x", runs=0)


def test_schemes_share_seed_and_run() -> None:
    paper = load_paper("altman2003")
    assert len({e.seed for e in paper.experiments.values()}) == 1
    experiment = paper.experiments["chain9"]
    one = grid.tree(experiment, (3, 1), "quick")
    other = grid.tree(experiment, (3, 4), "quick")
    assert one["flow"][0].pop("ack") == "every"
    assert other["flow"][0].pop("ack")["timer"] == "every-waiting"
    assert one.pop("title") != other.pop("title")
    assert one == other


def test_reference_rows_are_found() -> None:
    paper = load_paper("altman2003")
    ns2 = read_reference(paper, "ns2-fig2")
    assert len(ns2.cells) == 24
    assert len(ns2.values((3, 1), "goodput_pps")) == 5
    assert read_reference(paper, "paper-table1").values((3, 4), "delivered_packets") == [2699.0]
    waiting = read_reference(paper, "ns2-table1-first-waiting")
    assert min(waiting.values((3, 4), "delivered_packets")) > 3400


def test_claims_are_judged(made: Reproduction) -> None:
    verdicts = {claim.id: claim for claim in made.claims}
    assert len(verdicts) == 119
    assert {claim.verdict for claim in made.claims} <= set(VERDICTS)
    for number in range(54, 66):
        assert verdicts[f"altman-{number}"].verdict != NOT_YET
    assert verdicts["altman-60"].verdict == HOLDS
    assert verdicts["altman-60"].runs == 4
    assert "item fig3" in verdicts["altman-22"].reason
    assert verdicts["altman-22"].verdict == NOT_YET
    assert verdicts["altman-30"].partial
    for claim in made.claims:
        assert claim.reason


def test_files_are_whole(made: Reproduction) -> None:
    for path in made.files.values():
        assert path.is_file()
        assert path.stat().st_size > 0
    frame = pl.read_parquet(made.files["fig2.parquet"])
    assert frame.height == 72
    assert pl.read_csv(made.files["chain9-points.csv"]).filter(measure="goodput_pps").height == 72
    described = json.loads(made.files["manifest.json"].read_text())
    assert described["complete"]
    assert described["runs"]["new"] == made.new_runs
    assert len(described["points"]) == 72 + 40 + 8 + 8
    assert not list(made.folder.rglob(".*"))


def test_report_is_self_contained(made: Reproduction) -> None:
    page = made.files["report.html"].read_text()
    assert "data:image/svg+xml;base64," in page
    for outside in ('src="http', "<script", "@import", "<link"):
        assert outside not in page
    for claim in made.claims:
        assert f'id="{claim.id}"' in page
    for choice in made.paper.choices:
        assert escape(choice.choice) in page


def test_warnings_reach_points_and_report(made: Reproduction) -> None:
    row = made.tables["table1"].filter(window=2000, d=1).to_dicts()[0]
    assert row["warnings"] == "queue-full (4)"
    assert any(note.code == "queue-full" for note in made.warnings)
    assert "queue-full" in made.files["report.html"].read_text()


def test_json_is_plain(made: Reproduction) -> None:
    text = json.dumps(made.to_json(), allow_nan=False)
    assert "altman-119" in text
    again = [claim_from_json(row) for row in json.loads(json.dumps(made.to_json()["claims"]))]
    assert again == made.claims


def test_terminal(made: Reproduction) -> None:
    out = io.StringIO()
    console = Console(file=out, width=120)
    print_reproduction(made, console)
    print_claims(made.claims, console, every_claim=True)
    text = out.getvalue()
    for wanted in ("Table 1", "6181", "ours / paper", "report.html", "altman-119"):
        assert wanted in text


def test_claims_of_the_last_reproduction(made: Reproduction, tmp_path: Path) -> None:
    assert papers.claims("altman2003", made.folder) == made.claims
    fresh = papers.claims("altman2003", tmp_path / "nothing")
    assert {claim.verdict for claim in fresh if claim.id != "altman-6"} == {NOT_YET}
    assert "item table1" in next(c.reason for c in fresh if c.id == "altman-57")


def test_second_time_reuses_all_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = Synthetic()
    first = make(out, whole, items=["table1"])
    again = Synthetic()
    second = make(out, again, items=["table1"])
    assert again.calls == 0
    assert second.reused_runs == first.new_runs
    assert second.tables["table1"].equals(first.tables["table1"])
    third = Synthetic()
    make(out, third, items=["table1"], fresh=True)
    assert third.calls == whole.calls <= first.new_runs


def test_claims_of_other_items_keep_their_verdicts(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out, items=["fig2"])
    made = make(out, items=["table1"])
    verdicts = {claim.id: claim.verdict for claim in made.claims}
    assert verdicts["altman-57"] != NOT_YET
    assert verdicts["altman-23"] != NOT_YET
    assert set(made.tables) == {"table1"}


def test_another_code_version_runs_again(tmp_path: Path) -> None:
    make(tmp_path / "out", items=["table1"])
    newer = Synthetic()
    newer.version = "synthetic-2"
    assert make(tmp_path / "out", newer, items=["table1"]).reused_runs == 0


def test_interrupt_keeps_finished_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(PaperInterrupted) as stopped:
        make(out, Synthetic(stop_after=30), items=["table1"])
    # A run that stands for several points is kept for each of them.
    done = stopped.value.done
    assert done >= 30
    rest = Synthetic()
    made = make(out, rest, items=["table1"])
    assert made.reused_runs == done
    assert made.new_runs == stopped.value.total - done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_run_that_finds_no_room_names_its_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.jsonl", "v")
    (tmp_path / "x.jsonl").symlink_to("/dev/full")
    with pytest.raises(OutputError, match="No space left on device") as caught:
        store.add("s", 1, 0, {"measures": {}})
    assert caught.value.place == str(tmp_path / "x.jsonl")
    assert not store.rows
    (tmp_path / "x.jsonl").unlink()
    (tmp_path / "x.jsonl").write_text('{"torn')
    store.add("s", 1, 1, {"measures": {}})
    store.close()
    assert list(Store(tmp_path / "x.jsonl", "v").rows) == [("s", 1, 1)]


def test_torn_line_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    store = Store(path, "v")
    store.add("abc", 1, 0, {"measures": {"x": 1.0}})
    store.close()
    with path.open("a") as file:
        file.write('{"scenario": "abc", "seed": 1, "ru')
    torn = Store(path, "v")
    assert len(torn.rows) == 1
    torn.add("abc", 1, 1, {"measures": {"x": 2.0}})
    torn.close()
    assert len(Store(path, "v").rows) == 2


def test_progress_ends_at_all_and_knows_the_time_left(tmp_path: Path) -> None:
    seen: list[Progress] = []
    make(tmp_path / "out", items=["table1"], progress=seen.append)
    assert seen[-1].done == seen[-1].total == 4 * 56
    assert seen[-1].left_s == 0.0


def test_full_adds_runs_until_the_interval_is_narrow(tmp_path: Path) -> None:
    made = make(tmp_path / "out", Synthetic(noise=0.2), items=["fig2"], mode="full", runs=None)
    for row in made.tables["fig2"].to_dicts():
        narrow = row["high"] - row["mean"] <= 0.05 * row["mean"]
        assert narrow or row["runs"] == made.paper.experiments["chain9"].runs.cap
    assert made.tables["fig2"]["runs"].max() > 20


def test_runs_for_a_precision() -> None:
    assert runs_for(mean([10.0, 10.1, 9.9]), 0.05, 3) == 3
    assert runs_for(mean([5.0, 10.0, 15.0]), 0.05, 3) == 6
    assert runs_for(mean([0.0, 0.0]), 0.05, 2) == 2
    # One value has no interval, and where there is none more runs may tell nothing either.
    assert runs_for(mean([5.0]), 0.05, 3) == 6
    assert runs_for(mean([]), 0.05, 3) == 3


def test_failed_runs_are_reported_not_counted(tmp_path: Path) -> None:
    class Faulty(Synthetic):
        def result(self, scenario: dict[str, Any], seed: int, run: int) -> dict[str, Any]:
            return {"error": "fault"} if run == 3 else super().result(scenario, seed, run)

    made = make(tmp_path / "out", Faulty(), items=["table1"])
    assert made.tables["table1"]["runs"].to_list() == [3] * 8
    assert sum(note.code == "failed" for note in made.warnings) == 56


def test_unwritable_folder_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with pytest.raises(ValueError, match="file"):
        make(blocked / "out")


def test_engine_reads_nothing_outside_the_package() -> None:
    root = Path(papers.__file__).parent
    for path in [*root.rglob("*.py"), *root.rglob("*.toml"), *root.rglob("*.md")]:
        assert "../" not in path.read_text(encoding="utf-8"), path


def test_a_typo_in_a_folder_is_found(tmp_path: Path) -> None:
    source = Path(papers.__file__).parent / "altman2003"
    folder = tmp_path / "altman2003"
    folder.mkdir()
    for name in ("paper", "experiments", "figures", "open_choices", "claims"):
        text = (source / f"{name}.toml").read_text()
        (folder / f"{name}.toml").write_text(text.replace("sig_above", "sig_abvoe", 1))
    (folder / "reference").symlink_to(source / "reference")
    with pytest.raises(PaperError, match="sig_abvoe"):
        load_paper("altman2003", tmp_path)


def test_what_has_no_interval_is_said_in_words(tmp_path: Path) -> None:
    made = make(tmp_path / "out", items=["table1"], runs=1)
    said = [note.message for note in made.warnings if note.code == "wide-interval"]
    assert said
    assert all("no interval, which takes two runs; the limit was 1" in text for text in said)
    mixed = [(mean([-1.0, 1.0]), "a"), (mean([5.0]), "b")]
    assert _how_wide(mixed, 0.05) == "half-width above 5% of the mean, which is 0 (a)"
    mixed.append((mean([9.0, 11.0]), "c"))
    assert _how_wide(mixed, 0.05) == "half-width above 5% of the mean, at most 127% (c)"


def test_the_folder_of_another_paper_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = make(out, items=["table1"], runs=2)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(
        OutputError, match=r"another paper \(found: altman2003\); accepted: .*vaidya"
    ):
        papers.reproduce("vaidya1999", ["fig2"], out=out, runs=1)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    with pytest.raises(PaperError, match=r"of another paper \(found: altman2003\)"):
        papers.claims("vaidya1999", out)
    # One that was only begun, too.
    (out / "manifest.json").write_text('{"kind": "reproduction", "complete": false}')
    assert make(out, items=["table1"], runs=2).runs == made.runs
    assert json.loads((out / "manifest.json").read_text())["paper"] == "altman2003"


def test_a_campaign_that_was_cut_off_says_of_which_paper_it_is(tmp_path: Path) -> None:
    with pytest.raises(PaperInterrupted):
        make(tmp_path / "out", Synthetic(stop_after=3), items=["table1"])
    with pytest.raises(OutputError, match="another paper"):
        papers.reproduce("yuki2004", out=tmp_path / "out", runs=1)


@pytest.mark.parametrize("junk", [b"\xff\xfe\x00", b"[" * 100_000, b'{"run": 1}\n\xff\n'])
def test_damaged_runs_are_run_again(tmp_path: Path, junk: bytes) -> None:
    first = make(tmp_path / "out", items=["table1"], runs=2)
    (name, *_) = first.results.experiments
    rows = tmp_path / "out" / "runs" / f"{name}.jsonl"
    whole = len(rows.read_bytes().splitlines())
    rows.write_bytes(junk)
    again = make(tmp_path / "out", items=["table1"], runs=2)
    assert again.new_runs == whole
    assert [c.verdict for c in again.claims] == [c.verdict for c in first.claims]


@pytest.mark.parametrize("junk", [b"[", b"\xff\xfe\x00", b"[1]", b'{"a": 1}'])
def test_damaged_verdicts_are_named(tmp_path: Path, junk: bytes) -> None:
    make(tmp_path / "out", items=["table1"], runs=2)
    (tmp_path / "out" / "claims.json").write_bytes(junk)
    with pytest.raises(InputError, match=r"claims\.json: is damaged .*acklab reproduce altman2003"):
        papers.claims("altman2003", tmp_path / "out")
