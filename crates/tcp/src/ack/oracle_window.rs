//! An idealised policy: delayed by a count that grows with the *sender's* window, which no receiver
//! knows (the conjecture of Altman and Jiménez 2003 §4.2 ¶3; they say themselves that the sink
//! cannot have it).
//!
//! Not a scheme but a yardstick: whoever drives the receiver must tell it the window. The one
//! invariant: without being told, it acknowledges every segment.

use super::{AckPolicy, AckReason, Arrival, Decision, DelayTimer};
use acklab_base::Duration;

/// Acknowledges 1, 2, 3 or 4 segments at once by the window that the sender uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleWindow {
    thresholds: [u32; 3],
    interval: Duration,
    timer: DelayTimer,
    window: u32,
}

impl OracleWindow {
    /// Windows in packets from which on 2, 3 and 4 segments share an ACK. Panics if they fall.
    #[must_use]
    pub fn new(thresholds: [u32; 3], interval: Duration, timer: DelayTimer) -> Self {
        assert!(thresholds.is_sorted(), "thresholds {thresholds:?} fall");
        Self {
            thresholds,
            interval,
            timer,
            window: 0,
        }
    }

    /// The sender's window is now so many whole packets.
    pub(crate) fn tell_window(&mut self, window: u32) {
        self.window = window;
    }

    fn count(&self) -> u32 {
        let passed = |&&threshold: &&u32| self.window >= threshold;
        1 + self.thresholds.iter().filter(passed).count() as u32
    }
}

impl AckPolicy for OracleWindow {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.waiting >= self.count() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_follows_the_window_it_is_told() {
        let interval = Duration::from_millis(100);
        let mut policy = OracleWindow::new([2, 5, 9], interval, DelayTimer::EveryWaiting);
        assert_eq!(policy.count(), 1, "nothing was told yet");
        let counts = [1, 2, 4, 5, 8, 9, 100].map(|window| {
            policy.tell_window(window);
            policy.count()
        });
        assert_eq!(counts, [1, 2, 2, 3, 3, 4, 4]);
    }
}
