//! Flow state (RFC 4728 §7): what nodes remember about flows, so that their packets need no source
//! route.
//!
//! The one invariant: a flow is named by source, destination and a number that its source gives out;
//! the newest odd number is the default flow of the two.

use acklab_base::{Instant, NodeId};
use acklab_wire::dsr::Route;

/// A flow as one node knows it.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) source: NodeId,
    pub(super) destination: NodeId,
    pub(super) id: u16,
    pub(super) next_hop: NodeId,
    /// The source route, and this node's place in it.
    pub(super) route: Route,
    pub(super) place: u8,
    /// The TTL that packets of the flow arrive with here.
    pub(super) ttl: u8,
    pub(super) expires: Instant,
    /// At the source: packets that showed the source route.
    pub(super) shown: u32,
    /// At the source: when one did so last.
    pub(super) shown_at: Instant,
    /// At the source: whether all packets had the TTL that the nodes expect.
    pub(super) may_be_default: bool,
}

/// The flows that a node knows.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowTable {
    flows: Vec<Flow>,
    /// Source, destination, number of the default flow.
    defaults: Vec<(NodeId, NodeId, u16)>,
    next_id: u16,
}

impl FlowTable {
    /// A number for a new default flow: an odd one.
    pub(super) fn new_id(&mut self) -> u16 {
        let id = self.next_id | 1;
        self.next_id = id.wrapping_add(1);
        id
    }

    pub(super) fn add(&mut self, flow: Flow) -> &mut Flow {
        if flow.id % 2 == 1 {
            let ends = (flow.source, flow.destination);
            let known = self
                .defaults
                .iter_mut()
                .find(|(source, destination, _)| (*source, *destination) == ends);
            match known {
                // Numbers are compared on a circle.
                Some((.., id)) if (flow.id.wrapping_sub(*id) as i16) > 0 => *id = flow.id,
                Some(_) => {}
                None => self.defaults.push((ends.0, ends.1, flow.id)),
            }
        }
        self.flows.push(flow);
        let last = self.flows.len() - 1;
        &mut self.flows[last]
    }

    /// The number of the default flow of these two.
    pub(super) fn default_id(&self, source: NodeId, destination: NodeId) -> Option<u16> {
        let known = self.defaults.iter();
        known
            .filter(|entry| (entry.0, entry.1) == (source, destination))
            .map(|entry| entry.2)
            .next()
    }

    pub(super) fn find(
        &mut self,
        source: NodeId,
        destination: NodeId,
        id: u16,
    ) -> Option<&mut Flow> {
        self.flows
            .iter_mut()
            .rev()
            .find(|flow| (flow.source, flow.destination, flow.id) == (source, destination, id))
    }

    pub(super) fn find_route(
        &mut self,
        source: NodeId,
        destination: NodeId,
        route: &Route,
    ) -> Option<&mut Flow> {
        self.flows.iter_mut().rev().find(|flow| {
            (flow.source, flow.destination) == (source, destination) && flow.route == *route
        })
    }

    /// A link is broken: the flows that `node` sends over it end.
    pub(super) fn cut(&mut self, now: Instant, node: NodeId, from: NodeId, to: NodeId) {
        let ended = Instant::from_nanos(now.as_nanos().saturating_sub(1_000_000_000));
        for flow in &mut self.flows {
            let uses = || flow.route.windows(2).any(|link| link == [from, to]);
            if flow.source == node && flow.expires >= now && uses() {
                flow.expires = ended;
            }
        }
    }
}

/// Packets that were overheard before their time: by how many hops the route could be shorter.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    heard: [Option<Heard>; 5],
    victim: usize,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    packet: (NodeId, u32),
    flow: u16,
    hops: u8,
}

impl Early {
    pub(super) fn note(&mut self, packet: (NodeId, u32), flow: u16, hops: u8) {
        let heard = Some(Heard { packet, flow, hops });
        let count = self.heard.len();
        let free = (0..count)
            .map(|step| (self.victim + step) % count)
            .find(|&place| self.heard[place].is_none());
        let place = free.unwrap_or(self.victim);
        if free.is_none() {
            self.victim = (self.victim + 1) % count;
        }
        self.heard[place] = heard;
    }

    /// By how many hops a packet of a flow was early; forgets it.
    pub(super) fn take(&mut self, packet: (NodeId, u32), flow: u16) -> Option<u8> {
        let place = self
            .heard
            .iter()
            .position(|heard| heard.is_some_and(|heard| heard.packet == packet))?;
        self.heard[place]
            .take()
            .filter(|heard| heard.flow == flow)
            .map(|heard| heard.hops)
    }
}
