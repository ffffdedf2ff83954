//! Broken links and unknown flows (RFC 4728 §3.4, §7.4): saving packets, and telling sources.

use super::carried::Carried;
use super::config::WithoutRoute;
use super::{Dsr, MESSAGE_TTL};
use crate::{DropReason, RouterNote};
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::dsr::{BrokenLink, Header, Route, UnknownFlow};
use acklab_wire::{Class, Packet};

/// How many errors one packet nests.
const MAX_ERRORS: usize = 3;

impl Dsr {
    /// See [`crate::Router::on_link_failure`].
    pub fn on_link_failure(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        if packet.class() != Class::Routing {
            self.out.note(RouterNote::LinkFailure { next_hop });
        }
        let Some(mut carried) = Carried::of(packet, self.config.header_sizes) else {
            return;
        };
        if carried.header.route.is_empty() {
            // In a flow: the route that it follows stands in the flow table.
            let ends = (carried.source, carried.destination);
            let id = carried.header.flow.map(|flow| flow.id);
            let Some(id) = id.or_else(|| self.flows.default_id(ends.0, ends.1)) else {
                return self.refuse_flow(now, carried, None);
            };
            let flow = self.flows.find(ends.0, ends.1, id);
            let Some(flow) = flow.filter(|flow| flow.expires >= now) else {
                // Its link is known to be broken already.
                return self.lose(carried, DropReason::LinkFailure);
            };
            carried.header.route = flow.route;
            carried.header.at = flow.place + 1;
        }
        self.break_link(now, carried, next_hop);
    }

    /// See [`crate::Router::on_reclaimed`].
    pub fn on_reclaimed(&mut self, now: Instant, packet: Packet) {
        if let Some(carried) = Carried::of(packet, self.config.header_sizes) {
            self.save(now, carried);
        }
    }

    fn break_link(&mut self, now: Instant, carried: Carried, next_hop: NodeId) {
        let header = &carried.header;
        let place = usize::from(header.at).saturating_sub(1);
        if header.request.is_some() || place + 1 >= header.route.len() {
            return self.lose(carried, DropReason::LinkFailure);
        }
        let whole = header.route;
        let (tell, to) = (whole[0], whole[place + 1]);
        let mut errors = header.errors.clone();
        self.forget_link(now, self.node, to);
        self.save(now, carried);
        self.out.reclaim_queue(next_hop);
        if tell == self.node || errors.len() >= MAX_ERRORS {
            return;
        }
        let from = self.node;
        errors.push(BrokenLink { tell, from, to });
        let mut header = Header::new();
        header.errors = errors;
        let mut back = whole;
        back.truncate(place + 1);
        self.out.note(RouterNote::ErrorSent { destinations: 1 });
        let error = self.message(tell, MESSAGE_TTL, header);
        self.send(now, error, back.reversed(), 0, Duration::ZERO);
    }

    fn forget_link(&mut self, now: Instant, from: NodeId, to: NodeId) {
        self.cache.cut(from, to);
        self.flows.cut(now, self.node, from, to);
    }

    /// A packet cannot go where it was to go: finds another way for it, or lets it wait.
    fn save(&mut self, now: Instant, mut carried: Carried) {
        carried.header.flow = None;
        carried.header.establishes_flow = false;
        let broken = self.next_on_route(&carried);
        carried.header.route = Route::EMPTY;
        carried.header.at = 0;
        if carried.source == self.node {
            return self.find_way(now, carried);
        }
        if carried.header.salvaged >= self.config.salvages {
            return self.lose(carried, DropReason::NoRoute);
        }
        let Some(route) = self.cache.find(carried.destination, false) else {
            return match self.config.without_route {
                WithoutRoute::Waits => self.wait(now, carried),
                WithoutRoute::Drops => self.lose(carried, DropReason::NoRoute),
            };
        };
        if let (Some(to), Some(reply)) = (broken, &carried.header.reply)
            && uses_link(reply, self.node, to)
        {
            // The reply would spread the very link that has just broken.
            carried.header.reply = None;
            if carried.data.is_none() && carried.header.errors.is_empty() {
                return self.lose(carried, DropReason::LinkFailure);
            }
        }
        carried.header.salvaged += 1;
        self.out.note(RouterNote::Salvaged {
            destination: carried.destination,
        });
        self.send(now, carried, route, 0, Duration::ZERO);
    }

    /// The node that the packet was to reach next.
    fn next_on_route(&self, carried: &Carried) -> Option<NodeId> {
        let at = usize::from(carried.header.at);
        carried.header.route.get(at).copied()
    }

    /// Errors are heard, whoever they are for: their links are forgotten. The innermost is for the
    /// node that it tells, which passes the rest on.
    pub(super) fn hear_errors(&mut self, now: Instant, carried: &Carried) {
        for link in &carried.header.errors {
            self.forget_link(now, link.from, link.to);
        }
        let Some(last) = carried.header.errors.last() else {
            return;
        };
        if last.tell != self.node {
            return;
        }
        self.told = Some((now, last.from, last.to));
        let mut errors = carried.header.errors.clone();
        errors.pop();
        if let Some(tell) = errors.last().map(|link| link.tell) {
            let mut header = Header::new();
            header.errors = errors;
            let error = self.message(tell, MESSAGE_TTL, header);
            self.find_way(now, error);
        }
    }

    /// A packet came without a source route in a flow that is not known here.
    pub(super) fn refuse_flow(&mut self, now: Instant, carried: Carried, id: Option<u16>) {
        let (source, destination) = (carried.source, carried.destination);
        if source == self.node {
            return self.lose(carried, DropReason::NoRoute);
        }
        let mut unknown_flows = carried.header.unknown_flows.clone();
        self.save(now, carried);
        if unknown_flows.len() >= MAX_ERRORS {
            return;
        }
        unknown_flows.push(UnknownFlow {
            source,
            destination,
            id,
        });
        let mut header = Header::new();
        header.unknown_flows = unknown_flows;
        let message = self.message(source, MESSAGE_TTL, header);
        self.find_way(now, message);
    }

    /// A node does not know a flow of this one: its next packets show the source route again.
    pub(super) fn hear_unknown_flows(&mut self, now: Instant, carried: &Carried) {
        let mut unknown_flows = carried.header.unknown_flows.clone();
        let Some(unknown) = unknown_flows.pop() else {
            return;
        };
        if unknown.source != self.node {
            return;
        }
        let default = self.flows.default_id(unknown.source, unknown.destination);
        if let Some(id) = unknown.id.or(default)
            && let Some(flow) = self.flows.find(unknown.source, unknown.destination, id)
        {
            flow.shown = 0;
        }
        if let Some(next) = unknown_flows.last().map(|flow| flow.source) {
            let mut header = Header::new();
            header.unknown_flows = unknown_flows;
            let message = self.message(next, MESSAGE_TTL, header);
            self.find_way(now, message);
        }
    }
}

/// Whether a route passes a link, in either direction.
fn uses_link(route: &Route, one: NodeId, other: NodeId) -> bool {
    let mut links = route.windows(2);
    links.any(|link| link == [one, other] || link == [other, one])
}
