//! When a node on its track enters or leaves a circle: for a signal whose level depends on distance
//! alone, when the level is crossed.
//!
//! On a straight stretch the distance to a point falls and then rises. The turning point and the
//! two crossings are found by bisection over whole nanoseconds with whole nanometres, so the result
//! is the first nanosecond on the other side, the same on every platform.

use super::{Spot, Track, between};
use acklab_base::{Duration, Instant};

/// A node enters or leaves a circle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// The first instant on the other side.
    pub at: Instant,
    /// Whether it is inside from then on.
    pub inward: bool,
}

impl Track {
    /// All crossings of the circle around `centre` in `(from, until]`, in order of time. On the
    /// circle is inside.
    #[must_use]
    pub fn crossings(
        &self,
        centre: Spot,
        radius_nm: u64,
        (from, until): (Instant, Instant),
    ) -> Vec<Crossing> {
        let mut found = Vec::new();
        let period = self.knots.last().map_or(Duration::ZERO, |last| last.at);
        let (mut round, _) = self.round(from);
        loop {
            let start = Instant::ZERO + period * round;
            if start > until {
                return found;
            }
            for next in 1..self.knots.len() {
                // Stretches that are wholly before or behind the wanted time have nothing to tell.
                if start + self.knots[next].at <= from || start + self.knots[next - 1].at > until {
                    continue;
                }
                self.on_stretch(next, (centre, radius_nm), |at, inward| {
                    let at = start + at;
                    if at > from && at <= until {
                        found.push(Crossing { at, inward });
                    }
                });
            }
            if !self.repeats || period == Duration::ZERO {
                return found;
            }
            round += 1;
        }
    }

    /// The crossings between the knot before `next` and that one.
    fn on_stretch(
        &self,
        next: usize,
        (centre, radius_nm): (Spot, u64),
        mut found: impl FnMut(Duration, bool),
    ) {
        let (from, to) = (self.knots[next - 1], self.knots[next]);
        let spot = |at: u64| between(&self.knots, next, Duration::from_nanos(at));
        let (start, end) = (from.at.as_nanos(), to.at.as_nanos());
        let step = |a: i64, b: i64| i128::from(b - a);
        // Below zero while the node comes nearer.
        let away = |at: u64| {
            let here = spot(at);
            step(centre.x_nm, here.x_nm) * step(from.spot.x_nm, to.spot.x_nm)
                + step(centre.y_nm, here.y_nm) * step(from.spot.y_nm, to.spot.y_nm)
        };
        let nearest = first(start, end, |at| away(at) >= 0);
        let square = i128::from(radius_nm) * i128::from(radius_nm);
        let inside = |at: u64| spot(at).distance_squared(centre) <= square;
        if !inside(start) && inside(nearest) {
            found(Duration::from_nanos(first(start, nearest, inside)), true);
        }
        if inside(nearest) && !inside(end) {
            let outside = |at| !inside(at);
            found(Duration::from_nanos(first(nearest, end, outside)), false);
        }
    }
}

/// The first instant of `low..=high` for which `holds`, which once true stays true; `high` if
/// none.
fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
