//! The rules of ns-2.1b9 that later versions dropped, each beside today's.

use super::script::{ME, OTHER, PEER, Script, data, frame, ns2};
use crate::dcf::{Access, DcfConfig, Rules};
use acklab_wire::FrameKind;

/// ns-2.35 with some rules changed.
fn with(change: impl FnOnce(&mut Rules)) -> DcfConfig {
    let mut config = ns2();
    change(&mut config.rules);
    config
}

fn deferring(random: bool) -> DcfConfig {
    with(|rules| rules.access = Access::Deferral { random })
}

/// ```text
/// 0      50               drawn: 4, and not used by a fixed deferral
/// | DIFS | RTS            fixed
/// | DIFS | 4 slots | RTS  random: at 130
/// ```
#[test]
fn a_deferral_takes_difs_and_random_slots_only_if_the_rules_say_so() {
    for (random, at) in [(false, 50), (true, 130)] {
        let mut script = Script::new(deferring(random), &[(31, 4)]);
        script.packet(0, PEER);
        script.until(at);
        script.says(&[&format!("{at} rts to 2")]);
    }
}

/// The medium is busy in the middle of the deferral and idle again at its end. A backoff would
/// freeze; the deferral goes on.
///
/// ```text
/// 0    50   60    90  130
/// |DIFS|    busy  |   | RTS
///                 |DIFS 140|  what is left of 4 slots: RTS of ns-2.35 at 220
/// ```
#[test]
fn a_busy_medium_does_not_stop_a_deferral() {
    let mut script = Script::new(deferring(true), &[(31, 4)]);
    script.packet(0, PEER);
    script.busy(60);
    script.idle(90);
    script.until(130);
    script.says(&["130 rts to 2"]);
    let mut script = Script::new(ns2(), &[(31, 4)]);
    script.packet(0, PEER);
    script.busy(60);
    script.idle(90);
    script.until(220);
    script.says(&["220 rts to 2"]);
}

/// At the deferral's end the medium is busy: the window doubles, a backoff is drawn (3 of 63), and
/// no retry is counted.
///
/// ```text
/// 0    40 50          300     350      410
/// |    busy           |  DIFS | 3 slots| RTS
///         ^ end of the deferral
/// ```
#[test]
fn a_deferral_that_ends_on_a_busy_medium_doubles_the_window() {
    let mut script = Script::new(deferring(false), &[(63, 3)]);
    script.packet(0, PEER);
    script.busy(40);
    script.idle(300);
    script.until(410);
    script.says(&["410 rts to 2"]);
    assert_eq!(script.counters().missing_cts, 0);
}

/// On a busy medium a packet draws a backoff at once, as ever.
#[test]
fn a_packet_that_finds_the_medium_busy_does_not_defer() {
    let mut script = Script::new(deferring(false), &[(31, 2)]);
    script.busy(0);
    script.packet(10, PEER);
    script.idle(100);
    script.until(190);
    script.says(&["190 rts to 2"]);
}

/// An RTS for the station ends its deferral; another one follows its answer.
///
/// ```text
/// 0  10     362  372    676  686       1686 1696   2000  2050      2110
/// |  rts    |    | CTS  |    | data    |    | ACK  | DIFS | 3 slots | RTS
/// | DIFS, 25 slots: would have ended at 550
/// ```
#[test]
fn an_rts_for_me_ends_the_deferral() {
    let mut script = Script::new(deferring(true), &[(31, 25), (31, 3)]);
    script.packet(0, PEER);
    script.hear(10, frame(FrameKind::Rts, OTHER, ME, 1_638));
    script.hear(686, data(OTHER, ME, 0));
    script.until(2_110);
    script.says(&[
        "372 cts to 3",
        "1686 deliver 0 from 3",
        "1696 ack to 3",
        "2110 rts to 2",
    ]);
}

/// The CTS cannot be sent, since the medium is busy: the packet in hand is forgotten until the
/// station answers somebody.
#[test]
fn a_withheld_cts_leaves_the_packet_waiting_for_the_next_answer() {
    let mut script = Script::new(deferring(true), &[(31, 28), (31, 0)]);
    // The packet defers until 5350 + 50 + 560. An RTS for me ends that, and its CTS, due at 5722,
    // finds the medium busy.
    script.packet(5_350, PEER);
    script.hear(5_360, frame(FrameKind::Rts, OTHER, ME, 1_638));
    script.busy(5_715);
    script.idle(5_800);
    script.until(20_000);
    script.says(&[]);
    assert_eq!(script.counters().cts_withheld, 1);
    script.hear(20_000, frame(FrameKind::Rts, OTHER, ME, 1_638));
    script.hear(20_676, data(OTHER, ME, 0));
    script.until(22_040);
    script.says(&[
        "20362 cts to 3",
        "21676 deliver 0 from 3",
        "21686 ack to 3",
        "22040 rts to 2",
    ]);
}

/// Two missing CTS, then a CTS, then no ACK: the next window is the second one, not the fourth.
#[test]
fn a_cts_resets_the_window_by_the_old_rule() {
    for (old, last) in [(false, 255), (true, 63)] {
        let config = with(|rules| rules.cts_resets_window = old);
        let mut script = Script::new(config, &[]);
        script.packet(0, PEER);
        let mut rts_at = |from: u64, window| from + 50 + 20 * script.draws(window);
        let first = rts_at(0, 31);
        let second = rts_at(first + 670, 63);
        let third = rts_at(second + 670, 127);
        let fourth = rts_at(third + 676 + 1_318, last);
        script.hear(third + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
        script.until(fourth);
        script.says(&[
            &format!("{first} rts to 2"),
            &format!("{second} rts to 2 again"),
            &format!("{third} rts to 2 again"),
            &format!("{} data 0 to 2", third + 676),
            &format!("{fourth} rts to 2 again"),
        ]);
    }
}

/// Six missing CTS, then data for this station: by the old rule six more may follow.
#[test]
fn data_for_me_resets_the_short_counter_by_the_old_rule() {
    for (old, attempts) in [(false, 7), (true, 13)] {
        let config = with(|rules| rules.data_resets_retries = old);
        let mut script = Script::new(config, &[]);
        script.packet(0, PEER);
        let mut now = 0;
        while script.counters().missing_cts < 6 {
            now += 1_000;
            script.until(now);
        }
        // The seventh RTS comes no sooner than DIFS after the sixth failure.
        let at = script.sent.len();
        assert_eq!(at, 6, "the seventh RTS is not out");
        script.hear(now, frame(FrameKind::Rts, OTHER, ME, 1_638));
        script.hear(now + 676, data(OTHER, ME, 0));
        script.until(1_000_000);
        script.says_last("ready");
        assert_eq!(script.counters().missing_cts, attempts);
        assert_eq!(script.counters().retry_drops, 1);
    }
}

/// Five attempts at data, not four.
#[test]
fn the_profile_of_2002_has_these_rules_and_one_attempt_more() {
    let config = DcfConfig::ns2_of_2002();
    assert_eq!(config.long_retry_limit, Some(5));
    assert_eq!(config.short_retry_limit, Some(7));
    assert_eq!(config.rules.access, Access::Deferral { random: false });
    assert!(config.rules.cts_resets_window && config.rules.data_resets_retries);
}
