//! Building the point-to-point links of a world.

use crate::RunOptions;
use crate::agents::{Agent, Kind};
use crate::links::{Port, Wire};
use crate::media::{SharedMedium, media};
use crate::split::Split;
use crate::world::Part;
use acklab_agents::loss_notice::LossNotifierConfig;
use acklab_agents::{Held, LossNotifier, Snoop, SnoopConfig, Supervisor, SupervisorConfig};
use acklab_base::{NodeId, Purpose, Stream};
use acklab_kernel::{Agenda, Phase, Slot};
use acklab_mac::p2p::{
    ArqConfig, Direction, ErrorDraws, ErrorModel, Link, LinkConfig, Order, Side,
};
use acklab_radio::Reach;
use acklab_scenario::{self as scenario, PointToPoint, Resolved};
use acklab_trace::Digest;

/// The links that are written, and the channels between mobiles and base stations.
pub(crate) fn links(resolved: &Resolved) -> Vec<PointToPoint> {
    let mut links = resolved.links.clone();
    if let Some(cells) = &resolved.cells {
        links.extend(crate::cells::channels(cells));
    }
    links
}

/// The links of a scenario and the media that some of them share; their slots come behind those
/// of the radios.
pub(crate) fn wires(
    resolved: &Resolved,
    draws: &impl Fn(u32, Purpose) -> Stream,
    options: &RunOptions,
) -> (Vec<Wire>, Vec<SharedMedium>) {
    let first_slot = resolved.positions.len() as Slot;
    let wire = |(number, link): (usize, &PointToPoint)| {
        let config = LinkConfig {
            rate: link.rate,
            delay: link.delay,
            queue: link.queue as usize,
        };
        let way = |side: Side| {
            // Both directions of all links draw at addresses of their own.
            let address = 2 * number as u32 + side.index() as u32;
            Direction {
                data_loss: link.data_loss,
                data_loss_lasts: link.data_loss_lasts,
                losses: draws(address, Purpose::CongestionLoss),
                errors: errors(&link.errors[side.index()]),
                draws: ErrorDraws {
                    fates: draws(address, Purpose::LinkErrors),
                    bursts: draws(address, Purpose::LinkBursts),
                },
                arq: link.arq.as_ref().map(arq),
            }
        };
        let mut machine = Link::new(&config, Side::BOTH.map(way));
        if options.records() {
            machine.watch();
        }
        if options.eager {
            machine.wake_eagerly();
        }
        Wire {
            link: machine,
            ends: link.between,
            slot: first_slot + number as Slot,
            medium: None,
            repeats_too_soon: link.repeats_too_soon(),
            digests: [Digest::default(); 2],
        }
    };
    let links = links(resolved);
    let mut wires: Vec<Wire> = links.iter().enumerate().map(wire).collect();
    let media = media(links.iter().map(|link| link.medium.as_deref()), &mut wires);
    (wires, media)
}

/// A node's ends of the links.
pub(crate) fn ports(resolved: &Resolved, node: NodeId) -> Vec<Port> {
    let mut ports = Vec::new();
    for (link, written) in links(resolved).iter().enumerate() {
        for side in Side::BOTH {
            if written.between[side.index()] == node {
                let peer = written.between[side.other().index()];
                ports.push(Port { peer, link, side });
            }
        }
    }
    ports
}

/// Who decodes whom: by distance, or by the links of a graph.
pub(crate) fn hears(resolved: &Resolved, reach: &Reach) -> Vec<Vec<NodeId>> {
    match &resolved.graph {
        Some(edges) => linked(resolved, edges),
        None => reach.decodable_neighbours(),
    }
}

/// For each node those that a link of the graph leads to, ids ascending.
fn linked(resolved: &Resolved, edges: &[[u32; 2]]) -> Vec<Vec<NodeId>> {
    let mut hears = vec![Vec::new(); resolved.positions.len()];
    for &[one, other] in edges {
        hears[one as usize].push(NodeId(other));
        hears[other as usize].push(NodeId(one));
    }
    for list in &mut hears {
        list.sort_unstable();
    }
    hears
}

/// For each node the nodes that it can send to, by radio or by link, ids ascending. A mobile
/// seems to be a neighbour of its gateway, which is where packets for it go.
pub(crate) fn neighbours(resolved: &Resolved, hears: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let mut neighbours = hears.to_vec();
    neighbours.resize(resolved.nodes as usize, Vec::new());
    let gateway = resolved.cells.iter().flat_map(crate::cells::doors);
    let written = resolved.links.iter().map(|link| link.between);
    for [first, second] in written.chain(gateway) {
        for (node, peer) in [(first, second), (second, first)] {
            let list = &mut neighbours[node.index()];
            if let Err(place) = list.binary_search(&peer) {
                list.insert(place, peer);
            }
        }
    }
    neighbours
}

/// What looks at packets, with a slot each.
pub(crate) fn agents(
    resolved: &Resolved,
    agenda: &mut Agenda,
    parts: &mut Vec<Part>,
) -> Vec<Agent> {
    let mut agents = Vec::with_capacity(resolved.agents.len());
    for (index, agent) in resolved.agents.iter().enumerate() {
        let kind = match agent.kind {
            scenario::AgentKind::Snoop(options) => Kind::Snoop(Snoop::new(snoop(&options))),
            scenario::AgentKind::LossNotice { memory } => {
                let memory = memory as usize;
                Kind::LossNotice(LossNotifier::new(LossNotifierConfig { memory }))
            }
            scenario::AgentKind::Split => {
                Kind::Split(Split::new(resolved, agent.node, agent.toward))
            }
            scenario::AgentKind::MTcp { least_silence } => {
                Kind::Supervisor(Supervisor::new(SupervisorConfig { least_silence }))
            }
        };
        parts.push(Part::Agent(index as u32));
        agents.push(Agent {
            node: agent.node,
            toward: agent.toward,
            kind,
            slot: agenda.add_slot(Phase::Stack),
            recorded: Held::default(),
        });
    }
    agents
}

fn snoop(options: &scenario::SnoopOptions) -> SnoopConfig {
    let base = match options.rules {
        scenario::SnoopRules::Paper => SnoopConfig::paper(),
        scenario::SnoopRules::Ns2 => SnoopConfig::ns2(),
    };
    SnoopConfig {
        cache: options.cache as usize,
        min_timer: options.min_timer,
        ..base
    }
}

fn errors(errors: &scenario::Errors) -> ErrorModel {
    match errors {
        scenario::Errors::None => ErrorModel::None,
        &scenario::Errors::Exponential { mean_bytes } => ErrorModel::Exponential { mean_bytes },
        &scenario::Errors::Uniform { loss } => ErrorModel::Uniform { loss },
        &scenario::Errors::GilbertElliott {
            good,
            bad,
            loss_good,
            loss_bad,
        } => ErrorModel::GilbertElliott {
            good,
            bad,
            loss_good,
            loss_bad,
        },
        scenario::Errors::List { frames, link_acks } => ErrorModel::List {
            frames: frames.clone(),
            acks: link_acks.clone(),
        },
        scenario::Errors::Trace { lost } => ErrorModel::Trace { lost: lost.clone() },
    }
}

fn arq(arq: &scenario::Arq) -> ArqConfig {
    ArqConfig {
        order: match arq.order {
            scenario::Order::Arrival => Order::Arrival,
            scenario::Order::Sequence => Order::Sequence,
        },
        tries: arq.tries,
        ack_bytes: arq.ack_bytes,
        ack_queue: arq.ack_queue as usize,
        min_timer: arq.min_timer,
        acks_first: arq.acks_first,
        retransmissions_first: arq.retransmissions_first,
        shared_queue: arq.shared_queue,
    }
}
