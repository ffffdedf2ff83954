//! Pilot signals of base stations: level by path loss, shadowing on the road, blackouts.
//!
//! Levels are whole thousandths of a dBm, so that comparing them is exact. Path loss is
//! log-distance (Rappaport, *Wireless Communications*, §4.9): so many dB for each tenfold distance
//! beyond a reference. Shadowing is log-normal and correlated along the road (Gudmundson 1991): a
//! first-order process whose correlation falls to 1/e over the decorrelation distance, in steps of
//! a quarter of that. It draws by distance travelled, so no scheme changes it. Not modelled: fast
//! fading. Invariant: without shadowing a level depends on distance alone and falls with it.

use crate::motion::Spot;
use acklab_base::{Stream, math};

/// A level in thousandths of a dBm.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(pub i32);

impl Level {
    /// Nothing is heard.
    pub const SILENCE: Self = Self(i32::MIN / 2);

    /// The level of a power in watts, rounded.
    #[must_use]
    pub fn of_watts(watts: f64) -> Self {
        Self((10_000.0 * math::log10(watts * 1e3)).round() as i32)
    }

    /// In dBm.
    #[must_use]
    pub fn dbm(self) -> f64 {
        f64::from(self.0) / 1e3
    }
}

/// How a pilot falls with distance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PathLoss {
    /// The level at the reference distance, and nearer.
    pub at_reference: Level,
    /// The reference distance in metres.
    pub reference_m: f64,
    /// The exponent: 10 × this many dB for each tenfold distance.
    pub exponent: f64,
}

impl PathLoss {
    /// The level at `spot` of a station at `station`.
    #[must_use]
    pub fn level(&self, station: Spot, spot: Spot) -> Level {
        let distance = station.distance_m(spot);
        if distance <= self.reference_m {
            return self.at_reference;
        }
        let loss = 10_000.0 * self.exponent * math::log10(distance / self.reference_m);
        Level(self.at_reference.0 - loss.round() as i32)
    }

    /// The distance in nanometres at which the level is `level`; nothing for levels that are not
    /// reached anywhere.
    #[must_use]
    pub fn radius_nm(&self, level: Level) -> Option<u64> {
        if level > self.at_reference {
            return None;
        }
        let tenfolds = f64::from(self.at_reference.0 - level.0) / (10_000.0 * self.exponent);
        Some((self.reference_m * math::pow(10.0, tenfolds) * 1e9).round() as u64)
    }
}

/// Shadowing of one station's pilot on the road of one mobile.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// Standard deviation in dB.
    deviation_db: f64,
    /// Length of a step of the process, in nanometres.
    step_nm: u64,
    draws: Stream,
    /// Steps that were drawn.
    steps: u64,
    /// In standard deviations.
    value: f64,
}

/// Steps of the process in a decorrelation distance.
const STEPS: u64 = 4;

impl Shadow {
    /// A process that stands at its first draw.
    #[must_use]
    pub fn new(deviation_db: f64, decorrelation_nm: u64, mut draws: Stream) -> Self {
        let value = draws.normal();
        Self {
            deviation_db,
            step_nm: (decorrelation_nm / STEPS).max(1),
            draws,
            steps: 0,
            value,
        }
    }

    /// What is to be added to a level after so long a road, which must not get shorter.
    pub fn at(&mut self, travelled_nm: u64) -> Level {
        let correlation = math::pow(std::f64::consts::E, -1.0 / STEPS as f64);
        let fresh = (1.0 - correlation * correlation).sqrt();
        while self.steps < travelled_nm / self.step_nm {
            self.steps += 1;
            self.value = correlation * self.value + fresh * self.draws.normal();
        }
        Level((self.value * self.deviation_db * 1e3).round() as i32)
    }
}
