//! A scenario's Vegas as the parameters of [`acklab_tcp`].

use acklab_scenario as scenario;
use acklab_tcp::vegas::{
    BaseRtt, Deflation, Diff, FineTimeout, FirstFlight, Handshake, Increase, Rates, Recheck,
    Records, RoundTrip, VegasConfig,
};

/// The options of Vegas.
pub(crate) fn vegas(options: &scenario::VegasOptions) -> VegasConfig {
    VegasConfig {
        alpha: f64::from(options.alpha),
        beta: f64::from(options.beta),
        gamma: f64::from(options.gamma),
        diff: match options.diff {
            scenario::VegasDiff::Real => Diff::Real,
            scenario::VegasDiff::Rounded => Diff::Rounded,
        },
        rates: match options.rates {
            scenario::VegasRates::Window => Rates::Window,
            scenario::VegasRates::InFlight => Rates::InFlight,
        },
        round_trip: match options.round_trip {
            scenario::VegasRoundTrip::Latest => RoundTrip::Latest,
            scenario::VegasRoundTrip::Mean => RoundTrip::Mean,
        },
        increase: match options.increase {
            scenario::VegasIncrease::PerRound => Increase::PerRound,
            scenario::VegasIncrease::PerAck => Increase::PerAck,
        },
        base_rtt: match options.base_rtt {
            scenario::VegasBaseRtt::Minimum => BaseRtt::Minimum,
            scenario::VegasBaseRtt::ReplacedWhenAlone => BaseRtt::ReplacedWhenAlone,
        },
        handshake: match options.handshake {
            scenario::VegasHandshake::Ignored => Handshake::Ignored,
            scenario::VegasHandshake::Sampled => Handshake::Sampled,
        },
        first_flight: match options.first_flight {
            scenario::VegasFirstFlight::InitialWindow => FirstFlight::InitialWindow,
            scenario::VegasFirstFlight::OneSegment => FirstFlight::OneSegment,
        },
        records: match options.records {
            scenario::VegasRecords::Cleared => Records::Cleared,
            scenario::VegasRecords::KeptAtRingEnd => Records::KeptAtRingEnd,
        },
        fine_timeout: match options.fine_timeout {
            scenario::VegasFineTimeout::Jacobson => FineTimeout::Jacobson,
            scenario::VegasFineTimeout::Tight => FineTimeout::Tight,
        },
        deflation: match options.deflation {
            scenario::VegasDeflation::Whole => Deflation::Whole,
            scenario::VegasDeflation::ToLastCut => Deflation::ToLastCut,
        },
        recheck: match options.recheck {
            scenario::VegasRecheck::UnderWay => Recheck::UnderWay,
            scenario::VegasRecheck::Any => Recheck::Any,
        },
        backs_off_at_repair: options.backs_off_at_repair,
        after_timeout: options.after_timeout,
        new_round_after_timeout: options.new_round_after_timeout,
    }
}
