//! The NAV, EIFS, and what they forbid; where the profiles differ, both are shown.

use super::script::{
    ELSE, ME, OTHER, PEER, Script, data, frame, ns2, standard, standard_with_rts, us,
};
use acklab_base::Duration;
use acklab_wire::FrameKind;

/// ```text
/// 0      352  362    666  676       1676 1686   1990     2040   2080
/// | rts  |    | cts  |    | data    |    | ack  |  DIFS  | 2    | RTS
///        NAV until 1990, whichever of them is heard
/// ```
#[test]
fn rts_cts_and_data_of_others_reserve_the_medium() {
    let overheard = [
        (0, frame(FrameKind::Rts, OTHER, ELSE, 1_638)),
        (362, frame(FrameKind::Cts, ELSE, OTHER, 1_324)),
        (676, data(OTHER, ELSE, 0)),
    ];
    for (start, frame) in overheard {
        let mut script = Script::of_ns2(&[2]);
        script.hear(start, frame);
        assert_eq!(script.dcf.nav(), us(1_990), "{:?}", frame.kind);
        script.packet(1_700, PEER);
        script.until(2_080);
        script.says(&["2080 rts to 2"]);
    }
}

#[test]
fn a_shorter_reservation_does_not_shorten_a_longer_one() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, frame(FrameKind::Rts, OTHER, ELSE, 5_000));
    script.hear(400, frame(FrameKind::Rts, ELSE, OTHER, 1_000));
    assert_eq!(script.dcf.nav(), us(352 + 5_000));
}

#[test]
fn frames_for_me_and_for_all_reserve_nothing() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(676, data(PEER, ME, 0));
    script.hear(3_000, data(OTHER, acklab_base::NodeId::BROADCAST, 1));
    assert!(script.dcf.nav() <= us(4_000), "nothing beyond the last bit");
}

/// A running backoff stops when the NAV begins and resumes with DIFS when it ends.
///
/// ```text
/// packet
/// 0    50   70 75   379 1379    1429        1469
/// |DIFS| sl |. |cts |NAV| DIFS  | sl  | sl  | RTS    drawn: 3
/// ```
#[test]
fn the_nav_freezes_the_backoff() {
    let mut script = Script::of_ns2(&[3]);
    script.packet(0, PEER);
    script.hear(75, frame(FrameKind::Cts, OTHER, ELSE, 1_000));
    script.until(1_469);
    script.says(&["1469 rts to 2"]);
}

/// ```text
/// 0     304          NAV              2304
/// | cts |---------------------------------|
///            400    752 762
///            | rts  |   no CTS
/// ```
#[test]
fn a_cts_is_withheld_while_the_nav_runs() {
    for config in [ns2(), standard_with_rts()] {
        let mut script = Script::new(config, &[]);
        script.hear(0, frame(FrameKind::Cts, OTHER, ELSE, 2_000));
        script.hear(400, frame(FrameKind::Rts, PEER, ME, 1_638));
        script.until(2_000);
        script.says(&[]);
        assert_eq!(script.counters().cts_withheld, 1);
    }
}

/// A packet that waits goes on waiting for the NAV after a withheld CTS.
///
/// ```text
/// 0     304            NAV           2304     2354   2394
/// | cts |----------------------------|  DIFS  | 2    | RTS
///            400    752 762
///     350    | rts  |   no CTS
///     packet
/// ```
#[test]
fn after_a_withheld_cts_the_station_contends_on() {
    let mut script = Script::of_ns2(&[2]);
    script.hear(0, frame(FrameKind::Cts, OTHER, ELSE, 2_000));
    script.packet(350, PEER);
    script.hear(400, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.until(2_394);
    script.says(&["2394 rts to 2"]);
}

/// In ns-2, EIFS is part of the NAV, so it withholds a CTS up to its very end.
///
/// ```text
/// 0  300     EIFS 364      664
/// |##|---------------------|
///    301    653            663 withheld
///     302    654           664 sent
/// ```
#[test]
fn in_ns2_a_cts_is_withheld_while_eifs_runs() {
    for (rts, says) in [(301, None), (302, Some("664 cts to 2"))] {
        let mut script = Script::of_ns2(&[]);
        script.noise(0, 300, true);
        script.hear(rts, frame(FrameKind::Rts, PEER, ME, 1_638));
        script.until(700);
        script.says(&Vec::from_iter(says));
    }
}

/// The standard's EIFS is an inter-frame space, no NAV, and a correct frame ends it.
#[test]
fn in_the_standard_eifs_withholds_no_cts() {
    let mut script = Script::new(standard_with_rts(), &[]);
    script.noise(0, 300, false);
    script.hear(301, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.until(700);
    script.says(&["663 cts to 2"]);
}

/// ```text
/// 0     352  355   362
/// | rts |    |#### no CTS in ns-2, a CTS in the standard
/// ```
#[test]
fn a_busy_receiver_withholds_the_cts_in_ns2_only() {
    for (config, says) in [(ns2(), None), (standard_with_rts(), Some("362 cts to 2"))] {
        let mut script = Script::new(config, &[]);
        script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
        script.busy(355);
        script.until(400);
        script.says(&Vec::from_iter(says));
    }
}

/// ```text
/// 90   452   756 760    766          1000     1050
/// |RTS | cts |   |##### no DATA #####|  DIFS  | k slots | RTS    window 63, no retry counted
/// ```
#[test]
fn in_ns2_data_is_withheld_when_the_medium_is_busy_after_the_cts() {
    let mut script = Script::new(ns2(), &[(31, 2), (63, 4)]);
    script.packet(0, PEER);
    script.hear(452, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.busy(760);
    script.idle(1_000);
    script.until(1_130);
    script.says(&["90 rts to 2", "1130 rts to 2"]);
    assert_eq!(script.counters().missing_cts, 0);
    assert_eq!(script.counters().missing_ack, 0);
}

/// The same in the standard: the data goes out SIFS after the CTS, whatever the medium does.
#[test]
fn in_the_standard_data_follows_the_cts() {
    let mut script = Script::new(standard_with_rts(), &[]);
    script.packet(0, PEER);
    script.hear(50 + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.busy(720);
    script.until(726);
    script.says(&["50 rts to 2", "726 data 0 to 2"]);
}

/// Withholding counts no retry: however often it happens, nothing is given up.
#[test]
fn withheld_data_is_never_given_up() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let mut from = 0;
    for window in [31, 63, 127, 255, 511, 1_023, 1_023, 1_023, 1_023] {
        let rts = from + 50 + 20 * script.draws(window);
        script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
        script.busy(rts + 670);
        script.idle(rts + 700);
        from = rts + 700;
    }
    assert_eq!(script.counters().retry_drops, 0);
    assert!(!script.dcf.is_ready());
}

/// ```text
/// 0           300      664      714   754
/// |### lost ##|  EIFS  |  DIFS  | 2   | RTS    ns-2, collided or only sensed
///         310 packet
/// ```
#[test]
fn in_ns2_eifs_follows_every_frame_that_is_not_understood() {
    for only_sensed in [false, true] {
        let mut script = Script::of_ns2(&[2]);
        script.noise(0, 300, only_sensed);
        script.packet(310, PEER);
        script.until(754);
        script.says(&["754 rts to 2"]);
    }
}

/// ```text
/// 0           300            664   704
/// |# collided |  EIFS        | 2   | DATA    an inter-frame space in place of DIFS
///     100 packet
/// 0           300     350   390
/// |## sensed #|  DIFS | 2   | DATA           only carrier: no frame was reported
/// ```
#[test]
fn in_the_standard_eifs_takes_the_place_of_difs() {
    for (only_sensed, says) in [(false, "704 data 0 to 2"), (true, "390 data 0 to 2")] {
        let mut script = Script::of_standard(&[2]);
        script.busy(0);
        script.packet(100, PEER);
        script.noise(100, 300, only_sensed);
        script.until(704);
        script.says(&[says]);
    }
}

/// ```text
/// 0     300  310   614      664   704
/// |#####|    | ack |  DIFS  | 2   | DATA
/// ```
#[test]
fn in_the_standard_a_correct_frame_ends_eifs() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(100, PEER);
    script.noise(100, 300, false);
    script.hear(310, frame(FrameKind::Ack, OTHER, ELSE, 0));
    script.until(704);
    script.says(&["704 data 0 to 2"]);
}

/// EIFS follows a frame that was not understood, and nothing else (clause 9.2.5.1): what came before the last
/// busy time of the medium is over, though nothing was decoded since.
///
/// ```text
/// 0         300 … 1000     1300     1350   1390
/// |collided |     | sensed |  DIFS  | 2    | DATA
///                   1100 packet
/// ```
#[test]
fn an_eifs_is_over_when_the_medium_was_busy_again() {
    let mut script = Script::of_standard(&[2]);
    script.noise(0, 300, false);
    script.busy(1_000);
    script.packet(1_100, PEER);
    script.noise(1_100, 1_300, true);
    script.until(1_390);
    script.says(&["1390 data 0 to 2"]);
}

/// In one busy time it counts to its end.
///
/// ```text
/// 0         300
/// |collided |        600           964    1004
///        |  sensed   |    EIFS     | 2    | DATA
/// ```
#[test]
fn an_eifs_begins_when_the_medium_is_free() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(100, PEER);
    script.dcf.on_lost_frame(us(300), false);
    script.dcf.on_medium(us(300), true);
    script.noise(400, 600, true);
    script.until(1_004);
    script.says(&["1004 data 0 to 2"]);
}

/// In ns-2 nothing shortens it.
///
/// ```text
/// 0     300 310   614  664      714   754
/// |#####|   | ack |    |  DIFS  | 2   | RTS
///       |---- EIFS ----|
/// ```
#[test]
fn in_ns2_nothing_shortens_eifs() {
    let mut script = Script::of_ns2(&[2]);
    script.noise(0, 300, false);
    script.packet(305, PEER);
    script.hear(310, frame(FrameKind::Ack, OTHER, ELSE, 0));
    script.until(754);
    script.says(&["754 rts to 2"]);
}

/// A station that collided itself resumes with DIFS: EIFS is for those who saw the frame.
///
/// ```text
/// 0     300   664   704       1704           2038     2088
/// |#####|EIFS | 2   | DATA    | no ACK       |  DIFS  | k slots | DATA
///   100 packet                |<--- 334 ---->|
/// ```
#[test]
fn eifs_is_over_after_an_own_transmission() {
    let mut script = Script::new(standard(), &[(32, 2), (64, 3)]);
    script.busy(0);
    script.packet(100, PEER);
    script.noise(100, 300, false);
    script.until(2_038 + 50 + 3 * 20);
    script.says(&["704 data 0 to 2", "2148 data 0 to 2 again"]);
}

/// ```text
/// 0        100                  500       768      818   858
/// |locked  | ignored, 304 long  |         |  DIFS  | 2   | RTS
///          |------ 304 + EIFS 364 --------|                       ns-2 only
/// ```
#[test]
fn a_captured_frame_extends_the_nav_in_ns2_only() {
    for (config, nav) in [(ns2(), us(768)), (standard(), us(0))] {
        let mut script = Script::new(config, &[]);
        script.busy(0);
        script
            .dcf
            .on_captured_frame(us(100), Duration::from_micros(304));
        script.idle(500);
        assert_eq!(script.dcf.nav(), nav);
    }
    let mut script = Script::of_ns2(&[2]);
    script.busy(0);
    script
        .dcf
        .on_captured_frame(us(100), Duration::from_micros(304));
    script.idle(500);
    script.packet(510, PEER);
    script.until(858);
    script.says(&["858 rts to 2"]);
}

/// ```text
/// 0     352          716       nothing followed: the reservation ends at 716
/// | rts |            |
///       2 SIFS + CTS + 2 slots = 364
/// ```
#[test]
fn a_reservation_by_rts_ends_early_in_the_standard_if_nothing_follows() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(0, PEER);
    script.hear(0, frame(FrameKind::Rts, OTHER, ELSE, 1_638));
    script.until(716 + 50 + 40);
    script.says(&["806 data 0 to 2"]);
}

/// ```text
/// 0     352     700 716           1990     2040   2080
/// | rts |       |### something ###|  DIFS  | 2    | DATA    it stays in force
/// ```
#[test]
fn a_reservation_by_rts_stays_if_something_follows() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(0, PEER);
    script.hear(0, frame(FrameKind::Rts, OTHER, ELSE, 1_638));
    script.busy(700);
    script.idle(1_000);
    script.until(2_080);
    script.says(&["2080 data 0 to 2"]);
}

/// In ns-2 it stays in any case.
#[test]
fn a_reservation_by_rts_stays_in_ns2() {
    let mut script = Script::of_ns2(&[2]);
    script.hear(0, frame(FrameKind::Rts, OTHER, ELSE, 1_638));
    script.packet(360, PEER);
    script.until(2_080);
    script.says(&["2080 rts to 2"]);
}

/// Only a reservation that an RTS made can end early; one that came before it stays.
///
/// ```text
/// 0     304                     1304     1354   1394
/// | cts |---------- NAV --------|  DIFS  | 2    | DATA
///          310   662      1026
///          | rts |  probe |           the RTS's own reservation, to 2300, is gone
/// ```
#[test]
fn what_was_reserved_before_the_rts_stays() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(0, PEER);
    script.hear(0, frame(FrameKind::Cts, OTHER, ELSE, 1_000));
    script.hear(310, frame(FrameKind::Rts, OTHER, ELSE, 1_638));
    script.until(1_394);
    script.says(&["1394 data 0 to 2"]);
}
