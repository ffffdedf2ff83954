//! Simulated time: integer nanoseconds, an instant and an interval being different types.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub};

/// A point in simulated time, in nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// An interval of simulated time, in nanoseconds. Never negative.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Duration(u64);

/// The latest time at which something can happen: 100 million seconds, about three years. No run is longer.
pub const LAST_TIME: Duration = Duration::from_secs(100_000_000);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens: the wake time of what sleeps for good.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for output only: never compute with it.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self + interval` where neither is near the end of time: without the care that
    /// [`Instant::NEVER`] needs, for what happens to every frame at every node.
    #[must_use]
    pub const fn after(self, interval: Duration) -> Self {
        Self(self.0 + interval.0)
    }

    /// The time since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest interval.
    pub const MAX: Self = Self(u64::MAX);

    /// An interval of `nanos` nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// An interval of `micros` microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// An interval of `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// An interval of `secs` seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// An interval given in seconds, rounded to the nearest nanosecond; negative values and NaN
    /// become zero. For parameters and drawn values, not for adding up time.
    #[must_use]
    pub fn from_secs_f64(secs: f64) -> Self {
        let nanos = (secs * 1e9 + 0.5).floor();
        if nanos > 0.0 {
            Self(nanos as u64)
        } else {
            Self::ZERO
        }
    }

    /// Nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds, rounded to the nearest, halves up.
    #[must_use]
    pub const fn round_to_micros(self) -> u64 {
        (self.0 + 500) / 1_000
    }

    /// Whole microseconds, a fraction rounded up.
    #[must_use]
    pub const fn ceil_to_micros(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// Seconds, for output only: never compute time with it.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self - other`, or zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self + other`, or [`Duration::MAX`] if that is longer.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// How many whole times `part` fits into this interval. Panics if `part` is zero.
    #[must_use]
    pub const fn whole(self, part: Self) -> u64 {
        self.0 / part.0
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    /// Saturates at [`Instant::NEVER`].
    fn add(self, interval: Duration) -> Self {
        Self(self.0.saturating_add(interval.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, interval: Duration) {
        *self = *self + interval;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        debug_assert!(
            earlier <= self,
            "time would be negative: {self:?} - {earlier:?}"
        );
        Duration(self.0 - earlier.0)
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, interval: Duration) -> Self {
        debug_assert!(
            interval.0 <= self.0,
            "before the start: {self:?} - {interval:?}"
        );
        Self(self.0 - interval.0)
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        debug_assert!(
            other <= self,
            "interval would be negative: {self:?} - {other:?}"
        );
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl Rem for Duration {
    type Output = Self;
    fn rem(self, part: Self) -> Self {
        Self(self.0 % part.0)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NEVER {
            f.write_str("never")
        } else {
            write!(
                f,
                "{}.{:09}s",
                self.0 / 1_000_000_000,
                self.0 % 1_000_000_000
            )
        }
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:09}s",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slot_n_starts_at_n_times_slot() {
        let slot = Duration::from_micros(20);
        let start = Instant::ZERO + slot * 1_000_000;
        assert_eq!(start.as_nanos(), 20_000_000_000);
        assert_eq!((start - Instant::ZERO).whole(slot), 1_000_000);
    }

    #[test]
    fn microseconds_round_halves_up() {
        assert_eq!(Duration::from_nanos(499).round_to_micros(), 0);
        assert_eq!(Duration::from_nanos(500).round_to_micros(), 1);
        assert_eq!(Duration::from_nanos(1_499).round_to_micros(), 1);
    }

    #[test]
    fn a_fraction_of_a_microsecond_may_be_rounded_up() {
        for (nanos, micros) in [(0, 0), (1, 1), (1_000, 1), (1_001, 2)] {
            assert_eq!(Duration::from_nanos(nanos).ceil_to_micros(), micros);
        }
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Instant::NEVER + Duration::from_secs(1), Instant::NEVER);
    }

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Duration::from_secs_f64(0.1).as_nanos(), 100_000_000);
        assert_eq!(Duration::from_secs_f64(-3.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
    }
}
