//! Frames that come and go while nothing else is in the air: most of what a station hears.
//!
//! What they do to it is worked out in one, instead of busy, frame and idle one after the other.
//! The one invariant: the station is left as those three would leave it.

use super::backoff::{Backoff, counted};
use super::machine::{Dcf, Exchange};
use super::receive::RtsNav;
use acklab_base::{Duration, Instant};
use acklab_wire::{FrameHeader, FrameKind};

/// What a station hears of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Heard {
    /// Nothing: it transmitted until after the frame's end.
    Nothing,
    /// That there was a carrier: it was too weak to be understood, or the station transmitted when it began.
    Sensed,
    /// What it says.
    Decoded,
}

/// A frame that nobody above the station is told of, on a medium that is quiet before and after; or frames that
/// overlap, as the last one that the receiver was locked on.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// First bit.
    pub start: Instant,
    /// Last bit.
    pub end: Instant,
    /// Kind.
    pub kind: FrameKind,
    /// For how long after its end it reserves the medium.
    pub duration: Duration,
    /// What is heard of it.
    pub heard: Heard,
    /// When the last one ends that was ignored meanwhile ([`Dcf::on_captured_frame`]);
    /// [`Instant::ZERO`] if none was.
    pub ignored_until: Instant,
}

impl Dcf {
    /// A frame passes that nobody above is told of, or of which only that there was one is heard:
    /// [`Dcf::on_medium`] busy, [`Dcf::on_frame_for_nobody`] or [`Dcf::on_lost_frame`], and idle in one, and
    /// before them the end of a NAV. Does nothing and returns `false` if the station has more to
    /// do meanwhile than to be frozen.
    pub fn on_passing(&mut self, frame: &Passing) -> bool {
        if !self.is_frozen_by(frame.start, frame.end) {
            return false;
        }
        self.rts_nav = RtsNav::NONE;
        self.lead = self.plan.timing.difs;
        if frame.ignored_until > Instant::ZERO {
            self.on_captured_frame(frame.ignored_until, Duration::ZERO);
        }
        match frame.heard {
            Heard::Nothing => {}
            Heard::Sensed => self.on_lost_frame(frame.end, true),
            Heard::Decoded => self.on_frame_for_nobody(frame.end, frame.kind, frame.duration),
        }
        self.medium_was_busy(frame.end);
        true
    }

    /// The same for a frame that is decoded, whoever it is for.
    #[inline]
    pub fn on_whole_frame(&mut self, start: Instant, end: Instant, header: &FrameHeader) -> bool {
        if !self.is_frozen_by(start, end) {
            return false;
        }
        self.rts_nav = RtsNav::NONE;
        // That the medium is idle a moment too soon is noticed by nothing but the backoff, which
        // counts from the same instant.
        self.on_frame(end, header);
        self.medium_was_busy(end);
        true
    }

    /// Does to the backoff what a frame does before its last bit; `false`, with nothing changed, if
    /// the station does more meanwhile than to stop counting.
    #[inline]
    fn is_frozen_by(&mut self, start: Instant, end: Instant) -> bool {
        let probes = self.rts_nav.probe_at <= start;
        if self.exchange.until().min(self.sifs_ends) <= end || probes {
            return false;
        }
        match self.backoff {
            Backoff::None => true,
            Backoff::Deferring { until } => until > end,
            Backoff::Frozen { .. } if self.exchange != Exchange::Idle => true,
            Backoff::Frozen { .. } | Backoff::Running { .. } | Backoff::Immediate { .. } => {
                self.stops_counting(start)
            }
        }
    }

    /// The same for a backoff that counts, or may when nothing keeps it.
    fn stops_counting(&mut self, start: Instant) -> bool {
        let mut backoff = self.backoff;
        let cca_delay = self.plan.config.rules.cca_delay;
        if self.nav <= start {
            backoff.resume(self.free_since.max(self.nav), self.lead);
        }
        if backoff.comes_to_nothing(start, cca_delay) {
            self.back_off_instead();
            return true;
        }
        if backoff.expiry(self.plan.config.slot) > start.after(cca_delay) {
            backoff.freeze(start, self.plan.config.slot, cca_delay);
        } else if self.current.is_some() {
            return false;
        } else {
            // A backoff that ends without a packet in hand ends unnoticed.
            backoff = Backoff::None;
        }
        self.backoff = backoff;
        true
    }

    /// The medium is idle again, and the backoff goes on.
    #[inline]
    fn medium_was_busy(&mut self, end: Instant) {
        self.free_since = end;
        if self.waits_for_nav_alone(end) {
            self.backoff.resume(end.max(self.nav), self.lead);
        }
    }
}

/// A station that only listens and maybe counts down, where all that frames leave behind is a NAV.
#[derive(Clone, Copy, Debug)]
pub struct Calm {
    nav: Instant,
    free_since: Instant,
    counts: bool,
    counting: Instant,
    slots: u32,
    slot: Duration,
    difs: Duration,
    cca_delay: Duration,
    sensed: Duration,
}

impl Dcf {
    /// The station, if it is as simple as that. The medium is idle. [`Dcf::set_calm`] puts back what
    /// frames changed.
    #[inline(always)]
    #[must_use]
    pub fn calm(&self) -> Option<Calm> {
        if !self.plan.plain_nav
            || self.exchange != Exchange::Idle
            || self.sifs_ends != Instant::NEVER
        {
            return None;
        }
        let (counts, counting, slots) = match self.backoff {
            Backoff::None => (false, Instant::ZERO, 0),
            Backoff::Running { counting, slots } => (true, counting, slots),
            Backoff::Frozen { .. } | Backoff::Deferring { .. } | Backoff::Immediate { .. } => {
                return None;
            }
        };
        Some(Calm {
            nav: self.nav,
            free_since: self.free_since,
            counts,
            counting,
            slots,
            slot: self.plan.config.slot,
            difs: self.plan.timing.difs,
            cca_delay: self.plan.config.rules.cca_delay,
            sensed: self.plan.timing.sensed,
        })
    }

    /// The station after what it has heard.
    #[inline(always)]
    pub fn set_calm(&mut self, calm: &Calm) {
        self.nav = calm.nav;
        self.free_since = calm.free_since;
        if calm.counts {
            self.backoff = Backoff::Running {
                counting: calm.counting,
                slots: calm.slots,
            };
        }
    }
}

impl Calm {
    /// How long a frame silences the station that is only sensed; one that is decoded says it
    /// itself.
    #[inline(always)]
    #[must_use]
    pub const fn sensed(&self) -> Duration {
        self.sensed
    }

    /// A frame passes as in [`Dcf::on_passing`], which silences the station for so long. `false` if
    /// it does not only pass.
    #[inline(always)]
    pub fn passes(&mut self, start: Instant, end: Instant, silence: Duration) -> bool {
        if self.counts {
            let seen = start.after(self.cca_delay);
            if self.counting.after(self.slot * u64::from(self.slots)) <= seen {
                return false;
            }
            let long = seen.saturating_since(self.counting);
            self.slots -= counted(long, self.slot, self.slots);
        }
        self.nav = self.nav.max(end.after(silence));
        self.free_since = end;
        self.counting = self.nav.max(end).after(self.difs);
        true
    }
}
