"""One call from a paper's key to its tables, figures, claims and report.

What is run is decided by `campaign`, what is judged by `verdicts`; here only the order of things
and the files. The report, tables and manifest are written after all runs have ended.
"""

from __future__ import annotations

import json
import math
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from acklab import arguments
from acklab.batch import available_cores
from acklab.errors import InputError
from acklab.papers.engine import grid
from acklab.papers.engine.campaign import Campaign, ProgressCallback
from acklab.papers.engine.comparison import Comparison, compare, under_variants
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Estimate
from acklab.papers.engine.folder import Before, before, check_paper
from acklab.papers.engine.items import WORDED
from acklab.papers.engine.load import SUMMARY
from acklab.papers.engine.model import Paper
from acklab.papers.engine.named_tests import run_tests
from acklab.papers.engine.output import (
    points_frame,
    runs_frame,
    write_bytes,
    write_frame,
    write_json,
    write_text,
)
from acklab.papers.engine.pictures import draw
from acklab.papers.engine.provider import NativeProvider, Provider
from acklab.papers.engine.results import Results
from acklab.papers.engine.shown import Shown, show
from acklab.papers.engine.summary import Runs, summary
from acklab.papers.engine.verdicts import ClaimVerdict
from acklab.places import MANIFEST, check_folder
from acklab.store import code_version

MODES = ("quick", "full")


@dataclass(frozen=True)
class Note:
    """A warning of a whole reproduction: where, what, and in how many runs (0: no run's)."""

    place: str
    code: str
    message: str
    runs: int


@dataclass
class Reproduction:
    """What came out: tables and claims as data, and where the files lie."""

    paper: Paper
    items: tuple[str, ...]
    mode: str
    folder: Path
    shown: dict[str, Shown]
    claims: list[ClaimVerdict]
    warnings: list[Note]
    wall_s: float
    new_runs: int
    reused_runs: int
    simulated_s: float
    results: Results
    before: Before
    """The report that stood in the folder."""
    earlier: dict[str, int] = field(default_factory=dict)
    """Runs of earlier reproductions in the folder on which verdicts rest too, by experiment."""
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    """What the paper's numbers make of each variant that was run."""
    files: dict[str, Path] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Each item's points as a data frame, references beside."""
        return {key: shown.frame for key, shown in self.shown.items()}

    @property
    def no_longer_shown(self) -> tuple[str, ...]:
        """Items of the report that stood here, which this one does not show."""
        known = (key for key in self.before.items if key in self.paper.names)
        return tuple(key for key in known if key not in self.items)

    @property
    def runs(self) -> int:
        """Runs that stand behind it, new and reused."""
        return self.new_runs + self.reused_runs

    def to_json(self) -> dict[str, Any]:
        """Plain data: what `--json` prints."""
        return {
            "paper": self.paper.key,
            "items": list(self.items),
            "mode": self.mode,
            "folder": str(self.folder),
            "runs": {"new": self.new_runs, "reused": self.reused_runs, "earlier": self.earlier},
            "no_longer_shown": list(self.no_longer_shown),
            "wall_s": round(self.wall_s, 3),
            "simulated_s": self.simulated_s,
            "tables": {key: frame.to_dicts() for key, frame in self.tables.items()},
            "claims": [claim.to_json() for claim in self.claims],
            "variants": {key: found.to_json() for key, found in self.comparisons.items()},
            "warnings": [vars(note) for note in self.warnings],
            "files": {name: str(path) for name, path in self.files.items()},
        }


def reproduce_paper(
    paper: Paper,
    items: Sequence[str] | None = None,
    mode: str = "quick",
    out: Path | None = None,
    runs: int | None = None,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    fresh: bool = False,
    provider: Provider | None = None,
) -> Reproduction:
    """Run what the items need, judge what can be judged, write all files."""
    wanted = _items(paper, items)
    _check(mode, runs=runs, workers=workers)
    arguments.callback(progress, "progress")
    folder = Path(out) if out is not None else Path("results") / paper.key
    check_folder(folder, "reproduction")
    check_paper(folder, paper.key)
    stood_here = before(folder)
    started = time.monotonic()
    campaign = Campaign(
        paper=paper,
        keys=paper.needed_by(wanted),
        mode=mode,
        provider=provider or NativeProvider(),
        folder=folder,
        workers=workers or available_cores(),
        runs=runs,
        fresh=fresh,
        progress=progress,
    )
    if not (folder / MANIFEST).exists():
        # Marks the folder as ours, so that a campaign that was interrupted can go on in it.
        begun = {"kind": "reproduction", "paper": paper.key, "complete": False}
        write_json(folder / MANIFEST, begun)
    results = campaign.execute()
    all_there = campaign.reusable()
    if set(wanted) >= set(paper.items):
        all_there.tested = run_tests(paper)
    made = Reproduction(
        paper=paper,
        items=wanted,
        mode=mode,
        folder=folder,
        shown={i: show(paper, paper.items[i], results, mode) for i in wanted if i in paper.items},
        claims=under_variants(paper, all_there),
        warnings=_notes(campaign, results),
        wall_s=time.monotonic() - started,
        new_runs=campaign.new_runs,
        reused_runs=campaign.reused_runs,
        simulated_s=_simulated(results),
        results=results,
        before=stood_here,
        earlier=_earlier(all_there, results),
        comparisons=_comparisons(paper, all_there),
    )
    _write(made, campaign, all_there)
    return made


def _comparisons(paper: Paper, all_there: Results) -> dict[str, Comparison]:
    return {
        key: compare(paper, all_there, variant)
        for key, variant in paper.variants.items()
        if all_there.has(variant)
    }


def _earlier(all_there: Results, results: Results) -> dict[str, int]:
    """How many runs there are of each experiment that was not asked for."""
    return {
        key: sum(map(len, data.rows.values()))
        for key, data in all_there.experiments.items()
        if key not in results.experiments
    }


def _check(mode: str, **numbers: int | None) -> None:
    if mode not in MODES:
        raise PaperError("mode", mode, MODES)
    for name, number in numbers.items():
        if number is not None and arguments.is_whole(number) and number < 1:
            raise InputError("at least one is needed", name, str(number), "1 or more")
    if numbers.get("runs") is not None:
        arguments.run_count(numbers["runs"])
    arguments.workers(numbers.get("workers"))


def _items(paper: Paper, items: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(items, str):
        raise PaperError("items", repr(items), f"a list: [{items!r}]", "is a text, no list")
    for item in items or ():
        if item not in paper.names:
            raise PaperError("item", item, paper.names, f"no such item of {paper.key}")
    return tuple(key for key in paper.names if not items or key in items)


def _simulated(results: Results) -> float:
    rows = (r for e in results.experiments.values() for c in e.rows.values() for r in c.values())
    return float(sum(row.get("simulated_s", 0.0) for row in rows))


def _notes(campaign: Campaign, results: Results) -> list[Note]:
    notes = [Note("run", "failed", why, 1) for why in campaign.failures.values()]
    for key, data in results.experiments.items():
        experiment = data.experiment
        gathered: dict[str, tuple[str, int]] = {}
        wide: list[tuple[Estimate, str]] = []
        for cell in grid.cells(experiment):
            for warning in data.warnings(cell):
                message, count = gathered.get(warning.code, (warning.message, 0))
                gathered[warning.code] = (message, count + warning.runs)
            point = results.point(key, cell, experiment.precision_measure)
            if point.half_width() > experiment.precision * abs(point.value):
                wide.append((point, grid.cell_name(experiment, cell)))
        notes += [Note(key, code, text, count) for code, (text, count) in sorted(gathered.items())]
        if wide:
            share = f"{len(wide)} of {len(grid.cells(experiment))} points"
            text = f"{share}: {_how_wide(wide, experiment.precision)}"
            text += f"; the limit was {campaign.limit(experiment)} runs a point"
            notes.append(Note(key, "wide-interval", text, 0))
    return notes


def _how_wide(wide: Sequence[tuple[Estimate, str]], precision: float) -> str:
    """What is wrong with the intervals of these points, the worst one by name."""
    if all(math.isinf(point.half_width()) for point, _ in wide):
        return "no interval, which takes two runs"
    text = f"half-width above {precision:.0%} of the mean"
    known = [
        (point.half_width() / abs(point.value), name)
        for point, name in wide
        if point.value and math.isfinite(point.half_width())
    ]
    if not known:
        return f"{text}, which is 0 ({wide[0][1]})"
    worst, name = max(known)
    return f"{text}, at most {worst:.0%} ({name})"


def _write(made: Reproduction, campaign: Campaign, all_there: Results) -> None:
    from acklab.report.html import report_page

    folder = made.folder
    pictures: dict[str, bytes] = {}
    for key, shown in made.shown.items():
        for name, frame in {"": shown.frame, "-counts": shown.counts, **_named(shown)}.items():
            if not frame.is_empty():
                csv, parquet = write_frame(folder / "tables" / f"{key}{name}", frame)
                made.files |= {f"{key}{name}.csv": csv, f"{key}{name}.parquet": parquet}
        if shown.item.kind not in ("table", *WORDED):
            for ending, data in draw(shown).items():
                made.files[f"{key}.{ending}"] = write_bytes(
                    folder / "figures" / f"{key}.{ending}", data
                )
                if ending == "svg":
                    pictures[key] = data
    for key in made.results.experiments:
        for name, frame in (
            (f"{key}-runs", runs_frame(made.results, key)),
            (f"{key}-points", points_frame(made.results, key)),
        ):
            csv, parquet = write_frame(folder / "data" / name, frame)
            made.files |= {f"{name}.csv": csv, f"{name}.parquet": parquet}
        points = [p for p in campaign.points if p.experiment.key == key]
        scenarios = {grid.cell_name(p.experiment, p.cell): json.loads(p.scenario) for p in points}
        path = folder / "scenarios" / f"{key}.json"
        made.files[f"{key} scenarios"] = write_json(path, scenarios)
    made.files["claims.json"] = write_json(
        folder / "claims.json", [claim.to_json() for claim in made.claims]
    )
    variants = [key for key in made.paper.variants if any(c.under for c in made.claims)]
    rows = [
        {"id": c.id, "place": c.place, "says": c.says, "verdict": c.verdict, "reason": c.reason}
        | {key: next((u.verdict for u in c.under if u.variant == key), "") for key in variants}
        for c in made.claims
    ]
    written = made.paper.folder / SUMMARY
    if written.is_file():
        there = Runs(all_there, made.tables, made.claims)
        text = summary(made.paper.key, written.read_text(encoding="utf-8"), there)
        made.files[SUMMARY] = write_text(folder / SUMMARY, text)
    for key, found in made.comparisons.items():
        path = folder / f"{key}.json"
        made.files[f"{key}.json"] = write_json(path, found.to_json())
    made.files["claims.csv"] = write_frame(folder / "claims", pl.DataFrame(rows))[0]
    described = manifest(made, campaign)
    made.files["report.html"] = write_text(
        folder / "report.html", report_page(made, pictures, described)
    )
    made.files["manifest.json"] = folder / MANIFEST
    described["files"] = sorted(str(p.relative_to(folder)) for p in made.files.values())
    write_json(folder / MANIFEST, described)


def _named(shown: Shown) -> dict[str, pl.DataFrame]:
    return {f"-{key}": frame for key, frame in (shown.below | shown.beside).items()}


def manifest(made: Reproduction, campaign: Campaign) -> dict[str, Any]:
    """What a reader must know of the numbers besides themselves."""
    points = [
        {
            "experiment": p.experiment.key,
            "point": grid.cell_name(p.experiment, p.cell),
            "scenario": p.hash,
            "runs": len(made.results.experiments[p.experiment.key].rows.get(p.cell, {})),
        }
        for p in campaign.points
    ]
    return {
        "kind": "reproduction",
        "paper": made.paper.key,
        "complete": True,
        "items": list(made.items),
        "mode": made.mode,
        "version": code_version(),
        "core": campaign.provider.version,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "machine": {
            "system": platform.platform(),
            "python": platform.python_version(),
            "workers": campaign.workers,
        },
        "seeds": {key: campaign.paper.experiments[key].seed for key in campaign.keys},
        "runs": {
            "new": made.new_runs,
            "reused": made.reused_runs,
            "failed": len(campaign.failures),
            "earlier": made.earlier,
        },
        "wall_s": round(made.wall_s, 3),
        "simulated_s": made.simulated_s,
        "intervals": "95 %, Student t; ratios of means by the paired delta method",
        "warnings": [vars(note) for note in made.warnings],
        "points": points,
    }
