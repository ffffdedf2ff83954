//! RFC 6298 §2: from samples to the timeout; and the same in ticks.

use crate::script::{at, ms};
use acklab_base::Duration;
use acklab_tcp::{RtoConfig, RttEstimator};

fn exact() -> RttEstimator {
    RttEstimator::new(RtoConfig {
        min: Duration::ZERO,
        ..RtoConfig::standard()
    })
}

fn ticks(phase: Duration) -> RttEstimator {
    RttEstimator::new(RtoConfig {
        phase,
        min: Duration::ZERO,
        ..RtoConfig::ns2()
    })
}

#[test]
fn before_any_sample_the_timeout_is_the_initial_one_rfc6298_2_1() {
    assert_eq!(RttEstimator::new(RtoConfig::standard()).rto(), ms(1000));
    assert_eq!(RttEstimator::new(RtoConfig::ns2()).rto(), ms(3000));
}

#[test]
fn the_first_sample_gives_three_times_itself_rfc6298_2_2() {
    let mut rtt = exact();
    rtt.sample(at(0), at(100));
    // SRTT = 100, RTTVAR = 50, RTO = 100 + 4 × 50.
    assert_eq!(rtt.rto(), ms(300));
    assert_eq!(rtt.srtt(), Some(ms(100)));
}

#[test]
fn later_samples_are_averaged_rfc6298_2_3() {
    let mut rtt = exact();
    rtt.sample(at(0), at(100));
    rtt.sample(at(0), at(180));
    // RTTVAR = 3/4 × 50 + 1/4 × 80 = 57.5, SRTT = 7/8 × 100 + 1/8 × 180 = 110.
    assert_eq!(rtt.rto(), ms(110 + 230));
    assert_eq!(rtt.srtt(), Some(ms(110)));
}

#[test]
fn the_deviation_never_counts_less_than_the_clock_rfc6298_2_3() {
    let mut rtt = exact();
    for _ in 0..100 {
        rtt.sample(at(0), at(100));
    }
    assert_eq!(rtt.rto(), ms(100) + RtoConfig::standard().tick);
}

#[test]
fn the_timeout_is_at_least_the_minimum_rfc6298_2_4() {
    for (config, least) in [(RtoConfig::standard(), 1000), (RtoConfig::ns2(), 200)] {
        let mut rtt = RttEstimator::new(config);
        rtt.sample(at(0), at(20));
        assert_eq!(rtt.rto(), ms(least));
    }
}

#[test]
fn the_timeout_is_at_most_the_maximum_rfc6298_2_5() {
    let mut rtt = exact();
    rtt.sample(at(0), at(50_000));
    assert_eq!(rtt.rto(), ms(60_000));
}

#[test]
fn back_off_doubles_up_to_the_maximum_and_a_sample_ends_it_rfc6298_5_5() {
    let mut rtt = RttEstimator::new(RtoConfig::standard());
    let mut seen = Vec::new();
    for _ in 0..8 {
        seen.push(rtt.rto());
        rtt.back_off();
    }
    let expected = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].map(ms);
    assert_eq!(seen, expected);
    rtt.sample(at(0), at(100));
    assert_eq!((rtt.rto(), rtt.backoff()), (ms(1000), 1));
}

/// The minimum applies before the back-off, so that 0.2 s becomes 0.4 s. RFC 6298 §2.4, §5.5.
#[test]
fn the_minimum_is_backed_off_too() {
    let mut rtt = RttEstimator::new(RtoConfig::ns2());
    rtt.sample(at(0), at(20));
    rtt.back_off();
    assert_eq!(rtt.rto(), ms(400));
}

/// RFC 6298 §5.5 doubles without a bound but §2.5's; ns-2 stops its factor at 64 (`t_backoff_`).
#[test]
fn the_factor_stops_at_64_once_the_timeout_is_at_its_maximum() {
    let mut slow = RttEstimator::new(RtoConfig::ns2());
    for _ in 0..20 {
        slow.back_off();
    }
    assert_eq!(slow.backoff(), 64);
    // 0.2 s × 64 is below a minute: the factor goes on.
    let mut fast = RttEstimator::new(RtoConfig::ns2());
    fast.sample(at(0), at(20));
    for _ in 0..20 {
        fast.back_off();
    }
    assert_eq!((fast.backoff(), fast.rto()), (512, ms(60_000)));
}

/// Jacobson 1988, appendix A: 8 × srtt and 4 × rttvar as whole numbers of ticks.
#[test]
fn ticks_are_averaged_in_fixed_point() {
    let mut rtt = ticks(Duration::ZERO);
    rtt.sample(at(0), at(100));
    // srtt 80, rttvar 20: 10 + 20 ticks.
    assert_eq!(rtt.rto(), ms(300));
    rtt.sample(at(0), at(110));
    // 11 ticks are 1 off the mean: srtt 81, rttvar 20 + 1 − 5 = 16: 10 + 16 ticks.
    assert_eq!(rtt.rto(), ms(260));
    rtt.sample(at(0), at(40));
    // 6 below the mean: srtt 75, rttvar 16 + 6 − 4 = 18: 9 + 18 ticks.
    assert_eq!(rtt.rto(), ms(270));
    assert_eq!(rtt.srtt(), Some(Duration::from_micros(93_750)));
}

/// Jacobson 1988, appendix A: a clock of ticks, each sample a whole number of them; ns-2 counts at
/// least one.
#[test]
fn a_sample_counts_the_ticks_that_begin_in_it_and_at_least_one() {
    let mut rtt = ticks(Duration::ZERO);
    rtt.sample(at(1), at(9));
    assert_eq!(rtt.srtt(), Some(ms(10)));
    // From 19 to 31 two ticks begin, though only 12 ms pass; with a clock 2 ms ahead one.
    let mut rtt = ticks(Duration::ZERO);
    rtt.sample(at(19), at(31));
    assert_eq!(rtt.srtt(), Some(ms(20)));
    let mut rtt = ticks(ms(2));
    rtt.sample(at(19), at(31));
    assert_eq!(rtt.srtt(), Some(ms(10)));
}

/// ns-2 and RFC 6298 §5's last paragraph: the average is forgotten, the timeout is not.
#[test]
fn a_back_off_above_eight_forgets_the_average() {
    let mut rtt = ticks(Duration::ZERO);
    rtt.sample(at(0), at(100));
    for _ in 0..3 {
        rtt.back_off();
    }
    assert_eq!(rtt.srtt(), Some(ms(100)));
    rtt.back_off();
    assert_eq!((rtt.srtt(), rtt.rto()), (None, ms(300 * 16)));
    rtt.sample(at(0), at(50));
    assert_eq!(rtt.rto(), ms(150));
}
