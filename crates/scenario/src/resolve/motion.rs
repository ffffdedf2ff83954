//! How nodes move, and mobiles of cells in particular.

use super::Filling;
use super::cells::place;
use super::script::Script;
use super::topology::EDGE_MM;
use crate::document_cells::{self as document, Motion as Written};
use crate::error::ScenarioError;
use crate::quantities::Length;
use crate::resolved_cells::{Cells, Mobile, Motion};
use acklab_base::{Instant, NodeId};
use acklab_radio::motion::setdest;
use acklab_radio::{Position, Spot};

/// Who follows a motion, and where it stands if something else than the motion says so.
#[derive(Clone, Copy)]
pub(super) struct Home {
    pub(super) node: u32,
    pub(super) place: Option<Position>,
}

pub(super) fn mobile(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::Mobile,
    cells: &Cells,
) -> Result<Mobile, ScenarioError> {
    filling.given(&format!("{key}.node"));
    let key = format!("{key}.motion");
    let home = Home {
        node: given.node,
        place: None,
    };
    let (motion, start) = motion(filling, &key, &given.motion, home)?;
    note(filling, &key, &motion);
    if let Some(start) = start {
        in_range(filling, &key, start, cells)?;
    }
    Ok(Mobile {
        node: NodeId(given.node),
        motion,
    })
}

/// Notes that everything about a motion is given: nothing has a default of its own.
pub(super) fn note(filling: &mut Filling<'_>, key: &str, motion: &Motion) {
    let names: &[&str] = match motion {
        Motion::Resting(_) => &["position"],
        Motion::Straight { .. } | Motion::BackAndForth { .. } => &["from", "to", "speed"],
        Motion::Waypoints(_) => &["times", "places"],
        Motion::RandomWaypoint { .. } => &["corner", "size", "speeds", "pause"],
        Motion::Setdest {
            script_node: None, ..
        } => &["script"],
        Motion::Setdest { .. } => &["script", "script_node"],
    };
    for name in ["kind"].iter().chain(names) {
        filling.given(&format!("{key}.{name}"));
    }
}

/// Refuses a mobile that hears nobody at the start; shadowing is left out of account.
fn in_range(
    filling: &Filling<'_>,
    key: &str,
    start: Spot,
    cells: &Cells,
) -> Result<(), ScenarioError> {
    match cells.out_of_range(start) {
        None => Ok(()),
        Some((message, accepted)) => Err(filling.error::<()>(key, None, message, accepted)),
    }
}

/// The motion, and where it starts if that does not depend on chance.
pub(super) fn motion(
    filling: &Filling<'_>,
    key: &str,
    given: &Written,
    home: Home,
) -> Result<(Motion, Option<Spot>), ScenarioError> {
    let spot = |place: Position| Some(Spot::from_mm(place.x_mm, place.y_mm));
    let at =
        |name: &str, places: &[[Length; 2]]| located(filling, &format!("{key}.{name}"), places);
    Ok(match given {
        Written::Resting { position } => {
            at("position", &[*position])?;
            (Motion::Resting(place(*position)), spot(place(*position)))
        }
        Written::Straight { from, to, speed } | Written::BackAndForth { from, to, speed } => {
            at("from", from.as_slice())?;
            at("to", &[*to])?;
            let Some(start) = from.map(place).or(home.place) else {
                let key = format!("{key}.from");
                return Err(filling.error::<()>(&key, None, "missing key", "where it starts"));
            };
            if start == place(*to) {
                let key = format!("{key}.to");
                return Err(filling.error(&key, Some(to), "where it starts", "another place"));
            }
            let (ends, speed) = ([start, place(*to)], speed.0);
            let motion = match given {
                Written::Straight { .. } => Motion::Straight { ends, speed },
                _ => Motion::BackAndForth { ends, speed },
            };
            (motion, spot(start))
        }
        Written::Waypoints { times, places } => {
            at("places", places)?;
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
        Written::RandomWaypoint { .. } => (
            random(filling, key, given, home)?,
            home.place.and_then(spot),
        ),
        Written::Setdest { .. } => scripted(filling, key, given, home)?,
    })
}

fn located(filling: &Filling<'_>, key: &str, places: &[[Length; 2]]) -> Result<(), ScenarioError> {
    match places
        .iter()
        .flatten()
        .find(|length| length.0.abs() > EDGE_MM)
    {
        None => Ok(()),
        Some(far) => Err(filling.error(key, Some(far), "too far away", "within 1000 km")),
    }
}

fn random(
    filling: &Filling<'_>,
    key: &str,
    given: &Written,
    home: Home,
) -> Result<Motion, ScenarioError> {
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
    if size.iter().any(|length| length.0 <= 0) {
        let key = format!("{key}.size");
        return Err(filling.error(&key, Some(size), "an empty area", "lengths above zero"));
    }
    if speeds[0].0 == 0 || speeds[0].0 > speeds[1].0 {
        let message = "not a range of speeds above zero";
        let accepted = "the least speed, above zero, and the largest";
        return Err(filling.error(&format!("{key}.speeds"), Some(speeds), message, accepted));
    }
    let (corner, size) = (place(*corner), place(*size));
    if let Some(start) = home.place {
        let within = |at: i64, from: i64, size: i64| (from..=from + size).contains(&at);
        if !within(start.x_mm, corner.x_mm, size.x_mm)
            || !within(start.y_mm, corner.y_mm, size.y_mm)
        {
            let message = format!(
                "the area is without node {}, which starts at {}",
                home.node,
                super::text(&[Length(start.x_mm), Length(start.y_mm)])
            );
            let accepted = "an area that all its nodes start in";
            return Err(filling.error::<()>(key, None, message, accepted));
        }
    }
    Ok(Motion::RandomWaypoint {
        corner,
        size,
        speeds: speeds.map(|speed| speed.0),
        pause: pause.0,
    })
}

/// One node of a script, whatever number it has there.
fn scripted(
    filling: &Filling<'_>,
    key: &str,
    given: &Written,
    home: Home,
) -> Result<(Motion, Option<Spot>), ScenarioError> {
    let Written::Setdest {
        script,
        script_file,
        script_node,
    } = given
    else {
        return Err(filling.error::<()>(key, None, "not scripted", "setdest"));
    };
    let script = Script::find(filling, key, script.as_deref(), script_file.as_deref())?;
    let tracks = setdest::read(&script.text).map_err(|error| script.refused(filling, &error))?;
    let number = script_node.unwrap_or(home.node);
    let Some(track) = tracks.get(&number) else {
        let key = format!("{key}.script_node");
        let message = format!("the script has {} nodes, not this one", tracks.len());
        return Err(filling.error(&key, Some(&number), message, "a node of the script"));
    };
    let motion = Motion::Setdest {
        script: script.text.into_owned(),
        script_node: *script_node,
    };
    Ok((motion, Some(track.spot(Instant::ZERO))))
}
