//! Stations that fold are stations that do not: a run of one kind is the run of the other, in every bit.
//!
//! Each random network has a seed, which a failure prints with the scenario.

mod networks;

use crate::common::{options, run, scenario, tries};
use acklab_scenario::Resolved;
use acklab_world::{RunOptions, RunResult, World, build};
use networks::network;
use std::sync::atomic::AtomicBool;

/// How many networks are tried unless another number is asked for.
const NETWORKS: u64 = 400;

/// Seeds of networks that ended before the last frame had come to all who heard it.
const ONCE_WRONG: [u64; 6] = [136, 1_411, 4_429, 7_660, 10_794, 14_446];

/// The world of a scenario, of stations that fold or of others.
fn world((text, resolved): &(String, Resolved), folds: bool, seed: u64) -> (World, RunOptions) {
    let options = RunOptions {
        eager: !folds,
        ..options(seed)
    };
    let world = build(resolved, &options).expect("the scenario can be built");
    assert_eq!(world.folds(), folds, "seed {seed}\n{text}");
    (world, options)
}

/// What of two runs is not the same.
fn difference(one: &RunResult, other: &RunResult) -> Option<String> {
    let text = |value: &RunResult| serde_json::to_string(value).expect("a result is text");
    let what = if one.digest != other.digest {
        "the digest"
    } else if one.events != other.events {
        "the number of events"
    } else if one.measures != other.measures {
        "the measures"
    } else if one.flows != other.flows {
        "the measures of flows"
    } else if one.nodes != other.nodes {
        "the measures of nodes"
    } else if one.samples != other.samples {
        "the samples"
    } else if one != other || text(one) != text(other) {
        "the result"
    } else {
        return None;
    };
    let numbers = |of: &RunResult| -> Vec<_> {
        let nodes = of.nodes.iter().flatten().collect::<Vec<_>>();
        of.measures
            .iter()
            .map(|(k, v)| (*k, *v))
            .chain(nodes)
            .collect()
    };
    let (ones, others) = (numbers(one), numbers(other));
    let first = ones.iter().zip(&others).find(|(a, b)| a != b);
    Some(format!("{what}: {first:?}"))
}

fn same(one: &RunResult, other: &RunResult, of: (&str, u64, &str)) {
    if let Some(what) = difference(one, other) {
        let (pair, seed, text) = of;
        panic!("seed {seed}, {pair}: {what}\n{text}");
    }
}

fn check_one(network: &(String, Resolved), seed: u64) {
    let result = |folds: bool| {
        let (mut world, options) = world(network, folds, seed);
        let complete = world.run(None);
        world.into_result(&options, complete)
    };
    let of = ("folded and not", seed, &*network.0);
    same(&result(true), &result(false), of);
}

fn check(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        check_one(&network(seed), seed);
    }
}

#[test]
fn folding_changes_nothing_in_random_networks_with_even_seeds() {
    check((0..tries(NETWORKS)).filter(|seed| seed % 2 == 0));
}

#[test]
fn folding_changes_nothing_in_random_networks_with_odd_seeds() {
    check((0..tries(NETWORKS)).filter(|seed| seed % 2 == 1));
}

#[test]
fn folding_changes_nothing_where_it_once_did() {
    check(ONCE_WRONG.into_iter());
}

/// Six stations far apart, each of which hears its neighbours alone: wherever the run ends, much is on its way.
#[test]
fn wherever_a_run_ends_it_is_the_same() {
    let flow = |from: u32, to: u32| {
        format!(
            "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = {to}\nstart = \"{from}00 us\"\n\
             packet = \"100 B\"\ninterval = \"900 us\"\n"
        )
    };
    let flows = [(0, 1), (2, 1), (3, 4), (5, 4)].map(|(from, to)| flow(from, to));
    for step in 0..400 {
        let text = format!(
            "duration = \"{} ns\"\n[measure]\nfrom = \"0 s\"\n[topology]\nkind = \"chain\"\nnodes = 6\n\
             spacing = \"3900 m\"\n[radio]\nrx_threshold = \"3.76e-16 W\"\ncs_threshold = \"3.76e-16 W\"\n\
             [mac]\ncw_min = 3\nslot = \"1 us\"\nsifs = \"30 us\"\n[link]\ndelay = \"30 us\"\narp = false\n\
             [routing]\nprotocol = \"static\"\n{}",
            10_000_000 + step * 5_003,
            flows.concat()
        );
        let resolved = scenario(&text);
        check_one(&(text, resolved), step);
    }
}

/// Frames that come and go within SIFS overtake what is handed up at its end: such stations do not fold.
#[test]
fn sifs_longer_than_frames_changes_nothing() {
    let resolved = scenario(
        "duration = \"600 ms\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n[radio]\n\
         cs_threshold = \"1.28e-10 W\"\n[mac]\ndata_rate = \"11 Mbit/s\"\nbasic_rate = \"11 Mbit/s\"\n\
         short_retry_limit = 2\ncw_min = 15\nslot = \"355 us\"\nsifs = \"2240 us\"\n[link]\n\
         delay = \"2240 us\"\n[queue]\ncapacity = 4\n[[flow]]\nkind = \"ftp\"\nfrom = 3\nto = 2\n\
         start = \"0 s\"\nvariant = \"reno\"\n[[flow]]\nkind = \"cbr\"\nfrom = 4\nto = 3\n\
         start = \"10 ms\"\npacket = \"453 B\"\ninterval = \"15827 us\"\njitter = \"3599 us\"\n",
    );
    for seed in 0..30 {
        let eager = RunOptions {
            eager: true,
            ..options(seed)
        };
        let (usual, eager) = (run(&resolved, &options(seed)), run(&resolved, &eager));
        assert_eq!(difference(&usual, &eager), None, "seed {seed}");
    }
}

/// A run that somebody stops again and again comes to the same end.
#[test]
fn a_run_that_is_stopped_goes_on_where_it_was() {
    let mut stops = 0;
    for seed in 0..tries(NETWORKS) / 4 {
        let network = network(seed);
        let (mut whole, options) = world(&network, true, seed);
        assert!(whole.run(None));
        let (mut stopped, _) = world(&network, true, seed);
        while !stopped.run(Some(&AtomicBool::new(true))) {
            stops += 1;
        }
        let whole = whole.into_result(&options, true);
        let stopped = stopped.into_result(&options, true);
        same(&whole, &stopped, ("whole and in pieces", seed, &network.0));
    }
    assert!(stops > 5, "{stops} stops");
}

/// Networks so quiet that nothing goes wrong in them would test nothing.
#[test]
fn the_networks_are_not_quiet() {
    let results: Vec<RunResult> = (0..40)
        .map(|seed| {
            let (mut world, options) = world(&network(seed), true, seed);
            let complete = world.run(None);
            world.into_result(&options, complete)
        })
        .collect();
    for name in [
        "collisions_hidden",
        "collisions_same_slot",
        "capture_lost",
        "missing_cts",
        "missing_ack",
        "retry_drops",
        "queue_drops",
        "link_failures",
        "false_route_failures",
        "timeouts",
    ] {
        let sum: f64 = results.iter().map(|result| result.measures[name]).sum();
        assert!(sum > 0.0, "no {name}");
    }
}
