//! Access trees: what each mistake says, word for word, and what the resolved text has.

use crate::common::access;
use acklab_scenario::{Resolved, ScenarioError, parse_toml};

const NODES: &str = "topology = {kind = \"nodes\", nodes = 5}\n";
const LINKS: &str = "[[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
    [[point_to_point]]\nbetween = [1, 2]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
    [[point_to_point]]\nbetween = [1, 3]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n";

/// The network of `common::access` with a tree of this depth.
fn tree(depth: &str, links: &str) -> Result<Resolved, ScenarioError> {
    let tree = format!(
        "topology = {{kind = \"access-tree\", rate = \"10 Mbit/s\", delay = \"5 ms\", {depth}}}\n"
    );
    let text = access(&[(NODES, &tree), (LINKS, links)]);
    parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve())
}

#[track_caller]
fn refused(depth: &str, links: &str, expected: &str) {
    let error = tree(depth, links).expect_err("a mistake").to_string();
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn it_resolves_into_nodes_and_links_that_read_back() {
    let made = tree("branches = [1, 1], to_crossover = 0", "").expect("a tree");
    let by_hand = parse_toml("s.toml", &access(&[])).and_then(|scenario| scenario.resolve());
    assert_eq!(Ok(&made), by_hand.as_ref());
    let made = tree("branches = [4, 1], queue = 7", "").expect("a tree");
    assert_eq!((made.nodes, made.links.len()), (9, 7));
    assert!(made.links.iter().all(|link| link.queue == 7));
    let again = parse_toml("again.toml", &made.to_toml()).and_then(|scenario| scenario.resolve());
    assert_eq!(Ok(&made), again.as_ref());
}

#[test]
fn each_branch_has_a_hop_at_least_and_ten_at_most() {
    for (branches, index, hops) in [("[1, 0]", 1, 0), ("[11, 1]", 0, 11)] {
        refused(
            &format!("branches = {branches}"),
            "",
            &format!(
                "topology.branches[{index}] = {hops}: from the crossover node to a base station; accepted: 1 to 10 hops"
            ),
        );
    }
    refused(
        "branches = [1, 1], to_crossover = 11",
        "",
        "topology.to_crossover = 11: must be at most 10; accepted: a whole number from 0 to 10",
    );
    refused(
        "branches = []",
        "",
        "topology.branches: a list of length 0: at least 1 needed; accepted: a list, each element a whole number from 0 to \
         4294967295",
    );
    refused(
        "to_crossover = 1",
        "",
        "topology.branches: missing key; accepted: a list, each element a whole number from 0 to 4294967295",
    );
    refused(
        "branches = [1, 1], leaves = 3",
        "",
        "topology.leaves: unknown key; accepted: kind, to_crossover, branches, mobiles, rate, delay, queue",
    );
}

/// Links beside those of the tree would close a loop or hang on nothing.
#[test]
fn it_makes_its_links_itself() {
    refused(
        "branches = [1, 1]",
        LINKS,
        "an access tree has the nodes and links that it makes; accepted: topology.kind = \"nodes\" \
         with all links written",
    );
    let nodes = "topology = {kind = \"access-tree\", rate = \"1 Mbit/s\", delay = \"5 ms\", branches = [1, 1]}\n\
                 wired_nodes = 1\n";
    let text = access(&[(NODES, nodes), (LINKS, "")]);
    let error = parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve());
    let error = error.expect_err("a mistake").to_string();
    assert_eq!(
        error,
        "s.toml:3:1: wired_nodes = 1: an access tree has the nodes and links that it makes; accepted: topology.kind = \
         \"nodes\" with all links written"
    );
}

/// A station that has no branch is none of the tree's nodes.
#[test]
fn each_station_needs_its_branch() {
    refused(
        "branches = [1]",
        "",
        "cells.station[1].node = 3: no links connect this station with the gateway; accepted: a node of the gateway's \
         tree",
    );
}
