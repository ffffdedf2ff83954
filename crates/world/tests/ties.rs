//! Wakes of the same instant and phase are taken in the order of nodes, and nothing that one node does
//! to another one depends on it: a station acts on what began before, so that whoever wakes in the same
//! nanosecond cannot see it. Shuffling the order shows that. (Two flows that begin at one node in the
//! same nanosecond do come in the order of their numbers, which decides whose packet leaves first.)

use crate::common::{networks, options, run, scenario};
use acklab_world::RunOptions;

fn shuffled(seed: u64, shuffle: u64) -> RunOptions {
    RunOptions {
        shuffle_ties: Some(shuffle),
        ..options(seed)
    }
}

#[test]
fn no_digest_depends_on_the_order_of_ties() {
    let mut depend = Vec::new();
    for (name, resolved) in networks() {
        let plain = run(&resolved, &options(1)).digest;
        if (1..=3).any(|shuffle| run(&resolved, &shuffled(1, shuffle)).digest != plain) {
            depend.push(name);
        }
    }
    assert!(depend.is_empty(), "{depend:?} depend on the order of ties");
}

/// Six stations around a seventh begin in the same nanosecond, over and over.
#[test]
fn not_even_when_all_begin_at_once() {
    let flows: String = (1..=6)
        .map(|from| {
            format!(
                "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = 0\nstart = \"100 ms\"\n\
                 packet = \"200 B\"\ninterval = \"20 ms\"\n"
            )
        })
        .collect();
    for profile in ["ns2", "standard"] {
        let resolved = scenario(&format!(
            "duration = \"3 s\"\nprofile = \"{profile}\"\n[topology]\nkind = \"positions\"\n\
             positions = [[\"0 m\", \"0 m\"], [\"90 m\", \"0 m\"], [\"-90 m\", \"0 m\"], \
             [\"0 m\", \"90 m\"], [\"0 m\", \"-90 m\"], [\"54 m\", \"72 m\"], \
             [\"-54 m\", \"72 m\"]]\n[routing]\nprotocol = \"static\"\n[link]\narp = false\n{flows}"
        ));
        let plain = run(&resolved, &options(1));
        assert!(plain.measures["collisions"] > 10.0, "{profile}: no ties");
        for shuffle in 1..=5 {
            let mixed = run(&resolved, &shuffled(1, shuffle));
            assert_eq!(plain.digest, mixed.digest, "{profile}, shuffle {shuffle}");
        }
    }
}

/// Stations within a hand's breadth of each other, where light takes no whole nanosecond: a frame begins
/// everywhere after the instant in which it is sent, so that nobody can act on it in that instant.
#[test]
fn not_even_where_antennas_nearly_touch() {
    let positions: Vec<String> = (0..12)
        .map(|node| {
            let (x, y) = (node % 4 * 37, node / 4 * 41);
            format!("[\"0.{x:03} m\", \"0.{y:03} m\"]")
        })
        .collect();
    let flows: String = (0..6)
        .map(|flow| {
            let (from, to) = (flow, 11 - flow);
            format!("[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nstart = \"0 s\"\n")
        })
        .collect();
    for routing in ["aodv", "dsr"] {
        let resolved = scenario(&format!(
            "duration = \"2 s\"\n[topology]\nkind = \"positions\"\npositions = [{}]\n[radio]\n\
             capture_threshold = \"1 dB\"\n[routing]\nprotocol = \"{routing}\"\n{flows}",
            positions.join(", ")
        ));
        for seed in 1..=5 {
            let plain = run(&resolved, &options(seed)).digest;
            let eager = RunOptions {
                eager: true,
                ..options(seed)
            };
            assert_eq!(
                plain,
                run(&resolved, &eager).digest,
                "{routing}, seed {seed}, eager"
            );
            for shuffle in 1..=3 {
                let mixed = run(&resolved, &shuffled(seed, shuffle)).digest;
                assert_eq!(plain, mixed, "{routing}, seed {seed}, shuffle {shuffle}");
            }
        }
    }
}
