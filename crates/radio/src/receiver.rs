//! The receiver of one radio: it locks on a frame, loses it or decodes it.
//!
//! Signals are compared in pairs, the locked frame with the newcomer; they are not added up, and
//! there is no noise (as in ns-2; the model page states the limits). The receiver decides nothing
//! about access: it says when the medium is busy and what became of each frame.
//!
//! Invariant: at most one frame is locked, and exactly one end is reported for each lock.

use crate::arrival::Arrival;
use acklab_base::Instant;

/// What happens when a frame meets another one at a receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureRule {
    /// The locked frame survives if it is stronger by the capture ratio; a later frame, however
    /// strong, destroys both otherwise.
    LockedOnly,
    /// Any overlap destroys both.
    None,
    /// The stronger by the capture ratio survives, whichever came first.
    Strongest,
}

/// The rules of reception.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// What an overlap does.
    pub capture: CaptureRule,
    /// Least ratio of powers, linear, at which the stronger frame survives.
    pub capture_ratio: f64,
    /// Whether any audible signal keeps the medium busy to its end. In ns-2 only the locked
    /// frame does.
    pub energy_detection: bool,
}

/// Why a locked frame was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Too weak to decode, only sensed.
    TooWeak,
    /// The radio was transmitting when it began, or began to transmit during it.
    Transmitting,
    /// Another frame overlapped. Holds that frame's number.
    Collision(u32),
}

/// What a newcomer did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The receiver locked on it.
    Locked,
    /// The locked frame is stronger by the capture ratio; the newcomer is lost.
    Ignored,
    /// The newcomer took the receiver over; the frame that was locked is lost.
    TookOver,
    /// Both are lost.
    Collided {
        /// Whether something else had spoiled the frame that was locked before.
        already_lost: bool,
    },
}

/// What became of a frame that ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Decoded.
    Decoded {
        /// A frame that it overlapped and survived.
        overlapped: Option<u32>,
    },
    /// Lost.
    Lost(Loss),
    /// The radio was transmitting at the last bit: it noticed nothing.
    Unnoticed,
}

/// What is heard of a frame that meets no other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alone {
    /// Nothing: the radio was transmitting at its last bit.
    Unnoticed,
    /// It is lost: the radio was transmitting at its first bit.
    Deaf,
    /// It is too weak to decode.
    TooWeak,
    /// It is decoded.
    Decoded,
}

/// Frames that overlap, from the first bit on a quiet medium until the receiver is quiet again.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// How many.
    pub frames: usize,
    /// Which of them the receiver was locked on at the end, counted from 0.
    pub locked: usize,
    /// What is heard of it.
    pub heard: Alone,
    /// When the last one ends that was ignored; [`Instant::ZERO`] if none was.
    pub ignored_until: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Lock {
    arrival: Arrival,
    loss: Option<Loss>,
    overlapped: Option<u32>,
}

impl Lock {
    /// Both frames are lost and the receiver stays with the one that ends later.
    fn collide(&mut self, newcomer: &Arrival) -> Start {
        let already_lost = self.loss.is_some();
        let other = if newcomer.end() > self.arrival.end() {
            std::mem::replace(&mut self.arrival, *newcomer).number()
        } else {
            newcomer.number()
        };
        self.loss = Some(Loss::Collision(other));
        self.overlapped = None;
        Start::Collided { already_lost }
    }
}

/// The receiver of one radio. What is looked at even if nothing meets another frame stands last, side
/// by side.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    lock: Option<Lock>,
    rules: Rules,
    /// With energy detection: the end of the last audible signal.
    energy_until: Instant,
    transmitting_until: Instant,
    /// [`Receiver::next_end`].
    next_end: Instant,
}

impl Receiver {
    /// An idle receiver.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            lock: None,
            energy_until: Instant::ZERO,
            transmitting_until: Instant::ZERO,
            next_end: Instant::NEVER,
        }
    }

    /// Whether the receiver finds the medium busy at `now`.
    #[must_use]
    pub fn is_busy(&self, now: Instant) -> bool {
        self.lock.is_some() || (self.rules.energy_detection && self.energy_until > now)
    }

    /// When [`Receiver::on_end`] is to be called next.
    #[must_use]
    pub const fn next_end(&self) -> Instant {
        self.next_end
    }

    /// The frame that the receiver is locked on, with whether it is still good.
    #[must_use]
    pub fn locked(&self) -> Option<(&Arrival, bool)> {
        self.lock
            .as_ref()
            .map(|lock| (&lock.arrival, lock.loss.is_none()))
    }

    /// Whether the medium may be found free before the last of the frames in the air ends: a
    /// shorter, stronger frame may take the receiver over.
    #[must_use]
    pub fn may_free_early(&self) -> bool {
        self.rules.capture == CaptureRule::Strongest && !self.rules.energy_detection
    }

    /// The radio transmits from now until `until`: what it was receiving is lost.
    pub fn on_transmit(&mut self, until: Instant) {
        self.transmitting_until = until;
        if let Some(lock) = &mut self.lock {
            lock.loss.get_or_insert(Loss::Transmitting);
        }
    }

    /// The first bit of a frame arrives. `power_w` gives the received power of a frame in watts; it
    /// is asked only if the frame meets another one.
    pub fn on_start(
        &mut self,
        arrival: &Arrival,
        mut power_w: impl FnMut(&Arrival) -> f64,
    ) -> Start {
        if self.rules.energy_detection {
            self.energy_until = self.energy_until.max(arrival.end());
        }
        let loss = self.loss_at_start(arrival);
        let Some(lock) = &mut self.lock else {
            self.next_end = arrival.end();
            self.lock = Some(Lock {
                arrival: *arrival,
                loss,
                overlapped: None,
            });
            return Start::Locked;
        };
        let outlasts = |power_w: f64, other_w: f64| power_w >= self.rules.capture_ratio * other_w;
        if self.rules.capture != CaptureRule::None {
            let (locked_w, newcomer_w) = (power_w(&lock.arrival), power_w(arrival));
            if outlasts(locked_w, newcomer_w) {
                lock.overlapped = Some(arrival.number());
                return Start::Ignored;
            }
            if self.rules.capture == CaptureRule::Strongest && outlasts(newcomer_w, locked_w) {
                self.next_end = arrival.end();
                *lock = Lock {
                    arrival: *arrival,
                    loss,
                    overlapped: Some(lock.arrival.number()),
                };
                return Start::TookOver;
            }
        }
        let collided = lock.collide(arrival);
        self.next_end = lock.arrival.end();
        collided
    }

    /// Frames that begin sooner are lost: the radio transmits until then.
    #[must_use]
    pub const fn deaf_until(&self) -> Instant {
        self.transmitting_until
    }

    /// Whether nothing is locked and no energy is left in the air.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.next_end == Instant::NEVER
    }

    /// A frame came and went while nothing else was in the air and the radio did not begin to
    /// transmit: [`Receiver::on_start`] and [`Receiver::on_end`] of a quiet receiver in one.
    #[must_use]
    #[inline]
    pub fn on_whole(&self, arrival: &Arrival) -> Alone {
        if arrival.start >= self.transmitting_until {
            [Alone::TooWeak, Alone::Decoded][usize::from(arrival.decodable)]
        } else if arrival.end() < self.transmitting_until {
            Alone::Unnoticed
        } else {
            Alone::Deaf
        }
    }

    /// Frames came and went on a quiet medium, of which the first ones overlap, and the radio did
    /// not begin to transmit: [`Receiver::on_start`] and [`Receiver::on_end`] of a quiet receiver
    /// in one. `None` if the rules let more happen than one lock from the first bit to the last.
    #[must_use]
    pub fn on_overlap(
        &self,
        arrivals: &[Arrival],
        mut power_w: impl FnMut(&Arrival) -> f64,
    ) -> Option<Overlap> {
        if self.rules.capture != CaptureRule::LockedOnly || self.rules.energy_detection {
            return None;
        }
        let (locked, later) = arrivals.split_first()?;
        let mut overlap = Overlap {
            frames: 1,
            locked: 0,
            heard: self.on_whole(locked),
            ignored_until: Instant::ZERO,
        };
        let (mut end, mut locked_w) = (locked.end(), power_w(locked));
        for (place, late) in later.iter().enumerate() {
            if late.start >= end {
                break;
            }
            overlap.frames = place + 2;
            let (late_end, late_w) = (late.end(), power_w(late));
            if locked_w >= self.rules.capture_ratio * late_w {
                overlap.ignored_until = overlap.ignored_until.max(late_end);
                continue;
            }
            if late_end > end {
                (end, locked_w, overlap.locked) = (late_end, late_w, place + 1);
            }
            overlap.heard = Alone::Deaf;
        }
        if end < self.transmitting_until {
            overlap.heard = Alone::Unnoticed;
        }
        Some(overlap)
    }

    fn loss_at_start(&self, arrival: &Arrival) -> Option<Loss> {
        if arrival.start < self.transmitting_until {
            Some(Loss::Transmitting)
        } else if arrival.decodable {
            None
        } else {
            Some(Loss::TooWeak)
        }
    }

    /// The last bit of the locked frame has arrived, and what became of it; or the energy around
    /// it has faded (`None`). Call it at [`Receiver::next_end`].
    pub fn on_end(&mut self, now: Instant) -> Option<(Arrival, Fate)> {
        if self.energy_until <= now {
            self.energy_until = Instant::ZERO;
        }
        self.next_end = if self.energy_until == Instant::ZERO {
            Instant::NEVER
        } else {
            self.energy_until
        };
        let lock = self.lock.take()?;
        let fate = if now < self.transmitting_until {
            Fate::Unnoticed
        } else {
            let decoded = Fate::Decoded {
                overlapped: lock.overlapped,
            };
            lock.loss.map_or(decoded, Fate::Lost)
        };
        Some((lock.arrival, fate))
    }
}

#[cfg(test)]
mod tests;
