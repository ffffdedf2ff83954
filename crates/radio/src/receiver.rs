//! The receiver of one radio: it locks on a frame, loses it or decodes it.
//!
//! Signals are compared in pairs, the locked frame with the newcomer; they are not added up, and
//! there is no noise (as in ns-2; the model page states the limits). The receiver decides nothing
//! about access: it says when the medium is busy and what became of each frame.
//!
//! Invariant: at most one frame is locked, and exactly one end is reported for each lock.

use crate::arrival::Arrival;
use crate::episode::Episode;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// What an overlap does.
    pub capture: CaptureRule,
    /// Whether any audible signal keeps the medium busy to its end. In ns-2 only the locked
    /// frame does.
    pub energy_detection: bool,
}

impl Rules {
    /// Whether all that counts of frames that overlap is which of them is locked: [`Episode`] then
    /// says it all, but for whether one that was lost had begun ([`Fate::Lost`]). These are the rules of ns-2,
    /// whose MAC does not ask for that.
    #[must_use]
    pub fn follows_locks(&self) -> bool {
        self.capture == CaptureRule::LockedOnly && !self.energy_detection
    }
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
    Lost {
        /// Why.
        loss: Loss,
        /// Whether the radio learned that a frame began (PHY-RXSTART.indication of IEEE 802.11): one that is
        /// strong enough to decode did, after the radio itself had last transmitted. Otherwise there
        /// was only a carrier.
        begun: bool,
    },
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
    /// What they did to the receiver.
    pub episode: Episode,
    /// What is heard of the last frame that it was locked on.
    pub heard: Alone,
}

#[derive(Clone, Copy, Debug)]
struct Lock {
    arrival: Arrival,
    loss: Option<Loss>,
    /// [`Fate::Lost`], also of what was lost to it.
    begun: bool,
    overlapped: Option<u32>,
}

impl Lock {
    /// Both frames are lost and the receiver stays with the one that ends later. `begun`: of the newcomer
    /// alone.
    fn collide(&mut self, newcomer: &Arrival, begun: bool) -> Start {
        let already_lost = self.loss.is_some();
        self.begun |= begun;
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
            lock.begun = false;
        }
    }

    /// The first bit of a frame arrives. `outlasts` says whether the one of two frames is stronger
    /// than the other by the capture ratio; it is asked only if the frame meets another one.
    pub fn on_start(
        &mut self,
        arrival: &Arrival,
        mut outlasts: impl FnMut(&Arrival, &Arrival) -> bool,
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
                begun: loss.is_none(),
                overlapped: None,
            });
            return Start::Locked;
        };
        if self.rules.capture != CaptureRule::None {
            if outlasts(&lock.arrival, arrival) {
                lock.overlapped = Some(arrival.number());
                return Start::Ignored;
            }
            if self.rules.capture == CaptureRule::Strongest && outlasts(arrival, &lock.arrival) {
                self.next_end = arrival.end();
                *lock = Lock {
                    arrival: *arrival,
                    loss,
                    begun: loss.is_none(),
                    overlapped: Some(lock.arrival.number()),
                };
                return Start::TookOver;
            }
        }
        let collided = lock.collide(arrival, loss.is_none());
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
        mut outlasts: impl FnMut(&Arrival, &Arrival) -> bool,
    ) -> Option<Overlap> {
        if !self.rules.follows_locks() {
            return None;
        }
        let (first, later) = arrivals.split_first()?;
        let mut episode = Episode::new(*first, self.on_whole(first));
        let mut frames = 1;
        for late in later {
            if late.start >= episode.end() {
                break;
            }
            let outlasted = outlasts(episode.locked(), late);
            episode.meet(late, outlasted);
            frames += 1;
        }
        let heard = if episode.end() < self.transmitting_until {
            Alone::Unnoticed
        } else {
            episode.heard()
        };
        Some(Overlap {
            frames,
            episode,
            heard,
        })
    }

    /// What is in the air, on a medium that has been busy since `start`; `None` if it is quiet. For
    /// rules that follow locks ([`Rules::follows_locks`]).
    #[must_use]
    pub fn episode(&self, start: Instant) -> Option<Episode> {
        let lock = self.lock.as_ref()?;
        let heard = match lock.loss {
            None => Alone::Decoded,
            Some(Loss::TooWeak) => Alone::TooWeak,
            Some(Loss::Transmitting | Loss::Collision(_)) => Alone::Deaf,
        };
        Some(Episode::since(start, lock.arrival, heard))
    }

    /// Somebody else follows what is in the air: the receiver is quiet.
    pub fn hand_over(&mut self) {
        self.lock = None;
        self.next_end = Instant::NEVER;
    }

    /// The receiver, which is quiet, is left as these frames leave it whose end is to come.
    pub fn take_over(&mut self, episode: &Episode) {
        let arrival = *episode.locked();
        let loss = match episode.heard() {
            Alone::Decoded => None,
            Alone::TooWeak => Some(Loss::TooWeak),
            // Which frame spoiled it is asked for by nobody.
            Alone::Deaf | Alone::Unnoticed => Some(Loss::Transmitting),
        };
        self.next_end = arrival.end();
        self.lock = Some(Lock {
            arrival,
            loss,
            // Nor is that.
            begun: loss.is_none(),
            overlapped: None,
        });
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
            match lock.loss {
                Some(loss) => Fate::Lost {
                    loss,
                    begun: lock.begun,
                },
                None => Fate::Decoded {
                    overlapped: lock.overlapped,
                },
            }
        };
        Some((lock.arrival, fate))
    }
}

#[cfg(test)]
mod tests;
