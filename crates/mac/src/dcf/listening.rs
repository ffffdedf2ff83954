//! A station that only listens: all that frames for others leave behind is a NAV, and when the medium
//! was last free.
//!
//! Whoever runs many stations may keep these two in place of the station while nothing else is asked
//! of it. The one invariant: the station is left as [`Dcf::on_passing`] would leave it.

use super::backoff::Backoff;
use super::machine::{Counters, Dcf, Exchange};
use super::passing::{Heard, Passing};
use super::receive::RtsNav;
use acklab_base::{Duration, Instant};

/// What a station that only listens remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listening {
    /// Until when the NAV reserves the medium.
    pub nav: Instant,
    /// When the receiver was last free.
    pub free_since: Instant,
}

/// How long frames for others silence a station of these rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hush {
    sensed: Duration,
    captured: Option<Duration>,
}

impl Hush {
    /// After a frame that meets no other one: one that is decoded says it itself.
    #[inline(always)]
    #[must_use]
    pub fn alone(&self, decoded: bool, duration: Duration) -> Duration {
        // A table spares a branch that nobody can predict.
        [self.sensed, duration][usize::from(decoded)]
    }

    fn after(&self, frame: &Passing) -> Instant {
        let silence = match frame.heard {
            Heard::Nothing => Duration::ZERO,
            Heard::Sensed => self.sensed,
            Heard::Decoded => frame.duration,
        };
        let nav = frame.end.after(silence);
        match self.captured {
            Some(captured) if frame.ignored_until > Instant::ZERO => {
                nav.max(frame.ignored_until.after(captured))
            }
            _ => nav,
        }
    }
}

impl Listening {
    /// A frame passes, or frames that overlap.
    pub fn passes(&mut self, frame: &Passing, hush: &Hush) {
        self.nav = self.nav.max(hush.after(frame));
        self.free_since = frame.end;
    }
}

impl Dcf {
    /// How long frames silence a station of which [`Dcf::listening`] says something.
    #[must_use]
    pub fn hush(&self) -> Hush {
        let eifs = self.plan.timing.eifs;
        Hush {
            sensed: self.plan.timing.sensed,
            captured: self.plan.config.rules.nav_over_captured.then_some(eifs),
        }
    }

    /// What the station remembers, if nothing else is to be known of it: it has nothing to send, to
    /// answer or to wait for. Whether the medium is busy must be known besides.
    #[must_use]
    pub fn listening(&self) -> Option<Listening> {
        let only_listens = self.plan.plain_nav
            && self.exchange == Exchange::Idle
            && self.backoff == Backoff::None
            && self.sifs_ends == Instant::NEVER
            && self.current.is_none()
            && self.response.is_none()
            && !self.asks();
        only_listens.then_some(Listening {
            nav: self.nav,
            free_since: self.free_since,
        })
    }

    /// Whether a station that only listens is as it was built, but for what [`Dcf::listening`] tells of it:
    /// it never had a packet, an answer to give, or a frame for itself.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.on_air.is_none()
            && self.current.is_none()
            && self.sequence == 0
            && self.last_sequence.is_empty()
            && self.counters == Counters::default()
            && self.lead == self.plan.timing.difs
            && self.rts_nav == RtsNav::NONE
            && !self.has_more
    }

    /// The station after what it has heard meanwhile. The medium is idle.
    pub fn set_listening(&mut self, listening: Listening) {
        self.nav = listening.nav;
        self.free_since = listening.free_since;
        self.receiver_busy = false;
    }
}
