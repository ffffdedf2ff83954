//! Random connected graphs, and an independent opinion on their shortest paths.

use acklab_base::{Address, NodeId, Purpose, Stream};

pub(crate) type Graph = Vec<Vec<NodeId>>;

/// The stream of a test: its seed is what a failing assertion prints.
pub(crate) fn draws(seed: u64) -> Stream {
    Address {
        seed,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::Placement,
    }
    .open()
}

/// A connected graph of 3 to 20 nodes: a random tree, and more links by chance.
pub(crate) fn connected(draw: &mut Stream) -> Graph {
    let count = 3 + draw.below(18);
    let mut graph = vec![Vec::new(); count as usize];
    for node in 1..count {
        // Low bounds make chains, high ones stars.
        let reach = 1 + draw.below(node);
        link(&mut graph, node, node - 1 - draw.below(reach.min(node)));
    }
    for _ in 0..draw.below(2 * count) {
        let (one, other) = (draw.below(count), draw.below(count));
        if one != other {
            link(&mut graph, one, other);
        }
    }
    graph
}

fn link(graph: &mut Graph, one: u32, other: u32) {
    for (from, to) in [(one, other), (other, one)] {
        if !graph[from as usize].contains(&NodeId(to)) {
            graph[from as usize].push(NodeId(to));
        }
    }
}

/// Takes a link out, both ways.
pub(crate) fn cut(graph: &mut Graph, one: NodeId, other: NodeId) {
    graph[one.index()].retain(|&node| node != other);
    graph[other.index()].retain(|&node| node != one);
}

/// All lengths by Floyd's and Warshall's recurrence; `None` where no path leads.
pub(crate) fn floyd(graph: &Graph) -> Vec<Vec<Option<u32>>> {
    let count = graph.len();
    let mut hops = vec![vec![None; count]; count];
    for (node, neighbours) in graph.iter().enumerate() {
        for neighbour in neighbours {
            hops[node][neighbour.index()] = Some(1);
        }
        hops[node][node] = Some(0);
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                let around = hops[from][via]
                    .zip(hops[via][to])
                    .map(|(first, second)| first + second);
                hops[from][to] = [hops[from][to], around].into_iter().flatten().min();
            }
        }
    }
    hops
}
