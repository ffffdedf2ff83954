//! The access tree with its depth as a parameter: the same network as the links written by hand, and the
//! hops below the crossover node are what its update takes longer for.

use crate::common::cells::{UPDATE_AIR, UPDATE_HOP, datagrams, shuttle};
use crate::common::{options, run, scenario};
use acklab_scenario::Resolved;

/// Stations are nodes 2 and 3 and the mobile is node 4, however deep the tree.
fn below(topology: &str) -> Resolved {
    let stations: String = [(2, 0), (3, 230)]
        .map(|(node, metres)| {
            format!("[[cells.station]]\nnode = {node}\nposition = [\"{metres} m\", \"0 m\"]\n")
        })
        .concat();
    scenario(&format!(
        "duration = \"8 s\"\n{topology}\n[cells]\ngateway = 1\nrate = \"2 Mbit/s\"\n{stations}{}{}",
        shuttle(4, 0, 230),
        datagrams(4)
    ))
}

fn by_kind(depth: &str) -> Resolved {
    below(&format!(
        "[topology]\nkind = \"access-tree\"\n{depth}\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n"
    ))
}

fn by_hand(nodes: u32, links: &[[u32; 2]]) -> Resolved {
    let links: String = links
        .iter()
        .map(|between| {
            format!(
                "[[point_to_point]]\nbetween = {between:?}\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n"
            )
        })
        .collect();
    below(&format!(
        "[topology]\nkind = \"nodes\"\nnodes = {nodes}\n{links}"
    ))
}

#[test]
fn it_is_the_network_of_the_links_by_hand() {
    let trees: [(&str, u32, &[[u32; 2]]); 5] = [
        ("branches = [1, 1]", 6, &[[0, 1], [1, 5], [5, 2], [5, 3]]),
        (
            "branches = [1, 2]",
            7,
            &[[0, 1], [1, 5], [5, 2], [5, 6], [6, 3]],
        ),
        (
            "branches = [1, 3]",
            8,
            &[[0, 1], [1, 5], [5, 2], [5, 6], [6, 7], [7, 3]],
        ),
        (
            "branches = [3, 2]\nto_crossover = 2\nmobiles = 1",
            10,
            &[
                [0, 1],
                [1, 5],
                [5, 6],
                [6, 7],
                [7, 8],
                [8, 2],
                [6, 9],
                [9, 3],
            ],
        ),
        (
            "branches = [1, 1]\nto_crossover = 0",
            5,
            &[[0, 1], [1, 2], [1, 3]],
        ),
    ];
    for (depth, nodes, links) in trees {
        let (made, written) = (by_kind(depth), by_hand(nodes, links));
        assert_eq!(made, written, "{depth}");
        let [made, written] = [made, written].map(|one| run(&one, &options(1)));
        assert_eq!(made.digest, written.digest, "{depth}");
        assert_eq!(made.samples.handoffs.len(), 1, "{depth}");
    }
}

/// The update after the handoff goes as many hops up as the new branch is deep; the depth of the old
/// one is of no account.
#[test]
fn the_depth_is_what_an_update_takes() {
    for (old, new) in [(1, 1), (1, 2), (1, 3), (3, 1), (3, 10)] {
        let result = run(&by_kind(&format!("branches = [{old}, {new}]")), &options(1));
        let rerouted = result.samples.handoffs[0].rerouted_s.expect("rerouted");
        let expected = (UPDATE_AIR + new * UPDATE_HOP) as f64 * 1e-9;
        assert!(
            (rerouted - expected).abs() < 1e-12,
            "{old}, {new}: {rerouted}"
        );
    }
}
