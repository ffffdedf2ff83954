//! The receiver at a mobile node: what it does when its link is about to go and when it is back
//! ([`crate::handoff`]). The invariant: without a scheme nothing here acts.

use super::{Receiver, ReceiverNote, ReceiverOutput};
use crate::ack::AckReason;
use crate::handoff::Handoff;
use acklab_base::Instant;
use acklab_wire::Segment;

impl Receiver {
    /// The link below is about to go: pacing starts (Cho and Woo 2005 §3.2), or the window is
    /// closed (Freeze-TCP).
    pub fn on_handoff_begins(&mut self, now: Instant) {
        if let Some(pacer) = &mut self.pacer {
            pacer.begin();
        }
        if matches!(self.handoff, Handoff::Freeze(_)) && !self.frozen {
            self.frozen = true;
            self.acknowledge(now, AckReason::Window);
        }
    }

    /// The link is good again, at the same or at another base station.
    pub fn on_handoff_ends(&mut self, now: Instant) {
        if let Some(pacer) = &mut self.pacer {
            pacer.end();
        }
        self.let_paced_acks_go(now);
        if self.handoff == Handoff::Announce {
            self.acknowledge(now, AckReason::Window);
        }
        if let Handoff::Freeze(freeze) = self.handoff
            && std::mem::take(&mut self.frozen)
        {
            for _ in 0..freeze.reopening_acks {
                self.acknowledge(now, AckReason::Window);
            }
        }
    }

    /// Every ACK passes here: it leaves, or waits for its turn.
    pub(super) fn say(&mut self, now: Instant, ack: Segment, reason: AckReason) {
        let passes = match &mut self.pacer {
            Some(pacer) => pacer.offer(now, ack, reason),
            None => Some((ack, reason)),
        };
        if let Some((ack, reason)) = passes {
            self.leaves(now, ack, reason);
        } else {
            let note = ReceiverNote::AckPaced;
            self.outputs.push_back(ReceiverOutput::Note(note));
        }
    }

    fn leaves(&mut self, now: Instant, ack: Segment, reason: AckReason) {
        self.outputs.push_back(ReceiverOutput::Ack(ack, reason));
        self.policy.on_ack_sent(now, reason);
    }

    /// ACKs whose turn has come.
    pub(super) fn let_paced_acks_go(&mut self, now: Instant) {
        while let Some((ack, reason)) = self.pacer.as_mut().and_then(|pacer| pacer.due(now)) {
            self.leaves(now, ack, reason);
        }
    }
}
