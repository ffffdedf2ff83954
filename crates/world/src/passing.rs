//! Frames that come and go between two looks at a station, worked out whole: most of what it hears.
//!
//! [`Station::advance`] takes the first and the last bit of a frame for steps of their own, with
//! whatever comes between; here nothing does. Invariant: what is left of the station is the same.

use crate::ear::Ear;
use crate::station::{Air, Station};
use acklab_base::{Duration, Instant};
use acklab_mac::dcf::{Calm, Heard, Passing};
use acklab_radio::receiver::{Alone, Overlap};
use acklab_radio::{Arrival, Episode, Settle};

impl Station {
    /// Frames that come and go on a quiet medium, each alone, or that overlap and that nobody waits
    /// for. Returns whether there was one of which the DCF may ask something.
    #[inline(never)]
    pub(crate) fn let_pass(&mut self, ear: &mut Ear, air: &mut Air<'_>, until: Instant) -> bool {
        let mut waiting = ear.waiting();
        let mut received = false;
        loop {
            if let Some(calm) = self.dcf.calm() {
                waiting = self.pass_calmly(calm, waiting, until);
            }
            let ended = |next: &&Arrival| next.end() <= until;
            let Some(next) = waiting.first().filter(ended) else {
                break;
            };
            if next.settle.is_awaited() && is_alone(waiting) && self.hears(next) {
                received = self.receive_whole(next);
                waiting = &waiting[usize::from(received)..];
                break;
            }
            let passed = self.pass_one(waiting, air, until);
            if passed == 0 {
                break;
            }
            waiting = &waiting[passed..];
        }
        ear.leave(waiting.len());
        received
    }

    /// The plainest case, which is the most frequent: frames for somebody else, one after the other.
    /// Returns what is left.
    #[inline(always)]
    fn pass_calmly<'a>(
        &mut self,
        mut calm: Calm,
        mut waiting: &'a [Arrival],
        until: Instant,
    ) -> &'a [Arrival] {
        let deaf_until = self.receiver.deaf_until();
        let mut busy = Duration::ZERO;
        while let [arrival, rest @ ..] = waiting {
            let (start, end) = (arrival.start, arrival.end());
            let alone = end <= until && rest.first().is_none_or(|next| end <= next.start);
            if !alone || start < deaf_until || arrival.settle != Settle::AnyTime {
                break;
            }
            let silence = [calm.sensed(), arrival.duration()][usize::from(arrival.decodable)];
            if !calm.passes(start, end, silence) {
                break;
            }
            busy += arrival.airtime();
            waiting = rest;
        }
        self.dcf.set_calm(&calm);
        self.receiving.add(busy);
        waiting
    }

    /// Whether a frame that is alone is decoded.
    fn hears(&self, arrival: &Arrival) -> bool {
        self.receiver.on_whole(arrival) == Alone::Decoded
    }

    /// The first of these frames, which has ended, if it is alone; else those that overlap. Returns
    /// how many have passed; none if more happened than that.
    #[inline(never)]
    fn pass_one(&mut self, waiting: &[Arrival], air: &mut Air<'_>, until: Instant) -> usize {
        let id = self.dcf.id();
        let (frame, locked, count) = if is_alone(waiting) {
            let heard = heard(self.receiver.on_whole(&waiting[0]));
            (passing(&waiting[0], heard), waiting[0], 1)
        } else {
            let outlasts = |one: &Arrival, other: &Arrival| air.outlasts(one, other, id);
            let Some(overlap) = self.receiver.on_overlap(waiting, outlasts) else {
                return 0;
            };
            let Some(frame) = passing_overlap(waiting, &overlap) else {
                return 0;
            };
            (frame, *overlap.episode.locked(), overlap.frames)
        };
        if frame.end > until || !self.dcf.on_passing(&frame) {
            return 0;
        }
        let sent_until = self.receiver.deaf_until();
        self.receiving.begin(frame.start, sent_until);
        self.receiving.end(frame.end, sent_until);
        if frame.heard == Heard::Decoded {
            self.note_decoded(&locked);
        }
        count
    }

    /// Takes in what has passed by `until` and needs nothing else to be worked out. Returns whether
    /// there is room now for more to come.
    pub(crate) fn makes_room(&mut self, ear: &mut Ear, air: &mut Air<'_>, until: Instant) -> bool {
        if air.told.recording || self.dcf.asks() {
            return false;
        }
        if self.receiver.is_quiet() {
            while self.let_pass(ear, air, until) {
                if self.dcf.asks() {
                    return false;
                }
            }
            ear.forget_taken();
        }
        ear.has_room()
    }

    /// A frame that somebody waits for comes and goes alone.
    fn receive_whole(&mut self, arrival: &Arrival) -> bool {
        let header = arrival.header();
        let end = arrival.end();
        if !self.dcf.on_whole_frame(arrival.start, end, &header) {
            return false;
        }
        self.receiving.add(arrival.airtime());
        self.at = end;
        self.mix_received(end, &header);
        true
    }
}

/// Whether the first of these frames ends before the next one begins.
#[inline]
fn is_alone(waiting: &[Arrival]) -> bool {
    match waiting {
        [arrival, next, ..] => arrival.end() <= next.start,
        _ => true,
    }
}

/// A frame as one that passes.
fn passing(arrival: &Arrival, heard: Heard) -> Passing {
    Passing {
        start: arrival.start,
        end: arrival.end(),
        kind: arrival.kind(),
        duration: arrival.duration(),
        heard,
        ignored_until: Instant::ZERO,
    }
}

/// Frames that overlap, as the one that the receiver was locked on; `None` if somebody waits for one
/// of them.
fn passing_overlap(arrivals: &[Arrival], overlap: &Overlap) -> Option<Passing> {
    let together = &arrivals[..overlap.frames];
    let waits = |arrival: &Arrival| arrival.settle.is_awaited();
    if together.iter().any(waits) {
        return None;
    }
    Some(passing_episode(&overlap.episode, overlap.heard))
}

/// Frames that overlapped, as the last one that the receiver was locked on.
pub(crate) fn passing_episode(episode: &Episode, alone: Alone) -> Passing {
    Passing {
        start: episode.start(),
        ignored_until: episode.ignored_until(),
        ..passing(episode.locked(), heard(alone))
    }
}

/// What the MAC is told of a frame that meets no other one: none that is lost has begun. Of those that
/// overlap one may have; for rules by which they are worked out whole that is the same.
#[inline(always)]
const fn heard(alone: Alone) -> Heard {
    match alone {
        Alone::Unnoticed => Heard::Nothing,
        Alone::Deaf | Alone::TooWeak => Heard::Sensed,
        Alone::Decoded => Heard::Decoded,
    }
}
