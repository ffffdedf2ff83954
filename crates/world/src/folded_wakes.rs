//! When folded stations are to be woken.

use crate::folded::{Folded, Mode, Times};
use acklab_base::{Instant, Stream};
use std::hint::select_unpredictable;

impl Folded {
    /// The turn of the next packet if the frame in the air is the awaited ACK.
    #[inline(always)]
    pub(crate) fn turn_after_ack(&self, times: &Times) -> Instant {
        let slots = u64::from(Stream::scaled(self.ahead, times.cw_min.max(1)));
        let free = self.lock.end.max(self.nav_until());
        free.after(times.difs + times.slot * slots)
    }

    /// When the station acts if what it waits for does not come: at its next turn, or at once if that is the last try.
    #[inline(always)]
    pub(crate) fn wake_after_wait(&self, times: &Times) -> Instant {
        let tries_again = match self.mode {
            Mode::AwaitsCts => self.short_retries + 1 < times.short_limit,
            Mode::AwaitsAck => self.long_retries + 1 < times.long_limit,
            _ => false,
        };
        if !tries_again {
            return self.exchange_until;
        }
        let slots = u64::from(Stream::scaled(self.ahead, self.doubled_cw(times).max(1)));
        self.exchange_until.after(times.difs + times.slot * slots)
    }

    /// When the station is to be woken while it receives and owes no answer: SIFS behind what it answers; at its
    /// next turn behind the awaited ACK, if it `has_more`; and no later than a wait is over that this does not end.
    #[inline(always)]
    pub(crate) fn wake_after_received(
        &self,
        times: &Times,
        has_more: impl FnOnce() -> bool,
    ) -> Instant {
        let (end, until) = (self.lock.end, self.exchange_until);
        let answer = if self.at_once {
            end
        } else {
            end.after(times.sifs)
        };
        // Modes that wait stand in the order of the frames that they wait for.
        let awaited = self.mode as u8 == self.received.kind as u8 + Mode::AwaitsCts as u8 - 1;
        let ends_wait = awaited & (end <= until);
        if ends_wait & (self.mode == Mode::AwaitsAck) {
            return if has_more() {
                self.turn_after_ack(times)
            } else {
                Instant::NEVER
            };
        }
        let in_any_case = ends_wait | !self.waits();
        answer.min(select_unpredictable(in_any_case, Instant::NEVER, until))
    }

    /// When the station is to be woken.
    #[inline]
    pub(crate) fn next_wake(&self, times: &Times, has_more: impl FnOnce() -> bool) -> Instant {
        match self.mode {
            Mode::Answers => self.sifs_ends,
            _ if self.receives => self.wake_after_received(times, has_more),
            Mode::Contends => self.turn(times),
            Mode::Idle => Instant::NEVER,
            _ => self.wake_after_wait(times),
        }
    }
}
