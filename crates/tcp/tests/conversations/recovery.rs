//! Duplicate ACKs (RFC 5681 §3.2, RFC 3042, RFC 6582).

use crate::script::{MSS, Talk, at, eight_out, in_fast_recovery, ns2, standard};
use acklab_tcp::{Cut, FullAck, Guard, Phase, SenderNote, Variant};

/// RFC 3042: one new segment for each of the first two duplicates.
#[test]
fn limited_transmit_sends_on_the_first_two_duplicates() {
    for config in [ns2(), standard()] {
        let mut talk = eight_out(config);
        recv!(talk at 201, ack 0);
        send!(talk, 9);
        recv!(talk at 202, ack 0);
        send!(talk, 10);
        cwnd!(talk, 8.0);
    }
}

/// RFC 3042: the receiver's window must allow it.
#[test]
fn limited_transmit_respects_the_receivers_window() {
    let mut config = ns2();
    config.receiver_window = 9;
    let mut talk = eight_out(config);
    recv!(talk at 201, ack 0);
    send!(talk, 9);
    recv!(talk at 202, ack 0);
    send!(talk);
}

/// RFC 5681 §3.2 step 1 without RFC 3042.
#[test]
fn without_limited_transmit_the_first_duplicates_are_only_counted() {
    for mut config in [ns2(), standard()] {
        config.limited_transmit = false;
        let mut talk = eight_out(config);
        recv!(talk at 201, ack 0, 0);
        send!(talk);
        recv!(talk at 203, ack 0);
        send!(talk, 1);
    }
}

/// RFC 5681 §3.2 steps 2 and 3, with RFC 3042's two segments left out of the flight (step 2).
#[test]
fn the_third_duplicate_repairs_the_hole() {
    let talk = in_fast_recovery(standard());
    ssthresh!(talk, 4.0);
    cwnd!(talk, 4.0);
    assert_eq!(
        talk.notes[2..],
        [SenderNote::FastRetransmit, SenderNote::WindowCut]
    );
    assert_eq!(
        talk.sender.phase(),
        Phase::FastRecovery {
            partial_seen: false
        }
    );
    // The timer restarts.
    assert_eq!(talk.sender.next_wake(), at(1203));
}

/// ns-2 halves min(cwnd, window): the threshold is whole and at least two, the window keeps its
/// fraction and may fall below two.
#[test]
fn the_cut_of_ns2() {
    for (window, cwnd, threshold) in [(20, 4.0, 4.0), (7, 3.5, 3.0), (3, 1.5, 2.0)] {
        let mut config = ns2();
        config.receiver_window = window;
        let mut talk = eight_out(config);
        talk.sent.clear();
        recv!(talk at 203, ack 0, 0, 0);
        assert_eq!(talk.sent.last(), Some(&1));
        cwnd!(talk, cwnd);
        ssthresh!(talk, threshold);
    }
}

/// ns-2.1b9: half of the window in whole segments, where RFC 5681 §3.1 equation 4 halves the
/// flight.
#[test]
fn the_cut_of_ns2_before_2006_is_whole() {
    let mut config = ns2();
    config.receiver_window = 7;
    config.cut = Cut::Window { fractional: false };
    let mut talk = eight_out(config);
    recv!(talk at 203, ack 0, 0, 0);
    cwnd!(talk, 3.0);
}

/// RFC 2581 §3.2 step 2, of the window: fast recovery goes on with the threshold, so that a window
/// of three leaves two segments and not one.
#[test]
fn the_cut_to_the_threshold() {
    for (window, both) in [(20, 4.0), (7, 3.0), (3, 2.0)] {
        let mut config = ns2();
        config.receiver_window = window;
        config.cut = Cut::Threshold;
        let mut talk = eight_out(config);
        recv!(talk at 203, ack 0, 0, 0);
        cwnd!(talk, both);
        ssthresh!(talk, both);
    }
}

/// RFC 5681 §3.2 step 4: each further duplicate inflates the window by a segment. Ten are out
/// (two by Limited Transmit), the window is 4 + 3: the fourth further duplicate frees the first.
#[test]
fn further_duplicates_inflate_the_window() {
    for config in [ns2(), standard()] {
        let mut talk = in_fast_recovery(config);
        recv!(talk at 204, ack 0, 0, 0);
        send!(talk);
        recv!(talk at 205, ack 0);
        send!(talk, 11);
        recv!(talk at 206, ack 0);
        send!(talk, 12);
        cwnd!(talk, 4.0);
    }
}

/// RFC 5681 §3.2 step 6 for Reno: the first new ACK ends recovery at the threshold.
#[test]
fn reno_deflates_at_the_first_new_ack() {
    let mut talk = in_fast_recovery(standard().with_variant(Variant::Reno));
    recv!(talk at 300, ack 4);
    cwnd!(talk, 4.0);
    assert_eq!(talk.sender.phase(), Phase::Open);
    // ns-2 also lets the window grow by that ACK: 4 + 1/4.
    let mut talk = in_fast_recovery(ns2().with_variant(Variant::Reno));
    recv!(talk at 300, ack 4);
    cwnd!(talk, 4.25);
    assert_eq!(talk.sender.phase(), Phase::Open);
}

/// RFC 6582 §3.2 step 3: a partial ACK repairs the next hole at once and stays in recovery.
#[test]
fn newreno_repairs_a_hole_for_each_partial_ack() {
    for config in [ns2(), standard()] {
        let mut talk = in_fast_recovery(config);
        recv!(talk at 300, ack 2);
        assert_eq!(talk.sent.first(), Some(&3));
        assert_eq!(
            talk.sender.phase(),
            Phase::FastRecovery { partial_seen: true }
        );
        talk.sent.clear();
        recv!(talk at 400, ack 5);
        assert_eq!(talk.sent.first(), Some(&6));
    }
}

/// RFC 6582 §3.2 step 3: deflate by what is acknowledged, add one segment back. The window is
/// 4 + 3 and the ACK covers 2: 6 from packet 3 on, and 3 to 10 are out.
#[test]
fn a_partial_ack_deflates_the_window() {
    let mut talk = in_fast_recovery(standard());
    recv!(talk at 300, ack 2);
    send!(talk, 3);
    // Two duplicates inflate to 8; the third frees packet 11.
    recv!(talk at 301, ack 2, 2);
    send!(talk);
    recv!(talk at 302, ack 2);
    send!(talk, 11);
}

/// Where the inflation does not suffice, the window itself gives way: 4 + 3 − 6 + 1. RFC 6582 §3.2
/// step 3 (partial ACKs).
#[test]
fn a_large_partial_ack_deflates_the_window_itself() {
    for config in [ns2(), standard()] {
        let mut talk = in_fast_recovery(config);
        recv!(talk at 300, ack 6);
        send!(talk, 7);
        cwnd!(talk, 1.0);
    }
}

/// ns-2 sends at most two segments for one ACK in NewReno's recovery. The receiver's window of 10
/// hid the inflation of 9; a partial ACK of 5 leaves 4 + 5 above 5 in flight: four may leave.
#[test]
fn bursts_in_recovery_are_limited_in_ns2() {
    for (burst, first, later) in [
        (Some(2), vec![6, 11, 12], vec![13, 14]),
        (None, vec![6, 11, 12, 13, 14], vec![]),
    ] {
        let mut config = ns2();
        config.receiver_window = 10;
        config.newreno.burst = burst;
        let mut talk = in_fast_recovery(config);
        recv!(talk at 204, ack 0, 0, 0, 0, 0, 0);
        send!(talk);
        recv!(talk at 300, ack 5);
        assert_eq!(std::mem::take(&mut talk.sent), first);
        // What was left over leaves with the next ACK, even an old one.
        recv!(talk at 301, ack 4);
        assert_eq!(talk.sent, later);
    }
}

/// RFC 6582 §4: the impatient variant restarts the timer for the first partial ACK only, the slow
/// but steady one for each.
#[test]
fn the_timer_at_partial_acks() {
    for (impatient, second) in [(true, 300), (false, 400)] {
        let mut config = standard();
        config.newreno.impatient = impatient;
        let mut talk = in_fast_recovery(config);
        recv!(talk at 300, ack 2);
        assert_eq!(talk.sender.next_wake(), at(1300));
        recv!(talk at 400, ack 4);
        assert_eq!(talk.sender.next_wake(), at(1000 + second));
    }
}

/// RFC 6582 §3.2 step 3, full acknowledgement: both of its choices, and ns-2's.
#[test]
fn a_full_ack_ends_recovery() {
    // Everything (10) is acknowledged: nothing is in flight.
    let mut talk = in_fast_recovery(standard());
    recv!(talk at 300, ack 10);
    cwnd!(talk, 2.0);
    send!(talk, 11, 12);
    let mut config = standard();
    config.newreno.full_ack = FullAck::Ssthresh;
    let mut talk = in_fast_recovery(config);
    recv!(talk at 300, ack 10);
    cwnd!(talk, 4.0);
    send!(talk, 11, 12, 13, 14);
    // ns-2 keeps the window of 4, which the ACK makes grow by 1/4.
    let mut talk = in_fast_recovery(ns2());
    recv!(talk at 300, ack 10);
    cwnd!(talk, 4.25);
    send!(talk, 11, 12, 13, 14);
    assert_eq!(talk.sender.phase(), Phase::Open);
}

/// RFC 6582 §3.2 step 2: duplicates must acknowledge more than `recover`.
#[test]
fn the_careful_guard() {
    for (guard, repaired) in [
        (Guard::Careful, 1),
        (Guard::LessCareful, 2),
        (Guard::Off, 2),
    ] {
        let mut config = ns2();
        config.guard = guard;
        let mut talk = in_fast_recovery(config);
        recv!(talk at 300, ack 10);
        recv!(talk at 400, ack 10, 10, 10);
        assert_eq!(
            talk.count(SenderNote::FastRetransmit),
            repaired,
            "{guard:?}"
        );
    }
    // One segment more, and the careful one allows it.
    let mut talk = in_fast_recovery(ns2());
    recv!(talk at 300, ack 10);
    recv!(talk at 400, ack 11, 11, 11, 11);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 2);
}

/// ns-2 (and Allman's remark): the very first data segment may be repaired although `recover`
/// covers it.
#[test]
fn the_first_segment_is_exempt_from_the_guard() {
    for (exempt, repaired, timer) in [(true, 2, 503), (false, 0, 400)] {
        let mut config = ns2();
        config.first_segment_exempt = exempt;
        let mut talk = eight_out(config);
        recv!(talk at 203, ack 0, 0, 0);
        talk.wake(timer);
        recv!(talk at 600, ack 0, 0, 0);
        assert_eq!(talk.count(SenderNote::FastRetransmit), repaired);
    }
}

/// Tahoe goes back to the hole with a window of one, and is in no recovery. Jacobson 1988; RFC 5681
/// §3.1 of the window after a loss.
#[test]
fn tahoe_slow_starts_from_the_hole() {
    for config in [ns2(), standard()] {
        let mut talk = in_fast_recovery(config.with_variant(Variant::Tahoe));
        cwnd!(talk, 1.0);
        ssthresh!(talk, 4.0);
        assert_eq!(talk.sender.phase(), Phase::Loss);
        // Further duplicates do nothing.
        recv!(talk at 204, ack 0, 0, 0, 0);
        send!(talk);
        recv!(talk at 300, ack 1);
        send!(talk, 2, 3);
        // The receiver had the rest: the ACK jumps to what is new.
        recv!(talk at 400, ack 10);
        send!(talk, 11, 12, 13);
        assert_eq!(talk.sender.phase(), Phase::Open);
    }
}

/// ns-2 before 2003: duplicates inflate the window even where the guard forbade a repair.
#[test]
fn inflation_outside_recovery_is_an_old_rule() {
    for (old, sent) in [(false, 0), (true, 2)] {
        let mut config = ns2();
        config.inflate_unguarded = old;
        config.limited_transmit = false;
        let mut talk = eight_out(config);
        recv!(talk at 203, ack 0, 0, 0);
        recv!(talk at 300, ack 8);
        talk.sent.clear();
        recv!(talk at 400, ack 8, 8, 8);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
        assert_eq!(talk.sent.len(), sent);
    }
}

/// RFC 5681 §2: a duplicate carries nothing; ns-2 counts a repeated SYN-ACK, too.
#[test]
fn a_repeated_syn_ack_is_a_duplicate_in_ns2_only() {
    for (config, repaired) in [(ns2(), 1), (standard(), 0)] {
        let mut talk = eight_out(config);
        recv!(talk at 201, syn_ack);
        recv!(talk at 202, ack 0, 0);
        assert_eq!(talk.count(SenderNote::FastRetransmit), repaired);
    }
}

/// RFC 5681 §2: data must be outstanding. One regression: a fast retransmit of nothing left a
/// timer that never ended.
#[test]
fn repeated_acks_after_the_end_are_no_duplicates() {
    for config in [ns2(), standard()] {
        let mut talk = Talk::new(config);
        talk.sender.on_data(at(0), u64::from(MSS));
        talk.sender.on_open(at(0));
        talk.syn_ack(100);
        recv!(talk at 200, ack 1, 1, 1, 1);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
        send!(talk, 0, 1);
    }
}

/// A window-limited sender gets no third duplicate and waits for the timer. RFC 5681 §3.2: three
/// duplicates are needed.
#[test]
fn a_window_of_three_ends_in_a_timeout() {
    let mut config = ns2();
    config.receiver_window = 3;
    config.initial_window = 3;
    let mut talk = crate::script::established(config);
    recv!(talk at 201, ack 0, 0);
    send!(talk);
    talk.wake(100 + 300);
    send!(talk, 1);
}
