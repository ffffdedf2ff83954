//! Time-weighted means of values that jump, such as windows.
//!
//! Statistics for output only: nothing here flows back into a run. The one invariant: the mean of
//! an interval does not depend on how often the same value was set in it.

use acklab_base::Instant;

/// The mean over time and the largest of a value that is constant between jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeMean {
    value: f64,
    maximum: f64,
    /// Integral of the value over nanoseconds, from `start` to `at`.
    area: f64,
    start: Instant,
    at: Instant,
}

impl TimeMean {
    /// Starts with `value` at `start`.
    #[must_use]
    pub const fn new(start: Instant, value: f64) -> Self {
        Self {
            value,
            maximum: value,
            area: 0.0,
            start,
            at: start,
        }
    }

    /// The value jumps at `now`.
    #[inline]
    pub fn set(&mut self, now: Instant, value: f64) {
        self.stand(now, now.saturating_since(self.at).as_nanos() as f64, value);
    }

    /// The value jumps at `now`, after it has stood for `nanos`.
    #[inline]
    fn stand(&mut self, now: Instant, nanos: f64, value: f64) {
        self.area += self.value * nanos;
        self.at = self.at.max(now);
        self.value = value;
        self.maximum = self.maximum.max(value);
    }

    /// Forgets what was before `now`; the value stays.
    pub fn restart(&mut self, now: Instant) {
        *self = Self::new(now, self.value);
    }

    /// The value now.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The largest value since the start.
    #[must_use]
    pub const fn maximum(&self) -> f64 {
        self.maximum
    }

    /// The mean from the start to `end`; the value itself if no time has gone by.
    #[must_use]
    pub fn mean(&self, end: Instant) -> f64 {
        let span = end.saturating_since(self.start).as_nanos() as f64;
        let rest = end.saturating_since(self.at).as_nanos() as f64;
        if span > 0.0 {
            (self.area + self.value * rest) / span
        } else {
            self.value
        }
    }
}

/// A usable window below so many segments counts as small: the ACK thinning of the papers waits
/// for as many.
pub const SMALL_WINDOW: f64 = 4.0;

/// The windows of one TCP sender over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowMeter {
    /// Congestion window, in segments.
    pub cwnd: TimeMean,
    /// Usable window, the smaller of congestion and receiver window, in segments.
    pub window: TimeMean,
    /// 1 while the congestion window is below the slow-start threshold, else 0.
    pub slow_start: TimeMean,
    /// 1 while the usable window is below [`SMALL_WINDOW`], else 0.
    pub small: TimeMean,
}

impl WindowMeter {
    /// Starts at `start` with the sender's first windows, in slow start.
    #[must_use]
    pub const fn new(start: Instant, cwnd: f64, window: f64) -> Self {
        let small = if window < SMALL_WINDOW { 1.0 } else { 0.0 };
        Self {
            cwnd: TimeMean::new(start, cwnd),
            window: TimeMean::new(start, window),
            slow_start: TimeMean::new(start, 1.0),
            small: TimeMean::new(start, small),
        }
    }

    /// The windows and the slow-start threshold after an input at `now`.
    #[inline]
    pub fn set(&mut self, now: Instant, cwnd: f64, window: f64, ssthresh: f64) {
        // All four are set together, so they have stood for the same time.
        let nanos = now.saturating_since(self.cwnd.at).as_nanos() as f64;
        self.cwnd.stand(now, nanos, cwnd);
        self.window.stand(now, nanos, window);
        self.slow_start.stand(now, nanos, flag(cwnd < ssthresh));
        self.small.stand(now, nanos, flag(window < SMALL_WINDOW));
    }

    /// Whether the usable window is small now.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.window.value() < SMALL_WINDOW
    }

    /// Forgets what was before `now`.
    pub fn restart(&mut self, now: Instant) {
        self.cwnd.restart(now);
        self.window.restart(now);
        self.slow_start.restart(now);
        self.small.restart(now);
    }
}

fn flag(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_value_counts_for_as_long_as_it_stands() {
        let mut mean = TimeMean::new(ms(0), 1.0);
        mean.set(ms(10), 4.0);
        mean.set(ms(20), 4.0);
        mean.set(ms(30), 2.0);
        // 10 ms at 1, 20 ms at 4, 10 ms at 2.
        assert!((mean.mean(ms(40)) - 2.75).abs() < 1e-12);
        assert!((mean.maximum() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn shares_of_time_in_slow_start_and_with_a_small_window() {
        let mut meter = WindowMeter::new(ms(0), 1.0, 1.0);
        meter.set(ms(10), 4.0, 4.0, 8.0);
        meter.set(ms(20), 8.0, 5.0, 8.0);
        meter.set(ms(30), 2.0, 2.0, 2.0);
        assert!(meter.is_small());
        // Below the threshold until 20 ms; below four packets until 10 ms and from 30 ms on.
        assert!((meter.slow_start.mean(ms(40)) - 0.5).abs() < 1e-12);
        assert!((meter.small.mean(ms(40)) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_restart_forgets_the_past_but_not_the_value() {
        let mut mean = TimeMean::new(ms(0), 9.0);
        mean.set(ms(10), 3.0);
        mean.restart(ms(20));
        assert!((mean.mean(ms(20)) - 3.0).abs() < 1e-12);
        mean.set(ms(30), 5.0);
        assert!((mean.mean(ms(40)) - 4.0).abs() < 1e-12);
        assert!((mean.maximum() - 5.0).abs() < 1e-12);
    }
}
