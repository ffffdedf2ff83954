//! Paths for TCP ACKs that keep away from the path of their data (yuki2004 §5 ¶3).
//!
//! The paper wishes for such a routing and describes none. Here it is an oracle, as static routing
//! is: the path is computed once from the whole graph. It is not a protocol, and it does not
//! balance load. The invariant: a path that is returned shares no node with the data's path but
//! the two ends.

use acklab_base::NodeId;
use std::collections::BTreeSet;

/// What a path costs so far: its nodes that hear the data's path, its hops, and where it ends.
type Reached = (u32, u32, NodeId);

/// The ACKs' path from the end of `data` back to its beginning, both included: of the paths through
/// none of the nodes between, one with the fewest nodes that are neighbours of those, of these a
/// shortest. `None` if every way back leads through them, or the two ends are neighbours.
///
/// `adjacency[u]` lists the nodes that hear `u`.
#[must_use]
pub fn separate_path(adjacency: &[Vec<NodeId>], data: &[NodeId]) -> Option<Vec<NodeId>> {
    let [to, inner @ .., from] = data else {
        return None;
    };
    if inner.is_empty() {
        return None;
    }
    let mut exposed = vec![false; adjacency.len()];
    for neighbour in inner.iter().flat_map(|node| &adjacency[node.index()]) {
        exposed[neighbour.index()] = true;
    }
    let mut best: Vec<Option<(u32, u32)>> = vec![None; adjacency.len()];
    let mut before: Vec<Option<NodeId>> = vec![None; adjacency.len()];
    let mut frontier: BTreeSet<Reached> = BTreeSet::from([(0, 0, *from)]);
    best[from.index()] = Some((0, 0));
    while let Some((cost, hops, node)) = frontier.pop_first() {
        if node == *to {
            return Some(walk_back(&before, node));
        }
        for &next in &adjacency[node.index()] {
            if inner.contains(&next) {
                continue;
            }
            let heard = next != *to && exposed[next.index()];
            let reached = (cost + u32::from(heard), hops + 1);
            if best[next.index()].is_none_or(|known| reached < known) {
                best[next.index()] = Some(reached);
                before[next.index()] = Some(node);
                frontier.insert((reached.0, reached.1, next));
            }
        }
    }
    None
}

fn walk_back(before: &[Option<NodeId>], end: NodeId) -> Vec<NodeId> {
    let mut path = vec![end];
    while let Some(node) = before[path[path.len() - 1].index()] {
        path.push(node);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::separate_path;
    use acklab_base::NodeId;

    fn graph(nodes: u32, edges: &[[u32; 2]]) -> Vec<Vec<NodeId>> {
        let mut adjacency = vec![Vec::new(); nodes as usize];
        for &[one, other] in edges {
            adjacency[one as usize].push(NodeId(other));
            adjacency[other as usize].push(NodeId(one));
        }
        adjacency
    }

    fn back(nodes: u32, edges: &[[u32; 2]], data: &[u32]) -> Option<Vec<u32>> {
        let data: Vec<NodeId> = data.iter().copied().map(NodeId).collect();
        let path = separate_path(&graph(nodes, edges), &data)?;
        Some(path.into_iter().map(|node| node.0).collect())
    }

    /// A ring: the other way round.
    #[test]
    fn a_ring_has_two_ways() {
        let ring = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]];
        assert_eq!(back(6, &ring, &[0, 1, 2, 3]), Some(vec![3, 4, 5, 0]));
    }

    /// 0-1-2-3 with a short way back beside it (3-4-5-0, both next to 1 or 2) and a long one that
    /// nobody on the data's path hears (3-6-7-8-0).
    #[test]
    fn a_longer_way_out_of_hearing_is_better() {
        let edges = [
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 4],
            [4, 5],
            [5, 0],
            [4, 2],
            [5, 1],
            [3, 6],
            [6, 7],
            [7, 8],
            [8, 0],
        ]; // rows: the data's path and the way beside it; the way around
        assert_eq!(back(9, &edges, &[0, 1, 2, 3]), Some(vec![3, 6, 7, 8, 0]));
        assert_eq!(back(9, &edges[..8], &[0, 1, 2, 3]), Some(vec![3, 4, 5, 0]));
    }

    #[test]
    fn where_there_is_one_way_there_is_no_other() {
        assert_eq!(back(3, &[[0, 1], [1, 2]], &[0, 1, 2]), None);
        assert_eq!(back(2, &[[0, 1]], &[0, 1]), None);
    }
}
