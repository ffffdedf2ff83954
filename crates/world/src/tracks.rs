//! Tracks of nodes that move, from the words of a scenario.
//!
//! Chance has the address (seed, run, node, motion): how a node moves hangs on nothing else. The
//! one invariant: a node with a radio starts where the scenario's list of places has it.

use acklab_base::{Address, Duration, Instant, NodeId, Purpose, Stream};
use acklab_radio::motion::setdest;
use acklab_radio::{Knot, RandomWaypoint, Reach, Speed, Spot, Track};
use acklab_scenario::{Motion, Position, Resolved, ScenarioError};
use std::collections::BTreeMap;

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
    reach.on_tracks(tracks(resolved, draws))
}

/// How every node with an 802.11 radio and a place of its own moves.
fn tracks(resolved: &Resolved, draws: &impl Fn(u32, Purpose) -> Stream) -> Vec<Track> {
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
    tracks
}

/// Refuses a run that draws a start where a mobile of cells hears no station.
pub(crate) fn check_starts(resolved: &Resolved, seed: u64, run: u32) -> Result<(), ScenarioError> {
    for (index, mobile) in resolved
        .cells
        .iter()
        .flat_map(|cells| cells.mobiles.iter().enumerate())
    {
        if matches!(mobile.motion, Motion::RandomWaypoint { .. }) {
            let node = mobile.node;
            let purpose = Purpose::Motion;
            let address = Address {
                seed,
                run,
                node,
                purpose,
            };
            let mut chance = address.open();
            let drawn = track((&mobile.motion, node), None, Duration::ZERO, &mut chance);
            let which = format!("run {run} of seed {seed}");
            resolved.check_start(index, drawn.spot(Instant::ZERO), &which)?;
        }
    }
    Ok(())
}

/// How the nodes of one run move, as a movement script of ns-2, up to the end of the run. Nodes
/// without a place, such as those of wires alone, are not in it.
#[must_use]
pub fn movement(resolved: &Resolved, seed: u64, run: u32) -> String {
    let draws = |node: u32, purpose: Purpose| {
        let node = NodeId(node);
        Address {
            seed,
            run,
            node,
            purpose,
        }
        .open()
    };
    let mut all = BTreeMap::new();
    if resolved.graph.is_none() {
        all.extend((0..).zip(tracks(resolved, &draws)));
    }
    if let Some(cells) = &resolved.cells {
        for station in &cells.stations {
            all.insert(station.node.0, Track::resting(spot(station.position)));
        }
        for mobile in &cells.mobiles {
            let node = mobile.node;
            let mut chance = draws(node.0, Purpose::Motion);
            let moves = (&mobile.motion, node);
            all.insert(node.0, track(moves, None, resolved.duration, &mut chance));
        }
    }
    setdest::write(&all, resolved.duration)
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
            let track = tracks.get(&script_node.unwrap_or(node.0)).cloned();
            track.unwrap_or_else(|| Track::resting(start.unwrap_or(Spot { x_nm: 0, y_nm: 0 })))
        }
    }
}
