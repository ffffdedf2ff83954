//! What a node learns from packets for others (RFC 4728 §3.3.1, §3.4.3): routes in use, broken links,
//! and routes that could be shorter.

use super::carried::Carried;
use super::{Dsr, MESSAGE_TTL};
use crate::RouterNote;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::Packet;
use acklab_wire::dsr::{Header, Route};

/// Packets that were overheard lately, each kept under the last bits of its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Overheard {
    seen: Vec<Option<(NodeId, u32)>>,
}

const OVERHEARD: usize = 1024;

impl Overheard {
    /// Notes a packet; says whether it is new.
    fn is_new(&mut self, packet: (NodeId, u32)) -> bool {
        self.seen.resize(OVERHEARD, None);
        let mixed = packet.1.wrapping_add(packet.0.0.wrapping_mul(0x9E37_79B1));
        let place = &mut self.seen[mixed as usize % OVERHEARD];
        place.replace(packet) != Some(packet)
    }
}

/// Routes whose shortening was reported lately.
#[derive(Clone, Debug)]
pub(super) struct Holds {
    entries: [(Option<Instant>, Route); 10],
    next: usize,
    misplaced: bool,
}

impl Holds {
    pub(super) const fn new(misplaced: bool) -> Self {
        Self {
            entries: [(None, Route::EMPTY); 10],
            next: 0,
            misplaced,
        }
    }

    /// Whether a shortening of `route` may be reported now; notes that it is.
    fn permits(&mut self, now: Instant, route: &Route, hold: Duration) -> bool {
        if let Some(known) = self.entries.iter_mut().find(|entry| entry.1 == *route) {
            if known.0.is_some_and(|at| now.saturating_since(at) < hold) {
                return false;
            }
            known.0 = Some(now);
            return true;
        }
        let place = self.next;
        self.next = (self.next + 1) % self.entries.len();
        self.entries[place].1 = *route;
        let noted = if self.misplaced { self.next } else { place };
        self.entries[noted].0 = Some(now);
        true
    }
}

impl Dsr {
    /// See [`crate::Router::on_overheard`].
    pub fn on_overheard(&mut self, now: Instant, packet: &Packet) {
        if !self.config.overhears || packet.destination.is_broadcast() {
            return;
        }
        let Some(carried) = Carried::of(packet.clone(), self.config.header_sizes) else {
            return;
        };
        let header = &carried.header;
        if header.route.is_empty() {
            return self.hear_flow(&carried);
        }
        let (route, at) = (header.route, usize::from(header.at));
        let for_me = route.get(at) == Some(&self.node);
        if for_me || carried.source == self.node {
            return;
        }
        if !self.overheard.is_new((carried.source, carried.id)) {
            return;
        }
        if !header.errors.is_empty() {
            self.hear_errors(now, &carried);
        }
        if let Some(reply) = &header.reply {
            self.cache.notice(reply, 0);
        }
        if header.request.is_some() {
            return;
        }
        self.cache.notice(&route, at);
        if carried.data.is_none() {
            return;
        }
        // The packet will come here later: the nodes in between may be left out.
        let later = route
            .iter()
            .skip(at + 1)
            .position(|&node| node == self.node);
        if let Some(steps) = later {
            self.report_shorter(now, &route, at, at + 1 + steps);
        }
    }

    /// A packet of a flow was overheard: if it comes here later, the route could be shorter.
    fn hear_flow(&mut self, carried: &Carried) {
        let ends = (carried.source, carried.destination);
        let by_number = carried.header.flow;
        let id = by_number.map(|flow| flow.id);
        let Some(id) = id.or_else(|| self.flows.default_id(ends.0, ends.1)) else {
            return;
        };
        let Some(flow) = self.flows.find(ends.0, ends.1, id) else {
            return;
        };
        let early = match by_number {
            Some(heard) => flow.place.saturating_sub(heard.hops),
            None => carried.ttl.saturating_sub(flow.ttl),
        };
        if early > 0 && usize::from(early) <= flow.route.len() {
            self.early.note((carried.source, carried.id), id, early);
        }
    }

    /// A packet of a flow was overheard `early` hops before it came here.
    pub(super) fn shorten_flow(
        &mut self,
        now: Instant,
        carried: &Carried,
        route: &Route,
        place: u8,
        early: u8,
    ) {
        if self.config.shortens_flows && carried.header.salvaged == 0 && place > early {
            let (heard, here) = (usize::from(place - early), usize::from(place));
            self.report_shorter(now, route, heard, here);
        }
    }

    /// Tells the source of `route` that the nodes from place `heard` to before place `here`, which is
    /// this node, may be left out.
    fn report_shorter(&mut self, now: Instant, route: &Route, heard: usize, here: usize) {
        let hold = self.config.shortening_hold;
        if heard == 0 || !self.holds.permits(now, route, hold) {
            return;
        }
        let mut shorter = Route::of(&route[..heard]);
        for &node in &route[here..] {
            shorter.push(node);
        }
        let mut back = Route::of(&route[..heard]);
        back.push(self.node);
        let back = back.reversed();
        self.cache.add(&back);
        self.out.note(RouterNote::ReplySent {
            origin: route[0],
            destination: route[route.len() - 1],
            from_table: true,
        });
        let mut header = Header::new();
        header.reply = Some(shorter);
        let reply = self.message(route[0], MESSAGE_TTL, header);
        self.send(now, reply, back, 0, Duration::ZERO);
    }
}
