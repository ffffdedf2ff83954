//! Where the nodes are.

use super::{Filling, placing};
use crate::document::{Document, Topology};
use crate::error::ScenarioError;
use crate::quantities::Length;
use crate::resolved::Radio;
use acklab_radio::Position;
use std::collections::BTreeSet;

/// The plane ends here, in millimetres from the origin: within it, squares of distances fit
/// into 64 bits.
pub(super) const EDGE_MM: i64 = 1_000_000_000;

pub(super) fn positions(
    filling: &mut Filling<'_>,
    topology: &Topology,
    radio: &Radio,
) -> Result<Vec<Position>, ScenarioError> {
    // A resolved scenario lists positions, whatever kind gave them.
    filling.given("topology.kind");
    let listing = match topology {
        Topology::Nodes { .. } | Topology::AccessTree(_) | Topology::Graph { .. } => {
            "topology.nodes"
        }
        _ => "topology.positions",
    };
    filling.given(listing);
    match topology {
        Topology::Chain { nodes, spacing } => chain(filling, *nodes, *spacing),
        Topology::Positions { positions } => listed(filling, positions),
        Topology::Grid {
            rows,
            columns,
            spacing,
            corners,
        } => {
            let corners = corners.unwrap_or(true);
            placing::grid(filling, (*rows, *columns), *spacing, corners)
        }
        Topology::Random {
            nodes,
            width,
            height,
            seed,
        } => {
            let seed = seed.unwrap_or(placing::DEFAULT_SEED);
            placing::random(filling, *nodes, [*width, *height], seed, radio)
        }
        Topology::Nodes { .. } | Topology::AccessTree(_) => Ok(Vec::new()),
        Topology::Graph { nodes, edges } => {
            connected(filling, *nodes, edges)?;
            let nowhere = Position { x_mm: 0, y_mm: 0 };
            Ok(vec![nowhere; *nodes as usize])
        }
    }
}

/// How many nodes there are, with those that have no radio.
pub(super) fn nodes(
    filling: &mut Filling<'_>,
    document: &Document,
    radios: usize,
) -> Result<u32, ScenarioError> {
    let wired = document.wired_nodes;
    if wired.is_some() {
        filling.given("wired_nodes");
    }
    match document.topology {
        Topology::Nodes { nodes } if wired.is_none() => Ok(nodes),
        Topology::Nodes { .. } => Err(filling.error(
            "wired_nodes",
            wired.as_ref(),
            "no node of this topology has a radio",
            "a larger topology.nodes",
        )),
        _ => Ok(radios as u32 + wired.unwrap_or(0)),
    }
}

/// The links of a graph.
pub(super) fn graph(topology: &Topology) -> Option<Vec<[u32; 2]>> {
    match topology {
        Topology::Graph { edges, .. } => Some(edges.clone()),
        _ => None,
    }
}

/// Refuses links to nowhere, to oneself, and links that are listed twice.
fn connected(
    filling: &mut Filling<'_>,
    nodes: u32,
    edges: &[[u32; 2]],
) -> Result<(), ScenarioError> {
    filling.given("topology.edges");
    let mut known = BTreeSet::new();
    for (index, &[one, other]) in edges.iter().enumerate() {
        let message = if one.max(other) >= nodes {
            format!("there is no such node: the graph has {nodes} nodes")
        } else if one == other {
            "a link from a node to itself".to_owned()
        } else if !known.insert((one.min(other), one.max(other))) {
            "this link is listed twice".to_owned()
        } else {
            continue;
        };
        let accepted = format!("two different nodes of 0 to {}, each pair once", nodes - 1);
        let key = format!("topology.edges[{index}]");
        return Err(filling.error(&key, Some(&edges[index]), message, accepted));
    }
    Ok(())
}

fn chain(
    filling: &Filling<'_>,
    nodes: u32,
    spacing: Length,
) -> Result<Vec<Position>, ScenarioError> {
    if i64::from(nodes - 1) * spacing.0 > EDGE_MM {
        return Err(filling.error(
            "topology.spacing",
            Some(&spacing),
            format!("{nodes} nodes at this distance make a chain of more than 1000 km"),
            "a shorter spacing or fewer nodes",
        ));
    }
    Ok((0..i64::from(nodes))
        .map(|node| Position {
            x_mm: node * spacing.0,
            y_mm: 0,
        })
        .collect())
}

fn listed(filling: &Filling<'_>, list: &[[Length; 2]]) -> Result<Vec<Position>, ScenarioError> {
    let positions: Vec<_> = list
        .iter()
        .map(|[x, y]| Position {
            x_mm: x.0,
            y_mm: y.0,
        })
        .collect();
    let mut order: Vec<_> = positions.iter().zip(0_usize..).collect();
    order.sort_unstable();
    for pair in order.windows(2) {
        if let [(here, first), (there, second)] = pair
            && here == there
        {
            return Err(filling.error(
                &format!("topology.positions[{second}]"),
                Some(&list[*second]),
                format!("nodes {first} and {second} are on one spot"),
                "a spot of its own for every node",
            ));
        }
    }
    Ok(positions)
}
