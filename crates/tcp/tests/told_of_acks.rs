//! A policy is told of each ACK when it leaves, which at a mobile end may be later than it was due, or never.

use acklab_base::{Duration, FlowId, Instant, Seq32};
use acklab_tcp::ack::{AckPolicy, Arrival, Decision};
use acklab_tcp::{
    AckConfig, AckReason, Handoff, HeldAcks, Pacing, PacingEnd, Receiver, ReceiverConfig,
    ReceiverOutput,
};
use acklab_wire::{Flags, Options, Segment};
use std::sync::{Arc, Mutex};

/// Acknowledges every segment, and notes when it is told of an ACK.
#[derive(Clone, Debug, Default)]
struct Noting {
    told: Arc<Mutex<Vec<Instant>>>,
}

impl AckPolicy for Noting {
    fn on_arrival(&mut self, _arrival: &Arrival) -> Decision {
        Decision::Now(AckReason::Every)
    }

    fn on_ack_sent(&mut self, now: Instant, _reason: AckReason) {
        self.told.lock().expect("one thread").push(now);
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn segment(number: u32) -> Segment {
    Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(1 + (number - 1) * 1000),
        ack: Seq32(0),
        flags: Flags::default(),
        window: 0,
        len: 1000,
        retransmission: false,
        options: Options::NONE,
    }
}

fn acks_that_left(receiver: &mut Receiver) -> usize {
    let outputs = std::iter::from_fn(|| receiver.poll());
    outputs
        .filter(|output| matches!(output, ReceiverOutput::Ack(..)))
        .count()
}

/// Ten segments come, 30 ms apart. From 100 ms to 250 ms ACKs leave at most every 100 ms.
#[test]
fn a_policy_is_told_of_an_ack_when_it_leaves() {
    for (held, end) in [
        (HeldAcks::Every, PacingEnd::AtOnce),
        (HeldAcks::Every, PacingEnd::Paced),
        (HeldAcks::Newest, PacingEnd::AtOnce),
    ] {
        let policy = Noting::default();
        let told = Arc::clone(&policy.told);
        let mut config = ReceiverConfig::ns2(FlowId(0), AckConfig::Custom(Box::new(policy)));
        config.handoff = Handoff::Pacing(Pacing {
            interval: Duration::from_millis(100),
            held,
            end,
        });
        config.handshake = false;
        let mut receiver = Receiver::new(config);
        let mut left = Vec::new();
        for millis in 0..2000 {
            match millis {
                100 => receiver.on_handoff_begins(at(millis)),
                250 => receiver.on_handoff_ends(at(millis)),
                _ => {}
            }
            if millis % 30 == 10 && millis < 300 {
                receiver.on_segment(at(millis), &segment(millis as u32 / 30 + 1));
            }
            if receiver.next_wake() <= at(millis) {
                receiver.on_wake(at(millis));
            }
            left.extend(vec![at(millis); acks_that_left(&mut receiver)]);
        }
        let told = told.lock().expect("one thread");
        assert_eq!(*told, left, "{held:?}, {end:?}");
        let whole = if held == HeldAcks::Every { 10 } else { 7 };
        assert_eq!(left.len(), whole, "{held:?}, {end:?}");
    }
}
