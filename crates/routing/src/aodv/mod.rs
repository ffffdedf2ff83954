//! AODV, on-demand distance-vector routing: as ns-2.35 has it (draft-ietf-manet-aodv, about -11), or
//! with the values and rules of RFC 3561 where those differ ([`AodvConfig`]).
//!
//! Broken links are learned from the link layer; there are no HELLO messages, no multicast, and
//! nothing is overheard. `discovery` asks and answers, `failures` reacts to broken links.
//!
//! The one invariant: a route is replaced only by one with a newer destination sequence number, or
//! with the same number and fewer hops; from this follows that routes form no lasting loop.

pub mod config;
mod discovery;
mod failures;
mod index;
mod route;
mod table;

use crate::buffer::SendBuffer;
use crate::outbox::Outbox;
use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::{Duration, Instant, NodeId, Seq32, Stream, ThinStream};
use acklab_wire::aodv::Message;
use acklab_wire::{Body, Packet};
use config::AodvConfig;
use failures::number_of_missing;
use route::{Path, Route};
use std::collections::VecDeque;
use std::sync::Arc;
use table::RouteTable;

/// The AODV machine of one node.
#[derive(Clone, Debug)]
pub struct Aodv {
    node: NodeId,
    /// All nodes share it.
    config: Arc<AodvConfig>,
    jitter: ThinStream,
    table: RouteTable,
    buffer: SendBuffer,
    out: Outbox,
    /// This node's own sequence number.
    sequence: Seq32,
    /// The broadcast id of the next request.
    broadcast_id: u32,
    purge_at: Instant,
    /// When the local repair of which destination is given up, in order of time.
    guards: VecDeque<(Instant, NodeId)>,
    /// No request is repeated by its timeout before this; may be too early, never too late.
    repeat_at: Instant,
}

impl Aodv {
    /// A router on `node`; `jitter` is the node's stream for [`acklab_base::Purpose::RoutingJitter`].
    #[must_use]
    pub fn new(node: NodeId, config: impl Into<Arc<AodvConfig>>, jitter: Stream) -> Self {
        let config = config.into();
        let buffer = SendBuffer::new(config.buffer_packets, config.buffer_timeout);
        let purge_at = Instant::ZERO + config.purge_period;
        Self {
            node,
            config,
            jitter: ThinStream::from(jitter),
            table: RouteTable::default(),
            buffer,
            out: Outbox::default(),
            sequence: Seq32(2),
            broadcast_id: 1,
            purge_at,
            guards: VecDeque::new(),
            repeat_at: Instant::NEVER,
        }
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, now: Instant, mut packet: Packet, from: Option<NodeId>) {
        if let (Body::Aodv(_), Some(neighbour)) = (&packet.body, from) {
            packet.ttl = packet.ttl.saturating_sub(1);
            return self.on_message(now, packet, neighbour);
        }
        if packet.destination == self.node {
            return self.out.deliver(packet);
        }
        if packet.destination.is_broadcast() {
            return match from {
                None => self.out.send(packet, NodeId::BROADCAST),
                Some(_) => self.out.deliver(packet),
            };
        }
        if from.is_none() {
            packet.ttl = self.config.network_diameter;
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

    /// See [`crate::Router::pass_on`].
    #[inline]
    pub fn pass_on(&mut self, now: Instant, packet: &Packet) -> Option<NodeId> {
        if matches!(packet.body, Body::Aodv(_)) {
            return None;
        }
        self.use_route(now, packet.source, packet.destination)
    }

    /// See [`crate::Router::is_old_news`]: a copy of a request, until it may be forgotten.
    #[must_use]
    pub fn is_old_news(&self, at: Instant, message: &Message) -> bool {
        let Message::Request(request) = message else {
            return false;
        };
        let (origin, number) = (request.origin, request.broadcast_id);
        origin == self.node || (at < self.purge_at && self.table.has_heard(origin, number))
    }

    /// See [`crate::Router::on_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        self.out.release(now);
        self.give_up_repairs(now);
        if self.repeat_at <= now {
            self.repeat_requests(now);
        }
        while self.purge_at <= now {
            self.purge_at += self.config.purge_period;
            self.purge(now);
        }
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    /// See [`crate::Router::next_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let guard_at = self.guards.front().map_or(Instant::NEVER, |&(at, _)| at);
        self.purge_at
            .min(self.out.next_release())
            .min(guard_at)
            .min(self.repeat_at)
    }

    /// The next hop of a route that is up.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.table.find(destination).and_then(Route::next_hop)
    }

    /// Sends, buffers or drops a data packet, by the state of its route.
    fn route_data(&mut self, now: Instant, packet: Packet) {
        let (source, destination) = (packet.source, packet.destination);
        if let Some(next_hop) = self.use_route(now, source, destination) {
            return self.out.send(packet, next_hop);
        }
        let is_mine = source == self.node;
        let mut route = self.table.entry(destination, self.config.first_search);
        if route.path() == Path::Down && !is_mine {
            let sequence = number_of_missing(&mut route, self.config.sequence_rule);
            self.report_missing_route(destination, sequence);
            return self.out.drop(packet, DropReason::NoRoute);
        }
        self.buffer.push(now, packet, &mut self.out);
        if is_mine {
            self.send_request(now, destination, None);
        }
    }

    /// The next hop of a route that is up, which lives on since a packet takes it.
    #[inline]
    fn use_route(&mut self, now: Instant, source: NodeId, destination: NodeId) -> Option<NodeId> {
        let expires = now + self.config.active_route_timeout;
        let route = self.table.find_mut(destination)?;
        let next_hop = route.next_hop()?;
        route.renew(expires, self.config.use_shortens_life);
        if self.config.refreshes_reverse_route
            && let Some(back) = self.table.find_mut(source)
        {
            back.extend(expires);
        }
        Some(next_hop)
    }

    /// Sends all buffered packets for `destination` along its route, the first after `delay` and
    /// each next one `spacing` later; returns the delay that comes next.
    fn flush(
        &mut self,
        now: Instant,
        destination: NodeId,
        mut delay: Duration,
        spacing: Duration,
    ) -> Duration {
        let expires = now + self.config.active_route_timeout;
        while let Some(packet) = self.buffer.take(now, destination, &mut self.out) {
            let Some(route) = self.table.find_mut(destination) else {
                break;
            };
            let Some(next_hop) = route.next_hop() else {
                break;
            };
            route.renew(expires, self.config.use_shortens_life);
            self.out.send_after(now, delay, packet, next_hop);
            delay += spacing;
        }
        delay
    }

    /// Expires routes and looks after buffered packets; the periodic timer.
    fn purge(&mut self, now: Instant) {
        self.drop_overdue(now);
        let mut delay = Duration::ZERO;
        for step in 0..self.table.len() {
            let route = self.table.at(step);
            let destination = route.destination;
            match route.path() {
                Path::Up(hop) if hop.expires < now => {
                    route.sequence = route.sequence.add(1);
                    route.set_down();
                    self.out.note(RouterNote::RouteDown { destination });
                    let reason = DropReason::RouteExpired;
                    self.buffer
                        .drop_for(now, destination, reason, &mut self.out);
                }
                _ if self.buffer.is_empty() => {}
                Path::Up(_) => {
                    delay = self.flush(now, destination, delay, self.config.flush_spacing);
                }
                Path::Down | Path::Repairing(_) if self.buffer.has(destination) => {
                    self.send_request(now, destination, None);
                }
                Path::Down | Path::Repairing(_) => {}
            }
        }
        self.table.forget_requests(now);
    }

    fn on_message(&mut self, now: Instant, packet: Packet, from: NodeId) {
        match &packet.body {
            Body::Aodv(Message::Request(request)) => {
                let request = *request;
                self.on_request(now, packet, request, from);
            }
            Body::Aodv(Message::Reply(reply)) => {
                let reply = *reply;
                self.on_reply(now, packet, reply, from);
            }
            Body::Aodv(Message::Error(list)) => self.on_error(now, list, from),
            Body::Tcp(_) | Body::Udp(_) | Body::Dsdv(_) | Body::Dsr(_) | Body::CellularIp(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Router;
    use acklab_base::{Address, FlowId, Purpose};
    use acklab_wire::aodv::{Reply, Request};
    use acklab_wire::{Flags, Options, Segment};

    fn data(id: u32, source: u32, destination: u32) -> Packet {
        let segment = Segment {
            flow: FlowId(0),
            forward: true,
            seq: Seq32(0),
            ack: Seq32(0),
            flags: Flags::default(),
            window: 0,
            len: 1000,
            retransmission: false,
            options: Options::NONE,
        };
        Packet::tcp(id, NodeId(source), NodeId(destination), 20, segment)
    }

    fn hear(router: &mut Aodv, now: Instant, from: u32, to: NodeId, message: Message) {
        let (source, body) = (NodeId(from), Body::Aodv(message));
        let packet = Packet {
            id: 0,
            source,
            destination: to,
            ttl: 30,
            bytes: 48,
            body,
        };
        router.on_packet(now, packet, Some(source));
    }

    /// The room that everything has which could grow.
    fn room(router: &Aodv) -> [usize; 4] {
        let [ready, waiting] = router.out.room();
        [ready, waiting, router.table.len(), router.guards.capacity()]
    }

    /// Node 4 with routes to node 0 by way of node 3, and to node 8 by way of node 5.
    fn relay() -> Aodv {
        let address = Address {
            seed: 1,
            run: 0,
            node: NodeId(4),
            purpose: Purpose::RoutingJitter,
        };
        let mut router = Aodv::new(NodeId(4), AodvConfig::ns2(), address.open());
        let (origin, destination) = (NodeId(0), NodeId(8));
        let request = Request {
            hop_count: 3,
            broadcast_id: 1,
            destination,
            destination_seq: 0,
            origin,
            origin_seq: 4,
            sent_at: Instant::ZERO,
        };
        let reply = Reply {
            hop_count: 3,
            destination,
            destination_seq: 4,
            origin,
            lifetime: Duration::from_secs(10),
            request_sent_at: Instant::ZERO,
        };
        hear(
            &mut router,
            Instant::ZERO,
            3,
            NodeId::BROADCAST,
            Message::Request(request),
        );
        hear(&mut router, Instant::ZERO, 5, origin, Message::Reply(reply));
        while router.poll().is_some() {}
        router
    }

    #[test]
    fn passing_on_is_what_routing_does_to_a_packet_with_a_way() {
        let now = Instant::ZERO + Duration::from_millis(700);
        let mut passed = 0;
        for (source, destination, ttl) in [
            (0, 8, 20),
            (8, 0, 2),
            (0, 8, 1),
            (0, 7, 20),
            (4, 8, 20),
            (0, 4, 20),
            (0, NodeId::BROADCAST.0, 20),
        ] {
            let [mut straight, mut ordinary] =
                [relay(), relay()].map(|one| Router::Aodv(Box::new(one)));
            let mut packet = data(1, source, destination);
            packet.ttl = ttl;
            let whole = packet.clone();
            let Some(next_hop) = straight.pass_on(NodeId(4), now, &packet) else {
                assert_eq!(format!("{straight:?}"), format!("{ordinary:?}"));
                continue;
            };
            passed += 1;
            packet.ttl -= 1;
            ordinary.on_packet(now, whole, Some(NodeId(3)));
            let sent = RouterOutput::Send { packet, next_hop };
            assert_eq!(ordinary.poll(), Some(sent));
            assert_eq!(ordinary.poll(), None);
            assert_eq!(straight.next_wake(), ordinary.next_wake());
            assert_eq!(format!("{straight:?}"), format!("{ordinary:?}"));
        }
        assert_eq!(passed, 2);
    }

    #[test]
    fn forwarding_allocates_nothing_once_the_route_stands() {
        let mut router = relay();
        let before = room(&router);
        for number in 0..100_000 {
            let now = Instant::ZERO + Duration::from_millis(u64::from(number));
            router.on_wake(now);
            router.on_packet(now, data(number, 0, 8), Some(NodeId(3)));
            router.on_packet(now, data(number, 8, 0), Some(NodeId(5)));
            while let Some(output) = router.poll() {
                let forwards = matches!(output, RouterOutput::Send { .. });
                assert!(forwards, "packet {number}: {output:?}");
            }
        }
        assert_eq!(room(&router), before);
    }
}
