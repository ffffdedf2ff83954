//! Which of two frames that meet is the stronger one, mostly told from how long they took.
//!
//! A delay in whole nanoseconds gives a distance to fifteen centimetres and with it two bounds of the power,
//! which are worked out once for each delay. Where they do not decide, and where nodes move,
//! [`Reach::power_w`] does. The one invariant: the answer is the one that it would give.

use crate::{Arrival, Reach};
use acklab_base::{Duration, NodeId};

/// Delays at the most of which bounds are kept: twelve hundred metres, 32 kB.
const MOST: u64 = 4096;

/// Between what the power lies that a frame arrives with, in watts; nothing is known yet if the upper one is
/// zero.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    low_w: f32,
    high_w: f32,
}

/// What is known of the strength of frames in a network.
#[derive(Clone, Debug)]
pub struct Strengths {
    /// Least ratio of powers, linear, at which a frame survives another one.
    capture_ratio: f64,
    /// By the delay in nanoseconds.
    bounds: Vec<Bounds>,
}

impl Strengths {
    /// Nothing is known yet. A frame survives another one if its power is `capture_ratio` times as
    /// great at least.
    #[must_use]
    pub fn new(reach: &Reach, capture_ratio: f64) -> Self {
        let delays = reach.longest_delay().as_nanos() + 1;
        let sixteen_bits_tell = delays <= u64::from(u16::MAX) && !reach.moves();
        let places = if sixteen_bits_tell {
            delays.min(MOST)
        } else {
            0
        };
        Self {
            capture_ratio,
            bounds: vec![Bounds::default(); places as usize],
        }
    }

    /// Whether at node `at` one frame is stronger than another one by so much that it survives.
    #[inline]
    pub fn outlasts(&mut self, reach: &Reach, one: &Arrival, other: &Arrival, at: NodeId) -> bool {
        if let (Some(one), Some(other)) = (self.bounds(reach, one), self.bounds(reach, other)) {
            if f64::from(one.low_w) >= self.capture_ratio * f64::from(other.high_w) {
                return true;
            }
            if f64::from(one.high_w) < self.capture_ratio * f64::from(other.low_w) {
                return false;
            }
        }
        self.outlasts_exactly(reach, one, other, at)
    }

    #[cold]
    #[inline(never)]
    fn outlasts_exactly(&self, reach: &Reach, one: &Arrival, other: &Arrival, at: NodeId) -> bool {
        let power_w = |frame: &Arrival| reach.power_w(frame.from(), at, frame.start);
        power_w(one) >= self.capture_ratio * power_w(other)
    }

    #[inline]
    fn bounds(&mut self, reach: &Reach, frame: &Arrival) -> Option<Bounds> {
        let bounds = self.bounds.get_mut(usize::from(frame.delay_ns()))?;
        if bounds.high_w == 0.0 {
            let delay = Duration::from_nanos(frame.delay_ns().into());
            let (low_w, high_w) = reach.power_bounds_w(delay);
            // Farther apart than by what their conversion changes; the upper one is never zero.
            *bounds = Bounds {
                low_w: (low_w * (1.0 - 1e-6)).min(f32::MAX.into()) as f32,
                high_w: (high_w * (1.0 + 1e-6)).max(f32::MIN_POSITIVE.into()) as f32,
            };
        }
        Some(*bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Audible, Position, Propagation, Settle, Thresholds};
    use acklab_base::Instant;
    use acklab_wire::{FrameHeader, FrameKind};

    fn radio(propagation: Propagation) -> Thresholds {
        Thresholds {
            transmit_w: 0.281_838_15,
            frequency_hz: 914e6,
            decode_w: 3.652e-10,
            sense_w: 1.559e-11,
            propagation,
        }
    }

    fn frame(from: NodeId) -> Arrival {
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: false,
            sequence: 0,
            to: NodeId::BROADCAST,
            from,
            duration: Duration::ZERO,
            bytes: 100,
            airtime: Duration::from_micros(500),
        };
        Arrival::new(Instant::from_nanos(7), &header, 0)
    }

    /// Distances near, around the crossover and far, by steps much finer than a nanosecond.
    #[test]
    fn bounds_hold_at_every_distance() {
        let ground = Propagation::TwoRay {
            antenna_height_m: 1.5,
        };
        for propagation in [ground, Propagation::Friis] {
            let reach = Reach::new(&[], &radio(propagation));
            for tenth_mm in (1..400)
                .chain(860_000..862_800)
                .step_by(7)
                .chain([5_499_999, 9_000_000])
            {
                let distance_m = f64::from(tenth_mm) * 1e-4;
                let delay = Audible::new(NodeId(0), distance_m, true).delay();
                let (low_w, high_w) = reach.power_bounds_w(delay);
                let power_w = radio(propagation).received_w(distance_m);
                assert!(low_w <= power_w && power_w <= high_w, "{distance_m} m");
            }
        }
    }

    /// All pairs that meet at each of many nodes, some so near to the ratio that the bounds do not decide.
    #[test]
    fn who_outlasts_whom_is_what_the_powers_say() {
        let radio = radio(Propagation::TwoRay {
            antenna_height_m: 1.5,
        });
        let place = |number: i64| Position {
            x_mm: number * 61_003 % 977_000,
            y_mm: number * 40_009 % 811_000,
        };
        let positions: Vec<Position> = (1..=60).map(place).collect();
        let reach = Reach::new(&positions, &radio);
        let ratio = 10.0;
        let mut strengths = Strengths::new(&reach, ratio);
        let (mut outlasted, mut undecided) = (0, 0);
        for at in (0..60).map(NodeId) {
            let heard: Vec<(Arrival, f64)> = (0..60)
                .map(NodeId)
                .flat_map(|from| {
                    let audible = reach.of(from).iter().find(|one| one.node == at)?;
                    let (delay, decodable) = (audible.delay(), audible.decodable());
                    let arrival = frame(from).heard(delay, decodable, Settle::AnyTime);
                    Some((arrival, reach.power_w(from, at, Instant::ZERO)))
                })
                .collect();
            for (one, one_w) in &heard {
                for (other, other_w) in &heard {
                    let outlasts = *one_w >= ratio * other_w;
                    assert_eq!(strengths.outlasts(&reach, one, other, at), outlasts);
                    outlasted += usize::from(outlasts);
                    let bounds = |frame| strengths.clone().bounds(&reach, frame).expect("near");
                    let (one, other) = (bounds(one), bounds(other));
                    let sure = f64::from(one.low_w) >= ratio * f64::from(other.high_w)
                        || f64::from(one.high_w) < ratio * f64::from(other.low_w);
                    undecided += usize::from(!sure);
                }
            }
        }
        assert!(outlasted > 1_000, "{outlasted} pairs");
        assert!(undecided > 10, "{undecided} pairs");
    }
}
