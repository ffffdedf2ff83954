//! Figures 2, 3 and 6 of vaidya1999 as constructed scenarios: one packet is lost on the wireless
//! link, and what the sender gets to know of it is counted ACK by ACK.

use crate::common::{integer, log, options, run, scenario};
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
        let base_station = &result.nodes.get(1);
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
    assert!(is_one(result.nodes.get(1)["p2p_retransmissions"]));
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
    assert!(is_one(far.nodes.get(1)["p2p_retransmissions"]));
}

/// Without either the sender finds the loss by itself.
#[test]
fn base_tcp_repairs_end_to_end() {
    let base = run(&path(20, false, false, "\"every\""), &options(1));
    assert!(is_one(base.flows[0]["fast_retransmits"]));
    assert!(is_one(base.flows[0]["retransmissions"]));
}

/// A transfer over the path of the paper with an error in 16 384 bytes, at some congestion.
fn lossy(agent: &str, more: &str) -> acklab_scenario::Resolved {
    let agent = match agent {
        "" => String::new(),
        kind => format!("[[agent]]\nkind = \"{kind}\"\nnode = 1\ntoward = 2"),
    };
    scenario(&format!(
        "duration = \"12 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         data_loss = \"0.5 %\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
         errors = {{kind = \"exponential\", mean = \"16384 B\"}}\n{agent}\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nstart = \"0 s\"\npacket = \"960 B\"\n\
         window = 20\n{more}\n"
    ))
}

/// Headers that cannot be read: Snoop, loss notices and a split do nothing at all, and the run is
/// that of base TCP, event for event.
#[test]
fn agents_are_blind_to_encrypted_headers() {
    let base = run(&lossy("", ""), &options(1));
    for agent in ["snoop", "loss-notice", "split"] {
        let heeds = if agent == "loss-notice" {
            "eln = true"
        } else {
            ""
        };
        let seen = run(&lossy(agent, heeds), &options(1));
        assert_ne!(seen.digest, base.digest, "{agent} acts on plain headers");
        let hidden = format!("{heeds}\nencrypted = true");
        let blind = run(&lossy(agent, &hidden), &options(1));
        assert_eq!(blind.digest, base.digest, "{agent}");
    }
    let dupacks = "ack = {policy = \"delayed-dupacks\", delay = \"80 ms\"}";
    let plain = run(&lossy("", dupacks), &options(1));
    let hidden = run(
        &lossy("", &format!("{dupacks}\nencrypted = true")),
        &options(1),
    );
    assert_eq!(
        plain.digest, hidden.digest,
        "Delayed Dupacks need no header"
    );
}

/// A split connection repairs losses of the wireless link by itself, and acknowledges to the sender
/// what the receiver does not have yet; Snoop never does the latter.
#[test]
fn a_split_acknowledges_what_has_not_arrived() {
    let ahead = |agent: &str| {
        let result = run(&lossy(agent, ""), &options(1));
        let flow = &result.flows[0];
        (flow["acked_packets"] - flow["delivered_packets"], result)
    };
    let (split, result) = ahead("split");
    assert!(split > 100.0, "{split} packets ahead");
    assert!(result.nodes.get(1)["agent_acks_sent"] > 1_000.0);
    assert!(result.nodes.get(1)["agent_retransmissions"] > 20.0);
    for agent in ["", "snoop", "loss-notice"] {
        let (others, _) = ahead(agent);
        assert!(others <= 0.5, "{agent}: {others}");
    }
}

/// With and without a handshake the wireless half gets on faster than the sender alone would.
#[test]
fn a_split_works_with_and_without_a_handshake() {
    let base = run(&lossy("", ""), &options(3));
    for handshake in [true, false] {
        let resolved = lossy("split", &format!("handshake = {handshake}"));
        let split = run(&resolved, &options(3));
        let goodput = |result: &acklab_world::RunResult| result.flows[0]["delivered_packets"];
        assert!(goodput(&split) > 1.2 * goodput(&base), "{handshake}");
    }
}

/// Flows at a base station that starts some of them itself, split there or not.
fn at_the_base_station(starts: &[u32], split: bool) -> acklab_world::RunResult {
    let agent = if split {
        "[[agent]]\nkind = \"split\"\nnode = 1\ntoward = 2\n"
    } else {
        ""
    };
    let flow = |from: &u32| format!("[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = 2\n");
    let flows: String = starts.iter().map(flow).collect();
    let resolved = scenario(&format!(
        "duration = \"5 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"64 kbit/s\"\ndelay = \"1 ms\"\n\
         {agent}{flows}"
    ));
    run(&resolved, &options(1))
}

/// What starts at the base station has no wired half: it passes as if there were no agent, also
/// beside a connection that is split.
#[test]
fn what_starts_at_the_base_station_is_not_split() {
    let (alone, without) = (
        at_the_base_station(&[1], true),
        at_the_base_station(&[1], false),
    );
    assert_eq!(alone.digest, without.digest);
    assert!(alone.flows[0]["delivered_packets"] > 10.0);
    let both = at_the_base_station(&[0, 1], true);
    let ahead = |flow: usize| {
        let flow = &both.flows[flow];
        flow["acked_packets"] - flow["delivered_packets"]
    };
    assert!(ahead(0) > 10.0, "{} packets ahead", ahead(0));
    assert!(ahead(1) < 0.5, "{} packets ahead", ahead(1));
    assert!(both.flows[1]["delivered_packets"] > 1.0);
}

/// Marked ACKs make the sender repair losses of the wireless link without a cut.
#[test]
fn loss_notices_spare_the_window() {
    let told = run(&lossy("loss-notice", "eln = true"), &options(1));
    let base = run(&lossy("", ""), &options(1));
    assert!(told.nodes.get(1)["agent_marked"] > 20.0);
    assert!(told.flows[0]["loss_notices"] > 20.0);
    let goodput = |result: &acklab_world::RunResult| result.flows[0]["delivered_packets"];
    assert!(goodput(&told) > 1.5 * goodput(&base));
}

/// What agents say that they hold: a split what it acknowledged and the wireless host has not, byte by
/// byte; Snoop a part of a window at any time, and the notifier numbers alone.
#[test]
fn what_agents_hold_is_told_byte_by_byte() {
    let (mut acknowledged, mut had, mut most) = (1, 1, 0);
    for event in log(&lossy("split", ""), &options(1)) {
        let kind = event["kind"].as_str().expect("a kind");
        let is_ack = event["forward"] == false && integer(&event, "node") == 1;
        match kind {
            "agent" if event["act"] == "acknowledged" => {
                acknowledged = acknowledged.max(integer(&event, "ack"));
            }
            "link_frame" if is_ack && event["sight"] == "received" => {
                had = had.max(integer(&event, "ack"));
            }
            "agent_holds" => {
                assert_eq!(integer(&event, "node"), 1);
                assert_eq!(integer(&event, "data_bytes"), acknowledged - had);
                most = most.max(acknowledged - had);
            }
            _ => {}
        }
    }
    assert!(most > 100_000, "{most}");
    for (agent, least, bound) in [("snoop", 960, 20 * 960), ("loss-notice", 0, 0)] {
        let all = log(&lossy(agent, ""), &options(1));
        let holds = all.iter().filter(|event| event["kind"] == "agent_holds");
        let data: Vec<u64> = holds.map(|event| integer(event, "data_bytes")).collect();
        let most = *data.iter().max().expect("it holds something");
        assert!((least..=bound).contains(&most), "{agent}: {most}");
    }
    let none = log(&lossy("", ""), &options(1));
    assert!(none.iter().all(|event| event["kind"] != "agent_holds"));
}
