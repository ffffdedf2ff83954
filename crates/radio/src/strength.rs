//! How strong transmitters are received where their frames meet, worked out once for each pair that
//! matters, where nodes do not move.
//!
//! It only remembers what [`Reach::power_w`] says, in a table of fixed size in which a pair takes the
//! place of another one; where there are so many pairs that they would do so all the time, it remembers
//! nothing. The one invariant: what it says is what [`Reach::power_w`] says.

use crate::Reach;
use acklab_base::{Instant, NodeId};

/// Places at the most: 64 kB.
const MOST: usize = 4096;

/// Places for each node; none if there are too many nodes.
const PLACES_PER_NODE: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Known {
    from: NodeId,
    at: NodeId,
    power_w: f64,
}

/// What is known of the strength of transmitters in a network that does not move.
#[derive(Clone, Debug)]
pub struct Strengths {
    known: Vec<Known>,
}

impl Strengths {
    /// Nothing is known yet of a network of so many nodes.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        let wished = (nodes * PLACES_PER_NODE).max(1).next_power_of_two();
        let places = if wished <= MOST { wished } else { 0 };
        let nothing = Known {
            from: NodeId::BROADCAST,
            at: NodeId::BROADCAST,
            power_w: 0.0,
        };
        Self {
            known: vec![nothing; places],
        }
    }

    /// The power in watts at which node `at` receives a frame of `from` whose first bit it hears
    /// now.
    #[inline]
    pub fn power_w(&mut self, reach: &Reach, from: NodeId, at: NodeId, now: Instant) -> f64 {
        if reach.moves() {
            return reach.power_w(from, at, now);
        }
        // Neighbours often have neighbouring numbers: 37 keeps those of several nodes apart.
        let place = at.index().wrapping_mul(37).wrapping_add(from.index());
        let place = place & self.known.len().wrapping_sub(1);
        let Some(known) = self.known.get_mut(place) else {
            return reach.power_w(from, at, now);
        };
        if (known.from, known.at) != (from, at) {
            let power_w = reach.power_w(from, at, now);
            *known = Known { from, at, power_w };
        }
        known.power_w
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Position, Propagation, Thresholds};

    /// Many more pairs than places, so that they drive each other out.
    #[test]
    fn what_is_remembered_is_what_is_worked_out() {
        let radio = Thresholds {
            transmit_w: 0.281_838_15,
            frequency_hz: 914e6,
            decode_w: 3.652e-10,
            sense_w: 1.559e-11,
            propagation: Propagation::TwoRay {
                antenna_height_m: 1.5,
            },
        };
        let place = |number: i64| Position {
            x_mm: number * 61_003 % 977_000,
            y_mm: number * 40_009 % 811_000,
        };
        let positions: Vec<Position> = (1..=40).map(place).collect();
        let reach = Reach::new(&positions, &radio);
        let mut strengths = Strengths::new(4);
        for step in 0..6_000_u32 {
            let (from, at) = (NodeId(step * 7 % 40), NodeId(step / 3 * 11 % 40));
            if from != at {
                let remembered = strengths.power_w(&reach, from, at, Instant::ZERO);
                let worked_out = reach.power_w(from, at, Instant::ZERO);
                assert_eq!(
                    remembered.to_bits(),
                    worked_out.to_bits(),
                    "{from:?} {at:?}"
                );
            }
        }
    }
}
