//! What a station knows of its own future: before when it will certainly not act.
//!
//! Whoever runs the station may leave it alone until then. Nothing here changes it. Its one
//! invariant: no bound is later than what the station then does.

use super::backoff::{Backoff, counted};
use super::config::Timing;
use super::machine::{Dcf, Exchange};
use super::rules::Access;
use super::send::reached;
use acklab_base::{Duration, Instant};

impl Dcf {
    /// Whether the station counts from an EIFS that a correct frame would end: then a frame may
    /// also bring its turn forward.
    #[must_use]
    pub fn waits_for_eifs(&self) -> bool {
        self.lead != self.plan.timing.difs
    }

    /// Whether slots count between two frames that follow each other at once: the beginning of the second is
    /// noticed after more than DIFS.
    #[must_use]
    pub fn notices_late(&self) -> bool {
        self.plan.config.rules.cca_delay > self.plan.timing.difs
    }

    /// Until when an exchange waits for its CTS or ACK.
    #[must_use]
    pub const fn answer_deadline(&self) -> Instant {
        match self.exchange {
            Exchange::AwaitCts { until } | Exchange::AwaitAck { until } => until,
            _ => Instant::ZERO,
        }
    }

    /// Whether an exchange waits for its ACK. Frames that begin meanwhile need not be settled for
    /// [`Dcf::next_act`] to hold.
    #[must_use]
    pub const fn awaits_ack(&self) -> bool {
        matches!(self.exchange, Exchange::AwaitAck { .. })
    }

    /// Whether the station owes somebody a CTS or an ACK, which it then sends before anything of its own.
    #[must_use]
    pub const fn owes_answer(&self) -> bool {
        self.response.is_some()
    }

    /// The turn of the next packet, at the soonest, if the ACK of the one in hand ends then and the station
    /// owes no answer.
    #[must_use]
    pub fn turn_after_ack(&self, end: Instant) -> Turn {
        Turn::new(
            end,
            &self.plan.timing,
            self.next_slots(self.plan.config.cw_min),
        )
    }

    /// Until when the station sends an ACK; [`Instant::ZERO`] if it does not. A packet that it gets
    /// before then does the same to it whenever that is.
    #[must_use]
    pub const fn sends_ack_until(&self) -> Instant {
        match (self.exchange, self.backoff) {
            (_, Backoff::Deferring { .. }) => Instant::ZERO,
            (Exchange::SendingAck { until }, _) => until,
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
            (self.long_retries, self.plan.config.long_retry_limit)
        } else {
            (self.short_retries, self.plan.config.short_retry_limit)
        };
        !reached(spent + 1, limit)
    }

    /// The first thing that the station may do of its own accord, as far as it knows, given what
    /// it will be told of in time. `busy` is the time in which the medium will be busy at least,
    /// [`Instant::NEVER`] to zero for not at all; `answer` is the end of a frame that may be the
    /// awaited answer, [`Instant::NEVER`] for none.
    #[inline(always)]
    #[must_use]
    pub fn next_act(&self, busy: (Instant, Instant), answer: Instant) -> Act {
        let act = self.next_act_after_sifs(busy, answer);
        if self.sifs_ends == Instant::NEVER {
            act
        } else {
            Act::At(self.sifs_ends.min(act.at(self.plan.config.slot)))
        }
    }

    #[inline(always)]
    fn next_act_after_sifs(&self, busy: (Instant, Instant), answer: Instant) -> Act {
        let turn = |free: Instant, slots: u32| Act::Turn(Turn::new(free, &self.plan.timing, slots));
        // If the answer is spoiled, a packet that may not be sent again is given up when the wait is over.
        let answered = answer != Instant::NEVER && self.may_retry();
        match self.exchange {
            Exchange::Idle => self.next_access(busy),
            // SIFS after the answer that it waits for, or after the wait for it; or it gives its packet up.
            Exchange::AwaitCts { until } | Exchange::AwaitAck { until } if self.owes_answer() => {
                let sifs = self.plan.config.sifs;
                let waits = if self.may_retry() {
                    until + sifs
                } else {
                    until
                };
                Act::At((answer + sifs).min(waits))
            }
            Exchange::AwaitCts { .. } if answered => Act::At(Instant::NEVER),
            Exchange::AwaitAck { .. } if answered => Act::Turn(self.turn_after_ack(answer)),
            Exchange::AwaitCts { until } | Exchange::AwaitAck { until } if self.may_retry() => {
                turn(until, self.next_slots(self.doubled_cw()))
            }
            Exchange::AwaitCts { until } => Act::At(until),
            Exchange::AwaitAck { until } => {
                let next = self.turn_after_ack(answer.min(until));
                Act::At(until.min(next.at(self.plan.config.slot)))
            }
            Exchange::Broadcast { until } => turn(until, self.next_slots(self.plan.config.cw_min)),
            Exchange::AwaitData { until } | Exchange::SendingAck { until } => {
                match (&self.current, self.backoff) {
                    // The packet before ended while the answer was owed: the next one is taken up behind it.
                    (None, _) if self.has_more => Act::At(until),
                    (None, _) => Act::At(Instant::NEVER),
                    (Some(_), Backoff::Frozen { slots }) => turn(until, slots),
                    (Some(current), _) if current.uses_rts && !current.rts_due => {
                        Act::At(until + self.plan.config.sifs)
                    }
                    (Some(_), _) => {
                        let next = Turn::new(until, &self.plan.timing, self.access_slots(self.cw));
                        match self.plan.config.rules.access {
                            // Frames do not put a deferral off.
                            Access::Deferral { .. } => Act::At(next.at(self.plan.config.slot)),
                            Access::Backoff | Access::Immediate => Act::Turn(next),
                        }
                    }
                }
            }
        }
    }

    /// Whether nothing but the NAV keeps a backoff from its countdown.
    fn is_held_by_nav(&self) -> bool {
        matches!(self.backoff, Backoff::Frozen { .. }) && !self.receiver_busy
    }

    fn next_access(&self, (busy_from, busy_until): (Instant, Instant)) -> Act {
        if self.current.is_none() {
            // A backoff that ends without a packet in hand ends unnoticed.
            return Act::At(Instant::NEVER);
        }
        let slot = self.plan.config.slot;
        let mut backoff = self.backoff;
        let cca_delay = self.plan.config.rules.cca_delay;
        if backoff.comes_to_nothing(busy_from, cca_delay) {
            let slots = self.next_slots(self.cw);
            backoff = Backoff::Frozen { slots };
        } else if busy_from < backoff.expiry(slot) {
            backoff.freeze(busy_from, slot, cca_delay);
        }
        match backoff {
            Backoff::None => Act::At(Instant::NEVER),
            Backoff::Deferring { until } => Act::At(until),
            Backoff::Running { counting, slots } => Act::Turn(Turn { counting, slots }),
            // A frame puts it off by that and a backoff.
            Backoff::Immediate { at: counting } => Act::Turn(Turn { counting, slots: 0 }),
            Backoff::Frozen { slots } => {
                // A NAV that an RTS set may end early.
                let nav = self.nav.min(self.rts_nav.probe_at);
                let free = nav.max(self.free_since);
                // A turn behind the NAV may come before a frame that begins then is noticed.
                let overtakes = self.notices_late() && self.is_held_by_nav() && free <= busy_from;
                let free = if overtakes {
                    free
                } else {
                    free.max(busy_until)
                };
                Act::Turn(Turn::new(free, &self.plan.timing, slots))
            }
        }
    }
}

/// What a station does next of its own accord, if nothing keeps it from it. Nothing comes sooner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Something that no frame puts off, at this time.
    At(Instant),
    /// Its turn in the contention for the medium.
    Turn(Turn),
}

impl Act {
    /// When it comes.
    #[must_use]
    pub fn at(&self, slot: Duration) -> Instant {
        match self {
            Self::At(at) => *at,
            Self::Turn(turn) => turn.at(slot),
        }
    }
}

/// A turn: `slots` whole slots from `counting` on, and no fewer after any sooner time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// When the first slot begins at the soonest.
    pub counting: Instant,
    /// Slots to count.
    pub slots: u32,
}

/// The intervals by which a frame puts a turn off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Slot time.
    pub slot: Duration,
    /// DIFS.
    pub difs: Duration,
    /// How shortly before its end a backoff can no longer be stopped.
    pub cca_delay: Duration,
}

impl Turn {
    fn new(free: Instant, timing: &Timing, slots: u32) -> Self {
        let counting = free.after(timing.difs);
        Self { counting, slots }
    }

    /// When the turn comes.
    #[must_use]
    pub fn at(&self, slot: Duration) -> Instant {
        self.counting.after(slot * u64::from(self.slots))
    }

    /// The turn after a frame that keeps the medium busy from `busy` on and the station silent
    /// until `free`. Only for a station to which no frame can bring its turn forward.
    #[must_use]
    pub fn put_off(self, busy: Instant, free: Instant, pace: &Pace) -> Self {
        let seen = busy.after(pace.cca_delay);
        if self.at(pace.slot) <= seen {
            return self;
        }
        let counted = counted(seen.saturating_since(self.counting), pace.slot, self.slots);
        Self {
            counting: self.counting.max(free.after(pace.difs)),
            slots: self.slots - counted,
        }
    }
}
