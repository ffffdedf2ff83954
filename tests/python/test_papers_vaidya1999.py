"""The folder of vaidya1999: levels as written, conditions asked, what stands for what."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from acklab.papers.engine import grid
from acklab.papers.engine.comparison import touched_by
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Claim
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.papers.engine.results import ExperimentRuns, Results
from acklab.papers.engine.told import NOT_RUN, fill
from acklab.papers.engine.verdicts import UnderVariant, evaluate_claims, evaluate_part
from acklab.validate.vaidya1999 import claims as row
from acklab.validate.vaidya1999 import network
from test_peers import PEERS, load

PAPER = load_paper("vaidya1999")
BY_ID = {claim.id: claim for claim in PAPER.claims}


def criterion_of(claim: Claim) -> str:
    """The criterion with that of the claim that it refers to."""
    named = re.match(r"as (\d+)", claim.criterion)
    if named is None:
        return claim.criterion
    return f"{claim.criterion} {criterion_of(BY_ID[f'vaidya-{named[1]}'])}"


def test_every_claim_in_order_with_a_way_to_decide_it() -> None:
    assert list(BY_ID) == [f"vaidya-{i}" for i in range(1, 83)]
    for claim in PAPER.claims:
        assert claim.criterion
        assert claim.parts or claim.follows or claim.repeats
    assert not PAPER.planned


def test_a_verdict_has_the_levels_that_its_criterion_writes_and_no_others() -> None:
    # "D:" says it; `order` defines it.
    gives = re.compile(r"\bD: |\border\b")
    for claim in PAPER.claims:
        has = any(part.direction for part in claim.parts) or claim.quorum > 0
        written = gives.search(criterion_of(claim)) is not None
        if claim.parts:
            assert has is written, claim.id
        for other in claim.follows:
            lends = gives.search(criterion_of(BY_ID[other])) is not None
            assert written or claim.direction_suffices or not lends, claim.id
        assert claim.direction_suffices is ("at least D" in claim.criterion), claim.id


def test_changed_rules_are_named() -> None:
    changed = {claim.id for claim in PAPER.claims if claim.changed_rule}
    assert {f"vaidya-{i}" for i in (12, 22, 30, 44, 45, 57, 70, 76, 80)} <= changed


def test_what_an_open_choice_changes_is_told_by_the_runs() -> None:
    (link,) = (choice for choice in PAPER.choices if choice.key == "link")
    assert fill(link.reason, Results({}, {})).count(NOT_RUN) == link.reason.count("{gain ") > 5
    # No share of a throughput is written by hand; 2.5 % and the like are of the division alone.
    typed = {c.key for c in PAPER.choices if re.search(r"\d %", c.reason)}
    assert typed == {"throughput"}


def test_every_experiment_is_shown() -> None:
    assert set(PAPER.needed_by(tuple(PAPER.items))) >= {
        key for key in PAPER.experiments if "@" not in key
    }


def test_every_scenario_resolves() -> None:
    provider = NativeProvider()
    for experiment in PAPER.experiments.values():
        for cell in grid.cells(experiment):
            provider.resolve(grid.tree(experiment, cell, "quick"), experiment.key)


OWN = {"to", "window", "initial_ssthresh", "ack"}
"""What experiments may set for themselves."""


def test_all_experiments_have_the_reference_settings_of_tcp() -> None:
    wanted = {k: v for k, v in network.transfer("every").items() if k not in OWN}
    for key, experiment in PAPER.experiments.items():
        if "@" in key or key == "idle":
            continue
        by_hand = experiment.runs.full == row.BY_HAND
        for flow in experiment.scenario["flow"]:
            given = {k: v for k, v in flow.items() if k not in {*OWN, "encrypted"}}
            assert given == wanted | ({"start_jitter": "0 s"} if by_hand else {}), key


@pytest.fixture(scope="module")
def few() -> Results:
    """Three runs of some points, enough for what is asked exactly."""
    provider = NativeProvider()
    wanted = {
        "rules1": [(0, 16384, "zero"), (0, 16384, "d0"), (0, 16384, "d80")],
        "sweep1": [(0.01, "d0"), (0.01, "d200")],
        "idle": [(1,), (20,)],
    }
    made: dict[str, ExperimentRuns] = {}
    for key, cells in wanted.items():
        made[key] = ExperimentRuns(PAPER.experiments[key])
        for cell in cells:
            tree = grid.tree(PAPER.experiments[key], cell, "quick")
            jobs = [Job(provider.resolve(tree, key), 1999, run) for run in range(2)]
            made[key].rows[cell] = dict(provider.run(jobs, 1))
    return Results(made, PAPER.derived)


def test_d_of_zero_is_the_same_run(few: Results) -> None:
    from acklab.papers.engine.selection import Scope
    from acklab.papers.engine.verdict_rules import judge

    check = {
        "test": "same_runs",
        "points": [{"loss": 0, "bytes": 16384}],
        "cells": {"a": {"scheme": "zero"}, "b": {"scheme": "d0"}},
    }
    scope = Scope(few, "rules1")
    assert judge(scope, check).met is True
    other = {**check, "cells": {"a": {"scheme": "d80"}, "b": {"scheme": "d0"}}}
    found = judge(scope, other)
    assert found.met is False
    assert "0 of 1 points (2 pairs of runs)" in found.reason


def test_what_fills_a_gap_is_told_apart(few: Results) -> None:
    for run in (0, 1):
        at = {
            scheme: few.experiments["sweep1"].rows[0.01, scheme][run]["measures"]
            for scheme in ("d0", "d200")
        }
        for flow in at.values():
            assert 0 < flow["gaps_filled_fast"] <= flow["fast_retransmits"]
            assert flow["gaps_filled_fast"] < flow["gaps_filled"]
            assert flow["gap_fast_s"] < flow["gap_s"]
            # No error on the link: nothing brings a packet before its fast retransmit.
            assert flow["repeated_fast"] == 0
            assert (flow["timeout_wait_s"] > 0) is (flow["timeouts"] > 0)
            assert 2 * flow["gap_groups"] <= flow["gaps_filled"]
        gap = {s: flow["gap_fast_s"] / flow["gaps_filled_fast"] for s, flow in at.items()}
        assert gap["d200"] - gap["d0"] == pytest.approx(0.2, rel=0.2)


def test_the_idle_round_trip_is_that_of_its_parts(few: Results) -> None:
    # 40 ms, a packet of 1000 B and an ACK of 40 B at 2 Mbit/s.
    found = np.mean(list(few.column("idle", (20,), "idle_round_trip_ms").values()))
    assert found == pytest.approx(44.16, rel=0.01)
    assert evaluate_part(few, BY_ID["vaidya-57"].parts[0]).verdict == "holds"


def test_the_claims_that_hang_on_open_details_are_judged_again() -> None:
    touched = {key: touched_by(PAPER, variant) for key, variant in PAPER.variants.items()}
    timers = {"tick10", "tick500", "rto1000"}
    for claim in (5, 8, 12, *range(30, 35), 41, 46, 48, 79, 80):
        for key in timers:
            assert f"vaidya-{claim}" in touched[key], (claim, key)
    # The priorities of the link: the timer that they beat, and the window that keeps it full.
    for key in (*timers, "window32", "window64", "link50", "link500"):
        assert {"vaidya-13", "vaidya-18"} <= touched[key], key
    assert all("vaidya-9" in touched[key] for key in ("tick500", "window64", "limit1"))
    for key, variant in PAPER.variants.items():
        for name in variant.experiments:
            assert PAPER.experiments[variant.name(name)].runs.full >= 2, key


def test_the_row_fails_on_a_claim_that_was_left_out() -> None:
    base = evaluate_claims(PAPER, Results({}, {}))
    under = tuple(UnderVariant(key, "holds", "", "holds") for key in PAPER.variants)
    all_of_them = [replace(claim, under=under) for claim in base]
    assert row.unvaried(PAPER, all_of_them) == []
    without = [replace(c, under=()) if c.id == "vaidya-34" else c for c in all_of_them]
    assert row.unvaried(PAPER, without) == ["vaidya-34 (tick10, tick500, rto1000)"]
    # By hand, by arithmetic, or of no such words.
    for free in ("vaidya-6", "vaidya-7", "vaidya-28", "vaidya-57", "vaidya-42", "vaidya-53"):
        left = row.unvaried(PAPER, [replace(c, under=()) for c in all_of_them if c.id == free])
        found = any(one.startswith(f"{free} ") for one in left)
        assert found is (free == "vaidya-28"), free


def test_each_detail_that_a_claim_names_is_asked_for() -> None:
    base = evaluate_claims(PAPER, Results({}, {}))
    # It names the window in its reason alone: the link's timer does not stand for that.
    for named, wanted in (("link50", ["vaidya-18 (window32, window64)"]), ("window64", [])):
        under = (UnderVariant(named, "holds", "", "holds"),)
        left = row.unvaried(PAPER, [replace(c, under=under) for c in base])
        assert [one for one in left if one.startswith("vaidya-18 ")] == wanted


def test_the_reference_settings_are_the_same_wherever_they_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(PEERS))
    provider = NativeProvider()
    near1 = PAPER.experiments["near1"]
    wireless = tomllib.loads(load("wireless").toml((0.03, 16384)))
    cases = [
        ("base", [network.scenario(1, 0.03, 16384, "base"), wireless]),
        ("d80", [network.scenario(1, 0.03, 16384, "dd", 0.08)]),
        ("snoop", [network.scenario(1, 0.03, 16384, "snoop")]),
    ]
    for scheme, others in cases:
        ours = grid.tree(near1, (0.03, 16384, scheme), "quick")
        both = [json.loads(provider.resolve(tree, "x")) for tree in (ours, *others)]
        for resolved in both:
            resolved.pop("title", None)
            resolved.pop("sources")
        assert all(other == both[0] for other in both[1:]), scheme
