//! What only the standard's rules have.

use super::script::{ME, OTHER, PEER, Script, data, frame, standard, standard_with_rts};
use crate::dcf::DcfConfig;
use acklab_base::{BitRate, Duration};
use acklab_wire::{FrameHeader, FrameKind};

/// ```text
/// idle since 0      1000
/// ------------------| DATA      no backoff: the medium was idle for DIFS and more
///                   packet
/// ```
#[test]
fn a_packet_at_a_station_that_was_idle_for_difs_goes_out_at_once() {
    let mut script = Script::of_standard(&[]);
    script.packet(1_000, PEER);
    script.says(&["1000 data 0 to 2"]);
}

/// ```text
/// 0           500 520   550
/// |## busy ###|  DIFS   | DATA     no backoff either
///                 packet
/// ```
#[test]
fn a_packet_within_difs_waits_for_its_end_only() {
    let mut script = Script::of_standard(&[]);
    script.busy(0);
    script.idle(500);
    script.packet(520, PEER);
    script.until(550);
    script.says(&["550 data 0 to 2"]);
}

/// A busy medium calls for a backoff (clause 9.2.5.1).
///
/// ```text
/// 0   100     500      550    570    590
/// |## busy ###|  DIFS  | slot | slot | DATA    drawn: 2
///     packet
/// ```
#[test]
fn a_packet_at_a_busy_station_backs_off() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.packet(100, PEER);
    script.idle(500);
    script.until(590);
    script.says(&["590 data 0 to 2"]);
}

/// If the medium turns busy within DIFS, it was not idle for DIFS, and a random backoff follows (clauses 9.2.5.1 and
/// 9.2.5.2). Otherwise all whose packets came within a SIFS would send at once behind the ACK.
///
/// ```text
/// 0    500 510  530         700      750    770    790
/// |####|  pkt   |## busy ###|  DIFS  | slot | slot | DATA    drawn: 2
/// ```
#[test]
fn an_access_that_was_stopped_within_difs_backs_off() {
    let mut script = Script::of_standard(&[2]);
    script.busy(0);
    script.idle(500);
    script.packet(510, PEER);
    script.busy(530);
    script.idle(700);
    script.until(790);
    script.says(&["790 data 0 to 2"]);
}

/// At 536 the frame goes out at 550 all the same: what begins within the CCA time comes too late.
#[test]
fn an_access_at_once_is_not_stopped_within_the_cca_time() {
    let mut script = Script::of_standard(&[]);
    script.busy(0);
    script.idle(500);
    script.packet(510, PEER);
    script.busy(536);
    script.until(550);
    script.says(&["550 data 0 to 2"]);
}

/// The window counts its upper end: 0 … CW slots.
#[test]
fn the_backoff_may_be_the_whole_window() {
    let mut script = Script::of_standard(&[31]);
    script.busy(0);
    script.packet(0, PEER);
    script.idle(100);
    script.until(100 + 50 + 31 * 20);
    script.says(&["770 data 0 to 2"]);
}

/// ```text
/// 100      150    170    190
/// |  DIFS  | slot | slot | DATA
///                 176 busy: too late to be noticed, the frame goes out
///                174 busy: noticed; the second slot starts anew
/// ```
#[test]
fn a_busy_edge_within_the_cca_time_comes_too_late() {
    let start = |busy_at| {
        let mut script = Script::of_standard(&[2]);
        script.busy(0);
        script.packet(0, PEER);
        script.idle(100);
        script.busy(busy_at);
        script.until(299);
        script
    };
    let mut late = start(176);
    late.says(&["190 data 0 to 2"]);
    let mut noticed = start(174);
    noticed.idle(300);
    noticed.until(370);
    noticed.says(&["370 data 0 to 2"]);
}

/// The wait for an answer has a slot of slack, not twice 2 µs.
///
/// ```text
/// 0       1000  1010 … 1314  1334     1384
/// | DATA  |     (ack)        |  DIFS  | k slots | DATA    window 63: 0 … 63
/// ```
#[test]
fn an_answer_has_one_slot_of_slack() {
    let mut script = Script::new(standard(), &[(64, 7)]);
    script.packet(50, PEER);
    script.until(1_384 + 50 + 7 * 20);
    script.says(&["50 data 0 to 2", "1574 data 0 to 2 again"]);
    assert_eq!(script.counters().missing_ack, 1);
}

/// A packet that is given up is followed by a backoff from the first window, for which the next one waits.
///
/// ```text
/// 50 DATA 1050  (no ack) 1384     1434       1494
///                dropped |  DIFS  | 3 slots  | DATA    window 31: 0 … 31
///                        packet
/// ```
#[test]
fn a_dropped_packet_is_followed_by_a_backoff() {
    let dropping = DcfConfig {
        short_retry_limit: Some(1),
        ..standard()
    };
    let mut script = Script::new(dropping, &[(32, 3)]);
    script.packet(50, PEER);
    script.packet(1_400, PEER);
    script.until(2_000);
    script.says(&[
        "50 data 0 to 2",
        "1384 failed to 2",
        "1384 ready",
        "1494 data 1 to 2",
    ]);
}

/// After an ACK the post-backoff runs without a packet, and a later one goes out at once.
///
/// ```text
/// 50 DATA 1050  1060 ack 1364     1414        1454     1500
///                        |  DIFS  | 2 slots   |        | DATA
///                                             over     packet
/// ```
#[test]
fn after_the_post_backoff_access_is_immediate_again() {
    let mut script = Script::of_standard(&[2]);
    script.packet(50, PEER);
    script.hear(1_060, frame(FrameKind::Ack, PEER, ME, 0));
    script.packet(1_500, PEER);
    script.says(&["50 data 0 to 2", "1364 ready", "1500 data 1 to 2"]);
}

/// During the post-backoff it has to wait for it.
///
/// ```text
/// 1364     1414 1420  1454
/// |  DIFS  | packet   | DATA      post-backoff: 2
/// ```
#[test]
fn a_packet_within_the_post_backoff_waits_for_it() {
    let mut script = Script::of_standard(&[2]);
    script.packet(50, PEER);
    script.hear(1_060, frame(FrameKind::Ack, PEER, ME, 0));
    script.packet(1_420, PEER);
    script.until(1_454);
    script.says(&["50 data 0 to 2", "1364 ready", "1454 data 1 to 2"]);
}

/// With RTS: the durations hold the whole frame, 101 B of which 36 are headers and check sequence.
#[test]
fn an_exchange_with_rts() {
    let mut script = Script::new(standard_with_rts(), &[]);
    script.packet(50, PEER);
    script.hear(50 + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.hear(50 + 1_686, frame(FrameKind::Ack, PEER, ME, 0));
    script.says(&["50 rts to 2", "726 data 0 to 2", "2040 ready"]);
    assert_eq!(script.sent[0].duration.round_to_micros(), 1_638);
    assert_eq!(script.sent[1].bytes, 101);
}

/// A frame by hand: header 24 B (three addresses), LLC and SNAP 8 (RFC 1042), the packet, check sequence 4.
///
/// ```text
/// packet   frame    1 Mbit/s             11 Mbit/s: 192 µs + 8 × frame / 11 µs
/// 1500 B   1536 B   192 + 12 288 µs      192 000 + 1 117 090.9 ns
/// 1492 B   1528 B   192 + 12 224 µs      192 000 + 1 111 272.7 ns     (an MSDU of 1500 B with LLC and SNAP)
/// ```
///
/// The RTS reserves three SIFS, CTS, data and ACK, 30 + 304 + data + 304 µs, a fraction of a microsecond rounded
/// up.
#[test]
fn a_data_frame_has_llc_and_snap() {
    let of_an_rts = |data_rate, packet| {
        let config = DcfConfig {
            data_rate,
            ..standard_with_rts()
        };
        let mut script = Script::new(config, &[]);
        script.packet_of(50, PEER, packet);
        assert_eq!(script.sent[0].kind, FrameKind::Rts);
        script.sent[0].duration
    };
    let us = Duration::from_micros;
    for (packet, frame, slow_us, fast_ns) in [
        (1_500, 1_536, 12_480, 1_309_091),
        (1_492, 1_528, 12_416, 1_303_273),
    ] {
        let mut script = Script::new(standard(), &[]);
        script.packet_of(50, PEER, packet);
        assert_eq!(script.sent[0].bytes, frame);
        assert_eq!(script.sent[0].airtime, us(slow_us));
        let fast = DcfConfig::standard().data_airtime(frame, false);
        assert_eq!(fast, Duration::from_nanos(fast_ns));
        let slowly = of_an_rts(BitRate::MBPS_1, packet);
        assert_eq!(slowly, us(638 + slow_us));
        let quickly = of_an_rts(BitRate::MBPS_11, packet);
        assert_eq!(quickly, us(638 + fast_ns / 1_000 + 1));
    }
}

/// A CTS says what its RTS says less SIFS and its own airtime, 192 + 112 / 11 µs at 11 Mbit/s: of 673 µs
/// 460.8, rounded up. A sum of airtimes that is whole is not rounded up for what each of them was: at
/// 5.5 and 11 Mbit/s an RTS for 1539 B reserves 30 + 2 (192 + 112 / 5.5) + 192 + 8 × 1539 / 11 = 1766 µs.
#[test]
fn fractions_of_a_microsecond_are_rounded_up_and_no_others() {
    let config = |basic_rate| DcfConfig {
        basic_rate,
        data_rate: BitRate::MBPS_11,
        ..standard_with_rts()
    };
    let mut answers = Script::new(config(BitRate::MBPS_11), &[]);
    answers.hear(0, frame(FrameKind::Rts, PEER, ME, 673));
    answers.until(1_000);
    assert_eq!(answers.sent[0].kind, FrameKind::Cts);
    assert_eq!(answers.sent[0].duration, Duration::from_micros(461));
    let mut asks = Script::new(config(BitRate::MBPS_5_5), &[]);
    asks.packet_of(50, PEER, 1_539 - 36);
    assert_eq!(asks.sent[0].duration, Duration::from_micros(1_766));
}

/// dot11RTSThreshold is a length of the frame: a packet of 65 B makes one of 101 B.
#[test]
fn the_rts_threshold_decides_by_the_bytes_of_the_frame() {
    for (threshold, first) in [
        (Some(65), "50 rts to 2"),
        (Some(100), "50 rts to 2"),
        (Some(101), "50 data 0 to 2"),
        (None, "50 data 0 to 2"),
    ] {
        let config = DcfConfig {
            rts_threshold: threshold,
            ..standard()
        };
        let mut script = Script::new(config, &[]);
        script.packet_of(50, PEER, 65);
        script.says(&[first]);
    }
}

/// A station that owes an ACK sends it before it contends.
///
/// ```text
/// 0        1000  1010   1314     1364   1384
/// | data   |     | ACK  |  DIFS  | 1    | DATA
///     500 packet
/// ```
#[test]
fn an_owed_ack_goes_first() {
    let mut script = Script::of_standard(&[1]);
    script.busy(0);
    script.packet(0, PEER);
    script.hear(0, data(PEER, ME, 5));
    script.until(1_384);
    script.says(&["1000 deliver 5 from 2", "1010 ack to 2", "1384 data 0 to 2"]);
}

/// Data in place of the awaited ACK: the own frame has failed, and the ACK for the data is due
/// after SIFS, not after the timeout.
///
/// ```text
/// 50     1050  1060   1360  1370  1674     1724
/// | DATA |     | data |     | ACK |  DIFS  | k slots | DATA again
///                           1384 would be the timeout
/// ```
#[test]
fn data_in_place_of_the_ack_means_failure_and_is_acknowledged_in_time() {
    let mut script = Script::new(standard(), &[(64, 3)]);
    script.packet(50, PEER);
    let short = FrameHeader {
        airtime: Duration::from_micros(300),
        ..data(OTHER, ME, 5)
    };
    script.hear(1_060, short);
    script.until(1_784);
    script.says(&[
        "50 data 0 to 2",
        "1360 deliver 5 from 3",
        "1370 ack to 3",
        "1784 data 0 to 2 again",
    ]);
    assert_eq!(script.counters().missing_ack, 1);
}
