//! Exact instants of small networks, worked out by hand, and the opening of a TCP connection over
//! AODV and ARP as ns-2's trace shows it.

use crate::common::{chain, integer, log, options, run, scenario};
use acklab_scenario::Resolved;
use serde_json::Value;

/// A datagram of 1460 B every 36 ms at 2 Mbit/s, routes and addresses known, one slot to choose
/// from: nothing is left to chance.
fn certain(nodes: u32) -> Resolved {
    scenario(&format!(
        "duration = \"1.05 s\"\n[topology]\nkind = \"chain\"\nnodes = {nodes}\nspacing = \"200 m\"\n\
         [mac]\ndata_rate = \"2 Mbit/s\"\ncw_min = 1\n[routing]\nprotocol = \"static\"\n\
         [link]\narp = false\n[[flow]]\nkind = \"cbr\"\nstart = \"1 s\"\npacket = \"1460 B\"\n\
         interval = \"36 ms\"\n"
    ))
}

/// Lines "time since 1 s in ns, node, what" of frames sent and datagrams received.
fn lines(events: &[Value]) -> Vec<(u64, u64, &str)> {
    events
        .iter()
        .filter_map(|event| {
            let what = match event["kind"].as_str()? {
                "frame_sent" => event["type"].as_str()?,
                "udp_received" => "udp",
                _ => return None,
            };
            let since = integer(event, "time_ns") - 1_000_000_000;
            Some((since, integer(event, "node"), what))
        })
        .collect()
}

/// Propagation takes 667 ns over 200 m.
///
/// ```text
///      packet 0   LL 25 µs   DIFS 50 µs   RTS 75 000
/// 1:   RTS ends   75 000 + 352 000 + 667 =   427 667, SIFS, CTS  437 667
/// 0:   CTS ends  437 667 + 304 000 + 667 =   742 334, SIFS, DATA 752 334
/// 1:   DATA ends 752 334 + 6 248 000 + 667 = 7 001 001, SIFS, ACK 7 011 001
///      up through LL: 7 026 001;  and all again 36 ms later
/// ```
#[test]
fn one_hop_to_the_nanosecond() {
    let resolved = certain(2);
    let events = log(&resolved, &options(1));
    let once = [
        (75_000, 0, "rts"),
        (437_667, 1, "cts"),
        (752_334, 0, "data"),
        (7_011_001, 1, "ack"),
        (7_026_001, 1, "udp"),
    ];
    let again = once.map(|(at, node, what)| (at + 36_000_000, node, what));
    assert_eq!(lines(&events), [once, again].concat());
}

/// The relay has the packet 50 µs after the end of the data (LL up, LL down), while its ACK is on
/// the air; it contends from the end of that ACK.
///
/// ```text
/// 1:   DATA ends 7 001 001, ACK 7 011 001 … 7 315 001, DIFS, RTS 7 365 001
/// 2:   RTS ends  7 717 668, SIFS, CTS  7 727 668
/// 1:   CTS ends  8 032 335, SIFS, DATA 8 042 335
/// 2:   DATA ends 14 291 002, SIFS, ACK 14 301 002; up: 14 316 002
/// ```
#[test]
fn two_hops_to_the_nanosecond() {
    let resolved = certain(3);
    let events = log(&resolved, &options(1));
    let once = [
        (75_000, 0, "rts"),
        (437_667, 1, "cts"),
        (752_334, 0, "data"),
        (7_011_001, 1, "ack"),
        (7_365_001, 1, "rts"),
        (7_727_668, 2, "cts"),
        (8_042_335, 1, "data"),
        (14_301_002, 2, "ack"),
        (14_316_002, 2, "udp"),
    ];
    assert_eq!(lines(&events)[..once.len()], once);
}

/// Two hops have no hidden terminals: with window 3 TCP loses nothing, whatever the seed.
#[test]
fn two_hops_with_a_small_window_lose_nothing() {
    let resolved = chain(3, 60, "window = 3", "");
    for seed in 1..=4 {
        let measures = run(&resolved, &options(seed)).measures;
        for name in ["retransmissions", "timeouts", "window_cuts"] {
            assert!(measures[name].abs() < 0.5, "{name}, seed {seed}");
        }
        // ns-2 delivers some 39 packets a second here.
        let pace = measures["delivered_packets"] / 59.0;
        assert!(
            (37.0..42.0).contains(&pace),
            "{pace} packets/s, seed {seed}"
        );
    }
}

/// Frames of ns-2's trace of three nodes from the SYN to its ACK: node, frame, receiver (`-` for
/// all), bytes without PLCP, duration in microseconds.
const OPENING: [&str; 36] = [
    "0 routing - 82 0", // route request
    "1 routing - 82 0",
    "2 arp - 62 0", // who is 1?
    "1 rts 2 20 1326",
    "2 cts 1 14 1012",
    "1 arp 2 62 314",
    "2 ack 1 14 0",
    "2 rts 1 20 1454",
    "1 cts 2 14 1140",
    "2 routing 1 78 314", // route reply
    "1 ack 2 14 0",
    "1 arp - 62 0", // who is 0?
    "0 rts 1 20 1326",
    "1 cts 0 14 1012",
    "0 arp 1 62 314",
    "1 ack 0 14 0",
    "1 rts 0 20 1454",
    "0 cts 1 14 1140",
    "1 routing 0 78 314", // route reply
    "0 ack 1 14 0",
    "0 rts 1 20 1422",
    "1 cts 0 14 1108",
    "0 tcp_data 1 74 314", // SYN
    "1 ack 0 14 0",
    "1 rts 2 20 1422",
    "2 cts 1 14 1108",
    "1 tcp_data 2 74 314", // SYN
    "2 ack 1 14 0",
    "2 rts 1 20 1422",
    "1 cts 2 14 1108",
    "2 tcp_ack 1 74 314", // its ACK
    "1 ack 2 14 0",
    "1 rts 0 20 1422",
    "0 cts 1 14 1108",
    "1 tcp_ack 0 74 314", // its ACK
    "0 ack 1 14 0",
];

const DELAY: u64 = 667;
const SIFS: u64 = 10_000;
const DIFS: u64 = 50_000;
const SLOT: u64 = 20_000;
/// The link layer upwards, or downwards.
const LINK: u64 = 25_000;
/// ARP answers, or asks, after this time.
const ARP: u64 = 5_000;

fn told(event: &Value) -> String {
    let to = event["to"]
        .as_u64()
        .map_or("-".to_owned(), |to| to.to_string());
    let what = event["class"].as_str().or(event["type"].as_str());
    format!(
        "{} {} {to} {} {}",
        event["node"],
        what.unwrap_or_default(),
        event["bytes"],
        integer(event, "duration_ns") / 1_000
    )
}

/// From when on each frame of the opening was contended for, as times after the end of the frame
/// before it at its sender; none for frames that follow another by SIFS.
fn contended_from(place: usize) -> &'static [u64] {
    match place {
        2 => &[DELAY + LINK + ARP],
        // From the packet on; or from the idle medium on, if a post-backoff was pending.
        3 | 12 => &[DELAY + ARP, DELAY],
        // Behind the own ACK.
        7 | 11 | 16 | 20 | 24 | 28 | 32 => &[0],
        _ => &[],
    }
}

#[test]
fn a_connection_opens_over_aodv_and_arp_as_in_ns2() {
    let resolved = chain(3, 2, "window = 3\nstart = \"1 s\"", "");
    for seed in 1..=5 {
        let events = log(&resolved, &options(seed));
        let frames: Vec<&Value> = events
            .iter()
            .filter(|event| event["kind"] == "frame_sent")
            .take(OPENING.len())
            .collect();
        let said: Vec<String> = frames.iter().map(|frame| told(frame)).collect();
        assert_eq!(said, OPENING, "seed {seed}");
        let at = |place: usize| integer(frames[place], "time_ns");
        let end = |place: usize| at(place) + integer(frames[place], "airtime_ns");
        let whole_slots = |from: u64, place: usize| {
            let waited = at(place).wrapping_sub(from + DIFS);
            waited.is_multiple_of(SLOT) && waited / SLOT <= 30
        };
        assert!(whole_slots(1_000_000_000 + LINK, 0), "seed {seed}");
        // A forwarded request is put off by up to 10 ms.
        let relayed = at(1) - end(0) - DELAY - 2 * LINK - DIFS;
        assert!(relayed < 10_000_000 + 31 * SLOT, "seed {seed}: {relayed}");
        for place in 2..OPENING.len() {
            let before = end(place - 1);
            let starts = contended_from(place);
            let on_time = if starts.is_empty() {
                at(place) == before + DELAY + SIFS
            } else {
                starts
                    .iter()
                    .any(|after| whole_slots(before + after, place))
            };
            assert!(on_time, "seed {seed}, frame {place} at {}", at(place));
        }
    }
}

/// Who collides is deaf to the other frame's beginning, and so in profile `standard` waits for no EIFS behind it
/// (clause 9.2.3.4): of a frame of 1064 B at 1 Mbit/s
///
/// ```text
/// DATA 192 000 + 8 512 000, SIFS 10 000, ACK 304 000, a slot 20 000, DIFS 50 000, k slots of 20 000
/// ```
///
/// after its first bit comes the next one. Nodes 0 and 2 send to node 1 and hear each other.
#[test]
fn who_collided_resumes_with_difs_behind_its_timeout() {
    let flow = |from| {
        format!(
            "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = 1\npacket = \"1000 B\"\n\
             interval = \"5 ms\"\nstart = \"0 s\"\n"
        )
    };
    let resolved = scenario(&format!(
        "duration = \"60 s\"\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\n\
         nodes = 3\nspacing = \"50 m\"\n[radio]\ncapture = \"none\"\n\
         [mac]\ndata_rate = \"1 Mbit/s\"\n[routing]\nprotocol = \"static\"\n\
         [link]\narp = false\n{}{}",
        flow(0),
        flow(2)
    ));
    let events = log(&resolved, &options(1));
    let data: Vec<(u64, u64)> = (events.iter())
        .filter(|event| event["kind"] == "frame_sent" && event["bytes"] == 1_064)
        .map(|event| (integer(event, "time_ns"), integer(event, "node")))
        .collect();
    let least = 192_000 + 8_512_000 + 10_000 + 304_000 + 20_000 + 50_000;
    let mut waits = Vec::new();
    for next in data.windows(3) {
        let [(at, one), (later, other), (again, who)] = next else {
            panic!("windows of three")
        };
        if one != other && later - at < 1_000 {
            let began = if who == one { at } else { later };
            waits.push(again - began);
        }
    }
    assert!(waits.len() > 100, "{} collisions", waits.len());
    assert!(waits.iter().all(|wait| wait % 20_000 == least % 20_000));
    assert_eq!(waits.into_iter().min(), Some(least));
}
