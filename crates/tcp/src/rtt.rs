//! Round-trip time estimation and the retransmission timeout with its back-off: RFC 6298, and the
//! fixed-point form in clock ticks of Jacobson 1988 that ns-2 uses.
//!
//! This is not the timer: it knows how long the timer should be, not whether it runs. Which
//! samples are valid (Karn's rule) is the sender's business. The invariant: the timeout is never
//! above the configured maximum and, unless that is smaller, never below the minimum.

use crate::config::{Estimator, RtoConfig};
use acklab_base::{Duration, Instant};

/// Bits right of the binary point of the smoothed round-trip time in ticks: the gain is 1/8.
const SRTT_BITS: u32 = 3;
/// The same for the mean deviation: the gain is 1/4.
const RTTVAR_BITS: u32 = 2;

/// What is known about the round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Estimate {
    /// Nothing: the next sample starts the average.
    None,
    /// Scaled ticks: 8 × srtt and 4 × rttvar, neither ever below 1.
    Ticks { srtt: u64, rttvar: u64 },
    /// Unscaled.
    Exact { srtt: Duration, rttvar: Duration },
}

/// The estimator and the back-off of one sender.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    config: RtoConfig,
    estimate: Estimate,
    /// The timeout as the last sample left it: neither limited nor backed off.
    base: Duration,
    /// A power of two.
    backoff: u32,
}

impl RttEstimator {
    /// An estimator that has seen no sample. Panics if the tick is zero.
    #[must_use]
    pub fn new(config: RtoConfig) -> Self {
        assert!(config.tick > Duration::ZERO, "the sender's clock must tick");
        Self {
            config,
            estimate: Estimate::None,
            base: config.initial,
            backoff: 1,
        }
    }

    /// Takes the round-trip time of a segment that was sent once, at `sent`, and ends the
    /// back-off (RFC 6298 §5: a new sample collapses the timeout).
    pub fn sample(&mut self, sent: Instant, now: Instant) {
        self.backoff = 1;
        match self.config.estimator {
            Estimator::Ticks => self.sample_ticks(sent, now),
            Estimator::Exact => self.sample_exact(now - sent),
            Estimator::Rounded => self.sample_rounded(now - sent),
        }
    }

    /// The clock is read in whole ticks at both ends, so a sample is the number of ticks that
    /// begin between them, and at least one.
    fn sample_ticks(&mut self, sent: Instant, now: Instant) {
        let ticks = |at: Instant| {
            (at + self.config.phase)
                .saturating_since(Instant::ZERO)
                .whole(self.config.tick)
        };
        let measured = (ticks(now) - ticks(sent)).max(1);
        let (srtt, rttvar) = match self.estimate {
            Estimate::Ticks { srtt, rttvar } => {
                let mean = srtt >> SRTT_BITS;
                let off = measured.abs_diff(mean);
                // srtt += measured − mean and rttvar += |measured − mean| − deviation, both
                // kept above zero.
                let srtt = (srtt + measured).saturating_sub(mean).max(1);
                let rttvar = (rttvar + off).saturating_sub(rttvar >> RTTVAR_BITS).max(1);
                (srtt, rttvar)
            }
            _ => (measured << SRTT_BITS, measured << (RTTVAR_BITS - 1)),
        };
        self.estimate = Estimate::Ticks { srtt, rttvar };
        // srtt + 4 × rttvar: the second is scaled by 4 already.
        self.base = self.config.tick * (rttvar + (srtt >> SRTT_BITS));
    }

    /// The nearest whole number of ticks is averaged; the timeout is a whole number again.
    fn sample_rounded(&mut self, measured: Duration) {
        let tick = self.config.tick;
        let ticks = (measured + tick / 2).whole(tick).max(1);
        let (srtt, rttvar) = self.average(tick * ticks);
        let wanted = srtt + rttvar * 4;
        let whole = wanted.whole(tick);
        self.base = tick * (whole + u64::from(tick * whole < wanted));
    }

    /// RFC 6298 §2.2 and §2.3, the deviation being updated before the mean.
    fn sample_exact(&mut self, measured: Duration) {
        let (srtt, rttvar) = self.average(measured);
        self.base = srtt + self.config.tick.max(rttvar * 4);
    }

    fn average(&mut self, measured: Duration) -> (Duration, Duration) {
        let (srtt, rttvar) = match self.estimate {
            Estimate::Exact { srtt, rttvar } => {
                let off = srtt.saturating_sub(measured) + measured.saturating_sub(srtt);
                ((srtt * 7 + measured) / 8, (rttvar * 3 + off) / 4)
            }
            _ => (measured, measured / 2),
        };
        self.estimate = Estimate::Exact { srtt, rttvar };
        (srtt, rttvar)
    }

    /// Doubles the timeout after it expired (RFC 6298 §5.5). The factor stops growing at 64 once
    /// the timeout is at its maximum.
    pub fn back_off(&mut self) {
        if self.backoff < 64 || self.rto() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        // So long a silence says that the old path is gone; the next sample starts the average
        // anew. The timeout stays as it is until then.
        if self
            .config
            .forget_above
            .is_some_and(|limit| self.backoff > limit)
        {
            self.estimate = Estimate::None;
        }
    }

    /// The SYN was lost: data starts with a timeout of its own if the configuration names one, and
    /// the SYN's was shorter (RFC 6298 §5.7). A longer one stays, backed off.
    pub fn restart_after_syn_loss(&mut self) {
        let shorter = |timeout: &Duration| self.base.max(self.config.min) < *timeout;
        if let Some(timeout) = self.config.after_syn_loss.filter(shorter) {
            self.base = timeout;
            self.backoff = 1;
        }
    }

    /// The timeout for a segment sent now: limited below, then backed off, then limited above.
    #[must_use]
    pub fn rto(&self) -> Duration {
        let base = self.base.max(self.config.min).as_nanos();
        Duration::from_nanos(base.saturating_mul(u64::from(self.backoff))).min(self.config.max)
    }

    /// The smoothed round-trip time, if there is one.
    #[must_use]
    pub fn srtt(&self) -> Option<Duration> {
        match self.estimate {
            Estimate::None => None,
            Estimate::Ticks { srtt, .. } => Some(self.config.tick * srtt / (1 << SRTT_BITS)),
            Estimate::Exact { srtt, .. } => Some(srtt),
        }
    }

    /// The factor by which the timeout is backed off.
    #[must_use]
    pub fn backoff(&self) -> u32 {
        self.backoff
    }
}
