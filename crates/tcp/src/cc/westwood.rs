//! What the path carries, as TCP Westwood estimates it from the ACKs that come back (Mascolo et al.
//! 2001, Grieco and Mascolo 2004).
//!
//! It measures; the window is set by [`super::LossBased`]. Only `+ − × ÷` touch the estimate. The
//! invariant: the estimate is never negative.

use crate::westwood::BandwidthFilter;
use acklab_base::{Duration, Instant};

/// In the original filter a silence counts as samples of zero, so many for a time constant.
const SILENT_SAMPLES: u64 = 2;
/// More zeros than this change nothing that could be measured.
const MOST_SILENT_SAMPLES: u64 = 64;

/// The estimator of one sender.
#[derive(Clone, Debug)]
pub(crate) struct Bandwidth {
    filter: BandwidthFilter,
    /// Segments a second.
    estimate: f64,
    /// The last sample, in segments a second.
    sample: f64,
    /// When the last sample ended, and segments acknowledged since ([`BandwidthFilter::Plus`]).
    since: Option<Instant>,
    delivered: f64,
    /// Segments that duplicate ACKs have told of already.
    accounted: f64,
    shortest: Option<Duration>,
    last_rtt: Duration,
}

fn seconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e9
}

impl Bandwidth {
    pub(crate) fn new(filter: BandwidthFilter) -> Self {
        Self {
            filter,
            estimate: 0.0,
            sample: 0.0,
            since: None,
            delivered: 0.0,
            accounted: 0.0,
            shortest: None,
            last_rtt: Duration::ZERO,
        }
    }

    /// A round-trip time was measured.
    pub(crate) fn on_rtt(&mut self, measured: Duration) {
        self.last_rtt = measured;
        self.shortest = Some(self.shortest.map_or(measured, |least| least.min(measured)));
    }

    /// An ACK came that advances by `segments`, none if it is a duplicate. A duplicate tells of one
    /// segment that arrived somewhere; the ACK that covers it counts it no more ("AckedCount").
    pub(crate) fn on_ack(&mut self, now: Instant, segments: f64) {
        let told = if segments <= 0.0 {
            self.accounted += 1.0;
            1.0
        } else if segments > 1.0 {
            let counted = self.accounted.min(segments);
            self.accounted -= counted;
            (segments - counted).max(1.0)
        } else {
            segments
        };
        match self.filter {
            BandwidthFilter::Original { tau } => self.filter_each(now, told, tau),
            BandwidthFilter::Plus => self.filter_round(now, told),
        }
    }

    /// b̂ₖ = αₖ b̂ₖ₋₁ + (1 − αₖ)(bₖ + bₖ₋₁) / 2 with αₖ = (2τ − Δₖ) / (2τ + Δₖ).
    fn filter_each(&mut self, now: Instant, segments: f64, tau: Duration) {
        let Some(mut since) = self.since.replace(now) else {
            return;
        };
        let silence = tau / SILENT_SAMPLES;
        let mut left = MOST_SILENT_SAMPLES;
        while now - since > silence && left > 0 {
            self.take(0.0, seconds(silence), seconds(tau));
            since += silence;
            left -= 1;
        }
        // ACKs of one instant are one sample.
        let span = now - since;
        self.delivered += segments;
        if span > Duration::ZERO {
            let sample = self.delivered / seconds(span);
            self.delivered = 0.0;
            self.take(sample, seconds(span), seconds(tau));
        }
    }

    fn take(&mut self, sample: f64, span: f64, tau: f64) {
        let keep = (2.0 * tau - span) / (2.0 * tau + span);
        self.estimate = keep * self.estimate + (1.0 - keep) * (sample + self.sample) / 2.0;
        self.sample = sample;
    }

    /// b̂ₖ = 0.9 b̂ₖ₋₁ + 0.1 dₖ / Δₖ, once in a round trip.
    fn filter_round(&mut self, now: Instant, segments: f64) {
        let Some(since) = self.since else {
            self.since = Some(now);
            return;
        };
        self.delivered += segments;
        let span = now - since;
        if span > Duration::ZERO && span >= self.last_rtt {
            let sample = self.delivered / seconds(span);
            let first = self.estimate <= 0.0;
            self.estimate = if first {
                sample
            } else {
                0.9 * self.estimate + 0.1 * sample
            };
            self.delivered = 0.0;
            self.since = Some(now);
        }
    }

    /// Segments a second; zero before anything is known.
    pub(crate) const fn estimate(&self) -> f64 {
        self.estimate
    }

    /// The window that fills the path without queues: estimate × shortest round trip, in segments.
    pub(crate) fn window(&self) -> Option<f64> {
        let shortest = self.shortest?;
        (self.estimate > 0.0).then(|| self.estimate * seconds(shortest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }

    /// One ACK in 10 ms: αₖ = 1990/2010; by hand the first two steps, and the fixed point of 100.
    #[test]
    fn the_original_filter_by_hand() {
        let tau = Duration::from_secs(1);
        let mut bandwidth = Bandwidth::new(BandwidthFilter::Original { tau });
        bandwidth.on_rtt(Duration::from_millis(50));
        bandwidth.on_ack(at(0), 1.0);
        assert_eq!(bandwidth.window(), None);
        bandwidth.on_ack(at(10), 1.0);
        let rest = 1.0 - 1990.0 / 2010.0;
        close(bandwidth.estimate, rest * 50.0);
        bandwidth.on_ack(at(20), 1.0);
        close(
            bandwidth.estimate,
            1990.0 / 2010.0 * rest * 50.0 + rest * 100.0,
        );
        for step in 3..3_000 {
            bandwidth.on_ack(at(10 * step), 1.0);
        }
        let window = bandwidth.window().expect("an estimate");
        assert!((window - 5.0).abs() < 1e-6, "{window}");
    }

    /// Silence lets the estimate fall: α = (2 − 0.5) / (2 + 0.5) = 0.6 for each half second.
    #[test]
    fn silence_counts_as_zero() {
        let tau = Duration::from_secs(1);
        let mut bandwidth = Bandwidth::new(BandwidthFilter::Original { tau });
        bandwidth.since = Some(at(0));
        bandwidth.estimate = 100.0;
        bandwidth.on_ack(at(1_001), 0.0);
        // Two zeros; then one segment in a millisecond.
        let rest = 1.0 - 1.999 / 2.001;
        close(
            bandwidth.estimate,
            1.999 / 2.001 * 36.0 + rest * 1_000.0 / 2.0,
        );
    }

    #[test]
    fn a_round_trip_is_a_sample_of_westwood_plus() {
        let mut bandwidth = Bandwidth::new(BandwidthFilter::Plus);
        bandwidth.on_rtt(Duration::from_millis(100));
        bandwidth.on_ack(at(0), 1.0);
        for step in 1..=10 {
            bandwidth.on_ack(at(10 * step), 1.0);
        }
        close(bandwidth.estimate, 100.0);
        for step in 11..=20 {
            bandwidth.on_ack(at(10 * step), 2.0);
        }
        close(bandwidth.estimate, 110.0);
        assert_eq!(bandwidth.window().map(|w| (w * 1e6).round()), Some(11e6));
    }

    /// Three duplicates and then an ACK of four: four segments in all, not seven.
    #[test]
    fn what_duplicates_told_is_not_counted_twice() {
        let mut bandwidth = Bandwidth::new(BandwidthFilter::Plus);
        bandwidth.on_rtt(Duration::from_secs(1));
        bandwidth.on_ack(at(0), 1.0);
        for ms in 1..=3 {
            bandwidth.on_ack(at(ms), 0.0);
        }
        bandwidth.on_ack(at(4), 4.0);
        close(bandwidth.delivered, 4.0);
    }
}
