//! Putting routes into packets, and passing packets on (RFC 4728 §3.1, §7).

use super::Dsr;
use super::carried::Carried;
use super::flows::Flow;
use crate::DropReason;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::dsr::{FlowHeader, Route};

impl Dsr {
    /// Sends a packet along `route`, in which this node has place `at`, after `delay`.
    pub(super) fn send(
        &mut self,
        now: Instant,
        mut carried: Carried,
        route: Route,
        at: u8,
        delay: Duration,
    ) {
        carried.header.route = route;
        carried.header.at = at;
        let header = &carried.header;
        let begins_here = carried.source == self.node && at == 0;
        let is_request = header.request.is_some();
        let is_plain = !is_request && header.errors.is_empty() && header.reply.is_none();
        if !is_request && usize::from(at) + 1 >= route.len() {
            return self.lose(carried, DropReason::NoRoute);
        }
        let (next_hop, delay) = if self.config.flow_state && begins_here && is_plain {
            (self.send_in_flow(now, &mut carried), delay)
        } else if is_request {
            let jitter = self.jitter.interval_below(self.config.broadcast_jitter);
            (NodeId::BROADCAST, delay + jitter)
        } else {
            carried.header.at += 1;
            (route[usize::from(at) + 1], delay)
        };
        let packet = carried.pack(self.config.header_sizes);
        self.out.send_after(now, delay, packet, next_hop);
    }

    /// Sends a packet of this node in a flow: the first packets show the source route, and one from
    /// time to time later; the others need at most the flow's number.
    fn send_in_flow(&mut self, now: Instant, carried: &mut Carried) -> NodeId {
        let ends = (carried.source, carried.destination);
        let lifetime = self.config.flow_timeout;
        let default = self.flows.default_id(ends.0, ends.1);
        // A default flow is kept as long as no shorter route is known.
        if let Some(id) = default
            && let Some(flow) = self.flows.find(ends.0, ends.1, id)
            && flow.expires >= now
            && flow.route.len() <= carried.header.route.len()
        {
            carried.header.route = flow.route;
        }
        let route = carried.header.route;
        let known = self.flows.find_route(ends.0, ends.1, &route);
        if known.is_none_or(|flow| flow.expires < now) {
            let id = self.flows.new_id();
            self.flows.add(Flow {
                source: ends.0,
                destination: ends.1,
                id,
                next_hop: route[1],
                route,
                place: 0,
                ttl: carried.ttl,
                expires: now,
                shown: 0,
                shown_at: now,
                may_be_default: true,
            });
        }
        let default = self.flows.default_id(ends.0, ends.1);
        let Some(flow) = self.flows.find_route(ends.0, ends.1, &route) else {
            return route[1];
        };
        let header = &mut carried.header;
        let stale = flow.shown_at + self.config.flow_refresh < now;
        if flow.shown < self.config.flow_establishing || stale {
            flow.may_be_default &= flow.ttl == carried.ttl;
            flow.shown += 1;
            flow.shown_at = now;
            header.establishes_flow = true;
            header.at += 1;
        } else {
            header.establishes_flow = false;
            header.route = Route::EMPTY;
            header.at = 0;
        }
        flow.expires = now + lifetime;
        let as_default = default == Some(flow.id)
            && header.route.is_empty()
            && flow.ttl == carried.ttl
            && flow.may_be_default;
        header.flow = (!as_default).then_some(FlowHeader {
            id: flow.id,
            hops: 1,
        });
        flow.next_hop
    }

    /// Passes on a packet of another node.
    pub(super) fn forward(&mut self, now: Instant, mut carried: Carried) {
        let header = &carried.header;
        if header.route.is_empty() {
            return self.forward_in_flow(now, carried);
        }
        let (route, at) = (header.route, header.at);
        if header.flow.is_some() && header.establishes_flow {
            self.remember_flow(now, &mut carried);
        }
        if route.get(usize::from(at)) != Some(&self.node) {
            return self.lose(carried, DropReason::NoRoute);
        }
        self.cache.notice(&route, usize::from(at));
        if carried.ttl == 0 {
            return self.lose(carried, DropReason::Ttl);
        }
        carried.ttl -= 1;
        self.send(now, carried, route, at, Duration::ZERO);
    }

    /// A packet with a source route establishes its flow here.
    fn remember_flow(&mut self, now: Instant, carried: &mut Carried) {
        let Some(flow) = &mut carried.header.flow else {
            return;
        };
        let (id, place) = (flow.id, flow.hops);
        flow.hops = flow.hops.saturating_add(1);
        let route = carried.header.route;
        let next = usize::from(carried.header.at) + 1;
        let known = self.flows.find(carried.source, carried.destination, id);
        if known.is_some() || next >= route.len() {
            return;
        }
        self.flows.add(Flow {
            source: carried.source,
            destination: carried.destination,
            id,
            next_hop: route[next],
            route,
            place,
            ttl: carried.ttl,
            expires: now + self.config.flow_timeout,
            shown: 0,
            shown_at: now,
            may_be_default: false,
        });
    }

    /// A packet without a source route follows its flow.
    fn forward_in_flow(&mut self, now: Instant, mut carried: Carried) {
        let ends = (carried.source, carried.destination);
        let by_number = carried.header.flow.map(|flow| flow.id);
        let Some(id) = by_number.or_else(|| self.flows.default_id(ends.0, ends.1)) else {
            return self.refuse_flow(now, carried, None);
        };
        let lifetime = self.config.flow_timeout;
        let Some(flow) = self.flows.find(ends.0, ends.1, id) else {
            return self.refuse_flow(now, carried, Some(id));
        };
        if by_number.is_none() && carried.ttl != flow.ttl {
            return self.refuse_flow(now, carried, None);
        }
        flow.expires = now + lifetime;
        let (next_hop, route, place) = (flow.next_hop, flow.route, flow.place);
        if let Some(header) = &mut carried.header.flow {
            header.hops = header.hops.saturating_add(1);
        }
        if carried.ttl == 0 {
            return self.lose(carried, DropReason::Ttl);
        }
        carried.ttl -= 1;
        if let Some(hops) = self.early.take((carried.source, carried.id), id) {
            self.shorten_flow(now, &carried, &route, place, hops);
        }
        let packet = carried.pack(self.config.header_sizes);
        self.out.send(packet, next_hop);
    }
}
