//! Stations are settled late, but exactly: the digest of a run is that of a run in which every
//! station is settled at every edge on the air.

use crate::common::{all_networks, options, run};
use acklab_world::RunOptions;

fn eager_is_lazy(places: impl Fn(usize) -> bool) {
    for (place, (name, resolved)) in all_networks().into_iter().enumerate() {
        if !places(place) {
            continue;
        }
        for seed in 1..=3 {
            let lazy = run(&resolved, &options(seed));
            let eager = run(
                &resolved,
                &RunOptions {
                    eager: true,
                    ..options(seed)
                },
            );
            assert_eq!(lazy.digest, eager.digest, "{name}, seed {seed}");
            assert_eq!(lazy.measures, eager.measures, "{name}, seed {seed}");
            assert_eq!(lazy.nodes, eager.nodes, "{name}, seed {seed}");
        }
    }
}

// Two halves, so that two cores share them.
#[test]
fn settling_late_changes_nothing_first_half() {
    eager_is_lazy(|place| place % 2 == 0);
}

#[test]
fn settling_late_changes_nothing_second_half() {
    eager_is_lazy(|place| place % 2 == 1);
}

/// 2 025 stations on a grid with 110 m between them, so that each frame meets others.
#[test]
fn settling_late_changes_nothing_in_a_large_network() {
    let places: Vec<String> = (0..2_025)
        .map(|node| format!("[\"{} m\", \"{} m\"]", node % 45 * 110, node / 45 * 110))
        .collect();
    let flows: String = (0..60)
        .map(|flow| {
            let from = flow * 33;
            let to = from + 2;
            format!(
                "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nwindow = 4\nstart = \"0 s\"\n"
            )
        })
        .collect();
    let resolved = crate::common::scenario(&format!(
        "duration = \"200 ms\"\n[routing]\nprotocol = \"static\"\n[topology]\nkind = \"positions\"\n\
         positions = [{}]\n{flows}",
        places.join(", ")
    ));
    let lazy = run(&resolved, &options(1));
    let eager = RunOptions {
        eager: true,
        ..options(1)
    };
    let eager = run(&resolved, &eager);
    assert!(
        lazy.measures["rts_sent"] > 300.0,
        "{:?}",
        lazy.measures["rts_sent"]
    );
    assert_eq!(lazy.digest, eager.digest);
    assert_eq!(lazy.measures, eager.measures);
    assert_eq!(lazy.nodes, eager.nodes);
}

/// The log of receptions is the same too, not only what the digest covers.
#[test]
fn settling_late_logs_the_same() {
    for (name, resolved) in all_networks() {
        if !["nine nodes", "standard", "strongest captures"].contains(&name) {
            continue;
        }
        let lazy = crate::common::log_text(&resolved, &options(5));
        let eager = RunOptions {
            eager: true,
            ..options(5)
        };
        let eager = crate::common::log_text(&resolved, &eager);
        let differs = lazy.lines().zip(eager.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}");
        assert_eq!(lazy.len(), eager.len(), "{name}");
    }
}
