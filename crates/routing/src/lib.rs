//! Room 3: routing protocols as pure state machines: static shortest paths, AODV,
//! DSDV, DSR and Cellular IP.
//!
//! A router gets packets (made here or heard from a neighbour) and link failures, and says what is
//! to be sent to whom, delivered, or dropped. It is not a queue, a MAC or a topology: it never
//! learns a position, a distance, or what another node knows.
//!
//! The one invariant: every packet that is handed in leaves exactly once, as [`RouterOutput::Send`],
//! [`RouterOutput::Deliver`] or [`RouterOutput::Drop`], or is still held (in the send buffer, or
//! delayed by jitter); routing messages that are consumed are the only exception.

pub mod aodv;
mod buffer;
pub mod cellular_ip;
pub mod dsdv;
pub mod dsr;
mod outbox;
mod separate;
pub mod static_path;

pub use aodv::Aodv;
pub use aodv::config::{
    AodvConfig, FirstSearch, LocalRepair, RepairGuard, RequestRepeat, RequestWait, SequenceRule,
};
pub use cellular_ip::{AccessConfig, AccessRouter, MobileConfig, MobileRouter};
pub use dsdv::Dsdv;
pub use dsdv::config::{DsdvConfig, FreshSequence, MacFailure};
pub use dsr::Dsr;
pub use dsr::config::{DsrConfig, HeaderSizes, WithoutRoute};
pub use separate::separate_path;
pub use static_path::{Graph, NextHops, StaticRouter, Step, hop_distances};

use acklab_base::{Instant, NodeId};
use acklab_wire::{Body, Packet};

/// The routing protocol of one node.
// The large arms stand elsewhere: in a large network with fixed next hops their bytes would cost
// more than an indirection.
#[derive(Clone, Debug)]
pub enum Router {
    /// Fixed next hops.
    Static(StaticRouter),
    /// Ad hoc on-demand distance vector.
    Aodv(Box<Aodv>),
    /// Destination-sequenced distance vector.
    Dsdv(Box<Dsdv>),
    /// Dynamic source routing.
    Dsr(Box<Dsr>),
    /// Cellular IP at a node of the access network.
    Access(Box<AccessRouter>),
    /// Cellular IP at a mobile.
    Mobile(Box<MobileRouter>),
}

/// What a router wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RouterOutput {
    /// Hand the packet to the link layer.
    Send {
        /// The packet.
        packet: Packet,
        /// The neighbour, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
    },
    /// The packet has arrived: hand it to the transport layer of this node.
    Deliver(Packet),
    /// The packet is lost here.
    Drop {
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DropReason,
    },
    /// Drop everything that waits in the interface queue for this neighbour.
    PurgeQueue {
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Hand back everything that waits in the interface queue for this neighbour
    /// ([`Router::on_reclaimed`]).
    ReclaimQueue {
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Something happened that an observer counts.
    Note(RouterNote),
}

/// Why a router dropped a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DropReason {
    /// A node on the way has no route, or a reply has lost its reverse route.
    NoRoute,
    /// No hop is left to travel.
    Ttl,
    /// The packet came back to the node that made it.
    Loop,
    /// The MAC could not deliver it to the next hop.
    LinkFailure,
    /// The oldest packet had to leave the full send buffer.
    BufferFull,
    /// It waited in the send buffer for too long.
    BufferTimeout,
    /// Route discovery was given up.
    DiscoveryFailed,
    /// It waited for a route which then expired.
    RouteExpired,
}

/// What a router reports to observers. No machine decides by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouterNote {
    /// The MAC gave up on a data packet.
    LinkFailure {
        /// The neighbour that did not answer.
        next_hop: NodeId,
    },
    /// A route request was originated here.
    RequestSent {
        /// The node looked for.
        destination: NodeId,
        /// How many hops the request may travel.
        ttl: u8,
    },
    /// A route request of another node was passed on.
    RequestForwarded {
        /// The node that asks.
        origin: NodeId,
        /// The node looked for.
        destination: NodeId,
    },
    /// A route reply was originated here.
    ReplySent {
        /// The node that asked.
        origin: NodeId,
        /// The node looked for.
        destination: NodeId,
        /// Whether it was answered from this node's table, not by the destination itself.
        from_table: bool,
    },
    /// A route reply was passed on.
    ReplyForwarded {
        /// The node that asked.
        origin: NodeId,
        /// The node looked for.
        destination: NodeId,
    },
    /// A route error was originated here.
    ErrorSent {
        /// How many destinations it lists.
        destinations: u32,
    },
    /// A route error of a neighbour was passed on.
    ErrorForwarded {
        /// How many destinations it lists.
        destinations: u32,
    },
    /// A broken route is being repaired from here.
    LocalRepair {
        /// Where the route leads.
        destination: NodeId,
    },
    /// Route discovery was given up.
    DiscoveryFailed {
        /// The node looked for.
        destination: NodeId,
    },
    /// A route table was sent to all neighbours.
    UpdateSent {
        /// How many destinations it lists.
        entries: u32,
        /// Whether it lists all that may be told, not only changes.
        full: bool,
    },
    /// A packet of another node was given a new route.
    Salvaged {
        /// Where it goes.
        destination: NodeId,
    },
    /// A route was found or changed.
    RouteUp {
        /// Where it leads.
        destination: NodeId,
        /// The first neighbour on it.
        next_hop: NodeId,
        /// Its length.
        hops: u8,
    },
    /// A route was lost or has expired.
    RouteDown {
        /// Where it led.
        destination: NodeId,
    },
}

impl Router {
    /// Takes a packet: from the neighbour `from`, or made on this node (`None`).
    ///
    /// A packet made here gets its TTL here; one that is passed on loses one hop.
    pub fn on_packet(&mut self, now: Instant, packet: Packet, from: Option<NodeId>) {
        match self {
            Self::Static(router) => router.on_packet(packet, from),
            Self::Aodv(router) => router.on_packet(now, packet, from),
            Self::Dsdv(router) => router.on_packet(now, packet, from),
            Self::Dsr(router) => router.on_packet(now, packet, from),
            Self::Access(router) => router.on_packet(now, packet, from),
            Self::Mobile(router) => router.on_packet(now, packet, from),
        }
    }

    /// A packet from a neighbour that this node only passes on, on the shortest way there is: names
    /// the next hop. To take one hop off its TTL is left to whoever passes it on. `None` if there is more to it; then
    /// nothing has changed, and [`Router::on_packet`] does it. No wake changes.
    #[inline]
    pub fn pass_on(&mut self, node: NodeId, now: Instant, packet: &Packet) -> Option<NodeId> {
        let ends_here = packet.destination == node || packet.source == node;
        if ends_here || packet.destination.is_broadcast() || packet.ttl < 2 {
            return None;
        }
        match self {
            Self::Static(router) => router.way(packet),
            Self::Aodv(router) => router.pass_on(now, packet),
            Self::Dsdv(_) | Self::Dsr(_) | Self::Access(_) | Self::Mobile(_) => None,
        }
    }

    /// Whether [`Router::on_packet`] would do nothing at all with this packet of a neighbour, if it
    /// came at `at`, which is not before now.
    #[inline]
    #[must_use]
    pub fn is_old_news(&self, at: Instant, packet: &Packet) -> bool {
        match (self, &packet.body) {
            (Self::Aodv(router), Body::Aodv(message)) => router.is_old_news(at, message),
            _ => false,
        }
    }

    /// Takes back a packet that the link layer could not deliver to `next_hop`.
    pub fn on_link_failure(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        match self {
            Self::Static(router) => router.on_link_failure(packet, next_hop),
            Self::Aodv(router) => router.on_link_failure(now, packet, next_hop),
            Self::Dsdv(router) => router.on_link_failure(now, packet, next_hop),
            Self::Dsr(router) => router.on_link_failure(now, packet, next_hop),
            Self::Access(router) => router.on_link_failure(packet),
            Self::Mobile(router) => router.on_link_failure(packet),
        }
    }

    /// Whether the router wants to be told what its node overhears.
    #[must_use]
    pub const fn overhears(&self) -> bool {
        match self {
            Self::Dsr(router) => router.overhears(),
            _ => false,
        }
    }

    /// A packet for another node was overheard.
    pub fn on_overheard(&mut self, now: Instant, packet: &Packet) {
        if let Self::Dsr(router) = self {
            router.on_overheard(now, packet);
        }
    }

    /// Takes back a packet that waited in the interface queue
    /// ([`RouterOutput::ReclaimQueue`]).
    pub fn on_reclaimed(&mut self, now: Instant, packet: Packet) {
        match self {
            Self::Aodv(router) => router.on_reclaimed(now, packet),
            Self::Dsr(router) => router.on_reclaimed(now, packet),
            // They never ask.
            _ => drop(packet),
        }
    }

    /// Does what is due by `now`; nothing if nothing is.
    pub fn on_wake(&mut self, now: Instant) {
        match self {
            Self::Static(_) => {}
            Self::Aodv(router) => router.on_wake(now),
            Self::Dsdv(router) => router.on_wake(now),
            Self::Dsr(router) => router.on_wake(now),
            Self::Access(router) => router.on_wake(now),
            Self::Mobile(router) => router.on_wake(now),
        }
    }

    /// The next thing to be done, oldest first.
    pub fn poll(&mut self) -> Option<RouterOutput> {
        match self {
            Self::Static(router) => router.poll(),
            Self::Aodv(router) => router.poll(),
            Self::Dsdv(router) => router.poll(),
            Self::Dsr(router) => router.poll(),
            Self::Access(router) => router.poll(),
            Self::Mobile(router) => router.poll(),
        }
    }

    /// When [`Router::on_wake`] is to be called next.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        match self {
            Self::Static(_) => Instant::NEVER,
            Self::Aodv(router) => router.next_wake(),
            Self::Dsdv(router) => router.next_wake(),
            Self::Dsr(router) => router.next_wake(),
            Self::Access(router) => router.next_wake(),
            Self::Mobile(router) => router.next_wake(),
        }
    }

    /// The neighbour to which a data packet for `destination` would go now, if a route is up.
    /// For observers: the invariants of tests, and route tables in reports.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        match self {
            Self::Static(router) => router.next_hop(destination),
            Self::Aodv(router) => router.next_hop(destination),
            Self::Dsdv(router) => router.next_hop(destination),
            Self::Dsr(router) => router.next_hop(destination),
            Self::Access(router) => router.next_hop(destination),
            Self::Mobile(router) => router.next_hop(),
        }
    }
}
