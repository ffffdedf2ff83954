//! One straight stretch of a track in floating point, for who asks often and can do with a
//! thousandth of a millimetre.
//!
//! It is no place of its own: [`Track::spot`] is exact and decides. The one invariant: while it
//! holds, [`Leg::place`] is never farther than 20 nm from that spot, as long as coordinates stay
//! below 2000 km.

use super::{Spot, Track};
use acklab_base::{Duration, Instant};

/// A straight stretch of a track, in metres.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Leg {
    /// When it begins.
    pub(crate) from: Instant,
    /// When the next one begins.
    pub(crate) until: Instant,
    start_m: [f64; 2],
    /// Metres in a nanosecond.
    pace_m: [f64; 2],
}

impl Leg {
    /// Whether it says where the node is.
    pub(crate) fn holds(&self, now: Instant) -> bool {
        self.from <= now && now < self.until
    }

    /// Where the node is, in metres. Only while it holds.
    pub(crate) fn place(&self, now: Instant) -> [f64; 2] {
        // Signed integers take a single step to become floating point.
        let into = (now.as_nanos() as i64 - self.from.as_nanos() as i64) as f64;
        [0, 1].map(|axis| self.start_m[axis] + self.pace_m[axis] * into)
    }

    /// Rest for ever.
    fn rest(from: Instant, spot: Spot) -> Self {
        Self {
            from,
            until: Instant::NEVER,
            start_m: metres(spot),
            pace_m: [0.0; 2],
        }
    }
}

fn metres(spot: Spot) -> [f64; 2] {
    [spot.x_nm, spot.y_nm].map(|nm| nm as f64 / 1e9)
}

impl Track {
    /// The stretch that holds `now`.
    pub(crate) fn leg(&self, now: Instant) -> Leg {
        let (rounds, into) = self.round(now);
        let next = self.knots.partition_point(|knot| knot.at <= into);
        // The first knot is at zero.
        let Some(&first) = next
            .checked_sub(1)
            .and_then(|before| self.knots.get(before))
        else {
            return Leg::rest(Instant::ZERO, Spot { x_nm: 0, y_nm: 0 });
        };
        let period = self.knots.last().map_or(Duration::ZERO, |last| last.at);
        let start = Instant::ZERO + period * rounds;
        let Some(&second) = self.knots.get(next) else {
            return Leg::rest(start + first.at, first.spot);
        };
        let nanos = second.at.saturating_sub(first.at).as_nanos() as f64;
        let way = Spot {
            x_nm: second.spot.x_nm - first.spot.x_nm,
            y_nm: second.spot.y_nm - first.spot.y_nm,
        };
        Leg {
            from: start + first.at,
            until: start + second.at,
            start_m: metres(first.spot),
            pace_m: metres(way).map(|metres| metres / nanos),
        }
    }
}
