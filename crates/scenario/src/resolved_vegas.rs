//! Options of TCP Vegas in a resolved scenario.

use crate::document_vegas::{
    VegasBaseRtt, VegasDeflation, VegasDiff, VegasFineTimeout, VegasFirstFlight, VegasHandshake,
    VegasIncrease, VegasRates, VegasRecheck, VegasRecords, VegasRoundTrip, VegasRules,
};

/// Options of TCP Vegas, thresholds and windows in packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VegasOptions {
    /// Whose algorithm, and the defaults of the other keys but the thresholds.
    pub rules: VegasRules,
    /// The window grows while the rates differ by less than so many packets.
    pub alpha: u32,
    /// The window shrinks while they differ by more.
    pub beta: u32,
    /// Slow start ends when they differ by more.
    pub gamma: u32,
    /// How the difference of the rates meets the thresholds.
    pub diff: VegasDiff,
    /// From what the two rates are computed.
    pub rates: VegasRates,
    /// Which round-trip time stands for a round.
    pub round_trip: VegasRoundTrip,
    /// How the window grows in congestion avoidance.
    pub increase: VegasIncrease,
    /// How the base round-trip time follows the measured ones.
    pub base_rtt: VegasBaseRtt,
    /// What the handshake teaches the fine-grained clock.
    pub handshake: VegasHandshake,
    /// The window until the first data is acknowledged.
    pub first_flight: VegasFirstFlight,
    /// What becomes of the records of acknowledged packets.
    pub records: VegasRecords,
    /// How long the fine-grained timeout is.
    pub fine_timeout: VegasFineTimeout,
    /// How the inflation of the window ends after a repair.
    pub deflation: VegasDeflation,
    /// Which packet the first two ACKs after a repair may repeat.
    pub recheck: VegasRecheck,
    /// A repair doubles the retransmission timeout, as a timeout does (ns-2).
    pub backs_off_at_repair: bool,
    /// Congestion window after a timeout, in packets.
    pub after_timeout: u32,
    /// A timeout begins a new round (not in ns-2).
    pub new_round_after_timeout: bool,
}
