//! Parameters of the sender, and the two profiles that fill them: `ns2` and `standard`.
//!
//! A rule on which ns-2.35 and the RFCs differ is a field here, never a test for a profile inside
//! the machine; docs/models/tcp.md lists the differences. The invariant: every value that the
//! fields can hold makes a working sender.

use crate::handoff::Handoff;
use crate::sack::SackConfig;
use crate::vegas::VegasConfig;
use crate::westwood::BandwidthFilter;
use acklab_base::{Duration, FlowId, Seq32};

/// The family of loss recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Fast retransmit, then slow start from one segment (RFC 5681's ancestor of 1988).
    Tahoe,
    /// Fast recovery that the first new ACK ends (RFC 5681 §3.2).
    Reno,
    /// Fast recovery that lasts until everything sent before the loss is acknowledged (RFC 6582).
    NewReno,
    /// The window by delay, losses by exact times (Brakmo and Peterson 1995).
    Vegas,
    /// Fast recovery by selective acknowledgements (RFC 6675, RFC 8985).
    Sack,
}

/// How the retransmission timeout is computed from round-trip samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimator {
    /// Whole clock ticks in fixed point, as BSD and ns-2 do (Jacobson 1988, appendix A).
    Ticks,
    /// Nanoseconds, with the tick as the clock granularity G (RFC 6298 §2).
    Exact,
    /// RFC 6298 on a coarse clock: samples are rounded to whole ticks, at least one, averages are
    /// not, and the timeout is rounded up to whole ticks.
    Rounded,
}

/// Parameters of the retransmission timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoConfig {
    /// The sender's clock tick (RFC 6298's G). Must not be zero.
    pub tick: Duration,
    /// How far the sender's clock is into its tick at time zero. ns-2 draws it uniformly below
    /// one tick for each sender; only [`Estimator::Ticks`] reads it.
    pub phase: Duration,
    /// The timeout before the first sample (RFC 6298 §2.1).
    pub initial: Duration,
    /// The shortest timeout, before back-off (RFC 6298 §2.4).
    pub min: Duration,
    /// The longest timeout, after back-off (RFC 6298 §2.5).
    pub max: Duration,
    /// How samples are turned into a timeout.
    pub estimator: Estimator,
    /// Forget the smoothed round-trip time when the back-off factor exceeds this (RFC 6298 §5
    /// allows it; ns-2 does so above 8). `None` never forgets.
    pub forget_above: Option<u32>,
    /// The timeout with which data starts after a SYN had to be sent again (RFC 6298 §5.7).
    /// `None` keeps the backed-off timeout.
    pub after_syn_loss: Option<Duration>,
}

impl RtoConfig {
    /// ns-2.35: tick 10 ms, 3 s at first, 0.2 s to 60 s.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            tick: Duration::from_millis(10),
            phase: Duration::ZERO,
            initial: Duration::from_secs(3),
            min: Duration::from_millis(200),
            max: Duration::from_secs(60),
            estimator: Estimator::Ticks,
            forget_above: Some(8),
            after_syn_loss: None,
        }
    }

    /// RFC 6298: 1 s at first and at least, 60 s at most.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            tick: Duration::from_millis(1),
            phase: Duration::ZERO,
            initial: Duration::from_secs(1),
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            estimator: Estimator::Exact,
            forget_above: None,
            after_syn_loss: Some(Duration::from_secs(3)),
        }
    }
}

/// When duplicate ACKs may start a fast retransmit although an earlier loss is being repaired
/// (RFC 2582 §5, RFC 6582 §3.2 step 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Only when the ACK covers more than `recover`.
    Careful,
    /// Also when it covers exactly `recover`.
    LessCareful,
    /// Always.
    Off,
}

/// What the ACK that ends NewReno's fast recovery does to the window (RFC 6582 §3.2 step 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullAck {
    /// The inflation goes, the window stays as the cut and the deflations left it, and the ACK
    /// makes it grow as any other does (ns-2).
    KeepWindow,
    /// `cwnd = ssthresh`.
    Ssthresh,
    /// `cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS)`.
    MinFlight,
}

/// Choices within NewReno (RFC 6582).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewRenoConfig {
    /// Restart the retransmission timer for the first partial ACK only (RFC 6582 §4).
    /// Otherwise for each: "slow but steady".
    pub impatient: bool,
    /// A partial ACK deflates the window by what it acknowledges less one segment. Otherwise it
    /// removes the whole inflation.
    pub deflate: bool,
    /// At most so many segments leave for one ACK during fast recovery. `None`: no limit.
    pub burst: Option<u32>,
    /// How recovery ends.
    pub full_ack: FullAck,
}

/// How a new ACK makes the window grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// Slow start adds one segment, congestion avoidance 1/cwnd for every ACK, however much it
    /// acknowledges (ns-2; RFC 5681 equation 3).
    PerAck,
    /// Slow start adds min(acknowledged, SMSS) (RFC 5681 equation 2), congestion avoidance
    /// one segment for each cwnd of bytes acknowledged.
    Bytes,
}

/// What is halved when a loss is detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// The window, min(cwnd, receiver window). `ssthresh` is the whole part of the half and at
    /// least 2; fast recovery goes on with the half itself, with its fraction if `fractional`,
    /// and even below 2 (ns-2).
    Window {
        /// Keep the half segment of an odd window.
        fractional: bool,
    },
    /// The window. `ssthresh` is as with [`Cut::Window`], and fast recovery goes on with it
    /// (RFC 2581 §3.2 step 2, of the window instead of the flight).
    Threshold,
    /// The data in flight, and at least two segments remain (RFC 5681 equation 4).
    FlightSize,
}

/// What a pause of the application does to the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// The retransmission timer keeps running with nothing outstanding; when it fires, the window
    /// falls to one segment (ns-2).
    TimerFires,
    /// Sending after more than a timeout's silence starts from the initial window
    /// (RFC 5681 §4.1).
    AfterRto,
    /// Nothing.
    Keep,
}

/// Which ACKs count as duplicates while data is outstanding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplicates {
    /// Each one that repeats the last acknowledgement number, a repeated SYN-ACK too (ns-2).
    Repeated,
    /// Only those that carry nothing (RFC 5681 §2).
    Rfc5681,
}

/// Parameters of a [`crate::Sender`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SenderConfig {
    /// The connection.
    pub flow: FlowId,
    /// The family of loss recovery.
    pub variant: Variant,
    /// Bytes of data in a full segment (SMSS). Must not be zero.
    pub mss: u32,
    /// The receiver's window in segments of `mss`, known beforehand. Must not be zero.
    pub receiver_window: u32,
    /// Also respect the window that the ACKs advertise. One segment is always allowed, unless
    /// `window_probes` is on.
    pub honour_advertised: bool,
    /// A window of less than a segment stops the sender, which then probes it (RFC 9293
    /// §3.8.6.1). Acts only with `honour_advertised`.
    pub window_probes: bool,
    /// What it does around a handoff, if it is at a mobile node.
    pub handoff: Handoff,
    /// The window after the handshake, in segments.
    pub initial_window: u32,
    /// The first slow-start threshold in segments; `None` is the receiver window.
    pub initial_ssthresh: Option<u32>,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// Open with a SYN, and send data when it is acknowledged: the first data segment carries the
    /// third step of the handshake.
    pub handshake: bool,
    /// The first duplicate ACKs each send one segment more (RFC 3042).
    pub limited_transmit: bool,
    /// What they send may be old, where everything leaves again after a timeout (ns-2). Otherwise
    /// only what was never sent (RFC 3042 §2).
    pub limited_transmit_repeats: bool,
    /// Duplicate ACKs that make a fast retransmit (RFC 5681: 3).
    pub dupack_threshold: u32,
    /// Protection against repeated fast retransmits.
    pub guard: Guard,
    /// With a careful guard, still allow a fast retransmit of the very first data segment.
    pub first_segment_exempt: bool,
    /// Duplicate ACKs inflate the window after the threshold even when the guard forbade the
    /// fast retransmit (ns-2 before 2003).
    pub inflate_unguarded: bool,
    /// Choices within NewReno.
    pub newreno: NewRenoConfig,
    /// How selective acknowledgements are used.
    pub sack: SackConfig,
    /// A loss asks what the path carries instead of halving the window (TCP Westwood). Not with
    /// Vegas.
    pub westwood: Option<BandwidthFilter>,
    /// An ACK may say that a loss is no congestion (Explicit Loss Notification).
    pub eln: bool,
    /// Thresholds and choices of Vegas.
    pub vegas: VegasConfig,
    /// How the window grows.
    pub growth: Growth,
    /// How it is cut.
    pub cut: Cut,
    /// What silence does to it.
    pub idle: Idle,
    /// What a duplicate ACK is.
    pub duplicates: Duplicates,
    /// Sequence number of the SYN; data starts one behind it, also without a handshake.
    pub iss: Seq32,
    /// The receiver's initial sequence number, where there is no handshake to tell it.
    pub peer_iss: Seq32,
}

impl SenderConfig {
    /// ns-2.35's NewReno agent with its defaults and a receiver window in packets.
    #[must_use]
    pub const fn ns2(flow: FlowId, receiver_window: u32) -> Self {
        Self {
            flow,
            variant: Variant::NewReno,
            mss: 1000,
            receiver_window,
            honour_advertised: false,
            window_probes: false,
            handoff: Handoff::Unaware,
            initial_window: 2,
            initial_ssthresh: None,
            rto: RtoConfig::ns2(),
            handshake: true,
            limited_transmit: true,
            limited_transmit_repeats: true,
            dupack_threshold: 3,
            guard: Guard::Careful,
            first_segment_exempt: true,
            inflate_unguarded: false,
            newreno: NewRenoConfig {
                impatient: true,
                deflate: true,
                burst: Some(2),
                full_ack: FullAck::KeepWindow,
            },
            sack: SackConfig::ns2(),
            westwood: None,
            eln: false,
            vegas: VegasConfig::ns2(),
            growth: Growth::PerAck,
            cut: Cut::Window { fractional: true },
            idle: Idle::TimerFires,
            duplicates: Duplicates::Repeated,
            iss: Seq32(0),
            peer_iss: Seq32(0),
        }
    }

    /// ns-2 as it was in 2003, as far as it differed: timer of at least 1 s and 6 s at first,
    /// whole-segment halving, inflation also outside recovery, every partial ACK restarts the
    /// timer and removes the inflation.
    #[must_use]
    pub const fn ns2_of_2003(flow: FlowId, receiver_window: u32) -> Self {
        let mut config = Self::ns2(flow, receiver_window);
        config.rto.min = Duration::from_secs(1);
        config.rto.initial = Duration::from_secs(6);
        config.cut = Cut::Window { fractional: false };
        config.inflate_unguarded = true;
        config.newreno.impatient = false;
        config.newreno.deflate = false;
        config
    }

    /// RFC 5681, 6298, 6582 and 3042, with a receiver window in segments.
    #[must_use]
    pub const fn standard(flow: FlowId, receiver_window: u32) -> Self {
        let mss = 1000;
        Self {
            flow,
            variant: Variant::NewReno,
            mss,
            receiver_window,
            honour_advertised: true,
            window_probes: true,
            handoff: Handoff::Unaware,
            initial_window: initial_window_of_rfc5681(mss),
            initial_ssthresh: Some(u32::MAX),
            rto: RtoConfig::standard(),
            handshake: true,
            limited_transmit: true,
            limited_transmit_repeats: false,
            dupack_threshold: 3,
            guard: Guard::Careful,
            first_segment_exempt: true,
            inflate_unguarded: false,
            newreno: NewRenoConfig {
                impatient: true,
                deflate: true,
                burst: None,
                full_ack: FullAck::MinFlight,
            },
            sack: SackConfig::rfc6675(),
            westwood: None,
            eln: false,
            vegas: VegasConfig::published(),
            growth: Growth::Bytes,
            cut: Cut::FlightSize,
            idle: Idle::AfterRto,
            duplicates: Duplicates::Rfc5681,
            iss: Seq32(0),
            peer_iss: Seq32(0),
        }
    }

    /// The same with another segment size.
    #[must_use]
    pub const fn with_mss(mut self, mss: u32) -> Self {
        self.mss = mss;
        self
    }

    /// The same with another family of loss recovery.
    #[must_use]
    pub const fn with_variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }
}

/// The largest initial window that RFC 5681 §3.1 allows, in segments of `mss` bytes.
#[must_use]
pub const fn initial_window_of_rfc5681(mss: u32) -> u32 {
    if mss > 2190 {
        2
    } else if mss > 1095 {
        3
    } else {
        4
    }
}
