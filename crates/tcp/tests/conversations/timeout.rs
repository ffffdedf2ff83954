//! When the retransmission timer runs, and what its end does (RFC 6298 §3, §5; RFC 5681 §3.1).

use crate::script::{after_a_timeout, at, eight_out, established, in_fast_recovery, ns2, standard};
use acklab_base::Instant;
use acklab_tcp::{Phase, SenderNote};

/// RFC 6298 §5.1 and §5.3: sending does not restart a running timer, a new ACK does.
#[test]
fn new_acks_restart_the_timer() {
    let mut talk = established(standard());
    assert_eq!(talk.sender.next_wake(), at(1100));
    recv!(talk at 200, ack 1);
    assert_eq!(talk.sender.next_wake(), at(1200));
    talk.write(250, 1000);
    assert_eq!(talk.sender.next_wake(), at(1200));
}

/// RFC 6298 §5.2.
#[test]
fn the_timer_stops_when_everything_is_acknowledged() {
    let mut talk = crate::script::Talk::new(standard());
    talk.sender.on_data(at(0), 1000);
    talk.sender.on_open(at(0));
    talk.syn_ack(100);
    recv!(talk at 200, ack 1);
    assert_eq!(talk.sender.next_wake(), Instant::NEVER);
}

/// RFC 6298 §5.4 to §5.6 and RFC 5681 §3.1: first segment again, window one, half the flight.
#[test]
fn a_timeout_starts_from_one_segment() {
    let (talk, when) = after_a_timeout(standard());
    assert_eq!(when, 1100);
    cwnd!(talk, 1.0);
    ssthresh!(talk, 4.0);
    assert_eq!(talk.sender.next_wake(), at(1100 + 2000));
    assert_eq!(talk.count(SenderNote::Timeout), 1);
    assert_eq!(talk.count(SenderNote::WindowCut), 1);
    assert_eq!(talk.sender.phase(), Phase::Loss);
}

/// ns-2 halves min(cwnd, window), not the flight, and rounds down, but not below two.
#[test]
fn a_timeout_halves_the_window_ns2() {
    for (window, threshold) in [(20, 4.0), (7, 3.0), (3, 2.0)] {
        let mut config = ns2();
        config.receiver_window = window;
        let mut talk = crate::script::eight_out(config);
        talk.wake(400);
        send!(talk, 1);
        ssthresh!(talk, threshold);
        cwnd!(talk, 1.0);
    }
}

/// RFC 5681 §3.1: the threshold is held when the same segment times out again; ns-2 halves the
/// window of one, which gives two.
#[test]
fn a_second_timeout_of_the_same_segment() {
    let (mut talk, _) = after_a_timeout(standard());
    talk.wake(3100);
    send!(talk, 1);
    ssthresh!(talk, 4.0);
    let (mut talk, _) = after_a_timeout(ns2());
    talk.wake(1000);
    send!(talk, 1);
    ssthresh!(talk, 2.0);
}

/// RFC 6298 §5.5: every timeout doubles the next one.
#[test]
fn timeouts_back_off() {
    let (mut talk, mut when) = after_a_timeout(ns2());
    assert_eq!(when, 400);
    for wait in [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000] {
        when += wait;
        talk.wake(when);
        send!(talk, 1);
    }
}

/// RFC 6298 §3 (Karn) and §5: the ACK of a repeated segment is no sample and leaves the back-off;
/// the ACK of new data ends it.
#[test]
fn only_a_valid_sample_ends_the_back_off() {
    let (mut talk, _) = after_a_timeout(ns2());
    let samples = |talk: &crate::script::Talk| {
        talk.notes
            .iter()
            .filter(|note| matches!(note, SenderNote::RttSample(_)))
            .count()
    };
    assert_eq!(samples(&talk), 1);
    recv!(talk at 500, ack 8);
    // Slow start from one: 2 segments, 9 being timed.
    send!(talk, 9, 10);
    assert_eq!(samples(&talk), 1);
    assert_eq!(talk.sender.next_wake(), at(500 + 600));
    recv!(talk at 600, ack 9);
    assert_eq!(samples(&talk), 2);
    assert_eq!(talk.sender.next_wake(), at(600 + 250));
}

/// One segment is timed at a time; its ACK may cover others. RFC 6298 §3: one sample a round trip.
#[test]
fn one_segment_is_timed_at_a_time() {
    let mut talk = eight_out(ns2());
    recv!(talk at 205, ack 3);
    let sample = acklab_base::Duration::from_millis(105);
    assert!(
        talk.notes.contains(&SenderNote::RttSample(sample)),
        "{:?}",
        talk.notes
    );
    talk.notes.clear();
    // Packet 9, sent at 205, is the next one to be timed; 4 to 8 are not.
    recv!(talk at 206, ack 8);
    assert_eq!(talk.notes, []);
    recv!(talk at 305, ack 9);
    assert_eq!(
        talk.notes,
        [SenderNote::RttSample(acklab_base::Duration::from_millis(
            100
        ))]
    );
}

/// Timing stops at a fast retransmit: the ACK behind the hole would measure the repair. RFC 6298 §3
/// (Karn).
#[test]
fn a_fast_retransmit_stops_the_timing() {
    let mut talk = in_fast_recovery(ns2());
    talk.notes.clear();
    recv!(talk at 300, ack 8);
    assert!(
        !talk
            .notes
            .iter()
            .any(|note| matches!(note, SenderNote::RttSample(_)))
    );
}

/// Everything is sent again from the first unacknowledged segment on, until ACKs jump ahead. RFC
/// 6298 §5.4; RFC 5681 §3.1 (slow start after a timeout).
#[test]
fn go_back_n_jumps_with_the_acks() {
    let (mut talk, _) = after_a_timeout(ns2());
    recv!(talk at 500, ack 1);
    send!(talk, 2, 3);
    assert!((talk.sender.flight() - 2.0).abs() < 1e-9);
    // The receiver had 3 to 6.
    recv!(talk at 600, ack 6);
    send!(talk, 7, 8, 9);
}

/// RFC 6582 §3.2 step 4 (after a timeout): duplicates that the repetitions cause start no fast
/// retransmit, as long as they acknowledge nothing beyond `recover`.
#[test]
fn after_a_timeout_duplicates_start_no_fast_retransmit() {
    for config in [ns2(), standard()] {
        let (mut talk, when) = after_a_timeout(config);
        recv!(talk at when + 100, ack 8);
        talk.sent.clear();
        recv!(talk at when + 200, ack 8, 8, 8, 8);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
    }
}

/// Limited Transmit sends "previously unsent data" (RFC 3042 §2): two late duplicates after a timeout,
/// with a window of one, bring nothing out. ns-2 sends what comes next in its turn, though it is old.
#[test]
fn limited_transmit_after_a_timeout() {
    let (mut talk, when) = after_a_timeout(standard());
    recv!(talk at when + 10, ack 0, 0);
    send!(talk);
    let (mut talk, when) = after_a_timeout(ns2());
    recv!(talk at when + 10, ack 0, 0);
    send!(talk, 2, 3);
}

/// A timeout during fast recovery ends it, and the inflation does not count as window. RFC 6582 §4.
#[test]
fn a_timeout_ends_fast_recovery() {
    let mut talk = in_fast_recovery(ns2());
    recv!(talk at 210, ack 0, 0, 0, 0, 0, 0);
    talk.sent.clear();
    talk.wake(203 + 300);
    send!(talk, 1);
    cwnd!(talk, 1.0);
    ssthresh!(talk, 2.0);
    assert_eq!(talk.sender.phase(), Phase::Loss);
}
