//! The steady state allocates nothing.
//!
//! Counted are two runs that differ in their length alone: what the longer one allocates more, it
//! allocates while it runs. Building and reporting cancel out. What is left are buffers that grow
//! to their greatest length when something happens for the first time, ever more rarely; and the
//! routing messages of DSR and DSDV, which carry lists on the heap.

#[allow(dead_code, reason = "the networks of all tests")]
mod common;

use acklab_base::Duration;
use acklab_scenario::Resolved;
use common::{chain, moving_networks, networks, options, run};

/// Allocations that one route failure may take where routes are carried on the heap, counted as
/// route errors sent plus link failures.
const PER_FAILURE: u64 = 6;

/// Buffers and tables of a node that may still grow to their greatest length after the warm-up.
const GROWTH_PER_NODE: u64 = 2;

/// How many allocations so many failures allow in a network.
fn allowed(resolved: &Resolved, failures: u64) -> u64 {
    GROWTH_PER_NODE * resolved.positions.len() as u64 + PER_FAILURE * failures
}

/// Allocations, events, and route failures of a run of some seconds.
fn allocations(resolved: &Resolved, seconds: u64) -> [u64; 3] {
    let mut resolved = resolved.clone();
    resolved.duration = Duration::from_secs(seconds);
    let mut world = acklab_world::build(&resolved, &options(1)).expect("the scenario can be built");
    let counted = allocation_counter::measure(|| {
        world.run(None);
    });
    let events = world.events();
    let measures = run(&resolved, &options(1)).measures;
    let failures = measures["rerr_sent"] + measures["link_failures"];
    [counted.count_total, events, failures as u64]
}

/// What happens between two times of the same run.
fn between(resolved: &Resolved, from: u64, to: u64) -> [u64; 3] {
    let (early, late) = (allocations(resolved, from), allocations(resolved, to));
    std::array::from_fn(|place| late[place] - early[place])
}

/// The papers' chain without route failures: not one allocation in 110 seconds.
#[test]
fn quiet_seconds_of_the_chain_allocate_nothing() {
    let [allocations, events, failures] = between(&chain(9, 130, "window = 1", ""), 20, 130);
    assert!(events > 100_000, "only {events} events");
    assert_eq!((allocations, failures), (0, 0));
}

/// With hidden terminals and false route failures, route errors, purged queues and new routes.
#[test]
fn a_hundred_busy_seconds_of_the_chain_only_let_buffers_grow() {
    let resolved = chain(9, 120, "window = 8", "");
    let [allocations, events, failures] = between(&resolved, 20, 120);
    println!("{allocations} allocations, {events} events, {failures} failures in 100 s");
    assert!(events > 50_000 && failures > 100);
    let growth = allowed(&resolved, 0);
    assert!(
        allocations <= growth,
        "{allocations} allocations in {events} events"
    );
}

#[test]
fn no_network_allocates_for_its_packets() {
    let moving = moving_networks().into_iter();
    let moving = moving.filter(|(name, _)| !name.contains("DSR"));
    for (name, resolved) in networks().into_iter().chain(moving) {
        let [allocations, events, failures] = between(&resolved, 5, 10);
        assert!(
            allocations <= allowed(&resolved, failures),
            "{name}: {allocations} allocations for {failures} failures in {events} events"
        );
    }
}
