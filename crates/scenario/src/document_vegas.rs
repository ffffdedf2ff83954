//! The part of the schema that describes TCP Vegas: the published algorithm, ns-2's, and each
//! difference between them by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of TCP Vegas (Brakmo and Peterson 1995).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct VegasTable {
    /// Whose algorithm, and the defaults of the other keys but the thresholds.
    pub rules: Option<VegasRules>,
    /// The window grows while the rates differ by less than so many packets.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub alpha: Option<u32>,
    /// The window shrinks while they differ by more.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub beta: Option<u32>,
    /// Slow start ends when they differ by more.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub gamma: Option<u32>,
    /// How the difference of the rates meets the thresholds.
    pub diff: Option<VegasDiff>,
    /// From what the two rates are computed.
    pub rates: Option<VegasRates>,
    /// Which round-trip time stands for a round.
    pub round_trip: Option<VegasRoundTrip>,
    /// How the window grows in congestion avoidance.
    pub increase: Option<VegasIncrease>,
    /// How the base round-trip time follows the measured ones.
    pub base_rtt: Option<VegasBaseRtt>,
    /// What the handshake teaches the fine-grained clock.
    pub handshake: Option<VegasHandshake>,
    /// The window until the first data is acknowledged.
    pub first_flight: Option<VegasFirstFlight>,
    /// What becomes of the records of acknowledged packets.
    pub records: Option<VegasRecords>,
    /// How long the fine-grained timeout is.
    pub fine_timeout: Option<VegasFineTimeout>,
    /// How the inflation of the window ends after a repair.
    pub deflation: Option<VegasDeflation>,
    /// Which packet the first two ACKs after a repair may repeat.
    pub recheck: Option<VegasRecheck>,
    /// A repair doubles the retransmission timeout, as a timeout does (ns-2).
    pub backs_off_at_repair: Option<bool>,
    /// Congestion window after a timeout, in packets.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub after_timeout: Option<u32>,
    /// A timeout begins a new round (not in ns-2).
    pub new_round_after_timeout: Option<bool>,
}

/// Whose Vegas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasRules {
    /// The published algorithm (Brakmo and Peterson 1995; elrakabawy2005 §3.1).
    Published,
    /// What ns-2.35 does.
    Ns2,
}

/// How the difference of the rates meets the thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasDiff {
    /// As a real number.
    Real,
    /// Rounded to whole packets (ns-2).
    Rounded,
}

/// From what the two rates are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasRates {
    /// Both from the window: W/baseRTT and W/RTT.
    Window,
    /// From what is under way and what was sent in the round (ns-2).
    InFlight,
}

/// Which round-trip time stands for a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasRoundTrip {
    /// The one that the ACK that ends the round measures.
    Latest,
    /// The mean of the round, or its length (ns-2).
    Mean,
}

/// How the window grows in congestion avoidance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasIncrease {
    /// By one packet a round.
    PerRound,
    /// By 1/W for each ACK of the next round, while at most two packets of it are unused (ns-2).
    PerAck,
}

/// How the base round-trip time follows the measured ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasBaseRtt {
    /// The smallest.
    Minimum,
    /// The smallest, but replaced, also upwards, by a round of one packet (ns-2).
    ReplacedWhenAlone,
}

/// What the handshake teaches the fine-grained clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasHandshake {
    /// Nothing: a SYN is shorter than a packet.
    Ignored,
    /// The first base round-trip time, searches for a route included (ns-2).
    Sampled,
}

/// The window until the first data is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasFirstFlight {
    /// The initial window.
    InitialWindow,
    /// One packet (ns-2).
    OneSegment,
}

/// What becomes of the records of acknowledged packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasRecords {
    /// They are cleared.
    Cleared,
    /// Those of an ACK past the end of the ring stay, so that later packets seem to be sent twice
    /// (ns-2).
    KeptAtRingEnd,
}

/// How long the fine-grained timeout is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasFineTimeout {
    /// Mean and four deviations.
    Jacobson,
    /// 17/16 of mean and two deviations (ns-2).
    Tight,
}

/// How the inflation of the window ends after a repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasDeflation {
    /// It goes with the next new ACK.
    Whole,
    /// The window falls to what the last cut left, 0 if there was none, or keeps the inflation
    /// (ns-2).
    ToLastCut,
}

/// Which packet the first two ACKs after a repair may repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum VegasRecheck {
    /// One that is under way.
    UnderWay,
    /// The next one, even if it was never sent (ns-2).
    Any,
}
