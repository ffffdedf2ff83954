//! Congestion control: how large the window is. Not loss detection, not repair.
//!
//! A small trait and an enum with one arm for each family; delay-based and rate-based ones will
//! join as arms of their own. The invariant: the window is never below one segment outside a
//! recovery's own deflation.

mod loss;

pub(crate) use loss::LossBased;

/// How much was under way when a loss was detected, in segments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Load {
    /// The window that the sender used: min(cwnd + inflation, receiver window).
    pub(crate) window: f64,
    /// Sent and not acknowledged, without what Limited Transmit sent.
    pub(crate) flight: f64,
}

/// What a congestion control must answer to. Windows are in segments.
pub(crate) trait CongestionControl {
    /// The congestion window, without the artificial inflation of fast recovery.
    fn cwnd(&self) -> f64;
    /// The slow-start threshold.
    fn ssthresh(&self) -> f64;
    /// The handshake is over; data starts with this window.
    fn on_established(&mut self, initial_window: u32);
    /// An ACK for `acked` new segments outside fast recovery.
    fn on_ack(&mut self, acked: f64);
    /// Duplicate ACKs showed a loss; repair goes on at half speed, or from one segment on.
    fn on_fast_retransmit(&mut self, load: Load, to_one: bool);
    /// A partial ACK deflates the window by `segments`.
    fn deflate(&mut self, segments: f64);
    /// Fast recovery ends with this window.
    fn set_cwnd(&mut self, cwnd: f64);
    /// The retransmission timer expired; `repeated` if for the same segment as the last time.
    fn on_timeout(&mut self, load: Load, repeated: bool);
    /// Nothing was outstanding for a whole timeout; sending resumes with at most `limit`.
    fn on_idle(&mut self, limit: u32);
}

/// The congestion controls there are.
#[derive(Clone, Debug)]
pub(crate) enum Congestion {
    /// Tahoe, Reno, NewReno.
    Loss(LossBased),
}

impl Congestion {
    /// The arm as the trait.
    pub(crate) fn get(&self) -> &impl CongestionControl {
        let Self::Loss(control) = self;
        control
    }

    /// The arm as the trait, to change it.
    pub(crate) fn get_mut(&mut self) -> &mut impl CongestionControl {
        let Self::Loss(control) = self;
        control
    }
}
