//! Route discovery: asking for a route (RFC 3561 §6.3, §6.4), answering (§6.5, §6.6), and using the
//! answer (§6.7), with ns-2's rules where the configuration says so.

use super::Aodv;
use super::config::{AodvConfig, RequestRepeat, RequestWait, SequenceRule};
use super::route::{Hop, NO_PATH, Path, Route};
use super::table::Entry;
use crate::{DropReason, RouterNote};
use acklab_base::{Duration, Instant, NodeId, Seq32};
use acklab_wire::aodv::{Message, Reply, Request};
use acklab_wire::{Body, Packet};

/// What an unsigned 32-bit count of seconds wraps at.
const WRAP_SECONDS: u64 = 1 << 32;

/// RFC 3561 §10, TIMEOUT_BUFFER: hops added to a ring when its traversal time is computed.
const TIMEOUT_BUFFER: u64 = 2;

impl Aodv {
    /// Asks for a route, unless there is one or the last request may still be answered.
    /// `repair_ttl` overrides the expanding ring.
    pub(super) fn send_request(
        &mut self,
        now: Instant,
        destination: NodeId,
        repair_ttl: Option<u8>,
    ) {
        let mut route = self.table.entry(destination, self.config.first_search);
        if route.is_up() || route.wait_until().is_some_and(|until| until > now) {
            return;
        }
        if route.wide_tries() > self.config.request_retries {
            let rest = route.rest_mut();
            rest.wait_until = Some(now + self.config.hold_off);
            rest.wide_tries = 0;
            self.out.note(RouterNote::DiscoveryFailed { destination });
            let reason = DropReason::DiscoveryFailed;
            return self
                .buffer
                .drop_for(now, destination, reason, &mut self.out);
        }
        let ttl = repair_ttl.unwrap_or_else(|| next_ttl(&mut route, &self.config));
        route.last_ttl = ttl;
        // A broken path under repair has no time left: it matters if a reply is made from it.
        route.set_expiry(Instant::ZERO);
        let until = now + wait_for_reply(&route, ttl, &self.config);
        route.rest_mut().wait_until = Some(until);
        let sequence = route.sequence;
        if self.config.request_repeat == RequestRepeat::OnTimeout {
            self.repeat_at = self.repeat_at.min(until);
        }
        self.originate_request(now, destination, sequence, ttl);
    }

    fn originate_request(
        &mut self,
        now: Instant,
        destination: NodeId,
        destination_seq: Seq32,
        ttl: u8,
    ) {
        self.sequence = self.sequence.add(match self.config.sequence_rule {
            SequenceRule::EvenSteps => 2,
            SequenceRule::Rfc3561 => 1,
        });
        let request = Request {
            hop_count: 0,
            broadcast_id: self.broadcast_id,
            destination,
            destination_seq: destination_seq.0,
            origin: self.node,
            origin_seq: self.sequence.0,
            sent_at: now,
        };
        self.broadcast_id = self.broadcast_id.wrapping_add(1);
        let body = Body::Aodv(Message::Request(request));
        let bytes = self.config.request_bytes;
        let packet = self
            .out
            .make(self.node, NodeId::BROADCAST, ttl, bytes, body);
        self.out.note(RouterNote::RequestSent { destination, ttl });
        self.out.send(packet, NodeId::BROADCAST);
    }

    /// Repeats every request whose wait is over and for which a packet is buffered. A search that nobody
    /// waits for is over: its tries do not count against the next one.
    pub(super) fn repeat_requests(&mut self, now: Instant) {
        self.drop_overdue(now);
        self.repeat_at = Instant::NEVER;
        for step in 0..self.table.len() {
            let Some((destination, until)) = self.table.search_at(step) else {
                continue;
            };
            if until > now {
                self.repeat_at = self.repeat_at.min(until);
            } else if self.buffer.has(destination) {
                self.send_request(now, destination, None);
            } else if let Some(mut route) = self.table.find_entry(destination) {
                route.rest_mut().wide_tries = 0;
            }
        }
    }

    /// Drops packets that have waited for too long, before anybody asks on their behalf.
    pub(super) fn drop_overdue(&mut self, now: Instant) {
        if !self.config.overdue_packets_ask {
            self.buffer.drop_expired(now, &mut self.out);
        }
    }

    /// A request has come from a neighbour.
    pub(super) fn on_request(
        &mut self,
        now: Instant,
        packet: Packet,
        request: Request,
        from: NodeId,
    ) {
        if request.origin == self.node || !self.learn_reverse_route(now, &request, from) {
            return;
        }
        if request.destination == self.node {
            return self.answer_for_myself(&request);
        }
        if !self.answer_from_table(now, &request) {
            self.forward_request(now, packet, request);
        }
    }

    /// Makes or refreshes the route back to the originator. Returns `false`, and does nothing, if
    /// the request has been heard already.
    fn learn_reverse_route(&mut self, now: Instant, request: &Request, from: NodeId) -> bool {
        let rule = self.config.sequence_rule;
        let hops = request.hop_count.saturating_add(1);
        let least = now + reverse_life(hops, &self.config);
        let Some(mut route) = self.table.hear(
            request.origin,
            request.broadcast_id,
            now + self.config.request_memory,
            self.config.first_search,
        ) else {
            return false;
        };
        route.extend(least);
        let sequence = Seq32(request.origin_seq);
        if !is_better(&route, sequence, hops, rule) {
            return true;
        }
        let expires = route.hop().map_or(least, |hop| hop.expires);
        route.set_up(
            sequence,
            Hop {
                next: from,
                hops,
                expires,
            },
        );
        if route.wait_until().is_some() {
            // This node looks for the originator too, and is found by it: the route counts as one
            // that was asked for.
            route.search_succeeded(hops);
            let expires = now + self.config.active_route_timeout;
            route.renew(expires, self.config.use_shortens_life);
        }
        self.out.note(RouterNote::RouteUp {
            destination: request.origin,
            next_hop: from,
            hops,
        });
        self.flush(now, request.origin, Duration::ZERO, Duration::ZERO);
        true
    }

    fn answer_for_myself(&mut self, request: &Request) {
        let latest = self.sequence.latest(Seq32(request.destination_seq));
        self.sequence = match self.config.sequence_rule {
            SequenceRule::EvenSteps => Seq32(latest.add(1).0.next_multiple_of(2)),
            SequenceRule::Rfc3561 => latest,
        };
        let reply = Reply {
            hop_count: 0,
            destination: self.node,
            destination_seq: self.sequence.0,
            origin: request.origin,
            lifetime: self.config.my_route_timeout,
            request_sent_at: request.sent_at,
        };
        self.send_reply(reply, false);
    }

    /// Answers from the table if the route there is at least as new as the one asked for.
    fn answer_from_table(&mut self, now: Instant, request: &Request) -> bool {
        let Some(route) = self.table.find(request.destination) else {
            return false;
        };
        let Some(hop) = route.hop() else { return false };
        let usable = route.is_up() || self.config.answers_under_repair;
        if !usable || route.sequence.before(Seq32(request.destination_seq)) {
            return false;
        }
        let reply = Reply {
            hop_count: hop.hops,
            destination: request.destination,
            destination_seq: route.sequence.0,
            origin: request.origin,
            lifetime: self.lifetime_left(now, hop.expires),
            request_sent_at: request.sent_at,
        };
        self.send_reply(reply, true);
        let towards_origin = self.table.find(request.origin).and_then(Route::hop);
        if let (Some(mut route), Some(back)) =
            (self.table.find_entry(request.destination), towards_origin)
        {
            route.rest_mut().add_precursor(back.next);
        }
        if let Some(mut route) = self.table.find_entry(request.origin) {
            route.rest_mut().add_precursor(hop.next);
        }
        true
    }

    /// What a reply from the table says about the life of the route.
    fn lifetime_left(&self, now: Instant, expires: Instant) -> Duration {
        let left = expires.saturating_since(now);
        if !self.config.whole_second_lifetimes {
            return left;
        }
        let second = Duration::from_secs(1);
        let overdue = now.saturating_since(expires).whole(second);
        // A negative number of whole seconds, read as one without sign, is almost for ever.
        let seconds = if overdue == 0 {
            left.whole(second)
        } else {
            WRAP_SECONDS - overdue
        };
        second * seconds
    }

    fn send_reply(&mut self, reply: Reply, from_table: bool) {
        let Some(back) = self.table.find(reply.origin).and_then(Route::hop) else {
            return;
        };
        let (origin, destination) = (reply.origin, reply.destination);
        let body = Body::Aodv(Message::Reply(reply));
        let ttl = self.config.network_diameter;
        let packet = self
            .out
            .make(self.node, origin, ttl, self.config.reply_bytes, body);
        self.out.note(RouterNote::ReplySent {
            origin,
            destination,
            from_table,
        });
        self.out.send(packet, back.next);
    }

    fn forward_request(&mut self, now: Instant, mut packet: Packet, mut request: Request) {
        if packet.ttl == 0 {
            return self.out.drop(packet, DropReason::Ttl);
        }
        let (origin, destination) = (request.origin, request.destination);
        request.hop_count = request.hop_count.saturating_add(1);
        if let Some(route) = self.table.find(destination) {
            request.destination_seq = route.sequence.latest(Seq32(request.destination_seq)).0;
        }
        packet.source = self.node;
        packet.body = Body::Aodv(Message::Request(request));
        let delay = self.jitter.interval_below(self.config.broadcast_jitter);
        self.out.note(RouterNote::RequestForwarded {
            origin,
            destination,
        });
        self.out.send_after(now, delay, packet, NodeId::BROADCAST);
    }

    /// A reply has come from a neighbour, for this node or on its way to the originator.
    pub(super) fn on_reply(&mut self, now: Instant, packet: Packet, reply: Reply, from: NodeId) {
        let rule = self.config.sequence_rule;
        let mine = packet.destination == self.node;
        let (destination, hops) = (reply.destination, reply.hop_count.saturating_add(1));
        let mut route = self.table.entry(destination, self.config.first_search);
        let sequence = Seq32(reply.destination_seq);
        if !is_better(&route, sequence, hops, rule) {
            // A reply that brings nothing new is not passed on either.
            return;
        }
        route.set_up(
            sequence,
            Hop {
                next: from,
                hops,
                expires: now + reply.lifetime,
            },
        );
        route.search_succeeded(hops);
        if mine {
            let latency = now.saturating_since(reply.request_sent_at);
            route.rest_mut().measure(latency / u64::from(hops));
        }
        self.out.note(RouterNote::RouteUp {
            destination,
            next_hop: from,
            hops,
        });
        self.flush(now, destination, Duration::ZERO, self.config.flush_spacing);
        if !mine {
            self.forward_reply(
                now,
                packet,
                Reply {
                    hop_count: hops,
                    ..reply
                },
            );
        }
    }

    fn forward_reply(&mut self, now: Instant, mut packet: Packet, reply: Reply) {
        let expires = now + self.config.active_route_timeout;
        let Some(back) = self
            .table
            .find_mut(reply.origin)
            .filter(|back| back.hop().is_some())
        else {
            return self.out.drop(packet, DropReason::NoRoute);
        };
        if packet.ttl == 0 {
            return self.out.drop(packet, DropReason::Ttl);
        }
        back.renew(expires, self.config.use_shortens_life);
        let Some(hop) = back.hop() else { return };
        packet.source = self.node;
        packet.body = Body::Aodv(Message::Reply(reply));
        let (origin, destination) = (reply.origin, reply.destination);
        self.out.note(RouterNote::ReplyForwarded {
            origin,
            destination,
        });
        self.out.send(packet, hop.next);
        if let Some(mut route) = self.table.find_entry(destination) {
            route.rest_mut().add_precursor(hop.next);
        }
    }
}

/// How long the way back lives at least that a request over so many hops has shown.
fn reverse_life(hops: u8, config: &AodvConfig) -> Duration {
    let life = config.reverse_route_life;
    if !config.reverse_life_counts_hops {
        return life;
    }
    life.saturating_sub(config.node_traversal_time * 2 * u64::from(hops))
}

/// How far the next request reaches; a network-wide one is counted.
fn next_ttl(route: &mut Entry<'_>, config: &AodvConfig) -> u8 {
    let known = route.last_ttl.max(route.last_hops);
    let ring = match known {
        0 => config.ttl_start,
        _ if known < config.ttl_threshold => known.saturating_add(config.ttl_increment),
        _ => NO_PATH,
    };
    if ring >= config.network_diameter {
        let rest = route.rest_mut();
        rest.wide_tries = rest.wide_tries.saturating_add(1);
    }
    ring.min(config.network_diameter)
}

/// How long the request just counted may take to be answered.
fn wait_for_reply(route: &Entry<'_>, ttl: u8, config: &AodvConfig) -> Duration {
    let tries = u64::from(route.wide_tries());
    let wait = match config.request_wait {
        RequestWait::Measured => route.time_per_hop(config) * 2 * u64::from(ttl) * tries.max(1),
        RequestWait::Traversal if tries == 0 => {
            config.node_traversal_time * 2 * (u64::from(ttl) + TIMEOUT_BUFFER)
        }
        RequestWait::Traversal => {
            let once = config.node_traversal_time * 2 * u64::from(config.network_diameter);
            once * (1 << (tries - 1).min(16))
        }
    };
    wait.min(config.longest_wait)
}

/// The route update rule: a newer number wins, then the shorter path (RFC 3561 §6.7).
fn is_better(route: &Route, sequence: Seq32, hops: u8, rule: SequenceRule) -> bool {
    let known = match (route.path(), rule) {
        (Path::Repairing(_), SequenceRule::Rfc3561) => NO_PATH,
        _ => route.hops(),
    };
    route.sequence.before(sequence) || (route.sequence == sequence && hops < known)
}
