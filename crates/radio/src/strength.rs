//! Which of two frames that meet is the stronger one, mostly told from how long they took.
//!
//! A delay in whole nanoseconds gives a distance to fifteen centimetres and with it two bounds of the power.
//! Power falls with distance, so for each delay of the one there is a delay from which on the other is certainly
//! too weak and one up to which it is certainly not; they are worked out once. Between them, and where nodes
//! move, [`Reach::power_w`] decides. The one invariant: the answer is the one that it would give.

use crate::{Arrival, Reach};
use acklab_base::{Duration, Instant, NodeId};

/// Delays at the most that are compared without powers: twelve hundred metres, 16 kB.
const MOST: u64 = 4096;

/// What a frame outlasts that took so long, by the other one's delay in nanoseconds. Nothing is known yet if neither
/// decides about any frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limits {
    /// It survives all that take as long as this or longer.
    outlasts_from: u16,
    /// It survives none that take as long as this or less.
    yields_to: u16,
}

impl Limits {
    const UNKNOWN: Self = Self {
        outlasts_from: u16::MAX,
        yields_to: 0,
    };
}

/// What is known of the strength of frames in a network.
#[derive(Clone, Debug)]
pub struct Strengths {
    /// Least ratio of powers, linear, at which a frame survives another one.
    capture_ratio: f64,
    /// By the delay in nanoseconds of the frame that is to survive.
    limits: Vec<Limits>,
}

impl Strengths {
    /// Nothing is known yet. A frame survives another one if its power is `capture_ratio` times as
    /// great at least.
    #[must_use]
    pub fn new(reach: &Reach, capture_ratio: f64) -> Self {
        let delays = reach.longest_delay().as_nanos() + 1;
        let sixteen_bits_tell = delays < u64::from(u16::MAX) && !reach.moves();
        let places = if sixteen_bits_tell {
            delays.min(MOST)
        } else {
            0
        };
        Self {
            capture_ratio,
            limits: vec![Limits::UNKNOWN; places as usize],
        }
    }

    /// Whether at node `at` one frame is stronger than another one by so much that it survives.
    #[inline]
    pub fn outlasts(&mut self, reach: &Reach, one: &Arrival, other: &Arrival, at: NodeId) -> bool {
        let delays_ns = (one.delay_ns(), other.delay_ns());
        let power_w = |frame: &Arrival| reach.power_w(frame.from(), at, frame.start);
        self.told_by(delays_ns).unwrap_or_else(|| {
            self.look_closer(reach, delays_ns, || (power_w(one), power_w(other)))
        })
    }

    /// The same for frames of a network that stands still, each by its delay in nanoseconds and who sends it.
    #[inline]
    pub fn outlasts_of(
        &mut self,
        reach: &Reach,
        one: (u16, NodeId),
        other: (u16, NodeId),
        at: NodeId,
    ) -> bool {
        let delays_ns = (one.0, other.0);
        let power_w = |from: NodeId| reach.power_w(from, at, Instant::ZERO);
        self.told_by(delays_ns).unwrap_or_else(|| {
            self.look_closer(reach, delays_ns, || (power_w(one.1), power_w(other.1)))
        })
    }

    /// The same as far as what is known of the delays decides.
    #[inline(always)]
    #[must_use]
    pub fn told_by(&self, (one, other): (u16, u16)) -> Option<bool> {
        let limits = self.limits.get(usize::from(one))?;
        if other >= limits.outlasts_from {
            return Some(true);
        }
        (other <= limits.yields_to).then_some(false)
    }

    #[cold]
    #[inline(never)]
    fn look_closer(
        &mut self,
        reach: &Reach,
        delays_ns: (u16, u16),
        powers_w: impl FnOnce() -> (f64, f64),
    ) -> bool {
        let place = usize::from(delays_ns.0);
        if self.limits.get(place) == Some(&Limits::UNKNOWN) {
            self.limits[place] = self.find_limits(reach, delays_ns.0);
            if let Some(outlasts) = self.told_by(delays_ns) {
                return outlasts;
            }
        }
        let (one_w, other_w) = powers_w();
        one_w >= self.capture_ratio * other_w
    }

    fn find_limits(&self, reach: &Reach, delay_ns: u16) -> Limits {
        let bounds_w = |delay_ns: u16| reach.power_bounds_w(Duration::from_nanos(delay_ns.into()));
        let (low_w, high_w) = bounds_w(delay_ns);
        let ratio = self.capture_ratio;
        let outlasts_from = first_delay(|other| low_w >= ratio * bounds_w(other).1);
        let yields_before = first_delay(|other| high_w >= ratio * bounds_w(other).0);
        Limits {
            // No frame takes as long as the longest of these delays.
            outlasts_from: outlasts_from.min(u16::MAX - 1),
            yields_to: yields_before - 1,
        }
    }
}

/// The first delay in nanoseconds, from 1 on, from which on something holds; the longest one if it never does.
fn first_delay(holds: impl Fn(u16) -> bool) -> u16 {
    let (mut first, mut end) = (1, u16::MAX);
    while first < end {
        let middle = first + (end - first) / 2;
        if holds(middle) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Audible, Position, Propagation, Settle, Thresholds};
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
            let reach = Reach::new([], &radio(propagation));
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
        let reach = Reach::new(positions, &radio);
        let ratio = 10.0;
        let mut strengths = Strengths::new(&reach, ratio);
        let (mut outlasted, mut undecided) = (0, 0);
        for at in (0..60).map(NodeId) {
            let heard: Vec<(Arrival, f64)> = (0..60)
                .map(NodeId)
                .flat_map(|from| {
                    let audible = reach.between(from, at, Instant::ZERO)?;
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
                    let limits = strengths.limits[usize::from(one.delay_ns())];
                    let unsure = limits.yields_to + 1..limits.outlasts_from;
                    undecided += usize::from(unsure.contains(&other.delay_ns()));
                }
            }
        }
        assert!(outlasted > 1_000, "{outlasted} pairs");
        assert!(undecided > 10, "{undecided} pairs");
    }
}
