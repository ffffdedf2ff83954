//! Explicit Loss Notification at the sender (Balakrishnan and Katz 1998): an ACK with the mark says
//! that the segment it asks for was lost to the radio, so it is sent again and nothing else changes.
//!
//! The invariant: one segment is sent again for marks at most once in a round trip, whatever sent
//! it again before, and no window is cut for it.

use super::{Sender, SenderNote};
use acklab_base::Instant;
use acklab_wire::Segment;

impl Sender {
    /// Whether a duplicate ACK carries the mark and the sender heeds it; then the first
    /// unacknowledged segment is sent again, unless that happened within this round trip. Such an
    /// ACK does not count towards a fast retransmit.
    pub(super) fn heeds_loss_notice(&mut self, now: Instant, segment: &Segment) -> bool {
        if !self.config.eln || !segment.options.eln {
            return false;
        }
        let patience = self.rtt.srtt().unwrap_or_else(|| self.rtt.rto());
        let recent = self
            .repaired
            .is_some_and(|(una, at)| una == self.una && now < at + patience);
        if !recent {
            // Also if the repair must wait for its turn.
            self.repaired = Some((self.una, now));
            self.timed = None;
            self.note(SenderNote::LossNotice);
            self.retransmit_first(now);
        }
        true
    }
}
