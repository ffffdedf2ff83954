//! Static shortest paths against Floyd and Warshall, and the static router's few rules.

use crate::graphs::{connected, draws, floyd};
use crate::script::data;
use acklab_base::{Instant, NodeId};
use acklab_routing::static_path::DEFAULT_TTL;
use acklab_routing::{
    DropReason, Graph, NextHops, Router, RouterNote, RouterOutput, StaticRouter, hop_distances,
};
use std::sync::Arc;

#[test]
fn every_walk_is_a_shortest_path() {
    for seed in 0..300 {
        let mut draw = draws(seed);
        let mut graph = connected(&mut draw);
        // Every other graph loses one direction of some links, so that paths differ by direction.
        if seed % 2 == 0 {
            let node = draw.below(graph.len() as u32) as usize;
            graph[node].truncate(1);
        }
        let hops = floyd(&graph);
        let paths = Graph::new(&graph);
        for (from, row) in hops.iter().enumerate() {
            for (to, &length) in row.iter().enumerate() {
                let distances = hop_distances(&graph, NodeId(to as u32));
                assert_eq!(distances[from], length, "seed {seed}: {from} to {to}");
                assert_eq!(
                    walk(&paths, from, to, graph.len()),
                    length,
                    "seed {seed}: {from} to {to}"
                );
            }
        }
    }
}

fn walk(paths: &Graph, from: usize, to: usize, nodes: usize) -> Option<u32> {
    let node = |index: usize| NodeId(index as u32);
    let (mut at, mut steps) = (from, 0);
    while at != to {
        at = paths.next_hop(node(at), node(to))?.index();
        steps += 1;
        assert!(steps <= nodes as u32, "a loop from {from} to {to}");
    }
    Some(steps)
}

#[test]
fn of_equal_paths_the_lowest_neighbour_is_taken() {
    //   n0 – n1 – n3      n0 – n2 – n3
    let links = |ids: &[u32]| ids.iter().copied().map(NodeId).collect::<Vec<_>>();
    let graph = vec![
        links(&[2, 1]),
        links(&[0, 3]),
        links(&[3, 0]),
        links(&[1, 2]),
    ];
    let graph = Arc::new(Graph::new(&graph));
    let of = |node: u32| NextHops::new(NodeId(node), Arc::clone(&graph));
    for (from, to, next) in [(0, 3, Some(1)), (3, 0, Some(1)), (0, 0, None)] {
        let mut hops = of(from);
        assert_eq!(hops.peek(NodeId(to)), next.map(NodeId));
        // Worked out for the first packet, kept for the second.
        for _ in 0..2 {
            assert_eq!(hops.towards(NodeId(to)), next.map(NodeId));
        }
    }
}

/// n1 of the chain n0 – n1 – n2, with n3 out of reach.
fn middle_of_a_chain() -> Router {
    let links = |ids: &[u32]| ids.iter().copied().map(NodeId).collect::<Vec<_>>();
    let graph = vec![links(&[1]), links(&[0, 2]), links(&[1]), links(&[])];
    let next_hops = NextHops::new(NodeId(1), Arc::new(Graph::new(&graph)));
    Router::Static(StaticRouter::new(next_hops, DEFAULT_TTL))
}

#[test]
fn packets_go_on_are_delivered_or_are_dropped_with_a_reason() {
    let mut router = middle_of_a_chain();
    let mut give = |packet, from: Option<u32>| {
        router.on_packet(Instant::ZERO, packet, from.map(NodeId));
        let output = router.poll();
        assert_eq!(router.poll(), None);
        output
    };
    let dropped = |packet, reason| Some(RouterOutput::Drop { packet, reason });
    let sent = |packet, next: u32| {
        Some(RouterOutput::Send {
            packet,
            next_hop: NodeId(next),
        })
    };
    assert_eq!(give(data(1, 1, 2, 0), None), sent(data(1, 1, 2, 255), 2));
    assert_eq!(give(data(2, 2, 0, 9), Some(2)), sent(data(2, 2, 0, 8), 0));
    assert_eq!(
        give(data(3, 2, 0, 1), Some(2)),
        dropped(data(3, 2, 0, 0), DropReason::Ttl)
    );
    assert_eq!(
        give(data(4, 1, 0, 9), Some(2)),
        dropped(data(4, 1, 0, 9), DropReason::Loop)
    );
    assert_eq!(
        give(data(5, 0, 3, 9), Some(0)),
        dropped(data(5, 0, 3, 8), DropReason::NoRoute)
    );
    assert_eq!(
        give(data(6, 0, 1, 9), Some(0)),
        Some(RouterOutput::Deliver(data(6, 0, 1, 9)))
    );
}

#[test]
fn the_short_way_is_for_packets_that_go_on() {
    let mut router = middle_of_a_chain();
    let mut pass_on = |packet| router.pass_on(NodeId(1), Instant::ZERO, &packet);
    assert_eq!(pass_on(data(1, 2, 0, 9)), Some(NodeId(0)));
    for left in [
        data(2, 2, 0, 1),
        data(3, 1, 0, 9),
        data(4, 0, 3, 9),
        data(5, 0, 1, 9),
        data(6, 0, NodeId::BROADCAST.0, 9),
    ] {
        assert_eq!(pass_on(left), None);
    }
}

#[test]
fn a_link_failure_costs_the_packet_and_nothing_else() {
    let mut router = middle_of_a_chain();
    router.on_link_failure(Instant::ZERO, data(1, 0, 2, 254), NodeId(2));
    let note = RouterNote::LinkFailure {
        next_hop: NodeId(2),
    };
    let reason = DropReason::LinkFailure;
    assert_eq!(router.poll(), Some(RouterOutput::Note(note)));
    assert_eq!(
        router.poll(),
        Some(RouterOutput::Drop {
            packet: data(1, 0, 2, 254),
            reason
        })
    );
    assert_eq!(router.next_hop(NodeId(2)), Some(NodeId(2)));
    assert_eq!(router.next_wake(), Instant::NEVER);
}
