//! Delayed Dupacks (Vaidya et al. 1999 §5): the third duplicate ACK of a gap and those behind it
//! are held for d, so that a link that delivers out of order has time to repair the gap.
//!
//! Not an [`super::AckPolicy`]: it has one timer for all of a gap, may learn d from the link below and
//! pace what it lets go; in-order segments are acknowledged one by one, as the paper does. (One with a
//! fixed d can be written as a policy: a test in Python does, and puts the same frames on the air.)
//! Each held duplicate ACK says the same, so only their number is kept. The invariant: whatever is
//! held leaves within d of the first one (and one spacing for each before it, if paced), or is
//! thrown away because the gap was filled.

use acklab_base::{Duration, Instant};

/// Consecutive out-of-order segments that are answered at once (§5: "the first two").
const AT_ONCE: u32 = 2;

/// How long duplicate ACKs are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DupackDelay {
    /// Always this long; zero holds nothing.
    Fixed(Duration),
    /// As long as the link below lately took to repair a loss (§7 leaves the choice of d open).
    Adaptive(AdaptiveDelay),
}

/// Parameters of an adaptive d: mean + 4 × mean deviation of the link's own retransmission times,
/// with the gains of RFC 6298 §2.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdaptiveDelay {
    /// d before the link has reported anything.
    pub initial: Duration,
    /// The shortest d.
    pub min: Duration,
    /// The longest d.
    pub max: Duration,
}

/// How duplicate ACKs leave when d has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// All of them (§5).
    AtOnce,
    /// One for each interval, the first at once (§5 names it for large bursts).
    Paced(Duration),
}

/// What becomes of the answer to an out-of-order segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It leaves now.
    Now,
    /// It is held.
    Held,
}

/// What is held, and until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// No gap, or too few segments behind it.
    Counting { consecutive: u32 },
    /// d runs from the first held one on.
    Holding { held: u32, deadline: Instant },
    /// d has passed; `held` more leave one by one, the next at `deadline`.
    Releasing { held: u32, deadline: Instant },
    /// d has passed: everything of this gap is answered at once.
    Released,
}

/// Duplicate ACKs that wait.
#[derive(Clone, Debug)]
pub(crate) struct DupackHold {
    delay: DupackDelay,
    release: Release,
    /// Mean and mean deviation of the link's retransmission times.
    link: Option<(Duration, Duration)>,
    state: State,
}

impl DupackHold {
    pub(crate) fn new(delay: DupackDelay, release: Release) -> Self {
        Self {
            delay,
            release,
            link: None,
            state: State::Counting { consecutive: 0 },
        }
    }

    /// d for a gap that is found now.
    pub(crate) fn delay(&self) -> Duration {
        match (self.delay, self.link) {
            (DupackDelay::Fixed(delay), _) => delay,
            (DupackDelay::Adaptive(bounds), None) => bounds.initial,
            (DupackDelay::Adaptive(bounds), Some((mean, deviation))) => {
                (mean + deviation * 4).max(bounds.min).min(bounds.max)
            }
        }
    }

    /// The link took `measured` from the loss of a frame to its delivery.
    pub(crate) fn on_link_retransmission_time(&mut self, measured: Duration) {
        self.link = Some(match self.link {
            None => (measured, measured / 2),
            Some((mean, deviation)) => {
                let off = mean.saturating_sub(measured) + measured.saturating_sub(mean);
                ((mean * 7 + measured) / 8, (deviation * 3 + off) / 4)
            }
        });
    }

    /// A segment came whose data lies beyond the next expected.
    pub(crate) fn on_out_of_order(&mut self, now: Instant) -> Verdict {
        match &mut self.state {
            State::Counting { consecutive } if *consecutive < AT_ONCE => {
                *consecutive += 1;
                Verdict::Now
            }
            State::Counting { .. } => {
                let delay = self.delay();
                if delay == Duration::ZERO {
                    return Verdict::Now;
                }
                self.state = State::Holding {
                    held: 1,
                    deadline: now + delay,
                };
                Verdict::Held
            }
            State::Holding { held, .. } | State::Releasing { held, .. } => {
                *held += 1;
                Verdict::Held
            }
            State::Released => Verdict::Now,
        }
    }

    /// The next expected segment came. Returns how many duplicate ACKs are thrown away.
    pub(crate) fn on_in_sequence(&mut self) -> u32 {
        let held = match self.state {
            State::Holding { held, .. } | State::Releasing { held, .. } => held,
            State::Counting { .. } | State::Released => 0,
        };
        self.state = State::Counting { consecutive: 0 };
        held
    }

    /// How many duplicate ACKs leave now. None before [`DupackHold::deadline`].
    pub(crate) fn due(&mut self, now: Instant) -> u32 {
        let (State::Holding { held, deadline } | State::Releasing { held, deadline }) = self.state
        else {
            return 0;
        };
        if now < deadline {
            return 0;
        }
        let leaving = match self.release {
            Release::AtOnce => held,
            Release::Paced(_) => 1,
        };
        self.state = match self.release {
            Release::Paced(spacing) if held > leaving => State::Releasing {
                held: held - leaving,
                deadline: now + spacing,
            },
            _ => State::Released,
        };
        leaving
    }

    pub(crate) fn deadline(&self) -> Instant {
        match self.state {
            State::Holding { deadline, .. } | State::Releasing { deadline, .. } => deadline,
            State::Counting { .. } | State::Released => Instant::NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// RFC 6298 §2.2 and §2.3 by hand: 40 ms, then 56 ms.
    #[test]
    fn an_adaptive_delay_is_the_mean_and_four_deviations_of_the_link() {
        let bounds = AdaptiveDelay {
            initial: ms(80),
            min: ms(10),
            max: ms(110),
        };
        let mut hold = DupackHold::new(DupackDelay::Adaptive(bounds), Release::AtOnce);
        assert_eq!(hold.delay(), ms(80));
        hold.on_link_retransmission_time(ms(40));
        // 40 + 4 × 20 = 120, above the longest.
        assert_eq!(hold.delay(), ms(110));
        hold.on_link_retransmission_time(ms(56));
        // Mean 42, deviation (3 × 20 + 16) / 4 = 19: 118, still above; then it converges.
        assert_eq!(hold.link, Some((ms(42), ms(19))));
        for _ in 0..60 {
            hold.on_link_retransmission_time(ms(42));
        }
        assert!(hold.delay() < ms(43), "{:?}", hold.delay());
        for _ in 0..200 {
            hold.on_link_retransmission_time(Duration::ZERO);
        }
        assert_eq!(hold.delay(), ms(10));
    }
}
