//! Options of TCP Vegas.

use super::Filling;
use crate::document_vegas::{
    VegasBaseRtt, VegasDeflation, VegasDiff, VegasFineTimeout, VegasFirstFlight, VegasHandshake,
    VegasIncrease, VegasRates, VegasRecheck, VegasRecords, VegasRoundTrip, VegasRules, VegasTable,
};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::resolved_vegas::VegasOptions;

/// ns-2.35's choices.
const NS2: VegasOptions = VegasOptions {
    rules: VegasRules::Ns2,
    alpha: 1,
    beta: 3,
    gamma: 1,
    diff: VegasDiff::Rounded,
    rates: VegasRates::InFlight,
    round_trip: VegasRoundTrip::Mean,
    increase: VegasIncrease::PerAck,
    base_rtt: VegasBaseRtt::ReplacedWhenAlone,
    handshake: VegasHandshake::Sampled,
    first_flight: VegasFirstFlight::OneSegment,
    records: VegasRecords::KeptAtRingEnd,
    fine_timeout: VegasFineTimeout::Tight,
    deflation: VegasDeflation::ToLastCut,
    recheck: VegasRecheck::Any,
    backs_off_at_repair: true,
    after_timeout: 2,
    new_round_after_timeout: false,
};

/// The published ones.
const PUBLISHED: VegasOptions = VegasOptions {
    rules: VegasRules::Published,
    alpha: 1,
    beta: 3,
    gamma: 1,
    diff: VegasDiff::Real,
    rates: VegasRates::Window,
    round_trip: VegasRoundTrip::Latest,
    increase: VegasIncrease::PerRound,
    base_rtt: VegasBaseRtt::Minimum,
    handshake: VegasHandshake::Ignored,
    first_flight: VegasFirstFlight::InitialWindow,
    records: VegasRecords::Cleared,
    fine_timeout: VegasFineTimeout::Jacobson,
    deflation: VegasDeflation::Whole,
    recheck: VegasRecheck::UnderWay,
    backs_off_at_repair: false,
    after_timeout: 1,
    new_round_after_timeout: true,
};

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
    let mut options = VegasOptions {
        rules,
        alpha,
        beta,
        gamma,
        ..PUBLISHED
    };
    let mut fill = Fill {
        filling,
        key,
        rules,
    };
    fill.window(&given, &mut options);
    fill.losses(&given, &mut options);
    Ok(options)
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
    /// How the window is steered.
    fn window(&mut self, given: &VegasTable, into: &mut VegasOptions) {
        let here = given.diff;
        into.diff = self.pick("diff", here, |v| v.diff, "elrakabawy2005, footnote 1");
        let here = given.rates;
        into.rates = self.pick("rates", here, |v| v.rates, "elrakabawy2005 §3.1");
        let here = given.round_trip;
        into.round_trip = self.pick(
            "round_trip",
            here,
            |v| v.round_trip,
            "elrakabawy2005 §3.1: the most recent RTT",
        );
        let here = given.increase;
        into.increase = self.pick(
            "increase",
            here,
            |v| v.increase,
            "elrakabawy2005 §3.1: W + 1 once every RTT",
        );
        let here = given.base_rtt;
        into.base_rtt = self.pick(
            "base_rtt",
            here,
            |v| v.base_rtt,
            "Brakmo and Peterson 1995 §III.B",
        );
        let here = given.handshake;
        into.handshake = self.pick(
            "handshake",
            here,
            |v| v.handshake,
            "a SYN is not a packet of data",
        );
        let here = given.first_flight;
        into.first_flight = self.pick("first_flight", here, |v| v.first_flight, "RFC 5681 §3.1");
    }

    /// How losses are found and repaired.
    fn losses(&mut self, given: &VegasTable, into: &mut VegasOptions) {
        let here = given.records;
        into.records = self.pick(
            "records",
            here,
            |v| v.records,
            "Brakmo and Peterson 1995 §III.A",
        );
        let here = given.fine_timeout;
        into.fine_timeout = self.pick("fine_timeout", here, |v| v.fine_timeout, "Jacobson 1988");
        let here = given.deflation;
        into.deflation = self.pick("deflation", here, |v| v.deflation, "RFC 5681 §3.2 step 6");
        let here = given.recheck;
        into.recheck = self.pick(
            "recheck",
            here,
            |v| v.recheck,
            "Brakmo and Peterson 1995 §III.A",
        );
        let here = given.backs_off_at_repair;
        into.backs_off_at_repair = self.pick(
            "backs_off_at_repair",
            here,
            |v| v.backs_off_at_repair,
            "RFC 6298 §5",
        );
        let here = given.after_timeout;
        into.after_timeout = self.pick(
            "after_timeout",
            here,
            |v| v.after_timeout,
            "elrakabawy2005, table 1",
        );
        let here = given.new_round_after_timeout;
        into.new_round_after_timeout = self.pick(
            "new_round_after_timeout",
            here,
            |v| v.new_round_after_timeout,
            "its end was sent before the loss",
        );
    }

    /// The option `name`; `why` is the source of the published choice.
    fn pick<T: PartialEq>(
        &mut self,
        name: &str,
        given: Option<T>,
        of: fn(&VegasOptions) -> T,
        why: &str,
    ) -> T {
        let (options, why) = match self.rules {
            VegasRules::Ns2 => (&NS2, "ns-2.35's Vegas"),
            VegasRules::Published => (&PUBLISHED, why),
        };
        let default = super::fixed(of(options), why);
        let key = format!("{}.{name}", self.key);
        self.filling.pick(&key, given, default)
    }
}
