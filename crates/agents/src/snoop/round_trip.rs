//! The round trip over the wireless part as Snoop estimates it, in integer nanoseconds.
//!
//! Invariant: without a sample or an assumption there is no bound.

use super::Timing;
use acklab_base::{Duration, Smoothed};

/// A smoothed mean and its mean deviation.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoundTrip {
    /// Jacobson's filter.
    Jacobson(Smoothed),
    /// The filter of ns-2's Snoop.
    Ns2 { mean: u64, deviation: u64 },
}

impl RoundTrip {
    pub(super) fn new(timing: Timing) -> Self {
        match timing {
            Timing::Jacobson => Self::Jacobson(Smoothed::default()),
            Timing::Ns2 { mean, deviation } => Self::Ns2 {
                mean: mean.as_nanos(),
                deviation: deviation.as_nanos(),
            },
        }
    }

    pub(super) fn add(&mut self, sample: Duration) {
        match self {
            Self::Jacobson(smoothed) => smoothed.add(sample),
            Self::Ns2 { mean, deviation } => {
                let sample = sample.as_nanos();
                // The old mean counts an eighth, the new sample seven; the deviation from the new
                // mean counts an eighth, the old one seven.
                *mean = (*mean + 7 * sample) / 8;
                let off = sample.abs_diff(*mean);
                *deviation = if *deviation == 0 {
                    off
                } else {
                    (off + 7 * *deviation) / 8
                };
            }
        }
    }

    /// The mean and four deviations; zero before anything is known.
    pub(super) fn bound(&self) -> Duration {
        match self {
            Self::Jacobson(smoothed) => smoothed.bound().unwrap_or_default(),
            Self::Ns2 { mean, deviation } => Duration::from_nanos(mean + 4 * deviation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 100 and 250 ms: after a sample of 20 ms the mean is (100 + 7 × 20) / 8 = 30, the
    /// deviation (10 + 7 × 250) / 8 = 220; after one of 30 ms 30 and 192.5.
    #[test]
    fn the_filter_of_ns2_by_hand() {
        let millis = Duration::from_millis;
        let mut round_trip = RoundTrip::new(Timing::Ns2 {
            mean: millis(100),
            deviation: millis(250),
        });
        assert_eq!(round_trip.bound(), millis(1_100));
        round_trip.add(millis(20));
        assert_eq!(round_trip.bound(), millis(30 + 4 * 220));
        round_trip.add(millis(30));
        assert_eq!(round_trip.bound(), millis(30 + 770));
    }
}
