//! Sequence numbers on a circle of 2³² (RFC 9293 §3.4). They have no total order, so no `Ord`.

/// A 32-bit circular sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Seq32(pub u32);

impl Seq32 {
    /// The number `count` steps on.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub const fn add(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }

    /// Steps from `earlier` to `self`, going forward around the circle.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }

    /// Whether `self` lies before `other`: less than half the circle behind it.
    #[must_use]
    pub const fn before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// Whether `self` is `other` or lies before it.
    #[must_use]
    pub const fn at_or_before(self, other: Self) -> bool {
        self.0 == other.0 || self.before(other)
    }

    /// The later of the two.
    #[must_use]
    pub const fn latest(self, other: Self) -> Self {
        if self.before(other) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        for origin in [0, 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, u32::MAX] {
            let first = Seq32(origin);
            let second = first.add(1000);
            assert!(first.before(second), "{origin}");
            assert!(!second.before(first), "{origin}");
            assert_eq!(second.since(first), 1000);
            assert_eq!(first.latest(second), second);
            assert!(first.at_or_before(first) && !first.before(first));
        }
    }

    #[test]
    fn half_the_circle_is_the_horizon() {
        let origin = Seq32(7);
        assert!(origin.before(origin.add((1 << 31) - 1)));
        assert!(!origin.before(origin.add((1 << 31) + 1)));
    }
}
