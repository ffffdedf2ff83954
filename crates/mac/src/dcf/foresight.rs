//! What a station knows of its own future: before when it will certainly not act.
//!
//! Whoever runs the station may leave it alone until then. Nothing here changes it. Its one
//! invariant: no bound is later than what the station then does.

use super::backoff::Backoff;
use super::machine::{Dcf, Exchange};
use super::send::reached;
use acklab_base::Instant;

impl Dcf {
    /// Whether the station has nothing to do of its own accord until it is told of something.
    #[must_use]
    pub fn is_passive(&self) -> bool {
        self.exchange == Exchange::Idle
            && self.backoff == Backoff::None
            && self.sifs_ends == Instant::NEVER
            && self.rts_nav.is_none()
    }

    /// Whether the station waits for its turn to transmit.
    #[must_use]
    pub fn contends(&self) -> bool {
        self.backoff != Backoff::None
    }

    /// Whether the station counts from an EIFS that a correct frame would end: then a frame may
    /// also bring its turn forward.
    #[must_use]
    pub fn waits_for_eifs(&self) -> bool {
        self.lead != self.timing.difs
    }

    /// Until when an exchange waits for its CTS or ACK.
    #[must_use]
    pub const fn answer_deadline(&self) -> Instant {
        match self.exchange {
            Exchange::AwaitCts { until } | Exchange::AwaitAck { until } => until,
            _ => Instant::ZERO,
        }
    }

    /// Whether the packet in hand survives one more attempt without an answer.
    #[must_use]
    pub fn may_retry(&self) -> bool {
        let uses_rts = self
            .current
            .as_ref()
            .is_some_and(|current| current.uses_rts);
        let long = uses_rts && matches!(self.exchange, Exchange::AwaitAck { .. });
        let (spent, limit) = if long {
            (self.long_retries, self.config.long_retry_limit)
        } else {
            (self.short_retries, self.config.short_retry_limit)
        };
        !reached(spent + 1, limit)
    }

    /// A time before which the station neither transmits nor hands anything on, as far as it
    /// knows, given what it will be told of in time. `busy` is the time in which the medium will
    /// be busy at least, [`Instant::NEVER`] to zero for not at all; `answer` is the end of a frame
    /// that may be the awaited answer, [`Instant::NEVER`] for none.
    #[must_use]
    pub fn acts_no_sooner(&self, busy: (Instant, Instant), answer: Instant) -> Instant {
        let turn = |from: Instant, slots: u32| {
            from + self.timing.difs + self.config.slot * u64::from(slots)
        };
        let answered = answer != Instant::NEVER;
        let act = match self.exchange {
            Exchange::Idle => self.access_no_sooner(busy),
            Exchange::AwaitCts { .. } if answered => Instant::NEVER,
            Exchange::AwaitAck { .. } if answered => {
                turn(answer, self.next_slots(self.config.cw_min))
            }
            Exchange::AwaitCts { until } | Exchange::AwaitAck { until } => {
                if self.may_retry() {
                    turn(until, self.next_slots(self.doubled_cw()))
                } else {
                    until
                }
            }
            Exchange::Broadcast { until } => turn(until, self.next_slots(self.config.cw_min)),
            Exchange::AwaitData { until } | Exchange::SendingAck { until } => {
                match (&self.current, self.backoff) {
                    (None, _) => Instant::NEVER,
                    (Some(_), Backoff::Frozen { slots }) => turn(until, slots),
                    (Some(current), _) if current.uses_rts && !current.rts_due => {
                        until + self.config.sifs
                    }
                    (Some(_), _) => turn(until, self.access_slots(self.cw)),
                }
            }
        };
        act.min(self.sifs_ends)
    }

    fn access_no_sooner(&self, (busy_from, busy_until): (Instant, Instant)) -> Instant {
        let slot = self.config.slot;
        let mut backoff = self.backoff;
        if busy_from < backoff.expiry(slot) {
            backoff.freeze(busy_from, slot, self.config.rules.cca_delay);
        }
        let Backoff::Frozen { slots } = backoff else {
            return backoff.expiry(slot);
        };
        let nav = self.rts_nav.map_or(self.nav, |rts_nav| rts_nav.probe_at);
        let free = busy_until.max(nav).max(self.free_since);
        free + self.timing.difs + slot * u64::from(slots)
    }
}
