//! What an observer notes about gaps at a receiver and duplicate ACKs at a sender. Nothing here
//! decides anything.
//!
//! Invariant: an interval is counted when it ends.

use acklab_base::{Instant, Seq32};
use acklab_tcp::Receiver;
use acklab_trace::FlowCounters;
use acklab_wire::Segment;

/// The watch over one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GapWatch {
    /// Since when the first gap has been the first one.
    since: Option<Instant>,
    /// Duplicate ACKs for it are held.
    holding: bool,
    /// The last ACK that reached the sender.
    acked: Option<Seq32>,
}

/// A receiver before a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    delivered: u64,
    knows: bool,
}

impl Before {
    pub(crate) fn of(receiver: &Receiver, segment: &Segment) -> Self {
        Self {
            delivered: receiver.delivered_bytes(),
            knows: receiver.knows(segment),
        }
    }
}

impl GapWatch {
    /// The receiver took a segment.
    pub(crate) fn on_data(
        &mut self,
        now: Instant,
        before: Before,
        receiver: &Receiver,
        counters: &mut FlowCounters,
    ) {
        counters.repeated_packets += u64::from(before.knows);
        if receiver.delivered_bytes() > before.delivered
            && let Some(since) = self.since.take()
        {
            counters.gaps_filled += 1;
            counters.gap_time += now - since;
        }
        if !receiver.has_gap() {
            self.since = None;
        } else if self.since.is_none() {
            self.since = Some(now);
        }
    }

    /// An ACK reached the sender.
    pub(crate) fn on_ack(&mut self, segment: &Segment, counters: &mut FlowCounters) {
        let repeats = self.acked == Some(segment.ack) && segment.is_pure_ack();
        counters.duplicate_acks += u64::from(repeats);
        self.acked = Some(segment.ack);
    }

    /// A duplicate ACK is held.
    pub(crate) fn on_held(&mut self, counters: &mut FlowCounters) {
        counters.holds += u64::from(!self.holding);
        self.holding = true;
    }

    /// Held duplicate ACKs leave, or are thrown away because the gap is filled.
    pub(crate) fn on_hold_ends(&mut self, in_time: bool, counters: &mut FlowCounters) {
        counters.holds_in_time += u64::from(self.holding && in_time);
        self.holding = false;
    }
}
