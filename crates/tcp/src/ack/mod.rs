//! Acknowledgement policies: how long a segment may wait for its ACK.
//!
//! A policy is asked about each in-order segment that leaves no gap; the receiver acknowledges
//! everything else at once (RFC 5681 §4.2), unless the policy holds that too ([`Disorder`]), keeps
//! the count of waiting segments and the timer, and clears both whenever an ACK leaves. One file a
//! policy; Delayed Dupacks, which looks at what is beyond a gap alone, stands beside them. Where
//! the receiver is ns-2's, a repetition of the newest in-order segment counts as in order
//! ([`crate::NewestRepeated`]), and before 2010 the SYN. The invariant: a policy holds no timer
//! and no segment; it only decides.

mod delayed;
mod delayed_dupacks;
mod dynamic;
mod every;
mod kept_back;
mod oracle_window;
mod rfc5681;

pub use delayed::Delayed;
pub use delayed_dupacks::{AdaptiveDelay, DupackDelay, Release};
pub(crate) use delayed_dupacks::{DupackHold, Verdict};
pub use dynamic::{Dynamic, Numbering};
pub use every::EverySegment;
pub(crate) use kept_back::{Duplicate, KeptBack};
pub use oracle_window::OracleWindow;
pub use rfc5681::Rfc5681;

use acklab_base::{Duration, Instant};
use std::fmt::Debug;

/// What starts the timer of a delayed ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DelayTimer {
    /// The first waiting segment; the later ones do not start it anew (RFC 1122).
    FirstWaiting,
    /// Every waiting segment starts it anew, so that the first waits at most count − 1 intervals.
    EveryWaiting,
}

/// A segment as a policy sees it: an in-order one with no gap behind it, or what ns-2 takes for one (a
/// repetition of the newest, or the SYN: number 0, no data), or one that came in [`Disorder`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When it came.
    pub now: Instant,
    /// The number of its packet, the SYN being 0 and the first data segment 1.
    pub number: u64,
    /// The number of the packet that is expected next, this one taken in.
    pub expected: u64,
    /// Bytes of data in it.
    pub len: u32,
    /// Bytes of data in a full segment.
    pub mss: u32,
    /// In-order segments that wait for an ACK, this one included if it is in order. What lay beyond a gap
    /// is none of them, nor once that is filled.
    pub waiting: u32,
    /// Their bytes.
    pub waiting_bytes: u64,
}

/// What a policy decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Acknowledge now, because of the reason.
    Now(AckReason),
    /// Wait at most `interval`, counted as `timer` says. The answer to a later in-order segment takes
    /// the place of this one; if its time is over already, the ACK leaves at once, as by the timer.
    Wait {
        /// The timer's length.
        interval: Duration,
        /// What starts it.
        timer: DelayTimer,
    },
}

/// Why an ACK left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckReason {
    /// Enough segments waited.
    Count,
    /// The timer ran out.
    Timer,
    /// A segment came with a gap before it.
    OutOfOrder,
    /// A segment came that was known already.
    Duplicate,
    /// A segment came in order while later ones were here already.
    GapFilled,
    /// The SYN.
    Syn,
    /// The policy acknowledges every segment.
    Every,
    /// An ACK for a segment beyond a gap, or a known one, that was held for its time.
    Held,
    /// The window was closed or opened, or is closed and was probed.
    Window,
}

/// How a segment came that is acknowledged at once (RFC 5681 §4.2) unless a policy of one's own has its ACK wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disorder {
    /// Its data lies beyond a gap, or outside of the window. Its ACK is a duplicate one.
    BeyondGap,
    /// All of it was here already.
    Known,
    /// In order, while later data was here already.
    FillsGap,
}

impl Disorder {
    /// Why its ACK leaves if it does not wait.
    #[must_use]
    pub const fn reason(self) -> AckReason {
        match self {
            Self::BeyondGap => AckReason::OutOfOrder,
            Self::Known => AckReason::Duplicate,
            Self::FillsGap => AckReason::GapFilled,
        }
    }
}

/// Decides how long segments wait.
pub trait AckPolicy: Debug + Send + Sync {
    /// A segment came in order, with no gap behind it ([`Arrival`]).
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision;

    /// Any other segment came, and the window is not closed because of a handoff. One that fills a gap may
    /// wait like one in order. The ACK for another one is held by itself for the interval, whatever its
    /// timer: it leaves then ([`AckReason::Held`]), or is thrown away when the next expected segment comes,
    /// whose ACK says more (and may itself wait).
    fn on_disorder(&mut self, _arrival: &Arrival, disorder: Disorder) -> Decision {
        Decision::Now(disorder.reason())
    }

    /// An ACK left, whatever the reason; one that ACK Pacing held back leaves when its turn comes.
    fn on_ack_sent(&mut self, _now: Instant, _reason: AckReason) {}

    /// A copy with the same state.
    fn boxed_clone(&self) -> Box<dyn AckPolicy>;
}

impl Clone for Box<dyn AckPolicy> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// An acknowledgement policy by name and parameters.
#[derive(Clone, Debug)]
pub enum AckConfig {
    /// Every segment at once.
    EverySegment,
    /// Every `count`-th segment, or after `interval`.
    Delayed {
        /// Segments for one ACK (d).
        count: u32,
        /// The longest wait.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// At least every second full-sized segment's worth of bytes (RFC 1122 §4.2.3.2, RFC 5681
    /// §4.2).
    Rfc5681 {
        /// The longest wait; the RFCs ask for less than 500 ms.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// One to four segments, growing with the packet number.
    Dynamic {
        /// Packet numbers from which on 2, 3 and 4 segments share an ACK.
        thresholds: [u32; 3],
        /// The longest wait.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
        /// How packets are counted and thresholds are meant.
        numbering: Numbering,
    },
    /// One to four segments, growing with the sender's window: idealised, since no receiver knows
    /// it ([`crate::Receiver::tell_window`]).
    OracleWindow {
        /// Windows in packets from which on 2, 3 and 4 segments share an ACK.
        thresholds: [u32; 3],
        /// The longest wait.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// Every segment at once, but of a gap's duplicate ACKs only the first two: the others are
    /// held (Vaidya et al. 1999 §5).
    DelayedDupacks {
        /// How long (d).
        delay: DupackDelay,
        /// How they leave after that.
        release: Release,
    },
    /// One's own.
    Custom(Box<dyn AckPolicy>),
}

impl AckConfig {
    /// What holds duplicate ACKs, if anything does.
    pub(crate) fn hold(&self) -> Option<DupackHold> {
        match *self {
            Self::DelayedDupacks { delay, release } => Some(DupackHold::new(delay, release)),
            _ => None,
        }
    }
}

/// A policy at work: the enum over the trait.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    EverySegment(EverySegment),
    Delayed(Delayed),
    Rfc5681(Rfc5681),
    Dynamic(Dynamic),
    OracleWindow(OracleWindow),
    Custom(Box<dyn AckPolicy>),
}

impl Policy {
    pub(crate) fn new(config: AckConfig) -> Self {
        match config {
            AckConfig::EverySegment | AckConfig::DelayedDupacks { .. } => {
                Self::EverySegment(EverySegment)
            }
            AckConfig::Delayed {
                count,
                interval,
                timer,
            } => Self::Delayed(Delayed::new(count, interval, timer)),
            AckConfig::Rfc5681 { interval, timer } => Self::Rfc5681(Rfc5681::new(interval, timer)),
            AckConfig::Dynamic {
                thresholds,
                interval,
                timer,
                numbering,
            } => Self::Dynamic(Dynamic::new(thresholds, interval, timer, numbering)),
            AckConfig::OracleWindow {
                thresholds,
                interval,
                timer,
            } => Self::OracleWindow(OracleWindow::new(thresholds, interval, timer)),
            AckConfig::Custom(policy) => Self::Custom(policy),
        }
    }

    fn get_mut(&mut self) -> &mut dyn AckPolicy {
        match self {
            Self::EverySegment(policy) => policy,
            Self::Delayed(policy) => policy,
            Self::Rfc5681(policy) => policy,
            Self::Dynamic(policy) => policy,
            Self::OracleWindow(policy) => policy,
            Self::Custom(policy) => policy.as_mut(),
        }
    }

    pub(crate) const fn knows_window(&self) -> bool {
        matches!(self, Self::OracleWindow(_))
    }

    pub(crate) fn tell_window(&mut self, window: u32) {
        if let Self::OracleWindow(policy) = self {
            policy.tell_window(window);
        }
    }

    pub(crate) fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        self.get_mut().on_arrival(arrival)
    }

    /// Built-in ones have nothing of the kind wait.
    pub(crate) fn on_disorder(&mut self, arrival: &Arrival, disorder: Disorder) -> Decision {
        match self {
            Self::Custom(policy) => policy.on_disorder(arrival, disorder),
            _ => Decision::Now(disorder.reason()),
        }
    }

    pub(crate) fn on_ack_sent(&mut self, now: Instant, reason: AckReason) {
        self.get_mut().on_ack_sent(now, reason);
    }
}
