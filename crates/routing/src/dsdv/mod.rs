//! DSDV, destination-sequenced distance-vector routing: as ns-2.35 has it, or with the rules of
//! Perkins and Bhagwat 1994 where those differ ([`DsdvConfig`]).
//!
//! Every node tells its neighbours its whole table from time to time, and changes in between once
//! they have settled. Nothing is asked for; links are one hop each way. `updates` sends and
//! believes route tables; this file moves packets and keeps the timers.
//!
//! The one invariant: a route is replaced only by one with a newer sequence number, or with the
//! same number and fewer hops; from this follows that routes form no lasting loop.

pub mod config;
mod table;
mod updates;

use crate::outbox::Outbox;
use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::{Instant, NodeId, Seq32, Stream};
use acklab_wire::{Body, Class, Packet};
use config::{DsdvConfig, MacFailure};
use table::{Route, RouteTable, Timer, Timers};

/// The DSDV machine of one node.
#[derive(Clone, Debug)]
pub struct Dsdv {
    node: NodeId,
    config: DsdvConfig,
    jitter: Stream,
    table: RouteTable,
    out: Outbox,
    /// This node's own sequence number.
    sequence: Seq32,
    /// When the next full update is due.
    update: Timer,
    /// No triggered update is sent before this.
    trigger_after: Instant,
    /// The earliest of all timers but the outbox's.
    timer: Timer,
    timers: Timers,
}

impl Dsdv {
    /// A router on `node`; `jitter` is the node's stream for [`acklab_base::Purpose::RoutingJitter`].
    #[must_use]
    pub fn new(node: NodeId, config: DsdvConfig, mut jitter: Stream) -> Self {
        let mut own = Route::unknown(node, Instant::ZERO, acklab_base::Duration::ZERO);
        own.hops = 0;
        own.advertise_from = Instant::ZERO;
        own.sequence_changed = true;
        own.hops_changed = true;
        let mut table = RouteTable::default();
        table.add(own);
        let mut timers = Timers::default();
        let update = timers.at(Instant::ZERO + jitter.interval_below(config.start_jitter));
        Self {
            node,
            config,
            jitter,
            table,
            out: Outbox::default(),
            sequence: Seq32(2),
            update,
            trigger_after: Instant::ZERO,
            timer: update,
            timers,
        }
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, now: Instant, mut packet: Packet, from: Option<NodeId>) {
        if let (Body::Dsdv(update), Some(neighbour)) = (&packet.body, from) {
            self.believe(now, update, neighbour);
            return self.set_timer();
        }
        if packet.destination == self.node {
            return self.out.deliver(packet);
        }
        if packet.destination.is_broadcast() {
            return match from {
                None => self.send_jittered(now, packet),
                Some(_) => self.out.deliver(packet),
            };
        }
        if from.is_none() {
            packet.ttl = self.config.ttl;
            if matches!(packet.body, Body::Tcp(_)) {
                packet.bytes += self.config.extra_tcp_bytes;
            }
        } else if packet.source == self.node {
            return self.out.drop(packet, DropReason::Loop);
        } else {
            packet.ttl = packet.ttl.saturating_sub(1);
            if packet.ttl == 0 {
                return self.out.drop(packet, DropReason::Ttl);
            }
        }
        self.route_data(now, packet);
    }

    /// See [`crate::Router::on_link_failure`].
    pub fn on_link_failure(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        if packet.class() == Class::Routing {
            return self.out.drop(packet, DropReason::LinkFailure);
        }
        self.out.note(RouterNote::LinkFailure { next_hop });
        if self.config.mac_failure == MacFailure::Ignored {
            return self.out.drop(packet, DropReason::LinkFailure);
        }
        self.lose_neighbour(now, next_hop);
        self.route_again(now, packet);
        self.set_timer();
    }

    /// See [`crate::Router::on_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        self.out.release(now);
        while self.timer.at <= now {
            self.fire(now);
            self.set_timer();
        }
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    /// See [`crate::Router::next_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        self.timer.at.min(self.out.next_release())
    }

    /// The next hop of a route that is up.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        let route = self.table.find(destination)?;
        // Whoever is one hop away is its own next hop, whoever said so.
        match (route.is_up(), route.hops) {
            (false, _) | (true, 0) => None,
            (true, 1) => Some(destination),
            (true, _) => Some(route.next),
        }
    }

    /// Sends a packet on, or keeps it until there is a route.
    fn route_data(&mut self, now: Instant, packet: Packet) {
        let destination = packet.destination;
        if let Some(next_hop) = self.next_hop(destination) {
            return self.out.send(packet, next_hop);
        }
        if self.table.find(destination).is_none() {
            let settling = self.config.first_settling;
            self.table.add(Route::unknown(destination, now, settling));
        }
        let Some(route) = self.table.find_mut(destination) else {
            return;
        };
        route.waiting.push_back(packet);
        if route.waiting.len() > self.config.buffer_packets
            && let Some(oldest) = route.waiting.pop_front()
        {
            self.out.drop(oldest, DropReason::BufferFull);
        }
    }

    /// Routes a packet that has been in the router's hands before.
    fn route_again(&mut self, now: Instant, mut packet: Packet) {
        if self.config.flushes_as_new {
            if packet.source == self.node {
                packet.bytes += acklab_wire::tcp::IP_HEADER_BYTES;
                packet.ttl = self.config.ttl;
            } else {
                packet.ttl = packet.ttl.saturating_sub(1);
                if packet.ttl == 0 {
                    return self.out.drop(packet, DropReason::Ttl);
                }
            }
        }
        self.route_data(now, packet);
    }

    /// Sends the packets that waited for a route which is now up.
    fn flush(&mut self, now: Instant, destination: NodeId) {
        let Some(route) = self.table.find_mut(destination) else {
            return;
        };
        if !route.is_up() {
            return;
        }
        let mut waiting = std::mem::take(&mut route.waiting);
        for packet in waiting.drain(..) {
            self.route_again(now, packet);
        }
    }

    fn send_jittered(&mut self, now: Instant, packet: Packet) {
        let delay = self.jitter.interval_below(self.config.broadcast_jitter);
        self.out.send_after(now, delay, packet, NodeId::BROADCAST);
    }

    /// Does the first thing that is due: a silent neighbour, a triggered update, or a full one.
    fn fire(&mut self, now: Instant) {
        let first = self.timer;
        if self.update == first {
            return self.update_in_full(now);
        }
        let owner = |route: &&Route| route.trigger == first || route.silence == first;
        let Some(route) = self.table.iter().find(owner) else {
            return;
        };
        let destination = route.destination;
        if route.silence == first {
            self.lose_neighbour(now, destination);
        } else {
            self.trigger(now, destination);
        }
    }

    fn set_timer(&mut self) {
        let routes = self.table.iter();
        self.timer = routes
            .map(|route| route.trigger.min(route.silence))
            .fold(self.update, Timer::min);
    }
}
