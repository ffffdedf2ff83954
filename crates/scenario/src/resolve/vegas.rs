//! Options of TCP Vegas.

use super::{Filled, Filling};
use crate::document::Profile;
use crate::document_vegas::{
    VegasBaseRtt, VegasDeflation, VegasDiff, VegasFineTimeout, VegasFirstFlight, VegasHandshake,
    VegasIncrease, VegasRates, VegasRecheck, VegasRecords, VegasRoundTrip, VegasRules, VegasTable,
};
use crate::error::ScenarioError;
use crate::resolved::Source;
use crate::resolved_vegas::VegasOptions;

/// Fills the options of a Vegas sender.
pub(super) fn vegas(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<&VegasTable>,
    profile: Profile,
) -> Result<VegasOptions, ScenarioError> {
    let given = given.cloned().unwrap_or_default();
    let rules = filling.pick(
        &format!("{key}.rules"),
        given.rules,
        super::by(
            profile,
            (VegasRules::Ns2, "Agent/TCP/Vegas"),
            (VegasRules::Published, "Brakmo and Peterson 1995"),
        ),
    );
    let [alpha, beta, gamma] = thresholds(filling, key, &given)?;
    let mut fill = Fill {
        filling,
        key,
        rules,
    };
    Ok(VegasOptions {
        rules,
        alpha,
        beta,
        gamma,
        diff: fill.pick(
            "diff",
            given.diff,
            VegasDiff::Rounded,
            (VegasDiff::Real, "elrakabawy2005, footnote 1"),
        ),
        rates: fill.pick(
            "rates",
            given.rates,
            VegasRates::InFlight,
            (VegasRates::Window, "elrakabawy2005 §3.1"),
        ),
        round_trip: fill.pick(
            "round_trip",
            given.round_trip,
            VegasRoundTrip::Mean,
            (
                VegasRoundTrip::Latest,
                "elrakabawy2005 §3.1: the most recent RTT",
            ),
        ),
        increase: fill.pick(
            "increase",
            given.increase,
            VegasIncrease::PerAck,
            (
                VegasIncrease::PerRound,
                "elrakabawy2005 §3.1: W + 1 once every RTT",
            ),
        ),
        base_rtt: fill.pick(
            "base_rtt",
            given.base_rtt,
            VegasBaseRtt::ReplacedWhenAlone,
            (VegasBaseRtt::Minimum, "Brakmo and Peterson 1995 §III.B"),
        ),
        handshake: fill.pick(
            "handshake",
            given.handshake,
            VegasHandshake::Sampled,
            (VegasHandshake::Ignored, "a SYN is not a packet of data"),
        ),
        first_flight: fill.pick(
            "first_flight",
            given.first_flight,
            VegasFirstFlight::OneSegment,
            (VegasFirstFlight::InitialWindow, "RFC 5681 §3.1"),
        ),
        records: fill.pick(
            "records",
            given.records,
            VegasRecords::KeptAtRingEnd,
            (VegasRecords::Cleared, "Brakmo and Peterson 1995 §III.A"),
        ),
        fine_timeout: fill.pick(
            "fine_timeout",
            given.fine_timeout,
            VegasFineTimeout::Tight,
            (VegasFineTimeout::Jacobson, "Jacobson 1988"),
        ),
        deflation: fill.pick(
            "deflation",
            given.deflation,
            VegasDeflation::ToLastCut,
            (VegasDeflation::Whole, "RFC 5681 §3.2 step 6"),
        ),
        recheck: fill.pick(
            "recheck",
            given.recheck,
            VegasRecheck::Any,
            (VegasRecheck::UnderWay, "Brakmo and Peterson 1995 §III.A"),
        ),
        backs_off_at_repair: fill.pick(
            "backs_off_at_repair",
            given.backs_off_at_repair,
            true,
            (false, "RFC 6298 §5: only a timeout backs off"),
        ),
        after_timeout: fill.pick(
            "after_timeout",
            given.after_timeout,
            2,
            (1, "elrakabawy2005, table 1"),
        ),
        new_round_after_timeout: fill.pick(
            "new_round_after_timeout",
            given.new_round_after_timeout,
            false,
            (
                true,
                "the segment that would end the round was sent before the loss",
            ),
        ),
    })
}

/// Alpha, beta, gamma.
fn thresholds(
    filling: &mut Filling<'_>,
    key: &str,
    given: &VegasTable,
) -> Result<[u32; 3], ScenarioError> {
    let why = |value| {
        super::fixed(
            value,
            "Brakmo and Peterson 1995 §IV, and v_alpha_, v_beta_, v_gamma_",
        )
    };
    let alpha = filling.pick(&format!("{key}.alpha"), given.alpha, why(1));
    let beta_key = format!("{key}.beta");
    let beta = filling.pick(&beta_key, given.beta, why(3));
    let gamma = filling.pick(&format!("{key}.gamma"), given.gamma, why(1));
    if beta < alpha {
        let message = "below alpha: the window would grow and shrink at once";
        let accepted = format!("at least {key}.alpha = {alpha}");
        return Err(filling.error(&beta_key, Some(&beta), message, accepted));
    }
    Ok([alpha, beta, gamma])
}

/// Fills one option after the other.
struct Fill<'a, 'b> {
    filling: &'a mut Filling<'b>,
    key: &'a str,
    rules: VegasRules,
}

impl Fill<'_, '_> {
    fn pick<T: PartialEq>(
        &mut self,
        name: &str,
        given: Option<T>,
        ns2: T,
        published: (T, &str),
    ) -> T {
        let default: Filled<T> = match self.rules {
            VegasRules::Ns2 => (ns2, Source::Default("ns-2.35's Vegas".to_owned())),
            VegasRules::Published => (published.0, Source::Default(published.1.to_owned())),
        };
        self.filling
            .pick(&format!("{}.{name}", self.key), given, default)
    }
}
