//! Figures 2, 3 and 6 of vaidya1999 as constructed scenarios: one packet is lost on the wireless
//! link, and what the sender gets to know of it is counted ACK by ACK.

mod common;

use common::{integer, log, options, run, scenario};
use serde_json::Value;

/// The path of the paper; the 40th packet is lost on the wireless link, once.
fn path(delay_ms: u32, arq: bool, snoop: bool, ack: &str) -> acklab_scenario::Resolved {
    let arq = if arq { "arq = {}" } else { "" };
    let agent = if snoop {
        "[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 2"
    } else {
        ""
    };
    scenario(&format!(
        "duration = \"3 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"2 Mbit/s\"\ndelay = \"{delay_ms} ms\"\n\
         errors_forward = {{kind = \"list\", frames = [40]}}\n{arq}\n{agent}\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nstart = \"0 s\"\npacket = \"960 B\"\n\
         window = 20\nhandshake = false\nlimited_transmit = false\nack = {ack}\n"
    ))
}

/// Duplicate ACKs that reached the sender.
fn dupacks(resolved: &acklab_scenario::Resolved) -> usize {
    let events = log(resolved, &options(1));
    let at_sender = |event: &&Value| {
        event["kind"] == "tcp_received" && integer(event, "node") == 0 && event["flow"] == 0
    };
    let acks: Vec<u64> = events
        .iter()
        .filter(at_sender)
        .map(|event| integer(event, "ack"))
        .collect();
    acks.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

fn is_one(count: f64) -> bool {
    (count - 1.0).abs() < 0.5
}

/// Figure 2: Snoop repairs the loss; the sender sees no duplicate ACK and cuts nothing.
#[test]
fn snoop_keeps_the_sender_unaware() {
    for delay_ms in [1, 20] {
        let resolved = path(delay_ms, false, true, "\"every\"");
        assert_eq!(dupacks(&resolved), 0, "{delay_ms} ms");
        let result = run(&resolved, &options(1));
        assert!(result.flows[0]["window_cuts"] < 0.5);
        let base_station = &result.nodes[1];
        assert!(is_one(base_station["agent_retransmissions"]));
        assert!(base_station["agent_suppressed"] > 1.5, "at {delay_ms} ms");
    }
}

/// Figure 3: with Delayed Dupacks the sender sees exactly two, and cuts nothing.
#[test]
fn delayed_dupacks_lets_two_through() {
    let ack = "{policy = \"delayed-dupacks\", delay = \"80 ms\"}";
    let resolved = path(20, true, false, ack);
    assert_eq!(dupacks(&resolved), 2);
    let result = run(&resolved, &options(1));
    assert!(result.flows[0]["window_cuts"] < 0.5);
    assert!(is_one(result.nodes[1]["p2p_retransmissions"]));
}

/// Figure 6, case A: at 1 ms two packets overtake the retransmission, and nothing happens. Case
/// B: at 20 ms many do, and the sender retransmits what was under way already.
#[test]
fn overtaking_decides_whether_the_sender_retransmits() {
    let near = path(1, true, false, "\"every\"");
    assert_eq!(dupacks(&near), 2);
    let near = run(&near, &options(1));
    assert!(near.flows[0]["fast_retransmits"] < 0.5);
    let far = path(20, true, false, "\"every\"");
    assert!(dupacks(&far) > 3);
    let far = run(&far, &options(1));
    assert!(is_one(far.flows[0]["fast_retransmits"]));
    assert!(is_one(far.nodes[1]["p2p_retransmissions"]));
}

/// Without either the sender finds the loss by itself.
#[test]
fn base_tcp_repairs_end_to_end() {
    let base = run(&path(20, false, false, "\"every\""), &options(1));
    assert!(is_one(base.flows[0]["fast_retransmits"]));
    assert!(is_one(base.flows[0]["retransmissions"]));
}
