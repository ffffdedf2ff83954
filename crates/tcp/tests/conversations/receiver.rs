//! When the receiver acknowledges (RFC 1122 §4.2.3.2, RFC 5681 §4.2, Altman and Jiménez 2003).

use crate::script::{Ear, FLOW, MSS, at, ms};
use acklab_base::{Duration, Instant};
use acklab_tcp::ack::{AckPolicy, Arrival, Decision};
use acklab_tcp::{AckConfig, AckReason, DelayTimer, NewestRepeated, Numbering, ReceiverConfig};

/// A receiver that has answered the SYN.
fn open(ack: AckConfig) -> Ear {
    ready(ReceiverConfig::standard(FLOW, ack, 64 * MSS))
}

fn ready(config: ReceiverConfig) -> Ear {
    let mut ear = Ear::new(config);
    recv!(ear at 0, syn);
    send!(ear, ack 0 Syn);
    ear
}

fn delayed(count: u32, timer: DelayTimer) -> AckConfig {
    AckConfig::Delayed {
        count,
        interval: ms(100),
        timer,
    }
}

const FIRST: DelayTimer = DelayTimer::FirstWaiting;
const EVERY: DelayTimer = DelayTimer::EveryWaiting;

/// RFC 1122 §4.2.3.2 allows a delay and asks for none.
#[test]
fn every_segment_has_its_ack() {
    let mut ear = open(AckConfig::EverySegment);
    recv!(ear at 10, packet 1);
    send!(ear, ack 1 Every);
    recv!(ear at 10, packet 2);
    send!(ear, ack 2 Every);
}

/// Altman and Jiménez 2003 §3.1: d segments, or the interval.
#[test]
fn d_segments_share_an_ack() {
    for count in 1..=4 {
        let mut ear = open(delayed(count, FIRST));
        for round in 1..=5 {
            for packet in 1..=count {
                silent!(ear);
                recv!(ear at 10, packet (round - 1) * count + packet);
            }
            assert_eq!(
                std::mem::take(&mut ear.said),
                [(round * count, AckReason::Count)]
            );
            assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
        }
    }
}

/// Armed by the first waiting segment: 100 ms after it, whatever follows. RFC 1122 §4.2.3.2: no ACK
/// later than the bound after its segment.
#[test]
fn the_timer_of_the_first_waiting_segment() {
    let mut ear = open(delayed(4, FIRST));
    recv!(ear at 10, packet 1);
    recv!(ear at 60, packet 2);
    recv!(ear at 90, packet 3);
    ear.wake(110);
    send!(ear, ack 3 Timer);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// Re-armed by every waiting segment: 100 ms after the last (Altman and Jiménez, Table 1).
#[test]
fn the_timer_of_every_waiting_segment() {
    let mut ear = open(delayed(4, EVERY));
    recv!(ear at 10, packet 1);
    recv!(ear at 60, packet 2);
    recv!(ear at 90, packet 3);
    ear.wake(190);
    send!(ear, ack 3 Timer);
}

/// RFC 1122 §4.2.3.2 speaks of full-sized segments: bytes are counted.
#[test]
fn the_standard_counts_bytes() {
    let mut ear = open(AckConfig::Rfc5681 {
        interval: ms(200),
        timer: FIRST,
    });
    recv!(ear at 10, packet 1, 2);
    send!(ear, ack 2 Count);
    ear.segment(20, 2001, 500, false);
    ear.segment(21, 2501, 500, false);
    ear.segment(22, 3001, 500, false);
    silent!(ear);
    ear.segment(23, 3501, 500, false);
    send!(ear, ack 4 Count);
    recv!(ear at 30, packet 5);
    ear.wake(230);
    send!(ear, ack 5 Timer);
}

/// d = 1 for N < 2, 2 for 2 ≤ N < 5, 3 for 5 ≤ N < 9, then 4. Altman and Jiménez 2003 §4.2.
#[test]
fn d_grows_with_the_packet_number() {
    let mut ear = open(AckConfig::Dynamic {
        thresholds: [2, 5, 9],
        interval: ms(100),
        timer: EVERY,
        numbering: Numbering::Altman2003,
    });
    for packet in 1..=17 {
        recv!(ear at 10, packet packet);
    }
    let acked: Vec<u32> = std::mem::take(&mut ear.said)
        .iter()
        .map(|said| said.0)
        .collect();
    // 1 alone; 2, 3; 4 waits, and 5 has d = 3: 4, 5, 6; 7, 8, but 9 has d = 4: 7 to 10; then fours.
    assert_eq!(acked, [1, 3, 6, 10, 14]);
}

/// RFC 5681 §4.2: a segment behind a gap has its ACK at once.
#[test]
fn out_of_order_is_acknowledged_at_once() {
    let mut ear = open(delayed(2, FIRST));
    recv!(ear at 10, packet 2);
    send!(ear, ack 0 OutOfOrder);
    recv!(ear at 11, packet 4);
    send!(ear, ack 0 OutOfOrder);
    assert_eq!(ear.delivered, 0);
}

/// RFC 5681 §4.2: and one that fills a gap, wholly or in part.
#[test]
fn what_fills_a_gap_is_acknowledged_at_once() {
    let mut ear = open(delayed(4, FIRST));
    recv!(ear at 10, packet 2, 4);
    ear.said.clear();
    recv!(ear at 12, packet 1);
    send!(ear, ack 2 GapFilled);
    assert_eq!(ear.delivered, 2);
    recv!(ear at 13, packet 3);
    send!(ear, ack 4 GapFilled);
    assert_eq!(ear.delivered, 4);
    // The gap is closed: the next waits.
    recv!(ear at 14, packet 5);
    silent!(ear);
}

/// An in-order segment while later ones are missing something: at once, too. RFC 5681 §4.2: it
/// fills a gap in part.
#[test]
fn in_order_before_a_gap_is_acknowledged_at_once() {
    let mut ear = open(delayed(4, FIRST));
    recv!(ear at 10, packet 1, 5);
    ear.said.clear();
    recv!(ear at 11, packet 2);
    send!(ear, ack 2 GapFilled);
}

/// RFC 9293 §3.10.7.4: what was received before is answered by an ACK.
#[test]
fn a_known_segment_is_acknowledged_at_once() {
    let mut ear = open(delayed(2, FIRST));
    recv!(ear at 10, packet 1, 2);
    ear.said.clear();
    recv!(ear at 11, packet 1);
    send!(ear, ack 2 Duplicate);
    recv!(ear at 12, packet 2);
    send!(ear, ack 2 Duplicate);
    // Known behind a gap.
    recv!(ear at 13, packet 4, 4);
    send!(ear, ack 2 OutOfOrder, ack 2 Duplicate);
    assert_eq!(ear.delivered, 2);
}

/// ns-2's sink looks at the number only: the newest segment again waits like a new one.
#[test]
fn the_newest_segment_again_waits_in_ns2() {
    for (rule, waits) in [
        (NewestRepeated::AtOnce, false),
        (NewestRepeated::Waits, true),
    ] {
        let mut config = ReceiverConfig::ns2(FLOW, delayed(2, FIRST));
        config.newest_repeated = rule;
        let mut ear = ready(config);
        recv!(ear at 10, packet 1, 2);
        ear.said.clear();
        recv!(ear at 20, packet 2);
        assert_eq!(ear.said.is_empty(), waits);
        if waits {
            ear.wake(120);
            send!(ear, ack 2 Timer);
        }
    }
}

/// Any ACK clears both the count and the timer. RFC 1122 §4.2.3.2: an ACK that was sent owes none.
#[test]
fn an_immediate_ack_clears_what_waits() {
    let mut ear = open(delayed(3, FIRST));
    recv!(ear at 10, packet 1, 2);
    silent!(ear);
    assert_eq!(ear.receiver.next_wake(), at(110));
    recv!(ear at 20, packet 1);
    send!(ear, ack 2 Duplicate);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
    // Three more are needed, and the timer starts anew.
    recv!(ear at 30, packet 3, 4);
    silent!(ear);
    assert_eq!(ear.receiver.next_wake(), at(130));
    recv!(ear at 40, packet 5);
    send!(ear, ack 5 Count);
}

/// RFC 9293 §3.10.7.4: a repeated SYN is answered by an ACK.
#[test]
fn the_syn_is_acknowledged_at_once_and_again() {
    let mut ear = open(delayed(4, FIRST));
    recv!(ear at 3000, syn);
    send!(ear, ack 0 Syn);
}

/// ns-2 before 2010: the answer to the SYN waits for the timer, and is still an answer.
#[test]
fn the_syn_may_wait() {
    let mut config = ReceiverConfig::ns2(FLOW, delayed(2, FIRST));
    config.syn_at_once = false;
    let mut ear = Ear::new(config);
    recv!(ear at 0, syn);
    silent!(ear);
    ear.wake(100);
    send!(ear, ack 0 Timer);
}

/// RFC 9293 §3.10.7.2: LISTEN acknowledges no data.
#[test]
fn nothing_is_said_before_the_syn() {
    let mut ear = Ear::new(ReceiverConfig::ns2(FLOW, AckConfig::EverySegment));
    recv!(ear at 0, packet 1);
    silent!(ear);
}

/// What lies beyond the window is acknowledged, but not kept. RFC 9293 §3.10.7.4 (acceptability).
#[test]
fn data_beyond_the_window_is_refused() {
    let mut ear = ready(ReceiverConfig::standard(
        FLOW,
        AckConfig::EverySegment,
        3 * MSS,
    ));
    recv!(ear at 10, packet 3, 4);
    send!(ear, ack 0 OutOfOrder, ack 0 OutOfOrder);
    recv!(ear at 20, packet 1, 2);
    send!(ear, ack 1 GapFilled, ack 3 GapFilled);
    assert_eq!(ear.delivered, 3);
}

/// Repacketised data is delivered once. RFC 9293 §3.10.7.4 (trimming).
#[test]
fn overlapping_segments_deliver_every_byte_once() {
    let mut ear = open(AckConfig::EverySegment);
    ear.segment(10, 1, 700, false);
    ear.segment(11, 1, 1400, false);
    ear.segment(12, 301, 1700, false);
    assert_eq!(ear.receiver.delivered_bytes(), 2000);
    assert_eq!(ear.delivered, 2);
}

/// A policy of one's own that gives its answers in turn.
#[derive(Clone, Debug)]
struct Answers(Vec<(Duration, DelayTimer)>);

impl AckPolicy for Answers {
    fn on_arrival(&mut self, _arrival: &Arrival) -> Decision {
        let (interval, timer) = self.0.remove(0);
        Decision::Wait { interval, timer }
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

fn answering<const N: usize>(answers: [(u64, DelayTimer); N]) -> Ear {
    let answers = answers.map(|(millis, timer)| (ms(millis), timer));
    open(AckConfig::Custom(Box::new(Answers(answers.to_vec()))))
}

/// RFC 1122 §4.2.3.2 bounds the wait and leaves its length to the receiver: the last answer holds,
/// be it shorter or longer, and whatever it counts from.
#[test]
fn a_later_answer_takes_the_place_of_the_first() {
    for (second, deadline) in [
        ((30, FIRST), 40),
        ((500, FIRST), 510),
        ((100, FIRST), 110),
        ((30, EVERY), 60),
    ] {
        let mut ear = answering([(100, FIRST), second]);
        recv!(ear at 10, packet 1);
        assert_eq!(ear.receiver.next_wake(), at(110));
        recv!(ear at 30, packet 2);
        silent!(ear);
        assert_eq!(ear.receiver.next_wake(), at(deadline), "{second:?}");
        ear.wake(deadline);
        send!(ear, ack 2 Timer);
    }
    // It counts from the first segment that waits, also behind one that started the timer anew.
    let mut ear = answering([(100, EVERY), (100, EVERY), (100, FIRST)]);
    recv!(ear at 10, packet 1);
    recv!(ear at 20, packet 2);
    recv!(ear at 30, packet 3);
    assert_eq!(ear.receiver.next_wake(), at(110));
}

/// An answer whose time is over lets the ACK go, and what comes then waits anew (RFC 1122 §4.2.3.2:
/// no ACK later than its bound).
#[test]
fn an_answer_in_the_past_acknowledges_at_once() {
    let mut ear = answering([(100, FIRST), (15, FIRST), (100, FIRST)]);
    recv!(ear at 10, packet 1);
    recv!(ear at 30, packet 2);
    send!(ear, ack 2 Timer);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
    recv!(ear at 40, packet 3);
    assert_eq!(ear.receiver.next_wake(), at(140));
}
