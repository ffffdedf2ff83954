//! How strong signals between base stations and mobiles are: path loss, shadowing, blackouts, and
//! stations that are off.
//!
//! Invariant: the same for both ways.

use super::{MobileAt, StationAt};
use acklab_base::Instant;
use acklab_radio::{Level, PathLoss, Spot};
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
        let weakest = self
            .blackouts
            .iter()
            .filter(|blackout| holds(blackout, now, spot));
        for blackout in weakest {
            level -= Level::of_watts(blackout.depth * 1e-3).0;
        }
        Level(level)
    }
}

/// Whether a blackout concerns a place at an instant.
fn holds(blackout: &Blackout, now: Instant, spot: Spot) -> bool {
    let now = now.saturating_since(Instant::ZERO);
    let during = blackout
        .during
        .is_none_or(|[from, until]| from <= now && now < until);
    let inside = blackout.area.is_none_or(|corners| {
        let [low, high] = corners.map(|at| Spot::from_mm(at.x_mm, at.y_mm));
        let within = |low: i64, at: i64, high: i64| low <= at && at <= high;
        within(low.x_nm, spot.x_nm, high.x_nm) && within(low.y_nm, spot.y_nm, high.y_nm)
    });
    during && inside
}
