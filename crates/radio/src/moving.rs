//! Who hears whom while nodes move: the row of a transmitter at an instant.
//!
//! What a frame meets is decided by the places at the instant at which it leaves the antenna, as in
//! ns-2; while it is on the air nobody moves (at 30 m/s a frame of 20 ms is 0.6 m long). A row asks
//! every node for its place, in floating point, which is right to far less than [`SLACK_M`]; only
//! where that much could change the answer is the exact place worked out. The one invariant: a row
//! is what exact places give, whatever was asked before.

use crate::audible::{Audible, Thresholds};
use crate::motion::{Leg, Track};
use crate::propagation::LIGHT_SPEED;
use acklab_base::{Instant, NodeId};

/// How exact places in floating point need be, in metres.
const SLACK_M: f64 = 1e-6;

/// The same as a propagation delay, in nanoseconds, and more.
const SLACK_NS: f64 = 1e-5;

/// How long light needs for a metre, in nanoseconds.
const NS_PER_M: f64 = 1e9 / LIGHT_SPEED;

/// Nodes on their tracks.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    tracks: Vec<Track>,
    /// The stretch that each node is on.
    legs: Vec<Leg>,
    /// From when until when all of them hold.
    hold: (Instant, Instant),
    radio: Thresholds,
    /// The distances up to which a frame is decoded, and noticed, within [`SLACK_M`].
    decoded_m: f64,
    noticed_m: f64,
}

impl Moving {
    pub(crate) fn new(tracks: Vec<Track>, radio: &Thresholds) -> Self {
        let legs = tracks
            .iter()
            .map(|track| track.leg(Instant::ZERO))
            .collect();
        Self {
            tracks,
            legs,
            hold: (Instant::NEVER, Instant::ZERO),
            radio: *radio,
            decoded_m: radio.range_m(radio.decode_w),
            noticed_m: radio.range_m(radio.noticed_w()),
        }
    }

    /// Adds who hears a frame that `node` begins to send now, ids ascending.
    pub(crate) fn row(&mut self, node: NodeId, now: Instant, row: &mut Vec<Audible>) {
        if now < self.hold.0 || self.hold.1 <= now {
            self.renew(now);
        }
        let Some(here) = self.legs.get(node.index()).map(|leg| leg.place(now)) else {
            return;
        };
        let beyond = (self.noticed_m + SLACK_M) * (self.noticed_m + SLACK_M);
        for (index, leg) in self.legs.iter().enumerate() {
            let there = leg.place(now);
            let (dx, dy) = (there[0] - here[0], there[1] - here[1]);
            let square = dx * dx + dy * dy;
            if square <= beyond && index != node.index() {
                row.extend(self.near(node, NodeId(index as u32), now, square.sqrt()));
            }
        }
    }

    /// How `other` hears `node`, from which it is about so far away.
    fn near(&self, node: NodeId, other: NodeId, now: Instant, about_m: f64) -> Option<Audible> {
        let is_clear = |limit: f64| (about_m - limit).abs() > SLACK_M;
        let rounded = about_m * NS_PER_M + 0.5;
        let whole = rounded as u32;
        let part = rounded - f64::from(whole);
        if is_clear(self.decoded_m)
            && is_clear(self.noticed_m)
            && (SLACK_NS..1.0 - SLACK_NS).contains(&part)
        {
            return (about_m < self.noticed_m)
                .then(|| Audible::delayed(other, whole, about_m < self.decoded_m));
        }
        self.radio.heard(other, self.distance_m(node, other, now))
    }

    /// The power at which `listener` receives a frame of `node` whose first bit it hears now.
    #[cold]
    #[inline(never)]
    pub(crate) fn power_w(&self, node: NodeId, listener: NodeId, now: Instant) -> f64 {
        // The frame left its antenna one propagation delay ago.
        let delay = Audible::new(listener, self.distance_m(node, listener, now), false).delay();
        let left = Instant::ZERO + now.saturating_since(Instant::ZERO + delay);
        self.radio.received_w(self.distance_m(node, listener, left))
    }

    /// How far apart two nodes are.
    pub(crate) fn distance_m(&self, node: NodeId, other: NodeId, at: Instant) -> f64 {
        let [from, to] = [node, other].map(|node| self.tracks[node.index()].spot(at));
        from.distance_m(to)
    }

    /// Finds the stretches of now.
    #[cold]
    fn renew(&mut self, now: Instant) {
        self.hold = (Instant::ZERO, Instant::NEVER);
        for (leg, track) in self.legs.iter_mut().zip(&self.tracks) {
            if !leg.holds(now) {
                *leg = track.leg(now);
            }
            self.hold = (self.hold.0.max(leg.from), self.hold.1.min(leg.until));
        }
    }
}

#[cfg(test)]
mod tests;
