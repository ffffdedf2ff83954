//! Flows whose ends are not connected.

use acklab_base::NodeId;
use acklab_scenario::{Resolved, parse_toml};

fn resolved(positions: &str, flows: &str) -> Resolved {
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"positions\"\npositions = [{positions}]\n{flows}"
    );
    parse_toml("s.toml", &text)
        .and_then(|scenario| scenario.resolve())
        .expect("resolves")
}

/// For each node those that hear it.
fn lists(nodes: usize, hears: impl Fn(usize, usize) -> bool) -> Vec<Vec<NodeId>> {
    let of = |a: usize| (0..nodes).filter(move |&b| a != b);
    (0..nodes)
        .map(|a| {
            of(a)
                .filter(|&b| hears(a, b))
                .map(|b| NodeId(b as u32))
                .collect()
        })
        .collect()
}

/// For each node those within 250 m.
fn near(resolved: &Resolved) -> Vec<Vec<NodeId>> {
    lists(resolved.positions.len(), |a, b| {
        let (a, b) = (resolved.positions[a], resolved.positions[b]);
        let (x, y) = (a.x_mm - b.x_mm, a.y_mm - b.y_mm);
        x * x + y * y <= 250_000 * 250_000
    })
}

const FTP: &str = "[[flow]]\nkind = \"ftp\"\n";

#[test]
fn a_gap_in_a_chain_is_named() {
    let line = r#"["0 m", "0 m"], ["200 m", "0 m"], ["500.5 m", "0 m"], ["700 m", "0 m"]"#;
    let resolved = resolved(line, FTP);
    let error = resolved
        .check_reachability(&near(&resolved))
        .expect_err("there is a gap");
    assert_eq!(
        error.to_string(),
        "s.toml:5:1: flow[0].to = 3: node 3 cannot be reached from node 0, 700 m away; the \
         nearest gap is the 300.5 m between nodes 1 and 2; accepted: nodes that are near enough \
         to decode each other, or more radio power"
    );
}

#[test]
fn only_the_flow_that_fails_is_named() {
    let line = r#"["0 m", "0 m"], ["200 m", "0 m"], ["900 m", "0 m"], ["1000 m", "0 m"]"#;
    let flows = "[[flow]]\nkind = \"ftp\"\nto = 1\n\
                 [[flow]]\nkind = \"ftp\"\nfrom = 3\nto = 2\n\
                 [[flow]]\nkind = \"ftp\"\nfrom = 3\nto = 1\n";
    let resolved = resolved(line, flows);
    let error = resolved
        .check_reachability(&near(&resolved))
        .expect_err("there is a gap");
    assert_eq!(&*error.key, "flow[2].to");
    assert_eq!(error.value.as_deref(), Some("1"));
}

#[test]
fn a_detour_is_a_way() {
    // Nodes 0 and 4 are 400 m apart with nothing between them, but there is a way around.
    let around = r#"["0 m", "0 m"], ["0 m", "200 m"], ["200 m", "200 m"], ["400 m", "200 m"],
                    ["400 m", "0 m"]"#;
    let resolved = resolved(around, FTP);
    assert_eq!(resolved.check_reachability(&near(&resolved)), Ok(()));
}

#[test]
fn a_link_that_works_one_way_only_does_not_count() {
    let resolved = resolved(r#"["0 m", "0 m"], ["200 m", "0 m"]"#, FTP);
    let one_way = lists(2, |from, to| from < to);
    assert!(resolved.check_reachability(&one_way).is_err());
}

/// A hundred thousand nodes: work that grew with the square of their number would take minutes.
#[test]
fn a_long_chain_is_checked_quickly() {
    let nodes = 100_000;
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = {nodes}\nspacing = \"1 m\"\n"
    );
    let resolved = parse_toml("s.toml", &format!("{text}{FTP}"))
        .and_then(|scenario| scenario.resolve())
        .expect("resolves");
    let beside = |node: u32| {
        let both = [node.checked_sub(1), Some(node + 1)];
        let there = both.into_iter().flatten().filter(|&other| other < nodes);
        there.map(NodeId).collect()
    };
    let hears: Vec<Vec<NodeId>> = (0..nodes).map(beside).collect();
    assert_eq!(resolved.check_reachability(&hears), Ok(()));
}
