//! Dynamic delayed ACK: the number of segments for one ACK grows with the packet number
//! (Altman and Jiménez 2003 §4.3; ElRakabawy et al. 2005 with the first threshold meant otherwise).

use super::{AckPolicy, AckReason, Arrival, Decision, DelayTimer};
use acklab_base::Duration;

/// How packets are numbered and what a threshold means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// The SYN is packet 0, and d grows at the threshold: d = 1 for N < l1 (Altman and Jiménez).
    Altman2003,
    /// The first data segment is packet 0, and d grows at the threshold.
    DataIsZero,
    /// The SYN is packet 0, and d grows behind the first threshold, at the others (ElRakabawy et
    /// al. 2005 §3.2: d = 1 for n ≤ S1, 3 from S2 on, 4 from S3 on).
    ElRakabawy2005,
}

/// Acknowledges 1, 2, 3 or 4 segments at once by the packet number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dynamic {
    thresholds: [u32; 3],
    interval: Duration,
    timer: DelayTimer,
    numbering: Numbering,
}

impl Dynamic {
    /// Panics if the thresholds fall.
    #[must_use]
    pub fn new(
        thresholds: [u32; 3],
        interval: Duration,
        timer: DelayTimer,
        numbering: Numbering,
    ) -> Self {
        assert!(thresholds.is_sorted(), "thresholds {thresholds:?} fall");
        Self {
            thresholds,
            interval,
            timer,
            numbering,
        }
    }

    /// d for packet `number`, the SYN being 0.
    #[must_use]
    pub fn count_at(&self, number: u64) -> u32 {
        let passed = |&(index, threshold): &(usize, &u32)| {
            let threshold = u64::from(*threshold);
            match self.numbering {
                Numbering::Altman2003 => number >= threshold,
                Numbering::DataIsZero => number.saturating_sub(1) >= threshold,
                Numbering::ElRakabawy2005 if index == 0 => number > threshold,
                Numbering::ElRakabawy2005 => number >= threshold,
            }
        };
        1 + self.thresholds.iter().enumerate().filter(passed).count() as u32
    }
}

impl AckPolicy for Dynamic {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.waiting >= self.count_at(arrival.number) {
            Decision::Now(AckReason::Count)
        } else {
            Decision::Wait {
                interval: self.interval,
                timer: self.timer,
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(numbering: Numbering) -> Dynamic {
        Dynamic::new(
            [2, 5, 9],
            Duration::from_millis(100),
            DelayTimer::EveryWaiting,
            numbering,
        )
    }

    #[test]
    fn altman_counts_the_syn_as_packet_0() {
        let counts: Vec<u32> = (0..=10)
            .map(|n| policy(Numbering::Altman2003).count_at(n))
            .collect();
        assert_eq!(counts, [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
    }

    #[test]
    fn the_other_definitions_differ_in_few_packets() {
        let counts: Vec<u32> = (1..=11)
            .map(|n| policy(Numbering::DataIsZero).count_at(n))
            .collect();
        assert_eq!(counts, [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
        let counts: Vec<u32> = (0..=10)
            .map(|n| policy(Numbering::ElRakabawy2005).count_at(n))
            .collect();
        assert_eq!(counts, [1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4]);
    }
}
