//! Grids, random placements and random flows.

use acklab_scenario::{Position, Resolved, ScenarioError, parse_toml};
use std::collections::BTreeSet;

fn resolve(lines: &str) -> Result<Resolved, ScenarioError> {
    let text = format!("duration = \"10 s\"\n{lines}");
    parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve())
}

fn metres(resolved: &Resolved) -> Vec<(i64, i64)> {
    let whole = |at: &Position| (at.x_mm / 1000, at.y_mm / 1000);
    resolved.positions.iter().map(whole).collect()
}

fn refused(lines: &str, message: &str) {
    assert_eq!(resolve(lines).expect_err("refused").to_string(), message);
}

const FTP: &str = "[[flow]]\nkind = \"ftp\"\n";

#[test]
fn a_grid_counts_along_its_rows() {
    let grid = "[topology]\nkind = \"grid\"\nrows = 2\ncolumns = 3\nspacing = \"200 m\"\n";
    let resolved = resolve(&format!("{grid}{FTP}")).expect("a grid");
    assert_eq!(
        metres(&resolved),
        [(0, 0), (200, 0), (400, 0), (0, 200), (200, 200), (400, 200)]
    );
    assert_eq!(resolved.flows[0].to.0, 5);
}

/// elrakabawy2005 §4.4.1: 21 nodes, 200 m apart.
#[test]
fn two_grids_of_21_nodes() {
    let grid = |rows, columns, corners| {
        let lines = format!(
            "[topology]\nkind = \"grid\"\nrows = {rows}\ncolumns = {columns}\nspacing = \"200 m\"\ncorners = {corners}\n{FTP}"
        );
        metres(&resolve(&lines).expect("a grid"))
    };
    assert_eq!(grid(7, 3, true).len(), 21);
    let cut = grid(5, 5, false);
    assert_eq!(cut.len(), 21);
    assert_eq!(cut[..4], [(200, 0), (400, 0), (600, 0), (0, 200)]);
    assert_eq!(cut[20], (600, 800));
}

fn random(more: &str) -> String {
    format!(
        "{more}\n[topology]\nkind = \"random\"\nnodes = 120\nwidth = \"2500 m\"\nheight = \"1000 m\"\nseed = 7\n{FTP}"
    )
}

/// elrakabawy2005 §4.4.2. Each node reaches each other one over hops of 250 m.
#[test]
fn a_random_placement_is_connected_and_depends_on_its_seed_alone() {
    let resolved = resolve(&random("")).expect("a placement");
    let at = &resolved.positions;
    assert_eq!(at.len(), 120);
    for place in at.iter() {
        assert!((0..2_500_000).contains(&place.x_mm) && (0..1_000_000).contains(&place.y_mm));
    }
    let near = |a: &Position, b: &Position| {
        let (x, y) = (a.x_mm - b.x_mm, a.y_mm - b.y_mm);
        x * x + y * y <= 250_000 * 250_000
    };
    let mut reached = BTreeSet::from([0]);
    while let Some(next) = (0..120)
        .find(|n| !reached.contains(n) && reached.iter().any(|&r: &usize| near(&at[r], &at[*n])))
    {
        reached.insert(next);
    }
    assert_eq!(reached.len(), 120);
    let again = resolve(&random("profile = \"standard\"")).expect("a placement");
    assert_eq!(*at, again.positions);
    let other = resolve(&random("").replace("seed = 7", "seed = 8")).expect("a placement");
    assert_ne!(*at, other.positions);
}

/// Half of the nodes lie in each half of the area: 120 of probability 1/2, four deviations.
#[test]
fn a_random_placement_is_uniform() {
    let mut left = 0;
    for seed in 1..=10 {
        let lines = random("").replace("seed = 7", &format!("seed = {seed}"));
        let resolved = resolve(&lines).expect("a placement");
        left += metres(&resolved).iter().filter(|at| at.0 < 1250).count();
    }
    // 1200 nodes: 600 with a deviation of 17.3.
    assert!(
        (531..=669).contains(&left),
        "{left} of 1200 in the left half"
    );
}

#[test]
fn random_flows_are_pairs_of_different_nodes_whatever_they_carry() {
    let ends = |flow: &str, seed: u32| {
        let head = format!("[random_flows]\ncount = 10\nseed = {seed}");
        let lines = random(&head).replace("kind = \"ftp\"", flow);
        let resolved = resolve(&lines).expect("flows");
        let pairs: Vec<_> = resolved.flows.iter().map(|f| (f.from.0, f.to.0)).collect();
        pairs
    };
    let pairs = ends("kind = \"ftp\"", 3);
    assert_eq!(pairs.len(), 10);
    assert!(
        pairs
            .iter()
            .all(|&(from, to)| from != to && from < 120 && to < 120)
    );
    assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), 10);
    assert_eq!(pairs, ends("kind = \"cbr\"\ninterval = \"20 ms\"", 3));
    assert_eq!(pairs, ends("kind = \"ftp\"\nvariant = \"vegas\"", 3));
    assert_ne!(pairs, ends("kind = \"ftp\"", 4));
}

#[test]
fn what_is_drawn_reads_back_the_same() {
    let resolved = resolve(&random("[random_flows]\ncount = 3")).expect("flows");
    let again = parse_toml("s.toml", &resolved.to_toml()).and_then(|scenario| scenario.resolve());
    let again = again.expect("a resolved scenario reads back");
    assert_eq!(again.positions, resolved.positions);
    assert_eq!(again.flows, resolved.flows);
    assert_eq!(again.to_toml(), resolved.to_toml());
}

#[test]
fn mistakes_say_what_is_accepted() {
    let sparse =
        "[topology]\nkind = \"random\"\nnodes = 3\nwidth = \"100 km\"\nheight = \"100 km\"\n";
    refused(
        &format!("{sparse}{FTP}"),
        r#"s.toml:4:1: topology.nodes = 3: in none of 1000 placements can each node reach each other one; accepted: more nodes, a smaller area, or more radio power"#,
    );
    refused(
        &random("[random_flows]\ncount = 20000"),
        r#"s.toml:3:1: random_flows.count = 20000: more than the 14280 pairs of different nodes; accepted: at most 14280"#,
    );
    refused(
        &random("[random_flows]\ncount = 2").replace("kind = \"ftp\"", "kind = \"ftp\"\nto = 5"),
        r#"s.toml:12:1: flow[0].to = 5: a node is named where random_flows draws one; accepted: no such key"#,
    );
    refused(
        &format!("{}{FTP}", random("[random_flows]\ncount = 2")),
        r#"s.toml:10:3: flow = [{"kind":"ftp"},{"kind":"ftp"}]: 2 flows to make random ones of; accepted: one flow, without from and to"#,
    );
    refused(
        &format!(
            "[topology]\nkind = \"grid\"\nrows = 2\ncolumns = 2\nspacing = \"1 m\"\ncorners = false\n{FTP}"
        ),
        r#"s.toml:4:1: topology.rows = 2: a grid of 0 nodes; accepted: rows and columns for at least 2 nodes"#,
    );
}
