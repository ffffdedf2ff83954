//! What one part of a scenario asks of others: an agent of links, a flow of links and agents.
//!
//! The one invariant: what passes has an effect, as far as the tables alone can show it.

use super::Filling;
use crate::document_cells::HandoffManner;
use crate::document_handoff::HeldAcks;
use crate::error::ScenarioError;
use crate::quantities::Time;
use crate::resolved::{AckOptions, DupackDelay, Flow, FlowKind, Ftp, HandoffOptions};
use crate::resolved_cells::Cells;
use crate::resolved_links::{Agent, AgentKind, PointToPoint};
use crate::write_handoff;
use acklab_base::{Duration, NodeId};
use acklab_radio::Position;

/// Refuses agents and options of flows that the rest of the scenario leaves without effect.
pub(super) fn check(
    filling: &Filling<'_>,
    (links, sitting, traffic): (&[PointToPoint], &[Agent], &[Flow]),
    (cells, radios): (&Option<Cells>, &[Position]),
) -> Result<(), ScenarioError> {
    agents(filling, sitting, (links, cells.as_ref(), radios.len()))?;
    delay_device(filling, cells.as_ref())?;
    let only_links = cells.is_none() && radios.is_empty();
    flows(filling, traffic, (links, only_links), sitting)?;
    handoffs(filling, traffic, cells.as_ref(), (links, sitting))
}

/// Only the entries of a semisoft handoff have packets wait.
fn delay_device(filling: &Filling<'_>, cells: Option<&Cells>) -> Result<(), ScenarioError> {
    let Some(cells) = cells.filter(|cells| cells.manner == HandoffManner::Hard) else {
        return Ok(());
    };
    if cells.delay_device == Duration::ZERO {
        return Ok(());
    }
    let found = Time(cells.delay_device);
    let message = "a hard handoff has no packets wait";
    let accepted = "\"0 s\", or cells.handoff = \"semisoft\"";
    Err(filling.error("cells.delay_device", Some(&found), message, accepted))
}

/// Refuses agents that watch a node which is no neighbour.
///
/// Radios may have any other radio for a neighbour: who hears whom is not known here.
fn agents(
    filling: &Filling<'_>,
    agents: &[Agent],
    (links, cells, radios): (&[PointToPoint], Option<&Cells>, usize),
) -> Result<(), ScenarioError> {
    for (index, agent) in agents.iter().enumerate() {
        let Agent { node, toward, .. } = *agent;
        let linked = neighbours(links, node).any(|other| other == toward);
        let served = cells.is_some_and(|cells| {
            cells.stations.iter().any(|station| station.node == node)
                && cells.mobiles.iter().any(|mobile| mobile.node == toward)
        });
        let on_air = [node, toward].iter().all(|node| node.index() < radios);
        if !(linked || served || on_air) {
            let key = format!("agent[{index}].toward");
            let message = format!("node {} has no link to this node", node.0);
            let accepted = accepted(neighbours(links, node), node);
            return Err(filling.error(&key, Some(&toward.0), message, accepted));
        }
    }
    Ok(())
}

fn neighbours(links: &[PointToPoint], node: NodeId) -> impl Iterator<Item = NodeId> {
    links.iter().filter_map(move |link| match link.between {
        [one, other] if one == node => Some(other),
        [one, other] if other == node => Some(one),
        _ => None,
    })
}

fn accepted(neighbours: impl Iterator<Item = NodeId>, node: NodeId) -> String {
    let names: Vec<String> = neighbours.map(|node| node.0.to_string()).collect();
    if names.is_empty() {
        return format!("a neighbour, once node {} has a link", node.0);
    }
    format!("a neighbour of node {}: {}", node.0, names.join(", "))
}

/// Refuses options of flows that nothing else in the scenario answers to.
fn flows(
    filling: &Filling<'_>,
    flows: &[Flow],
    (links, only_links): (&[PointToPoint], bool),
    agents: &[Agent],
) -> Result<(), ScenarioError> {
    for (index, flow) in flows.iter().enumerate() {
        let Some(tcp) = connection(&flow.kind) else {
            continue;
        };
        let key = format!("flow[{index}]");
        repair_times(filling, &key, (tcp, flow.to), links)?;
        // Who hears whom on the air is not known here, so that anybody may be on the way.
        let may_pass = |agent: &Agent| !only_links || may_pass(agent, flow, links);
        let marks =
            |agent: &Agent| matches!(agent.kind, AgentKind::LossNotice { .. }) && may_pass(agent);
        loss_notices(filling, &key, tcp, agents.iter().any(marks))?;
    }
    Ok(())
}

const fn connection(kind: &FlowKind) -> Option<&Ftp> {
    match kind {
        FlowKind::Ftp(ftp) => Some(ftp),
        FlowKind::Sessions(sessions) => Some(&sessions.connection),
        FlowKind::Cbr(_) => None,
    }
}

/// An adaptive d is made of what the receiver's own link measures.
fn repair_times(
    filling: &Filling<'_>,
    key: &str,
    (tcp, to): (&Ftp, NodeId),
    links: &[PointToPoint],
) -> Result<(), ScenarioError> {
    let adaptive = matches!(
        tcp.ack,
        AckOptions::DelayedDupacks {
            delay: DupackDelay::Adaptive { .. },
            ..
        }
    );
    let mut own = links.iter().filter(|link| link.between.contains(&to));
    if !adaptive || own.any(|link| link.arq.is_some()) {
        return Ok(());
    }
    let message = format!(
        "no link of node {} sends again, so that none tells how long it takes",
        to.0
    );
    let accepted = format!(
        "a time such as \"80 ms\", or arq = {{}} in a link of node {}",
        to.0
    );
    Err(filling.error(
        &format!("{key}.ack.delay"),
        Some(&"adaptive"),
        message,
        accepted,
    ))
}

/// Somebody must mark the losses that a sender shall heed.
fn loss_notices(
    filling: &Filling<'_>,
    key: &str,
    tcp: &Ftp,
    is_marked: bool,
) -> Result<(), ScenarioError> {
    if !tcp.sender.eln || is_marked {
        return Ok(());
    }
    let message = "no agent on the way of its data says which losses are the radio's";
    let accepted = "false, or an [[agent]] with kind = \"loss-notice\" between sender and receiver";
    Err(filling.error(&format!("{key}.eln"), Some(&true), message, accepted))
}

/// Refuses schemes of mobile ends whose end is no mobile, and M-TCP's mobile without its other half.
fn handoffs(
    filling: &Filling<'_>,
    flows: &[Flow],
    cells: Option<&Cells>,
    (links, agents): (&[PointToPoint], &[Agent]),
) -> Result<(), ScenarioError> {
    let mobiles: Vec<NodeId> = (cells.iter())
        .flat_map(|cells| cells.mobiles.iter().map(|mobile| mobile.node))
        .collect();
    for (index, flow) in flows.iter().enumerate() {
        let Some(tcp) = connection(&flow.kind) else {
            continue;
        };
        let sends_too = match tcp.handoff {
            HandoffOptions::Unaware => continue,
            HandoffOptions::Pacing { .. } => true,
            HandoffOptions::Freeze { .. } | HandoffOptions::MTcp => false,
        };
        let key = format!("flow[{index}].handoff");
        let found = Some(write_handoff::handoff(tcp.handoff));
        if let Some(message) = no_mobile(flow, &mobiles, sends_too) {
            let accepted = ends(&mobiles, sends_too);
            return Err(filling.error(&key, found.as_ref(), message, accepted));
        }
        held(filling, (index, flow), tcp.handoff, &mobiles)?;
        if tcp.handoff == HandoffOptions::MTcp {
            let on_the_way = |agent: &Agent| on_the_way(agent, flow, links, cells);
            supervised(filling, (index, tcp), agents.iter().any(on_the_way))?;
        }
    }
    Ok(())
}

/// Only ACKs are held: a mobile that sends data holds none.
fn held(
    filling: &Filling<'_>,
    (index, flow): (usize, &Flow),
    scheme: HandoffOptions,
    mobiles: &[NodeId],
) -> Result<(), ScenarioError> {
    let newest = matches!(
        scheme,
        HandoffOptions::Pacing {
            held: HeldAcks::Newest,
            ..
        }
    );
    if !newest || mobiles.contains(&flow.to) {
        return Ok(());
    }
    let message = format!(
        "ACKs are held by the receiver, and node {} is no mobile of base stations",
        flow.to.0
    );
    let key = format!("flow[{index}].handoff.held");
    let accepted = "\"every\", or a flow to a mobile";
    Err(filling.error(&key, Some(&HeldAcks::Newest), message, accepted))
}

/// M-TCP's mobile needs a supervisory host that sees its connection.
fn supervised(
    filling: &Filling<'_>,
    (index, tcp): (usize, &Ftp),
    is_supervised: bool,
) -> Result<(), ScenarioError> {
    if !is_supervised {
        let found = Some(write_handoff::handoff(tcp.handoff));
        let message =
            "no supervisory host is on the way, so that nobody closes the sender's window";
        let accepted =
            "another scheme, or an [[agent]] with kind = \"m-tcp\" between sender and mobile";
        let key = format!("flow[{index}].handoff");
        return Err(filling.error(&key, found.as_ref(), message, accepted));
    }
    if tcp.encrypted {
        let message = "the supervisory host of M-TCP cannot read the packets";
        let key = format!("flow[{index}].encrypted");
        return Err(filling.error(
            &key,
            Some(&true),
            message,
            "false, or another handoff scheme",
        ));
    }
    Ok(())
}

/// Whether an agent is a supervisory host that data of a flow passes on its way to a mobile.
fn on_the_way(agent: &Agent, flow: &Flow, links: &[PointToPoint], cells: Option<&Cells>) -> bool {
    let (AgentKind::MTcp { .. }, Some(cells)) = (&agent.kind, cells) else {
        return false;
    };
    let is_station = |node: NodeId| cells.stations.iter().any(|station| station.node == node);
    if is_station(agent.node) && agent.toward == flow.to {
        return true;
    }
    // With base stations the links are a tree.
    let behind = behind(agent.node, agent.toward, links);
    let from_above = !behind.contains(&cells.gateway) || !behind.contains(&flow.from);
    from_above && behind.iter().any(|&node| is_station(node))
}

/// Whether a way over links can take data of a flow from an agent's node to the neighbour that it
/// watches, on its first visit of either.
fn may_pass(agent: &Agent, flow: &Flow, links: &[PointToPoint]) -> bool {
    behind(agent.toward, agent.node, links).contains(&flow.from)
        && behind(agent.node, agent.toward, links).contains(&flow.to)
}

/// Nodes that links join to `first` without passing `without`, `first` among them.
fn behind(without: NodeId, first: NodeId, links: &[PointToPoint]) -> Vec<NodeId> {
    let mut behind = vec![first];
    let mut next = 0;
    while let Some(&node) = behind.get(next) {
        let new = |&other: &NodeId| other != without && !behind.contains(&other);
        let new: Vec<NodeId> = neighbours(links, node).filter(new).collect();
        behind.extend(new);
        next += 1;
    }
    behind
}

/// Why nobody acts by the scheme of a flow, if so.
fn no_mobile(flow: &Flow, mobiles: &[NodeId], sends_too: bool) -> Option<String> {
    if mobiles.contains(&flow.to) || sends_too && mobiles.contains(&flow.from) {
        return None;
    }
    Some(match (sends_too, flow.from.0, flow.to.0) {
        (true, from, to) => {
            format!("neither node {from} nor node {to} is a mobile of base stations")
        }
        (false, _, to) => {
            format!("the receiver acts by it, and node {to} is no mobile of base stations")
        }
    })
}

/// What else such a flow may have.
fn ends(mobiles: &[NodeId], sends_too: bool) -> String {
    let which = if sends_too { "from or to" } else { "to" };
    let names: Vec<String> = mobiles.iter().map(|node| node.0.to_string()).collect();
    match names.as_slice() {
        [] => format!("\"unaware\", or a flow {which} a [[cells.mobile]]"),
        names => format!(
            "\"unaware\", or a flow {which} a mobile: {}",
            names.join(", ")
        ),
    }
}
