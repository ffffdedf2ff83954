//! The mobile's half of Cellular IP: everything goes to the station that it listens to, and when
//! there is nothing to send, an update goes now and then.
//!
//! *Active*: data was sent or received within the active timeout; route updates. *Idle*: paging
//! updates. It is not the decision which station to listen to: that comes in by
//! [`MobileRouter::on_attach`]. The one invariant: an active mobile with a station is never silent
//! for longer than the route-update time, an idle one not for longer than the paging-update time.

use super::MobileConfig;
use crate::outbox::Outbox;
use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::{Instant, NodeId};
use acklab_wire::cellular_ip::{MESSAGE_BYTES, Message};
use acklab_wire::{Body, Packet};

/// The router of a mobile.
#[derive(Clone, Debug)]
pub struct MobileRouter {
    node: NodeId,
    /// Where updates go.
    gateway: NodeId,
    config: MobileConfig,
    station: Option<NodeId>,
    /// Active until then.
    active_until: Instant,
    /// When something last left.
    last_sent: Instant,
    ttl: u8,
    out: Outbox,
}

impl MobileRouter {
    /// A mobile without a station, idle.
    #[must_use]
    pub fn new(node: NodeId, gateway: NodeId, config: MobileConfig, ttl: u8) -> Self {
        Self {
            node,
            gateway,
            config,
            station: None,
            active_until: Instant::ZERO,
            last_sent: Instant::ZERO,
            ttl,
            out: Outbox::default(),
        }
    }

    /// The mobile listens to this station from now on, or to none.
    pub fn on_attach(&mut self, now: Instant, station: Option<NodeId>) {
        let first = self.station.is_none();
        self.station = station;
        if station.is_none() {
            return;
        }
        if self.active_until <= now {
            self.update(now, Message::PagingUpdate);
        } else if self.config.updates_at_handoff || first {
            self.update(now, Message::RouteUpdate { semisoft: false });
        }
    }

    /// The mobile will listen to `station` soon, and may send through it for a moment: a route is
    /// made there beside the old one.
    pub fn on_semisoft(&mut self, station: NodeId) {
        let message = Message::RouteUpdate { semisoft: true };
        self.say(message, station);
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, now: Instant, mut packet: Packet, from: Option<NodeId>) {
        let was_active = self.active_until > now;
        if packet.destination == self.node {
            self.active_until = now + self.config.active_timeout;
            if !was_active && from.is_some() && self.station.is_some() {
                // It was paged.
                self.update(now, Message::RouteUpdate { semisoft: false });
            }
            return self.out.deliver(packet);
        }
        if from.is_some() {
            return self.out.drop(packet, DropReason::NoRoute);
        }
        self.active_until = now + self.config.active_timeout;
        packet.ttl = self.ttl;
        match self.station {
            Some(station) => {
                self.last_sent = now;
                self.out.send(packet, station);
            }
            None => self.out.drop(packet, DropReason::NoRoute),
        }
    }

    /// The link layer could not deliver a packet: it is lost.
    pub fn on_link_failure(&mut self, packet: Packet) {
        self.out.drop(packet, DropReason::LinkFailure);
    }

    /// Sends an update if one is due.
    pub fn on_wake(&mut self, now: Instant) {
        if self.next_wake() > now {
            return;
        }
        if self.active_until > now {
            self.update(now, Message::RouteUpdate { semisoft: false });
        } else {
            self.update(now, Message::PagingUpdate);
        }
    }

    fn update(&mut self, now: Instant, message: Message) {
        if let Some(station) = self.station {
            self.last_sent = now;
            self.say(message, station);
        }
    }

    fn say(&mut self, message: Message, station: NodeId) {
        let body = Body::CellularIp(message);
        let gateway = self.gateway;
        let packet = self
            .out
            .make(self.node, gateway, self.ttl, MESSAGE_BYTES, body);
        self.out.note(RouterNote::UpdateSent {
            entries: 1,
            full: false,
        });
        self.out.send(packet, station);
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    /// See [`crate::Router::next_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        if self.station.is_none() {
            return Instant::NEVER;
        }
        let update = self.last_sent + self.config.route_update;
        if update < self.active_until {
            update
        } else {
            self.active_until
                .max(self.last_sent + self.config.paging_update)
        }
    }

    /// The station that everything goes to.
    #[must_use]
    pub const fn next_hop(&self) -> Option<NodeId> {
        self.station
    }
}
