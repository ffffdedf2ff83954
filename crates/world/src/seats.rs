//! Where the station, the ear and the stack of each node stand.
//!
//! Mostly each has the place of its number. Where routes are fixed and many hear each frame, most nodes only
//! listen from the beginning to the end: such a node has no place, and what it heard is kept in few bytes.
//! Invariants: a node without a place stands by ([`crate::crowd`]); one that takes a place finds there what
//! it would have if it had had one all along; and an end of a flow always has one.

use crate::RunOptions;
use crate::convert;
use crate::ear::Ear;
use crate::stack::Stack;
use crate::station::Station;
use crate::world::World;
use acklab_base::{Address, NodeId, Purpose};
use acklab_mac::dcf::Plan;
use acklab_mac::{Dcf, InterfaceQueue, LinkConfig, LinkLayer, Neighbours, PackedNeighbours};
use acklab_radio::Receiver;
use acklab_radio::receiver::Rules;
use acklab_routing::static_path::DEFAULT_TTL;
use acklab_routing::{Graph, NextHops, Router, StaticRouter};
use acklab_scenario::Resolved;
use acklab_trace::Digest;
use std::sync::Arc;

/// The place of a node that has none.
const NONE: u32 = u32::MAX;

/// What all stations are built of.
#[derive(Debug)]
pub(crate) struct StationKit {
    plan: Arc<Plan>,
    rules: Rules,
    overhears: bool,
    seed: u64,
    run: u32,
}

impl StationKit {
    pub(crate) fn new(resolved: &Resolved, overhears: bool, options: &RunOptions) -> Self {
        Self {
            plan: convert::dcf(&resolved.mac).into(),
            rules: convert::reception(resolved),
            overhears,
            seed: options.seed,
            run: options.run,
        }
    }

    /// The station of a node as the run begins.
    pub(crate) fn station(&self, node: NodeId) -> Station {
        let backoff = Address {
            seed: self.seed,
            run: self.run,
            node,
            purpose: Purpose::Backoff,
        };
        let mut dcf = Dcf::new(node, Arc::clone(&self.plan), backoff.open());
        dcf.set_has_more(false);
        if self.overhears {
            dcf.listen_to_all();
        }
        Station::new(Receiver::new(self.rules), dcf)
    }
}

/// What the stacks of nodes are built of whose next hops are fixed.
#[derive(Clone, Debug)]
pub(crate) struct StackKit {
    queue: InterfaceQueue,
    link: Arc<LinkConfig>,
    graph: Arc<Graph>,
}

impl StackKit {
    pub(crate) const fn new(
        queue: InterfaceQueue,
        link: Arc<LinkConfig>,
        graph: Arc<Graph>,
    ) -> Self {
        Self { queue, link, graph }
    }

    /// The stack of a node with a radio alone, of which this is remembered.
    pub(crate) fn stack(&self, node: NodeId, neighbours: Neighbours) -> Stack {
        let next_hops = NextHops::new(node, Arc::clone(&self.graph));
        let router = Router::Static(StaticRouter::new(next_hops, DEFAULT_TTL));
        let link = LinkLayer::knowing(node, Arc::clone(&self.link), neighbours);
        Stack::new(self.queue.clone(), link, router, Vec::new())
    }
}

/// The places of all nodes.
#[derive(Debug)]
pub(crate) struct Seats {
    /// By node; nothing if all have the place of their number.
    places: Vec<u32>,
    /// What is kept of nodes without a place, beside what is kept of all that stand by: what they heard, and whom they know.
    digests: Vec<Digest>,
    neighbours: Vec<PackedNeighbours>,
    /// Places that were given back.
    free: Vec<u32>,
    kits: Option<(StationKit, StackKit)>,
}

impl Seats {
    /// Each node has the place of its number.
    pub(crate) const fn fixed() -> Self {
        Self {
            places: Vec::new(),
            digests: Vec::new(),
            neighbours: Vec::new(),
            free: Vec::new(),
            kits: None,
        }
    }

    /// No node has a place yet, of so many.
    pub(crate) fn on_demand(nodes: usize, station: StationKit, stack: StackKit) -> Self {
        Self {
            places: vec![NONE; nodes],
            digests: vec![Digest::default(); nodes],
            neighbours: vec![PackedNeighbours::default(); nodes],
            free: Vec::new(),
            kits: Some((station, stack)),
        }
    }

    /// The place of a node; one that nothing has if it has none.
    #[inline(always)]
    pub(crate) fn of(&self, node: NodeId) -> usize {
        match self.places.get(node.index()) {
            Some(&place) => place as usize,
            None => node.index(),
        }
    }

    /// Whether a node has a place.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.of(node) != NONE as usize
    }

    /// The digest of what a node without a place heard.
    pub(crate) fn digest_away(&self, node: NodeId) -> Digest {
        let digest = self.digests.get(node.index());
        digest.copied().unwrap_or_default()
    }
}

impl World {
    /// A node gets a place, if it has none. To be called before it gets a part in something.
    #[inline]
    pub(crate) fn take_seat(&mut self, node: NodeId) {
        if !self.seats.has(node) {
            self.sit_down(node);
        }
    }

    /// The ends of flows have places from the beginning.
    pub(crate) fn seat_ends(&mut self) {
        for index in 0..self.flows.len() {
            let flow = &self.flows[index];
            let ends = [flow.from, flow.to];
            for end in ends {
                self.take_seat(end);
            }
        }
    }

    #[inline(never)]
    fn sit_down(&mut self, node: NodeId) {
        let seats = &mut self.seats;
        let Some((station_kit, stack_kit)) = &seats.kits else {
            return;
        };
        let neighbours = std::mem::take(&mut seats.neighbours[node.index()]);
        let mut station = station_kit.station(node);
        station.digest = seats.digests[node.index()];
        let stack = stack_kit.stack(node, neighbours.unpacked());
        let ear = Ear::new(true);
        if let Some(place) = seats.free.pop() {
            seats.places[node.index()] = place;
            let place = place as usize;
            (self.stations[place], self.ears[place]) = (station, ear);
            self.stacks[place] = stack;
        } else {
            seats.places[node.index()] = self.stations.len() as u32;
            self.stations.push(station);
            self.ears.push(ear);
            self.stacks.push(stack);
        }
    }

    /// A node that has begun to stand by gives its place away, if all that it remembers can be kept
    /// without it.
    pub(crate) fn give_seat(&mut self, node: NodeId) {
        if self.seats.kits.is_none() {
            return;
        }
        let place = self.seats.of(node);
        let (station, stack) = (&self.stations[place], &mut self.stacks[place]);
        if !station.dcf.is_new() || !stack.is_new() {
            return;
        }
        self.crowd.add_receiving(node, station.receiving.total());
        self.seats.digests[node.index()] = station.digest;
        self.seats.neighbours[node.index()] = stack.link.forget_neighbours().packed();
        self.seats.places[node.index()] = NONE;
        self.seats.free.push(place as u32);
    }
}
