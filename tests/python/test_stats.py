"""Statistics against tables, against scipy, and against what must hold for any data."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from acklab import InputError, stats

values = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("confidence", "degrees", "quantile"),
    # A printed table of Student's distribution, two-sided.
    [(0.95, 1, 12.706), (0.95, 4, 2.776), (0.95, 9, 2.262), (0.99, 9, 3.250), (0.90, 29, 1.699)],
)
def test_student_t_matches_the_printed_table(confidence, degrees, quantile):
    assert stats.student_t(confidence, degrees) == pytest.approx(quantile, abs=5e-4)


@given(values)
def test_mean_agrees_with_scipy(data):
    ours = stats.mean(data)
    assert ours.mean == pytest.approx(sum(data) / len(data), abs=1e-6)
    if len(set(data)) > 1:
        low, high = scipy.stats.ttest_1samp(data, 0.0).confidence_interval(0.95)
        assert ours.low == pytest.approx(low, rel=1e-6, abs=1e-6)
        assert ours.high == pytest.approx(high, rel=1e-6, abs=1e-6)


def test_one_value_has_a_mean_but_no_interval():
    estimate = stats.mean([3.0], "packets/s")
    assert (estimate.mean, estimate.half_width, estimate.low, estimate.relative) == (
        3.0,
        None,
        None,
        None,
    )
    assert "no interval" in str(estimate)


def test_an_interval_says_how_often_it_covers():
    assert str(stats.mean([1.0, 3.0], "s")) == "2 ± 13 s (95%, n = 2)"
    assert "(99.9%, n = 2)" in str(stats.mean([1.0, 3.0], confidence=0.999))


@pytest.mark.parametrize("value", [0.1, 1 / 3, 123456.789])
def test_equal_values_are_their_own_mean(value):
    # The sum of three times 0.1 is rounded, and a third of it is not 0.1.
    for n in range(2, 50):
        estimate = stats.mean([value] * n)
        assert (estimate.mean, estimate.half_width) == (value, 0.0)


def test_equal_values_have_an_interval_of_no_width():
    assert stats.mean([2.0, 2.0, 2.0]).half_width == 0.0


def test_relative_width_of_a_zero_mean_has_no_meaning():
    assert stats.mean([-1.0, 1.0]).relative is None
    assert stats.mean([0.0, 0.0]).relative == 0.0


@pytest.mark.parametrize("data", [[], [1.0, math.nan], [math.inf]])
def test_mean_refuses_what_is_no_data(data):
    with pytest.raises(InputError):
        stats.mean(data)


def test_intervals_cover_as_often_as_they_say():
    import numpy

    generator = numpy.random.default_rng(20260101)
    samples = generator.normal(10.0, 3.0, size=(4000, 5))
    covered = 0
    for sample in samples:
        estimate = stats.mean(sample.tolist())
        covered += estimate.low <= 10.0 <= estimate.high
    # 95 % of 4000 with a standard deviation of 13.8: four of them on either side.
    assert abs(covered - 3800) < 55


@given(values)
def test_a_pair_of_equals_does_not_differ(data):
    difference = stats.paired(data, data)
    assert difference.difference.mean == 0.0
    assert not difference.significant


def test_pairing_removes_common_noise():
    noise = [5.0, -3.0, 11.0, 0.5, -7.0]
    a = [value + 1.0 + 0.01 * index for index, value in enumerate(noise)]
    pair = stats.paired(a, noise)
    assert pair.significant
    assert pair.difference.half_width < 0.1 < stats.mean(noise).half_width


def test_paired_values_need_partners():
    with pytest.raises(InputError):
        stats.paired([1.0, 2.0], [1.0])


def test_batch_means_leave_the_remainder_off_at_the_front():
    series = [1e9] + [1.0, 3.0] * 6
    estimate = stats.batch_means(series, batches=6)
    assert (estimate.mean, estimate.half_width, estimate.n) == (2.0, 0.0, 6)


def test_batch_means_need_two_batches_and_enough_values():
    with pytest.raises(InputError):
        stats.batch_means([1.0, 2.0], batches=1)
    with pytest.raises(InputError):
        stats.batch_means([1.0, 2.0], batches=3)


@given(st.lists(st.floats(0.0, 1e9), min_size=1, max_size=20).filter(any))
def test_jain_lies_between_one_share_and_equality(shares):
    assert 1.0 / len(shares) - 1e-12 <= stats.jain(shares) <= 1.0 + 1e-12


def test_jain_of_known_shares():
    assert stats.jain([1.0, 1.0, 1.0, 1.0]) == 1.0
    assert stats.jain([4.0, 0.0, 0.0, 0.0]) == 0.25
    assert stats.jain([1.0, 2.0]) == pytest.approx(0.9)
    with pytest.raises(InputError):
        stats.jain([0.0, 0.0])
    with pytest.raises(InputError):
        stats.jain([1.0, -1.0])


def test_mann_kendall_of_a_rise_a_fall_and_neither():
    rising = stats.mann_kendall([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    assert (rising.s, rising.tau, rising.direction()) == (28, 1.0, "rising")
    assert stats.mann_kendall([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]).direction() == "falling"
    flat = stats.mann_kendall([1.0, 1.0, 1.0, 1.0])
    assert (flat.s, flat.p_value, flat.direction()) == (0, 1.0, "none")


@given(st.lists(st.integers(0, 5), min_size=3, max_size=15))
def test_mann_kendall_s_agrees_with_kendalls_tau(data):
    trend = stats.mann_kendall([float(value) for value in data])
    reference = scipy.stats.kendalltau(range(len(data)), data, variant="c").statistic
    if len(set(data)) > 1:
        assert (trend.s > 0) == (reference > 1e-12)
        assert (trend.s < 0) == (reference < -1e-12)
    assert 0.0 <= trend.p_value <= 1.0


def test_what_is_no_number_is_named():
    for wrong in (
        lambda: stats.student_t("a", 2),
        lambda: stats.student_t(0.95, None),
        lambda: stats.batch_means([1.0] * 9, 2.0),
        lambda: stats.mean([1e308, 1e308]),
        lambda: stats.mean([1e200, -1e200]),
    ):
        with pytest.raises(InputError):
            wrong()
    assert stats.mean([1e308]).mean == 1e308


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda: stats.batch_means(5), "series"),
        (lambda: stats.batch_means(["a"] * 20), "series"),
        (lambda: stats.batch_means([1.0] * 19 + [math.nan]), "series[19]"),
        (lambda: stats.batch_means([1e308] * 20), "series"),
        (lambda: stats.mean([10**400, 1]), "values"),
        (lambda: stats.jain([10**400]), "shares"),
        (lambda: stats.mean([1.0, 1.0], confidence=2), "confidence"),
        (lambda: stats.mean([1.0], confidence="x"), "confidence"),
    ],
)
def test_what_gives_no_statistics_is_named(call, place):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.place == place


def test_numbers_of_every_kind_are_numbers():
    halves = [Fraction(1, 2), Decimal("1.5"), numpy.float32(2.5), 3]
    assert stats.mean(halves) == stats.mean([0.5, 1.5, 2.5, 3.0])
    assert stats.batch_means(iter(halves), 2) == stats.batch_means([0.5, 1.5, 2.5, 3.0], 2)
