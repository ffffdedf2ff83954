//! Getting at the medium: backoff, deferral, and the contention window (clause 9.2.5).
//!
//! The one invariant: each random backoff takes one draw, and nothing else takes any.

use super::backoff::Backoff;
use super::machine::{Dcf, Exchange};
use super::rules::Access;
use acklab_base::{Duration, Instant, Stream};

impl Dcf {
    /// Freezes or resumes the backoff after a change of the medium, the exchange or the NAV.
    #[inline]
    pub(super) fn update_backoff(&mut self, now: Instant) {
        if self.backoff == Backoff::None {
            return;
        }
        if self.waits_for_nav_alone(now) {
            // An idle medium after the NAV has been idle since the NAV's end, also if nobody
            // looks then.
            let since = self.free_since.max(self.nav);
            self.backoff.resume(since, self.lead);
        } else {
            let cca_delay = if self.exchange == Exchange::Idle {
                self.plan.config.rules.cca_delay
            } else {
                Duration::ZERO
            };
            if self.backoff.comes_to_nothing(now, cca_delay) {
                self.back_off_instead();
            }
            self.backoff.freeze(now, self.plan.config.slot, cca_delay);
        }
    }

    /// An access without a backoff came to nothing: one is drawn. Out of the way, since the function that
    /// asks for it runs several times a frame, and with a draw inside of it is no longer inlined.
    #[cold]
    #[inline(never)]
    pub(super) fn back_off_instead(&mut self) {
        self.draw_backoff();
    }

    /// Whether nothing but a NAV whose end is known keeps the station from counting down, or
    /// nothing at all. It then counts from that end on; a frame that comes sooner finds nothing
    /// counted.
    #[inline]
    pub(super) fn waits_for_nav_alone(&self, now: Instant) -> bool {
        !self.receiver_busy
            && self.exchange == Exchange::Idle
            && (self.plan.plain_nav || self.nav <= now)
    }

    /// A packet came while no backoff was pending.
    pub(super) fn start_contention(&mut self, now: Instant) {
        if !self.is_idle(now) {
            self.draw_backoff();
            return self.update_backoff(now);
        }
        match self.plan.config.rules.access {
            Access::Backoff => {
                self.draw_backoff();
                self.backoff.resume(now, self.lead);
            }
            Access::Immediate => {
                let since = self.free_since.max(self.nav);
                let at = (since + self.lead).max(now);
                self.backoff = Backoff::Immediate { at };
            }
            Access::Deferral { .. } => self.defer(now),
        }
    }

    /// Waits DIFS, and random slots where the rules say so, whatever the medium does.
    pub(super) fn defer(&mut self, now: Instant) {
        let slots = self.access_slots(self.cw);
        if self.plan.config.rules.access == (Access::Deferral { random: true }) {
            self.ahead = self.draws.bits32();
        }
        self.backoff = Backoff::Deferring {
            until: now + self.plan.timing.difs + self.plan.config.slot * u64::from(slots),
        };
    }

    /// The slots that the next contention on an idle medium counts after DIFS, with a window of
    /// `cw`.
    pub(super) fn access_slots(&self, cw: u32) -> u32 {
        match self.plan.config.rules.access {
            Access::Deferral { random: false } => 0,
            _ => self.next_slots(cw),
        }
    }

    /// A deferral ends for good: an answer comes first.
    pub(super) fn stop_deferring(&mut self) {
        if matches!(self.backoff, Backoff::Deferring { .. }) {
            self.backoff = Backoff::None;
        }
    }

    /// Draws a backoff that waits for the medium.
    pub(super) fn draw_backoff(&mut self) {
        let slots = self.next_slots(self.cw);
        self.backoff = Backoff::Frozen { slots };
        self.ahead = self.draws.bits32();
    }

    /// The slots that the next draw from a window of `cw` will give.
    pub(super) fn next_slots(&self, cw: u32) -> u32 {
        let bound = cw + u32::from(self.plan.config.rules.backoff_includes_cw);
        Stream::scaled(self.ahead, bound.max(1))
    }

    pub(super) fn doubled_cw(&self) -> u32 {
        (2 * self.cw + 1).min(self.plan.config.cw_max)
    }

    pub(super) fn double_cw(&mut self) {
        self.cw = self.doubled_cw();
    }
}
