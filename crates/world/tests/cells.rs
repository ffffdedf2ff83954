//! Cellular IP and handoffs by hand: the time until the crossover node is updated, losses on the
//! old path to a packet, semisoft handoffs, two mobiles. Soft state: `cells_soft_state.rs`.
//!
//! ```text
//!            5 ms        5 ms            5 ms …
//!  0 CN ────────── 1 GW ────────── 2 ──────────── left station   (l hops below the crossover)
//!                                  └──────────── … right station  (r hops)
//! ```
//!
//! A datagram of 500 B has 520 B with its header: 416 µs and 5 ms a wired hop, 2.08 ms and 1 ms on
//! the air. An update has 40 B: 32 µs and 5 ms, 160 µs and 1 ms. The mobile leaves the left station
//! at 0 s with 70 km/h. It is below L_Handoff (120.2 m) from 6.183 s on, which the beacon of the left
//! station at 6.2 s tells; the right one was heard at 6.15 s.

use crate::common::cells::{
    AIR, Access, EVERY, HANDOFF, HOP, MS, START, UPDATE_AIR, UPDATE_HOP, US, arrivals,
    at_crossover, datagrams, shuttle,
};
use crate::common::{integer, log, options, run};
use serde_json::Value;
use std::collections::BTreeMap;

fn stream(access: &Access) -> String {
    let mobile = access.mobile(0);
    shuttle(mobile, 0, 230) + &datagrams(mobile)
}

/// Datagrams that come to the left station's air too late while the crossover has the old route.
fn lost_by_hand(left: u64, updated: u64) -> u32 {
    lost_of(0, left, (HANDOFF, updated)).len() as u32
}

/// Which ones, when they come `behind` later and the mobile turns at another time.
fn lost_of(behind: u64, left: u64, (turns, updated): (u64, u64)) -> Vec<u64> {
    let old_path = left * HOP + AIR;
    let at = |k: &u64| at_crossover(*k) + behind;
    let lost = |k: &u64| at(k) + old_path > turns && at(k) < updated;
    (0..2_000).filter(lost).collect()
}

/// The loss is the rate times the time until the crossover is updated, to a packet, for crossover
/// distances of one, two and three hops, whatever the depth of the old branch.
#[test]
fn a_hard_handoff_loses_what_is_sent_until_the_crossover_is_updated() {
    for (left, right) in [(1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)] {
        let access = Access {
            left,
            right,
            mobiles: 1,
        };
        let resolved = access.scenario("11 s", "", &stream(&access));
        let result = run(&resolved, &options(1));
        let [handoff] = result.samples.handoffs.as_slice() else {
            panic!("one handoff, not {:?}", result.samples.handoffs);
        };
        assert!((handoff.time_s - 6.2).abs() < 1e-12);
        assert_eq!(
            (handoff.from, handoff.to),
            (access.left_station(), access.right_station())
        );
        let reroute = UPDATE_AIR + u64::from(right) * UPDATE_HOP;
        let measured = handoff.rerouted_s.expect("rerouted");
        assert!(
            (measured - reroute as f64 * 1e-9).abs() < 1e-12,
            "{measured}"
        );
        let expected = lost_by_hand(u64::from(left), HANDOFF + reroute);
        assert_eq!(handoff.lost_packets, expected, "left {left}, right {right}");
        let rate_times_time = (reroute + u64::from(left) * HOP + AIR) / EVERY;
        assert!(u64::from(expected).abs_diff(rate_times_time) <= 1);
        // Everything else arrives, once.
        let flow = &result.flows[0];
        let under_way = (2 * HOP + u64::from(right) * HOP + AIR).div_ceil(EVERY);
        let sent = flow["sent_packets"] as u64;
        let arrived = flow["delivered_packets"] as u64;
        assert!(
            sent - arrived - u64::from(expected) <= under_way,
            "{flow:?}"
        );
    }
}

/// Without an update at the handoff the stale route lasts until the periodic one: three seconds
/// after the last, and the first was sent when the first datagram paged the mobile.
#[test]
fn a_silent_mobile_is_stale_until_its_periodic_update() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    let resolved = access.scenario("11 s", "update_at_handoff = false", &stream(&access));
    let result = run(&resolved, &options(1));
    let handoff = &result.samples.handoffs[0];
    let paged = at_crossover(0) + HOP + AIR;
    let update = (0..10)
        .map(|n| paged + n * 3_000 * MS)
        .find(|&at| at >= HANDOFF);
    let updated = update.expect("one comes") + UPDATE_AIR + 2 * UPDATE_HOP;
    let measured = handoff.rerouted_s.expect("rerouted");
    assert!(
        (measured - (updated - HANDOFF) as f64 * 1e-9).abs() < 1e-12,
        "{measured}"
    );
    assert_eq!(handoff.lost_packets, lost_by_hand(1, updated));
    assert!(handoff.lost_packets > 80, "{handoff:?}");
}

/// What arrives by hand, and how often: by the old path until the mobile turns at 6.3 s, by the new one since then
/// if it was sent there. `held` is the delay device: what waits leaves when the turned mobile's
/// update is at the crossover.
fn semisoft_by_hand(left: u64, right: u64, held: u64) -> BTreeMap<u64, u32> {
    let turn = HANDOFF + 100 * MS;
    let prepared = HANDOFF + UPDATE_AIR + right * UPDATE_HOP;
    let completed = turn + UPDATE_AIR + right * UPDATE_HOP;
    let old = |k: u64| at_crossover(k) < completed && at_crossover(k) + left * HOP + AIR <= turn;
    let new = |k: u64| {
        let at = at_crossover(k);
        let leaves = match at {
            at if at < completed => (at + held).min(completed),
            at => at,
        };
        at >= prepared && leaves + right * HOP + AIR > turn
    };
    let last = (9_000 * MS - START) / EVERY;
    let times = |k| (k, u32::from(old(k)) + u32::from(new(k)));
    (0..=last).map(times).filter(|one| one.1 > 0).collect()
}

/// The new path is two hops shorter: without a delay device what is on the way is lost, with one
/// that is long enough nothing is. A longer new path brings duplicates, and no loss.
#[test]
fn a_semisoft_handoff_loses_nothing_with_a_delay_device() {
    for (left, right, device) in [(3, 1, 0), (3, 1, 20), (1, 3, 0), (2, 2, 0)] {
        let access = Access {
            left,
            right,
            mobiles: 1,
        };
        let cells = format!("handoff = \"semisoft\"\ndelay_device = \"{device} ms\"");
        let resolved = access.scenario("10 s", &cells, &stream(&access));
        let sent = (9_000 * MS - START) / EVERY;
        let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
        for number in arrivals(&resolved).into_iter().filter(|&k| k <= sent) {
            *seen.entry(number).or_default() += 1;
        }
        let expected = semisoft_by_hand(u64::from(left), u64::from(right), device * MS);
        assert_eq!(seen, expected, "{left} {right} {device} ms");
        // A longer new path brings again what the old one brought.
        let twice = seen.values().filter(|&&times| times == 2).count();
        assert_eq!(twice > 0, right > left, "{left} {right}: {twice} twice");
        let lost = sent + 1 - seen.len() as u64;
        match (left, device) {
            (3, 0) => assert!(lost > 0, "the new path is shorter"),
            _ => assert_eq!(lost, 0, "{left} {right} {device} ms"),
        }
    }
}

#[test]
fn a_hard_handoff_duplicates_nothing_and_keeps_the_order() {
    let access = Access {
        left: 3,
        right: 1,
        mobiles: 1,
    };
    let resolved = access.scenario("32 s", "", &stream(&access));
    let result = run(&resolved, &options(1));
    assert!(result.samples.handoffs.len() >= 3);
    let numbers = arrivals(&resolved);
    // Back from three hops to one the new path overtakes nothing: the old route is replaced.
    assert!(numbers.is_sorted_by(|a, b| a < b));
}

/// The longest silence of a flow, in seconds, from 2 s on.
fn longest_silence(events: &[Value]) -> f64 {
    let times = events
        .iter()
        .filter(|event| event["kind"] == "udp_received");
    let times: Vec<f64> = times
        .map(|event| integer(event, "time_ns") as f64 * 1e-9)
        .collect();
    let gaps = times.windows(2).filter(|pair| pair[1] > 2.0);
    gaps.map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

/// Half of the beacons are lost: the mobile still hands off, and traffic resumes within the
/// patience and the handoff.
#[test]
fn lost_beacons_delay_a_handoff_and_no_more() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    for seed in 1..=2 {
        let resolved = access.scenario("30 s", "beacon_loss = \"50 %\"", &stream(&access));
        let result = run(&resolved, &options(seed));
        assert!(result.samples.handoffs.len() >= 2, "seed {seed}");
        let silence = longest_silence(&log(&resolved, &options(seed)));
        assert!(silence < 0.5, "seed {seed}: {silence}");
    }
}

/// Two mobiles that go opposite ways: each gets its own datagrams, each once, and loses those that it
/// loses alone. The second's datagrams leave behind the first's, and the right station's beacon is 50 ms
/// behind the left one's.
#[test]
fn two_mobiles_do_not_disturb_each_other() {
    let access = Access {
        left: 2,
        right: 2,
        mobiles: 2,
    };
    let [one, other] = [0, 1].map(|which| access.mobile(which));
    let rest = shuttle(one, 0, 230) + &shuttle(other, 230, 0) + &datagrams(one) + &datagrams(other);
    let resolved = access.scenario("11 s", "", &rest);
    let result = run(&resolved, &options(1));
    assert_eq!(result.samples.handoffs.len(), 2);
    // No real cell serves two as if each were alone, so the result says it.
    let warned = |result: &acklab_world::RunResult| {
        let mut found = result.warnings.iter();
        found
            .find(|w| w.code == "uncontended_cells")
            .map(|w| w.count)
    };
    assert_eq!(warned(&result), Some(2));
    let dcf = access.scenario("11 s", "mac = \"802.11\"", &rest);
    assert_eq!(warned(&run(&dcf, &options(1))), None);
    let events = log(&resolved, &options(1));
    for (mobile, behind, turns) in [(one, 0, HANDOFF), (other, 416 * US, HANDOFF + 50 * MS)] {
        let mine = events.iter().filter(|event| {
            event["kind"] == "udp_received" && integer(event, "node") == u64::from(mobile)
        });
        let last = (10_500 * MS - START) / EVERY;
        let came: Vec<u64> = (mine.map(|event| integer(event, "number")))
            .filter(|&k| k <= last)
            .collect();
        let lost = lost_of(behind, 2, (turns, turns + UPDATE_AIR + 2 * UPDATE_HOP));
        let expected: Vec<u64> = (0..=last).filter(|k| !lost.contains(k)).collect();
        assert_eq!(came, expected, "mobile {mobile}");
        assert!(!lost.is_empty());
    }
}

/// An idle mobile is paged: it has sent one paging update at its first station and has no entry
/// in any route cache.
#[test]
fn an_idle_mobile_is_paged_by_its_first_packet() {
    let access = Access {
        left: 1,
        right: 2,
        mobiles: 1,
    };
    let rest = stream(&access).replace("start = \"1 s\"", "start = \"5 s\"");
    let resolved = access.scenario("5.5 s", "", &rest);
    let result = run(&resolved, &options(1));
    assert_eq!(
        result.nodes.get(access.mobile(0) as usize)["route_updates_sent"] as u64,
        1
    );
    let numbers = arrivals(&resolved);
    assert_eq!(numbers[..3], [0, 1, 2]);
}
