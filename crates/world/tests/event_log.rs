//! The event log has as many events of a kind as the counters count.

use crate::common::{all_networks, chain, integer, log_text, options, run};
use acklab_scenario::Resolved;
use acklab_world::RunResult;
use serde_json::Value;

/// Kinds that the log never had, or had in part, and the counters that say how many there are.
const COUNTED: [(&str, &[&str]); 4] = [
    ("mac_retry", &["missing_cts", "missing_ack"]),
    ("route_request", &["rreq_sent"]),
    ("route_reply", &["rrep_sent"]),
    ("route_error", &["rerr_sent"]),
];

/// Events of these kinds that counters count: those from the beginning of measuring on.
fn measured(resolved: &Resolved, seed: u64) -> Vec<Value> {
    let from = resolved.measure_from.as_nanos();
    let is_counted = |line: &&str| COUNTED.iter().any(|(kind, _)| line.contains(kind));
    let text = log_text(resolved, &options(seed));
    let lines = text.lines().filter(is_counted);
    let events = lines.map(|line| serde_json::from_str(line).expect("every line is JSON"));
    events
        .filter(|event| integer(event, "time_ns") >= from)
        .collect()
}

fn count(events: &[Value], is_one: impl Fn(&Value) -> bool) -> usize {
    events.iter().filter(|event| is_one(event)).count()
}

/// What a node counted under these names.
fn counted(result: &RunResult, node: usize, names: &[&str]) -> usize {
    let node = result.nodes.get(node);
    let counts = names.iter().filter_map(|name| node.get(*name));
    counts.sum::<f64>() as usize
}

/// What all nodes counted under this name.
fn whole(result: &RunResult, name: &str) -> usize {
    result.measures[name] as usize
}

/// `mac_retry` and `route_reply` were documented and never logged; requests and errors that are passed on
/// were not.
#[test]
fn each_node_logs_what_it_counts() {
    let mut seen = [0; COUNTED.len()];
    for (name, resolved) in all_networks() {
        let (events, result) = (measured(&resolved, 3), run(&resolved, &options(3)));
        for (seen, (kind, names)) in seen.iter_mut().zip(COUNTED) {
            for node in 0..resolved.nodes as usize {
                let is_one = |event: &Value| event["kind"] == kind && event["node"] == node;
                let logged = count(&events, is_one);
                let counted = counted(&result, node, names);
                assert_eq!(logged, counted, "{kind} of node {node}: {name}");
                *seen += logged;
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 100), "{seen:?}");
}

/// A CTS that is awaited and an ACK are told apart, as the counters tell them apart.
#[test]
fn what_did_not_come_is_a_cts_or_an_ack() {
    let resolved = chain(9, 20, "window = 20", "");
    let (events, result) = (measured(&resolved, 3), run(&resolved, &options(3)));
    for (rts, name) in [(true, "missing_cts"), (false, "missing_ack")] {
        let is_one = |event: &Value| event["kind"] == "mac_retry" && event["rts"] == rts;
        assert_eq!(count(&events, is_one), whole(&result, name), "{name}");
    }
    let last_try = |event: &Value| event["rts"] == true && event["tries"] == 7;
    let given_up = count(&events, last_try);
    let dropped = whole(&result, "retry_drops");
    assert!(
        given_up > 0 && given_up <= dropped,
        "{given_up} of {dropped}"
    );
    let beyond = |event: &Value| event["kind"] == "mac_retry" && event["tries"].as_u64() > Some(7);
    assert_eq!(count(&events, beyond), 0);
}

/// Stations that only sensed a frame had told of its end before it came, if the run ended meanwhile.
#[test]
fn nothing_is_logged_that_lies_behind_the_end() {
    for (name, resolved) in all_networks() {
        let end = resolved.duration.as_nanos();
        let text = log_text(&resolved, &options(3));
        let last = text.lines().last().expect("something happens");
        let event: Value = serde_json::from_str(last).expect("every line is JSON");
        assert!(integer(&event, "time_ns") <= end, "{name}: {last}");
    }
}

/// A node's own requests are those in which it asks itself.
#[test]
fn own_requests_are_told_from_those_that_are_passed_on() {
    for protocol in ["aodv", "dsr"] {
        let routing = format!("[routing]\nprotocol = \"{protocol}\"");
        let resolved = chain(9, 20, "window = 20", &routing);
        let (events, result) = (measured(&resolved, 3), run(&resolved, &options(3)));
        let is_own =
            |event: &Value| event["kind"] == "route_request" && event["origin"] == event["node"];
        let own = count(&events, is_own);
        assert!(own > 0 && own < whole(&result, "rreq_sent"), "{protocol}");
        assert_eq!(own, whole(&result, "rreq_originated"), "{protocol}");
        let is_spent = |event: &Value| event["kind"] == "route_request" && event["ttl"] == 0;
        assert_eq!(count(&events, is_spent), 0, "{protocol}");
    }
}
