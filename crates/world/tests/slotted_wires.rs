//! The slotted radio beside wires and agents: who takes a packet off the radio confirms it, and what
//! an agent sends is a packet of its own.

use crate::common::{integer, log, options, run, scenario};
use acklab_scenario::Resolved;

/// Radios 0 to 2 in a chain, and a host 3 on a wire to radio 2.
fn gateway(radio: &str, flows: &str) -> Resolved {
    scenario(&format!(
        "duration = \"20 s\"\nmeasure = {{ from = \"0 s\" }}\nwired_nodes = 1\n\
         [topology]\nkind = \"graph\"\nnodes = 3\nedges = [[0, 1], [1, 2]]\n[slotted]\n{radio}\n\
         [[point_to_point]]\nbetween = [2, 3]\nrate = \"10 Mbit/s\"\ndelay = \"2 ms\"\n{flows}"
    ))
}

/// A packet takes 2 slots to the gateway and 2 ms more; its ACK is back there within the third
/// slot, whose FRN ACK goes before it, takes slots 4 and 5, and the source's FRN ACK takes slot 6.
#[test]
fn a_gateway_confirms_what_it_takes_off_the_radio() {
    let flow = |from: u32, to: u32| {
        format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nvariant = \"reno\"\nwindow = 1\n\
             handshake = false\nstart = \"0 s\"\n"
        )
    };
    for duplicates in ["drop", "forward"] {
        let radio = format!("duplicates = \"{duplicates}\"");
        let measures = run(&gateway(&radio, &flow(0, 3)), &options(1)).measures;
        let [packets, missed, twice] =
            ["acked_packets", "slot_unechoed", "slot_duplicates"].map(|name| measures[name]);
        assert!((packets - 2_000.0 / 6.0).abs() < 1.0, "{packets} packets");
        assert!(missed + twice < 0.5, "{missed} without echo, {twice} again");
        // Both ways: only frames that meet are without an echo.
        let both = gateway(&radio, &(flow(0, 3) + &flow(3, 1)));
        let measures = run(&both, &options(1)).measures;
        assert!(measures["slot_missed_echo_gone"] < 0.5, "{measures:?}");
    }
}

/// Snoop answers a duplicate ACK that climbs at the gateway with a packet for the same neighbour:
/// that packet is data, and goes under its own name.
#[test]
fn what_an_agent_sends_is_no_relay() {
    let flows = "[[agent]]\nkind = \"snoop\"\nnode = 2\ntoward = 1\nmin_timer = \"5 s\"\n\
                 [[flow]]\nkind = \"ftp\"\nfrom = 3\nto = 1\nwindow = 20\nstart = \"0 s\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = 0\nto = 1\ninterval = \"70 ms\"\nstart = \"0 s\"\n";
    let resolved = gateway("lifetime = 12", flows);
    let answers = run(&resolved, &options(1)).measures["agent_retransmissions"];
    let by_timer = run(&resolved, &options(1)).measures["agent_timer_retransmissions"];
    assert!(answers - by_timer > 10.0, "{answers}, {by_timer} by timer");
    // What node 2 sends to node 1 is data, all else would be a name that is not its own.
    let sent = log(&resolved, &options(1));
    let sent = sent.iter().filter(|event| {
        event["kind"] == "slot_sent" && integer(event, "node") == 2 && event["to"] == 1
    });
    let mut frames = 0;
    for event in sent.filter(|event| event["what"] != "frn_ack") {
        frames += 1;
        assert_eq!(
            (&event["what"], integer(event, "source")),
            (&"data".into(), 2)
        );
    }
    assert!(frames > 100, "{frames} frames");
}

/// All nodes know at once how long a slot is: the result says that this is an idealisation.
#[test]
fn short_slots_are_told() {
    let flow = "[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 2\nstart = \"0 s\"\n";
    for (radio, told) in [("ack_slot = \"2 ms\"", true), ("", false)] {
        let warnings = run(&gateway(radio, flow), &options(1)).warnings;
        let warned = warnings.iter().any(|w| w.code == "slots_of_known_length");
        assert_eq!(warned, told, "{warnings:?}");
    }
}

/// Broadcasts of tables are told apart from frames for one neighbour.
#[test]
fn broadcasts_have_their_own_airtime() {
    let resolved = scenario(
        "duration = \"100 s\"\nmeasure = { from = \"0 s\" }\n[topology]\nkind = \"graph\"\nnodes = 2\n\
         edges = [[0, 1]]\n[slotted]\n[routing]\nprotocol = \"dsdv\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = 0\nto = 1\ninterval = \"5 s\"\nstart = \"50 s\"\n",
    );
    let measures = run(&resolved, &options(1)).measures;
    // No datagram is lost, so each is one frame; what else is sent are updates.
    let updates = measures["slot_data_frames"] - measures["sent_packets"];
    let (broadcast, unicast) = (measures["airtime_broadcast_s"], measures["airtime_data_s"]);
    assert!(
        updates > 10.0 && (broadcast - 0.01 * updates).abs() < 1e-6,
        "{broadcast} s"
    );
    let datagrams = 0.01 * measures["sent_packets"];
    assert!((unicast - datagrams).abs() < 1e-6, "{unicast} s");
}
