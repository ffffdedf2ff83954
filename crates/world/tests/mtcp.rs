//! M-TCP in a network with base stations: the sender waits through a handoff instead of timing out, and
//! no ACK tells of a byte that the mobile has not.

use crate::common::cells::{Access, shuttle};
use crate::common::{integer, log, options, run};
use std::collections::BTreeMap;

/// One handoff at 6.2 s, no random loss, no update by the routing at the handoff. With M-TCP the supervisory
/// host sits at the gateway.
fn road(supervised: bool) -> acklab_scenario::Resolved {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    let mobile = access.mobile(0);
    let (scheme, agent) = if supervised {
        (
            "m-tcp",
            "[[agent]]\nkind = \"m-tcp\"\nnode = 1\ntoward = 2\n",
        )
    } else {
        ("unaware", "")
    };
    let rest = shuttle(mobile, 0, 230)
        + &format!(
            "{agent}[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {mobile}\nstart = \"1 s\"\nwindow = 20\n\
             variant = \"reno\"\nhandoff = \"{scheme}\"\n"
        );
    access.scenario("11 s", "update_at_handoff = false", &rest)
}

#[test]
fn the_sender_waits_through_a_handoff() {
    let plain = run(&road(false), &options(1));
    let supervised = run(&road(true), &options(1));
    assert!(plain.flows[0]["timeouts"] > 0.5, "{:?}", plain.flows[0]);
    let flow = &supervised.flows[0];
    assert!(flow["timeouts"] < 0.5, "{flow:?}");
    assert!(supervised.measures["agent_windows_closed"] > 0.5);
    // The word on reconnection takes the new way and updates the route.
    let rerouted = supervised.samples.handoffs[0].rerouted_s.expect("rerouted");
    assert!(rerouted < 0.5, "{rerouted}");
    assert!(flow["delivered_packets"] > plain.flows[0]["delivered_packets"]);
}

/// Of each ACK that comes to the sender: the mobile had said as much before, and at most one byte more.
#[test]
fn the_sender_hears_what_the_mobile_said_but_for_one_byte() {
    let events = log(&road(true), &options(1));
    let mut said = 0;
    let mut held = BTreeMap::new();
    for event in &events {
        let node = integer(event, "node");
        if event["kind"] == "tcp_sent" && event["forward"] == false {
            said = said.max(integer(event, "ack"));
        } else if event["kind"] == "tcp_received" && node == 0 {
            let ack = integer(event, "ack");
            assert!(ack <= said, "{event}");
            *held.entry(said.saturating_sub(ack) % 1000).or_insert(0) += 1;
        }
    }
    // Either the whole ACK or one byte less: behind what was said meanwhile by whole packets.
    assert!(held.keys().all(|&bytes| bytes <= 1), "{held:?}");
    assert!(held[&1] > 100, "{held:?}");
}
