//! The instants at which a mobile crosses the levels that its agent watches, against closed form, and
//! the beacons at which the agent notices it.
//!
//! The network is that of `cells.rs`. A pilot of -30 dBm at 1 m falls by 35 dB a decade of distance:
//! L_Handoff (-102.8 dBm) is crossed at 120.2 m, L_Pacing (-100.744 dBm) at 105.0 m, reception
//! (-110 dBm) at 193.1 m. The left station's beacons come every 100 ms from 0 s on.

use crate::common::cells::{Access, shuttle};
use crate::common::{options, run};
use acklab_base::math;
use acklab_scenario::Resolved;
use acklab_world::HandoffSample;

const METRES_PER_S: f64 = 70.0 / 3.6;

/// When a mobile that left the left station at 0 s with 70 km/h is where its pilot has this level.
fn reaches(dbm: f64) -> f64 {
    math::pow(10.0, (-30.0 - dbm) / 35.0) / METRES_PER_S
}

/// The first beacon of the left station behind an instant.
fn beacon(after: f64) -> f64 {
    (after * 10.0).ceil() / 10.0
}

fn road(metres: u32, cells: &str, more: &str) -> Resolved {
    let access = Access {
        left: 1,
        right: 1,
        mobiles: 1,
    };
    let mobile = access.mobile(0);
    let flow =
        format!("[[flow]]\nkind = \"cbr\"\nfrom = 0\nto = {mobile}\ninterval = \"100 ms\"\n");
    let text = access.text("15 s", cells, &(shuttle(mobile, 0, metres) + more + &flow));
    crate::common::scenario(&text.replacen("[\"230 m\"", &format!("[\"{metres} m\""), 1))
}

fn handoff(resolved: &Resolved) -> HandoffSample {
    run(resolved, &options(1)).samples.handoffs[0].clone()
}

#[track_caller]
fn within_a_microsecond(found: Option<f64>, expected: f64) {
    let found = found.expect("crossed");
    assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
}

/// Stations 230 m apart: pacing and handoff are crossed and noticed at the next beacon, reception is
/// still good. The levels are whole thousandths of a dB, of which -100.744 dBm is one.
#[test]
fn crossings_and_the_beacons_that_tell_of_them() {
    for cells in ["", "handoff = \"semisoft\"", "mac = \"802.11\""] {
        let sample = handoff(&road(230, cells, ""));
        let (pacing, handoff) = (reaches(-100.744), reaches(-102.8));
        within_a_microsecond(sample.pacing_crossed_s, pacing);
        within_a_microsecond(sample.handoff_crossed_s, handoff);
        within_a_microsecond(sample.pacing_noticed_after_s, beacon(pacing) - pacing);
        within_a_microsecond(sample.handoff_noticed_after_s, beacon(handoff) - handoff);
        assert_eq!(sample.reception_crossed_s, None);
        let delay = if cells.contains("semisoft") { 0.1 } else { 0.0 };
        within_a_microsecond(Some(sample.time_s), beacon(handoff) + delay);
    }
}

/// Stations 420 m apart: the first is out of reception before the second is heard.
#[test]
fn reception_is_crossed_where_stations_are_far_apart() {
    let sample = handoff(&road(420, "", ""));
    within_a_microsecond(sample.reception_crossed_s, reaches(-110.0));
    within_a_microsecond(sample.handoff_crossed_s, reaches(-102.8));
    let heard = 420.0 / METRES_PER_S - reaches(-110.0);
    assert!(sample.time_s > heard && sample.time_s < heard + 0.1);
}

/// Where the level does not hang on the distance alone there is no such instant.
#[test]
fn shadowing_and_blackouts_hide_the_crossings() {
    let blackout = "[[cells.blackout]]\nduring = [\"1 s\", \"1.1 s\"]\n";
    for (cells, more) in [("shadowing = \"1 dB\"", ""), ("", blackout)] {
        let sample = handoff(&road(230, cells, more));
        let told = [sample.pacing_crossed_s, sample.handoff_crossed_s];
        assert_eq!(told, [None, None]);
    }
}
