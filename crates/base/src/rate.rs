//! Bit rates, and the one place where bits become time.

use crate::time::Duration;

/// A rate in bits per second, never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BitRate(u64);

impl BitRate {
    /// 1 Mbit/s.
    pub const MBPS_1: Self = Self(1_000_000);
    /// 2 Mbit/s.
    pub const MBPS_2: Self = Self(2_000_000);
    /// 5.5 Mbit/s.
    pub const MBPS_5_5: Self = Self(5_500_000);
    /// 11 Mbit/s.
    pub const MBPS_11: Self = Self(11_000_000);

    /// A rate of `bits_per_second`; `None` for zero.
    #[must_use]
    pub const fn new(bits_per_second: u64) -> Option<Self> {
        if bits_per_second == 0 {
            None
        } else {
            Some(Self(bits_per_second))
        }
    }

    /// Bits per second.
    #[must_use]
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// The time that `bits` take at this rate, rounded to the nearest nanosecond, halves up.
    /// The only function that turns bits into time.
    #[must_use]
    pub const fn airtime(self, bits: u64) -> Duration {
        // Every frame fits into the short division.
        let short = match bits.checked_mul(1_000_000_000) {
            Some(scaled) => scaled.checked_add(self.0 / 2),
            None => None,
        };
        if let Some(scaled) = short {
            return Duration::from_nanos(scaled / self.0);
        }
        let rate = self.0 as u128;
        Duration::from_nanos(((bits as u128 * 1_000_000_000 + rate / 2) / rate) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_time_by_this_table() {
        let bits = 1500 * 8;
        assert_eq!(BitRate::MBPS_1.airtime(bits).as_nanos(), 12_000_000);
        assert_eq!(BitRate::MBPS_2.airtime(bits).as_nanos(), 6_000_000);
        // 12000 / 5.5 = 2181.8181… µs and 12000 / 11 = 1090.9090… µs.
        assert_eq!(BitRate::MBPS_5_5.airtime(bits).as_nanos(), 2_181_818);
        assert_eq!(BitRate::MBPS_11.airtime(bits).as_nanos(), 1_090_909);
    }

    /// 18 446 744 073 bits are the most that the short division takes.
    #[test]
    fn a_great_many_bits_take_as_long_as_their_halves() {
        for bits in [18_446_744_073, 18_446_744_074, 20_000_000_000] {
            let rate = BitRate::MBPS_2;
            assert_eq!(rate.airtime(2 * bits), rate.airtime(bits) * 2);
            assert_eq!(rate.airtime(bits).as_nanos(), bits * 500);
        }
    }

    #[test]
    fn zero_is_no_rate() {
        assert_eq!(BitRate::new(0), None);
    }
}
