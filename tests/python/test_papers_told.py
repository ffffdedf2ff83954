"""Intervals across experiments, and numbers of ours in prose."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import independent, mean, satterthwaite
from acklab.papers.engine.inherit import under_variant
from acklab.papers.engine.jackknife import combined, groups_of, jackknife
from acklab.papers.engine.load import SUMMARY, load_paper
from acklab.papers.engine.model import Sampled
from acklab.papers.engine.reproduce import reproduce_paper
from acklab.papers.engine.results import Results
from acklab.papers.engine.selection import Pick, Scope, quantity
from acklab.papers.engine.series import figure_of
from acklab.papers.engine.told import check_text, fill
from acklab.report.findings import findings_page
from papers_synthetic import Synthetic
from test_papers_rules import WINDOWS, decide, world


def test_independent_samples_keep_their_errors() -> None:
    a, b = mean([1.0, 2.0, 3.0, 4.0]), mean([2.0, 5.0])
    one, other = independent([a, b])
    assert one.standard_error == pytest.approx(a.standard_error)
    both = (one - other).standard_error
    assert both == pytest.approx(np.hypot(a.standard_error, b.standard_error))


def test_welchs_degrees_of_freedom() -> None:
    # By hand: v = 1 and 4 with 3 and 1 degrees: 25 / (1/3 + 16) = 1.5306.
    assert satterthwaite([1.0, 4.0], [3, 1]) == pytest.approx(25.0 / (1.0 / 3.0 + 16.0))
    assert satterthwaite([1.0, 0.0], [3, 0]) == pytest.approx(3.0)
    assert satterthwaite([1.0, 1.0], [3, 0]) == 0.0
    # Two samples of the same size and spread have the degrees of both together.
    a, b = independent([mean([1.0, 2.0, 3.0]), mean([5.0, 6.0, 7.0])])
    assert (a - b).degrees == pytest.approx(4.0)
    # What has no spread leaves the other's degrees, whatever its runs.
    a, b = independent([mean([1.0, 2.0, 3.0]), mean([5.0] * 70)])
    assert (a / b).degrees == pytest.approx(2.0)


def test_estimates_of_one_pool_stay_paired() -> None:
    a, b, c = mean([1.0, 2.0, 3.0]), mean([2.0, 3.0, 4.0]), mean([1.0, 5.0])
    one, two, _ = independent([a, b, c], ["x", "x", "y"])
    assert (one - two).standard_error == 0.0
    assert independent([a, b])[0].runs == 6


def two_chains(short: int, long: int) -> Scope:
    """Experiments of different numbers of runs: d = 3 gains 50 % in one, 20 % in the other."""
    scope = world({(w, 3): 15.0 for w in WINDOWS}, 0.05, runs=short)
    other = world({(w, 3): 12.0 for w in WINDOWS}, 0.05, runs=long, seed=8)
    data = other.results.experiments["e"]
    data.experiment = replace(data.experiment, key="f")
    scope.results.experiments["f"] = data
    return scope


DOUBLE = {
    "points": [{"window": 5}],
    "cells": {
        "a": {"d": 3},
        "b": {"d": 1},
        "c": {"experiment": "f", "d": 3},
        "e": {"experiment": "f", "d": 1},
    },
    "quantity": "a / b - c / e",
}


def test_double_ratios_take_all_runs_of_each_experiment() -> None:
    scope = two_chains(60, 4)
    check = {"measure": "x", **DOUBLE}
    cut = quantity(scope, check, {"window": 5})
    apart = quantity(scope, {**check, "unpaired": "experiments"}, {"window": 5})
    assert (cut.runs, apart.runs) == (4, 64)
    single = [
        quantity(scope, {**check, "quantity": text}, {"window": 5}) for text in ("a / b", "c / e")
    ]
    # All runs count, and cells of one experiment stay paired within it.
    assert apart.value == pytest.approx(single[0].value - single[1].value)
    errors = np.hypot(single[0].standard_error, single[1].standard_error)
    assert apart.standard_error == pytest.approx(errors)
    assert 3.0 <= apart.degrees < 10.0
    assert decide(scope, **DOUBLE, unpaired="experiments", sig_above=0).met is True


def jackknifed(figure: Any) -> Any:
    return jackknife(figure, groups_of([figure])).interval()


def test_jackknife_of_a_mean_is_its_t_interval() -> None:
    values = np.random.default_rng(3).normal(0.0, 1.0, 200)

    def first(count: int) -> Any:
        return lambda pick: float(np.mean(values[list(pick("e", list(range(count))))]))

    found = jackknifed(first(200))
    half = mean(values).half_width()
    assert found.value == pytest.approx(values.mean())
    assert 0.5 * half < found.high - found.value < 2.0 * half
    # Four runs make four groups, and leaving one out of a mean gives its t interval exactly.
    few = jackknifed(first(4))
    assert few.high - few.value == pytest.approx(mean(values[:4]).half_width())
    assert few.degrees == pytest.approx(3.0)


def test_jackknife_adds_the_variances_of_experiments() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.0, 1.0, 20), rng.normal(0.0, 1.0, 4)

    def of(name: str, values: Any) -> Any:
        return lambda pick: float(np.mean(values[list(pick(name, list(range(len(values)))))]))

    def difference(pick: Pick) -> float:
        return float(of("a", a)(pick) - of("b", b)(pick))

    found = jackknifed(difference)
    one, other = independent([mean(a), mean(b)])
    assert found.high - found.value == pytest.approx((one - other).half_width())
    assert found.degrees == pytest.approx((one - other).degrees)
    # The same, made of two figures that were jackknifed apart.
    parts = [of("a", a), of("b", b)]
    made = combined(lambda v: float(v[0] - v[1]), [jackknife(p, groups_of(parts)) for p in parts])
    assert made.interval().high == pytest.approx(found.high)


def test_a_best_is_not_picked_anew_when_runs_are_left_out() -> None:
    scope = world({}, 0.2, runs=8)
    best = {"window": {"best": "all"}, "d": 1}
    check = {"measure": "x", "cells": {"a": best}, "quantity": "a"}

    def figure(pick: Pick) -> float:
        return quantity(Scope(scope.results, "e", pick), check, {}).value

    found = jackknifed(figure)
    assert found.high - found.value == pytest.approx(quantity(scope, check, {}).half_width())


REGRET = {
    "test": "regret",
    "axis": "window",
    "across": ["e"],
    "cells": {"a": {"d": 1}, "b": {"d": 1}},
    "each": {"window": [10]},
}


def test_regret_has_an_interval_and_may_be_undecided() -> None:
    peak = {(3, 1): 14.0, (10, 1): 12.6}
    clear = decide(world(peak, 0.01), **REGRET, at_least=0.05)
    assert clear.met is True
    (row,) = clear.measured
    assert row.low is not None
    assert row.high is not None
    assert row.low < 0.1 < row.high
    assert row.runs == 12
    assert decide(world(peak, 0.01), **REGRET, at_most=0.05).met is False
    # Three noisy runs around the same truth tell nothing, in either direction.
    noisy = world(peak, 0.1, runs=3)
    assert decide(noisy, **REGRET, at_least=0.09).met is None
    assert decide(noisy, **REGRET, at_most=0.09).met is None


def test_regret_has_no_winners_curse() -> None:
    # All windows are alike: the highest of six noisy means would make each of them look bad.
    every = {**REGRET, "each": {"window": "all"}}
    losses = [
        decide(world({}, 0.1, runs=6, seed=seed), **every, at_least=0.5).measured[0].value
        for seed in range(20)
    ]
    assert min(loss for loss in losses if loss is not None) < 0.0


def test_a_flat_best_set_supports_nothing() -> None:
    flat = world({}, 0.3, runs=4)
    check = {"test": "best_set", "axis": "window", "cells": {"a": {"d": 1}}}
    assert decide(flat, **check, contains=[2]).met is True
    found = decide(flat, **check, contains=[2], flat_above=0.334)
    assert found.met is None
    assert "flat: " in found.reason
    assert " of 6" in found.reason
    assert decide(flat, **check, meets=[1.5, 3.5], flat_above=0.334).met is None
    peak = world({(2, 1): 14.0}, 0.02)
    assert decide(peak, **check, contains=[2], flat_above=0.334).met is True
    assert decide(peak, **check, contains=[5], flat_above=0.334).met is False


def test_the_largest_window_behind_the_first_fall() -> None:
    def row(values: list[float]) -> dict[str, Any]:
        times = [0.1 * i for i in range(len(values))]
        return {"samples": {"time_s": times, "flows": [{"cwnd": values}]}}

    later = Sampled("k", "", "cwnd", "max_after_fall")
    assert figure_of(later, row([2, 20, 4, 9, 3])) == 9.0
    assert figure_of(later, row([2, 4, 8])) == 8.0


def test_a_variant_gives_each_point_its_least_runs() -> None:
    paper = load_paper("altman2003")
    variant = replace(paper.variants["ns2-2.1b9"], share=0.1, least=4, experiments=("chain20",))
    base = {"chain20": paper.experiments["chain20"]}
    (made,) = under_variant(variant, base)
    assert (made.runs.quick, made.runs.full, made.runs.cap) == (3, 4, 4)


TEXTS = {
    "{mean e:x window=5 d=1}": "9.99 ± ",
    "{gain e:x window=5 d=3 / d=1}": "50 ± ",
    "{loss e:x window=5 d=1 / d=3}": "33 ± ",
    "{ratio e:x window=large d=3 / d=1}": "× 1.5",
    "{argmax e:x window=argmax d=2}": "50",
    "{mean e:x window=5 d=1|3}": "15",
    "{percent f:x window=5 d=1}": "not run",
    "{runs e}": "12.",
    "{runs f}": "not run",
}


def told_world() -> Results:
    means = {(w, 3): 15.0 for w in WINDOWS}
    return world({**means, (50, 2): 20.0}, 0.002).results


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_in_prose(text: str) -> None:
    told = fill(f"It is {text}.", told_world())
    assert told.startswith(f"It is {TEXTS[text]}")
    assert "{" not in told


def test_prose_names_what_there_is() -> None:
    paper = load_paper("altman2003")
    check_text(paper, "here", "{gain chain9 d=3 window=above10 / d=1}")
    check_text(paper, "here", "{runs chain9@ns2-2.1b9}")
    for wrong in (
        "{gian chain9 d=3 window=3 / d=1}",
        "{mean chain8 d=3 window=3}",
        "{mean chain9 d=3}",
        "{mean chain9 d=3 window=9}",
        "{mean chain9 d=3 width=3}",
        "{gain chain9 d=3 window=3}",
        "{mean chain9 d=3 window=3 / d=1}",
        "{runs chain9 d=3}",
        "{runs chain8}",
    ):
        with pytest.raises(PaperError):
            check_text(paper, "here", wrong)


def ns2(name: str, measure: str) -> dict[tuple[str, str], float]:
    """The mean over the seeds of a reference's rows, by d and window."""
    path = load_paper("altman2003").folder / "reference" / f"{name}.csv"
    found: dict[tuple[str, str], list[float]] = {}
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found.setdefault((row["d"], row["wmax"]), []).append(float(row[measure]))
    return {key: float(np.mean(values)) for key, values in found.items()}


def test_the_summary_tells_ns2s_own_rows() -> None:
    text = (load_paper("altman2003").folder / SUMMARY).read_text(encoding="utf-8")
    rows = ns2("ns2-fig2-n9", "goodput_pps")
    gains = {w: rows["3", w] / rows["1", w] - 1 for w in ("10", "20", "50")}
    assert f"| {gains['20']:.0%}, {gains['50']:.0%} (W = 20, 50) |".replace("%", " %") in text
    assert f"gains {100 * np.mean(list(gains.values())):.0f} % with d = 3" in text
    ratios = [rows[d, "50"] / rows["1", "50"] for d in ("3", "4")]
    assert f"| × {ratios[0]:.2f}, × {ratios[1]:.2f} (W = 50) |" in text
    assert f"| {100 * (1 - rows['1', '50'] / rows['1', '3']):.0f} % (W = 50) |" in text
    dsr = ns2("ns2-fig9-dsr", "goodput_pps")
    assert f"| {dsr['1', '3']:.1f} (W = 3) |" in text
    assert f"| {dsr['1', '20']:.1f} (W = 20) |" in text
    assert f"| × {dsr['3', '20'] / dsr['1', '20']:.2f} (d = 3, W = 20) |" in text
    dsdv = ns2("ns2-fig9-dsdv", "goodput_pps")
    assert f"| −{100 * (1 - dsdv['3', '20'] / dsdv['1', '20']):.0f} % (W = 20) |" in text
    delay = ns2("ns2-short9", "mean_session_delay")
    assert f"| −{100 * (1 - delay['2', '20'] / delay['1', '20']):.0f} % (W = 20) |" in text
    sent = ns2("ns2-short9", "acked_packets")
    assert f"| {100 * (sent['dyn', '20'] / sent['1', '20'] - 1):.0f} % (dyn, W = 20) |" in text


def test_reports_tell_changed_rules_and_fill_the_summary(tmp_path: Path) -> None:
    made = reproduce_paper(
        load_paper("altman2003"),
        ["table1"],
        out=tmp_path / "out",
        runs=3,
        workers=1,
        provider=Synthetic(),
    )
    changed = {c.id: c.changed_rule for c in made.claims if c.changed_rule}
    assert {f"altman-{n}" for n in (2, 3, 11, 15, 16, 17, 44, 70)} <= set(changed)
    assert "Rule changed:" in made.files["report.html"].read_text(encoding="utf-8")
    page = findings_page(made.folder)
    assert "Rules that differ from those first written down" in page
    assert changed["altman-70"] in page
    told = made.files[SUMMARY].read_text(encoding="utf-8")
    assert "Left out here" in told
    assert "{" not in told
    assert "{" not in "".join(c.why + c.note for c in made.claims)
