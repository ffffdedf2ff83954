//! What one part of a scenario asks of others: an agent of links, a flow of links and agents.
//!
//! The one invariant: what passes has an effect, as far as the tables alone can show it.

use super::Filling;
use crate::error::ScenarioError;
use crate::resolved::{AckOptions, DupackDelay, Flow, FlowKind, Ftp, Position};
use crate::resolved_cells::Cells;
use crate::resolved_links::{Agent, AgentKind, PointToPoint};
use acklab_base::NodeId;

/// Refuses agents and options of flows that the rest of the scenario leaves without effect.
pub(super) fn check(
    filling: &Filling<'_>,
    (links, sitting, traffic): (&[PointToPoint], &[Agent], &[Flow]),
    (cells, radios): (&Option<Cells>, &[Position]),
) -> Result<(), ScenarioError> {
    agents(filling, sitting, (links, cells.as_ref(), radios.len()))?;
    flows(filling, traffic, links, sitting)
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
    links: &[PointToPoint],
    agents: &[Agent],
) -> Result<(), ScenarioError> {
    for (index, flow) in flows.iter().enumerate() {
        let Some(tcp) = connection(&flow.kind) else {
            continue;
        };
        let key = format!("flow[{index}]");
        repair_times(filling, &key, (tcp, flow.to), links)?;
        loss_notices(filling, &key, tcp, agents)?;
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
    agents: &[Agent],
) -> Result<(), ScenarioError> {
    let marks = |agent: &Agent| matches!(agent.kind, AgentKind::LossNotice { .. });
    if !tcp.sender.eln || agents.iter().any(marks) {
        return Ok(());
    }
    let message = "no agent says which losses are the radio's";
    let accepted = "false, or an [[agent]] with kind = \"loss-notice\"";
    Err(filling.error(&format!("{key}.eln"), Some(&true), message, accepted))
}
