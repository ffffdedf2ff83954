//! From resolved cells, and nodes that move, back to their part of the document.

use crate::document_cells::{Blackout, Cells, HandoffManner, Mobile, Motion, Station};
use crate::document_moving::Moving;
use crate::quantities::{Length, Power, Rate, Ratio, Share, Speed, Time};
use crate::resolved_cells as resolved;
use acklab_radio::Position;

pub(crate) fn cells(cells: &resolved::Cells) -> Cells {
    Cells {
        gateway: cells.gateway.0,
        mac: Some(cells.mac),
        rate: Rate(cells.rate),
        delay: Some(Time(cells.delay)),
        queue: Some(cells.queue),
        loss: Some(Share(cells.loss)),
        beacon_loss: Some(Share(cells.beacon_loss)),
        beacon_period: Some(Time(cells.beacon_period)),
        pilot: Some(Power(cells.pilot_w)),
        reference_distance: Some(Length(cells.reference_mm)),
        path_loss_exponent: Some(cells.exponent),
        shadowing: Some(Ratio(cells.shadowing)),
        decorrelation: (cells.shadowing > 1.0).then_some(Length(cells.decorrelation_mm)),
        reception: Some(Power(cells.reception_w)),
        handoff_level: Some(Power(cells.handoff_w)),
        alpha: Some(cells.alpha),
        hysteresis: Some(Ratio(cells.hysteresis)),
        patience: Some(Time(cells.patience)),
        handoff: Some(cells.manner),
        semisoft_delay: (cells.manner == HandoffManner::Semisoft)
            .then_some(Time(cells.semisoft_delay)),
        delay_device: Some(Time(cells.delay_device)),
        update_at_handoff: Some(cells.update_at_handoff),
        route_update: Some(Time(cells.route_update)),
        route_timeout: Some(Time(cells.route_timeout)),
        paging_update: Some(Time(cells.paging_update)),
        paging_timeout: Some(Time(cells.paging_timeout)),
        active_timeout: Some(Time(cells.active_timeout)),
        station: cells.stations.iter().map(station).collect(),
        mobile: (cells.mobiles.iter())
            .map(|mobile| Mobile {
                node: mobile.node.0,
                motion: motion(&mobile.motion),
            })
            .collect(),
        blackout: (!cells.blackouts.is_empty())
            .then(|| cells.blackouts.iter().map(blackout).collect()),
    }
}

pub(crate) fn moving(moving: &[resolved::Moving]) -> Option<Vec<Moving>> {
    let entry = |one: &resolved::Moving| Moving {
        nodes: Some(one.nodes.iter().map(|node| node.0).collect()),
        motion: motion(&one.motion),
    };
    (!moving.is_empty()).then(|| moving.iter().map(entry).collect())
}

fn place(position: Position) -> [Length; 2] {
    [Length(position.x_mm), Length(position.y_mm)]
}

fn station(station: &resolved::Station) -> Station {
    let off = station.off.iter().map(|off| off.map(Time));
    Station {
        node: station.node.0,
        position: place(station.position),
        off: Some(off.collect()),
    }
}

fn motion(motion: &resolved::Motion) -> Motion {
    match motion {
        &resolved::Motion::Resting(position) => Motion::Resting {
            position: place(position),
        },
        &resolved::Motion::Straight { ends, speed } => Motion::Straight {
            from: Some(place(ends[0])),
            to: place(ends[1]),
            speed: Speed(speed),
        },
        &resolved::Motion::BackAndForth { ends, speed } => Motion::BackAndForth {
            from: Some(place(ends[0])),
            to: place(ends[1]),
            speed: Speed(speed),
        },
        resolved::Motion::Waypoints(points) => Motion::Waypoints {
            times: points.iter().map(|&(at, _)| Time(at)).collect(),
            places: points.iter().map(|&(_, spot)| place(spot)).collect(),
        },
        &resolved::Motion::RandomWaypoint {
            corner,
            size,
            speeds,
            pause,
        } => Motion::RandomWaypoint {
            corner: place(corner),
            size: place(size),
            speeds: speeds.map(Speed),
            pause: Time(pause),
        },
        resolved::Motion::Setdest {
            script,
            script_node,
        } => Motion::Setdest {
            script: Some(script.clone()),
            script_file: None,
            script_node: *script_node,
        },
    }
}

fn blackout(blackout: &resolved::Blackout) -> Blackout {
    Blackout {
        area: blackout.area.map(|corners| corners.map(place)),
        during: blackout.during.map(|times| times.map(Time)),
        depth: Some(Ratio(blackout.depth)),
    }
}
