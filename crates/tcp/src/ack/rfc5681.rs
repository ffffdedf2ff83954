//! The standard's delayed ACK: "at least every second full-sized segment, and within 500 ms"
//! (RFC 1122 §4.2.3.2, RFC 5681 §4.2). Bytes are counted, so two small segments may both wait.

use super::{AckPolicy, AckReason, Arrival, Decision, DelayTimer};
use acklab_base::Duration;

/// Acknowledges two full-sized segments' worth of data at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rfc5681 {
    interval: Duration,
    timer: DelayTimer,
}

impl Rfc5681 {
    /// No wait beyond `interval`.
    #[must_use]
    pub fn new(interval: Duration, timer: DelayTimer) -> Self {
        Self { interval, timer }
    }
}

impl AckPolicy for Rfc5681 {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.waiting_bytes >= 2 * u64::from(arrival.mss) {
            Decision::Now(AckReason::Count)
        } else {
            Decision::Wait {
                interval: self.interval,
                timer: self.timer,
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(*self)
    }
}
