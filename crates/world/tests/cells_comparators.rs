//! Comparators across a handoff, without and with 802.11 below: what an agent on each station or a
//! scheme of the mobile does there must leave TCP whole.
//!
//! The mobile goes from the left station to the right one and turns at about 6.2 s. What its receiver must
//! have delivered is counted anew from the segments that came in.

use crate::common::cells::{Access, shuttle};
use crate::common::{integer, log_text, options, run};
use acklab_scenario::Resolved;
use serde_json::Value;
use std::collections::BTreeMap;

const ACCESS: Access = Access {
    left: 1,
    right: 2,
    mobiles: 1,
};
/// Losses of packets; and so many of frames that 802.11 gives some packets up.
const MACS: [&str; 2] = ["loss = \"2 %\"", "mac = \"802.11\"\nloss = \"20 %\""];
/// The number of the first byte.
const FIRST: u64 = 1;
const S: u64 = 1_000_000_000;

/// A connection to the mobile, with an agent of this kind (if any) on both stations.
fn road(mac: &str, agent: Option<&str>, flow: &str) -> Resolved {
    let mobile = ACCESS.mobile(0);
    let stations = [ACCESS.left_station(), ACCESS.right_station()];
    let agents: String = agent
        .into_iter()
        .flat_map(|kind| {
            stations.map(|node| {
                format!("[[agent]]\nkind = \"{kind}\"\nnode = {node}\ntoward = {mobile}\n")
            })
        })
        .collect();
    let rest = shuttle(mobile, 0, 230)
        + &agents
        + &format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {mobile}\nstart = \"1 s\"\nwindow = 8\n\
             handshake = false\nvariant = \"reno\"\n{flow}\n"
        );
    ACCESS.scenario("13 s", mac, &rest)
}

/// What tells of received segments, of deliveries and of handoffs.
fn told(resolved: &Resolved) -> Vec<Value> {
    let kinds = ["tcp_received", "delivered", "attached"].map(|kind| format!("\"{kind}\""));
    let wanted = |line: &&str| kinds.iter().any(|kind| line.contains(kind));
    let text = log_text(resolved, &options(1));
    let lines = text.lines().filter(wanted);
    lines
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

/// When how many bytes were there in order for the first time, by the segments that the mobile received.
fn in_order(events: &[Value]) -> Vec<(u64, u64)> {
    let mobile = u64::from(ACCESS.mobile(0));
    let mut ahead: BTreeMap<u64, u64> = BTreeMap::new();
    let mut next = FIRST;
    let mut advances = Vec::new();
    let data = |one: &&Value| one["kind"] == "tcp_received" && integer(one, "node") == mobile;
    for one in events.iter().filter(data) {
        let bytes = integer(one, "len_bytes");
        ahead.insert(integer(one, "seq"), bytes);
        let before = next;
        while let Some(bytes) = ahead.remove(&next) {
            next += bytes;
        }
        if next > before {
            advances.push((integer(one, "time_ns"), next - before));
        }
    }
    advances
}

/// The mobile was given each byte once and in order: what was delivered, and when, is what the segments
/// that it received allow.
#[track_caller]
fn whole(events: &[Value], what: &str) -> Vec<(u64, u64)> {
    let delivered = events.iter().filter(|one| one["kind"] == "delivered");
    let mine = delivered.filter(|one| integer(one, "node") == u64::from(ACCESS.mobile(0)));
    let seen: Vec<_> = mine
        .map(|one| (integer(one, "time_ns"), integer(one, "bytes")))
        .collect();
    let expected = in_order(events);
    let parts = seen.iter().zip(&expected).find(|(one, other)| one != other);
    assert_eq!(parts, None, "{what}");
    assert_eq!(seen.len(), expected.len(), "{what}");
    seen
}

fn handoffs(events: &[Value]) -> Vec<u64> {
    let attached = events.iter().filter(|one| one["kind"] == "attached");
    attached.map(|one| integer(one, "time_ns")).collect()
}

/// Packets delivered from so many seconds behind an instant to so many.
fn packets(delivered: &[(u64, u64)], at: u64, [from, to]: [u64; 2]) -> u64 {
    let within = |time: u64| (at + from * S..at + to * S).contains(&time);
    let all = delivered.iter().filter(|(time, _)| within(*time));
    all.map(|(_, bytes)| bytes / 1_000).sum()
}

/// Whole, and from three seconds behind each handoff on a third as busy at least as long before it.
#[track_caller]
fn survives(agent: Option<&str>, flow: &str, acts: &str) {
    for mac in MACS {
        let resolved = road(mac, agent, flow);
        let events = told(&resolved);
        let what = format!("{agent:?} {flow} {mac}");
        let delivered = whole(&events, &what);
        let handoffs = handoffs(&events);
        assert_eq!(handoffs.len(), 1, "{what}");
        let before = packets(&delivered, 2 * S, [0, 3]);
        for at in handoffs {
            let after = packets(&delivered, at, [3, 6]);
            assert!(
                3 * after > before && before > 60,
                "{what}: {before}, {after}"
            );
        }
        let result = run(&resolved, &options(1));
        let of_flow = result.flows[0].get(acts);
        let count = of_flow.or(result.measures.get(acts)).expect("a measure");
        assert!(*count > 0.5, "{what}: no {acts}");
    }
}

#[test]
fn snoop_leaves_tcp_whole() {
    survives(Some("snoop"), "", "agent_retransmissions");
}

#[test]
fn loss_notices_leave_tcp_whole() {
    survives(Some("loss-notice"), "eln = true", "agent_marked");
}

#[test]
fn freezing_leaves_tcp_whole() {
    survives(None, "handoff = \"freeze\"", "acks_of_window");
}

/// A split that no state is handed over from: what came until the handoff came whole; then the
/// connection is over, and what the old station had acknowledged and not delivered is lost.
#[test]
fn a_split_ends_at_the_handoff() {
    for mac in MACS {
        let resolved = road(mac, Some("split"), "");
        let events = told(&resolved);
        let delivered = whole(&events, mac);
        let handoffs = handoffs(&events);
        assert_eq!(handoffs.len(), 1);
        assert!(packets(&delivered, 2 * S, [0, 3]) > 60, "{mac}");
        assert_eq!(packets(&delivered, handoffs[0], [1, 6]), 0, "{mac}");
        let result = run(&resolved, &options(1));
        let flow = &result.flows[0];
        assert!(
            flow["acked_packets"] > flow["delivered_packets"],
            "{flow:?}"
        );
        // The result says what is not modelled: of beacons only where frames take turns on the air.
        let count = |code| {
            result
                .warnings
                .iter()
                .find(|w| w.code == code)
                .map(|w| w.count)
        };
        assert_eq!(count("split_left_behind"), Some(1), "{mac}");
        let beacons = count("beacons_off_air");
        assert_eq!(beacons.is_some(), mac.contains("802.11"), "{mac}");
        // Those of the whole run, the measure's those of a part.
        assert!(beacons.is_none_or(|all| all as f64 >= result.measures["beacons_heard"]));
    }
}
