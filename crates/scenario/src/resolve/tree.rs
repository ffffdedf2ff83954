//! The wired network below and beside base stations: a tree in which every role has its node.

use super::Filling;
use crate::document::{Document, Routing, Topology};
use crate::document_cells::Cells;
use crate::error::ScenarioError;
use std::collections::BTreeMap;

/// Refuses what is no tree, and roles that nodes cannot have.
pub(super) fn check(
    filling: &Filling<'_>,
    document: &Document,
    cells: &Cells,
    nodes: u32,
) -> Result<(), ScenarioError> {
    if !matches!(document.topology, Topology::Nodes { .. }) {
        let message = "base stations stand beside nodes without 802.11 alone";
        return Err(filling.error::<()>("cells", None, message, "topology.kind = \"nodes\""));
    }
    if !matches!(document.routing, None | Some(Routing::Static(_))) {
        let message = "Cellular IP routes to mobiles, and the tree to everybody else";
        return Err(filling.error::<()>("routing.protocol", None, message, "\"static\""));
    }
    roles(filling, cells, nodes)?;
    let joined = loops(filling, document, nodes)?;
    let root = joined.root(cells.gateway);
    for (index, station) in cells.station.iter().enumerate() {
        if joined.root(station.node) != root {
            let key = format!("cells.station[{index}].node");
            let message = "no links connect this station with the gateway";
            let accepted = "a node of the gateway's tree";
            return Err(filling.error(&key, Some(&station.node), message, accepted));
        }
    }
    mobiles_hang_free(filling, document, cells)
}

fn roles(filling: &Filling<'_>, cells: &Cells, nodes: u32) -> Result<(), ScenarioError> {
    let stations = cells.station.iter().enumerate();
    let stations = stations.map(|(n, at)| (format!("cells.station[{n}].node"), at.node));
    let mobiles = cells.mobile.iter().enumerate();
    let mobiles = mobiles.map(|(n, at)| (format!("cells.mobile[{n}].node"), at.node));
    let gateway = [("cells.gateway".to_owned(), cells.gateway)];
    let mut taken: BTreeMap<u32, String> = BTreeMap::new();
    for (key, node) in gateway.into_iter().chain(stations).chain(mobiles) {
        if node >= nodes {
            let message = format!("there is no such node: the topology has {nodes} nodes");
            return Err(filling.error(&key, Some(&node), message, format!("0 to {}", nodes - 1)));
        }
        if let Some(before) = taken.insert(node, key.clone()) {
            let message = format!("this node has a role already ({before})");
            return Err(filling.error(&key, Some(&node), message, "a node of its own"));
        }
    }
    Ok(())
}

/// Which nodes are joined: for each one some other of its part, or itself.
struct Joined(Vec<u32>);

impl Joined {
    fn root(&self, node: u32) -> u32 {
        let mut here = node;
        while self.0[here as usize] != here {
            here = self.0[here as usize];
        }
        here
    }
}

fn loops(filling: &Filling<'_>, document: &Document, nodes: u32) -> Result<Joined, ScenarioError> {
    let mut joined = Joined((0..nodes).collect());
    for (index, link) in document.point_to_point.iter().flatten().enumerate() {
        let [one, other] = link.between.map(|node| joined.root(node));
        if one == other {
            return Err(filling.error(
                &format!("point_to_point[{index}].between"),
                Some(&link.between),
                "this link closes a loop",
                "with base stations, links that form a tree",
            ));
        }
        joined.0[one.max(other) as usize] = one.min(other);
    }
    Ok(joined)
}

fn mobiles_hang_free(
    filling: &Filling<'_>,
    document: &Document,
    cells: &Cells,
) -> Result<(), ScenarioError> {
    for (index, link) in document.point_to_point.iter().flatten().enumerate() {
        let mobile = |node: &&u32| cells.mobile.iter().any(|mobile| mobile.node == **node);
        if link.between.iter().any(|node| mobile(&node)) {
            return Err(filling.error(
                &format!("point_to_point[{index}].between"),
                Some(&link.between),
                "a mobile has no point-to-point link",
                "nodes that are no mobiles",
            ));
        }
    }
    Ok(())
}
