//! A policy of one's own that has segments in disorder wait (RFC 5681 §4.2 has their ACKs leave at
//! once, and does so by default).

use crate::script::{Ear, FLOW, MSS, at, ms};
use acklab_base::Instant;
use acklab_tcp::ack::{AckPolicy, Arrival, Decision, Disorder};
use acklab_tcp::{
    AckConfig, AckReason, DelayTimer, Freeze, Handoff, HeldAcks, Pacing, PacingEnd, ReceiverConfig,
    ReceiverNote, SackReceiver,
};
use std::sync::{Arc, Mutex};

/// Acknowledges what is in order at once; has everything else wait for so many milliseconds, if any.
#[derive(Clone, Debug)]
struct Holding {
    beyond: Option<u64>,
    known: Option<u64>,
    fills: Option<u64>,
    asked: Asked,
}

/// Of which segments it was asked: number, the number expected next, how many wait, and how it came.
type Asked = Arc<Mutex<Vec<(u64, u64, u32, Disorder)>>>;

impl AckPolicy for Holding {
    fn on_arrival(&mut self, _arrival: &Arrival) -> Decision {
        Decision::Now(AckReason::Every)
    }

    fn on_disorder(&mut self, arrival: &Arrival, disorder: Disorder) -> Decision {
        let mut asked = self.asked.lock().expect("one thread");
        asked.push((arrival.number, arrival.expected, arrival.waiting, disorder));
        let wait = match disorder {
            Disorder::BeyondGap => self.beyond,
            Disorder::Known => self.known,
            Disorder::FillsGap => self.fills,
        };
        wait.map_or(Decision::Now(disorder.reason()), |wait| Decision::Wait {
            interval: ms(wait),
            timer: DelayTimer::FirstWaiting,
        })
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

fn config([beyond, known, fills]: [Option<u64>; 3], asked: &Asked) -> ReceiverConfig {
    let policy = Holding {
        beyond,
        known,
        fills,
        asked: Arc::clone(asked),
    };
    let ack = AckConfig::Custom(Box::new(policy));
    ReceiverConfig::standard(FLOW, ack, 64 * MSS)
}

fn open(config: ReceiverConfig) -> Ear {
    let mut ear = Ear::new(config);
    recv!(ear at 0, syn);
    recv!(ear at 5, packet 1);
    send!(ear, ack 0 Syn, ack 1 Every);
    ear
}

fn holding(waits: [Option<u64>; 3]) -> Ear {
    open(config(waits, &Asked::default()))
}

/// RFC 5681 §4.2: a policy is asked of each segment that does not come in order, and told how it came.
#[test]
fn it_is_asked_of_every_segment_in_disorder() {
    let asked = Asked::default();
    let mut ear = open(config([None; 3], &asked));
    recv!(ear at 10, packet 3, 3, 1, 2, 4);
    send!(ear, ack 1 OutOfOrder, ack 1 Duplicate, ack 1 Duplicate, ack 3 GapFilled, ack 4 Every);
    // Outside of the window.
    recv!(ear at 11, packet 70);
    send!(ear, ack 4 OutOfOrder);
    let asked = asked.lock().expect("one thread");
    let expected = [
        (3, 2, 0, Disorder::BeyondGap),
        (3, 2, 0, Disorder::Known),
        (1, 2, 0, Disorder::Known),
        // It is in order, so it may wait as others do.
        (2, 4, 1, Disorder::FillsGap),
        (70, 5, 0, Disorder::BeyondGap),
    ];
    assert_eq!(*asked, expected);
}

/// Vaidya et al. 1999 §5 holds duplicate ACKs: each leaves when its time is over.
#[test]
fn each_held_ack_leaves_at_its_time() {
    let mut ear = holding([Some(80), None, None]);
    recv!(ear at 10, packet 3);
    recv!(ear at 30, packet 4);
    silent!(ear);
    assert_eq!(ear.notes, [ReceiverNote::AckHeld; 2]);
    assert_eq!(ear.receiver.next_wake(), at(90));
    ear.wake(90);
    send!(ear, ack 1 Held);
    assert_eq!(ear.receiver.next_wake(), at(110));
    ear.wake(110);
    send!(ear, ack 1 Held);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// Vaidya et al. 1999 §5, figure 3: the ACK for the missing packet says more than those that are held.
#[test]
fn the_next_expected_segment_throws_held_acks_away() {
    let mut ear = holding([Some(80), Some(80), None]);
    recv!(ear at 10, packet 3, 1, 4);
    silent!(ear);
    recv!(ear at 20, packet 2);
    send!(ear, ack 4 GapFilled);
    assert_eq!(ear.notes.last(), Some(&ReceiverNote::DupacksDiscarded(3)));
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// RFC 1122 §4.2.3.2 bounds the wait of an ACK: one that fills a gap waits like one in order, and any
/// ACK covers it.
#[test]
fn what_fills_a_gap_may_wait_like_what_is_in_order() {
    let mut ear = holding([None, None, Some(40)]);
    recv!(ear at 10, packet 3, 5);
    send!(ear, ack 1 OutOfOrder, ack 1 OutOfOrder);
    recv!(ear at 20, packet 2);
    silent!(ear);
    assert_eq!(ear.receiver.next_wake(), at(60));
    recv!(ear at 30, packet 5);
    send!(ear, ack 3 Duplicate);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
    recv!(ear at 40, packet 4);
    ear.wake(80);
    send!(ear, ack 5 Timer);
}

/// RFC 2883 §4: each duplicate is reported by the ACK for it, which is what is held here.
#[test]
fn a_held_ack_reports_its_own_duplicate() {
    let mut config = config([None, Some(40), None], &Asked::default());
    config.sack = Some(SackReceiver::standard());
    let mut ear = open(config);
    recv!(ear at 10, packet 2, 3);
    recv!(ear at 11, packet 1);
    recv!(ear at 12, packet 2);
    recv!(ear at 13, packet 5);
    assert_eq!(ear.blocks, [(5, 5)]);
    ear.wake(51);
    assert_eq!(ear.blocks, [(1, 1), (5, 5)]);
    ear.wake(52);
    assert_eq!(ear.blocks, [(2, 2), (5, 5)]);
}

/// RFC 9293 §3.8.6.1: what may be a probe of the closed window is answered at once.
#[test]
fn nothing_waits_while_the_window_is_closed() {
    let mut config = config([Some(40); 3], &Asked::default());
    config.handoff = Handoff::Freeze(Freeze { reopening_acks: 1 });
    let mut ear = open(config);
    recv!(ear at 10, packet 3);
    silent!(ear);
    ear.receiver.on_handoff_begins(at(20));
    ear.listen();
    ear.said.clear();
    recv!(ear at 30, packet 5, 2);
    send!(ear, ack 1 OutOfOrder, ack 3 GapFilled);
    recv!(ear at 31, packet 1, 4);
    send!(ear, ack 3 Window, ack 5 GapFilled);
}

/// Cho and Woo 2005 §3.2: ACKs are paced when they leave, however long they were held before.
#[test]
fn held_acks_are_paced_when_they_leave() {
    let mut config = config([Some(40), None, None], &Asked::default());
    config.handoff = Handoff::Pacing(Pacing {
        interval: ms(100),
        held: HeldAcks::Every,
        end: PacingEnd::AtOnce,
    });
    let mut ear = open(config);
    ear.receiver.on_handoff_begins(at(6));
    recv!(ear at 10, packet 3, 4);
    silent!(ear);
    // The last one left at 5 ms.
    ear.wake(50);
    silent!(ear);
    ear.wake(105);
    send!(ear, ack 1 Held);
    ear.wake(205);
    send!(ear, ack 1 Held);
}
