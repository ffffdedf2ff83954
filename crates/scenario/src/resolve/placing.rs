//! Grids, and nodes and flows placed by chance.
//!
//! Chance has an address here, too: a placement hangs on its own seed alone, the ends of flows on
//! theirs, so that every scheme and every run meets the same network. The one invariant: in a
//! random placement each node can reach each other one.

use super::topology::EDGE_MM;
use super::{Filling, text};
use crate::document::{Document, RandomFlows};
use crate::document_flow::Flow;
use crate::error::ScenarioError;
use crate::quantities::Length;
use crate::resolved::Radio;
use acklab_base::{Address, NodeId, Purpose, Stream};
use acklab_radio::{Position, Reach};
use std::collections::BTreeSet;

/// The first placement and the first ends.
pub(super) const DEFAULT_SEED: u32 = 1;

/// Placements that are drawn before there is thought to be none whose nodes all reach each other.
const ATTEMPTS: u32 = 1_000;

/// Rows and columns. The corners can be left out: 5 by 5 without them are the 21 nodes that
/// elrakabawy2005 §4.4.1 may mean.
pub(super) fn grid(
    filling: &Filling<'_>,
    (rows, columns): (u32, u32),
    spacing: Length,
    corners: bool,
) -> Result<Vec<Position>, ScenarioError> {
    let longest = i64::from(rows.max(columns) - 1);
    if longest * spacing.0 > EDGE_MM {
        return Err(filling.error(
            "topology.spacing",
            Some(&spacing),
            format!("{rows} by {columns} nodes at this distance need more than 1000 km"),
            "a shorter spacing or fewer nodes",
        ));
    }
    let at_end = |index: u32, count: u32| index == 0 || index == count - 1;
    let nodes: Vec<Position> = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .filter(|&(row, column)| corners || !(at_end(row, rows) && at_end(column, columns)))
        .map(|(row, column)| Position {
            x_mm: i64::from(column) * spacing.0,
            y_mm: i64::from(row) * spacing.0,
        })
        .collect();
    if nodes.len() < 2 {
        let message = format!("a grid of {} nodes", nodes.len());
        let accepted = "rows and columns for at least 2 nodes";
        return Err(filling.error("topology.rows", Some(&rows), message, accepted));
    }
    Ok(nodes)
}

/// Draws from (seed, attempt, node).
fn draws(seed: u32, attempt: u32, node: u32, purpose: Purpose) -> Stream {
    Address {
        seed: u64::from(seed),
        run: attempt,
        node: NodeId(node),
        purpose,
    }
    .open()
}

/// Uniform on the area, to the millimetre; drawn anew as a whole until all nodes are connected.
pub(super) fn random(
    filling: &Filling<'_>,
    nodes: u32,
    area: [Length; 2],
    seed: u32,
    radio: &Radio,
) -> Result<Vec<Position>, ScenarioError> {
    for (key, length) in [("topology.width", area[0]), ("topology.height", area[1])] {
        if length.0 > EDGE_MM {
            let accepted = text(&Length(EDGE_MM));
            return Err(filling.error(key, Some(&length), "more than 1000 km", accepted));
        }
    }
    for attempt in 0..ATTEMPTS {
        let place = |node| {
            let mut draw = draws(seed, attempt, node, Purpose::Placement);
            let mut along = |length: Length| draw.below(length.0 as u32);
            Position {
                x_mm: i64::from(along(area[0])),
                y_mm: i64::from(along(area[1])),
            }
        };
        let positions: Vec<Position> = (0..nodes).map(place).collect();
        if is_usable(&positions, radio) {
            return Ok(positions);
        }
    }
    let message = format!("in none of {ATTEMPTS} placements can each node reach each other one");
    let accepted = "more nodes, a smaller area, or more radio power";
    Err(filling.error("topology.nodes", Some(&nodes), message, accepted))
}

/// Whether all nodes are connected and no two on one spot.
fn is_usable(positions: &[Position], radio: &Radio) -> bool {
    let spots: BTreeSet<_> = positions.iter().collect();
    if spots.len() < positions.len() {
        return false;
    }
    let neighbours = Reach::new(positions, &radio.thresholds()).decodable_neighbours();
    let mut seen = vec![false; positions.len()];
    let mut open = vec![0];
    seen[0] = true;
    while let Some(node) = open.pop() {
        for other in &neighbours[node] {
            if !std::mem::replace(&mut seen[other.index()], true) {
                open.push(other.index());
            }
        }
    }
    seen.into_iter().all(|reached| reached)
}

/// The flows of the document; with `random_flows` so many copies of the one that is written, each
/// with ends of its own.
pub(super) fn flows(
    filling: &Filling<'_>,
    document: &Document,
    nodes: u32,
) -> Result<Vec<Flow>, ScenarioError> {
    let Some(random) = &document.random_flows else {
        return Ok(document.flow.clone());
    };
    let [only] = document.flow.as_slice() else {
        let message = format!("{} flows to make random ones of", document.flow.len());
        return Err(filling.error::<()>("flow", None, message, "one flow, without from and to"));
    };
    for (key, given) in [("flow[0].from", ends(only).0), ("flow[0].to", ends(only).1)] {
        if let Some(node) = given {
            let message = "a node is named where random_flows draws one";
            return Err(filling.error(key, Some(node), message, "no such key"));
        }
    }
    let drawn = drawn_ends(filling, random, nodes)?;
    Ok(drawn
        .into_iter()
        .map(|(from, to)| {
            let mut flow = only.clone();
            let (a, b) = ends_mut(&mut flow);
            (*a, *b) = (Some(from), Some(to));
            flow
        })
        .collect())
}

/// Pairs of two different nodes, each pair once.
fn drawn_ends(
    filling: &Filling<'_>,
    random: &RandomFlows,
    nodes: u32,
) -> Result<Vec<(u32, u32)>, ScenarioError> {
    let pairs = u64::from(nodes) * u64::from(nodes.saturating_sub(1));
    if u64::from(random.count) > pairs {
        let message = format!("more than the {pairs} pairs of different nodes");
        let accepted = format!("at most {pairs}");
        return Err(filling.error("random_flows.count", Some(&random.count), message, accepted));
    }
    let seed = random.seed.unwrap_or(DEFAULT_SEED);
    let mut draw = draws(seed, 0, 0, Purpose::FlowEnds);
    let mut drawn = Vec::new();
    let mut taken = BTreeSet::new();
    while (drawn.len() as u32) < random.count {
        let (from, to) = (draw.below(nodes), draw.below(nodes));
        if from != to && taken.insert((from, to)) {
            drawn.push((from, to));
        }
    }
    Ok(drawn)
}

fn ends(flow: &Flow) -> (Option<&u32>, Option<&u32>) {
    match flow {
        Flow::Ftp(flow) => (flow.from.as_ref(), flow.to.as_ref()),
        Flow::Sessions(flow) => (flow.connection.from.as_ref(), flow.connection.to.as_ref()),
        Flow::Cbr(flow) => (flow.from.as_ref(), flow.to.as_ref()),
    }
}

fn ends_mut(flow: &mut Flow) -> (&mut Option<u32>, &mut Option<u32>) {
    match flow {
        Flow::Ftp(flow) => (&mut flow.from, &mut flow.to),
        Flow::Sessions(flow) => (&mut flow.connection.from, &mut flow.connection.to),
        Flow::Cbr(flow) => (&mut flow.from, &mut flow.to),
    }
}
