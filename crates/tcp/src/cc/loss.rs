//! Slow start, congestion avoidance and the cut on a loss (RFC 5681 §3.1, equations 2 to 4), with
//! ns-2's choices beside the standard's.
//!
//! Only `+ − × ÷` and `floor` touch the window, so it is the same on every platform.

use super::{Bandwidth, CongestionControl, Load};
use crate::config::{Cut, Growth};

/// The loss-based window of Tahoe, Reno and NewReno.
#[derive(Clone, Debug)]
pub(crate) struct LossBased {
    growth: Growth,
    cut: Cut,
    cwnd: f64,
    ssthresh: f64,
    /// Segments acknowledged in congestion avoidance since the window last grew
    /// ([`Growth::Bytes`]).
    credit: f64,
    /// Westwood's estimate of the path, if a loss asks that instead of halving. Boxed: most senders have none.
    bandwidth: Option<Box<Bandwidth>>,
}

impl LossBased {
    /// A window of one segment, for the SYN.
    pub(crate) fn new(growth: Growth, cut: Cut, ssthresh: u32) -> Self {
        Self {
            growth,
            cut,
            cwnd: 1.0,
            ssthresh: f64::from(ssthresh),
            credit: 0.0,
            bandwidth: None,
        }
    }

    /// The same with Westwood's answer to losses.
    pub(crate) fn with_bandwidth(mut self, bandwidth: Bandwidth) -> Self {
        self.bandwidth = Some(Box::new(bandwidth));
        self
    }

    /// The estimator, if there is one.
    pub(crate) fn bandwidth(&self) -> Option<&Bandwidth> {
        self.bandwidth.as_deref()
    }

    /// The same, to tell it something.
    pub(crate) fn bandwidth_mut(&mut self) -> Option<&mut Bandwidth> {
        self.bandwidth.as_deref_mut()
    }

    /// Sets the threshold after a loss and returns the window that fast recovery goes on with.
    fn halve(&mut self, load: Load) -> f64 {
        self.credit = 0.0;
        // Mascolo et al. 2001: the threshold is what the path carries; a window below it stays.
        if let Some(window) = self.bandwidth().and_then(Bandwidth::window) {
            self.ssthresh = window.max(2.0);
            return self.cwnd.min(self.ssthresh);
        }
        match self.cut {
            Cut::Window { fractional } => {
                let window = if fractional {
                    load.window
                } else {
                    load.window.floor()
                };
                let half = window / 2.0;
                self.ssthresh = half.floor().max(2.0);
                if fractional { half } else { half.floor() }
            }
            Cut::Threshold => {
                self.ssthresh = (load.window.floor() / 2.0).floor().max(2.0);
                self.ssthresh
            }
            Cut::FlightSize => {
                self.ssthresh = (load.flight / 2.0).max(2.0);
                self.ssthresh
            }
        }
    }

    /// An ACK for `acked` new segments outside fast recovery.
    pub(crate) fn on_ack(&mut self, acked: f64) {
        let slow_start = self.cwnd < self.ssthresh;
        match self.growth {
            Growth::PerAck => self.cwnd += if slow_start { 1.0 } else { 1.0 / self.cwnd },
            Growth::Bytes if slow_start => self.cwnd += acked.min(1.0),
            Growth::Bytes => {
                self.credit += acked;
                if self.credit >= self.cwnd {
                    self.credit -= self.cwnd;
                    self.cwnd += 1.0;
                }
            }
        }
    }

    /// Duplicate ACKs showed a loss; repair goes on at half speed, or from one segment on.
    pub(crate) fn on_fast_retransmit(&mut self, load: Load, to_one: bool) {
        let half = self.halve(load);
        self.cwnd = if to_one { 1.0 } else { half };
    }

    /// A partial ACK deflates the window by `segments`.
    pub(crate) fn deflate(&mut self, segments: f64) {
        self.cwnd = (self.cwnd - segments).max(1.0);
    }

    /// Fast recovery ends with this window.
    pub(crate) fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }
}

impl CongestionControl for LossBased {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_established(&mut self, initial_window: u32) {
        self.cwnd = f64::from(initial_window);
    }

    fn on_timeout(&mut self, load: Load, repeated: bool) {
        // RFC 5681 §3.1: the threshold is held when the same segment times out again.
        if !(repeated && self.cut == Cut::FlightSize) {
            self.halve(load);
        }
        self.cwnd = 1.0;
    }

    fn on_idle(&mut self, limit: u32) {
        // What was acknowledged in the old window is no part of a round trip of the new one.
        self.credit = 0.0;
        self.cwnd = self.cwnd.min(f64::from(limit));
    }
}
