//! The backoff timer: a lead of one inter-frame space, then whole slots, frozen while the medium
//! is busy (IEEE 802.11-1999 clause 9.2.5.2).

use acklab_base::{Duration, Instant};

/// The backoff of a station. Slots are counted from the station's own idle instant, not from a
/// grid that all stations share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Backoff {
    /// No backoff pending.
    None,
    /// Frozen with `slots` to go.
    Frozen { slots: u32 },
    /// Deferring until the instant, whatever the medium does ([`super::Access::Deferral`]).
    Deferring { until: Instant },
    /// No backoff: the medium has to stay idle until the instant, else one is drawn
    /// ([`super::Access::Immediate`]).
    Immediate { at: Instant },
    /// Counting: `slots` whole slots from `counting` on, which is the end of the lead.
    Running { counting: Instant, slots: u32 },
}

impl Backoff {
    /// When it expires if nothing freezes it.
    pub(super) fn expiry(self, slot: Duration) -> Instant {
        match self {
            Self::Running { counting, slots } => counting.after(slot * u64::from(slots)),
            Self::Deferring { until: at } | Self::Immediate { at } => at,
            _ => Instant::NEVER,
        }
    }

    /// Whether the medium becomes busy at `now` too soon for an access without a backoff.
    pub(super) fn comes_to_nothing(self, now: Instant, cca_delay: Duration) -> bool {
        matches!(self, Self::Immediate { at } if at.saturating_since(now) > cca_delay)
    }

    /// The medium became busy at `now`. With a CCA delay, a busy edge so shortly before a slot's
    /// end counts as after it, and an expiry so near can no longer be stopped.
    pub(super) fn freeze(&mut self, now: Instant, slot: Duration, cca_delay: Duration) {
        let Self::Running { counting, slots } = *self else {
            return;
        };
        if cca_delay > Duration::ZERO && self.expiry(slot) <= now + cca_delay {
            return;
        }
        let slots = slots - counted(now.after(cca_delay).saturating_since(counting), slot, slots);
        *self = Self::Frozen { slots };
    }

    /// The medium became idle: counting starts after `lead`.
    pub(super) fn resume(&mut self, now: Instant, lead: Duration) {
        if let Self::Frozen { slots } = *self {
            *self = Self::Running {
                counting: now.after(lead),
                slots,
            };
        }
    }
}

/// Whole slots, `most` at the most, that have been counted after so long. Often it is none, which
/// takes no division.
#[inline]
pub(super) fn counted(long: Duration, slot: Duration, most: u32) -> u32 {
    if long < slot {
        0
    } else {
        (long.whole(slot) as u32).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Duration = Duration::from_micros(20);

    fn us(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    /// ```text
    /// idle at 0   DIFS 50   slot 1   slot 2   slot 3 ...
    ///             |         70       90       110
    ///                                    ^ busy at 95: two slots are counted
    /// ```
    #[test]
    fn whole_slots_count_and_the_rest_is_lost() {
        let mut backoff = Backoff::Frozen { slots: 5 };
        backoff.resume(us(0), Duration::from_micros(50));
        assert_eq!(backoff.expiry(SLOT), us(150));
        backoff.freeze(us(95), SLOT, Duration::ZERO);
        assert_eq!(backoff, Backoff::Frozen { slots: 3 });
    }

    #[test]
    fn nothing_is_counted_during_the_lead() {
        let mut backoff = Backoff::Frozen { slots: 5 };
        backoff.resume(us(0), Duration::from_micros(50));
        backoff.freeze(us(49), SLOT, Duration::ZERO);
        assert_eq!(backoff, Backoff::Frozen { slots: 5 });
    }

    #[test]
    fn an_expiry_within_the_cca_delay_cannot_be_stopped() {
        let mut backoff = Backoff::Running {
            counting: us(0),
            slots: 2,
        };
        backoff.freeze(us(30), SLOT, Duration::from_micros(15));
        assert_eq!(
            backoff,
            Backoff::Running {
                counting: us(0),
                slots: 2
            }
        );
        backoff.freeze(us(24), SLOT, Duration::from_micros(15));
        assert_eq!(backoff, Backoff::Frozen { slots: 1 });
    }
}
