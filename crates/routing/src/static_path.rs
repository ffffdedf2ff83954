//! Static routing: next hops along the shortest paths of a graph that never changes.
//!
//! It sends no message and reacts to no failure, which is what makes it the ablation of every
//! dynamic protocol. The one invariant: on a graph that does not change, the next hops of all nodes
//! for one destination form a tree towards it.

use crate::outbox::Outbox;
use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::NodeId;
use acklab_wire::{Class, Packet};
use std::collections::VecDeque;
use std::sync::Arc;

/// The hops that a packet may travel unless the scenario says otherwise: the largest IP TTL, so
/// that no chain is too long.
pub const DEFAULT_TTL: u8 = u8::MAX;

/// Who hears whom, as all routers with fixed next hops share it.
#[derive(Debug)]
pub struct Graph {
    hears: Rows,
    /// The other way round, where that is not the same.
    heard_from: Option<Rows>,
}

/// Some nodes for each node, one after the other.
#[derive(PartialEq, Eq, Debug)]
struct Rows {
    ends: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Rows {
    fn new(lists: &[Vec<NodeId>]) -> Self {
        let mut rows = Self {
            ends: Vec::with_capacity(lists.len()),
            nodes: Vec::with_capacity(lists.iter().map(Vec::len).sum()),
        };
        for list in lists {
            rows.nodes.extend_from_slice(list);
            rows.ends.push(rows.nodes.len() as u32);
        }
        rows
    }

    fn of(&self, node: NodeId) -> &[NodeId] {
        let index = node.index();
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[start as usize..self.ends[index] as usize]
    }
}

impl Graph {
    /// `adjacency[u]` lists the nodes that hear `u`. Links may be one-way.
    #[must_use]
    pub fn new(adjacency: &[Vec<NodeId>]) -> Self {
        let hears = Rows::new(adjacency);
        let reversed = Rows::new(&reversed(adjacency));
        Self {
            heard_from: (reversed != hears).then_some(reversed),
            hears,
        }
    }

    /// The neighbour of `node` on a shortest path to `destination`, of several the one with the
    /// lowest id; `None` where no path leads, and at the destination.
    #[must_use]
    pub fn next_hop(&self, node: NodeId, destination: NodeId) -> Option<NodeId> {
        let heard_from = self.heard_from.as_ref().unwrap_or(&self.hears);
        let mut seen = Marks::new(self.hears.ends.len());
        seen.mark(destination);
        if node == destination {
            return None;
        }
        // All nodes that are so many hops from the destination, and then those one hop further.
        let (mut near, mut far) = (vec![destination], Vec::new());
        while !near.is_empty() {
            for reached in &near {
                let heard_from = heard_from.of(*reached).iter();
                far.extend(heard_from.filter(|&&previous| seen.mark(previous)));
            }
            if far.contains(&node) {
                let neighbours = self.hears.of(node).iter();
                return neighbours.filter(|hop| near.contains(hop)).min().copied();
            }
            std::mem::swap(&mut near, &mut far);
            far.clear();
        }
        None
    }
}

/// A mark for each node or none, in a bit: a search marks few of the nodes of a large network, and
/// must not cost what it takes to clear a list of them.
struct Marks(Vec<u64>);

impl Marks {
    fn new(nodes: usize) -> Self {
        Self(vec![0; nodes.div_ceil(64)])
    }

    /// Marks a node; returns whether it had no mark.
    fn mark(&mut self, node: NodeId) -> bool {
        let (word, bit) = (&mut self.0[node.index() / 64], 1 << (node.index() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// One node's fixed next hops along shortest paths. A destination is looked up in the graph when
/// the first packet for it comes: of the nodes of a large network a router meets few.
#[derive(Clone, Debug)]
pub struct NextHops {
    node: NodeId,
    graph: Arc<Graph>,
    /// What was looked up, by destination.
    known: Vec<(NodeId, Option<NodeId>)>,
}

impl NextHops {
    /// Those of `node`.
    #[must_use]
    pub const fn new(node: NodeId, graph: Arc<Graph>) -> Self {
        Self {
            node,
            graph,
            known: Vec::new(),
        }
    }

    /// The next hop towards `destination`, kept from now on.
    #[inline]
    pub fn towards(&mut self, destination: NodeId) -> Option<NodeId> {
        let known = &self.known;
        match known.binary_search_by_key(&destination, |&(known, _)| known) {
            Ok(place) => known[place].1,
            Err(place) => self.learn(place, destination),
        }
    }

    /// The same for observers, who leave no trace.
    #[must_use]
    pub fn peek(&self, destination: NodeId) -> Option<NodeId> {
        self.graph.next_hop(self.node, destination)
    }

    #[cold]
    fn learn(&mut self, place: usize, destination: NodeId) -> Option<NodeId> {
        let next_hop = self.peek(destination);
        self.known.insert(place, (destination, next_hop));
        next_hop
    }
}

/// The length of a shortest path from each node to `destination`; `None` where there is none.
///
/// `adjacency[u]` lists the nodes that hear `u`. Links may be one-way.
#[must_use]
pub fn hop_distances(adjacency: &[Vec<NodeId>], destination: NodeId) -> Vec<Option<u32>> {
    distances(&reversed(adjacency), destination)
}

/// For each node, the nodes that it hears.
fn reversed(adjacency: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let mut heard_from = vec![Vec::new(); adjacency.len()];
    for (node, neighbours) in adjacency.iter().enumerate() {
        for neighbour in neighbours {
            heard_from[neighbour.index()].push(NodeId(node as u32));
        }
    }
    heard_from
}

/// Breadth-first search against the direction of the links.
fn distances(heard_from: &[Vec<NodeId>], destination: NodeId) -> Vec<Option<u32>> {
    let mut hops = vec![None; heard_from.len()];
    let mut frontier = VecDeque::from([(destination, 0_u32)]);
    hops[destination.index()] = Some(0);
    while let Some((node, distance)) = frontier.pop_front() {
        for &previous in &heard_from[node.index()] {
            if hops[previous.index()].is_none() {
                hops[previous.index()] = Some(distance + 1);
                frontier.push_back((previous, distance + 1));
            }
        }
    }
    hops
}

/// What becomes of a packet at a router with fixed next hops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It goes to this neighbour, or to all of them.
    Send(NodeId),
    /// It has arrived.
    Deliver,
    /// It is lost here.
    Drop(DropReason),
}

/// Next hops of packets with a path of their own, by source and destination.
type OwnWays = Vec<(NodeId, NodeId, NodeId)>;

/// A router with fixed next hops.
#[derive(Clone, Debug)]
pub struct StaticRouter {
    node: NodeId,
    next_hops: NextHops,
    /// Those of TCP ACKs.
    acks: Option<Box<OwnWays>>,
    ttl: u8,
    /// While something does not go its way at once.
    out: Option<Box<Outbox>>,
}

impl StaticRouter {
    /// A router on the node whose next hops these are; packets made here may travel `ttl` hops.
    #[must_use]
    pub fn new(next_hops: NextHops, ttl: u8) -> Self {
        Self {
            node: next_hops.node,
            next_hops,
            acks: None,
            ttl,
            out: None,
        }
    }

    /// Whether it remembers nothing of packets that came.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.next_hops.known.is_empty() && self.acks.is_none() && self.out.is_none()
    }

    /// TCP ACKs from `source` to `destination` leave here to `next_hop`, whatever the shortest path.
    pub fn send_acks_to(&mut self, source: NodeId, destination: NodeId, next_hop: NodeId) {
        let acks = self.acks.get_or_insert_default();
        acks.push((source, destination, next_hop));
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, mut packet: Packet, from: Option<NodeId>) {
        let step = self.decide(&mut packet, from);
        let out = &mut **self.out.get_or_insert_default();
        match step {
            Step::Send(next_hop) => out.send(packet, next_hop),
            Step::Deliver => out.deliver(packet),
            Step::Drop(reason) => out.drop(packet, reason),
        }
    }

    /// What becomes of a packet, at once: nothing here ever waits, so the way through
    /// [`StaticRouter::poll`] can be saved. The packet's TTL is set.
    #[inline]
    pub fn decide(&mut self, packet: &mut Packet, from: Option<NodeId>) -> Step {
        if packet.destination == self.node {
            return Step::Deliver;
        }
        if packet.destination.is_broadcast() {
            return match from {
                None => Step::Send(NodeId::BROADCAST),
                Some(_) => Step::Deliver,
            };
        }
        if from.is_none() {
            packet.ttl = self.ttl;
        } else if packet.source == self.node {
            return Step::Drop(DropReason::Loop);
        } else {
            packet.ttl = packet.ttl.saturating_sub(1);
        }
        if packet.ttl == 0 {
            return Step::Drop(DropReason::Ttl);
        }
        match self.way(packet) {
            Some(next_hop) => Step::Send(next_hop),
            None => Step::Drop(DropReason::NoRoute),
        }
    }

    /// The next hop. See [`crate::Router::pass_on`].
    #[inline]
    pub fn way(&mut self, packet: &Packet) -> Option<NodeId> {
        let own = self.own_way(packet);
        own.or_else(|| self.next_hops.towards(packet.destination))
    }

    /// See [`crate::Router::on_link_failure`]: the packet is lost, the route stays.
    pub fn on_link_failure(&mut self, packet: Packet, next_hop: NodeId) {
        let out = &mut **self.out.get_or_insert_default();
        if packet.class() != Class::Routing {
            out.note(RouterNote::LinkFailure { next_hop });
        }
        out.drop(packet, DropReason::LinkFailure);
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        let output = self.out.as_mut()?.poll();
        if output.is_none() {
            self.out = None;
        }
        output
    }

    fn own_way(&self, packet: &Packet) -> Option<NodeId> {
        let acks = self.acks.as_ref()?;
        if packet.class() != Class::TcpAck {
            return None;
        }
        let ends = (packet.source, packet.destination);
        let mut known = acks.iter();
        known
            .find(|&&(source, destination, _)| (source, destination) == ends)
            .map(|&(_, _, next_hop)| next_hop)
    }

    /// The fixed next hop.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.next_hops.peek(destination)
    }
}
