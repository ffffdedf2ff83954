//! For how long a radio receives: it is half-duplex, so that what comes while it sends is not received.
//!
//! Invariant: the time that it receives and the time that it sends never overlap.

use acklab_base::{Duration, Instant};

/// For how long a radio was busy with what it hears while it did not send itself. A busy time counts when
/// it is over.
#[derive(Clone, Copy, Default, Debug)]
pub struct ReceivingTime {
    total: Duration,
    busy_since: Instant,
    /// How long the radio sends itself from then on; nothing while the medium is free.
    sending: Duration,
}

impl ReceivingTime {
    /// For how long in all, as somebody else counted it.
    pub fn set_total(&mut self, total: Duration) {
        self.total = total;
    }

    /// For how long in all.
    #[must_use]
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// When the medium last became busy.
    #[must_use]
    pub const fn busy_since(&self) -> Instant {
        self.busy_since
    }

    /// The medium becomes busy. What the radio sends itself ends at `sends_until`, which may be over.
    #[inline]
    pub fn begin(&mut self, at: Instant, sends_until: Instant) {
        self.busy_since = at;
        self.sending = sends_until.saturating_since(at);
    }

    /// While the medium is busy, the radio begins to send for so long.
    #[inline]
    pub fn on_transmit(&mut self, airtime: Duration) {
        self.sending += airtime;
    }

    /// The medium is free again. What the radio sends itself ends at `sends_until`, which may be over.
    #[inline]
    pub fn end(&mut self, at: Instant, sends_until: Instant) {
        let sent = self.sending - sends_until.saturating_since(at);
        self.total += at.saturating_since(self.busy_since) - sent;
        self.sending = Duration::ZERO;
    }

    /// The medium was busy for so long in between, while the radio did not send.
    #[inline]
    pub fn add(&mut self, busy: Duration) {
        self.total += busy;
    }

    /// Whether the radio sends, or has sent, since the medium became busy, which it still is.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.sending > Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn busy(from: u64, to: u64, sends: &[(u64, u64)]) -> u64 {
        let mut time = ReceivingTime::default();
        let before = sends.iter().filter(|send| send.0 <= from);
        let until = before.map(|send| send.1).max().unwrap_or(0);
        time.begin(at(from), at(until));
        let meanwhile = sends.iter().filter(|send| send.0 > from);
        let mut last = until;
        for (begin, end) in meanwhile {
            time.on_transmit(Duration::from_nanos(end - begin));
            last = *end;
        }
        time.end(at(to), at(last));
        time.total().as_nanos()
    }

    #[test]
    fn what_the_radio_sends_meanwhile_does_not_count() {
        assert_eq!(busy(10, 20, &[]), 10);
        assert_eq!(busy(10, 20, &[(5, 9)]), 10);
        assert_eq!(busy(10, 20, &[(5, 13)]), 7);
        assert_eq!(busy(10, 20, &[(12, 14)]), 8);
        assert_eq!(busy(10, 20, &[(5, 11), (12, 14), (18, 25)]), 5);
        assert_eq!(busy(10, 20, &[(5, 25)]), 0);
        assert_eq!(busy(10, 20, &[(10, 20)]), 0);
    }
}
