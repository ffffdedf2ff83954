//! Congestion control: how large the window is. Not loss detection, not repair.
//!
//! A small trait and an enum with one arm for each family: by losses, by delay. What only one
//! family knows is its own method. The invariant: the window is never below one segment outside a
//! recovery's own deflation.

mod loss;
pub(crate) mod vegas;
mod westwood;

pub(crate) use loss::LossBased;
pub(crate) use vegas::Vegas;
pub(crate) use westwood::Bandwidth;

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
    /// Vegas, which remembers more.
    Vegas(Box<Vegas>),
}

impl Congestion {
    /// The congestion window: asked for at every step, so not through the trait.
    #[inline]
    pub(crate) fn cwnd(&self) -> f64 {
        match self {
            Self::Loss(control) => control.cwnd(),
            Self::Vegas(control) => control.cwnd(),
        }
    }

    /// The slow-start threshold.
    #[inline]
    pub(crate) fn ssthresh(&self) -> f64 {
        match self {
            Self::Loss(control) => control.ssthresh(),
            Self::Vegas(control) => control.ssthresh(),
        }
    }

    /// The arm as the trait, to change it.
    pub(crate) fn get_mut(&mut self) -> &mut dyn CongestionControl {
        match self {
            Self::Loss(control) => control,
            Self::Vegas(control) => control.as_mut(),
        }
    }

    /// What the path carries as the control estimates it, in segments a second, if it does.
    pub(crate) fn bandwidth(&self) -> Option<f64> {
        match self {
            Self::Loss(control) => control.bandwidth().map(Bandwidth::estimate),
            Self::Vegas(_) => None,
        }
    }

    /// The window by losses, if it is one.
    pub(crate) fn loss_mut(&mut self) -> Option<&mut LossBased> {
        match self {
            Self::Loss(control) => Some(control),
            Self::Vegas(_) => None,
        }
    }

    /// Vegas, if it is that.
    pub(crate) fn vegas_mut(&mut self) -> Option<&mut Vegas> {
        match self {
            Self::Loss(_) => None,
            Self::Vegas(control) => Some(control),
        }
    }
}
