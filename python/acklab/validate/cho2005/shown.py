"""What the reproduction of cho2005 must show: its table of variants, its figures, its sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.orderings import KIND
from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Scope, quantity
from acklab.report.cells import ordered, signed
from acklab.validate.model import Row, verdict

ROADS, COMPARATORS, PLAIN = "roads", "comparators", "reno"
MEASURES = ("timeouts_per_handoff", "lost_per_handoff", "reroute_mean_s", "goodput_pps")
HEAD = (
    "timeouts a handoff",
    "packets lost on the old path a handoff",
    "route-update time (s)",
    "goodput (packets/s)",
)
HANDOFFS, SEEDS = 30, 20
"""A point of the full setting has as many handoffs and seeds at least."""
ONE_STATION = ("still", "rest", "holes", "mixed", "tunnel", "tunnel-once")
"""Experiments whose mobile never comes to the other station: they must have seeds alone."""
PLACES = ("Fig. 1", *(f"Fig. 3({x})" for x in "abcd"), "Fig. 4(a)", "Fig. 4(b)", "Table 1")
NOT_BUILT = {"W-TCP", "Path Prediction", "ACK Regulator", "TCP-Probing"}


def variants(results: Results) -> Row:
    """Each variant without and with pacing, and the difference over the same runs."""
    names = results.experiments[ROADS].experiment.axis("variant").values
    lines: list[list[str]] = []
    for name in names:
        sides = {side: {"variant": name, "pacing": side} for side in ("without", "with")}
        lines += [[str(name), k, *_cells(results, ROADS, {"a": v})] for k, v in sides.items()]
        both = {"a": sides["with"], "b": sides["without"]}
        lines.append([str(name), "difference, paired", *_cells(results, ROADS, both)])
    title = "Tahoe, Reno, NewReno, Reno with delayed ACKs (delack), each without and with pacing"
    return _table(title, len(names), ["variant", "ACK Pacing", *HEAD], lines)


def machines(results: Results) -> Row:
    """The other machines on the same road, and what each differs from Reno in, run by run."""
    names = results.experiments[COMPARATORS].experiment.axis("scheme").values
    lines = [[PLAIN, "", *_cells(results, COMPARATORS, {"a": {"scheme": PLAIN}})]]
    others = [name for name in names if name != PLAIN]
    for name in others:
        mine = {"a": {"scheme": name}}
        both = mine | {"b": {"scheme": PLAIN}}
        lines.append([str(name), "", *_cells(results, COMPARATORS, mine)])
        lines.append([str(name), "less Reno, paired", *_cells(results, COMPARATORS, both)])
    return _table("the other machines", len(others), ["scheme", "", *HEAD], lines)


def _table(title: str, count: int, head: list[str], lines: list[list[str]]) -> Row:
    missing = sum(cell == "–" for line in lines for cell in line)
    return Row(
        f"{title}: timeouts, packets lost on the old path, route-update time, goodput",
        f"{count} with {len(MEASURES)} measures, {missing} cells without a value",
        "each with its paired difference and interval",
        verdict(missing == 0 and len(lines) > count),
        detail=[head, *lines],
    )


def _cells(results: Results, experiment: str, cells: Mapping[str, Any]) -> list[str]:
    """A value of each measure with its interval: cell a, or a less b over the runs of both."""
    check = {"cells": cells, "quantity": "a - b" if "b" in cells else "a"}
    scope = Scope(results, experiment)
    found = [quantity(scope, check | {"measure": measure}, {}) for measure in MEASURES]
    sign = "+" if "b" in cells else ""
    return [
        f"{one.value:{sign}.3g} [{low:{sign}.3g}, {high:{sign}.3g}]"
        if math.isfinite(low := one.interval()[0]) and math.isfinite(high := one.interval()[1])
        else "–"
        for one in found
    ]


def items(made: Reproduction) -> Row:
    """Each figure of the results and Table 1 is an item, its picture there."""
    all_items = made.paper.items.values()
    shown = {place: [i for i in all_items if i.place == place] for place in PLACES}
    missing = [
        place
        for place, here in shown.items()
        if not here
        or any(i.key not in made.tables for i in here)
        or any(i.kind != "signs" and not _drawn(made, i.key) for i in here)
    ]
    return Row(
        "Figures 1, 3 (a–d), 4 (a, b) and Table 1 as items",
        f"{len(PLACES) - len(missing)} of {len(PLACES)}",
        "all, each figure with a picture",
        verdict(not missing),
        why=", ".join(missing),
    )


def _drawn(made: Reproduction, key: str) -> bool:
    path = made.files.get(f"{key}.svg")
    return path is not None and path.is_file() and path.stat().st_size > 0


def orderings(made: Reproduction) -> list[Row]:
    """For which values of the open parameters each ordering holds, a row a table of them."""
    return [_ordered(made, key) for key, item in made.paper.items.items() if item.kind == KIND]


def _ordered(made: Reproduction, key: str) -> Row:
    frame = made.tables[key]
    grid = ordered(made.shown[key], frame)
    without = frame.filter(frame["mean"].is_null() | frame["mean"].is_nan()).height
    # A statement that is not judged at a value has no row there, only a hole in the table.
    holes = sum(cell == "–" for row in grid.rows for cell in row[2:])
    shares = zip(grid.head[2:], grid.rows[-1][2:], strict=True)
    told = "; ".join(f"{name} at {share}" for name, share in shares)
    return Row(
        f"for which values of the open parameters each ordering of section 4 holds ({key})",
        f"{told}; {without} cells without a value, {holes} not judged",
        "each said for every value tried",
        verdict(without == 0 and holes == 0 and frame.height > 0),
        detail=[list(grid.head), *map(list, grid.rows)],
    )


def table_1(made: Reproduction) -> Row:
    """Table 1 from verdicts: what is built is measured, what is not says so."""
    frame = made.tables["table1"]
    signs = frame["measured"].to_list()
    waiting = set(frame.filter(measured="not yet")["mechanism"])
    half = {m for m in waiting if set(frame.filter(mechanism=m)["measured"]) != {"not yet"}}
    grid = signed(made.shown["table1"], frame)
    return Row(
        "Table 1: a sign for each mechanism that is built",
        f"{signs.count('yes') + signs.count('no')} cells measured, {signs.count('cannot tell')} "
        f"not told, {signs.count('not yet')} not yet ({', '.join(sorted(waiting))})",
        "7 mechanisms of 6 signs; 4 say not yet",
        verdict(
            waiting == NOT_BUILT
            and not half
            and "not run" not in signs
            and len(signs) == 66
            and signs.count("not yet") == 24
        ),
        detail=[list(grid.head), *map(list, grid.rows)],
    )


def sizes(results: Results) -> Row:
    """Handoffs and seeds of each point of each experiment; at one station, seeds alone.

    Handoffs are those of all runs of a point together: one seed alone need not meet thirty.
    """
    lines: list[list[str]] = []
    small: list[str] = []
    for key, data in results.experiments.items():
        counts = [(_handoffs(rows), len(rows)) for rows in data.rows.values()]
        if not counts:
            raise PaperError("sizes", key, "runs", "an experiment without points")
        handoffs, seeds = (min(count[i] for count in counts) for i in (0, 1))
        moves = key not in ONE_STATION
        lines.append([key, str(handoffs) if moves else "at one station", str(seeds)])
        if seeds < SEEDS or (moves and handoffs < HANDOFFS) or (not moves and handoffs > 0):
            small.append(key)
    return Row(
        "handoffs of all runs of a point, and seeds (full)",
        f"{len(lines) - len(small)} of {len(lines)} experiments",
        f"at least {HANDOFFS} handoffs in all and {SEEDS} seeds at each point of each one",
        verdict(bool(lines) and not small),
        why=", ".join(small),
        detail=[["experiment", "fewest handoffs of a point", "fewest seeds"], *lines],
    )


def _handoffs(rows: Mapping[int, Mapping[str, Any]]) -> int:
    samples = [row.get("samples") or {} for row in rows.values()]
    return sum(len(sample.get("handoffs", ())) for sample in samples)
