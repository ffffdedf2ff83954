//! A station that only listens, in one line of memory: most of those that hear a frame have no part in
//! anything.
//!
//! What it hears is taken in at once, one frame late: two that begin within a propagation delay may
//! arrive in another order than they were sent in, so that the last one is certain only when the next
//! one is announced. Invariant: what it holds is what the station would if it had heard it all itself, but
//! for a NAV that is over.

use crate::passing::passing_episode;
use acklab_base::{Duration, Instant};
use acklab_mac::dcf::{Hush, Listening};
use acklab_radio::receiver::Alone;
use acklab_radio::{Arrival, Audible, Episode, Settle};

/// What a station that only listens has heard since it had its last part in something.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Bystander {
    /// The frame that was announced last, which is not taken in; one of no length if there is none.
    last: Arrival,
    /// Until when the NAV reserves the medium.
    nav: Instant,
    /// When the medium was last free; by [`OVERLAP`] later while frames overlap or the last one is to be
    /// noted, and [`Instant::NEVER`] if this is no bystander.
    free_since: Instant,
    /// How long the receiver was busy, and before that too if the station has no place ([`crate::seats`]).
    receiving: Duration,
}

/// Longer than any run: what is put off by it is never before now, so that the one comparison that tells
/// whether the medium is free also tells that it is not known to be.
const OVERLAP: Duration = Duration::from_nanos(1 << 63);

const _: () = assert!(size_of::<Bystander>() == 64 && size_of::<Option<Episode>>() == 64);

/// What a bystander asks of the world around it, and tells it.
pub(crate) trait Surroundings {
    /// Whether one frame is so much stronger than another one here that it survives.
    fn outlasts(&mut self, one: &Arrival, other: &Arrival) -> bool;

    /// A frame was decoded of which that is to be noted.
    fn decoded(&mut self, arrival: &Arrival);
}

/// What a station takes over that only listened until now.
#[derive(Debug)]
pub(crate) struct Takeover {
    /// What the MAC remembers.
    pub(crate) memory: Listening,
    /// For how long the receiver was busy: all that the station does not know of.
    pub(crate) receiving: Duration,
    /// The frame that was announced last, if it has not been taken in.
    pub(crate) last: Option<Arrival>,
}

impl Bystander {
    /// A station that does not only listen.
    pub(crate) const NONE: Self = Self {
        last: Arrival::nothing(Instant::ZERO),
        nav: Instant::ZERO,
        free_since: Instant::NEVER,
        receiving: Duration::ZERO,
    };

    /// One that remembers this, and hears nothing.
    pub(crate) const fn new(memory: Listening) -> Self {
        Self {
            last: Arrival::nothing(memory.free_since),
            nav: memory.nav,
            free_since: memory.free_since,
            receiving: Duration::ZERO,
        }
    }

    /// One that remembers this, and was told of these frames, in order, while `overlap` was in the air.
    /// `None` if something is in the air and no frame was announced after it: there is no last one then.
    pub(crate) fn told(
        memory: Listening,
        frames: &[Arrival],
        overlap: &mut Option<Episode>,
        hush: &Hush,
        around: &mut impl Surroundings,
    ) -> Option<Self> {
        let mut one = Self::new(memory);
        if overlap.is_some() {
            one.is_not_free();
        }
        let Some((first, rest)) = frames.split_first() else {
            return overlap.is_none().then_some(one);
        };
        one.last = *first;
        for next in rest {
            one.take_in(next.start, overlap, hush, around);
            one.last = *next;
        }
        one.remember_to_note();
        Some(one)
    }

    /// Whether the station only listens.
    #[inline(always)]
    pub(crate) fn listens(&self) -> bool {
        self.free_since != Instant::NEVER
    }

    /// Whether the station only listens, hears nothing any more, and has nothing to note of what it heard.
    #[inline(always)]
    pub(crate) fn is_free(&self, now: Instant) -> bool {
        self.free_since.max(self.last.end()) <= now
    }

    /// The plainest case, which is the most frequent: a frame is sent when the last one has come and
    /// gone alone ([`Self::is_free`]).
    #[inline(always)]
    pub(crate) fn passes(&mut self, sent: &Arrival, listener: &Audible, hush: &Hush) {
        debug_assert!(self.last.settle != Settle::Noted, "it is to be noted");
        self.take_unnoted_in(hush);
        let (delay, decodable) = (listener.delay(), listener.decodable());
        (self.last).hear(sent, delay, decodable, Settle::AnyTime);
    }

    /// The last frame was alone.
    #[inline(always)]
    fn take_last_in(&mut self, hush: &Hush, around: &mut impl Surroundings) {
        self.take_unnoted_in(hush);
        if self.last.settle == Settle::Noted {
            around.decoded(&self.last);
        }
    }

    /// The same but for the note that it may call for.
    #[inline(always)]
    fn take_unnoted_in(&mut self, hush: &Hush) {
        let end = self.last.end();
        let silence = hush.alone(self.last.decodable, self.last.duration());
        self.nav = self.nav.max(end.after(silence));
        self.free_since = end;
        self.receiving += self.last.airtime();
    }

    /// A frame is sent, whatever was heard before; `overlap` are frames of which the last has not ended
    /// as far as is known. Does nothing and returns `false` if it cannot be said what comes first.
    #[inline(never)]
    pub(crate) fn hears(
        &mut self,
        sent: &Arrival,
        (listener, settle): (&Audible, Settle),
        overlap: &mut Option<Episode>,
        hush: &Hush,
        around: &mut impl Surroundings,
    ) -> bool {
        let (delay, decodable) = (listener.delay(), listener.decodable());
        // One of no length may be as late as the one that is sent.
        if self.last.start < sent.start || self.is_free(sent.start) {
            self.take_in(sent.start, overlap, hush, around);
        } else if overlap.is_some() {
            return false;
        } else if (sent.start.after(delay), sent.from()) < (self.last.start, self.last.from()) {
            // Of two that are sent at once the later is heard first.
            let first = sent.heard(delay, decodable, settle);
            *overlap = Some(self.begins_with(first));
            return true;
        } else {
            *overlap = Some(self.begins_with(self.last));
        }
        self.last.hear(sent, delay, decodable, settle);
        self.remember_to_note();
        true
    }

    /// The last frame does not pass by the shortest way if it is to be noted.
    #[inline(always)]
    fn remember_to_note(&mut self) {
        if self.last.settle == Settle::Noted {
            self.is_not_free();
        }
    }

    /// The medium is not known to be free.
    fn is_not_free(&mut self) {
        if self.free_since < Instant::ZERO.after(OVERLAP) {
            self.free_since = self.free_since.after(OVERLAP);
        }
    }

    /// Nothing that is not known begins before the last frame, nor anything after it before `next`.
    #[inline(always)]
    fn take_in(
        &mut self,
        next: Instant,
        overlap: &mut Option<Episode>,
        hush: &Hush,
        around: &mut impl Surroundings,
    ) {
        // Where nothing can be overlapping its line of memory is not read.
        if self.free_since >= Instant::ZERO.after(OVERLAP)
            && let Some(episode) = overlap
        {
            if self.last.start < episode.end() {
                let outlasted = around.outlasts(episode.locked(), &self.last);
                return episode.meet(&self.last, outlasted);
            }
            self.end_episode(episode, hush, around);
            *overlap = None;
        }
        if self.last.end() <= next {
            self.take_last_in(hush, around);
        } else {
            *overlap = Some(self.begins_with(self.last));
        }
    }

    /// The medium was free, and others may be heard before this frame ends.
    fn begins_with(&mut self, first: Arrival) -> Episode {
        self.is_not_free();
        let heard = [Alone::TooWeak, Alone::Decoded][usize::from(first.decodable)];
        Episode::new(first, heard)
    }

    /// Frames that overlapped have passed.
    #[inline(always)]
    fn end_episode(&mut self, episode: &Episode, hush: &Hush, around: &mut impl Surroundings) {
        let frame = passing_episode(episode, episode.heard());
        let mut memory = self.memory();
        memory.passes(&frame, hush);
        (self.nav, self.free_since) = (memory.nav, memory.free_since);
        self.receiving += frame.end.saturating_since(frame.start);
        if episode.locked().settle == Settle::Noted && episode.heard() == Alone::Decoded {
            around.decoded(episode.locked());
        }
    }

    fn memory(&self) -> Listening {
        let overlapping = Instant::ZERO.after(OVERLAP);
        Listening {
            nav: self.nav,
            free_since: if self.free_since < overlapping {
                self.free_since
            } else {
                self.free_since - OVERLAP
            },
        }
    }

    /// Takes in what has ended by now: nothing that is not known has begun.
    pub(crate) fn settles(
        &mut self,
        now: Instant,
        overlap: &mut Option<Episode>,
        hush: &Hush,
        around: &mut impl Surroundings,
    ) {
        let mut last = (self.last.airtime() > Duration::ZERO).then_some(self.last);
        if let Some(episode) = overlap {
            let mut together = *episode;
            if let Some(late) = last.take_if(|late| late.start < together.end()) {
                let outlasted = around.outlasts(together.locked(), &late);
                together.meet(&late, outlasted);
            }
            if together.end() > now {
                return;
            }
            self.end_episode(&together, hush, around);
            *overlap = None;
            if last.is_none() {
                self.last = Arrival::nothing(self.free_since);
            }
        }
        if last.is_some_and(|last| last.end() <= now) {
            self.take_last_in(hush, around);
            self.last = Arrival::nothing(self.free_since);
        }
        self.remember_to_note();
    }

    /// The receiver was busy for so long before.
    pub(crate) fn add_receiving(&mut self, busy: Duration) {
        self.receiving += busy;
    }

    /// For how long the receiver was busy, as far as is taken in.
    pub(crate) const fn receiving(&self) -> Duration {
        self.receiving
    }

    /// The station has a part in something now.
    pub(crate) fn leaves(&mut self, now: Instant, hush: &Hush) -> Takeover {
        if self.is_free(now) {
            self.take_unnoted_in(hush);
            self.last = Arrival::nothing(now);
        }
        let takeover = Takeover {
            memory: self.memory(),
            receiving: self.receiving,
            last: Some(self.last).filter(|last| last.airtime() > Duration::ZERO),
        };
        *self = Self::NONE;
        takeover
    }
}

#[cfg(test)]
mod tests;
