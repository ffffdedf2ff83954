//! ACK Pacing (cho2005 §3.2) in a network by hand, to the nanosecond: a mobile that receives, and one that
//! sends, go from the left station to the right one.
//!
//! The network is that of `cells.rs`, the mobile leaves the left station at 0 s with 70 km/h, and beacons
//! come every 90 ms, those of the right station 45 ms behind. Below L_Pacing (105.0 m of the left one)
//! from 5.401 s on, told at 5.49 s; below L_Handoff (120.2 m) from 6.183 s on, told at 6.21 s; nearer to the
//! right station than 105.0 m from 6.429 s on, told at 6.435 s.
//!
//! A data packet has 1040 B: 832 µs and 5 ms a wired hop, 4.16 ms and 1 ms on the air; an ACK 40 B: 32 µs
//! and 5 ms, 160 µs and 1 ms. The left station is three wired hops from the correspondent, the right
//! one four. Three packets make a window, 4.16 ms apart; a round trip by the left station is 38.912 ms.
//! Nothing is left to chance, and nothing else of the mobile updates a route but what is paced.

use crate::common::cells::{Access, MS, US, shuttle};
use crate::common::{integer, log, log_text, options, run};
use acklab_base::Duration;
use acklab_scenario::Resolved;
use acklab_world::RunResult;
use serde_json::Value;

const ACCESS: Access = Access {
    left: 1,
    right: 2,
    mobiles: 1,
};
const LOW: u64 = 5_490 * MS;
const TURN: u64 = 6_210 * MS;
const GOOD: u64 = 6_435 * MS;
/// The pacing interval.
const INTERVAL: u64 = 100 * MS;

const DATA_HOP: u64 = 5_832 * US;
const DATA_AIR: u64 = 5_160 * US;
/// A data packet on the air without the delay.
const DATA_AIRTIME: u64 = 4_160 * US;
const ACK_HOP: u64 = 5_032 * US;
const ACK_AIR: u64 = 1_160 * US;
const ACK_AIRTIME: u64 = 160 * US;
const ROUND: u64 = 3 * DATA_HOP + DATA_AIR + 3 * ACK_HOP + ACK_AIR;
/// What left last before the pacing: the third packet of round 100, or the ACK of it. What comes of it is
/// back before the mobile turns.
const LAST: u64 = 5_465 * MS;
/// Its number, from 0.
const LAST_NUMBER: u64 = 3 * 100 + 2;

/// One flow of whole packets between the correspondent and the mobile.
fn road([from, to]: [u32; 2], start: u64, handoff: &str) -> Resolved {
    let rest = shuttle(ACCESS.mobile(0), 0, 230)
        + &format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nstart = \"{start} ns\"\nwindow = 3\n\
             initial_window = 3\nhandshake = false\nhandoff = \"{handoff}\"\n"
        );
    let cells = "update_at_handoff = false\nbeacon_period = \"90 ms\"";
    ACCESS.scenario("6.6 s", cells, &rest)
}

/// A start after which the ACK of packet [`LAST_NUMBER`] leaves at [`LAST`]. The first packet pages the
/// mobile: its ACK is behind a route update on the air, and so late is all that follows.
const fn start_of_data_down() -> u64 {
    LAST - 100 * ROUND - 2 * DATA_AIRTIME - (3 * DATA_HOP + DATA_AIR) - ACK_AIRTIME
}

/// Events of a kind at a node.
fn at_node<'a>(
    events: &'a [Value],
    kind: &'a str,
    node: u32,
) -> impl Iterator<Item = &'a Value> + 'a {
    let wanted = move |one: &&Value| one["kind"] == kind && integer(one, "node") == u64::from(node);
    events.iter().filter(wanted)
}

/// When packets of one direction were sent or received from 5.45 s on, with the number of the packet that they are or
/// acknowledge.
fn passed(events: &[Value], kind: &str, node: u32, is_data: bool) -> Vec<(u64, u64)> {
    let mine = at_node(events, kind, node).filter(|one| one["forward"] == is_data);
    let number = |one: &Value| match is_data {
        true => integer(one, "seq") / 1_000,
        false => integer(one, "ack") / 1_000 - 1,
    };
    let all = mine.map(|one| (integer(one, "time_ns"), number(one)));
    all.filter(|&(time, _)| time > 5_450 * MS).collect()
}

/// What happens at the mobile and at the crossover node, with the time.
fn turns(events: &[Value]) -> Vec<(u64, String)> {
    let mut turns = Vec::new();
    for one in events.iter() {
        let what = match one["kind"].as_str() {
            Some("signal") => format!("low {}", one["is_low"]),
            Some("attached") => format!("attached {}", one["station"]),
            Some("rerouted") => format!("rerouted {}", one["crossover"]),
            _ => continue,
        };
        turns.push((integer(one, "time_ns"), what));
    }
    turns
}

fn expected_turns(rerouted: u64) -> Vec<(u64, String)> {
    let right = ACCESS.right_station();
    vec![
        (LOW, "low true".to_owned()),
        (TURN, format!("attached {right}")),
        (rerouted, "rerouted 2".to_owned()),
        (GOOD, "low false".to_owned()),
    ]
}

/// When what is paced leaves: each 100 ms behind the last, and at the end all three that wait.
fn paced() -> Vec<(u64, u64)> {
    let mut times: Vec<u64> = (1..)
        .map(|turn| LAST + turn * INTERVAL)
        .take_while(|&at| at < GOOD)
        .collect();
    times.extend([GOOD; 3]);
    assert_eq!(times.len(), 12);
    times.into_iter().zip(LAST_NUMBER + 1..).collect()
}

/// The window that left in round 100, the last before the signal is low.
fn unpaced() -> [(u64, u64); 3] {
    [2, 1, 0].map(|ahead| (LAST - ahead * DATA_AIRTIME, LAST_NUMBER - ahead))
}

/// Nothing is lost, sent twice or held up by a timer.
#[track_caller]
fn unharmed(result: &RunResult) {
    let seconds = |nanos| Duration::from_nanos(nanos).as_secs_f64();
    let flow = &result.flows[0];
    for name in ["timeouts", "retransmissions", "fast_retransmits"] {
        assert_eq!(flow[name] as u64, 0, "{name}");
    }
    let sample = &result.samples.handoffs[0];
    assert_eq!((sample.lost_packets, sample.timeouts), (0, 0));
    assert_eq!(sample.low_before_s, Some(seconds(TURN - LOW)));
    assert_eq!(sample.low_after_s, Some(seconds(GOOD - TURN)));
}

/// What is paced leaves the mobile as [`paced`] says, and comes to the correspondent over the left station
/// until the mobile turns, over the right one since then; the first of those updates the crossover node.
#[track_caller]
fn by_hand(events: &[Value], is_data: bool) {
    let (hop, air, airtime) = match is_data {
        true => (DATA_HOP, DATA_AIR, DATA_AIRTIME),
        false => (ACK_HOP, ACK_AIR, ACK_AIRTIME),
    };
    let sent = [&unpaced()[..], &paced()].concat();
    let mut seen = passed(events, "tcp_sent", ACCESS.mobile(0), is_data);
    seen.truncate(sent.len());
    assert_eq!(seen, sent);
    let arrives = |(time, number)| {
        let hops = if time < TURN { 3 } else { 4 };
        // The three at the end are behind each other on the air.
        let ahead = if time == GOOD {
            number - (LAST_NUMBER + 10)
        } else {
            0
        };
        (time + ahead * airtime + air + hops * hop, number)
    };
    let arrived: Vec<_> = paced().into_iter().map(arrives).collect();
    let mut came = passed(events, "tcp_received", 0, is_data);
    came.retain(|&(_, number)| number > LAST_NUMBER);
    came.truncate(arrived.len());
    assert_eq!(came, arrived);
    let by_right = paced().into_iter().find(|&(time, _)| time > TURN);
    let rerouted = by_right.expect("one of them").0 + air + 2 * hop;
    assert_eq!(turns(events), expected_turns(rerouted));
}

/// Low at 5.49 s: ACKs are held and leave one per 100 ms, the first 100 ms behind the last one before. The
/// three that still wait leave when the right station is good.
#[test]
fn acks_are_paced_and_update_the_route() {
    let resolved = road([0, ACCESS.mobile(0)], start_of_data_down(), "pacing");
    by_hand(&log(&resolved, &options(1)), false);
    let result = run(&resolved, &options(1));
    unharmed(&result);
    let sample = &result.samples.handoffs[0];
    assert_eq!((sample.low_acks_sent, sample.low_acks_soon), (9, 0));
    assert_eq!(sample.low_acks_paced, 12);
    assert_eq!(result.flows[0]["acks_paced"] as u64, 12);
}

/// The same where the mobile sends: three ACKs open the window, and data leaves one packet per 100 ms.
#[test]
fn data_is_paced_and_updates_the_route() {
    let start = LAST - 100 * ROUND - 2 * DATA_AIRTIME;
    let resolved = road([ACCESS.mobile(0), 0], start, "pacing");
    by_hand(&log(&resolved, &options(1)), true);
    let result = run(&resolved, &options(1));
    unharmed(&result);
    assert_eq!(result.samples.handoffs[0].low_data_sent, 9);
    assert_eq!(result.flows[0]["data_paced"] as u64, 10);
}

/// Without pacing the window that is on its way to the left station is lost whole, and so the mobile has
/// nothing to say: the route stays stale to the end.
#[test]
fn without_pacing_the_window_is_lost_on_the_old_path() {
    let resolved = road([0, ACCESS.mobile(0)], start_of_data_down(), "unaware");
    let result = run(&resolved, &options(1));
    let sample = &result.samples.handoffs[0];
    // The window, and what the timeout sends again.
    assert_eq!((sample.lost_packets, sample.timeouts), (4, 1));
    assert_eq!(sample.rerouted_s, None);
}

/// What is delivered around each handoff, from 1 s before to 3 s after, is what the event log tells.
#[test]
fn deliveries_around_handoffs_are_those_of_the_event_log() {
    let mobile = ACCESS.mobile(0);
    let flow = format!("[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {mobile}\n");
    let resolved = ACCESS.scenario("31 s", "loss = \"5 %\"", &(shuttle(mobile, 0, 230) + &flow));
    let result = run(&resolved, &options(1));
    let events: Vec<Value> = log_text(&resolved, &options(1))
        .lines()
        .filter(|line| line.contains("delivered") || line.contains("attached"))
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect();
    let delivered = |from: u64, to: u64| -> u64 {
        let all = events.iter().filter(|one| one["kind"] == "delivered");
        let within = all.filter(|one| (from..=to).contains(&integer(one, "time_ns")));
        within.map(|one| integer(one, "bytes") / 1_000).sum()
    };
    let handoffs = turns(&events);
    let handoffs = handoffs
        .iter()
        .filter(|(_, what)| what.starts_with("attached"));
    let mut sums = [0, 0];
    for (&(at, _), sample) in handoffs.zip(&result.samples.handoffs) {
        let before = u64::from(sample.delivered_before_packets);
        let after = u64::from(sample.delivered_packets);
        assert!(before > 5, "{sample:?}");
        assert_eq!(before, delivered(at - 1_000 * MS, at));
        assert_eq!(after, delivered(at + 1, at + 3_000 * MS));
        sums = [sums[0] + before, sums[1] + after];
    }
    let node = &result.nodes.get(mobile as usize);
    let names = [
        "handoff_delivered_before_packets",
        "handoff_delivered_packets",
    ];
    assert_eq!(names.map(|name| node[name] as u64), sums);
    assert!(
        result.samples.handoffs.len() > 2 && sums[1] > 100,
        "{sums:?}"
    );
}
