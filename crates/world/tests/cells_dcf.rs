//! 802.11 below the cells: a TCP packet and its ACK by hand, handoffs that neither duplicate nor lose
//! anything untold, mobiles that share a cell.
//!
//! The network is that of `cells.rs`. Airtimes at 2 Mbit/s with ns-2's rules: RTS 352 µs, CTS and ACK
//! 304 µs, data 192 µs + 4 µs a byte of packet and header (34 B). DIFS is 50 µs, SIFS 10 µs.

use crate::common::cells::{Access, shuttle};
use crate::common::{integer, log, options, run};
use acklab_base::{Address, NodeId, Purpose, Stream};
use acklab_scenario::Resolved;
use serde_json::Value;
use std::collections::BTreeMap;

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const DCF: &str = "mac = \"802.11\"";

/// The backoffs of a MAC, one after the other, in nanoseconds.
fn backoffs(seed: u64, address: u32) -> impl FnMut() -> u64 {
    let mut draws = Address {
        seed,
        run: 0,
        node: NodeId(address),
        purpose: Purpose::Backoff,
    }
    .open();
    move || u64::from(Stream::scaled(draws.bits32(), 31)) * 20 * US
}

/// A frame as it began: when, by whom, its type.
type Frame = (u64, u32, &'static str);

/// An exchange from its RTS on, and when its data frame and its ACK are over.
fn exchange(begins: u64, bytes: u64, from: u32, to: u32) -> (Vec<Frame>, u64, u64) {
    let cts = begins + 362 * US;
    let data = cts + 314 * US;
    let data_over = data + (192 + 4 * (bytes + 34)) * US;
    let ack = data_over + 10 * US;
    let frames = vec![
        (begins, from, "rts"),
        (cts, to, "cts"),
        (data, from, "data"),
        (ack, to, "ack"),
    ];
    (frames, data_over, ack + 304 * US)
}

/// The first data packet of a flow of 1000 B comes to the station after three wired hops, and to the
/// mobile 1 ms behind its last bit. It pages the mobile, which sends a route update (40 B) and then
/// its TCP ACK, behind the post-backoff of the update.
#[test]
fn a_tcp_packet_down_and_its_ack_up() {
    let access = Access {
        left: 1,
        right: 1,
        mobiles: 1,
    };
    let (station, mobile) = (access.left_station(), access.mobile(0));
    let rest = format!(
        "[[cells.mobile]]\nnode = {mobile}\nmotion = {{kind = \"resting\", position = [\"5 m\", \"0 m\"]}}\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {mobile}\nstart = \"1 s\"\nwindow = 1\nhandshake = false\n"
    );
    let resolved = access.scenario("1.04 s", DCF, &rest);
    let (mut down, mut up) = (backoffs(4, station), backoffs(4, resolved.nodes));
    // The paging update at the start, and the post-backoff behind it.
    let paging = 50 * US + up();
    up();
    let (mut expected, ..) = exchange(paging, 40, mobile, station);
    let at_station = 1_000 * MS + 3 * (832 * US + 5 * MS);
    let (data, data_over, _) = exchange(at_station + 50 * US + down(), 1_040, station, mobile);
    let (update, _, update_over) = exchange(data_over + MS + 50 * US + up(), 40, mobile, station);
    let (ack, ack_over, _) = exchange(update_over + 50 * US + up(), 40, mobile, station);
    for frames in [data, update, ack] {
        expected.extend(frames);
    }
    assert!(
        ack_over + MS + 3 * (32 * US + 5 * MS) > 1_040 * MS,
        "the next packet is later"
    );
    let events = log(&resolved, &options(4));
    let frames = events.iter().filter(|event| event["kind"] == "frame_sent");
    let seen: Vec<(u64, u64, &str)> = frames
        .map(|event| {
            let kind = event["type"].as_str().expect("a type");
            (integer(event, "time_ns"), integer(event, "node"), kind)
        })
        .collect();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(at, node, kind)| (at, u64::from(node), kind))
        .collect();
    assert_eq!(seen, expected);
}

/// Datagrams of 500 B every 10 ms from 1 s on.
fn stream(from: u32, to: u32) -> String {
    format!(
        "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = {to}\nstart = \"1 s\"\npacket = \"500 B\"\n\
         interval = \"10 ms\"\n"
    )
}

/// Where datagrams were received, and their numbers.
fn received(events: &[Value]) -> Vec<[u64; 2]> {
    let received = events
        .iter()
        .filter(|event| event["kind"] == "udp_received");
    received
        .map(|event| ["node", "number"].map(|key| integer(event, key)))
        .collect()
}

/// How often packets of a class were dropped, by reason.
fn drops(events: &[Value], class: &str) -> BTreeMap<String, u64> {
    let mut drops = BTreeMap::new();
    for event in events {
        if event["kind"] == "packet_dropped" && event["class"] == class {
            let reason = event["reason"].as_str().expect("a reason").to_owned();
            *drops.entry(reason).or_default() += 1;
        }
    }
    drops
}

/// Checks that what was sent came once, or was reported as lost, or is on its way.
#[track_caller]
fn conserved(resolved: &Resolved, seed: u64) -> BTreeMap<String, u64> {
    let events = log(resolved, &options(seed));
    let result = run(resolved, &options(seed));
    assert!(result.samples.handoffs.len() >= 3, "hardly a handoff");
    let mut seen = received(&events);
    let came = seen.len() as u64;
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len() as u64, came, "a packet came twice");
    let drops = drops(&events, "udp");
    let told: u64 = drops.values().sum();
    let flows = result.flows.len() as u64;
    let sent = result.flows.iter().map(|flow| flow["sent_packets"] as u64);
    let sent: u64 = sent.sum();
    // A path holds no more; and of one packet the data may arrive and no ACK.
    let under_way = 6 * flows;
    assert!(
        came + told <= sent + flows && sent <= came + told + under_way,
        "{came} came, {drops:?}, {sent} sent"
    );
    let lost = result.nodes.iter().map(|node| node["handoff_lost_packets"]);
    let of_handoffs = result.samples.handoffs.iter();
    let logged: u64 = of_handoffs.map(|one| u64::from(one.lost_packets)).sum();
    assert_eq!(lost.sum::<f64>() as u64, logged);
    drops
}

/// Hard handoffs under a stream down and a stream up, without and with random losses: nothing comes
/// twice, nothing is lost untold; what is lost on the old path is what the old station gave up.
#[test]
fn hard_handoffs_duplicate_nothing_and_lose_nothing_untold() {
    for (left, right, loss, goes_down) in [
        (1, 2, 0, true),
        (3, 1, 5, true),
        (3, 1, 0, false),
        (1, 2, 5, false),
    ] {
        let access = Access {
            left,
            right,
            mobiles: 1,
        };
        let mobile = access.mobile(0);
        let [from, to] = if goes_down { [0, mobile] } else { [mobile, 0] };
        let cells = format!("{DCF}\nloss = \"{loss} %\"");
        let rest = shuttle(mobile, 0, 230) + &stream(from, to);
        let drops = conserved(&access.scenario("31 s", &cells, &rest), 1);
        assert_eq!(drops.contains_key("not_listening"), goes_down, "{drops:?}");
        if loss == 0 {
            assert!(drops.keys().all(|why| why == "not_listening"), "{drops:?}");
        }
    }
}

/// The same with two mobiles that meet, and so contend in one cell and in the other.
#[test]
fn hard_handoffs_of_two_mobiles_duplicate_nothing_and_lose_nothing_untold() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 2,
    };
    let [one, other] = [0, 1].map(|which| access.mobile(which));
    let roads = shuttle(one, 0, 230) + &shuttle(other, 230, 0);
    let rest = roads + &stream(0, one) + &stream(other, 0);
    let cells = format!("{DCF}\nloss = \"5 %\"");
    conserved(&access.scenario("20 s", &cells, &rest), 1);
}

/// A mobile that turned away costs its old station retries, and the counters say so.
#[test]
fn frames_for_a_mobile_that_left_fail_by_retries() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    let mobile = access.mobile(0);
    let rest = shuttle(mobile, 0, 230) + &stream(0, mobile);
    let resolved = access.scenario("11 s", &format!("{DCF}\nupdate_at_handoff = false"), &rest);
    let result = run(&resolved, &options(1));
    let station = &result.nodes.get(access.left_station() as usize);
    let lost = f64::from(result.samples.handoffs[0].lost_packets);
    assert!(lost > 10.0, "the route stays stale for up to three seconds");
    assert_eq!(station["retry_drops"] as u64, lost as u64);
    // Each of them takes seven RTS, but for one that may be under way at the handoff.
    let vain = station["missing_cts"] - 7.0 * lost;
    assert!((0.0..=7.0).contains(&vain.abs()), "{vain}");
}

/// The goodputs of flows to mobiles that rest in one cell.
fn at_rest(mobiles: u32, cells: &str) -> Vec<f64> {
    let access = Access {
        left: 1,
        right: 1,
        mobiles,
    };
    let rest: String = (0..mobiles)
        .map(|which| {
            let mobile = access.mobile(which);
            format!(
                "[[cells.mobile]]\nnode = {mobile}\nmotion = {{kind = \"resting\", position = [\"5 m\", \"{which} m\"]}}\n"
            )
        })
        .collect();
    let flows: String = (0..mobiles)
        .map(|which| {
            let mobile = access.mobile(which);
            format!("[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {mobile}\nwindow = 20\nvariant = \"newreno\"\n")
        })
        .collect();
    let resolved = access.scenario("8 s", cells, &(rest + &flows));
    let result = run(&resolved, &options(1));
    result
        .flows
        .iter()
        .map(|flow| flow["goodput_pps"])
        .collect()
}

/// Mobiles of one station share its medium; on channels of their own they do not.
#[test]
fn mobiles_of_one_station_share_its_medium() {
    let alone = at_rest(1, DCF)[0];
    let two = at_rest(2, DCF);
    let together: f64 = two.iter().sum();
    assert!(
        (0.85..1.1).contains(&(together / alone)),
        "{two:?}, {alone}"
    );
    assert!(two.iter().all(|one| *one > 0.35 * alone), "{two:?}");
    let apart = at_rest(2, "");
    let alone = at_rest(1, "")[0];
    assert!(apart.iter().all(|one| *one > 0.9 * alone), "{apart:?}");
}

/// What 5 % of lost frames leave of TCP: much without a MAC that repairs them, nearly nothing with one.
#[test]
fn the_mac_hides_random_losses_from_tcp() {
    let [clean, lossy] = ["0 %", "5 %"].map(|loss| {
        let loss = format!("loss = \"{loss}\"");
        [&loss, &format!("{DCF}\n{loss}")].map(|cells| at_rest(1, cells)[0])
    });
    assert!(lossy[0] < 0.6 * clean[0], "{lossy:?}, {clean:?}");
    assert!(lossy[1] > 0.8 * clean[1], "{lossy:?}, {clean:?}");
}

/// The update of a semisoft handoff goes ahead into the new cell while the mobile listens to the old one.
#[test]
fn a_semisoft_handoff_prepares_its_route() {
    let access = Access {
        left: 3,
        right: 1,
        mobiles: 1,
    };
    let mobile = access.mobile(0);
    let rest = shuttle(mobile, 0, 230) + &stream(0, mobile);
    let lost = |manner: &str| {
        let cells = format!("{DCF}\nhandoff = {manner}");
        let result = run(&access.scenario("11 s", &cells, &rest), &options(1));
        let flow = &result.flows[0];
        let rerouted = result.samples.handoffs[0].rerouted_s.expect("rerouted");
        (flow["sent_packets"] - flow["delivered_packets"], rerouted)
    };
    let soft = lost("\"semisoft\"\ndelay_device = \"20 ms\"");
    let hard = lost("\"hard\"");
    assert!(soft.0 < hard.0 && soft.1 < hard.1, "{soft:?}, {hard:?}");
}

/// `mac = "none"` says what is so without it.
#[test]
fn without_802_11_nothing_changes() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    let mobile = access.mobile(0);
    let rest = shuttle(mobile, 0, 230) + &stream(0, mobile);
    let [plain, none, dcf] = ["", "mac = \"none\"", DCF]
        .map(|cells| run(&access.scenario("8 s", cells, &rest), &options(1)).digest);
    assert_eq!(plain, none);
    assert_ne!(plain, dcf);
}
