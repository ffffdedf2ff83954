//! How the window grows and what bounds it (RFC 5681 §3.1, §4.1).

use crate::script::{MSS, Talk, at, eight_out, established, ns2, standard};
use acklab_tcp::{SenderNote, config::initial_window_of_rfc5681};

/// ns-2 and RFC 5681 equation 2 agree while every segment has its own ACK.
#[test]
fn slow_start_adds_a_segment_for_each_ack() {
    for mut config in [ns2(), standard()] {
        config.initial_window = 2;
        let mut talk = established(config);
        recv!(talk at 200, ack 1);
        send!(talk, 3, 4);
        recv!(talk at 200, ack 2);
        send!(talk, 5, 6);
        cwnd!(talk, 4.0);
    }
}

/// RFC 5681 equation 2: cwnd += min(N, SMSS), not N.
#[test]
fn slow_start_adds_one_segment_for_an_ack_of_two() {
    for config in [ns2(), standard()] {
        let mut talk = established(config);
        talk.sent.clear();
        recv!(talk at 200, ack 2);
        cwnd!(talk, f64::from(config.initial_window) + 1.0);
    }
}

/// An ACK of half a segment counts for half of one by bytes, for a whole one by ACKs. RFC 5681 §3.1
/// equation 2.
#[test]
fn slow_start_by_bytes_adds_what_was_acknowledged() {
    for (mut config, grown) in [(ns2(), 3.0), (standard(), 2.5)] {
        config.initial_window = 2;
        let mut talk = Talk::new(config);
        talk.sender.on_data(at(0), u64::from(MSS / 2));
        talk.sender.on_open(at(0));
        talk.syn_ack(100);
        talk.ack_bytes(200, MSS / 2);
        cwnd!(talk, grown);
    }
}

/// RFC 5681 equation 3: 1/cwnd for each ACK, however much it acknowledges.
#[test]
fn congestion_avoidance_by_acks() {
    let mut config = ns2();
    config.initial_ssthresh = Some(8);
    let mut talk = eight_out(config);
    recv!(talk at 200, ack 1);
    cwnd!(talk, 8.125);
    recv!(talk at 200, ack 3);
    cwnd!(talk, 8.125 + 1.0 / 8.125);
}

/// RFC 5681 §3.1, the recommended way: one segment when a whole window is acknowledged.
#[test]
fn congestion_avoidance_by_bytes() {
    let mut config = standard();
    config.initial_ssthresh = Some(8);
    let mut talk = eight_out(config);
    recv!(talk at 200, ack 2, 4, 6);
    cwnd!(talk, 8.0);
    recv!(talk at 200, ack 8);
    cwnd!(talk, 9.0);
}

/// Slow start ends at the threshold, which starts as the receiver's window in ns-2.
#[test]
fn the_threshold_separates_the_two() {
    let mut config = ns2();
    config.receiver_window = 3;
    let mut talk = established(config);
    ssthresh!(talk, 3.0);
    recv!(talk at 200, ack 1);
    cwnd!(talk, 3.0);
    recv!(talk at 200, ack 2);
    cwnd!(talk, 3.0 + 1.0 / 3.0);
}

/// min(cwnd, rwnd) is sent; cwnd itself goes on growing (Altman and Jiménez, figure 7). RFC 5681
/// §3.1.
#[test]
fn the_receivers_window_limits_what_is_sent_but_not_the_growth() {
    let mut config = ns2();
    config.receiver_window = 2;
    let mut talk = established(config);
    for packet in 1..=10 {
        recv!(talk at 200 + u64::from(packet), ack packet);
        send!(talk, packet + 2);
    }
    assert!(talk.sender.cwnd() > 4.0);
    assert!((talk.sender.window() - 2.0).abs() < 1e-9);
    assert!((talk.sender.flight() - 2.0).abs() < 1e-9);
}

/// RFC 9293 §3.8.6; ns-2 knows a fixed `window_` only.
#[test]
fn the_advertised_window_counts_in_the_standard_profile_only() {
    for (config, next) in [(ns2(), vec![9, 10]), (standard(), vec![])] {
        let mut talk = eight_out(config);
        talk.ack_with_window(200, 1, 7 * MSS);
        assert_eq!(talk.sent, next);
    }
    // Where a closed window is not probed, it still lets one segment through.
    let mut config = standard();
    config.window_probes = false;
    let mut talk = eight_out(config);
    talk.ack_with_window(200, 8, 0);
    send!(talk, 9);
}

/// RFC 5681 §3.1, the three sizes.
#[test]
fn the_initial_window_depends_on_the_segment_size() {
    assert_eq!(
        [2191, 2190, 1096, 1095, 536].map(initial_window_of_rfc5681),
        [2, 3, 3, 4, 4]
    );
}

/// RFC 9293 §3.7.1: the MSS is a most, no measure.
#[test]
fn data_ends_with_a_short_segment_and_a_note() {
    let mut config = ns2();
    config.initial_window = 4;
    let mut talk = Talk::new(config);
    talk.sender.on_data(at(0), 2500);
    talk.sender.on_open(at(0));
    talk.syn_ack(100);
    send!(talk, 0, 1, 2, 3);
    talk.ack_bytes(200, 2500);
    assert!(talk.sender.is_finished());
    assert_eq!(talk.sender.acked_bytes(), 2500);
    assert_eq!(talk.count(SenderNote::AllAcked), 1);
    // More data opens it again.
    talk.write(300, 100);
    assert_eq!(talk.sent.len(), 1);
    assert!(!talk.sender.is_finished());
}

/// RFC 5681 §4.1: after more than a timeout's silence the restart window counts.
#[test]
fn silence_forgets_the_window_standard() {
    for (pause, cwnd) in [(900, 11.0), (1300, 4.0)] {
        let mut config = standard();
        config.initial_window = 4;
        let mut talk = Talk::new(config);
        talk.sender.on_data(at(0), 7 * u64::from(MSS));
        talk.sender.on_open(at(0));
        talk.syn_ack(100);
        recv!(talk at 200, ack 1, 2, 3, 4, 5, 6, 7);
        cwnd!(talk, 11.0);
        assert_eq!(talk.sender.next_wake(), acklab_base::Instant::NEVER);
        talk.write(200 + pause, 1000);
        cwnd!(talk, cwnd);
    }
}

/// RFC 5681 §3.1: congestion avoidance adds one segment in a round trip. What was acknowledged before
/// the silence belongs to none of those after it: 4 segments grow to 5 with the fourth ACK.
#[test]
fn silence_forgets_what_was_acknowledged_before() {
    let mut config = standard();
    (config.initial_window, config.initial_ssthresh) = (4, Some(2));
    let mut talk = Talk::new(config);
    talk.sender.on_data(at(0), 3 * u64::from(MSS));
    talk.sender.on_open(at(0));
    talk.syn_ack(100);
    recv!(talk at 200, ack 1, 2, 3);
    talk.write(1500, 4 * u64::from(MSS));
    recv!(talk at 1600, ack 4, 5, 6);
    cwnd!(talk, 4.0);
    recv!(talk at 1600, ack 7);
    cwnd!(talk, 5.0);
}

/// ns-2: the timer goes on running and takes the window down to one, without a timeout.
#[test]
fn silence_forgets_the_window_ns2() {
    let mut talk = Talk::new(ns2());
    talk.sender.on_data(at(0), 2 * u64::from(MSS));
    talk.sender.on_open(at(0));
    talk.syn_ack(100);
    recv!(talk at 200, ack 1, 2);
    cwnd!(talk, 4.0);
    ssthresh!(talk, 20.0);
    // Samples of 10 and 10 ticks: 10 + 15 ticks from the last ACK on.
    talk.wake(450);
    cwnd!(talk, 1.0);
    ssthresh!(talk, 20.0);
    assert_eq!(talk.count(SenderNote::Timeout), 0);
    assert_eq!(talk.sender.next_wake(), acklab_base::Instant::NEVER);
}

/// An ACK for what was never sent is no ACK (RFC 9293 §3.10.7.4).
#[test]
fn an_ack_from_the_future_is_ignored() {
    let mut talk = established(ns2());
    recv!(talk at 200, ack 3);
    send!(talk);
    cwnd!(talk, 2.0);
    assert_eq!(talk.sender.acked_bytes(), 0);
}

/// An ACK that was overtaken says nothing. RFC 9293 §3.10.7.4: SEG.ACK below SND.UNA is ignored;
/// RFC 5681 §2.
#[test]
fn an_old_ack_is_no_duplicate() {
    let mut talk = eight_out(ns2());
    recv!(talk at 200, ack 4);
    talk.sent.clear();
    recv!(talk at 201, ack 3, 3, 3, 3);
    send!(talk);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
}
