//! An ACK for every segment: the receiver without the delayed-ACK option (RFC 9293 §3.8.6.3).

use super::{AckPolicy, AckReason, Arrival, Decision};

/// Acknowledges every segment at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EverySegment;

impl AckPolicy for EverySegment {
    fn on_arrival(&mut self, _arrival: &Arrival) -> Decision {
        Decision::Now(AckReason::Every)
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(*self)
    }
}
