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
    /// When a gap was shown while there was none, and how many were filled one by one since.
    episode: Option<(Instant, u32)>,
    /// Duplicate ACKs for it are held.
    holding: bool,
    /// The last ACK that reached the sender.
    acked: Option<Seq32>,
    /// The next packet that is sent again is a fast retransmit.
    repairing: bool,
    /// Fast retransmits on their way, since the last timeout.
    repairs: [Option<Seq32>; REPAIRS],
    /// When the sender last sent something or got an ACK, or its timer ran out.
    active: Instant,
}

/// Fast retransmits of one connection that are watched at a time; a window of data has one.
const REPAIRS: usize = 4;

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
        (before, segment): (Before, &Segment),
        receiver: &Receiver,
        counters: &mut FlowCounters,
    ) {
        let fast = segment.retransmission && self.take_repair(segment.seq);
        counters.repeated_packets += u64::from(before.knows);
        counters.repeated_fast += u64::from(before.knows && fast);
        if receiver.delivered_bytes() > before.delivered
            && let Some(since) = self.since.take()
        {
            counters.gaps_filled += 1;
            counters.gap_time += now - since;
            if let Some((_, filled)) = &mut self.episode {
                *filled += 1;
            }
            if fast {
                counters.gaps_filled_fast += 1;
                counters.gap_time_fast += now - since;
            }
        }
        if !receiver.has_gap() {
            self.since = None;
            self.end_episode(now, counters);
        } else if self.since.is_none() {
            self.since = Some(now);
            self.episode.get_or_insert((now, 0));
        }
    }

    /// No gap is left.
    fn end_episode(&mut self, now: Instant, counters: &mut FlowCounters) {
        if let Some((since, filled)) = self.episode.take()
            && filled > 1
        {
            counters.gap_groups += 1;
            counters.gap_group_time += now - since;
        }
    }

    /// Whether a fast retransmit of this packet was on its way; it is here now.
    fn take_repair(&mut self, seq: Seq32) -> bool {
        let mut watched = self.repairs.iter_mut();
        watched
            .find_map(|slot| slot.take_if(|s| *s == seq))
            .is_some()
    }

    /// The sender begins a fast retransmit.
    pub(crate) fn on_fast_retransmit(&mut self) {
        self.repairing = true;
    }

    /// The retransmission timer ran out: what comes now is no fast retransmit's doing.
    pub(crate) fn on_timeout(&mut self, now: Instant, counters: &mut FlowCounters) {
        self.repairing = false;
        self.repairs = [None; REPAIRS];
        counters.timeout_wait += now - self.active;
        // A timeout need not send anything; what is counted is not counted again.
        self.active = now;
    }

    /// The sender sends data, or the SYN that opens a connection: before it nobody waited.
    pub(crate) fn on_sent(&mut self, now: Instant, segment: &Segment) {
        self.active = now;
        if self.repairing && segment.retransmission {
            self.repairing = false;
            self.repairs.rotate_right(1);
            self.repairs[0] = Some(segment.seq);
        }
    }

    /// An ACK reached the sender.
    pub(crate) fn on_ack(&mut self, now: Instant, segment: &Segment, counters: &mut FlowCounters) {
        self.active = now;
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
