//! The receiver of one radio: it locks on a frame, loses it or decodes it.
//!
//! Signals are compared in pairs, the locked frame with the newcomer; they are not added up, and
//! there is no noise (as in ns-2; the model page states the limits). The receiver decides nothing
//! about access: it says when the medium is busy and what became of each frame.
//!
//! Invariant: at most one frame is locked, and exactly one end is reported for each lock.

use acklab_base::Instant;
use acklab_wire::FrameHeader;

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

/// A frame as it arrives at one receiver.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrival {
    /// First bit.
    pub start: Instant,
    /// Last bit.
    pub end: Instant,
    /// Received power in watts.
    pub power_w: f64,
    /// Whether it is strong enough to decode.
    pub decodable: bool,
    /// Number of the frame in the run's record of frames.
    pub number: u32,
    /// When somebody at this receiver must know what became of it; [`Instant::NEVER`] if nobody
    /// need know. The receiver only carries it.
    pub settle_by: Instant,
    /// What the frame says.
    pub header: FrameHeader,
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
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Start {
    /// The receiver locked on it.
    Locked,
    /// The locked frame is stronger by the capture ratio; the newcomer is lost.
    Ignored,
    /// The newcomer took the receiver over; the frame that was locked is lost.
    TookOver(Arrival),
    /// Both are lost; the locked one before the newcomer is given, with whether it was already
    /// lost before.
    Collided {
        /// The frame that was locked.
        locked: Arrival,
        /// Whether something else had spoiled it before.
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

#[derive(Clone, Copy, Debug)]
struct Lock {
    arrival: Arrival,
    loss: Option<Loss>,
    overlapped: Option<u32>,
}

/// The receiver of one radio.
#[derive(Clone, Debug)]
pub struct Receiver {
    rules: Rules,
    lock: Option<Lock>,
    /// With energy detection: the end of the last audible signal.
    energy_until: Instant,
    transmitting_until: Instant,
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
        }
    }

    /// Whether the receiver finds the medium busy at `now`.
    #[must_use]
    pub fn is_busy(&self, now: Instant) -> bool {
        self.lock.is_some() || (self.rules.energy_detection && self.energy_until > now)
    }

    /// When [`Receiver::on_end`] is to be called next.
    #[must_use]
    pub fn next_end(&self) -> Instant {
        match &self.lock {
            Some(lock) => lock.arrival.end,
            None if self.energy_until == Instant::ZERO => Instant::NEVER,
            None => self.energy_until,
        }
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

    /// The first bit of a frame arrives.
    pub fn on_start(&mut self, arrival: &Arrival) -> Start {
        if self.rules.energy_detection {
            self.energy_until = self.energy_until.max(arrival.end);
        }
        let Some(lock) = self.lock else {
            self.lock = Some(self.fresh_lock(arrival));
            return Start::Locked;
        };
        let ratio = self.rules.capture_ratio;
        let stays = lock.arrival.power_w >= ratio * arrival.power_w;
        let takes = arrival.power_w >= ratio * lock.arrival.power_w;
        match self.rules.capture {
            CaptureRule::LockedOnly | CaptureRule::Strongest if stays => {
                self.lock = Some(Lock {
                    overlapped: Some(arrival.number),
                    ..lock
                });
                Start::Ignored
            }
            CaptureRule::Strongest if takes => {
                let overlapped = Some(lock.arrival.number);
                self.lock = Some(Lock {
                    overlapped,
                    ..self.fresh_lock(arrival)
                });
                Start::TookOver(lock.arrival)
            }
            _ => self.collide(lock, arrival),
        }
    }

    /// Whether nothing is locked and no energy is left in the air.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.lock.is_none() && self.energy_until == Instant::ZERO
    }

    /// A frame came and went while nothing else was in the air and the radio did not begin to
    /// transmit: [`Receiver::on_start`] and [`Receiver::on_end`] of a quiet receiver in one.
    #[must_use]
    pub fn on_whole(&self, arrival: &Arrival) -> Fate {
        if arrival.end < self.transmitting_until {
            Fate::Unnoticed
        } else {
            self.loss_at_start(arrival)
                .map_or(Fate::Decoded { overlapped: None }, Fate::Lost)
        }
    }

    fn fresh_lock(&self, arrival: &Arrival) -> Lock {
        Lock {
            arrival: *arrival,
            loss: self.loss_at_start(arrival),
            overlapped: None,
        }
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

    /// Both frames are lost and the receiver stays with the one that ends later.
    fn collide(&mut self, lock: Lock, newcomer: &Arrival) -> Start {
        let already_lost = lock.loss.is_some();
        let (arrival, other) = if newcomer.end > lock.arrival.end {
            (*newcomer, lock.arrival.number)
        } else {
            (lock.arrival, newcomer.number)
        };
        self.lock = Some(Lock {
            arrival,
            loss: Some(Loss::Collision(other)),
            overlapped: None,
        });
        Start::Collided {
            locked: lock.arrival,
            already_lost,
        }
    }

    /// The last bit of the locked frame has arrived, and what became of it; or the energy around
    /// it has faded (`None`). Call it at [`Receiver::next_end`].
    pub fn on_end(&mut self, now: Instant) -> Option<(Arrival, Fate)> {
        if self.energy_until <= now {
            self.energy_until = Instant::ZERO;
        }
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
mod tests {
    use super::*;
    use acklab_base::{Duration, NodeId};
    use acklab_wire::FrameKind;

    fn rules(capture: CaptureRule) -> Rules {
        Rules {
            capture,
            capture_ratio: 10.0,
            energy_detection: false,
        }
    }

    fn us(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    fn frame(number: u32, start: u64, end: u64, power_w: f64) -> Arrival {
        let header = FrameHeader {
            kind: FrameKind::Rts,
            retry: false,
            sequence: 0,
            to: NodeId(0),
            from: NodeId(number),
            duration: Duration::ZERO,
            bytes: 20,
            airtime: Duration::from_micros(end - start),
        };
        Arrival {
            start: us(start),
            end: us(end),
            power_w,
            decodable: power_w >= 1.0,
            number,
            settle_by: Instant::NEVER,
            header,
        }
    }

    /// Plays frames into a receiver in order of time and says which were decoded.
    fn decoded(capture: CaptureRule, frames: &[Arrival]) -> Vec<u32> {
        let mut receiver = Receiver::new(rules(capture));
        let mut good = Vec::new();
        let mut settle = |receiver: &mut Receiver, until: Instant| {
            while receiver.next_end() <= until {
                let now = receiver.next_end();
                if let Some((arrival, Fate::Decoded { .. })) = receiver.on_end(now) {
                    good.push(arrival.number);
                }
            }
        };
        for arrival in frames {
            settle(&mut receiver, arrival.start);
            receiver.on_start(arrival);
        }
        settle(&mut receiver, us(1_000_000));
        good
    }

    /// ```text
    /// 1 (16)  ==========
    /// 2 (1)      ==========     the locked frame is 12 dB stronger and survives
    /// ```
    #[test]
    fn a_strong_locked_frame_survives_a_weak_newcomer() {
        let frames = [frame(1, 0, 10, 16.0), frame(2, 3, 13, 1.0)];
        assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [1]);
        assert_eq!(decoded(CaptureRule::Strongest, &frames), [1]);
        assert_eq!(decoded(CaptureRule::None, &frames), [0_u32; 0]);
    }

    /// ```text
    /// 1 (1)   ==========
    /// 2 (16)     ==========     in ns-2 the stronger but later frame destroys both
    /// ```
    #[test]
    fn a_later_stronger_frame_destroys_both_unless_the_strongest_captures() {
        let frames = [frame(1, 0, 10, 1.0), frame(2, 3, 13, 16.0)];
        assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [0_u32; 0]);
        assert_eq!(decoded(CaptureRule::Strongest, &frames), [2]);
    }

    /// ```text
    /// 1  =====
    /// 2     ==========      the receiver stays busy to 13, so 3 is lost in the same pile
    /// 3            =====
    /// ```
    #[test]
    fn a_pile_lasts_until_its_latest_end() {
        let frames = [
            frame(1, 0, 5, 1.0),
            frame(2, 3, 13, 1.0),
            frame(3, 12, 17, 1.0),
        ];
        assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [0_u32; 0]);
        let apart = [
            frame(1, 0, 5, 1.0),
            frame(2, 3, 13, 1.0),
            frame(3, 13, 17, 1.0),
        ];
        assert_eq!(decoded(CaptureRule::LockedOnly, &apart), [3]);
    }

    #[test]
    fn sensed_frames_are_lost_but_occupy_the_receiver() {
        let mut receiver = Receiver::new(rules(CaptureRule::LockedOnly));
        let weak = frame(1, 0, 10, 0.1);
        assert_eq!(receiver.on_start(&weak), Start::Locked);
        assert!(receiver.is_busy(us(5)));
        assert_eq!(
            receiver.on_end(us(10)),
            Some((weak, Fate::Lost(Loss::TooWeak)))
        );
        assert!(!receiver.is_busy(us(10)));
    }

    #[test]
    fn a_transmitting_radio_loses_what_it_hears() {
        let mut receiver = Receiver::new(rules(CaptureRule::LockedOnly));
        receiver.on_transmit(us(5));
        let heard = frame(1, 3, 10, 1.0);
        receiver.on_start(&heard);
        let lost = Some((heard, Fate::Lost(Loss::Transmitting)));
        assert_eq!(receiver.on_end(us(10)), lost);
        receiver.on_start(&frame(2, 20, 30, 1.0));
        receiver.on_transmit(us(40));
        assert_eq!(
            receiver.on_end(us(30)),
            Some((frame(2, 20, 30, 1.0), Fate::Unnoticed))
        );
    }

    #[test]
    fn energy_keeps_the_medium_busy_after_the_locked_frame() {
        let mut receiver = Receiver::new(Rules {
            capture: CaptureRule::Strongest,
            capture_ratio: 10.0,
            energy_detection: true,
        });
        receiver.on_start(&frame(1, 0, 10, 16.0));
        assert_eq!(receiver.on_start(&frame(2, 5, 15, 1.0)), Start::Ignored);
        assert!(matches!(
            receiver.on_end(us(10)),
            Some((
                _,
                Fate::Decoded {
                    overlapped: Some(2)
                }
            ))
        ));
        assert!(receiver.is_busy(us(12)));
        assert_eq!(receiver.next_end(), us(15));
        assert_eq!(receiver.on_end(us(15)), None);
        assert!(!receiver.is_busy(us(15)));
        assert_eq!(receiver.next_end(), Instant::NEVER);
    }
}
