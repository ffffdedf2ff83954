//! Paths of TCP ACKs that keep away from their data's (yuki2004 §5 ¶3), told to the routers.
//!
//! How such a path is found is `acklab_routing::separate_path`'s business. The invariant: without
//! the option, no router is told anything.

use acklab_base::NodeId;
use acklab_routing::{Graph, StaticRouter, separate_path};
use acklab_scenario::{Flow, FlowKind, Resolved, Routing};

/// The paths of TCP ACKs that keep away from their data's, each from its source to its destination.
pub(crate) fn ack_paths(resolved: &Resolved, adjacency: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let Routing::Static {
        separate_acks: true,
    } = resolved.routing
    else {
        return Vec::new();
    };
    let graph = Graph::new(adjacency);
    let own = |flow: &Flow| {
        let mut data = vec![flow.from];
        while let Some(next) = graph.next_hop(data[data.len() - 1], flow.to) {
            data.push(next);
        }
        separate_path(adjacency, &data)
    };
    let tcp = |flow: &&Flow| !matches!(flow.kind, FlowKind::Cbr(_));
    resolved.flows.iter().filter(tcp).filter_map(own).collect()
}

/// Tells a node of the separate paths that it is on.
pub(crate) fn separate_acks(router: &mut StaticRouter, node: NodeId, paths: &[Vec<NodeId>]) {
    for path in paths {
        let hop = path.windows(2).find(|hop| hop[0] == node);
        if let (Some(hop), [source, .., destination]) = (hop, path.as_slice()) {
            router.send_acks_to(*source, *destination, hop[1]);
        }
    }
}
