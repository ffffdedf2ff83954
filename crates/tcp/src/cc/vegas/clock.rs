//! Vegas's fine-grained clock: when each segment left and how often, and how long an answer may
//! take (Brakmo and Peterson 1995 §III.A).
//!
//! It measures and compares; it sends nothing and knows no window. The invariant: a segment that
//! left more than once gives no sample (Karn).

use crate::vegas::{FineTimeout, Records};
use acklab_base::{Duration, Instant};

/// What is known about one segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// When it left last; `None` if cleared or never used.
    pub(crate) sent: Option<Instant>,
    /// How often it left.
    pub(crate) transmits: u32,
}

/// Records of the segments under way, by number, in a ring as large as the receiver's window.
///
/// A segment's number is its place in the stream in full segments, so short ones share a record
/// and give no sample.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    places: Box<[Record]>,
    rule: Records,
}

impl Ring {
    /// Room for `window` segments, which must not be zero.
    pub(crate) fn new(window: u32, rule: Records) -> Self {
        Self {
            places: vec![Record::default(); window as usize].into_boxed_slice(),
            rule,
        }
    }

    fn place(&self, number: u64) -> usize {
        (number % self.places.len() as u64) as usize
    }

    /// The record of segment `number`.
    pub(crate) fn get(&self, number: u64) -> Record {
        self.places[self.place(number)]
    }

    /// Segment `number` leaves.
    pub(crate) fn sent(&mut self, now: Instant, number: u64) {
        let place = self.place(number);
        self.places[place].sent = Some(now);
        self.places[place].transmits += 1;
    }

    /// Segments `from` up to, but not including, `to` are acknowledged.
    pub(crate) fn clear(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        let passes_the_end = self.place(from) > self.place(to - 1);
        if passes_the_end && self.rule == Records::KeptAtRingEnd {
            return;
        }
        // Beyond one round of the ring there is nothing more to clear.
        for number in from..to.min(from + self.places.len() as u64) {
            let place = self.place(number);
            self.places[place] = Record::default();
        }
    }
}

/// The smoothed round-trip time, its deviation and the timeout, in exact times.
#[derive(Clone, Debug)]
pub(crate) struct FineTimer {
    rule: FineTimeout,
    /// Eight times the mean, and the deviation in quarters.
    scaled: Option<(Duration, Duration)>,
    timeout: Duration,
}

impl FineTimer {
    /// Without a sample nothing is ever late.
    pub(crate) fn new(rule: FineTimeout) -> Self {
        Self {
            rule,
            scaled: None,
            timeout: Duration::MAX,
        }
    }

    /// The handshake took `measured`: a first idea.
    pub(crate) fn start(&mut self, measured: Duration) {
        self.scaled = Some((measured * 8, measured));
        self.timeout = measured + measured / 2;
    }

    /// A segment that left once was acknowledged after `measured` (Jacobson 1988, appendix A).
    pub(crate) fn sample(&mut self, measured: Duration) {
        let (mean8, deviation4) = match self.scaled {
            None => (measured * 8, measured * 2),
            Some((mean8, deviation4)) => {
                let mean = mean8 / 8;
                let off = measured.saturating_sub(mean) + mean.saturating_sub(measured);
                (
                    (mean8 + measured).saturating_sub(mean),
                    (deviation4 + off).saturating_sub(deviation4 / 4),
                )
            }
        };
        self.scaled = Some((mean8, deviation4));
        self.timeout = match self.rule {
            FineTimeout::Jacobson => mean8 / 8 + deviation4,
            FineTimeout::Tight => {
                let timeout = (mean8 / 4 + deviation4) / 2;
                timeout + timeout / 16
            }
        };
    }

    /// A loss: answers may take longer; twice as long if the segment had left before.
    pub(crate) fn back_off(&mut self, again: bool) {
        let now = self.timeout.as_nanos();
        let more = if again { now } else { now / 8 };
        self.timeout = Duration::from_nanos(now.saturating_add(more));
    }

    /// Whether a segment with this record should have been answered by `now`.
    pub(crate) fn is_late(&self, now: Instant, record: Record) -> bool {
        match record.sent {
            Some(sent) => self.timeout != Duration::MAX && now - sent >= self.timeout,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_range_past_the_rings_end_stays_in_ns2() {
        for (rule, left) in [(Records::Cleared, 0), (Records::KeptAtRingEnd, 1)] {
            let mut ring = Ring::new(4, rule);
            for number in 0..4 {
                ring.sent(at(number), number);
            }
            ring.clear(0, 3);
            assert_eq!(ring.get(0).transmits, 0);
            ring.sent(at(10), 4);
            // Numbers 3 and 4 lie in places 3 and 0.
            ring.clear(3, 5);
            assert_eq!(ring.get(7).transmits, left);
        }
    }

    #[test]
    fn the_timeout_by_both_rules() {
        let ms = Duration::from_millis;
        // 100 ms at first: mean 100, deviation 50; then 180 ms: mean 110, deviation 57.5.
        let mut fine = FineTimer::new(FineTimeout::Jacobson);
        assert!(!fine.is_late(
            at(1_000_000),
            Record {
                sent: Some(at(0)),
                transmits: 1
            }
        ));
        fine.sample(ms(100));
        assert_eq!(fine.timeout, ms(300));
        fine.sample(ms(180));
        assert_eq!(fine.timeout, ms(340));
        let mut fine = FineTimer::new(FineTimeout::Tight);
        fine.start(ms(160));
        assert_eq!(fine.timeout, ms(240));
        fine.sample(ms(160));
        // Deviation in quarters: 160 - 40 = 120; (320 + 120) / 2 = 220, and a sixteenth.
        assert_eq!(fine.timeout, Duration::from_micros(233_750));
        fine.back_off(true);
        assert_eq!(fine.timeout, Duration::from_micros(467_500));
    }
}
