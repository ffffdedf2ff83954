//! The access tree of Cellular IP (cho2005, Figure 2) written out: nodes and point-to-point links.
//!
//! Roles come first, so that a node keeps its number whatever the depth: correspondent, gateway,
//! base stations, mobiles; then routers, from the gateway to the crossover node, then branch by branch
//! downwards. Links are in the order correspondent to gateway, down to the crossover node, branch by
//! branch. The invariant: what comes out is what anybody could have written by hand, and nothing behind
//! this module knows the difference.

use super::Filling;
use crate::document::{Document, Topology};
use crate::document_links::PointToPoint;
use crate::document_topology::AccessTree;
use crate::error::ScenarioError;
use std::borrow::Cow;

/// So many hops has no access network; and packets reach their goal within the time to live of ns-2.
const MOST_HOPS: u32 = 10;

/// The document with nodes and links in the place of an access tree.
pub(super) fn unfolded<'a>(
    filling: &Filling<'_>,
    document: &'a Document,
) -> Result<Cow<'a, Document>, ScenarioError> {
    let Topology::AccessTree(tree) = &document.topology else {
        return Ok(Cow::Borrowed(document));
    };
    check(filling, document, tree)?;
    let (nodes, ways) = ways(tree);
    let link = |between| PointToPoint {
        between,
        rate: tree.rate,
        delay: tree.delay,
        queue: tree.queue,
        data_loss: None,
        data_loss_lasts: None,
        errors: None,
        errors_forward: None,
        errors_backward: None,
        arq: None,
        medium: None,
    };
    let mut document = document.clone();
    document.point_to_point = Some(ways.into_iter().map(link).collect());
    document.topology = Topology::Nodes { nodes };
    Ok(Cow::Owned(document))
}

fn check(
    filling: &Filling<'_>,
    document: &Document,
    tree: &AccessTree,
) -> Result<(), ScenarioError> {
    for (key, is_given) in [
        ("wired_nodes", document.wired_nodes.is_some()),
        ("point_to_point", document.point_to_point.is_some()),
    ] {
        if is_given {
            let message = "an access tree has the nodes and links that it makes";
            let accepted = "topology.kind = \"nodes\" with all links written";
            return Err(filling.error::<()>(key, None, message, accepted));
        }
    }
    for (index, hops) in tree.branches.iter().enumerate() {
        if !(1..=MOST_HOPS).contains(hops) {
            let key = format!("topology.branches[{index}]");
            let message = "from the crossover node to a base station";
            let accepted = format!("1 to {MOST_HOPS} hops");
            return Err(filling.error(&key, Some(hops), message, accepted));
        }
    }
    Ok(())
}

/// How many nodes there are, and which of them links join.
fn ways(tree: &AccessTree) -> (u32, Vec<[u32; 2]>) {
    let (correspondent, gateway, first_station) = (0, 1, 2);
    let stations = tree.branches.len() as u32;
    let mut next = first_station + stations + tree.mobiles.unwrap_or(1);
    let mut router = || {
        next += 1;
        next - 1
    };
    let mut ways = vec![[correspondent, gateway]];
    let mut crossover = gateway;
    for _ in 0..tree.to_crossover.unwrap_or(1) {
        let below = router();
        ways.push([crossover, below]);
        crossover = below;
    }
    for (station, &hops) in (first_station..).zip(&tree.branches) {
        let mut here = crossover;
        for left in (0..hops).rev() {
            let below = if left == 0 { station } else { router() };
            ways.push([here, below]);
            here = below;
        }
    }
    (next, ways)
}
