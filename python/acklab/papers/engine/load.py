"""From a paper's folder to `Paper`: strict reading, and every cross-reference checked.

Invariant: a folder that loads can be run and judged without a name ever being unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acklab.papers.engine import orderings, panels, searches
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.handoff_measures import read_per_handoff
from acklab.papers.engine.inherit import completed, under_variant
from acklab.papers.engine.items import OVER_TIME, WORDED, read_item
from acklab.papers.engine.judged import check_judged
from acklab.papers.engine.log_measures import LOGS
from acklab.papers.engine.model import (
    SAMPLED,
    Axis,
    Choice,
    Claim,
    Derived,
    Experiment,
    Paper,
    Planned,
    Reference,
    Repeat,
    Runs,
    Sampled,
    Value,
    Variant,
)
from acklab.papers.engine.named_tests import check_names
from acklab.papers.engine.parts import read_parts
from acklab.papers.engine.selection import NOT_AXES, STATS
from acklab.papers.engine.tables import Table, read_toml
from acklab.papers.engine.told import check_text

ROOT = Path(__file__).parent.parent
SUMMARY = "summary.md"
"""What a person made of it, if there is anything; its numbers are filled in (`told`)."""
KINDS = ("number", "ordering", "shape", "existence")
OBSERVE = ("batches", "runs")
BANDS = {"falls_per_s_in": 2, "reaches": 1, "outside_after_handoff_s": 2}


def paper_keys(root: Path = ROOT) -> list[str]:
    """The folders that hold a paper."""
    return sorted(path.parent.name for path in root.glob("*/paper.toml"))


def load_paper(key: str, root: Path = ROOT) -> Paper:
    """Read the folder of one paper."""
    if key not in (known := paper_keys(root)):
        raise PaperError("paper", key, known, "no such paper")
    folder = root / key
    head = Table(read_toml(folder / "paper.toml"), f"{key}/paper.toml")
    grids = Table(read_toml(folder / "experiments.toml"), f"{key}/experiments.toml")
    shows = Table(read_toml(folder / "figures.toml"), f"{key}/figures.toml")
    rows = Table(read_toml(folder / "claims.toml"), f"{key}/claims.toml")
    opens = Table(read_toml(folder / "open_choices.toml"), f"{key}/open_choices.toml")
    grids.data["experiment"] = completed(grids.data.get("experiment", []))
    experiments = _keyed(_experiment(t) for t in grids.tables("experiment"))
    variants = _keyed(_variant(t, experiments) for t in grids.tables("variant"))
    for variant in variants.values():
        experiments |= {e.key: e for e in under_variant(variant, experiments)}
    readings = head.take("readings", dict, {})
    paper = Paper(
        key=head.take("key", str),
        folder=folder,
        title=head.take("title", str),
        authors=head.texts("authors"),
        year=head.take("year", int),
        venue=head.take("venue", str),
        doi=head.take("doi", str, ""),
        remark=head.take("remark", str, ""),
        experiments=experiments,
        variants=variants,
        planned=_keyed(_planned(t) for t in grids.tables("planned")),
        derived=_keyed(_derived(t) for t in grids.tables("derived")),
        sampled=_keyed(_sampled(t) for t in grids.tables("sampled"))
        | _keyed(read_per_handoff(t) for t in grids.tables("per_handoff")),
        references=_keyed(_reference(t, folder) for t in shows.tables("reference")),
        items=_keyed(read_item(t) for t in shows.tables("item")),
        readings=readings,
        claims=tuple(_claim(t, readings) for t in rows.tables("claim")),
        choices=tuple(_choice(t) for t in opens.tables("choice")),
    )
    for table in (head, grids, shows, rows, opens):
        table.done()
    _cross_check(paper)
    _check_summary(paper)
    for choice in paper.choices:
        if choice.evidence and choice.evidence not in paper.experiments:
            place = f"open_choices.toml: {choice.key}.evidence"
            raise PaperError(place, choice.evidence, paper.experiments, "no such experiment")
        check_text(paper, f"open_choices.toml: {choice.key}", choice.reason)
    return paper


def _keyed(entries: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entries:
        if entry.key in found:
            raise PaperError("key", entry.key, "a key that is used once", "twice in one folder")
        found[entry.key] = entry
    return found


def _experiment(t: Table) -> Experiment:
    runs = Table(t.take("runs", dict), f"{t.place}.runs")
    durations = Table(t.take("duration", dict), f"{t.place}.duration")
    experiment = Experiment(
        key=t.take("key", str),
        title=t.take("title", str),
        seed=t.take("seed", int),
        runs=Runs(runs.take("quick", int), runs.take("full", int), runs.take("cap", int)),
        precision=t.take("precision", float),
        precision_measure=t.take("precision_measure", str),
        duration={mode: durations.take(mode, str) for mode in ("quick", "full")},
        scenario=t.take("scenario", dict),
        axes=tuple(_axis(a) for a in t.tables("axis")),
        setting=t.take("setting", dict, {}),
        discard=t.take("discard", int) if "discard" in t.data else None,
        observe=t.take("observe", str, "batches"),
        by_run=_by_run(t),
        search=searches.read_search(t),
        log=t.take("log", str, ""),
        leave_out=tuple(_part(part) for part in t.take("leave_out", list, [])),
    )
    _check_parts(t.place, experiment)
    if experiment.log and experiment.log not in LOGS:
        raise PaperError(f"{t.place}.log", experiment.log, LOGS, "no such measures")
    for table in (runs, durations, t):
        table.done()
    if experiment.observe not in OBSERVE:
        raise PaperError(f"{t.place}.observe", experiment.observe, OBSERVE)
    return experiment


def _part(part: Mapping[str, Any]) -> Mapping[str, tuple[Value, ...]]:
    return {key: tuple(v) if isinstance(v, list) else (v,) for key, v in part.items()}


def _check_parts(place: str, experiment: Experiment) -> None:
    for part in experiment.leave_out:
        _known(f"{place}.leave_out", part, [axis.key for axis in experiment.axes])
        for key, values in part.items():
            _known(f"{place}.leave_out.{key}", values, experiment.axis(key).values)


def _by_run(t: Table) -> dict[str, tuple[Any, ...]]:
    """Paths with a run's own values (`by_run`), or a list of those that hold its index."""
    if isinstance(t.data.get("by_run"), dict):
        return {path: tuple(values) for path, values in t.take("by_run", dict).items()}
    return dict.fromkeys(t.texts("by_run"), ())


def _axis(t: Table) -> Axis:
    axis = Axis(
        key=t.take("key", str),
        label=t.take("label", str),
        values=tuple(t.take("values", list)),
        path=t.take("path", str),
        choose=t.take("choose", dict, {}),
        sets={name: tuple(values) for name, values in t.take("sets", dict, {}).items()},
    )
    t.done()
    for name, values in axis.sets.items():
        for value in values:
            if value not in axis.values:
                raise PaperError(f"{t.place}.sets.{name}", value, map(str, axis.values))
    return axis


def _planned(t: Table) -> Planned:
    planned = Planned(t.take("key", str), t.take("title", str))
    t.done()
    return planned


def _derived(t: Table) -> Derived:
    derived = Derived(
        t.take("key", str),
        t.take("label", str),
        t.texts("of"),
        t.texts("per"),
        t.take("scale", float, 1.0),
        tuple(float(w) for w in t.take("weights", list, [])),
    )
    t.done()
    if derived.weights and len(derived.weights) != len(derived.of):
        raise PaperError(f"{t.place}.weights", derived.weights, f"{len(derived.of)} numbers")
    return derived


def _sampled(t: Table) -> Sampled:
    sampled = Sampled(
        key=t.take("key", str),
        label=t.take("label", str),
        series=t.take("series", str),
        what=t.take("what", str),
        band=tuple(float(v) for v in t.take("band", list, [])),
    )
    t.done()
    if sampled.what not in SAMPLED:
        raise PaperError(f"{t.place}.what", sampled.what, SAMPLED, "no such figure of a series")
    if len(sampled.band) != BANDS.get(sampled.what, 0):
        accepted = "[low, high] with falls_per_s_in and outside_after_handoff_s, "
        accepted += "[level] with reaches, else none"
        raise PaperError(f"{t.place}.band", sampled.band, accepted)
    return sampled


def _variant(t: Table, experiments: Mapping[str, Experiment]) -> Variant:
    variant = Variant(
        key=t.take("key", str),
        title=t.take("title", str),
        base=t.take("base", str),
        settings=t.take("set", dict, {}),
        where=t.take("where", dict, {}),
        experiments=t.texts("experiments") or tuple(t.data.get("swap", {})),
        share=t.take("share", float, 1.0 if "swap" in t.data else None),
        least=t.take("least", int, 3),
        only=t.take("only", dict, {}),
        swap=t.take("swap", dict, {}),
        beside=t.texts("beside"),
    )
    t.done()
    _known(f"{t.place}.only", variant.only, variant.experiments)
    named = (*variant.experiments, *variant.swap, *variant.swap.values(), *variant.beside)
    _known(f"{t.place}.experiments", named, experiments)
    return variant


def _reference(t: Table, folder: Path) -> Reference:
    reference = Reference(
        key=t.take("key", str),
        label=t.take("label", str),
        file=t.take("file", str),
        experiment=t.take("experiment", str),
        beside=t.texts("beside"),
        origin=t.take("origin", str),
        where=t.take("where", dict, {}),
        axes=t.take("axes", dict),
        measures=t.take("measures", dict),
    )
    t.done()
    if not (folder / reference.file).is_file():
        raise PaperError(f"{t.place}.file", reference.file, "a file of the paper's folder")
    return reference


def _claim(t: Table, readings: Mapping[str, str]) -> Claim:
    claim_id = t.take("id", str)
    t.place = f"claim {claim_id}"
    parts = tuple(p for table in t.tables("part") for p in read_parts(table, readings))
    claim = Claim(
        id=claim_id,
        place=t.take("place", str),
        says=t.take("says", str),
        kind=t.take("kind", str),
        criterion=t.take("criterion", str),
        needs=t.texts("needs") or tuple(dict.fromkeys(n for p in parts for n in p.needs)),
        parts=parts,
        follows=t.texts("follows"),
        repeats=tuple(_repeat(r) for r in t.tables("repeats")),
        undecidable=t.take("undecidable", str, ""),
        note=t.take("note", str, ""),
        why=t.take("why", str, ""),
        tested_by=t.texts("tested_by"),
        tests=t.texts("tests"),
        quorum=t.take("quorum", int, 0),
        direction_suffices=t.take("direction_suffices", bool, False),
        changed_rule=t.take("changed_rule", str, ""),
    )
    t.done()
    if claim.kind.split(" ")[0] not in KINDS:
        raise PaperError(f"{t.place}.kind", claim.kind, KINDS)
    return claim


def _repeat(t: Table) -> Repeat:
    swap: Mapping[str, Any] = t.take("swap", dict)
    repeat = Repeat(t.texts("claims"), {key: str(name) for key, name in swap.items()})
    t.done()
    return repeat


def _choice(t: Table) -> Choice:
    choice = Choice(
        t.take("key", str),
        t.take("open", str),
        t.take("choice", str),
        t.take("reason", str),
        t.take("evidence", str, ""),
    )
    t.done()
    return choice


def _cross_check(paper: Paper) -> None:
    experiments = [*paper.experiments, *paper.planned]
    for claim in paper.claims:
        needed = (*claim.needs, *(n for part in claim.parts for n in part.needs))
        _known(f"claim {claim.id}.needs", needed, experiments)
        ids = [c.id for c in paper.claims]
        _known(f"claim {claim.id}.follows", claim.follows, ids)
        for repeat in claim.repeats:
            _known(f"claim {claim.id}.repeats", repeat.claims, ids)
        check_text(paper, f"claim {claim.id}", f"{claim.why} {claim.note}")
        check_names(f"claim {claim.id}", claim.tests)
        tests = [*paper.experiments, *paper.variants, *ids]
        _known(f"claim {claim.id}.tested_by", claim.tested_by, tests)
        if bool(claim.why) != bool(claim.tested_by):
            place = f"claim {claim.id}.why"
            raise PaperError(place, claim.why, "why and tested_by together", "an untested reason")
        for part in claim.parts:
            if all(n in paper.experiments for n in part.needs):
                _check_cells(paper, claim, part.defaults, part.needs[0])
    for item in paper.items.values():
        place = f"figures.toml: {item.key}"
        _known(place, item.experiments, paper.experiments)
        _known(place, item.references, paper.references)
        if item.entries:
            panels.check_panel(paper, item)
        if item.kind == orderings.KIND:
            _known(place, item.series_values, [claim.id for claim in paper.claims])
        if item.entries or item.kind in WORDED:
            continue
        for key in item.experiments:
            axes = [axis.key for axis in paper.experiments[key].axes]
            plotted = (item.x, item.series) if item.kind not in OVER_TIME else (item.series,)
            _known(place, [key for key in (*plotted, *item.at) if key], axes)
    for reference in paper.references.values():
        used = (reference.experiment, *reference.beside)
        _known(f"figures.toml: {reference.key}", used, paper.experiments)


def _check_summary(paper: Paper) -> None:
    summary = paper.folder / SUMMARY
    if summary.is_file():
        text = summary.read_text(encoding="utf-8")
        check_text(paper, SUMMARY, text)
        check_judged(paper, SUMMARY, text)


def _check_cells(paper: Paper, claim: Claim, defaults: Mapping[str, Any], first: str) -> None:
    for name, cell in defaults.get("cells", {}).items():
        place = f"claim {claim.id}.cells.{name}"
        experiment = paper.experiments[cell.get("experiment", first)]
        axes = [axis.key for axis in experiment.axes]
        _known(place, [k for k in cell if k not in NOT_AXES], axes)
        _known(f"{place}.stat", [cell.get("stat", "mean")], STATS)


def _known(place: str, used: Iterable[Value], accepted: Iterable[Value]) -> None:
    names = list(accepted)
    for name in used:
        if name not in names:
            raise PaperError(place, name, map(str, names), "unknown name")
