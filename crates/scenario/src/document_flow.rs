//! The part of the schema that describes traffic: flows, TCP options, ACK policies.

use crate::document_handoff::Handoff;
use crate::document_sack::{SackTable, WestwoodTable};
use crate::document_sessions::SessionsFlow;
use crate::document_vegas::VegasTable;
use crate::profile::ProfileName;
use crate::quantities::{Rate, Size, Time, TimeOrAdaptive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow from one node to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Flow {
    /// A TCP connection that always has data to send.
    Ftp(FtpFlow),
    /// Short TCP transfers, one after the other.
    Sessions(SessionsFlow),
    /// Packets at a constant rate over UDP.
    Cbr(CbrFlow),
}

/// A persistent TCP connection.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct FtpFlow {
    /// Node that sends.
    pub from: Option<u32>,
    /// Node that receives.
    pub to: Option<u32>,
    /// When the flow starts.
    pub start: Option<Time>,
    /// The start is put off by a random time below this.
    pub start_jitter: Option<Time>,
    /// Which rules TCP follows where ns-2 and the RFCs differ, and the defaults of this flow.
    pub profile: Option<ProfileName>,
    /// How the sender reacts to losses.
    pub variant: Option<Variant>,
    /// Receiver window in packets: the sender never has more in flight.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: Option<u32>,
    /// Payload of a packet; headers of 40 B come on top.
    #[schemars(extend("x-above-zero" = true))]
    pub packet: Option<Size>,
    /// Congestion window at the start, in packets.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: Option<u32>,
    /// Slow-start threshold at the start, in packets.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_ssthresh: Option<u32>,
    /// Retransmission timeout.
    pub rto: Option<Rto>,
    /// Whether the connection opens with a SYN.
    pub handshake: Option<bool>,
    /// What the ACK that ends fast recovery leaves of the window; not with `tahoe` or `vegas`.
    pub recovery_exit: Option<RecoveryExit>,
    /// RFC 3042: one new packet on each of the first two duplicate ACKs.
    pub limited_transmit: Option<bool>,
    /// Duplicate ACKs that start a fast retransmission.
    #[schemars(range(min = 1, max = 1_000))]
    pub dupack_threshold: Option<u32>,
    /// What a loss halves.
    pub halving: Option<Halving>,
    /// Duplicate ACKs beyond the threshold inflate the window even where no fast recovery runs; with
    /// `reno`, `newreno` and `westwood` only.
    pub inflate_unguarded: Option<bool>,
    /// The receiver acknowledges the SYN at once; otherwise its ACK policy decides.
    pub syn_ack_at_once: Option<bool>,
    /// The receiver acknowledges a repetition of the newest segment at once, as of any other;
    /// otherwise its ACK policy decides, as for one in order.
    pub repetition_acked_at_once: Option<bool>,
    /// Options of NewReno's fast recovery; of other variants `westwood` has all of them, `tahoe` and `reno`
    /// have the guard.
    pub newreno: Option<NewReno>,
    /// Options of TCP Vegas, with `variant = "vegas"` only.
    pub vegas: Option<VegasTable>,
    /// Selective acknowledgements, with `variant = "sack"` or `"rack"` only.
    pub sack: Option<SackTable>,
    /// Options of TCP Westwood, with `variant = "westwood"` only.
    pub westwood: Option<WestwoodTable>,
    /// An ACK with the mark of Explicit Loss Notification makes its segment leave again without a
    /// cut of the window.
    pub eln: Option<bool>,
    /// When the receiver acknowledges: a name, or a table with parameters.
    pub ack: Option<Ack>,
    /// What the mobile end does around a handoff: a name, or a table with parameters.
    pub handoff: Option<Handoff>,
    /// The sender respects a closed window, and probes it (RFC 9293 §3.8.6.1).
    pub window_probes: Option<bool>,
    /// TCP headers are encrypted (IPsec): no agent on the way can read them.
    pub encrypted: Option<bool>,
    /// Idealised: ACKs reach the sender after this time, over no channel at all. Absent: they go
    /// through the network like any packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle_ack_path: Option<Time>,
}

/// A TCP sender variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Variant {
    /// Slow start after every loss.
    Tahoe,
    /// Fast recovery that ends with the first new ACK.
    Reno,
    /// Fast recovery that survives several losses in a window (RFC 6582).
    #[serde(rename = "newreno")]
    NewReno,
    /// The window by delay, losses by exact times (Brakmo and Peterson 1995).
    Vegas,
    /// Fast recovery by selective acknowledgements (RFC 6675).
    Sack,
    /// The same, with losses found by time and a probe of the tail (RFC 8985).
    Rack,
    /// NewReno's recovery, from the window that the path was measured to carry (Mascolo et al.
    /// 2001).
    Westwood,
}

/// What a loss halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Halving {
    /// The window, the smaller of congestion and receiver window; half a packet is kept.
    Window,
    /// The same in whole packets.
    WholeWindow,
    /// The window in whole packets, and fast recovery goes on with the threshold that results,
    /// at least two packets (RFC 2581 §3.2).
    Threshold,
    /// The data in flight (RFC 5681 equation 4).
    FlightSize,
}

/// Retransmission timeout (RFC 6298).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Rto {
    /// Before the first round-trip sample.
    #[schemars(extend("x-above-zero" = true))]
    pub initial: Option<Time>,
    /// Lower bound.
    #[schemars(extend("x-above-zero" = true))]
    pub min: Option<Time>,
    /// Upper bound.
    #[schemars(extend("x-above-zero" = true))]
    pub max: Option<Time>,
    /// Granularity of the sender's clock.
    #[schemars(extend("x-above-zero" = true))]
    pub tick: Option<Time>,
    /// How samples become a timeout.
    pub estimator: Option<Estimator>,
}

/// How round-trip samples become a timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Estimator {
    /// Whole ticks that begin between sending and ACK, in fixed point (BSD, ns-2).
    Ticks,
    /// Nanoseconds, with the tick as the granularity of RFC 6298.
    Exact,
    /// Samples rounded to whole ticks, the timeout rounded up to whole ticks.
    Rounded,
}

/// What the ACK that ends fast recovery leaves of the window (RFC 6582 §3.2 step 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RecoveryExit {
    /// The window as the cut left it; the ACK makes it grow as any other (ns-2).
    KeepWindow,
    /// The slow-start threshold (RFC 5681).
    Ssthresh,
    /// The threshold, or the data in flight and one segment, if that is less (NewReno).
    MinFlight,
}

/// Options of NewReno's fast recovery (RFC 6582).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct NewReno {
    /// When duplicate ACKs may start a fast retransmission although an earlier loss is being
    /// repaired.
    pub guard: Option<Guard>,
    /// Only the first partial ACK restarts the retransmission timer.
    pub impatient: Option<bool>,
    /// A partial ACK takes what it acknowledges off the inflated window.
    pub partial_deflation: Option<bool>,
}

/// Protection against repeated fast retransmissions (RFC 2582 §5, RFC 6582 §3.2 step 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Guard {
    /// Only when the ACK covers more than what was sent before the loss.
    Careful,
    /// Also when it covers exactly that.
    LessCareful,
    /// Always.
    Off,
}

/// An ACK policy: its name alone, or with parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Ack {
    /// The policy with default parameters.
    Name(AckName),
    /// The policy with parameters.
    Table(AckTable),
}

/// The name of an ACK policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AckName {
    /// One ACK for every segment.
    Every,
    /// One ACK for every second segment, or when a timer runs out.
    Delayed,
    /// RFC 5681 §4.2: delayed, at least one ACK for every second full-sized segment.
    Rfc5681,
    /// Delayed by a count that grows with the sequence number.
    Dynamic,
    /// Idealised: delayed by a count that grows with the sender's window, which no receiver knows.
    OracleWindow,
    /// One ACK for every segment, but the third duplicate ACK of a gap and later ones are held.
    DelayedDupacks,
    /// A policy of one's own, written in Python or Rust.
    Own,
}

/// An ACK policy with its parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum AckTable {
    /// One ACK for every segment.
    Every {},
    /// One ACK for every `count` segments, or when a timer runs out.
    Delayed {
        /// Segments that one ACK acknowledges: the d of the papers.
        #[schemars(range(min = 1, max = 1_000_000))]
        count: Option<u32>,
        /// Longest wait of a segment for its ACK.
        #[schemars(extend("x-above-zero" = true))]
        interval: Option<Time>,
        /// What starts the timer.
        timer: Option<DelayTimer>,
    },
    /// RFC 5681 §4.2: delayed, at least one ACK for every second full-sized segment.
    Rfc5681 {
        /// Longest wait of a segment for its ACK.
        #[schemars(extend("x-above-zero" = true))]
        interval: Option<Time>,
        /// What starts the timer.
        timer: Option<DelayTimer>,
    },
    /// Delayed by a count that grows from 1 to 4 with the sequence number.
    Dynamic {
        /// The sequence numbers at which the count becomes 2, 3 and 4.
        thresholds: Option<[u32; 3]>,
        /// How segments are numbered and what a threshold means.
        numbering: Option<Numbering>,
        /// Longest wait of a segment for its ACK.
        #[schemars(extend("x-above-zero" = true))]
        interval: Option<Time>,
        /// What starts the timer.
        timer: Option<DelayTimer>,
    },
    /// Idealised: delayed by a count that grows from 1 to 4 with the sender's window, which no
    /// receiver knows.
    OracleWindow {
        /// The windows in packets at which the count becomes 2, 3 and 4.
        thresholds: Option<[u32; 3]>,
        /// Longest wait of a segment for its ACK.
        #[schemars(extend("x-above-zero" = true))]
        interval: Option<Time>,
        /// What starts the timer.
        timer: Option<DelayTimer>,
    },
    /// One ACK for every segment, but the third duplicate ACK of a gap and later ones are held
    /// (vaidya1999 §5).
    DelayedDupacks(DelayedDupacks),
    /// A policy of one's own, written in Python or Rust and handed over with the run.
    Own {
        /// The name under which it is handed over.
        name: Option<String>,
    },
}

/// Parameters of Delayed Dupacks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DelayedDupacks {
    /// How long duplicate ACKs are held: the d of the paper. Adaptive: mean and four
    /// deviations of the retransmission times of the link below.
    pub delay: Option<TimeOrAdaptive>,
    /// Adaptive delay before the link has measured anything.
    pub initial: Option<Time>,
    /// Shortest adaptive delay.
    pub min: Option<Time>,
    /// Longest adaptive delay.
    #[schemars(extend("x-above-zero" = true))]
    pub max: Option<Time>,
    /// How duplicate ACKs leave that were held long enough.
    pub release: Option<Release>,
    /// Time between two of them, if paced.
    #[schemars(extend("x-above-zero" = true))]
    pub spacing: Option<Time>,
}

/// How duplicate ACKs leave that were held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Release {
    /// All of them.
    AtOnce,
    /// One by one.
    Paced,
}

/// What starts the timer of a delayed ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DelayTimer {
    /// The first segment that waits (RFC 1122 §4.2.3.2; the released ns-2).
    FirstWaiting,
    /// Every segment that waits starts it anew (evidently altman2003).
    EveryWaiting,
}

/// How segments are numbered for dynamic ACK thinning, and what a threshold means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Numbering {
    /// The SYN is segment 0, and the count grows at each threshold: segment 2 is the first of two.
    #[serde(rename = "altman2003")]
    Altman2003,
    /// The first data segment is segment 0, and the count grows at the threshold.
    DataIsZero,
    /// The SYN is segment 0, and the first threshold still belongs to the count of 1: segment 3 is
    /// the first of two.
    #[serde(rename = "elrakabawy2005")]
    ElRakabawy2005,
}

/// A constant-bit-rate flow.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct CbrFlow {
    /// Node that sends.
    pub from: Option<u32>,
    /// Node that receives.
    pub to: Option<u32>,
    /// When the flow starts.
    pub start: Option<Time>,
    /// The start is put off by a random time below this.
    pub start_jitter: Option<Time>,
    /// Payload of a packet.
    #[schemars(extend("x-above-zero" = true))]
    pub packet: Option<Size>,
    /// Time between packets. Give this or `rate`.
    #[schemars(extend("x-above-zero" = true))]
    pub interval: Option<Time>,
    /// Payload rate, as another way to give the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-above-zero" = true))]
    pub rate: Option<Rate>,
    /// Each packet is put off by a random time below this.
    pub jitter: Option<Time>,
}
