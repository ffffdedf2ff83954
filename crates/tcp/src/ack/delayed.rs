//! An ACK for every d-th segment or after an interval (RFC 1122 §4.2.3.2 with d = 2; Altman and
//! Jiménez 2003 with d = 3 and 4). Segments are counted, not bytes.

use super::{AckPolicy, AckReason, Arrival, Decision, DelayTimer};
use acklab_base::Duration;

/// Acknowledges every `count`-th segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delayed {
    count: u32,
    interval: Duration,
    timer: DelayTimer,
}

impl Delayed {
    /// `count` segments for one ACK, and no wait beyond `interval`. Panics if `count` is zero.
    #[must_use]
    pub fn new(count: u32, interval: Duration, timer: DelayTimer) -> Self {
        assert!(count > 0, "an ACK acknowledges at least one segment");
        Self {
            count,
            interval,
            timer,
        }
    }
}

impl AckPolicy for Delayed {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.waiting >= self.count {
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
