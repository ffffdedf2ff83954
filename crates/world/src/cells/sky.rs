//! How strong signals between base stations and mobiles are: path loss, shadowing, blackouts, and
//! stations that are off.
//!
//! Invariant: the same for both ways.

use super::{MobileAt, StationAt};
use acklab_base::Instant;
use acklab_radio::{Level, PathLoss};
use acklab_scenario::Blackout;

/// What lies between stations and mobiles.
#[derive(Debug)]
pub(super) struct Sky {
    pub(super) loss: PathLoss,
    /// Least level at which anything is received.
    pub(super) reception: Level,
    pub(super) blackouts: Vec<Blackout>,
}

impl Sky {
    /// How strong the signal of a station, given with its number, is at a mobile, and the other way.
    pub(super) fn level(
        &self,
        now: Instant,
        (at, station): (&StationAt, usize),
        mobile: &mut MobileAt,
    ) -> Level {
        if at.is_off(now) {
            return Level::SILENCE;
        }
        let spot = mobile.track.spot(now);
        let mut level = self.loss.level(at.spot, spot).0;
        if let Some(shadow) = &mut mobile.pairs[station].shadow {
            level += shadow.at(mobile.track.travelled_nm(now)).0;
        }
        let after = now.saturating_since(Instant::ZERO);
        let weakest = self
            .blackouts
            .iter()
            .filter(|blackout| blackout.holds(after, spot));
        for blackout in weakest {
            level -= Level::of_watts(blackout.depth * 1e-3).0;
        }
        Level(level)
    }
}
