//! Delayed Dupacks at the receiver (Vaidya et al. 1999 §5).

use crate::script::{Ear, FLOW, MSS, ms};
use acklab_base::Instant;
use acklab_tcp::{
    AckConfig, AckReason, AdaptiveDelay, DupackDelay, ReceiverConfig, ReceiverNote, Release,
};

fn open(delay: DupackDelay, release: Release) -> Ear {
    let ack = AckConfig::DelayedDupacks { delay, release };
    let mut ear = Ear::new(ReceiverConfig::standard(FLOW, ack, 64 * MSS));
    recv!(ear at 0, syn);
    recv!(ear at 5, packet 1);
    send!(ear, ack 0 Syn, ack 1 Every);
    ear
}

fn held_for(delay: u64) -> Ear {
    open(DupackDelay::Fixed(ms(delay)), Release::AtOnce)
}

/// §5: "responds to the first two consecutive OOO packets by sending dupacks immediately", the
/// others are held, and the retransmitted packet makes them superfluous (figure 3).
#[test]
fn a_repair_within_d_throws_the_held_ones_away() {
    let mut ear = held_for(80);
    recv!(ear at 10, packet 3);
    recv!(ear at 11, packet 4);
    send!(ear, ack 1 OutOfOrder, ack 1 OutOfOrder);
    recv!(ear at 12, packet 5, 6);
    silent!(ear);
    recv!(ear at 50, packet 2);
    send!(ear, ack 6 GapFilled);
    assert_eq!(
        ear.notes,
        [
            ReceiverNote::DupackHeld,
            ReceiverNote::DupackHeld,
            ReceiverNote::DupacksDiscarded(2)
        ]
    );
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// §5: "after the d interval, all the delayed dupacks are released": d runs from the first held
/// one, and what comes later is answered at once.
#[test]
fn after_d_all_of_them_leave() {
    let mut ear = held_for(80);
    recv!(ear at 10, packet 3, 4, 5);
    recv!(ear at 40, packet 6);
    ear.said.clear();
    ear.wake(90);
    send!(ear, ack 1 Held, ack 1 Held);
    recv!(ear at 91, packet 7);
    send!(ear, ack 1 OutOfOrder);
    recv!(ear at 95, packet 2);
    send!(ear, ack 7 GapFilled);
    // The next gap starts from the beginning.
    recv!(ear at 100, packet 9, 10, 11);
    send!(ear, ack 7 OutOfOrder, ack 7 OutOfOrder);
    assert_eq!(ear.receiver.next_wake(), crate::script::at(180));
}

/// "Consecutive": an in-sequence packet starts the count anew, also when it leaves a hole. Vaidya
/// et al. 1999 §5.
#[test]
fn an_in_sequence_packet_starts_the_count_anew() {
    let mut ear = held_for(80);
    recv!(ear at 10, packet 3, 5, 7);
    ear.said.clear();
    recv!(ear at 20, packet 2);
    send!(ear, ack 3 GapFilled);
    recv!(ear at 21, packet 8, 9);
    send!(ear, ack 3 OutOfOrder, ack 3 OutOfOrder);
    recv!(ear at 22, packet 10);
    silent!(ear);
}

/// A packet below the next expected one is answered at once and does not count; the repetition
/// of one beyond the gap does. RFC 9293 §3.10.7.4; Vaidya et al. 1999 §5 delays duplicates of a gap
/// only.
#[test]
fn old_packets_are_answered_at_once() {
    let mut ear = held_for(80);
    recv!(ear at 10, packet 3, 1, 3);
    send!(ear, ack 1 OutOfOrder, ack 1 Duplicate, ack 1 Duplicate);
    recv!(ear at 11, packet 3);
    silent!(ear);
    recv!(ear at 12, packet 1);
    send!(ear, ack 1 Duplicate);
    ear.wake(91);
    send!(ear, ack 1 Held);
}

/// §6: "when the Delayed Dupacks scheme is used with d = 0, behavior of the TCP receiver becomes
/// identical to that in the base TCP".
#[test]
fn no_delay_is_the_plain_receiver() {
    let mut ear = held_for(0);
    recv!(ear at 10, packet 3, 4, 5, 6);
    assert_eq!(
        std::mem::take(&mut ear.said),
        [(1, AckReason::OutOfOrder); 4]
    );
    assert_eq!(ear.notes, []);
}

/// §5: "if the burst is large, some mechanism to pace the dupacks may need to be used".
#[test]
fn they_may_leave_one_by_one() {
    let mut ear = open(DupackDelay::Fixed(ms(80)), Release::Paced(ms(4)));
    recv!(ear at 10, packet 3, 4, 5, 6, 7);
    ear.said.clear();
    ear.wake(90);
    send!(ear, ack 1 Held);
    // While others wait, a new one takes its place behind them.
    recv!(ear at 91, packet 8);
    silent!(ear);
    ear.wake(94);
    ear.wake(98);
    send!(ear, ack 1 Held, ack 1 Held);
    recv!(ear at 99, packet 2);
    send!(ear, ack 8 GapFilled);
    assert_eq!(ear.notes.last(), Some(&ReceiverNote::DupacksDiscarded(1)));
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// d follows what the link measures, from the next gap on. Vaidya et al. 1999 §7: an adaptive d is
/// left for the future.
#[test]
fn an_adaptive_d_follows_the_link() {
    let bounds = AdaptiveDelay {
        initial: ms(80),
        min: ms(0),
        max: ms(200),
    };
    let mut ear = open(DupackDelay::Adaptive(bounds), Release::AtOnce);
    recv!(ear at 10, packet 3, 4, 5);
    // One sample of 42 ms: d = 42 + 4 × 21 ms. The timer that runs stays.
    ear.receiver.on_link_retransmission_time(ms(42));
    assert_eq!(ear.receiver.dupack_delay(), Some(ms(126)));
    ear.wake(90);
    recv!(ear at 95, packet 2, 7, 8, 9);
    assert_eq!(ear.receiver.next_wake(), crate::script::at(95 + 126));
}
