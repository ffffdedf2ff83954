//! Cellular IP (Valkó 1999; Campbell et al. 2000): routing to mobiles inside an access network that
//! is a tree below a gateway.
//!
//! A mobile has no address that tells its place. What it sends travels up to the gateway and leaves
//! a trail of cache entries behind ([`AccessRouter`]); what is sent to it follows them down. There
//! is no message that a node of the network makes, and no table of neighbours: soft state alone.
//! [`MobileRouter`] is the other half. Not here: beacons, signals, and the decision to hand off
//! (the crate `agents`); Mobile IP beyond the gateway; authentication. Fixed nodes of the network
//! are reached by the tree.
//!
//! The one invariant: a packet from above never goes back up, so nothing loops.

mod cache;
pub mod config;
mod mobile;

pub use config::{AccessConfig, MobileConfig};
pub use mobile::MobileRouter;

use crate::outbox::Outbox;
use crate::static_path::NextHops;
use crate::{DropReason, RouterOutput};
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::cellular_ip::Message;
use acklab_wire::{Body, Packet};
use cache::{Cache, Manner};

/// Where a node of the access network stands in the tree.
#[derive(Clone, Debug)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// The neighbour toward the gateway; the gateway has none.
    pub uplink: Option<NodeId>,
    /// The neighbours away from it, mobiles in reach of a station's link included.
    pub downlinks: Box<[NodeId]>,
    /// Which nodes are mobiles; ascending.
    pub mobiles: Box<[NodeId]>,
    /// The neighbours toward all other nodes.
    pub next_hops: NextHops,
}

/// A node of the access network: gateway, router or base station.
#[derive(Clone, Debug)]
pub struct AccessRouter {
    place: Place,
    config: AccessConfig,
    routes: Cache,
    paging: Cache,
    ttl: u8,
    out: Outbox,
}

impl AccessRouter {
    /// A node with empty caches. Packets made here may travel `ttl` hops.
    #[must_use]
    pub fn new(place: Place, config: AccessConfig, ttl: u8) -> Self {
        Self {
            place,
            config,
            routes: Cache::default(),
            paging: Cache::default(),
            ttl,
            out: Outbox::default(),
        }
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, now: Instant, mut packet: Packet, from: Option<NodeId>) {
        self.learn(now, &packet, from);
        if packet.destination == self.place.node {
            return match packet.body {
                // The end of the trail.
                Body::CellularIp(_) => {}
                _ => self.out.deliver(packet),
            };
        }
        packet.ttl = match from {
            None => self.ttl,
            Some(_) => packet.ttl.saturating_sub(1),
        };
        if packet.ttl == 0 {
            return self.out.drop(packet, DropReason::Ttl);
        }
        if self.is_mobile(packet.destination) {
            return self.toward_mobile(now, packet, from);
        }
        match self.place.next_hops.towards(packet.destination) {
            Some(next_hop) => self.out.send(packet, next_hop),
            None => self.out.drop(packet, DropReason::NoRoute),
        }
    }

    /// What comes up from a mobile makes and refreshes entries.
    fn learn(&mut self, now: Instant, packet: &Packet, from: Option<NodeId>) {
        let Some(via) = from.filter(|_| from != self.place.uplink) else {
            return;
        };
        if !self.is_mobile(packet.source) {
            return;
        }
        let entry = (packet.source, via);
        let paging_timeout = self.config.paging_timeout;
        let (is_route, manner) = match packet.body {
            Body::CellularIp(Message::PagingUpdate) => (false, Manner::Replace),
            Body::CellularIp(Message::RouteUpdate { semisoft: true }) => (true, Manner::Beside),
            _ => (true, Manner::Replace),
        };
        self.paging.refresh(now, entry, paging_timeout, manner);
        let timeout = self.config.route_timeout;
        if is_route && self.routes.refresh(now, entry, timeout, manner) {
            // The handoff is complete: what the delay device holds goes first.
            self.out.release_to(via);
        }
    }

    /// Down by the route cache, else by the paging cache, else to all; up if it came from below.
    fn toward_mobile(&mut self, now: Instant, packet: Packet, from: Option<NodeId>) {
        if let Some(uplink) = self.place.uplink
            && from != Some(uplink)
        {
            return self.out.send(packet, uplink);
        }
        let mobile = packet.destination;
        let mut hops: Vec<(NodeId, bool)> = Vec::new();
        for entry in self.routes.of(now, mobile) {
            hops.push((entry.via, entry.semisoft && !hops.is_empty()));
        }
        if hops.is_empty() {
            hops.extend(self.paging.of(now, mobile).map(|entry| (entry.via, false)));
        }
        if hops.is_empty() {
            hops.extend(self.everywhere(mobile).map(|hop| (hop, false)));
        }
        let Some((last, others)) = hops.split_last() else {
            return self.out.drop(packet, DropReason::NoRoute);
        };
        for &(hop, delayed) in others {
            self.send_down(now, packet.clone(), hop, delayed);
        }
        self.send_down(now, packet, last.0, last.1);
    }

    /// A node without an entry pages: every neighbour below, but of the mobiles the one itself.
    fn everywhere(&self, mobile: NodeId) -> impl Iterator<Item = NodeId> {
        let below = self.place.downlinks.iter().copied();
        below.filter(move |&hop| hop == mobile || !self.is_mobile(hop))
    }

    fn send_down(&mut self, now: Instant, packet: Packet, next_hop: NodeId, delayed: bool) {
        let delay = if delayed {
            self.config.delay_device
        } else {
            Duration::ZERO
        };
        self.out.send_after(now, delay, packet, next_hop);
    }

    fn is_mobile(&self, node: NodeId) -> bool {
        self.place.mobiles.binary_search(&node).is_ok()
    }

    /// The link layer could not deliver a packet: it is lost, soft state stays.
    pub fn on_link_failure(&mut self, packet: Packet) {
        self.out.drop(packet, DropReason::LinkFailure);
    }

    /// The node was switched off and is on again: its caches are empty.
    pub fn forget(&mut self) {
        self.routes.clear();
        self.paging.clear();
    }

    /// See [`crate::Router::on_wake`]: packets of the delay device whose time has come.
    pub fn on_wake(&mut self, now: Instant) {
        self.out.release(now);
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    /// See [`crate::Router::next_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        self.out.next_release()
    }

    /// The neighbour that the newest entry names, or the tree.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        if self.is_mobile(destination) {
            self.routes.newest(destination)
        } else {
            self.place.next_hops.peek(destination)
        }
    }
}
