//! The resolved scenario's flows: every option of TCP and of datagram streams, filled.

use crate::document_flow::{
    DelayTimer, Estimator, Guard, Halving, Numbering, RecoveryExit, Variant,
};
use crate::document_handoff::{HeldAcks, PacingEnd};
use crate::document_sack::SackLength;
use crate::profile::Profile;
use crate::resolved_vegas::VegasOptions;
use acklab_base::{Duration, NodeId};

/// A flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// Node that sends.
    pub from: NodeId,
    /// Node that receives; never `from`.
    pub to: NodeId,
    /// When it starts.
    pub start: Duration,
    /// The start is put off by a random time below this.
    pub start_jitter: Duration,
    /// What it sends.
    pub kind: FlowKind,
}

/// What a flow sends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FlowKind {
    /// A persistent TCP connection.
    Ftp(Ftp),
    /// Short transfers, one after the other.
    Sessions(Sessions),
    /// A constant bit rate over UDP.
    Cbr(Cbr),
}

/// A persistent TCP connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ftp {
    /// The sending end.
    pub sender: SenderOptions,
    /// The receiving end's ACK policy.
    pub ack: AckOptions,
    /// What the mobile end does around a handoff.
    pub handoff: HandoffOptions,
    /// No agent on the way can read its headers.
    pub encrypted: bool,
    /// ACKs take this time and no channel.
    pub oracle_ack_path: Option<Duration>,
}

/// What a mobile end does around a handoff.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandoffOptions {
    /// Nothing.
    Unaware,
    /// ACKs, or data, leave one by one.
    Pacing {
        /// Least time between two of them, above zero.
        interval: Duration,
        /// Which ACKs wait.
        held: HeldAcks,
        /// What happens to what still waits at the end.
        end: PacingEnd,
    },
    /// The window is closed.
    Freeze {
        /// ACKs with the open window on reconnection.
        reopening_acks: u32,
    },
    /// M-TCP's half at the mobile.
    MTcp,
}

/// Short transfers over one TCP connection at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sessions {
    /// What each connection is like.
    pub connection: Ftp,
    /// The sizes.
    pub size: SizeLaw,
    /// The pauses.
    pub pause: PauseLaw,
    /// Sizes are rounded up to whole packets.
    pub whole_packets: bool,
}

/// How the size of a transfer comes about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SizeLaw {
    /// Always the same, in bytes.
    Constant(u32),
    /// Pareto.
    Pareto {
        /// Mean in bytes.
        mean: u32,
        /// Shape, above 1.
        shape: f64,
    },
}

/// How the pause between transfers comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PauseLaw {
    /// Always the same.
    Constant(Duration),
    /// Exponential, with this mean.
    Exponential(Duration),
}

/// Parameters of a TCP sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SenderOptions {
    /// Whose rules TCP follows.
    pub profile: Profile,
    /// How it reacts to losses.
    pub variant: Variant,
    /// Receiver window in packets.
    pub window: u32,
    /// Payload of a packet in bytes.
    pub packet: u32,
    /// Initial congestion window in packets.
    pub initial_window: u32,
    /// Initial slow-start threshold in packets.
    pub initial_ssthresh: u32,
    /// RTO before the first sample.
    pub initial_rto: Duration,
    /// Lower bound of the RTO.
    pub min_rto: Duration,
    /// Upper bound of the RTO.
    pub max_rto: Duration,
    /// Granularity of the sender's clock.
    pub tick: Duration,
    /// How samples become a timeout.
    pub estimator: Estimator,
    /// What the end of fast recovery leaves.
    pub recovery_exit: RecoveryExit,
    /// Whether the connection opens with a SYN.
    pub handshake: bool,
    /// RFC 3042.
    pub limited_transmit: bool,
    /// Duplicate ACKs that start a fast retransmission.
    pub dupack_threshold: u32,
    /// What a loss halves.
    pub halving: Halving,
    /// Duplicate ACKs inflate the window outside fast recovery too.
    pub inflate_unguarded: bool,
    /// The receiver acknowledges the SYN at once.
    pub syn_ack_at_once: bool,
    /// The receiver acknowledges a repetition of the newest segment at once.
    pub repetition_acked_at_once: bool,
    /// Options of NewReno's fast recovery.
    pub newreno: NewRenoOptions,
    /// Whether a closed window stops the sender, which then probes it.
    pub window_probes: bool,
    /// Selective acknowledgements, with the variants that have them.
    pub sack: Option<SackOptions>,
    /// Options of Westwood, with that variant.
    pub westwood: Option<WestwoodOptions>,
    /// Whether loss notices are heeded.
    pub eln: bool,
    /// Options of Vegas, if it is that.
    pub vegas: Option<VegasOptions>,
}

/// Options of selective acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SackOptions {
    /// Whether duplicates are reported.
    pub duplicates: bool,
    /// What the option adds to an ACK.
    pub length: SackLength,
}

/// How Westwood estimates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WestwoodOptions {
    /// A sample for each ACK.
    Original {
        /// Time constant of the filter.
        tau: Duration,
    },
    /// A sample for each round trip.
    Plus,
}

/// Options of NewReno's fast recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewRenoOptions {
    /// Protection against repeated fast retransmissions.
    pub guard: Guard,
    /// Only the first partial ACK restarts the timer.
    pub impatient: bool,
    /// Partial ACKs deflate the window.
    pub partial_deflation: bool,
}

/// An ACK policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckOptions {
    /// One ACK for every segment.
    Every,
    /// One ACK for every `count` segments.
    Delayed {
        /// The d of the papers, at least 1.
        count: u32,
        /// Longest wait of a segment.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// RFC 5681 §4.2.
    Rfc5681 {
        /// Longest wait of a segment.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// A count that grows with the sequence number.
    Dynamic {
        /// Where the count becomes 2, 3 and 4; increasing.
        thresholds: [u32; 3],
        /// How segments are numbered.
        numbering: Numbering,
        /// Longest wait of a segment.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// A count that grows with the sender's window.
    OracleWindow {
        /// Where the count becomes 2, 3 and 4; increasing.
        thresholds: [u32; 3],
        /// Longest wait of a segment.
        interval: Duration,
        /// What starts the timer.
        timer: DelayTimer,
    },
    /// Duplicate ACKs are held.
    DelayedDupacks {
        /// How long.
        delay: DupackDelay,
        /// How they leave after that.
        release: DupackRelease,
    },
    /// A policy of one's own, handed over with the run.
    Own {
        /// Its name.
        name: PolicyName,
    },
}

/// The name of a policy of one's own: 1 to 63 printable ASCII characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PolicyName {
    bytes: [u8; Self::LIMIT],
    length: u8,
}

impl PolicyName {
    /// The longest name.
    pub const LIMIT: usize = 63;

    /// The name as written, if it is one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=Self::LIMIT).contains(&text.len());
        if !fits || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let mut bytes = [0; Self::LIMIT];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        let length = text.len() as u8;
        Some(Self { bytes, length })
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only ASCII was let in.
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl std::fmt::Debug for PolicyName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// How long duplicate ACKs are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DupackDelay {
    /// Always this long.
    Fixed(Duration),
    /// By the retransmission times of the link below.
    Adaptive {
        /// Before the first of them.
        initial: Duration,
        /// Lower bound.
        min: Duration,
        /// Upper bound; never below the others.
        max: Duration,
    },
}

/// How held duplicate ACKs leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DupackRelease {
    /// All of them.
    AtOnce,
    /// One for each interval.
    Paced(Duration),
}

/// A constant-bit-rate source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cbr {
    /// Payload of a packet in bytes.
    pub packet: u32,
    /// Time between packets, above zero.
    pub interval: Duration,
    /// Each packet is put off by a random time below this.
    pub jitter: Duration,
}
