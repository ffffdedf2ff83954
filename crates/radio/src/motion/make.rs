//! Tracks of the common kinds: rest, straight, back and forth, random waypoint.

use super::{Knot, Speed, Spot, Track};
use acklab_base::{Duration, Stream};

/// What random waypoint needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomWaypoint {
    /// The south-western corner of the area.
    pub corner: Spot,
    /// Its extent.
    pub size: Spot,
    /// Speeds are drawn evenly between these; the first is above zero, so that the mean speed
    /// does not die away.
    pub speeds: [Speed; 2],
    /// Rest at each waypoint.
    pub pause: Duration,
    /// Waypoints are drawn up to this time.
    pub until: Duration,
}

/// A draw from a stretch of this length.
fn along(draws: &mut Stream, size: i64) -> i64 {
    let bits = u128::from(draws.bits64());
    ((bits * u128::from(size.unsigned_abs())) >> 64) as i64
}

impl RandomWaypoint {
    /// A place in the area.
    fn place(&self, draws: &mut Stream) -> Spot {
        Spot {
            x_nm: self.corner.x_nm + along(draws, self.size.x_nm),
            y_nm: self.corner.y_nm + along(draws, self.size.y_nm),
        }
    }
}

impl Track {
    /// A node that stays.
    #[must_use]
    pub fn resting(spot: Spot) -> Self {
        Self::through(&[Knot {
            at: Duration::ZERO,
            spot,
        }])
    }

    /// A node that goes from one place to another and stays there.
    #[must_use]
    pub fn straight(from: Spot, to: Spot, speed: Speed) -> Self {
        Self::through(&[
            Knot {
                at: Duration::ZERO,
                spot: from,
            },
            Knot {
                at: speed.time_for(from.distance_nm(to)),
                spot: to,
            },
        ])
    }

    /// A node that goes to and fro for ever, from the first place, and turns at once. The way
    /// back takes exactly as long as the way there, as far as time can be counted.
    #[must_use]
    pub fn back_and_forth(ends: [Spot; 2], speed: Speed) -> Self {
        let one_way = speed.time_for(ends[0].distance_nm(ends[1]));
        let knot = |at, spot| Knot { at, spot };
        let mut track = Self::through(&[
            knot(Duration::ZERO, ends[0]),
            knot(one_way, ends[1]),
            knot(one_way.saturating_add(one_way), ends[0]),
        ]);
        track.repeats = true;
        track
    }

    /// A node that goes from point to point of an area, each drawn evenly, at a speed drawn for
    /// each stretch (Johnson and Maltz 1996). One waypoint is three draws; where it starts is drawn
    /// first.
    #[must_use]
    pub fn random_waypoint(rules: &RandomWaypoint, draws: &mut Stream) -> Self {
        let start = rules.place(draws);
        Self::random_waypoint_from(start, rules, draws)
    }

    /// The same where the start is given.
    #[must_use]
    pub fn random_waypoint_from(start: Spot, rules: &RandomWaypoint, draws: &mut Stream) -> Self {
        let mut at = Duration::ZERO;
        let mut here = start;
        let mut knots = vec![Knot { at, spot: here }];
        while at < rules.until {
            let there = rules.place(draws);
            let [least, most] = rules.speeds.map(|speed| speed.0);
            let above = along(draws, (most - least) as i64) as u64;
            let takes = Speed(least + above).time_for(here.distance_nm(there));
            // A stretch may outlast what time can count; nothing comes behind it then.
            at = at.saturating_add(takes.max(Duration::from_nanos(1)));
            knots.push(Knot { at, spot: there });
            at = at.saturating_add(rules.pause);
            knots.push(Knot { at, spot: there });
            here = there;
        }
        Self::through(&knots)
    }
}
