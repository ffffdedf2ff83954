//! ACKs that are held back though they would leave at once by RFC 5681 §4.2: duplicate ones by Delayed Dupacks
//! (Vaidya et al. 1999 §5), as [`DupackHold`] decides, and what a policy of one's own holds. The invariant: without
//! either nothing here acts.

use super::{Receiver, ReceiverNote, ReceiverOutput};
use crate::ack::{AckReason, Decision, Disorder, DupackHold, KeptBack, Verdict};
use acklab_base::{Duration, Instant};

impl Receiver {
    /// The link below this receiver took `measured` to deliver a frame that had been lost, as its
    /// own counters of frames tell. It sets the d of adaptive Delayed Dupacks; other policies
    /// don't listen.
    pub fn on_link_retransmission_time(&mut self, measured: Duration) {
        if let Some(hold) = &mut self.hold {
            hold.on_link_retransmission_time(measured);
        }
    }

    /// How long a duplicate ACK would be held now, if any is.
    #[must_use]
    pub fn dupack_delay(&self) -> Option<Duration> {
        self.hold.as_deref().map(DupackHold::delay)
    }

    /// The gap is filled: duplicate ACKs that wait have nothing to say any more.
    pub(super) fn discard_held(&mut self) {
        let hold = self.hold.as_deref_mut();
        let kept_back = self.kept_back.as_deref_mut();
        let held = hold.map_or(0, DupackHold::on_in_sequence)
            + kept_back.map_or(0, KeptBack::on_in_sequence);
        if held > 0 {
            let note = ReceiverNote::DupacksDiscarded(held);
            self.outputs.push_back(ReceiverOutput::Note(note));
        }
    }

    /// Whether the answer to a segment beyond the next expected is held.
    pub(super) fn is_held(&mut self, now: Instant) -> bool {
        let hold = self.hold.as_mut();
        let held = hold.is_some_and(|hold| hold.on_out_of_order(now) == Verdict::Held);
        if held {
            let note = ReceiverNote::DupackHeld;
            self.outputs.push_back(ReceiverOutput::Note(note));
        }
        held
    }

    /// A segment that is acknowledged at once unless the policy has that ACK wait.
    pub(super) fn on_disorder(&mut self, now: Instant, start: u64, len: u32, disorder: Disorder) {
        if self.frozen {
            // Nothing waits while the window is closed: it may be a probe of it.
            return self.acknowledge(now, disorder.reason());
        }
        let fills_gap = disorder == Disorder::FillsGap;
        let number = self.number(start + u64::from(len));
        let expected = self.number(self.stream.next()) + 1;
        let arrival = self.arrival(now, (number, expected), len, fills_gap);
        match self.policy.on_disorder(&arrival, disorder) {
            Decision::Wait { interval, .. } if !fills_gap => {
                let duplicate = self.take_duplicate();
                let kept_back = self.kept_back.get_or_insert_default();
                kept_back.hold(now + interval, duplicate);
                let note = ReceiverNote::AckHeld;
                self.outputs.push_back(ReceiverOutput::Note(note));
            }
            decision => self.carry_out(decision, &arrival),
        }
    }

    /// Lets held ACKs go whose time is over.
    pub(super) fn let_held_acks_go(&mut self, now: Instant) {
        let due = self.hold.as_mut().map_or(0, |hold| hold.due(now));
        for _ in 0..due {
            self.acknowledge(now, AckReason::Held);
        }
        while let Some(duplicate) = self.kept_back.as_mut().and_then(|held| held.due(now)) {
            self.report_duplicate(duplicate);
            self.acknowledge(now, AckReason::Held);
        }
    }

    /// When the first of them leaves.
    pub(super) fn next_held(&self) -> Instant {
        let hold = self.hold.as_deref().map(DupackHold::deadline);
        let kept_back = self.kept_back.as_deref().map(KeptBack::deadline);
        let hold = hold.unwrap_or(Instant::NEVER);
        hold.min(kept_back.unwrap_or(Instant::NEVER))
    }
}
