//! What a station does with the frames that it decodes: answers, duplicates, broadcast.

use super::script::{
    ELSE, ME, OTHER, PEER, Script, data, frame, ns2, standard, standard_with_rts, us,
};
use acklab_base::{Duration, NodeId};
use acklab_wire::{FrameHeader, FrameKind};

/// Plays the peer's RTS at `start` and its data, which ends at `start` + 1676.
fn peer_sends(script: &mut Script, start: u64, data: FrameHeader) {
    script.hear(start, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(start + 676, data);
    script.until(start + 1_990);
}

/// ```text
/// 0 RTS … 676 data 5 … 1686 ACK (lost) …  3000 RTS … 3676 data 5 again … 4686 ACK
///                 1676 deliver                                4676 nothing
/// ```
#[test]
fn a_duplicate_is_acknowledged_and_not_delivered() {
    let mut script = Script::of_ns2(&[]);
    peer_sends(&mut script, 0, data(PEER, ME, 5));
    let again = FrameHeader {
        retry: true,
        ..data(PEER, ME, 5)
    };
    peer_sends(&mut script, 3_000, again);
    script.says(&[
        "362 cts to 2",
        "1676 deliver 5 from 2",
        "1686 ack to 2",
        "3362 cts to 2",
        "4686 ack to 2",
    ]);
    assert_eq!(script.counters().duplicates, 1);
}

/// The filter remembers one sequence number for each neighbour.
#[test]
fn the_same_number_from_another_neighbour_is_no_duplicate() {
    let mut script = Script::of_standard(&[]);
    for (start, from) in [(0, PEER), (3_000, OTHER), (6_000, PEER)] {
        let again = FrameHeader {
            retry: true,
            ..data(from, ME, 5)
        };
        script.hear(start, again);
        script.until(start + 2_000);
    }
    assert_eq!(script.counters().duplicates, 1);
    script.says(&[
        "1000 deliver 5 from 2",
        "1010 ack to 2",
        "4000 deliver 5 from 3",
        "4010 ack to 3",
        "7010 ack to 2",
    ]);
}

/// Sequence numbers come round after 4096 frames, and most of a sender's frames may go to
/// others: only a frame with the Retry bit can be a duplicate (clause 9.2.9).
#[test]
fn a_new_frame_with_an_old_number_is_delivered() {
    let mut script = Script::of_standard(&[]);
    for start in [0, 3_000] {
        script.hear(start, data(PEER, ME, 5));
        script.until(start + 2_000);
    }
    script.says(&[
        "1000 deliver 5 from 2",
        "1010 ack to 2",
        "4000 deliver 5 from 2",
        "4010 ack to 2",
    ]);
}

/// ```text
/// 0      50   90       1090     1140         1200
/// | DIFS | 2  | DATA   |  DIFS  | 3 slots    | DATA      no RTS, no ACK, post-backoff: 3
///                      ready  1100 packet
/// ```
#[test]
fn a_broadcast_goes_out_once_and_is_followed_by_a_post_backoff() {
    let mut script = Script::of_ns2(&[2, 3]);
    script.packet(0, NodeId::BROADCAST);
    script.packet(1_100, NodeId::BROADCAST);
    script.until(1_200);
    script.says(&["90 data 0 to all", "1090 ready", "1200 data 1 to all"]);
    assert_eq!(script.sent[0].duration, Duration::ZERO);
}

#[test]
fn a_broadcast_is_delivered_and_not_acknowledged() {
    for config in [ns2(), standard()] {
        let mut script = Script::new(config, &[]);
        script.hear(0, data(PEER, NodeId::BROADCAST, 5));
        script.until(5_000);
        script.says(&["1000 deliver 5 from 2"]);
    }
}

/// It ends the silence after a frame that could not be understood, whoever wants it.
///
/// ```text
/// 0 noise 500 … 1000 broadcast 2000  DIFS  2050, by the standard; EIFS would last until 2364
/// ```
#[test]
fn a_broadcast_for_nobody_does_to_the_station_what_any_does() {
    for (config, first) in [
        (ns2(), "2120 data 0 to all"),
        (standard(), "2050 data 0 to all"),
    ] {
        let sends = |hear: fn(&mut Script, u64, FrameHeader)| {
            let mut script = Script::new(config, &[(32, 4)]);
            script.noise(0, 500, false);
            hear(&mut script, 1_000, data(PEER, NodeId::BROADCAST, 5));
            script.packet(2_010, NodeId::BROADCAST);
            script.until(9_000);
            std::mem::take(&mut script.journal)
        };
        let (wanted, unwanted) = (sends(Script::hear), sends(Script::hear_for_nobody));
        assert_eq!(wanted[0], "2000 deliver 5 from 2");
        assert_eq!(wanted[1..], unwanted);
        assert_eq!(unwanted.len(), 2, "{unwanted:?}");
        assert_eq!(unwanted[0], first);
    }
}

/// At 11 Mbit/s a broadcast still goes at the basic rate of 1 Mbit/s.
#[test]
fn a_broadcast_goes_at_the_basic_rate() {
    let config = crate::dcf::DcfConfig::standard();
    let mut script = Script::new(config, &[]);
    script.packet(0, NodeId::BROADCAST);
    script.until(50);
    assert_eq!(script.sent[0].airtime, Duration::from_micros(1_000));
}

/// ```text
/// 0          1000  1010
/// | data     |     no ACK in ns-2, which sent no CTS; an ACK in the standard
/// ```
#[test]
fn data_without_an_own_cts_is_dropped_in_ns2_only() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, data(PEER, ME, 5));
    script.until(2_000);
    script.says(&[]);
    for config in [standard(), standard_with_rts()] {
        let mut script = Script::new(config, &[]);
        script.hear(0, data(PEER, ME, 5));
        script.until(2_000);
        script.says(&["1000 deliver 5 from 2", "1010 ack to 2"]);
    }
}

/// ```text
/// 362   666  700    1052     1680
/// | CTS |    | rts  |        |        ns-2 waits for its data until 1680 and ignores the RTS
///                   1062 no CTS
/// ```
#[test]
fn in_ns2_a_station_that_waits_for_data_ignores_rts() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(700, frame(FrameKind::Rts, OTHER, ME, 1_638));
    script.until(3_000);
    script.says(&["362 cts to 2"]);
    assert_eq!(script.counters().cts_withheld, 0);
}

/// In the standard the CTS is all that the receiver owes.
#[test]
fn in_the_standard_a_station_that_waits_for_data_answers_rts() {
    let mut script = Script::new(standard_with_rts(), &[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(700, frame(FrameKind::Rts, OTHER, ME, 1_638));
    script.until(3_000);
    script.says(&["362 cts to 2", "1062 cts to 3"]);
}

/// ```text
/// 0   352 362   666                    1680     1730   1770
/// |rts|   | CTS |  no data             |  DIFS  | 2    | RTS
///  10 packet    |<-- rest: 1010, and 4 |
/// ```
#[test]
fn in_ns2_a_station_gives_up_waiting_for_data() {
    let mut script = Script::of_ns2(&[2]);
    script.busy(0);
    script.packet(0, OTHER);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.until(1_770);
    script.says(&["362 cts to 2", "1770 rts to 3"]);
}

/// ```text
/// 676       1676 1686
/// | data    |    | ACK     although a captured frame keeps the NAV until 3064
/// ```
#[test]
fn an_ack_heeds_neither_nav_nor_carrier() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.busy(676);
    script
        .dcf
        .on_captured_frame(us(700), Duration::from_micros(2_000));
    script.hear(676, data(PEER, ME, 5));
    assert_eq!(script.dcf.nav(), us(3_064));
    script.busy(1_680);
    script.until(1_686);
    script.says(&["362 cts to 2", "1676 deliver 5 from 2", "1686 ack to 2"]);
}

#[test]
fn frames_for_others_are_not_delivered() {
    for config in [ns2(), standard()] {
        let mut script = Script::new(config, &[]);
        script.hear(0, data(OTHER, ELSE, 5));
        script.until(5_000);
        script.says(&[]);
    }
}

/// ns-2's station holds its CTS until the data comes or the wait for it is over: with no room for another answer it
/// drops data too short for RTS (125 B with its PLCP) meanwhile.
///
/// ```text
/// 0     352 362   666                                2000       4680   5000    6000 6010
/// | rts |   | cts |         the data never comes     | data 5 |  over  | data 6 |   | ACK
/// ```
#[test]
fn ns2_drops_short_data_while_it_awaits_data_after_a_cts() {
    let config = crate::dcf::DcfConfig {
        rts_threshold: Some(126),
        ..ns2()
    };
    let mut script = Script::new(config, &[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 4_638));
    script.hear(2_000, data(OTHER, ME, 5));
    script.until(4_680);
    script.says(&["362 cts to 2"]);
    script.hear(5_000, data(OTHER, ME, 6));
    script.until(7_000);
    script.says(&["6000 deliver 6 from 3", "6010 ack to 3"]);
}

/// ns-2 without RTS: data needs no CTS before it.
#[test]
fn ns2_without_rts_acknowledges_plain_data() {
    let config = crate::dcf::DcfConfig {
        rts_threshold: None,
        ..ns2()
    };
    let mut script = Script::new(config, &[]);
    script.hear(0, data(PEER, ME, 5));
    script.until(2_000);
    script.says(&["1000 deliver 5 from 2", "1010 ack to 2"]);
}
