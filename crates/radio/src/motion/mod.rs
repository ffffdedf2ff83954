//! Where a node that moves is: straight stretches between points, exact at any instant.
//!
//! A [`Track`] lists when the node is where; between two points it moves straight and evenly. It
//! may repeat for ever. There is no stepping: a place is worked out when somebody asks, in whole
//! nanometres, and the instant at which a node crosses a circle ([`Track::crossings`]) is found to
//! the nanosecond of time. It is not propagation: levels live in [`crate::cell`], and who hears whom
//! in [`crate::Reach`]. The one
//! invariant: a place depends on the track and the instant alone, never on what was asked before.

mod crossing;
mod leg;
mod make;
pub mod setdest;

pub use crossing::Crossing;
pub(crate) use leg::Leg;
pub use make::RandomWaypoint;

use acklab_base::{Duration, Instant};

/// Nanometres in a millimetre.
const MM: i64 = 1_000_000;

/// A place in the plane, in whole nanometres.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// East, in nanometres.
    pub x_nm: i64,
    /// North, in nanometres.
    pub y_nm: i64,
}

impl Spot {
    /// The place of these whole millimetres.
    #[must_use]
    pub const fn from_mm(x_mm: i64, y_mm: i64) -> Self {
        Self {
            x_nm: x_mm * MM,
            y_nm: y_mm * MM,
        }
    }

    /// The square of the distance to `other`, in square nanometres.
    #[must_use]
    pub const fn distance_squared(self, other: Self) -> i128 {
        let dx = (self.x_nm - other.x_nm) as i128;
        let dy = (self.y_nm - other.y_nm) as i128;
        dx * dx + dy * dy
    }

    /// The distance to `other` in nanometres, rounded down.
    #[must_use]
    pub fn distance_nm(self, other: Self) -> u64 {
        self.distance_squared(other).isqrt() as u64
    }

    /// The distance to `other` in metres: between whole millimetres, bit for bit what
    /// [`crate::Position::distance_m`] gives.
    #[must_use]
    pub fn distance_m(self, other: Self) -> f64 {
        let dx = (self.x_nm - other.x_nm) as f64 / 1e9;
        let dy = (self.y_nm - other.y_nm) as f64 / 1e9;
        (dx * dx + dy * dy).sqrt()
    }
}

/// A speed in nanometres per hour: kilometres per hour and decimal metres per second are both
/// whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Speed(pub u64);

impl Speed {
    /// How long a distance takes, rounded to the nearest nanosecond; a speed of zero takes for
    /// ever, and so does what takes longer than time can count.
    #[must_use]
    pub fn time_for(self, distance_nm: u64) -> Duration {
        const HOUR_NS: u128 = 3_600_000_000_000;
        if self.0 == 0 {
            return Duration::MAX;
        }
        let speed = u128::from(self.0);
        let nanos = (u128::from(distance_nm) * HOUR_NS + speed / 2) / speed;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// When a node is at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knot {
    /// When, counted from the start of the track.
    pub at: Duration,
    /// Where.
    pub spot: Spot,
}

/// How a node moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Track {
    /// Ascending in time, the first at zero.
    knots: Vec<Knot>,
    /// Metres travelled at each knot, in nanometres.
    travelled: Vec<u64>,
    /// Whether the last knot is the first of the next round.
    repeats: bool,
}

impl Track {
    /// A track through these points; the node rests before the first and behind the last. Points
    /// out of order are left out.
    #[must_use]
    pub fn through(points: &[Knot]) -> Self {
        let mut knots: Vec<Knot> = Vec::with_capacity(points.len() + 1);
        for &point in points {
            let at = knots.last().map_or(Duration::ZERO, |last| last.at);
            if knots.is_empty() && point.at > Duration::ZERO {
                knots.push(Knot {
                    at: Duration::ZERO,
                    ..point
                });
            }
            if point.at > at || knots.is_empty() {
                knots.push(point);
            }
        }
        let mut travelled = Vec::with_capacity(knots.len());
        let mut all = 0;
        for (index, knot) in knots.iter().enumerate() {
            if index > 0 {
                all += knots[index - 1].spot.distance_nm(knot.spot);
            }
            travelled.push(all);
        }
        Self {
            knots,
            travelled,
            repeats: false,
        }
    }

    /// Where the node is.
    #[must_use]
    pub fn spot(&self, now: Instant) -> Spot {
        let (_, into) = self.round(now);
        let next = self.knots.partition_point(|knot| knot.at <= into);
        between(&self.knots, next, into)
    }

    /// How far the node has travelled, in nanometres.
    #[must_use]
    pub fn travelled_nm(&self, now: Instant) -> u64 {
        let (rounds, into) = self.round(now);
        let next = self.knots.partition_point(|knot| knot.at <= into);
        let here = between(&self.knots, next, into);
        let before = next.saturating_sub(1);
        let all = self.travelled.last().copied().unwrap_or(0);
        let leg = self
            .knots
            .get(before)
            .map_or(0, |knot| knot.spot.distance_nm(here));
        rounds * all + self.travelled.get(before).copied().unwrap_or(0) + leg
    }

    /// Which round of a track that repeats, and how far into it.
    fn round(&self, now: Instant) -> (u64, Duration) {
        let since = now.saturating_since(Instant::ZERO);
        let period = self.knots.last().map_or(Duration::ZERO, |last| last.at);
        if !self.repeats || period == Duration::ZERO {
            return (0, since);
        }
        let rounds = since.whole(period);
        (rounds, since.saturating_sub(period * rounds))
    }
}

/// The place `into` the track when `next` is the first knot behind.
fn between(knots: &[Knot], next: usize, into: Duration) -> Spot {
    let Some(from) = next.checked_sub(1).and_then(|before| knots.get(before)) else {
        return knots
            .first()
            .map_or(Spot { x_nm: 0, y_nm: 0 }, |knot| knot.spot);
    };
    let Some(to) = knots.get(next) else {
        return from.spot;
    };
    let part = i128::from((into.saturating_sub(from.at)).as_nanos());
    let whole = i128::from((to.at.saturating_sub(from.at)).as_nanos());
    let mix = |a: i64, b: i64| a + (i128::from(b - a) * part / whole) as i64;
    Spot {
        x_nm: mix(from.spot.x_nm, to.spot.x_nm),
        y_nm: mix(from.spot.y_nm, to.spot.y_nm),
    }
}
