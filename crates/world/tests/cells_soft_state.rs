//! Soft state of Cellular IP by hand: entries that die, updates and beacons that are lost, a station that
//! is off. Of each datagram it is known whether it comes, and each that comes comes once and in order.
//!
//! The network and its times are those of `cells.rs`. Blackouts of half a millisecond take one beacon or one
//! update: datagrams arrive at 9.328 ms of each 10 ms (19.328 ms behind a start at 1 s, or 24.744 ms by
//! the right station), beacons at 0 ms.

use crate::common::cells::{
    AIR, Access, EVERY, HANDOFF, HOP, MS, START, UPDATE_AIR, UPDATE_HOP, US, arrivals,
    at_crossover, datagrams, shuttle,
};
use crate::common::{integer, log, options, run, scenario};
use acklab_scenario::Resolved;
use std::collections::BTreeMap;

const ACCESS: Access = Access {
    left: 1,
    right: 2,
    mobiles: 1,
};
/// From a mobile's update until the crossover node has it.
const BY_LEFT: u64 = UPDATE_AIR + UPDATE_HOP;
const BY_RIGHT: u64 = UPDATE_AIR + 2 * UPDATE_HOP;
/// From the crossover node to the mobile.
const DOWN_LEFT: u64 = HOP + AIR;
const DOWN_RIGHT: u64 = 2 * HOP + AIR;

/// A blackout around an instant.
fn around(at: u64) -> String {
    let [from, until] = [at - 250 * US, at + 250 * US];
    format!("[[cells.blackout]]\nduring = [\"{from} ns\", \"{until} ns\"]\n")
}

/// The mobile goes from left to right under a stream of datagrams.
fn road(seconds: u64, cells: &str, blackouts: &str) -> Resolved {
    let mobile = ACCESS.mobile(0);
    let rest = shuttle(mobile, 0, 230) + blackouts + &datagrams(mobile);
    ACCESS.scenario(&format!("{seconds} s"), cells, &rest)
}

/// What comes is what is not lost, once each and in order, but for the last half second.
#[track_caller]
fn all_but(resolved: &Resolved, lost: impl Fn(u64) -> bool) -> usize {
    let end = resolved.duration.as_nanos();
    let last = (end - 500 * MS - START) / EVERY;
    let mut came = arrivals(resolved);
    came.retain(|&k| k <= last);
    let expected: Vec<u64> = (0..=last).filter(|&k| !lost(k)).collect();
    assert_eq!(came, expected);
    last as usize + 1 - expected.len()
}

/// Datagrams that come too late for the old path and too early for the new one.
fn lost_between(turns: u64, updated: u64, down: u64) -> impl Fn(u64) -> bool {
    move |k| at_crossover(k) + down > turns && at_crossover(k) < updated
}

fn rerouted_ns(resolved: &Resolved, handoff: usize) -> u64 {
    let sample = &run(resolved, &options(1)).samples.handoffs[handoff];
    (sample.rerouted_s.expect("rerouted") * 1e9).round() as u64
}

/// Drops of datagrams, by reason.
fn drops(resolved: &Resolved) -> BTreeMap<String, usize> {
    let mut drops = BTreeMap::new();
    for event in log(resolved, &options(1)) {
        if event["kind"] == "packet_dropped" && event["class"] == "udp" {
            let reason = event["reason"].as_str().expect("a reason").to_owned();
            *drops.entry(reason).or_default() += 1;
        }
    }
    drops
}

/// A mobile that tells nobody of its handoff and then falls silent: its last update was at 4.019 s, and
/// at 7.519 s, idle by then, it says by the new station where it is to be paged. The stale route of the crossover
/// node lives for the route timeout, and to the nanosecond no longer: the datagram that comes with its end
/// goes where the paging cache says, and is answered by a route update.
#[test]
fn a_route_dies_at_its_timeout_and_the_paging_cache_leads_on() {
    let last_update = START + 2 * HOP + DOWN_LEFT + 3_000 * MS;
    let paged = last_update + 3_500 * MS + BY_RIGHT;
    let first = 700;
    assert!(paged < at_crossover(first));
    for late in [0, 1] {
        let timeout = at_crossover(first) + late - (last_update + BY_LEFT);
        let cells = format!(
            "update_at_handoff = false\nactive_timeout = \"500 ms\"\npaging_update = \"3.5 s\"\n\
             route_timeout = \"{timeout} ns\""
        );
        let resolved = road(10, &cells, "");
        let first = first + late;
        let lost = all_but(&resolved, |k| {
            at_crossover(k) + DOWN_LEFT > HANDOFF && k < first
        });
        assert_eq!(lost as u64, first - 519, "the first is number 519");
        let answered = at_crossover(first) + DOWN_RIGHT + BY_RIGHT;
        assert_eq!(rerouted_ns(&resolved, 0), answered - HANDOFF);
    }
}

/// An idle mobile whose paging update at the handoff is lost: the stale entry of the paging cache lives for
/// the paging timeout, and to the nanosecond no longer. Then all stations are asked; the mobile answers
/// the first datagram that comes, and 25 ms after that was at the crossover node the asking is over.
#[test]
fn a_paging_entry_dies_at_its_timeout_and_all_stations_are_asked() {
    let shift = 7_000 * MS;
    let at = |k: u64| at_crossover(k) + shift;
    for late in [0, 1] {
        let timeout = at(0) + late - BY_LEFT;
        let cells = format!("paging_update = \"6.5 s\"\npaging_timeout = \"{timeout} ns\"");
        let mobile = ACCESS.mobile(0);
        let later = datagrams(mobile).replace("start = \"1 s\"", "start = \"8 s\"");
        let rest = shuttle(mobile, 0, 230) + &around(HANDOFF + UPDATE_AIR) + &later;
        let resolved = ACCESS.scenario("9 s", &cells, &rest);
        let came = arrivals(&resolved);
        let expected: Vec<u64> = (late..came.len() as u64 + late).collect();
        assert_eq!(came, expected);
        assert!(came.len() > 90);
        let answered = at(late) + DOWN_RIGHT + BY_RIGHT;
        assert_eq!(rerouted_ns(&resolved, 0), answered - HANDOFF);
        // One copy of each that all stations were asked for is lost at the left one.
        let asked = (late..100).filter(|&k| at(k) < answered).count();
        assert_eq!(asked, 3);
        let lost = asked + late as usize;
        assert_eq!(
            drops(&resolved),
            BTreeMap::from([("not_listening".to_owned(), lost)])
        );
    }
}

/// The update of the handoff is lost, or the next one too: the route is stale for one or two times of
/// the periodic update more, and not longer.
#[test]
fn a_lost_route_update_is_made_up_for_by_the_next_one() {
    for lost_updates in [1, 2] {
        let update = |n: u64| HANDOFF + n * 3_000 * MS;
        let blackouts: String = (0..lost_updates)
            .map(|n| around(update(n) + UPDATE_AIR))
            .collect();
        let resolved = road(14, "active_timeout = \"20 s\"", &blackouts);
        let updated = update(lost_updates) + BY_RIGHT;
        assert_eq!(rerouted_ns(&resolved, 0), updated - HANDOFF);
        all_but(&resolved, lost_between(HANDOFF, updated, DOWN_LEFT));
    }
}

/// The first beacons below L_Handoff are lost. The next one does, or the patience of 350 ms is over, which
/// counts from the one at 6.1 s.
#[test]
fn lost_beacons_put_a_handoff_off_until_the_next_one_or_the_patience() {
    for (lost_beacons, turns) in [(0, 6_200), (1, 6_300), (2, 6_400), (3, 6_450), (6, 6_450)] {
        let blackouts: String = (0..lost_beacons)
            .map(|n| around(HANDOFF + n * 100 * MS))
            .collect();
        let resolved = road(8, "", &blackouts);
        let turns = turns * MS;
        let handoffs = run(&resolved, &options(1)).samples.handoffs;
        let times: Vec<u64> = handoffs
            .iter()
            .map(|one| (one.time_s * 1e9).round() as u64)
            .collect();
        assert_eq!(times, [turns], "{lost_beacons}");
        assert_eq!(rerouted_ns(&resolved, 0), BY_RIGHT);
        all_but(&resolved, lost_between(turns, turns + BY_RIGHT, DOWN_LEFT));
    }
}

/// A resting mobile whose station is off from 3 s to 4 s; the other one stands where it says.
fn switched_off(at: u32, other: u32) -> Resolved {
    let mobile = ACCESS.mobile(0);
    let resting = format!(
        "[[cells.mobile]]\nnode = {mobile}\nmotion = {{kind = \"resting\", position = [\"{at} m\", \"0 m\"]}}\n"
    );
    let text = ACCESS.text("6 s", "", &(resting + &datagrams(mobile)));
    let station = format!("node = {}\nposition", ACCESS.left_station());
    let off = format!("off = [[\"3 s\", \"4 s\"]]\n{station}");
    let text = text.replacen(&station, &off, 1);
    scenario(&text.replacen("[\"230 m\"", &format!("[\"{other} m\""), 1))
}

/// Its station is switched off, and another one is in range: the mobile finds that out when the patience is
/// over, 350 ms behind the beacon at 2.9 s, and turns. The station's first beacon at 4 s is the stronger one, the other's
/// level is below L_Handoff: it turns back to a station that has forgotten it.
#[test]
fn another_station_takes_over_while_one_is_off() {
    let resolved = switched_off(100, 230);
    let (out, back) = (3_250 * MS, 4_000 * MS);
    let handoffs = run(&resolved, &options(1)).samples.handoffs;
    let turns: Vec<(u64, u32)> = handoffs
        .iter()
        .map(|one| ((one.time_s * 1e9).round() as u64, one.to))
        .collect();
    let expected = [(out, ACCESS.right_station()), (back, ACCESS.left_station())];
    assert_eq!(turns, expected);
    let dark =
        |k: u64| at_crossover(k) + DOWN_LEFT >= 3_000 * MS && at_crossover(k) < out + BY_RIGHT;
    let turning = lost_between(back, back + BY_LEFT, DOWN_RIGHT);
    all_but(&resolved, |k| dark(k) || turning(k));
    let count = |lost: &dyn Fn(u64) -> bool| (0..500).filter(|&k| lost(k)).count();
    let reasons = [
        ("not_listening", count(&turning)),
        ("too_weak", count(&dark)),
    ];
    let reasons = reasons.map(|(why, lost)| (why.to_owned(), lost));
    assert_eq!(drops(&resolved), BTreeMap::from(reasons));
    // Nobody is left out for longer than patience and update.
    let silence = count(&dark) as u64 * EVERY;
    assert!(silence <= 350 * MS + BY_RIGHT + EVERY, "{silence} ns");
}

/// The same with the other station out of reach. The caches of the station are empty when it is on again: it
/// asks for the mobile, which has heard nothing and tells nobody, and all goes on.
#[test]
fn a_station_that_was_switched_off_finds_its_mobile_again() {
    let resolved = switched_off(5, 430);
    let dark =
        |k: u64| at_crossover(k) + DOWN_LEFT >= 3_000 * MS && at_crossover(k) + HOP < 4_000 * MS;
    let lost = all_but(&resolved, dark);
    assert_eq!(
        drops(&resolved),
        BTreeMap::from([("too_weak".to_owned(), lost)])
    );
    let result = run(&resolved, &options(1));
    assert!(result.samples.handoffs.is_empty());
    let mobile = &result.nodes.get(ACCESS.mobile(0) as usize);
    assert_eq!(mobile["low_signals"] as u64, 1);
    // Low from the end of the patience to the first beacon.
    let events = log(&resolved, &options(1));
    let signals = events.iter().filter(|one| one["kind"] == "signal");
    let times: Vec<u64> = signals.map(|one| integer(one, "time_ns")).collect();
    assert_eq!(times, [3_250 * MS, 4_000 * MS]);
}
