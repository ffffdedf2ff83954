//! Point-to-point links in a world: timelines by hand, counters that add up, captures.

use crate::common::{integer, log, options, run, scenario, wired_networks};
use serde_json::Value;

/// S - BS - WH of vaidya1999 with 1 ms: 10 Mbit/s and 20 ms, then 2 Mbit/s and 1 ms.
fn path(wireless: &str, flow: &str) -> acklab_scenario::Resolved {
    scenario(&format!(
        "duration = \"3 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\"\n{wireless}\n\
         [[flow]]\nkind = \"ftp\"\nstart = \"0 s\"\npacket = \"960 B\"\n{flow}\n"
    ))
}

fn times(events: &[Value], kind: &str, node: u64) -> Vec<u64> {
    let mine = events
        .iter()
        .filter(|event| event["kind"] == kind && integer(event, "node") == node);
    mine.map(|event| integer(event, "time_ns") / 1000).collect()
}

/// One packet there and its ACK back, in microseconds:
///
/// ```text
/// S   0 ─ 800 ─ 20800 BS ─ 24800 ─ 25800 WH            (1000 B: 0.8 ms and 4 ms)
/// S       46992 ─ 26992 ─ 26960 BS ─ 25960 ─ 25800 WH  (40 B: 0.16 ms and 0.032 ms)
/// ```
#[test]
fn a_packet_and_its_ack_take_the_time_worked_out_by_hand() {
    let events = log(
        &path("", "window = 2\ninitial_window = 1\nhandshake = false"),
        &options(1),
    );
    assert_eq!(times(&events, "tcp_received", 2)[0], 25_800);
    assert_eq!(times(&events, "tcp_received", 0)[0], 46_992);
    // The ACK opens the window: two packets, of which the second waits 0.8 ms at S and then at
    // BS until the first has gone.
    assert_eq!(
        times(&events, "tcp_received", 2)[1..3],
        [46_992 + 25_800, 46_992 + 29_800]
    );
}

/// A link ACK takes 500 ms and 14 B over a satellite: the usual timer of 100 ms would have all sent again
/// for ever. What it is by default lets the link work; what is too short is told.
#[test]
fn a_link_timer_lets_a_link_ack_come() {
    let satellite = |arq: &str| {
        scenario(&format!(
            "duration = \"9 s\"\n[topology]\nkind = \"nodes\"\nnodes = 2\n[[point_to_point]]\n\
             between = [0, 1]\nrate = \"1 Mbit/s\"\ndelay = \"250 ms\"\n{arq}\n[[flow]]\nkind = \"cbr\"\n\
             packet = \"960 B\"\ninterval = \"20 ms\"\nstart = \"0 s\"\n"
        ))
    };
    let timer = |arq: &str| {
        let arq = satellite(arq).links[0].arq;
        arq.expect("it has one").min_timer.as_nanos()
    };
    assert_eq!(timer("arq = {}"), 2 * (500_000_000 + 112_000));
    assert_eq!(timer("arq = {min_timer = \"1 ms\"}"), 1_000_000);
    let told = |arq: &str| {
        let result = run(&satellite(arq), &options(1));
        let codes = result.warnings.iter().map(|warning| warning.code);
        let too_short = codes.filter(|&code| code == "link_timer_too_short").count();
        (too_short, result.measures["p2p_retransmissions"] > 0.0)
    };
    assert_eq!(told("arq = {}"), (0, false));
    assert_eq!(told("arq = {min_timer = \"501 ms\"}"), (0, false));
    assert_eq!(told("arq = {min_timer = \"500 ms\"}"), (1, true));
}

/// The link loses packet 0 once; with retransmission the sender never learns of it.
#[test]
fn a_loss_is_repaired_by_the_link_and_seen_by_a_recorder() {
    let wireless = "errors_forward = {kind = \"list\", frames = [2]}\narq = {}";
    let resolved = path(wireless, "window = 8\ninitial_window = 8");
    let result = run(&resolved, &options(1));
    let node = &result.nodes.get(1);
    assert_eq!(
        (node["p2p_frames_lost"], node["p2p_retransmissions"]),
        (1.0, 1.0)
    );
    assert!(result.flows[0]["timeouts"] < 0.5 && result.flows[0]["retransmissions"] < 0.5);
    let events = log(&resolved, &options(1));
    let sights = |sight: &str, node: u64, again: bool| {
        let frames = events.iter().filter(|event| event["kind"] == "link_frame");
        let mine = frames.filter(|event| {
            event["sight"] == sight && integer(event, "node") == node && event["again"] == again
        });
        mine.map(|event| event["seq"].as_u64()).collect::<Vec<_>>()
    };
    let lost = sights("lost", 2, false);
    assert_eq!(lost.len(), 1);
    assert_eq!(
        sights("sent", 1, true),
        lost,
        "the same segment is sent again"
    );
    assert_eq!(sights("received", 2, true), lost, "and arrives");
}

/// Packets that were taken are delivered, destroyed, refused, given up, or still there.
#[test]
fn frames_of_every_network_add_up() {
    for (name, resolved) in wired_networks() {
        for seed in 1..=2 {
            let result = run(&resolved, &options(seed));
            let sum = |key: &str| result.nodes.iter().map(|node| node[key]).sum::<f64>();
            assert!(sum("p2p_frames_sent") > 100.0, "{name}");
            assert!(
                sum("p2p_retransmissions") <= sum("p2p_frames_sent"),
                "{name}"
            );
            let arrived = sum("p2p_frames_sent") - sum("p2p_frames_lost");
            let acks = sum("p2p_acks_sent") + sum("p2p_ack_queue_drops");
            // A few hundred frames may be on their way at the end.
            assert!(
                acks <= arrived,
                "{name}: {acks} link ACKs for {arrived} frames"
            );
            let busy = sum("p2p_busy_s");
            let all = 2.0 * resolved.links.len() as f64 * result.simulated_s;
            assert!(busy > 0.0 && busy <= all, "{name}: busy {busy} of {all}");
        }
    }
}

#[test]
fn a_node_without_a_radio_draws_no_power() {
    let named = wired_networks()
        .into_iter()
        .find(|(name, _)| *name == "links and radios");
    let (_, resolved) = named.expect("it is there");
    let result = run(&resolved, &options(1));
    let energy: Vec<bool> = result
        .nodes
        .iter()
        .map(|node| node["energy_j"] > 0.0)
        .collect();
    assert_eq!(energy, [true, true, true, false, false]);
    assert!(
        result
            .flows
            .iter()
            .all(|flow| flow["delivered_packets"] > 50.0)
    );
}

/// Congestion takes data packets alone: 3 % of them, and no ACK.
#[test]
fn congestion_takes_its_share_of_the_data() {
    let mut resolved = path("", "window = 20");
    resolved.links[0].data_loss = acklab_base::Share::from_percent(3);
    resolved.duration = acklab_base::Duration::from_secs(200);
    let result = run(&resolved, &options(1));
    let (sent, lost) = (
        result.flows[0]["sent_packets"],
        result.nodes.get(0)["p2p_congestion_drops"],
    );
    let share = lost / sent;
    assert!(
        sent > 5_000.0 && (0.025..0.035).contains(&share),
        "{lost} of {sent}"
    );
    assert!(
        result.nodes.get(1)["p2p_congestion_drops"] < 0.5,
        "BS sends ACKs alone on this link"
    );
}

/// The weather has an address: with or without retransmission the same
/// bytes are struck; link ACKs shift that by some bytes, here within one packet.
#[test]
fn the_first_loss_is_the_same_with_every_scheme() {
    let errors = "errors = {kind = \"exponential\", mean = \"30000 B\"}";
    let first_loss = |more: &str| {
        let events = log(
            &path(&format!("{errors}\n{more}"), "window = 8"),
            &options(3),
        );
        let lost = events
            .iter()
            .find(|event| event["sight"] == "lost")
            .cloned();
        lost.and_then(|event| event["seq"].as_u64())
    };
    assert!(first_loss("").is_some());
    assert_eq!(first_loss(""), first_loss("arq = {}"));
}
