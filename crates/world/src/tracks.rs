//! Tracks of nodes that move, from the words of a scenario.
//!
//! Chance has the address (seed, run, node, motion): how a node moves hangs on nothing else. The
//! one invariant: a node with a radio starts where the scenario's list of places has it.

use acklab_base::{Duration, NodeId, Purpose, Stream};
use acklab_radio::motion::setdest;
use acklab_radio::{Knot, RandomWaypoint, Reach, Speed, Spot, Track};
use acklab_scenario::{Motion, Position, Resolved};

pub(crate) fn spot(position: Position) -> Spot {
    Spot::from_mm(position.x_mm, position.y_mm)
}

/// The network with its nodes on their tracks; as it is if none moves.
pub(crate) fn set_moving(
    reach: Reach,
    resolved: &Resolved,
    draws: &impl Fn(u32, Purpose) -> Stream,
) -> Reach {
    let rests = |motion: &Motion| matches!(motion, Motion::Resting(_));
    if resolved.moving.iter().all(|entry| rests(&entry.motion)) {
        return reach;
    }
    let starts: Vec<Spot> = resolved.positions.iter().copied().map(spot).collect();
    let mut tracks: Vec<Track> = starts.iter().copied().map(Track::resting).collect();
    for entry in &resolved.moving {
        if let Motion::Setdest {
            script,
            script_node: None,
        } = &entry.motion
        {
            let scripted = setdest::read_for(script, &starts).unwrap_or_default();
            for node in &entry.nodes {
                if let Some(track) = scripted.get(node.index()) {
                    tracks[node.index()] = track.clone();
                }
            }
            continue;
        }
        for &node in &entry.nodes {
            let start = Some(starts[node.index()]);
            let mut chance = draws(node.0, Purpose::Motion);
            tracks[node.index()] =
                track((&entry.motion, node), start, resolved.duration, &mut chance);
        }
    }
    reach.on_tracks(tracks)
}

/// The track of one node; `start` is where it stands if its motion leaves that open.
pub(crate) fn track(
    (motion, node): (&Motion, NodeId),
    start: Option<Spot>,
    duration: Duration,
    chance: &mut Stream,
) -> Track {
    match motion {
        &Motion::Resting(position) => Track::resting(spot(position)),
        &Motion::Straight { ends, speed } => {
            Track::straight(spot(ends[0]), spot(ends[1]), Speed(speed))
        }
        &Motion::BackAndForth { ends, speed } => {
            Track::back_and_forth(ends.map(spot), Speed(speed))
        }
        Motion::Waypoints(points) => {
            let knots = points.iter().map(|&(at, place)| Knot {
                at,
                spot: spot(place),
            });
            Track::through(&knots.collect::<Vec<_>>())
        }
        &Motion::RandomWaypoint {
            corner,
            size,
            speeds,
            pause,
        } => {
            let rules = RandomWaypoint {
                corner: spot(corner),
                size: spot(size),
                speeds: speeds.map(Speed),
                pause,
                until: duration,
            };
            match start {
                Some(start) => Track::random_waypoint_from(start, &rules, chance),
                None => Track::random_waypoint(&rules, chance),
            }
        }
        Motion::Setdest {
            script,
            script_node,
        } => {
            let tracks = setdest::read(script).unwrap_or_default();
            let number = script_node.unwrap_or(node.0) as usize;
            let track = tracks.into_iter().nth(number);
            track.unwrap_or_else(|| Track::resting(start.unwrap_or(Spot { x_nm: 0, y_nm: 0 })))
        }
    }
}
