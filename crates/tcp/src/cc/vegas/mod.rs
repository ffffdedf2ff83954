//! TCP Vegas: a window steered by the difference between the rate that it should give and the rate
//! that it gives (Brakmo and Peterson 1995 §III; ElRakabawy et al. 2005 §3.1).
//!
//! It sizes the window and knows which segments are late; it sends nothing (that is
//! `sender/vegas.rs`). What ns-2 does differently is in [`VegasConfig`]. The window is computed
//! with `+ − × ÷` and `floor` only. The invariant: the window changes by its own decision at most
//! once a round, apart from the growth in the rounds that are meant to grow.

mod clock;

use super::{CongestionControl, Load};
use crate::vegas::{
    self as config, BaseRtt, Decision, Deflation, Diff, Handshake, Increase, Rates, RoundTrip,
    VegasConfig,
};
use acklab_base::{Duration, Instant};
pub(crate) use clock::Record;
use clock::{FineTimer, Ring};

/// The window that congestion avoidance never goes below, in segments: with one alone there is no
/// difference to see.
const SMALLEST: f64 = 2.0;

/// What is known about the connection when an ACK has come, in stream offsets and segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// First offset that is not acknowledged now.
    pub(crate) una: u64,
    /// Offset to send next.
    pub(crate) next: u64,
    /// Bytes of a full segment.
    pub(crate) mss: u32,
    /// The receiver's window in segments.
    pub(crate) limit: f64,
}

impl View {
    /// Segments from `offset` to what is sent next.
    fn since(&self, offset: u64) -> f64 {
        self.next.saturating_sub(offset) as f64 / f64::from(self.mss)
    }

    /// What is under way as ns-2 counts it: with the segment that this ACK will let go.
    fn under_way(&self) -> f64 {
        self.since(self.una) + 1.0
    }
}

/// The time between a segment and its ACK.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Offset of the segment whose ACK ends it.
    begin: u64,
    /// When the last one ended.
    since: Instant,
    /// Sum and number of the round-trip times measured since.
    sum: Duration,
    samples: u64,
}

/// The window of Vegas, and its fine-grained clock.
#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    config: VegasConfig,
    cwnd: f64,
    ssthresh: f64,
    base_rtt: Option<Duration>,
    ring: Ring,
    fine: FineTimer,
    round: Round,
    /// Slow start: whether this round grows; every other one does.
    grows: bool,
    /// What each ACK of this round adds.
    increment: f64,
    opened: Option<Instant>,
    /// When the window was last cut, or everything left again.
    last_cut: Option<Instant>,
    /// The window that the last cut left.
    left_by_cut: f64,
}

impl Vegas {
    /// A window of one segment, for the SYN.
    pub(crate) fn new(config: VegasConfig, ssthresh: u32, receiver_window: u32) -> Self {
        Self {
            config,
            cwnd: 1.0,
            ssthresh: f64::from(ssthresh),
            base_rtt: None,
            ring: Ring::new(receiver_window, config.records),
            fine: FineTimer::new(config.fine_timeout),
            round: Round {
                begin: 1,
                since: Instant::ZERO,
                sum: Duration::ZERO,
                samples: 0,
            },
            grows: false,
            increment: 0.0,
            opened: None,
            last_cut: None,
            left_by_cut: 0.0,
        }
    }

    /// Segment `number` leaves; the SYN is number 0.
    pub(crate) fn on_sent(&mut self, now: Instant, number: u64) {
        self.opened.get_or_insert(now);
        self.ring.sent(now, number);
    }

    /// The record of segment `number`, and whether its answer is overdue.
    pub(crate) fn look_at(&self, now: Instant, number: u64) -> (Record, bool) {
        let record = self.ring.get(number);
        (record, self.fine.is_late(now, record))
    }

    /// The SYN is answered.
    pub(crate) fn on_handshake(&mut self, now: Instant) {
        self.ring.clear(0, 1);
        self.round.since = now;
        if self.config.handshake == Handshake::Sampled {
            let measured = now - self.opened.unwrap_or(now);
            self.base_rtt = Some(measured);
            self.fine.start(measured);
        }
    }

    /// The first data is answered: the window for the next flight.
    pub(crate) fn open(&mut self, initial_window: u32) {
        self.cwnd = f64::from(initial_window);
    }

    /// A new ACK came after `dupacks` duplicates that inflated the window by `inflation`.
    pub(crate) fn deflate(&mut self, inflation: f64, more_than_threshold: bool) {
        if self.config.deflation == Deflation::Whole {
            return;
        }
        let inflated = self.cwnd + inflation;
        if more_than_threshold && inflated > self.left_by_cut {
            self.cwnd = self.left_by_cut;
            self.ssthresh = SMALLEST;
        } else {
            self.cwnd = inflated;
        }
    }

    /// Segments `from` up to, but not including, `to` are acknowledged for the first time; the
    /// ACK measures the last of them.
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        from: u64,
        to: u64,
        view: View,
    ) -> Option<Decision> {
        let record = self.ring.get(to.saturating_sub(1));
        let sample = match record.sent {
            Some(sent) if record.transmits == 1 => Some(now - sent),
            _ => None,
        };
        let decision = if view.una > self.round.begin {
            self.end_round(now, sample, view)
        } else {
            None
        };
        self.grow(view);
        self.ring.clear(from, to);
        if let Some(measured) = sample {
            self.round.sum += measured;
            self.round.samples += 1;
            self.base_rtt = Some(self.base_rtt.map_or(measured, |base| base.min(measured)));
            self.fine.sample(measured);
        }
        decision
    }

    /// Once a round-trip time: is too much under way, or too little?
    fn end_round(
        &mut self,
        now: Instant,
        sample: Option<Duration>,
        view: View,
    ) -> Option<Decision> {
        let measured = match self.config.round_trip {
            RoundTrip::Latest => sample,
            RoundTrip::Mean if self.round.samples > 0 => Some(self.round.sum / self.round.samples),
            RoundTrip::Mean => Some(now - self.round.since),
        };
        let mut decision = None;
        if let Some(rtt) = measured.filter(|rtt| *rtt > Duration::ZERO) {
            let diff = self.difference(rtt, view);
            decision = self.decide(diff);
        }
        self.begin_round(now, view.next);
        decision
    }

    /// A closed window opened, and sending goes on from `una`. The window of before stays, also
    /// where many duplicates of what leaves again would let it fall to what the last cut left.
    pub(crate) fn resume(&mut self, now: Instant, una: u64) {
        self.left_by_cut = self.cwnd;
        self.begin_round(now, una);
    }

    /// A new round, which the ACK of the segment at `begin` will end.
    fn begin_round(&mut self, now: Instant, begin: u64) {
        self.round = Round {
            begin,
            since: now,
            sum: Duration::ZERO,
            samples: 0,
        };
    }

    /// Segments `from` up to, but not including, `to` are acknowledged, too late to measure.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        self.ring.clear(from, to);
    }

    /// (expected − actual) × baseRTT, in segments.
    fn difference(&mut self, rtt: Duration, view: View) -> f64 {
        let sent = view.since(self.round.begin);
        let alone = sent <= 1.0 && self.config.base_rtt == BaseRtt::ReplacedWhenAlone;
        let base = match self.base_rtt {
            Some(base) if base <= rtt && !alone => base,
            _ => rtt,
        };
        self.base_rtt = Some(base);
        let share = base.as_nanos() as f64 / rtt.as_nanos() as f64;
        let diff = match self.config.rates {
            Rates::Window => {
                let window = self.cwnd.min(view.limit);
                window - window * share
            }
            Rates::InFlight => view.under_way() - sent * share,
        };
        match self.config.diff {
            Diff::Real => diff,
            // Towards zero, after adding a half.
            Diff::Rounded if diff + 0.5 >= 0.0 => (diff + 0.5).floor(),
            Diff::Rounded => -(-(diff + 0.5)).floor(),
        }
    }

    /// What becomes of the window, said where congestion avoidance decides.
    fn decide(&mut self, diff: f64) -> Option<Decision> {
        self.increment = 0.0;
        if self.cwnd < self.ssthresh {
            // Slow start grows every other round; after one that did not, the rates can be
            // compared (Brakmo and Peterson 1995 §III.C).
            self.grows = !self.grows;
            if self.grows && diff > self.config.gamma {
                self.ssthresh = SMALLEST;
                self.cwnd = (self.cwnd - self.cwnd / 8.0).max(SMALLEST);
            } else if self.grows {
                self.increment = 1.0;
            }
            None
        } else if diff > self.config.beta {
            self.cwnd = (self.cwnd - 1.0).max(SMALLEST);
            Some(Decision::Shrink)
        } else if diff < self.config.alpha {
            match self.config.increase {
                Increase::PerRound => self.cwnd += 1.0,
                Increase::PerAck => self.increment = 1.0 / self.cwnd,
            }
            Some(Decision::Grow)
        } else {
            Some(Decision::Hold)
        }
    }

    /// What this ACK adds to the window.
    fn grow(&mut self, view: View) {
        if self.increment >= 1.0 && self.cwnd >= self.ssthresh {
            // Slow start is over; congestion avoidance decides when the round is.
            self.increment = 0.0;
        }
        let used = match self.config.increase {
            Increase::PerRound => true,
            Increase::PerAck => self.cwnd - view.under_way() <= 2.0,
        };
        if used {
            self.cwnd += self.increment;
        }
    }

    /// A loss was found and the segment with this record will leave again. The window, inflated
    /// to `window`, is cut only for a loss at the present rate, that is if the segment left after
    /// the last cut (Brakmo and Peterson 1995 §III.A): by a quarter, by half if it had left more
    /// than once. Whether it was cut.
    pub(crate) fn on_loss(&mut self, now: Instant, record: Record, window: f64) -> bool {
        let again = record.transmits > 1;
        self.fine.back_off(again);
        if record.sent.is_none_or(|sent| self.last_cut >= Some(sent)) {
            return false;
        }
        let window = window.floor();
        self.cwnd = if window <= 3.0 {
            SMALLEST
        } else if again {
            (window / 2.0).floor()
        } else {
            window - (window / 4.0).floor()
        };
        self.left_by_cut = self.cwnd;
        self.last_cut = Some(now);
        if self.config.deflation == Deflation::Whole {
            // Repair goes on without slow start.
            self.ssthresh = SMALLEST;
        }
        true
    }

    /// The retransmission timer went off: everything from `una` on leaves again.
    pub(crate) fn restart(&mut self, now: Instant, una: u64) {
        self.left_by_cut = 0.0;
        self.last_cut = Some(now);
        if self.config.new_round_after_timeout {
            self.grows = false;
            self.increment = 0.0;
            self.begin_round(now, una);
        }
    }
}

impl CongestionControl for Vegas {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_established(&mut self, initial_window: u32) {
        self.cwnd = match self.config.first_flight {
            config::FirstFlight::InitialWindow => f64::from(initial_window),
            config::FirstFlight::OneSegment => 1.0,
        };
    }

    fn on_timeout(&mut self, load: Load, _repeated: bool) {
        self.ssthresh = (load.window / 2.0).floor().max(SMALLEST);
        self.cwnd = f64::from(self.config.after_timeout);
    }

    fn on_idle(&mut self, limit: u32) {
        self.cwnd = self.cwnd.min(f64::from(limit));
    }
}
