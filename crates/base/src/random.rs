//! Chance with an address: (root seed, run, node, purpose) names one stream of draws.
//!
//! Whatever else a run does, the draws of one address stay the same, so two schemes that are
//! compared meet the same weather (common random numbers). The generator is ChaCha with 8 rounds
//! (Bernstein 2008); its 64-bit stream number is the address.

use crate::ids::NodeId;
use crate::math;
use crate::share::Share;
use crate::time::Duration;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// What a stream of draws is used for. A new use gets a new line, never a shared stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Purpose {
    /// Contention backoff of the MAC.
    Backoff = 1,
    /// Jitter of routing broadcasts.
    RoutingJitter = 2,
    /// Start times of flows.
    StartJitter = 3,
    /// Spacing jitter of constant-bit-rate sources.
    PacingJitter = 4,
    /// Order of simultaneous events, in the test mode that shuffles ties.
    TieShuffle = 5,
    /// Placement of nodes.
    Placement = 6,
    /// Ends of flows between random nodes.
    FlowEnds = 24,
    /// Sizes of short transfers.
    SessionSize = 16,
    /// Pauses between short transfers.
    SessionPause = 17,
    /// Transmission errors of a point-to-point link; the node is twice the link's number, plus one
    /// for the direction from its second end.
    LinkErrors = 20,
    /// When the bursts of a point-to-point link begin and end; the node as for [`Self::LinkErrors`].
    LinkBursts = 21,
    /// Congestion losses in front of a point-to-point link; the node as for [`Self::LinkErrors`].
    CongestionLoss = 22,
    /// Mini-slots of the slotted radio.
    SlotContention = 32,
    /// Waits before retransmissions of the slotted radio.
    SlotRetry = 33,
    /// Pauses between a node's own packets on the slotted radio.
    SlotSpacing = 34,
    /// Waypoints of a node that moves.
    Motion = 40,
    /// Shadowing of a pilot signal; the node is the number of the pair of mobile and station.
    Shadowing = 41,
    /// Lost beacons; the node as for [`Self::Shadowing`].
    BeaconLoss = 42,
}

/// The address of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// Root seed of the study.
    pub seed: u64,
    /// Replication number.
    pub run: u32,
    /// The node that draws (for a flow: the node where it starts).
    pub node: NodeId,
    /// What for.
    pub purpose: Purpose,
}

impl Address {
    /// Opens the stream of this address at its first draw.
    #[must_use]
    pub fn open(self) -> Stream {
        let mut generator = ChaCha8Rng::from_seed(key(self.seed, self.run));
        generator.set_stream(u64::from(self.node.0) << 16 | self.purpose as u64);
        Stream { generator }
    }
}

/// The key of all streams of a run.
pub(crate) fn key(seed: u64, run: u32) -> [u8; 32] {
    let mut key = [0_u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&run.to_le_bytes());
    key[16..24].copy_from_slice(b"acklab-1");
    key
}

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Stream {
    generator: ChaCha8Rng,
}

impl Stream {
    /// Seed, run, the number of the stream, and how many words of it were drawn.
    pub(crate) fn place(&self) -> (u64, u32, u64, u64) {
        let [s0, s1, s2, s3, s4, s5, s6, s7, r0, r1, r2, r3, ..] = self.generator.get_seed();
        let seed = u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]);
        let run = u32::from_le_bytes([r0, r1, r2, r3]);
        let drawn = self.generator.get_word_pos() as u64;
        (seed, run, self.generator.get_stream(), drawn)
    }

    /// 32 uniform bits.
    pub fn bits32(&mut self) -> u32 {
        self.generator.next_u32()
    }

    /// 64 uniform bits.
    pub fn bits64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Whether something of this probability happens: one draw, whatever the share.
    pub fn happens(&mut self, share: Share) -> bool {
        let scaled = (u128::from(self.bits64()) * u128::from(Share::PARTS)) >> 64;
        (scaled as u64) < share.parts()
    }

    /// A uniform integer in `0..bound`. Panics if `bound` is zero.
    ///
    /// Lemire's multiplication without the rejection step, so that one call is one draw: the
    /// bias is below `bound / 2³²`.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "an empty range has no member");
        Self::scaled(self.bits32(), bound)
    }

    /// What [`Stream::below`] makes of 32 bits.
    #[must_use]
    pub const fn scaled(bits: u32, bound: u32) -> u32 {
        ((bits as u64 * bound as u64) >> 32) as u32
    }

    /// A uniform real in `[0, 1)` with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A uniform interval in `[0, limit)`.
    pub fn interval_below(&mut self, limit: Duration) -> Duration {
        Self::interval_of(self.bits64(), limit)
    }

    /// What [`Stream::interval_below`] makes of 64 bits.
    #[must_use]
    pub const fn interval_of(bits: u64, limit: Duration) -> Duration {
        let product = bits as u128 * limit.as_nanos() as u128;
        Duration::from_nanos((product >> 64) as u64)
    }

    /// An exponential real with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(1.0 - self.unit())
    }

    /// A normal real with mean 0 and variance 1, by Marsaglia's polar method: two draws for each
    /// try.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * math::ln(square) / square).sqrt();
            }
        }
    }

    /// A Pareto real: above `least`, and above s with probability (`least`/s)^`shape`. Its mean
    /// is `least` × `shape` / (`shape` - 1) for shapes above 1. One call is one draw.
    pub fn pareto(&mut self, least: f64, shape: f64) -> f64 {
        least * math::pow(1.0 - self.unit(), -1.0 / shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(node: u32, purpose: Purpose) -> Address {
        Address {
            seed: 7,
            run: 0,
            node: NodeId(node),
            purpose,
        }
    }

    #[test]
    fn the_same_address_gives_the_same_draws() {
        let mut one = address(3, Purpose::Backoff).open();
        let mut two = address(3, Purpose::Backoff).open();
        for _ in 0..100 {
            assert_eq!(one.bits64(), two.bits64());
        }
    }

    #[test]
    fn another_address_gives_other_draws() {
        let first = |a: Address| a.open().bits64();
        let base = first(address(3, Purpose::Backoff));
        assert_ne!(base, first(address(4, Purpose::Backoff)));
        assert_ne!(base, first(address(3, Purpose::RoutingJitter)));
        assert_ne!(
            base,
            first(Address {
                run: 1,
                ..address(3, Purpose::Backoff)
            })
        );
        assert_ne!(
            base,
            first(Address {
                seed: 8,
                ..address(3, Purpose::Backoff)
            })
        );
    }

    #[test]
    fn the_stream_is_pinned_across_platforms_and_versions() {
        let mut stream = address(0, Purpose::Backoff).open();
        let drawn: Vec<u32> = (0..4).map(|_| stream.below(31)).collect();
        assert_eq!(drawn, PINNED);
    }

    const PINNED: [u32; 4] = [23, 14, 18, 30];

    #[test]
    fn integers_below_a_bound_are_uniform() {
        let mut stream = address(0, Purpose::Backoff).open();
        let mut count = [0_u32; 31];
        for _ in 0..31_000 {
            count[stream.below(31) as usize] += 1;
        }
        // Chi-square with 30 degrees of freedom: 59.7 is the 99.9th percentile.
        let chi: f64 = count
            .iter()
            .map(|&c| {
                let off = f64::from(c) - 1000.0;
                off * off / 1000.0
            })
            .sum();
        assert!(chi < 59.7, "chi-square {chi}");
    }

    #[test]
    fn a_share_happens_as_often_as_it_says() {
        let mut stream = address(0, Purpose::LinkErrors).open();
        let share = Share::from_percent(3);
        let happened = (0..100_000).filter(|_| stream.happens(share)).count();
        // Binomial: standard deviation 54.
        assert!(happened.abs_diff(3_000) < 220, "{happened} of 100 000");
        assert!((0..100).all(|_| stream.happens(Share::ALL) && !stream.happens(Share::NONE)));
    }

    #[test]
    fn exponential_draws_have_their_mean() {
        let mut stream = address(0, Purpose::PacingJitter).open();
        let mean = (0..100_000).map(|_| stream.exponential(2.0)).sum::<f64>() / 100_000.0;
        assert!((mean - 2.0).abs() < 0.04, "mean {mean}");
    }

    #[test]
    fn normal_draws_have_their_mean_variance_and_tail() {
        let mut stream = address(0, Purpose::Shadowing).open();
        let drawn: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / 1e5;
        let square = drawn.iter().map(|x| x * x).sum::<f64>() / 1e5;
        let beyond_two = drawn.iter().filter(|x| x.abs() > 2.0).count();
        assert!(mean.abs() < 0.013, "mean {mean}");
        assert!((square - 1.0).abs() < 0.018, "variance {square}");
        assert!(beyond_two.abs_diff(4_550) < 270, "{beyond_two} beyond two");
    }

    /// P(size > s) = (10 000/s)^1.5, the law of altman2003 §4.1, at its median and further out.
    #[test]
    fn pareto_draws_have_their_tail() {
        let mut stream = address(0, Purpose::SessionSize).open();
        let drawn: Vec<f64> = (0..100_000).map(|_| stream.pareto(10_000.0, 1.5)).collect();
        assert!(drawn.iter().all(|&size| size >= 10_000.0));
        for (above, expected) in [(15_874.0, 0.5), (40_000.0, 0.125), (1_000_000.0, 0.001)] {
            let share = drawn.iter().filter(|&&size| size > above).count() as f64 / 100_000.0;
            // Four standard errors of a share.
            let error = 4.0 * (expected * (1.0 - expected) / 100_000.0_f64).sqrt();
            assert!((share - expected).abs() < error, "{share} above {above}");
        }
    }
}
