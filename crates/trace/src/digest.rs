//! The running digest of a node's events: two runs with the same digest did the same.
//!
//! A digest is kept per node and is sensitive to the order of that node's events, but not to how
//! the events of different nodes interleave: the engine may settle nodes lazily. Not a
//! cryptographic hash: it finds mistakes, not forgers.

use acklab_base::Instant;

/// Multipliers: the odd numbers nearest to 2⁶⁴ / φ and 2⁶⁴ × (√2 − 1), so that neighbouring inputs
/// land far apart (Knuth, The Art of Computer Programming, vol. 3, §6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
const STIR: u64 = 0x6A09_E667_F3BC_C909;

/// The digest of everything that happened at one node so far, and how much that was. Packed: a network has many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, packed(4))]
pub struct Digest {
    bits: u64,
    /// Enough for a month of frames.
    events: u32,
}

impl Digest {
    /// Adds one event: when, which kind of event, and a value that tells it from its like.
    #[inline]
    pub fn mix(&mut self, at: Instant, kind: u16, value: u64) {
        // Every step is a bijection of the state, so a difference never vanishes by itself.
        let word = (value ^ u64::from(kind) << 48).wrapping_mul(SPREAD) ^ at.as_nanos();
        let stirred = (self.bits ^ word).wrapping_mul(STIR);
        self.bits = stirred ^ stirred >> 32;
        self.events = self.events.wrapping_add(1);
    }

    /// The 64 bits so far.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.bits
    }

    /// How many events went into it.
    #[must_use]
    pub const fn events(self) -> u32 {
        self.events
    }
}

/// The digest of a run out of the digests of its nodes, in the order of their numbers.
#[must_use]
pub fn combine(nodes: &[Digest]) -> u64 {
    let mut all = Digest::default();
    for (number, node) in nodes.iter().enumerate() {
        all.mix(Instant::from_nanos(number as u64), 0, node.bits);
    }
    all.bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(events: &[(u64, u16, u64)]) -> Digest {
        let mut digest = Digest::default();
        for &(at, kind, value) in events {
            digest.mix(Instant::from_nanos(at), kind, value);
        }
        digest
    }

    #[test]
    fn every_part_of_an_event_counts() {
        let base = of(&[(10, 1, 100), (20, 2, 200)]);
        for other in [
            of(&[(11, 1, 100), (20, 2, 200)]),
            of(&[(10, 3, 100), (20, 2, 200)]),
            of(&[(10, 1, 101), (20, 2, 200)]),
            of(&[(20, 2, 200), (10, 1, 100)]),
            of(&[(10, 1, 100)]),
            of(&[(10, 1, 100), (20, 2, 200), (0, 0, 0)]),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn events_are_counted() {
        let digest = of(&[(10, 1, 100), (20, 2, 200), (20, 2, 200)]);
        assert_eq!((digest.events(), Digest::default().events()), (3, 0));
    }

    #[test]
    fn interleaving_between_nodes_does_not_count_but_their_order_does() {
        let (mut one, mut two) = (Digest::default(), Digest::default());
        let at = Instant::from_nanos;
        one.mix(at(1), 1, 1);
        two.mix(at(2), 1, 2);
        one.mix(at(3), 1, 3);
        let lazily = [of(&[(1, 1, 1), (3, 1, 3)]), of(&[(2, 1, 2)])];
        assert_eq!(combine(&[one, two]), combine(&lazily));
        assert_ne!(combine(&[one, two]), combine(&[two, one]));
    }

    #[test]
    fn single_bit_changes_reach_both_halves() {
        for bit in 0..64 {
            let change = of(&[(5, 1, 7)]).value() ^ of(&[(5, 1, 7 ^ 1 << bit), (6, 1, 7)]).value();
            assert!(change >> 32 != 0 && change as u32 != 0, "bit {bit}");
        }
    }

    #[test]
    fn the_digest_is_pinned_across_platforms() {
        assert_eq!(combine(&[of(&[(1, 2, 3)]), Digest::default()]), PINNED);
    }

    const PINNED: u64 = 13_930_330_785_258_322_199;
}
