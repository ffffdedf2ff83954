//! The route table of DSDV.
//!
//! The one invariant: entries are sorted by destination and never removed; that is their order in
//! updates too.

use acklab_base::{Duration, Instant, NodeId, Seq32};
use acklab_wire::Packet;
use acklab_wire::dsdv::UNREACHABLE;
use std::collections::VecDeque;

/// When something is due. Of two things due at once, the one that was set first comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Timer {
    pub(super) at: Instant,
    order: u64,
}

impl Timer {
    pub(super) const OFF: Self = Self {
        at: Instant::NEVER,
        order: 0,
    };
}

/// Numbers timers in the order in which they are set.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    set: u64,
}

impl Timers {
    pub(super) fn at(&mut self, at: Instant) -> Timer {
        self.set += 1;
        Timer {
            at,
            order: self.set,
        }
    }
}

/// All that is known about one destination.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) destination: NodeId,
    /// The neighbour that the route came from.
    pub(super) next: NodeId,
    /// Length, or [`UNREACHABLE`].
    pub(super) hops: u8,
    pub(super) sequence: Seq32,
    /// From when on the route may be told to others; [`Instant::NEVER`] for a neighbour of which
    /// only its existence is known.
    pub(super) advertise_from: Instant,
    /// The sequence number has not been told to others.
    pub(super) sequence_changed: bool,
    /// The length has not been told to others in a full update.
    pub(super) hops_changed: bool,
    pub(super) advertised_hops: u8,
    /// When the route was last replaced.
    pub(super) changed_at: Instant,
    /// When its sequence number was first heard.
    pub(super) sequence_at: Instant,
    /// Average time between hearing a sequence number and hearing the best route with it.
    pub(super) settling: Duration,
    /// When a triggered update is due on account of this route.
    pub(super) trigger: Timer,
    /// When the destination, a neighbour, has been silent for too long.
    pub(super) silence: Timer,
    /// Packets that wait for the route.
    pub(super) waiting: VecDeque<Packet>,
}

impl Route {
    /// A destination of which nothing is known.
    pub(super) fn unknown(destination: NodeId, now: Instant, settling: Duration) -> Self {
        Self {
            destination,
            next: destination,
            hops: UNREACHABLE,
            sequence: Seq32(0),
            advertise_from: Instant::NEVER,
            sequence_changed: false,
            hops_changed: false,
            advertised_hops: 0,
            changed_at: now,
            sequence_at: now,
            settling,
            trigger: Timer::OFF,
            silence: Timer::OFF,
            waiting: VecDeque::new(),
        }
    }

    pub(super) const fn is_up(&self) -> bool {
        self.hops != UNREACHABLE
    }

    /// Whether it has something new that may be told now.
    pub(super) fn has_news(&self, now: Instant) -> bool {
        (self.sequence_changed || self.hops_changed) && self.advertise_from <= now
    }
}

/// The route entries of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteTable {
    routes: Vec<Route>,
}

impl RouteTable {
    pub(super) fn find(&self, destination: NodeId) -> Option<&Route> {
        let place = self.search(destination).ok()?;
        Some(&self.routes[place])
    }

    pub(super) fn find_mut(&mut self, destination: NodeId) -> Option<&mut Route> {
        let place = self.search(destination).ok()?;
        Some(&mut self.routes[place])
    }

    /// Adds the entry of a destination that has none.
    pub(super) fn add(&mut self, route: Route) -> &mut Route {
        let place = self.search(route.destination).unwrap_or_else(|place| place);
        self.routes.insert(place, route);
        &mut self.routes[place]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Route> {
        self.routes.iter_mut()
    }

    fn search(&self, destination: NodeId) -> Result<usize, usize> {
        self.routes
            .binary_search_by_key(&destination, |route| route.destination)
    }
}
