//! Building the nodes of a network: stations, ears and stacks.

use crate::RunOptions;
use crate::assemble::overhears;
use crate::cells;
use crate::convert;
use crate::crowd::Crowd;
use crate::ear::Ear;
use crate::paths;
use crate::seats::{Seats, StackKit, StationKit};
use crate::stack::Stack;
use crate::station::Station;
use crate::wiring;
use acklab_base::{NodeId, Purpose, Stream};
use acklab_mac::{LinkConfig, LinkLayer, Neighbours};
use acklab_radio::Reach;
use acklab_routing::aodv::config::AodvConfig;
use acklab_routing::{Aodv, Dsdv, Dsr, Graph, NextHops, Router};
use acklab_scenario::{Resolved, Routing};
use std::sync::Arc;

/// Stations, ears and stacks, where those of a node stand, and which only listen.
pub(crate) struct Nodes {
    pub(crate) crowd: Crowd,
    pub(crate) seats: Seats,
    pub(crate) stations: Vec<Station>,
    pub(crate) ears: Vec<Ear>,
    pub(crate) stacks: Vec<Stack>,
}

/// Builds them, or says how to once a node needs its own; `hears` lists for each node those that hear it.
pub(crate) fn build(
    resolved: &Resolved,
    options: &RunOptions,
    (hears, reach): (&[Vec<NodeId>], &Reach),
    draws: &impl Fn(u32, Purpose) -> Stream,
) -> Nodes {
    let kit = StationKit::new(resolved, overhears(resolved), options);
    let crowd = Crowd::gather(resolved, reach, &kit.station(NodeId(0)), options);
    let mut stacks = Stacks::new(resolved, hears);
    let (nodes, radios) = (resolved.nodes, resolved.positions.len());
    let alike = stacks.are_alike().then(|| stacks.kit());
    if let Some(alike) = &alike
        && crowd.gathers()
    {
        // Room that nobody needs is never touched.
        return Nodes {
            crowd,
            seats: Seats::on_demand(radios, kit, alike.clone()),
            stations: Vec::with_capacity(radios),
            ears: Vec::with_capacity(radios),
            stacks: Vec::with_capacity(radios),
        };
    }
    let stack = |node| match &alike {
        Some(alike) => alike.stack(node, Neighbours::default()),
        None => stacks.stack(node, draws),
    };
    Nodes {
        seats: Seats::fixed(),
        stations: (0..radios as u32).map(|n| kit.station(NodeId(n))).collect(),
        ears: (0..radios).map(|_| Ear::new(crowd.gathers())).collect(),
        stacks: (0..nodes).map(NodeId).map(stack).collect(),
        crowd,
    }
}

/// What the stacks of a network are built of.
struct Stacks<'a> {
    resolved: &'a Resolved,
    link: Arc<LinkConfig>,
    graph: Arc<Graph>,
    /// The paths of ACKs that have their own.
    ack_paths: Vec<Vec<NodeId>>,
    /// What AODV's machines share, from the first one on.
    aodv: Option<Arc<AodvConfig>>,
}

impl<'a> Stacks<'a> {
    fn new(resolved: &'a Resolved, hears: &[Vec<NodeId>]) -> Self {
        let adjacency = match resolved.routing {
            Routing::Static { .. } => wiring::neighbours(resolved, hears),
            Routing::Aodv(_) | Routing::Dsdv(_) | Routing::Dsr(_) => Vec::new(),
        };
        Self {
            resolved,
            link: Arc::new(convert::link(&resolved.link)),
            ack_paths: paths::ack_paths(resolved, &adjacency),
            graph: Arc::new(Graph::new(&adjacency)),
            aodv: None,
        }
    }

    /// Whether every node has a radio and fixed next hops, and no wire.
    fn are_alike(&self) -> bool {
        let resolved = self.resolved;
        matches!(resolved.routing, Routing::Static { .. })
            && self.ack_paths.is_empty()
            && resolved.cells.is_none()
            && resolved.nodes as usize == resolved.positions.len()
            && wiring::links(resolved).is_empty()
    }

    /// For nodes that are alike.
    fn kit(&self) -> StackKit {
        StackKit::new(
            convert::queue(self.resolved),
            Arc::clone(&self.link),
            Arc::clone(&self.graph),
        )
    }

    fn stack(&mut self, node: NodeId, draws: &impl Fn(u32, Purpose) -> Stream) -> Stack {
        let resolved = self.resolved;
        let router = self.router(node, draws);
        let link = LinkLayer::new(node, Arc::clone(&self.link));
        let ports = wiring::ports(resolved, node);
        let has_radio = resolved.graph.is_some() || node.index() < resolved.positions.len();
        let is_bare = !has_radio && matches!(router, Router::Static(_));
        let mut stack = Stack::new(convert::queue(resolved), link, router, ports);
        stack.is_bare = is_bare;
        stack
    }

    fn router(&mut self, node: NodeId, draws: &impl Fn(u32, Purpose) -> Stream) -> Router {
        let resolved = self.resolved;
        let jitter = || draws(node.0, Purpose::RoutingJitter);
        match &resolved.routing {
            Routing::Aodv(aodv) => {
                let config = || Arc::new(convert::aodv(resolved.profile, aodv));
                let config = Arc::clone(self.aodv.get_or_insert_with(config));
                Router::Aodv(Box::new(Aodv::new(node, config, jitter())))
            }
            Routing::Dsdv(dsdv) => {
                let config = convert::dsdv(resolved.profile, dsdv);
                Router::Dsdv(Box::new(Dsdv::new(node, config, jitter())))
            }
            Routing::Dsr(dsr) => {
                let config = convert::dsr(resolved.profile, dsr);
                Router::Dsr(Box::new(Dsr::new(node, config, jitter())))
            }
            Routing::Static { .. } => {
                let next_hops = NextHops::new(node, Arc::clone(&self.graph));
                let mut router = cells::router(resolved, node, next_hops);
                if let Router::Static(router) = &mut router {
                    paths::separate_acks(router, node, &self.ack_paths);
                }
                router
            }
        }
    }
}
