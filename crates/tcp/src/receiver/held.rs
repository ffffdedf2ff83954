//! Duplicate ACKs that are held back (Delayed Dupacks, Vaidya et al. 1999 §5): how the receiver
//! uses [`DupackHold`], which decides. The invariant: without that policy nothing here acts.

use super::{Receiver, ReceiverNote, ReceiverOutput};
use crate::ack::{DupackHold, Verdict};
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
        let held = hold.map_or(0, DupackHold::on_in_sequence);
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
}
