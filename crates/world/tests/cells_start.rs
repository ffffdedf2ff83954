//! Mobiles at the start: no station in range is an error, whatever makes it so, and a mobile begins
//! with a station that is on.

use crate::common::cells::Access;
use crate::common::{options, run};
use acklab_world::{RunError, movement};

const ACCESS: Access = Access {
    left: 1,
    right: 1,
    mobiles: 1,
};

fn text(motion: &str) -> String {
    let mobile = ACCESS.mobile(0);
    let rest = format!(
        "[[cells.mobile]]\nnode = {mobile}\nmotion = {motion}\n[[flow]]\nkind = \"cbr\"\ninterval = \"50 ms\"\nfrom = 0\nto = {mobile}\n"
    );
    ACCESS.text("2 s", "", &rest)
}

/// An area of 2 km around stations that reach 193 m: each run that draws a start out of their reach is
/// refused and told where, and the others run.
#[test]
fn random_waypoint_that_starts_out_of_range_is_refused() {
    let resolved = crate::common::scenario(&text(
        "{kind = \"random-waypoint\", corner = [\"-1 km\", \"-100 m\"], size = [\"2 km\", \"200 m\"], \
         speeds = [\"1 m/s\", \"2 m/s\"], pause = \"0 s\"}",
    ));
    let mut refused = 0;
    for seed in 1..=20 {
        let script = movement(&resolved, seed, 0);
        let axis = |axis: &str| -> f64 {
            let start = format!("$node_({}) set {axis} ", ACCESS.mobile(0));
            let line = script.lines().find_map(|line| line.strip_prefix(&start));
            line.expect("a start").parse().expect("metres")
        };
        let (x, y) = (axis("X_"), axis("Y_"));
        let along = x.abs().min((x - 230.0).abs());
        let nearest = (along * along + y * y).sqrt();
        // -110 dBm: 10^(80 / 35) m.
        let result = acklab_world::run(&resolved, &options(seed), None);
        match result {
            Ok(_) => assert!(nearest < 193.1, "seed {seed}: {nearest} m"),
            Err(RunError::Scenario(error)) => {
                refused += 1;
                assert!(nearest > 193.0, "seed {seed}: {nearest} m");
                let said = error.to_string();
                let place = format!("at [{x:.1} m, {y:.1} m] in run 0 of seed {seed}");
                for part in [
                    "cells.mobile[0].motion: ",
                    "no base station is in range at the start: the strongest pilot is -1",
                    &place,
                    "accepted: a start where a pilot is at least -110.0 dBm (cells.reception)",
                ] {
                    assert!(said.contains(part), "{said}: {part}");
                }
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!((5..=19).contains(&refused), "{refused}");
}

/// Nearer the left station, which is off for a second: the mobile begins at the right one.
#[test]
fn a_mobile_begins_with_a_station_that_is_on() {
    let near = text("{kind = \"resting\", position = [\"100 m\", \"0 m\"]}");
    let left = format!("node = {}\nposition", ACCESS.left_station());
    let off = near.replacen(&left, &format!("off = [[\"0 s\", \"1 s\"]]\n{left}"), 1);
    assert_ne!(near, off);
    for (text, from) in [(near, vec![]), (off, vec![ACCESS.right_station()])] {
        let result = run(&crate::common::scenario(&text), &options(1));
        let left: Vec<u32> = (result.samples.handoffs.iter())
            .map(|one| one.from)
            .collect();
        assert_eq!(left, from);
        let lost = result.nodes.iter().map(|node| node["too_weak_packets"]);
        assert!(lost.sum::<f64>() < 0.5);
        assert!(result.flows[0]["delivered_packets"] > 10.0);
    }
}
