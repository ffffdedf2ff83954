//! Wakes of the same instant and phase are taken in the order of nodes, and nothing depends on
//! it: a station acts on what began before, so that whoever wakes in the same nanosecond cannot
//! see it. Shuffling the order shows that.

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
