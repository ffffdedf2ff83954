//! Static routing: next hops that are computed once, before the run, and never change.
//!
//! It sends no message and reacts to no failure, which is what makes it the ablation of every
//! dynamic protocol. The one invariant: on a graph that does not change, the next hops of all nodes
//! for one destination form a tree towards it.

use crate::outbox::Outbox;
use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::NodeId;
use acklab_wire::{Class, Packet};
use std::collections::VecDeque;

/// The hops that a packet may travel unless the scenario says otherwise: the largest IP TTL, so
/// that no chain is too long.
pub const DEFAULT_TTL: u8 = u8::MAX;

/// For each destination (the index) the neighbour to send to; `None` where no path leads.
pub type NextHops = Box<[Option<NodeId>]>;

/// The length of a shortest path from each node to `destination`; `None` where there is none.
///
/// `adjacency[u]` lists the nodes that hear `u`. Links may be one-way.
#[must_use]
pub fn hop_distances(adjacency: &[Vec<NodeId>], destination: NodeId) -> Vec<Option<u32>> {
    distances(&reversed(adjacency), destination)
}

/// The next hops of every node (the index) along shortest paths. Of several neighbours on
/// shortest paths, the one with the lowest id is taken.
#[must_use]
pub fn shortest_paths(adjacency: &[Vec<NodeId>]) -> Vec<NextHops> {
    let heard_from = reversed(adjacency);
    let all = || (0..adjacency.len() as u32).map(NodeId);
    // One column for each destination, then one row for each node.
    let columns: Vec<_> = all()
        .map(|destination| distances(&heard_from, destination))
        .collect();
    let towards = |node: NodeId, hops: &[Option<u32>]| {
        let own = hops[node.index()].filter(|&own| own > 0)?;
        let neighbours = adjacency[node.index()].iter();
        neighbours
            .filter(|neighbour| hops[neighbour.index()] == Some(own - 1))
            .min()
            .copied()
    };
    all()
        .map(|node| columns.iter().map(|hops| towards(node, hops)).collect())
        .collect()
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

/// A router with fixed next hops.
#[derive(Clone, Debug)]
pub struct StaticRouter {
    node: NodeId,
    next_hops: NextHops,
    /// Next hops of TCP ACKs that take a path of their own, by source and destination.
    acks: Vec<(NodeId, NodeId, NodeId)>,
    ttl: u8,
    out: Outbox,
}

impl StaticRouter {
    /// A router on `node`. `next_hops` is the node's row of [`shortest_paths`]; packets made here
    /// may travel `ttl` hops.
    #[must_use]
    pub fn new(node: NodeId, next_hops: NextHops, ttl: u8) -> Self {
        Self {
            node,
            next_hops,
            acks: Vec::new(),
            ttl,
            out: Outbox::default(),
        }
    }

    /// TCP ACKs from `source` to `destination` leave here to `next_hop`, whatever the shortest path.
    pub fn send_acks_to(&mut self, source: NodeId, destination: NodeId, next_hop: NodeId) {
        self.acks.push((source, destination, next_hop));
    }

    /// See [`crate::Router::on_packet`].
    pub fn on_packet(&mut self, mut packet: Packet, from: Option<NodeId>) {
        match self.decide(&mut packet, from) {
            Step::Send(next_hop) => self.out.send(packet, next_hop),
            Step::Deliver => self.out.deliver(packet),
            Step::Drop(reason) => self.out.drop(packet, reason),
        }
    }

    /// What becomes of a packet, at once: nothing here ever waits, so the way through
    /// [`StaticRouter::poll`] can be saved. The packet's TTL is set.
    #[inline]
    pub fn decide(&self, packet: &mut Packet, from: Option<NodeId>) -> Step {
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
        match self.own_way(packet).or(self.next_hop(packet.destination)) {
            Some(next_hop) => Step::Send(next_hop),
            None => Step::Drop(DropReason::NoRoute),
        }
    }

    /// See [`crate::Router::on_link_failure`]: the packet is lost, the route stays.
    pub fn on_link_failure(&mut self, packet: Packet, next_hop: NodeId) {
        if packet.class() != Class::Routing {
            self.out.note(RouterNote::LinkFailure { next_hop });
        }
        self.out.drop(packet, DropReason::LinkFailure);
    }

    /// See [`crate::Router::poll`].
    pub fn poll(&mut self) -> Option<RouterOutput> {
        self.out.poll()
    }

    fn own_way(&self, packet: &Packet) -> Option<NodeId> {
        if self.acks.is_empty() || packet.class() != Class::TcpAck {
            return None;
        }
        let ends = (packet.source, packet.destination);
        let mut known = self.acks.iter();
        known
            .find(|&&(source, destination, _)| (source, destination) == ends)
            .map(|&(_, _, next_hop)| next_hop)
    }

    /// The fixed next hop.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.next_hops.get(destination.index()).copied().flatten()
    }
}
