//! Answers that did not come, for an observer: the station itself only counts them.

use super::machine::{Dcf, Exchange};
use acklab_base::NodeId;

/// A CTS or ACK that did not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unanswered {
    /// From whom it was awaited.
    pub to: NodeId,
    /// The retry counter with this one ([`super::Rules::retries_by_packet`]): how often answers of this kind have
    /// not come.
    pub tries: u32,
    /// Whether it was a CTS (else an ACK).
    pub rts: bool,
}

impl Dcf {
    /// Lets the station take a step, and says which answer it then waits for no more, in vain.
    pub fn watched(&mut self, step: impl FnOnce(&mut Self)) -> Option<Unanswered> {
        let awaited = self.awaited();
        let missed = self.counters.unanswered();
        step(self);
        awaited.filter(|_| self.counters.unanswered() != missed)
    }

    /// The answer that the station waits for, as one that does not come.
    fn awaited(&self) -> Option<Unanswered> {
        let current = self.current.as_ref()?;
        let (rts, retries) = match self.exchange {
            Exchange::AwaitCts { .. } => (true, self.short_retries),
            Exchange::AwaitAck { .. } if current.uses_rts => (false, self.long_retries),
            Exchange::AwaitAck { .. } => (false, self.short_retries),
            _ => return None,
        };
        Some(Unanswered {
            to: current.header.to,
            tries: retries + 1,
            rts,
        })
    }
}
