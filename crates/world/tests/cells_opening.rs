//! Connections that open around a handoff: what opens while the signal is low begins as its scheme has it
//! then, and where there is no connection nobody says anything.
//!
//! The mobile goes from the left station to the right one, turns at about 6.2 s, and its signal is low
//! from about 5.4 s to 6.5 s: the log tells when.

use crate::common::cells::{Access, MS, shuttle};
use crate::common::{integer, log, options, run};
use acklab_scenario::Resolved;
use serde_json::Value;

const ACCESS: Access = Access {
    left: 1,
    right: 2,
    mobiles: 1,
};

fn road(flow: &str) -> Resolved {
    ACCESS.scenario("9 s", "", &(shuttle(ACCESS.mobile(0), 0, 230) + flow))
}

/// A connection of this kind from one node to another; 60 kB a transfer.
fn flow(kind: &str, [from, to]: [u32; 2], start: &str, rest: &str) -> String {
    let size = match kind {
        "sessions" => "size = \"60 kB\"\npause = \"50 s\"\n",
        _ => "",
    };
    format!(
        "[[flow]]\nkind = \"{kind}\"\nfrom = {from}\nto = {to}\nstart = \"{start}\"\nvariant = \"reno\"\n\
         window = 20\n{size}{rest}\n"
    )
}

/// The first period of low signal.
fn low(events: &[Value]) -> [u64; 2] {
    let signals = events.iter().filter(|one| one["kind"] == "signal");
    let times: Vec<u64> = signals.map(|one| integer(one, "time_ns")).collect();
    assert!((5_000 * MS..6_000 * MS).contains(&times[0]), "{times:?}");
    [times[0], times[1]]
}

/// When a node sent segments of a direction, and their windows.
fn sent(events: &[Value], forward: bool) -> Vec<(u64, u64)> {
    let sent = |one: &&Value| one["kind"] == "tcp_sent" && one["forward"] == forward;
    let all = events.iter().filter(sent);
    all.map(|one| (integer(one, "time_ns"), integer(one, "window_bytes")))
        .collect()
}

/// Before its flow starts a receiver has nothing to close or to open, with or without a handshake; its ACK
/// would come to a sender that knows of nothing.
#[test]
fn a_connection_that_opens_after_a_handoff_opens() {
    let mobile = ACCESS.mobile(0);
    let supervisor = "[[agent]]\nkind = \"m-tcp\"\nnode = 1\ntoward = 2\n";
    for (scheme, agent) in [("freeze", ""), ("m-tcp", supervisor)] {
        for handshake in [true, false] {
            let rest = format!("handoff = \"{scheme}\"\nhandshake = {handshake}");
            let flow = agent.to_owned() + &flow("ftp", [0, mobile], "7 s", &rest);
            let resolved = road(&flow);
            let result = run(&resolved, &options(1));
            let delivered = result.flows[0]["delivered_packets"];
            assert!(delivered > 50.0, "{scheme} {handshake}: {delivered}");
            let events = log(&resolved, &options(1));
            let first = sent(&events, false)[0].0;
            assert!(first > 7_000 * MS, "{scheme} {handshake}: {first}");
        }
    }
}

/// ACKs of a connection that opens while the signal is low are paced from the first one on, and those that
/// wait when it is good again leave then.
#[test]
fn acks_of_a_connection_that_opens_while_the_signal_is_low_are_paced() {
    for kind in ["ftp", "sessions"] {
        for handshake in [true, false] {
            let rest = format!("handoff = \"pacing\"\nhandshake = {handshake}");
            let flow = flow(kind, [0, ACCESS.mobile(0)], "5600 ms", &rest);
            let events = log(&road(&flow), &options(1));
            let [begins, ends] = low(&events);
            let acks = sent(&events, false);
            let while_low = acks.iter().filter(|ack| (begins..ends).contains(&ack.0));
            let times: Vec<u64> = while_low.map(|ack| ack.0).collect();
            assert!(times.len() >= 4, "{kind} {handshake}: {times:?}");
            let close = times.windows(2).find(|two| two[1] - two[0] < 100 * MS);
            assert_eq!(close, None, "{kind} {handshake}");
        }
    }
}

/// The SYN's answer closes the window already; without a handshake the first ACK does.
#[test]
fn a_connection_that_opens_while_the_signal_is_low_opens_frozen() {
    for kind in ["ftp", "sessions"] {
        for handshake in [true, false] {
            let rest = format!("handoff = \"freeze\"\nhandshake = {handshake}");
            let flow = flow(kind, [0, ACCESS.mobile(0)], "5600 ms", &rest);
            let resolved = road(&flow);
            let events = log(&resolved, &options(1));
            let [_, ends] = low(&events);
            let acks = sent(&events, false);
            assert!(acks[0].0 < ends);
            let open = acks.iter().find(|ack| ack.1 > 0).map(|ack| ack.0);
            assert_eq!(open, Some(ends), "{kind} {handshake}");
            let delivered = run(&resolved, &options(1)).flows[0]["delivered_packets"];
            assert!(delivered > 30.0, "{kind} {handshake}: {delivered}");
        }
    }
}

/// A mobile that sends paces what it opens while the signal is low, and what its window allows leaves when
/// that is good again, in transfers as in a connection without end.
#[test]
fn data_of_a_connection_that_opens_while_the_signal_is_low_is_paced() {
    for kind in ["ftp", "sessions"] {
        for handshake in [true, false] {
            let rest = format!("handoff = \"pacing\"\nhandshake = {handshake}");
            let flow = flow(kind, [ACCESS.mobile(0), 0], "5600 ms", &rest);
            let events = log(&road(&flow), &options(1));
            let [begins, ends] = low(&events);
            let times: Vec<u64> = sent(&events, true).iter().map(|one| one.0).collect();
            let paced = times.iter().filter(|at| (begins..ends).contains(*at));
            // The SYN and the first packet are not.
            let paced: Vec<u64> = paced.copied().skip(usize::from(handshake)).collect();
            assert!(paced.len() >= 4, "{kind} {handshake}: {paced:?}");
            let close = paced.windows(2).find(|two| two[1] - two[0] < 100 * MS);
            assert_eq!(close, None, "{kind} {handshake}");
            let at_once = times.iter().filter(|&&at| at == ends).count();
            assert!(at_once > 0, "{kind} {handshake}: {times:?}");
        }
    }
}
