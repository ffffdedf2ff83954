//! The sender's one timer, and what happens when it expires (RFC 6298 §5, RFC 5681 §3.1).

use super::{Sender, SenderNote, State};
use crate::config::{Cut, Idle};
use acklab_base::{Duration, Instant};

/// The timer. A spurious wake finds the deadline not reached; cancelling is moving it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timer {
    /// Nothing is waited for.
    Off,
    /// Something is outstanding.
    Retransmission { deadline: Instant },
    /// Nothing is outstanding; at the deadline the pause is long enough to forget the window
    /// ([`Idle::TimerFires`]).
    Pause { deadline: Instant },
    /// The receiver's window is closed; at the deadline it is probed.
    Persist {
        deadline: Instant,
        /// How long this wait is.
        interval: Duration,
    },
}

impl Timer {
    pub(super) fn deadline(self) -> Instant {
        match self {
            Self::Off => Instant::NEVER,
            Self::Retransmission { deadline }
            | Self::Pause { deadline }
            | Self::Persist { deadline, .. } => deadline,
        }
    }

    pub(super) fn is_retransmission(self) -> bool {
        matches!(self, Self::Retransmission { .. })
    }
}

impl Sender {
    /// The timer has reached its deadline.
    pub(super) fn on_timer(&mut self, now: Instant) {
        match self.timer {
            Timer::Off => {}
            // ns-2's Vegas can close its window altogether; only the timer opens it again.
            Timer::Pause { .. } if self.written > self.una => self.on_timeout(now),
            Timer::Pause { .. } => self.on_pause(),
            Timer::Retransmission { .. } => self.on_timeout(now),
            Timer::Persist { interval, .. } => self.on_persist(now, interval),
        }
    }

    /// Everything was acknowledged a whole timeout ago.
    fn on_pause(&mut self) {
        self.timer = Timer::Off;
        self.timed = None;
        self.recovery.on_pause(&self.config, self.max_sent);
        self.congestion.get_mut().on_idle(1);
    }

    /// RFC 6298 §5.4 to §5.6, then back to the first unacknowledged segment.
    fn on_timeout(&mut self, now: Instant) {
        self.note(SenderNote::Timeout);
        let syn = self.una == 0;
        // RFC 5681 §3.1 knows no threshold from a lost SYN; ns-2 treats it as any other loss.
        if !(syn && self.config.cut == Cut::FlightSize) {
            let repeated = self.timed_out_at == Some(self.una);
            self.take_back_inflation();
            let load = self.load();
            self.congestion.get_mut().on_timeout(load, repeated);
            self.note(SenderNote::WindowCut);
        }
        self.on_vegas_timeout(now);
        self.forget_selective();
        self.timed_out_at = Some(self.una);
        self.limited_bytes = 0;
        self.recovery.on_timeout(&self.config, self.max_sent);
        self.timed = None;
        self.rtt.back_off();
        self.arm(now);
        if syn {
            self.state = State::SynSent { again: true };
            self.transmit(now, 0, 1);
        } else {
            self.nxt = self.una;
            self.fill(now, None);
        }
    }

    /// After a new ACK: the timer restarts while something is outstanding (RFC 6298 §5.2, §5.3).
    pub(super) fn rearm_after_ack(&mut self, now: Instant) {
        if matches!(self.timer, Timer::Persist { .. }) {
            return;
        }
        if self.una < self.max_sent {
            self.arm(now);
        } else if self.config.idle == Idle::TimerFires {
            self.timer = Timer::Pause {
                deadline: now + self.rtt.rto(),
            };
        } else {
            self.timer = Timer::Off;
        }
    }

    /// Something is to be sent, nothing is out that an ACK could come for, and the window holds
    /// less than a segment (ns-2's Vegas can close its own): the timer ends the silence.
    pub(super) fn keep_awake(&mut self, now: Instant) {
        let waits = self.state == State::Established && self.una < self.written;
        if waits && self.next_wake() == Instant::NEVER {
            self.arm(now);
        }
    }
}
