//! A closed window and its probes (RFC 9293 §3.8.6.1, RFC 1122 §4.2.2.17).
//!
//! Only with [`crate::SenderConfig::window_probes`]. While the receiver's window holds less than a
//! segment nothing is sent but probes of one octet, after a timeout and then at doubled intervals;
//! the retransmission timer stands still, so neither window nor threshold suffers. When the window
//! opens, sending goes on from the first unacknowledged byte, as BSD's does. The invariant: the
//! connection never waits for ever: either timer runs while something is to be sent.

use super::{Sender, SenderNote, State, Timer};
use crate::recovery::Phase;
use acklab_base::{Duration, Instant};

impl Sender {
    /// Whether the receiver's window stops the sender.
    pub(super) fn is_closed(&self) -> bool {
        self.config.honour_advertised
            && self.config.window_probes
            && self.advertised < u64::from(self.config.mss)
    }

    /// The window is or was closed: stops, or goes on.
    pub(super) fn heed_window(&mut self, now: Instant) {
        if self.is_closed() {
            self.freeze(now);
        } else {
            self.timer = Timer::Off;
            // What was out when the window closed is waited for again (RFC 6298 §5.1), also if the
            // window is too small for it to leave now.
            self.rearm_after_ack(now);
            self.resume_vegas(now);
        }
    }

    /// Something is to be sent while the window may be closed from the start.
    pub(super) fn stop_if_closed(&mut self, now: Instant) {
        if self.state == State::Established && self.is_closed() {
            self.freeze(now);
        }
    }

    /// Stops everything but the probes.
    fn freeze(&mut self, now: Instant) {
        self.nxt = self.una;
        self.timed = None;
        self.recovery.dupacks = 0;
        self.recovery.inflation = 0.0;
        if matches!(self.recovery.phase, Phase::FastRecovery { .. }) {
            self.recovery.phase = Phase::Loss;
        }
        self.forget_selective();
        if self.una < self.max_sent {
            // Everything leaves again when the window opens. What the receiver has already makes
            // duplicate ACKs then, which tell of no loss (RFC 6582 §3.2 step 4, of a timeout).
            self.recovery.phase = Phase::Loss;
            self.recovery.recover = self.max_sent;
            self.vegas.stop();
        }
        if self.una == self.written {
            self.timer = Timer::Off;
        } else if !matches!(self.timer, Timer::Persist { .. }) {
            let interval = self.rtt.rto();
            self.timer = Timer::Persist {
                deadline: now + interval,
                interval,
            };
        }
    }

    /// The persist timer expired: a probe leaves, and the next waits twice as long, up to the
    /// longest timeout.
    pub(super) fn on_persist(&mut self, now: Instant, interval: Duration) {
        let interval = (interval * 2).min(self.config.rto.max);
        self.timer = Timer::Persist {
            deadline: now + interval,
            interval,
        };
        self.note(SenderNote::WindowProbe);
        self.put_out(self.una, 1);
        self.max_sent = self.max_sent.max(self.una + 1);
        if let Some(selective) = &mut self.selective {
            selective.board.on_sent(now, self.una, self.una + 1);
        }
        self.last_sent = now;
    }
}
