//! Mobiles and how they move.

use super::cells::{in_dbm, place};
use super::topology::EDGE_MM;
use super::{Filling, text};
use crate::document_cells::{self as document, Motion as Written};
use crate::error::ScenarioError;
use crate::quantities::Length;
use crate::resolved::Position;
use crate::resolved_cells::{Cells, Mobile, Motion};
use acklab_base::{Instant, NodeId};
use acklab_radio::motion::setdest;
use acklab_radio::{Level, PathLoss, Spot};

pub(super) fn mobile(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::Mobile,
    cells: &Cells,
) -> Result<Mobile, ScenarioError> {
    filling.given(&format!("{key}.node"));
    let key = format!("{key}.motion");
    filling.given(&format!("{key}.kind"));
    let (motion, start) = motion(filling, &key, &given.motion)?;
    if let Some(start) = start {
        in_range(filling, &key, start, cells)?;
    }
    Ok(Mobile {
        node: NodeId(given.node),
        motion,
    })
}

/// Refuses a mobile that hears nobody at the start; shadowing is left out of account.
fn in_range(
    filling: &Filling<'_>,
    key: &str,
    start: Spot,
    cells: &Cells,
) -> Result<(), ScenarioError> {
    let pilot = PathLoss {
        at_reference: Level::of_watts(cells.pilot_w),
        reference_m: cells.reference_mm as f64 / 1e3,
        exponent: cells.exponent,
    };
    let strongest = (cells.stations.iter())
        .map(|station| {
            let position = station.position;
            pilot.level(Spot::from_mm(position.x_mm, position.y_mm), start)
        })
        .max()
        .unwrap_or(Level::SILENCE);
    if strongest >= Level::of_watts(cells.reception_w) {
        return Ok(());
    }
    let message = format!(
        "no base station is in range at the start: the strongest pilot is {:.1} dBm",
        strongest.dbm()
    );
    let accepted = format!(
        "a start where a pilot is at least {:.1} dBm (cells.reception)",
        in_dbm(cells.reception_w)
    );
    Err(filling.error::<()>(key, None, message, accepted))
}

/// The motion, and where it starts if that does not depend on chance.
fn motion(
    filling: &mut Filling<'_>,
    key: &str,
    given: &Written,
) -> Result<(Motion, Option<Spot>), ScenarioError> {
    let spot = |place: Position| Some(Spot::from_mm(place.x_mm, place.y_mm));
    let mut at =
        |name: &str, places: &[[Length; 2]]| located(filling, &format!("{key}.{name}"), places);
    Ok(match given {
        Written::Resting { position } => {
            at("position", &[*position])?;
            (Motion::Resting(place(*position)), spot(place(*position)))
        }
        Written::Straight { from, to, speed } | Written::BackAndForth { from, to, speed } => {
            at("from", &[*from])?;
            at("to", &[*to])?;
            filling.given(&format!("{key}.speed"));
            if from == to {
                let key = format!("{key}.to");
                return Err(filling.error(&key, Some(to), "where it starts", "another place"));
            }
            let (ends, speed) = ([place(*from), place(*to)], speed.0);
            let motion = match given {
                Written::Straight { .. } => Motion::Straight { ends, speed },
                _ => Motion::BackAndForth { ends, speed },
            };
            (motion, spot(ends[0]))
        }
        Written::Waypoints { times, places } => {
            at("places", places)?;
            filling.given(&format!("{key}.times"));
            let ascending = times.is_sorted_by(|a, b| a.0 < b.0);
            if !ascending || times.len() != places.len() {
                let message = "not one ascending time for each place";
                let accepted = format!("{} ascending times", places.len());
                let key = format!("{key}.times");
                return Err(filling.error(&key, Some(times), message, accepted));
            }
            let points = times.iter().map(|time| time.0);
            let points = points.zip(places.iter().copied().map(place)).collect();
            (
                Motion::Waypoints(points),
                places.first().and_then(|first| spot(place(*first))),
            )
        }
        Written::RandomWaypoint { .. } => (random(filling, key, given)?, None),
        Written::Setdest {
            script,
            script_node,
        } => scripted(filling, key, script, *script_node)?,
    })
}

fn located(
    filling: &mut Filling<'_>,
    key: &str,
    places: &[[Length; 2]],
) -> Result<(), ScenarioError> {
    filling.given(key);
    match places
        .iter()
        .flatten()
        .find(|length| length.0.abs() > EDGE_MM)
    {
        None => Ok(()),
        Some(far) => Err(filling.error(key, Some(far), "too far away", "within 1000 km")),
    }
}

fn random(filling: &mut Filling<'_>, key: &str, given: &Written) -> Result<Motion, ScenarioError> {
    let Written::RandomWaypoint {
        corner,
        size,
        speeds,
        pause,
    } = given
    else {
        return Err(filling.error::<()>(key, None, "not random", "random-waypoint"));
    };
    located(filling, &format!("{key}.corner"), &[*corner])?;
    located(filling, &format!("{key}.size"), &[*size])?;
    filling.given(&format!("{key}.speeds"));
    filling.given(&format!("{key}.pause"));
    if size.iter().any(|length| length.0 <= 0) {
        let key = format!("{key}.size");
        return Err(filling.error(&key, Some(size), "an empty area", "lengths above zero"));
    }
    if speeds[0].0 == 0 || speeds[0].0 > speeds[1].0 {
        let message = "not a range of speeds above zero";
        let accepted = "the least speed, above zero, and the largest";
        return Err(filling.error(&format!("{key}.speeds"), Some(speeds), message, accepted));
    }
    Ok(Motion::RandomWaypoint {
        corner: place(*corner),
        size: place(*size),
        speeds: speeds.map(|speed| speed.0),
        pause: pause.0,
    })
}

fn scripted(
    filling: &mut Filling<'_>,
    key: &str,
    script: &str,
    script_node: u32,
) -> Result<(Motion, Option<Spot>), ScenarioError> {
    filling.given(&format!("{key}.script"));
    filling.given(&format!("{key}.script_node"));
    let tracks = setdest::read(script).map_err(|error| {
        let accepted = "a movement script of ns-2 (see docs/models/motion.md)";
        filling.error::<()>(&format!("{key}.script"), None, error.to_string(), accepted)
    })?;
    let Some(track) = tracks.get(script_node as usize) else {
        let key = format!("{key}.script_node");
        let message = format!("the script has {} nodes", tracks.len());
        return Err(filling.error(
            &key,
            Some(&script_node),
            message,
            text(&"a node of the script"),
        ));
    };
    let start = track.spot(Instant::ZERO);
    let motion = Motion::Setdest {
        script: script.to_owned(),
        script_node,
    };
    Ok((motion, Some(start)))
}
