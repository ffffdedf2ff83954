"""Arithmetic, rank correlation and chance as rules; claims judged again elsewhere; timelines."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import pytest

from acklab.figures.curves import Labels
from acklab.figures.timeline import LOOKS, draw_timeline
from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Axis, Experiment, Part, Runs
from acklab.papers.engine.parts import swapped_part
from acklab.papers.engine.plain_rules import rank_correlation
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.selection import Scope
from acklab.papers.engine.timelines import KINDS, timeline_frame
from acklab.papers.engine.verdict_rules import judge
from acklab.papers.engine.verdicts import evaluate_claims

RUNS = 12


def results(**means: Mapping[int, float]) -> Results:
    """Experiments over one axis n; runs scatter by 5 around each mean."""
    made = {}
    for key, rows in means.items():
        luck = random.Random(key)
        axis = Axis("n", "n", tuple(rows), "n")
        data = ExperimentRuns(
            Experiment(
                key, key, 1, Runs(RUNS, RUNS, RUNS), 0.05, "x", {"quick": "1 s"}, {}, (axis,)
            )
        )
        for n, mean in rows.items():
            data.rows[(n,)] = {
                run: {"measures": {"x": mean + luck.uniform(-5, 5), "y": -mean}, "flows": []}
                for run in range(RUNS)
            }
        made[key] = data
    return Results(made, {})


RISES = {1: 100.0, 2: 101.0, 3: 200.0}


@pytest.mark.parametrize(
    ("check", "met"),
    [
        ({"value": "40 * 14", "at_most": 1000}, True),
        ({"value": "0.02 * 2000000 / 8000", "above": 5}, False),
        ({"value": "0.02 * 2000000 / 8000", "above": 4.9, "at_most": 5}, True),
    ],
)
def test_arithmetic(check: dict[str, Any], met: bool) -> None:
    finding = judge(Scope(results(e=RISES), "e"), {"test": "arithmetic", **check})
    assert finding.met is met
    with pytest.raises(PaperError, match="numbers alone"):
        judge(Scope(results(e=RISES), "e"), {"test": "arithmetic", "value": "a * 2"})


def test_concordance_ranks_the_points_of_all_experiments() -> None:
    made = Scope(results(e=RISES, f={1: 500.0, 2: 300.0, 3: 400.0}), "e")
    check = {
        "test": "concordance", "over": ["e", "f"], "measure": "x", "each": {"n": "all"},
        "cells": {"a": {}, "b": {}}, "quantity": "a", "rho_above": 0.9,
    }  # fmt: skip
    assert judge(made, {**check, "other": "b"}).met is True
    assert judge(made, {**check, "other": "0 - b"}).met is False


def test_inversions_tell_chance_from_a_fall() -> None:
    check = {
        "test": "inversions", "axis": "n", "steps": [1, 2, 3], "of_runs": 3, "measure": "x",
        "points": [{}], "cells": {"a": {}},
    }  # fmt: skip
    near = Scope(results(e={1: 100.0, 2: 100.5, 3: 200.0}), "e")
    far = Scope(results(e={1: 100.0, 2: 150.0, 3: 200.0}), "e")
    falls = Scope(results(e={1: 100.0, 2: 150.0, 3: 120.0}), "e")
    assert judge(near, {**check, "chance_above": 0.1}).met is True
    assert judge(far, {**check, "chance_above": 0.1}).met is False
    assert judge(far, {**check, "monotone": True}).met is True
    assert judge(falls, {**check, "monotone": True}).met is False


def test_a_part_is_judged_elsewhere_by_other_names() -> None:
    part = Part(
        "l",
        ("near",),
        {"cells": {"a": {"scheme": "d80"}, "b": {"experiment": "near"}}},
        (({"over": ["near", "mid"], "each": {"scheme": ["d80", "d0"]}},),),
        (),
    )
    other = swapped_part(part, {"near": "far", "d80": "d200"})
    assert other.needs == ("far",)
    assert other.defaults["cells"] == {"a": {"scheme": "d200"}, "b": {"experiment": "far"}}
    assert other.holds[0][0] == {"over": ["far", "mid"], "each": {"scheme": ["d200", "d0"]}}


def test_claims_of_vaidya1999_that_need_no_runs_and_those_that_repeat() -> None:
    paper = load_paper("vaidya1999")
    verdicts = {claim.id: claim for claim in evaluate_claims(paper, Results({}, {}))}
    assert len(verdicts) == 82
    again = verdicts["vaidya-35"]
    assert again.verdict == "not evaluated"
    assert {"mid10", "far40", "sweep10"} <= set(again.missing)


def test_a_timeline_shows_what_happened_to_the_lost_packet() -> None:
    paper = load_paper("vaidya1999")
    made = Results({"single": ExperimentRuns(paper.experiments["single"])}, {})
    found = {}
    for key in ("fig2", "fig3", "fig6a", "fig6b"):
        frame = timeline_frame(paper.items[key], made)
        rows = frame.filter(frame["number"] == 40)["what"].to_list()
        found[key] = {what: rows.count(what) for what in set(rows)}
        ends = [float(end) for end in paper.items[key].x_values]
        picture = draw_timeline(frame.to_dicts(), Labels("time (ms)", "packet", ""), ends)
        assert picture["png"].startswith(b"\x89PNG")
        assert b"lost on the wireless link" in picture["svg"]
    lost, again, kept, told = KINDS[3], KINDS[4], KINDS[6], KINDS[8]
    assert set(LOOKS) == set(KINDS)
    assert all(rows[lost] == rows[again] == 1 for rows in found.values())
    assert found["fig2"][kept] == 11
    assert told not in found["fig2"]
    assert (found["fig3"][told], found["fig6a"][told]) == (2, 2)
    assert KINDS[1] not in found["fig6a"]
    assert (found["fig6b"][KINDS[1]], found["fig6b"][told] > 3) == (1, True)


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    tied = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert rank_correlation(tied) == pytest.approx(0.0)
    # (1, 1), (2, 2.5), (3, 2.5) by ranks: 1.5 / sqrt(2 × 1.5).
    assert rank_correlation([(5, 1), (6, 9), (7, 9)]) == pytest.approx(1.5 / 3**0.5)
    assert math.isnan(rank_correlation([(7, 1), (7, 2), (7, 3)]))
