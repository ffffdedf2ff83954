//! DSR, dynamic source routing: as ns-2.35 has it (CMU's version of 2002 with flow state), or with
//! the rules of RFC 4728 where those differ ([`DsrConfig`]).
//!
//! Routes are found on demand and written into packets; nodes keep what they find, overhear and
//! forward. `discovery` asks and answers, `sending` puts routes into packets, `failures` reacts to
//! broken links, `overhearing` learns from packets for others.
//!
//! The one invariant: no source route passes a node twice, so no packet travels in a circle for ever.

mod cache;
mod carried;
pub mod config;
mod discovery;
mod failures;
mod flows;
mod overhearing;
mod sending;
mod waiting;

use crate::outbox::Outbox;
use crate::{DropReason, RouterOutput};
use acklab_base::{Duration, Instant, NodeId, Stream};
use acklab_wire::dsr::Data;
use acklab_wire::{Body, Packet};
use cache::RouteCache;
use carried::Carried;
use config::DsrConfig;
use discovery::Discoveries;
use flows::{Early, FlowTable};
use overhearing::{Holds, Overheard};
use waiting::Waiting;

/// TTL of replies and errors.
const MESSAGE_TTL: u8 = 255;

/// The DSR machine of one node.
#[derive(Clone, Debug)]
pub struct Dsr {
    node: NodeId,
    config: DsrConfig,
    jitter: Stream,
    out: Outbox,
    cache: RouteCache,
    flows: FlowTable,
    early: Early,
    discoveries: Discoveries,
    waiting: Waiting,
    /// When the send buffer is looked at next, if anything waits in it.
    check_at: Instant,
    /// The last link that this node was told is broken, and when.
    told: Option<(Instant, NodeId, NodeId)>,
    holds: Holds,
    overheard: Overheard,
}

impl Dsr {
    /// A router on `node`; `jitter` is the node's stream for [`acklab_base::Purpose::RoutingJitter`].
    #[must_use]
    pub fn new(node: NodeId, config: DsrConfig, jitter: Stream) -> Self {
        Self {
            node,
            jitter,
            out: Outbox::default(),
            cache: RouteCache::new(node, config.primary_routes, config.secondary_routes),
            flows: FlowTable::default(),
            early: Early::default(),
            discoveries: Discoveries::default(),
            waiting: Waiting::new(config.buffer_packets),
            check_at: Instant::ZERO,
            told: None,
            holds: Holds::new(config.misplaced_hold),
            overheard: Overheard::default(),
            config,
        }
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, now: Instant, packet: Packet, from: Option<NodeId>) {
        let is_message = matches!(packet.body, Body::Dsr(_));
        if packet.destination.is_broadcast() && !is_message {
            return match from {
                None => self.out.send(packet, NodeId::BROADCAST),
                Some(_) => self.out.deliver(packet),
            };
        }
        let Some(mut carried) = Carried::of(packet, self.config.header_sizes) else {
            return;
        };
        if from.is_none() {
            carried.ttl = self.config.data_ttl;
            if matches!(carried.data, Some(Data::Tcp(_))) {
                carried.bytes += self.config.extra_tcp_bytes;
            }
            return self.find_way(now, carried);
        }
        if carried.destination == self.node {
            return self.receive(now, carried);
        }
        if !carried.header.errors.is_empty() {
            self.hear_errors(now, &carried);
        }
        if carried.header.request.is_some() {
            self.on_request(now, carried);
        } else {
            self.forward(now, carried);
        }
    }

    /// See [`crate::Router::on_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        self.out.release(now);
        while !self.waiting.is_empty() && self.check_at <= now {
            self.set_check();
            self.check_waiting(now);
        }
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    /// See [`crate::Router::next_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let check = if self.waiting.is_empty() {
            Instant::NEVER
        } else {
            self.check_at
        };
        check.min(self.out.next_release())
    }

    /// The next hop of the route that a new packet would take.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        if destination == self.node {
            return None;
        }
        self.cache.peek(destination).map(|route| route[1])
    }

    /// See [`crate::Router::overhears`].
    #[must_use]
    pub const fn overhears(&self) -> bool {
        self.config.overhears
    }

    /// A packet for this node.
    fn receive(&mut self, now: Instant, carried: Carried) {
        if let Some(route) = carried.header.reply {
            self.accept_reply(now, &route);
        }
        if carried.header.request.is_some() {
            self.answer(now, &carried);
        }
        if !carried.header.errors.is_empty() {
            self.hear_errors(now, &carried);
        }
        if !carried.header.unknown_flows.is_empty() {
            self.hear_unknown_flows(now, &carried);
        }
        if let Some(packet) = carried.into_data() {
            self.out.deliver(packet);
        }
    }

    /// Sends a packet of this node, or one that lost its route, by the cache; else it waits.
    fn find_way(&mut self, now: Instant, carried: Carried) {
        if carried.destination == self.node {
            return self.receive(now, carried);
        }
        if let Some(route) = self.cache.find(carried.destination, true) {
            return self.send(now, carried, route, 0, Duration::ZERO);
        }
        if self.ask(now, carried.source == self.node, carried.destination) {
            self.wait(now, carried);
        } else {
            self.lose(carried, DropReason::NoRoute);
        }
    }

    /// Puts a packet into the send buffer.
    fn wait(&mut self, now: Instant, carried: Carried) {
        if self.waiting.is_empty() {
            // Looks at an empty buffer change nothing; they are made up for here.
            while self.check_at <= now {
                self.set_check();
            }
        }
        if let Some(oldest) = self.waiting.push(now, carried) {
            self.lose(oldest, DropReason::BufferFull);
        }
    }

    /// The next look at the send buffer.
    fn set_check(&mut self) {
        let least = self.config.buffer_check;
        self.check_at += least + self.jitter.interval_below(least);
    }

    /// Looks at each packet that waits: it may be too old, there may be a route, or it may be time
    /// to ask again.
    fn check_waiting(&mut self, now: Instant) {
        for place in 0..self.waiting.places() {
            let Some((since, carried)) = self.waiting.take(place) else {
                continue;
            };
            if now.saturating_since(since) > self.config.buffer_timeout {
                self.lose(carried, DropReason::BufferTimeout);
            } else if let Some(route) = self.cache.find(carried.destination, true) {
                self.send(now, carried, route, 0, Duration::ZERO);
            } else if self.ask(now, carried.source == self.node, carried.destination) {
                self.waiting.put_back(place, since, carried);
            } else {
                self.lose(carried, DropReason::NoRoute);
            }
        }
    }

    /// Sends what waits and now has a route, spaced so that ARP, which holds one packet, loses none.
    fn free_waiting(&mut self, now: Instant) {
        let mut delay = Duration::ZERO;
        for place in 0..self.waiting.places() {
            let Some((since, carried)) = self.waiting.take(place) else {
                continue;
            };
            match self.cache.find(carried.destination, true) {
                Some(route) => {
                    self.send(now, carried, route, 0, delay);
                    delay += self.config.neighbour_wait;
                }
                None => self.waiting.put_back(place, since, carried),
            }
        }
    }

    fn lose(&mut self, carried: Carried, reason: DropReason) {
        let packet = carried.pack(self.config.header_sizes);
        self.out.drop(packet, reason);
    }
}
