//! Failures: which counter counts, how the window grows, when a packet is given up.

use super::script::{ME, PEER, Script, frame, ns2, standard, standard_with_rts};
use crate::dcf::DcfConfig;
use acklab_wire::{FrameHeader, FrameKind};

/// Contention windows of the first seven attempts; ns-2 draws below them.
const WINDOWS: [u32; 7] = [31, 63, 127, 255, 511, 1_023, 1_023];

/// RTS + SIFS + CTS and the slack of 4.
const CTS_WAIT: u64 = 352 + 10 + 304 + 4;

/// Data + SIFS + ACK and the slack of 4.
const ACK_WAIT: u64 = 1_000 + 10 + 304 + 4;

const DIFS: u64 = 50;
const SLOT: u64 = 20;

/// When the RTS comes of an attempt whose contention begins at `from`.
fn rts_after(script: &mut Script, from: u64, window: u32) -> u64 {
    from + DIFS + SLOT * script.draws(window)
}

/// ```text
/// 90                760      810             the window doubles with each missing CTS:
/// | RTS, no CTS     |  DIFS  | slots | RTS   31, 63, 127, 255, 511, 1023, 1023, given up
/// |<----- 670 ----->|
/// ```
#[test]
fn an_rts_without_cts_is_tried_seven_times() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let mut from = 0;
    for (attempt, window) in WINDOWS.into_iter().enumerate() {
        let rts = rts_after(&mut script, from, window);
        from = rts + CTS_WAIT;
        script.until(from - 1);
        let again = if attempt == 0 { "" } else { " again" };
        script.says(&[&format!("{rts} rts to 2{again}")]);
    }
    script.until(from);
    script.says(&[&format!("{from} failed to 2"), &format!("{from} ready")]);
    assert_eq!(script.counters().missing_cts, 7);
    assert_eq!(script.counters().retry_drops, 1);
}

/// After a packet was given up, the next one starts with the first window, without post-backoff.
#[test]
fn the_window_is_reset_by_a_drop() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    for window in WINDOWS {
        script.draws(window);
    }
    script.until(1_000_000);
    script.says_last("ready");
    script.packet(1_000_000, PEER);
    let rts = rts_after(&mut script, 1_000_000, 31);
    script.until(rts);
    script.says(&[&format!("{rts} rts to 2")]);
}

/// ```text
/// 90   452    766               2084     2134
/// |RTS | cts  | DATA, no ACK    |  DIFS  | slots | RTS … the fourth missing ACK gives up
///             |<---- 1318 ----->|
/// ```
#[test]
fn data_without_ack_starts_again_with_rts_and_is_tried_four_times() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let mut from = 0;
    for (attempt, window) in WINDOWS.into_iter().take(4).enumerate() {
        let rts = rts_after(&mut script, from, window);
        script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
        from = rts + 676 + ACK_WAIT;
        script.until(from - 1);
        let again = if attempt == 0 { "" } else { " again" };
        let data = rts + 676;
        script.says(&[
            &format!("{rts} rts to 2{again}"),
            &format!("{data} data 0 to 2{again}"),
        ]);
    }
    script.until(from);
    script.says(&[&format!("{from} failed to 2"), &format!("{from} ready")]);
    assert_eq!(script.counters().missing_ack, 4);
    assert_eq!(script.counters().missing_cts, 0);
}

/// Six missing CTS, a CTS, a missing ACK, six missing CTS more: no drop, since the CTS reset the
/// short counter. The window goes on growing all the while.
#[test]
fn a_cts_resets_the_short_counter_but_not_the_window() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let mut from = 0;
    for window in WINDOWS.into_iter().take(6) {
        from = rts_after(&mut script, from, window) + CTS_WAIT;
    }
    let rts = rts_after(&mut script, from, 1_023);
    script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    from = rts + 676 + ACK_WAIT;
    for _ in 0..6 {
        from = rts_after(&mut script, from, 1_023) + CTS_WAIT;
    }
    let rts = rts_after(&mut script, from, 1_023);
    script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.hear(rts + 1_686, frame(FrameKind::Ack, PEER, ME, 0));
    script.says_last("ready");
    assert_eq!(script.counters().missing_cts, 12);
    assert_eq!(script.counters().missing_ack, 1);
    assert_eq!(script.counters().retry_drops, 0);
}

/// The standard counts for the packet: that a CTS came once is no matter of its own (clause 9.2.5.3 has it reset
/// the station's counter, which no limit is held against, and not the packet's).
///
/// ```text
/// RTS ×6, no CTS | RTS, cts, DATA, no ACK | RTS, no CTS: the seventh, dropped
/// ```
#[test]
fn in_the_standard_a_packet_has_seven_rts_without_cts_in_all() {
    let mut script = Script::new(standard_with_rts(), &[]);
    script.packet(1_000, PEER);
    answer_rts(&mut script, 7);
    script.until(10_000_000);
    script.says_last("ready");
    assert_eq!(script.counters().missing_cts, 7);
    assert_eq!(script.counters().missing_ack, 1);
    assert_eq!(script.counters().retry_drops, 1);
}

/// Nor has it anything to do with the packet before.
///
/// ```text
/// limits 2 and 3:  RTS, cts, DATA | RTS, no CTS | RTS, cts, DATA | RTS, no CTS: dropped
/// next packet:     RTS, cts, DATA | RTS, cts, DATA | RTS, cts, DATA: dropped at its third
/// ```
#[test]
fn in_the_standard_a_packet_inherits_no_retries() {
    let config = DcfConfig {
        short_retry_limit: Some(2),
        long_retry_limit: Some(3),
        ..standard_with_rts()
    };
    let mut script = Script::new(config, &[]);
    script.packet(1_000, PEER);
    answer_rts(&mut script, 1);
    answer_rts(&mut script, 3);
    script.until(1_000_000);
    script.says_last("ready");
    assert_eq!(script.counters().missing_cts, 2);
    script.packet(1_000_000, PEER);
    for number in [5, 6, 7] {
        answer_rts(&mut script, number);
    }
    script.until(2_000_000);
    script.says_last("ready");
    assert_eq!(script.counters().missing_ack, 2 + 3);
    assert_eq!(script.counters().retry_drops, 2);
}

/// Of all RTS of a script the one with this number, counted from one, gets a CTS.
fn answer_rts(script: &mut Script, number: usize) {
    let count = |script: &Script| {
        let rts = |frame: &&FrameHeader| frame.kind == FrameKind::Rts;
        script.sent.iter().filter(rts).count()
    };
    while count(script) < number {
        assert!(!script.dcf.is_ready(), "RTS {number} never comes");
        script.until(script.dcf.next_wake().as_nanos() / 1_000);
    }
    // A CTS has a slot of slack.
    let rts = script.dcf.answer_deadline().as_nanos() / 1_000 - (352 + 10 + 304 + 20);
    script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
}

/// Missing CTS between them do not reset the count of missing ACKs.
#[test]
fn the_long_counter_counts_across_missing_cts() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let mut windows = WINDOWS.into_iter().chain(std::iter::repeat(1_023));
    let mut window = || windows.next().expect("there are always more");
    let mut from = 0;
    for _ in 0..4 {
        from = rts_after(&mut script, from, window()) + CTS_WAIT;
        let rts = rts_after(&mut script, from, window());
        script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
        from = rts + 676 + ACK_WAIT;
    }
    script.until(from);
    script.says_last("ready");
    assert_eq!(script.counters().missing_ack, 4);
    assert_eq!(script.counters().retry_drops, 1);
}

/// After an ACK the post-backoff is drawn from the first window again.
///
/// ```text
/// RTS, no CTS | window 63 | RTS … ack | window 31
/// ```
#[test]
fn an_ack_resets_the_window() {
    let mut script = Script::new(ns2(), &[]);
    script.packet(0, PEER);
    let first = rts_after(&mut script, 0, 31);
    let rts = rts_after(&mut script, first + CTS_WAIT, 63);
    script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.hear(rts + 1_686, frame(FrameKind::Ack, PEER, ME, 0));
    script.packet(rts + 1_990, PEER);
    let next = rts_after(&mut script, rts + 1_990, 31);
    script.until(next);
    script.says(&[
        &format!("{first} rts to 2"),
        &format!("{rts} rts to 2 again"),
        &format!("{} data 0 to 2", rts + 676),
        &format!("{} ready", rts + 1_990),
        &format!("{next} rts to 2"),
    ]);
}

/// Without RTS the short limit counts missing ACKs.
#[test]
fn data_without_rts_is_tried_seven_times() {
    let config = DcfConfig {
        rts_threshold: None,
        ..ns2()
    };
    let mut script = Script::new(config, &[]);
    script.packet(0, PEER);
    let mut from = 0;
    for window in WINDOWS {
        from = rts_after(&mut script, from, window) + ACK_WAIT;
    }
    script.until(from - 1);
    assert_eq!(script.sent.len(), 7);
    assert_eq!(script.counters().retry_drops, 0);
    script.until(from);
    script.says_last("ready");
    assert_eq!(script.counters().missing_ack, 7);
    assert_eq!(script.counters().retry_drops, 1);
}

#[test]
fn without_a_limit_nothing_is_given_up() {
    let config = DcfConfig {
        short_retry_limit: None,
        long_retry_limit: None,
        ..standard()
    };
    let mut script = Script::new(config, &[]);
    script.packet(0, PEER);
    script.until(10_000_000);
    assert!(script.sent.len() > 500);
    assert_eq!(script.counters().retry_drops, 0);
    assert!(!script.dcf.is_ready());
}

/// ```text
/// 90            760  770      1074
/// | RTS         |    | cts    |        too late: no data; the RTS comes again
/// ```
#[test]
fn a_cts_after_the_timeout_is_ignored() {
    let mut script = Script::new(ns2(), &[(31, 2), (63, 5)]);
    script.packet(0, PEER);
    script.hear(770, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.until(1_074 + 50 + 5 * 20);
    script.says(&["90 rts to 2", "1224 rts to 2 again"]);
}

/// ```text
/// 90            756 758 760
/// | RTS   | cts | cts |        with twice 2 µs for the way, a CTS may end up to 760
/// ```
#[test]
fn a_cts_may_be_late_by_the_slack() {
    let mut script = Script::new(ns2(), &[(31, 2)]);
    script.packet(0, PEER);
    script.hear(456, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.until(800);
    script.says(&["90 rts to 2", "770 data 0 to 2"]);
}

/// An ACK that nobody waits for changes nothing.
#[test]
fn an_unexpected_ack_or_cts_is_ignored() {
    let mut script = Script::of_ns2(&[2]);
    script.hear(0, frame(FrameKind::Ack, PEER, ME, 0));
    script.hear(400, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.packet(800, PEER);
    script.until(890);
    script.says(&["890 rts to 2"]);
}
