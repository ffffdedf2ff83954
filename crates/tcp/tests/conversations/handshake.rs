//! Opening the connection (RFC 9293 §3.5), and what a lost SYN does.

use crate::script::{MSS, Talk, at, established, ms, ns2, standard, syn_ack, syn_sent};
use acklab_base::Seq32;
use acklab_tcp::{Sender, SenderNote, SenderOutput, State};
use acklab_wire::Segment;

/// SYN, answer, data: the first data segment carries the third step. RFC 9293 §3.5.
#[test]
fn data_leaves_with_the_answer_to_the_syn() {
    let mut talk = syn_sent(ns2());
    recv!(talk at 100, syn_ack);
    send!(talk, 1, 2);
    assert_eq!(talk.count(SenderNote::Established), 1);
    assert_eq!(talk.sender.state(), State::Established);
}

/// RFC 9293 §3.4: a SYN takes one sequence number; it is one segment that is sent and not acknowledged.
#[test]
fn a_syn_is_one_segment_in_flight() {
    let mut talk = syn_sent(ns2());
    assert!((talk.sender.flight() - 1.0).abs() < 1e-9);
    recv!(talk at 100, syn_ack);
    send!(talk, 1, 2);
    assert!((talk.sender.flight() - 2.0).abs() < 1e-9);
}

/// RFC 9293 §3.10.7.3: the ACK of the SYN may ride on data.
#[test]
fn data_segments_acknowledge_the_receivers_syn() {
    let mut talk = syn_sent(ns2());
    let segment = Segment {
        seq: Seq32(77),
        ..syn_ack(talk.sender.config())
    };
    talk.sender.on_segment(at(100), &segment);
    let sent = std::iter::from_fn(|| talk.sender.poll());
    let data = sent.filter_map(|output| match output {
        SenderOutput::Segment(segment) => Some((segment.ack.0, segment.flags.ack, segment.len)),
        SenderOutput::Note(_) => None,
    });
    assert_eq!(data.collect::<Vec<_>>(), [(78, true, MSS), (78, true, MSS)]);
}

/// The SYN is timed, so that data starts with a measured timeout (ns-2 and RFC 6298).
#[test]
fn the_syn_gives_the_first_sample() {
    let talk = established(ns2());
    // 10 ticks: 3 × 100 ms.
    assert_eq!(talk.sender.next_wake(), at(400));
}

/// The window does not grow for the ACK of the SYN. RFC 5681 §3.1.
#[test]
fn the_answer_to_the_syn_leaves_the_initial_window() {
    let talk = established(ns2());
    cwnd!(talk, 2.0);
    let talk = established(standard());
    cwnd!(talk, 4.0);
}

/// RFC 9293 §3.10.7.3: SYN-SENT is left by a SYN alone.
#[test]
fn an_ack_without_a_syn_opens_nothing() {
    let mut talk = syn_sent(ns2());
    recv!(talk at 100, ack 0);
    send!(talk);
    assert_eq!(talk.sender.state(), State::SynSent { again: false });
}

/// ns-2: 3 s, then 6 s; the threshold falls to 2, the initial window to 1.
#[test]
fn a_lost_syn_is_sent_again_ns2() {
    let mut talk = syn_sent(ns2());
    talk.wake(3000);
    send!(talk, 0);
    talk.wake(9000);
    send!(talk, 0);
    recv!(talk at 9100, syn_ack);
    send!(talk, 1);
    cwnd!(talk, 1.0);
    ssthresh!(talk, 2.0);
    assert_eq!(talk.count(SenderNote::Timeout), 2);
    // Karn: the SYN was sent three times, so the timeout stays 3 s × 4.
    assert_eq!(talk.sender.next_wake(), at(9100 + 12_000));
}

/// RFC 5681 §3.1: one segment; RFC 6298 §5.7: and 3 s.
#[test]
fn a_lost_syn_is_sent_again_standard() {
    let mut talk = syn_sent(standard());
    talk.wake(1000);
    send!(talk, 0);
    recv!(talk at 1100, syn_ack);
    send!(talk, 1);
    cwnd!(talk, 1.0);
    assert!(
        talk.sender.ssthresh() > 1e6,
        "a lost SYN says nothing about the path's capacity"
    );
    assert_eq!(talk.sender.next_wake(), at(1100 + 3000));
}

/// RFC 6298 §5.7 is for a timeout "less than 3 seconds": one of 6 s stays, and is backed off (§5.5).
#[test]
fn a_lost_syn_makes_no_timeout_shorter() {
    for (initial, data) in [(1_000, 3_000), (2_999, 3_000), (6_000, 12_000)] {
        let mut config = standard();
        config.rto.initial = ms(initial);
        let mut talk = syn_sent(config);
        talk.wake(initial);
        recv!(talk at initial + 100, syn_ack);
        assert_eq!(talk.sender.rto(), ms(data));
    }
}

/// RFC 6298 §3 (Karn): no sample from a SYN that was sent twice.
#[test]
fn a_repeated_syn_is_not_timed() {
    let mut talk = syn_sent(standard());
    talk.wake(1000);
    recv!(talk at 1100, syn_ack);
    assert!(
        !talk
            .notes
            .iter()
            .any(|note| matches!(note, SenderNote::RttSample(_)))
    );
}

/// Not RFC 9293 §3.5: an option, as ns-2 has it (`syn_ false`).
#[test]
fn without_a_handshake_data_starts_at_once() {
    let mut config = ns2();
    config.handshake = false;
    let mut talk = Talk::new(config);
    talk.sender.on_data(at(0), u64::MAX);
    talk.sender.on_open(at(0));
    talk.listen();
    send!(talk, 1, 2);
    recv!(talk at 100, ack 1);
    send!(talk, 3, 4);
}

/// RFC 9293 §3.3.2: CLOSED sends nothing.
#[test]
fn nothing_happens_before_opening() {
    let mut sender = Sender::new(ns2());
    sender.on_data(at(0), 5000);
    assert_eq!(sender.poll(), None);
    assert_eq!(sender.state(), State::Closed);
    assert!(!sender.is_finished());
}
