//! A smoothed mean of intervals and their mean deviation, in integer nanoseconds.
//!
//! Jacobson's filter (SIGCOMM 1988, appendix A) with gains 1/8 and 1/4, as RFC 6298 §2 has it,
//! kept eight and four times too large so that nothing is lost to rounding. Link-level timers and
//! agents use it; TCP has a retransmission timer with rules of its own.

use crate::time::Duration;

/// The filter; empty until the first sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Smoothed {
    /// Eight times the mean.
    mean8: u64,
    /// Four times the mean deviation.
    deviation4: u64,
    samples: u64,
}

impl Smoothed {
    /// Takes a sample. The first one sets the mean, and the deviation to half of it.
    pub fn add(&mut self, sample: Duration) {
        let sample = sample.as_nanos();
        if self.samples == 0 {
            self.mean8 = sample * 8;
            self.deviation4 = sample * 2;
        } else {
            let mean = self.mean8 / 8;
            let error = sample.abs_diff(mean);
            self.deviation4 = self.deviation4 - self.deviation4 / 4 + error;
            self.mean8 = self.mean8 - mean + sample;
        }
        self.samples += 1;
    }

    /// The mean; `None` before the first sample.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        (self.samples > 0).then(|| Duration::from_nanos(self.mean8 / 8))
    }

    /// The mean and four deviations: what a sample will hardly exceed. `None` before the first.
    #[must_use]
    pub fn bound(&self) -> Option<Duration> {
        (self.samples > 0).then(|| Duration::from_nanos(self.mean8 / 8 + self.deviation4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_filter_by_hand() {
        let mut smoothed = Smoothed::default();
        assert_eq!((smoothed.mean(), smoothed.bound()), (None, None));
        // First sample 80: mean 80, deviation 40, bound 80 + 160.
        smoothed.add(Duration::from_nanos(80));
        assert_eq!(smoothed.bound(), Some(Duration::from_nanos(240)));
        // Second sample 160: error 80, deviation 40 + (80 - 40) / 4 = 50, mean 80 + 80 / 8 = 90.
        smoothed.add(Duration::from_nanos(160));
        assert_eq!(smoothed.mean(), Some(Duration::from_nanos(90)));
        assert_eq!(smoothed.bound(), Some(Duration::from_nanos(290)));
    }

    #[test]
    fn equal_samples_become_certainty() {
        let mut smoothed = Smoothed::default();
        smoothed.add(Duration::from_millis(9));
        for _ in 0..400 {
            smoothed.add(Duration::from_millis(3));
        }
        let (mean, bound) = (smoothed.mean(), smoothed.bound());
        let off = mean
            .zip(bound)
            .map(|(m, b)| (m.as_nanos().abs_diff(3_000_000), b - m));
        assert!(
            off.is_some_and(|(off, spread)| off < 10 && spread.as_nanos() < 100),
            "{off:?}"
        );
    }
}
