"""Estimates: arithmetic keeps the pairing, intervals cover, picking the best is not optimistic."""

from __future__ import annotations

import numpy as np
import pytest

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import (
    Estimate,
    gain,
    kendall_by_run,
    left_out_best,
    mean,
    two_sample,
)
from acklab.papers.engine.expression import evaluate, names

SEED = 20031117


def test_mean_has_the_textbook_interval() -> None:
    estimate = mean([1.0, 2.0, 3.0, 4.0])
    assert estimate.value == 2.5
    # s = 1.2910, t(0.975, 3) = 3.1824: half-width 2.0542.
    assert estimate.half_width() == pytest.approx(2.0542, abs=1e-4)


def test_one_run_has_no_interval() -> None:
    assert mean([3.0]).half_width() == float("inf")


def test_difference_is_paired() -> None:
    a = np.array([10.0, 20.0, 30.0, 40.0])
    b = a - 1.0
    assert (mean(a) - mean(b)).half_width() == pytest.approx(0.0, abs=1e-12)


def test_ratio_is_of_means_and_paired() -> None:
    b = np.array([1.0, 2.0, 3.0])
    ratio = mean(2.0 * b) / mean(b)
    assert ratio.value == pytest.approx(2.0)
    assert ratio.half_width() == pytest.approx(0.0, abs=1e-12)
    other = mean([1.0, 3.0]) / mean([1.0, 1.0])
    assert other.value == 2.0


def test_product_and_constants() -> None:
    a = mean([2.0, 4.0])
    assert (a * 3.0).value == 9.0
    assert (1.0 - a).value == -2.0
    assert (12.0 / a).value == 4.0
    assert (a * a).value == 9.0


def test_gain_interval_covers_the_truth() -> None:
    """95 % intervals of a gain of 30 % from 12 paired runs cover it about 95 times in 100."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    covered = 0
    trials = 2000
    for _ in range(trials):
        luck = rng.normal(0.0, 1.0, 12)
        b = 10.0 + luck + rng.normal(0.0, 0.5, 12)
        a = 13.0 + 1.3 * luck + rng.normal(0.0, 0.5, 12)
        low, high = gain(a, b).interval()
        covered += low <= 0.3 <= high
    assert 0.935 <= covered / trials <= 0.965


def test_left_out_best_is_not_optimistic() -> None:
    """Ten equal candidates: the best mean is too high on average, the left-out best is not."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    plain, left_out = [], []
    for _ in range(1000):
        values = rng.normal(10.0, 1.0, (10, 8))
        plain.append(values.mean(axis=1).max())
        left_out.append(left_out_best(values).mean())
    assert np.mean(plain) > 10.4
    # With equal candidates the left-out choice leans away from the run that was left out.
    assert np.mean(left_out) < 10.02


def test_left_out_best_is_the_best_where_it_is_clear() -> None:
    values = np.array([[1.0, 1.1, 0.9], [5.0, 5.2, 4.9], [3.0, 3.0, 3.1]])
    assert left_out_best(values).tolist() == [5.0, 5.2, 4.9]
    assert left_out_best(values, highest=False).tolist() == [1.0, 1.1, 0.9]


def test_two_sample_is_welch() -> None:
    difference, error = two_sample([1.0, 2.0, 3.0], [0.0, 0.0, 3.0])
    assert difference == 1.0
    assert error == pytest.approx(np.sqrt(1.0 / 3 + 3.0 / 3))


def test_kendall_by_run() -> None:
    rows = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    tau = kendall_by_run([1, 2, 3], rows)
    assert tau.value == pytest.approx((1.0 + 1.0 / 3) / 2)


def test_expression_evaluates() -> None:
    cells = {"a": mean([2.0, 4.0]), "b": mean([1.0, 2.0])}
    assert evaluate("(a - b) / b", cells).value == pytest.approx(1.0)
    assert evaluate("1 - b / a", cells).value == pytest.approx(0.5)
    assert evaluate("-a", cells).value == -3.0


@pytest.mark.parametrize(
    "text", ["__import__('os')", "a.b", "a[0]", "a if b else a", "a **", "'x'"]
)
def test_expression_refuses_code(text: str) -> None:
    with pytest.raises(PaperError):
        names(text, "quantity")


def test_expression_names_an_unknown_cell() -> None:
    with pytest.raises(PaperError, match="c"):
        evaluate("a / c", {"a": Estimate(1.0, np.zeros(2))})


def test_expression_needs_a_cell() -> None:
    with pytest.raises(PaperError):
        evaluate("1 + 1", {})
