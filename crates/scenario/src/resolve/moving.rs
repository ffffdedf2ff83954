//! Nodes with an 802.11 radio that move, and where all nodes with a radio start.
//!
//! The one invariant: the places that come out are those of the motions at time zero, so that a
//! resolved scenario reads back as itself whatever the topology was.

use super::motion::{self, Home};
use super::script::Script;
use super::{Filling, topology};
use crate::document::{Document, Topology};
use crate::document_cells::Motion as Written;
use crate::document_moving as document;
use crate::error::ScenarioError;
use crate::quantities::Length;
use crate::resolved::Radio;
use crate::resolved_cells::{Motion, Moving};
use acklab_base::{Instant, NodeId};
use acklab_radio::motion::setdest;
use acklab_radio::{Position, Spot};
use std::collections::BTreeMap;

/// Where the nodes with a radio start, and those that move.
pub(super) fn places(
    filling: &mut Filling<'_>,
    document: &Document,
    radio: &Radio,
) -> Result<(Vec<Position>, Vec<Moving>), ScenarioError> {
    let mut places = topology::positions(filling, &document.topology, radio)?;
    let Some(given) = &document.moving else {
        return Ok((places, Vec::new()));
    };
    let placed = !matches!(
        document.topology,
        Topology::Nodes { .. } | Topology::Graph { .. }
    );
    if !placed || document.slotted.is_some() {
        let message = "no node of this scenario has an 802.11 radio and a place";
        let accepted =
            "a topology with places, without slotted; mobiles of cells have a motion there";
        return Err(filling.error::<()>("moving", None, message, accepted));
    }
    let mut moving = Vec::new();
    let followers = followers(filling, given, places.len() as u32)?;
    for (index, (entry, nodes)) in given.iter().zip(&followers).enumerate() {
        let key = format!("moving[{index}].motion");
        let given = (&entry.motion, nodes.as_slice());
        add(filling, &key, given, (&mut places, &mut moving))?;
    }
    apart(filling, &places, &followers)?;
    for (index, entry) in moving.iter().enumerate() {
        filling.given(&format!("moving[{index}].nodes"));
        motion::note(filling, &format!("moving[{index}].motion"), &entry.motion);
    }
    Ok((places, moving))
}

/// The nodes of each entry.
fn followers(
    filling: &Filling<'_>,
    given: &[document::Moving],
    radios: u32,
) -> Result<Vec<Vec<u32>>, ScenarioError> {
    let mut named: BTreeMap<u32, String> = BTreeMap::new();
    for (index, entry) in given.iter().enumerate() {
        for (place, &node) in entry.nodes.iter().flatten().enumerate() {
            let key = format!("moving[{index}].nodes[{place}]");
            if node >= radios {
                let message = format!("no node of this number has a radio: there are {radios}");
                let accepted = format!("0 to {}", radios - 1);
                return Err(filling.error(&key, Some(&node), message, accepted));
            }
            if let Some(other) = named.insert(node, key.clone()) {
                let message = format!("this node has a motion already ({other})");
                return Err(filling.error(&key, Some(&node), message, "each node once"));
            }
        }
    }
    let rest: Vec<u32> = (0..radios)
        .filter(|node| !named.contains_key(node))
        .collect();
    let mut all_others = (0..given.len()).filter(|&index| given[index].nodes.is_none());
    let first = all_others.next();
    let key = |index: usize| format!("moving[{index}].nodes");
    if let (Some(first), Some(second)) = (first, all_others.next()) {
        let message = format!("missing key: moving[{first}] is for all other nodes already");
        return Err(filling.error::<()>(&key(second), None, message, "a list of nodes"));
    }
    if let (Some(first), true) = (first, rest.is_empty()) {
        let message = "missing key: all nodes have another motion";
        return Err(filling.error::<()>(&key(first), None, message, "no such entry"));
    }
    let nodes = |entry: &document::Moving| entry.nodes.clone().unwrap_or_else(|| rest.clone());
    Ok(given.iter().map(nodes).collect())
}

/// One entry: motions that say where they start become one of each node.
fn add(
    filling: &Filling<'_>,
    key: &str,
    (given, nodes): (&Written, &[u32]),
    (places, moving): (&mut Vec<Position>, &mut Vec<Moving>),
) -> Result<(), ScenarioError> {
    if let Written::Setdest {
        script,
        script_file,
        script_node: None,
    } = given
    {
        let script = Script::find(filling, key, script.as_deref(), script_file.as_deref())?;
        let stand: Vec<Spot> = places
            .iter()
            .map(|at| Spot::from_mm(at.x_mm, at.y_mm))
            .collect();
        let tracks = setdest::read_for(&script.text, &stand)
            .map_err(|error| script.refused(filling, &error))?;
        for &node in nodes {
            places[node as usize] = rounded(tracks[node as usize].spot(Instant::ZERO));
        }
        moving.push(Moving {
            nodes: nodes.iter().copied().map(NodeId).collect(),
            motion: Motion::Setdest {
                script: script.text.into_owned(),
                script_node: None,
            },
        });
        return Ok(());
    }
    let first = moving.len();
    for &node in nodes {
        let home = Home {
            node,
            place: Some(places[node as usize]),
        };
        let (motion, start) = motion::motion(filling, key, given, home)?;
        if let Some(start) = start {
            places[node as usize] = rounded(start);
        }
        let node = NodeId(node);
        match moving[first..].last_mut() {
            Some(same) if matches!(motion, Motion::RandomWaypoint { .. }) => same.nodes.push(node),
            _ => moving.push(Moving {
                nodes: vec![node],
                motion,
            }),
        }
    }
    Ok(())
}

/// The place in whole millimetres.
fn rounded(spot: Spot) -> Position {
    let mm = |nm: i64| (nm + 500_000).div_euclid(1_000_000);
    Position {
        x_mm: mm(spot.x_nm),
        y_mm: mm(spot.y_nm),
    }
}

/// Refuses two nodes that start on one spot: a list of places would refuse them, too.
fn apart(
    filling: &Filling<'_>,
    places: &[Position],
    followers: &[Vec<u32>],
) -> Result<(), ScenarioError> {
    let mut order: Vec<_> = places.iter().zip(0_u32..).collect();
    order.sort_unstable();
    for pair in order.windows(2) {
        if let [(here, first), (there, second)] = pair
            && here == there
        {
            let place = super::text(&[Length(here.x_mm), Length(here.y_mm)]);
            let message = format!("nodes {first} and {second} start on one spot, {place}");
            let accepted = "a spot of its own for every node";
            let moves = |nodes: &Vec<u32>| nodes.contains(first) || nodes.contains(second);
            let entry = followers.iter().rposition(moves).unwrap_or(0);
            let key = format!("moving[{entry}].motion");
            return Err(filling.error::<()>(&key, None, message, accepted));
        }
    }
    Ok(())
}
