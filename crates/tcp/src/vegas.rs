//! Parameters of TCP Vegas, and the two profiles that fill them: `published` and `ns2`.
//!
//! What ns-2.35 does differently from the published algorithm is one field each, so that the effect
//! of each can be shown; docs/models/tcp-vegas.md lists them. The invariant: every value that the
//! fields can hold makes a working sender.

/// What Vegas makes of the difference of the rates, once a round of congestion avoidance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Below α: the window grows.
    Grow,
    /// Between the thresholds: it stays.
    Hold,
    /// Above β: it shrinks.
    Shrink,
}

/// How the difference between expected and actual rate is compared with the thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Diff {
    /// As the real number that it is: to hold the window is then rare (ElRakabawy et al. 2005,
    /// footnote 1).
    Real,
    /// Rounded to the nearest whole segment (ns-2).
    Rounded,
}

/// From what the two rates are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rates {
    /// Both from the window: W/baseRTT and W/RTT (ElRakabawy et al. 2005 §3.1; Low et al. 2001).
    Window,
    /// Expected from what is under way after the ACK, actual from what was sent during the round
    /// (ns-2).
    InFlight,
}

/// Which round-trip time stands for a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundTrip {
    /// That of the segment whose ACK ends the round; without a valid one nothing is decided.
    Latest,
    /// The mean of the samples taken since the last decision, or, without any, the length of the
    /// round (ns-2).
    Mean,
}

/// How the window grows in congestion avoidance when too little is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Increase {
    /// One segment when the round ends (ElRakabawy et al. 2005 §3.1: W + 1 once a round).
    PerRound,
    /// 1/cwnd for each ACK of the next round, with the window as it is at the decision: fewer
    /// ACKs, slower growth. Neither this nor slow start grows a window of which more than two
    /// segments are unused (ns-2).
    PerAck,
}

/// How the base round-trip time follows the measured ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseRtt {
    /// The smallest (Brakmo and Peterson 1995 §III.B).
    Minimum,
    /// The smallest, but a round in which only one segment was sent replaces it, also upwards
    /// (ns-2).
    ReplacedWhenAlone,
}

/// What happens to the records of acknowledged segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Records {
    /// They are cleared.
    Cleared,
    /// They lie in a ring as large as the receiver's window, and those of an ACK whose range
    /// passes the ring's end stay: the segments that use these places next look as if they had
    /// been sent twice, give no sample and are cut harder (ns-2).
    KeptAtRingEnd,
}

/// How long the fine-grained timeout is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FineTimeout {
    /// srtt + 4 × deviation (Jacobson 1988), with the exact times.
    Jacobson,
    /// 17/16 × (srtt + 2 × deviation), before the first sample 1.5 × the handshake's time (ns-2).
    Tight,
}

/// How fast recovery's inflation of the window ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deflation {
    /// It goes with the next new ACK.
    Whole,
    /// It goes, and the window falls to what the last cut left (nothing, before the first cut and
    /// after a timeout), if more than the threshold of duplicates came; otherwise it stays in the
    /// window (ns-2).
    ToLastCut,
}

/// Which segment the check after a retransmission may send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// One that is under way.
    UnderWay,
    /// Whatever follows the ACK: it may not have been sent yet, is sent then, and once more in
    /// its turn (ns-2).
    Any,
}

/// What the fine-grained clock learns from the handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handshake {
    /// Nothing: a SYN is shorter than a data segment, so its round trip is not theirs.
    Ignored,
    /// The time since the first SYN, searches for a route and lost SYNs included, is the first
    /// base round-trip time and the first fine-grained timeout's measure (ns-2).
    Sampled,
}

/// The window from the handshake to the first data's ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstFlight {
    /// The initial window.
    InitialWindow,
    /// One segment; its ACK opens the initial window (ns-2).
    OneSegment,
}

/// Parameters of TCP Vegas.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VegasConfig {
    /// Below so many segments of difference the window grows.
    pub alpha: f64,
    /// Above so many it shrinks. Not below `alpha`.
    pub beta: f64,
    /// Above so many slow start ends.
    pub gamma: f64,
    /// How the difference is taken.
    pub diff: Diff,
    /// From what the rates are computed.
    pub rates: Rates,
    /// Which round-trip time stands for a round.
    pub round_trip: RoundTrip,
    /// How the window grows.
    pub increase: Increase,
    /// How the base round-trip time follows.
    pub base_rtt: BaseRtt,
    /// What the handshake teaches.
    pub handshake: Handshake,
    /// The first window of data.
    pub first_flight: FirstFlight,
    /// What becomes of records.
    pub records: Records,
    /// How long the fine-grained timeout is.
    pub fine_timeout: FineTimeout,
    /// How inflation ends.
    pub deflation: Deflation,
    /// What the check after a retransmission may send.
    pub recheck: Recheck,
    /// A repair backs the retransmission timer off, as a timeout does (ns-2).
    pub backs_off_at_repair: bool,
    /// The window after a timeout, in segments. Not zero.
    pub after_timeout: u32,
    /// A timeout begins a new round. Otherwise the old one goes on until its segment is
    /// acknowledged, which was sent before the loss (ns-2).
    pub new_round_after_timeout: bool,
}

impl VegasConfig {
    /// The algorithm of Brakmo and Peterson 1995 with their thresholds 1, 3 and 1; W ± 1 once a round
    /// from W/baseRTT − W/RTT as ElRakabawy et al. 2005 §3.1 write it.
    #[must_use]
    pub const fn published() -> Self {
        Self {
            alpha: 1.0,
            beta: 3.0,
            gamma: 1.0,
            diff: Diff::Real,
            rates: Rates::Window,
            round_trip: RoundTrip::Latest,
            increase: Increase::PerRound,
            base_rtt: BaseRtt::Minimum,
            handshake: Handshake::Ignored,
            first_flight: FirstFlight::InitialWindow,
            records: Records::Cleared,
            fine_timeout: FineTimeout::Jacobson,
            deflation: Deflation::Whole,
            recheck: Recheck::UnderWay,
            backs_off_at_repair: false,
            after_timeout: 1,
            new_round_after_timeout: true,
        }
    }

    /// ns-2.35's Vegas agent with its defaults.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            alpha: 1.0,
            beta: 3.0,
            gamma: 1.0,
            diff: Diff::Rounded,
            rates: Rates::InFlight,
            round_trip: RoundTrip::Mean,
            increase: Increase::PerAck,
            base_rtt: BaseRtt::ReplacedWhenAlone,
            handshake: Handshake::Sampled,
            first_flight: FirstFlight::OneSegment,
            records: Records::KeptAtRingEnd,
            fine_timeout: FineTimeout::Tight,
            deflation: Deflation::ToLastCut,
            recheck: Recheck::Any,
            backs_off_at_repair: true,
            after_timeout: 2,
            new_round_after_timeout: false,
        }
    }

    /// The same with other thresholds, in segments.
    #[must_use]
    pub const fn with_thresholds(mut self, alpha: f64, beta: f64, gamma: f64) -> Self {
        self.alpha = alpha;
        self.beta = beta;
        self.gamma = gamma;
        self
    }
}
