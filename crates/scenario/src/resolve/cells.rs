//! Base stations, mobiles, and the timers of Cellular IP.

use super::{Filling, fixed, idle, millis, motion, secs, tree};
use crate::document::Document;
use crate::document_cells::{self as document, CellMac, HandoffManner};
use crate::error::ScenarioError;
use crate::quantities::{Length, Power, Ratio, Share as ShareText, Time};
use crate::resolved_cells::{Blackout, Cells, Station};
use acklab_base::{Duration, NodeId, Share, math};
use acklab_radio::Position;

/// Where the defaults of Cellular IP come from.
const CIP: &str = "Cellular IP (Valkó 1999, Campbell et al. 2000, draft-ietf-mobileip-cellularip-00), quoted from memory";

pub(super) fn cells(
    filling: &mut Filling<'_>,
    document: &Document,
    nodes: u32,
) -> Result<Option<Cells>, ScenarioError> {
    let Some(given) = &document.cells else {
        return Ok(None);
    };
    tree::check(filling, document, given, nodes)?;
    let mut cells = hop(filling, given);
    signals(filling, given, &mut cells);
    levels(filling, given, &cells)?;
    handoff(filling, given, &mut cells)?;
    idle::of_cells(filling, &cells)?;
    timers(filling, given, &mut cells)?;
    for (index, station) in given.station.iter().enumerate() {
        let key = format!("cells.station[{index}]");
        cells.stations.push(stands(filling, &key, station)?);
    }
    for (index, blackout) in given.blackout.iter().flatten().enumerate() {
        let key = format!("cells.blackout[{index}]");
        cells.blackouts.push(weak(filling, &key, blackout)?);
    }
    for (index, mobile) in given.mobile.iter().enumerate() {
        let key = format!("cells.mobile[{index}]");
        cells
            .mobiles
            .push(motion::mobile(filling, &key, mobile, &cells)?);
    }
    Ok(Some(cells))
}

/// The wireless hop; everything else is filled in later.
fn hop(filling: &mut Filling<'_>, given: &document::Cells) -> Cells {
    filling.given("cells.gateway");
    filling.given("cells.rate");
    let none = ShareText(Share::NONE);
    let small = fixed(millis(1), "left open by cho2005: a cell is small");
    let road = fixed(millis(100), "left open by cho2005: 2 m of road at 70 km/h");
    let errors = || fixed(none, "no errors");
    let limit = fixed(50, "the queue limit of ns-2 (Queue limit_)");
    let bare = fixed(CellMac::Channel, "cho2005 names no MAC");
    Cells {
        mac: filling.pick("cells.mac", given.mac, bare),
        delay: filling.pick("cells.delay", given.delay, small).0,
        queue: filling.pick("cells.queue", given.queue, limit),
        loss: filling.pick("cells.loss", given.loss, errors()).0,
        beacon_loss: filling
            .pick("cells.beacon_loss", given.beacon_loss, errors())
            .0,
        beacon_period: filling
            .pick("cells.beacon_period", given.beacon_period, road)
            .0,
        ..empty(given)
    }
}

/// Cells with nothing filled in but what has no default.
fn empty(given: &document::Cells) -> Cells {
    let zero = Duration::ZERO;
    Cells {
        gateway: NodeId(given.gateway),
        mac: CellMac::Channel,
        rate: given.rate.0,
        delay: zero,
        queue: 1,
        loss: Share::NONE,
        beacon_loss: Share::NONE,
        beacon_period: zero,
        pilot_w: 0.0,
        reference_mm: 1,
        exponent: 1.0,
        shadowing: 1.0,
        decorrelation_mm: 1,
        reception_w: 0.0,
        handoff_w: 0.0,
        alpha: 0.0,
        hysteresis: 1.0,
        patience: zero,
        manner: HandoffManner::Hard,
        semisoft_delay: zero,
        delay_device: zero,
        update_at_handoff: true,
        route_update: zero,
        route_timeout: zero,
        paging_update: zero,
        paging_timeout: zero,
        active_timeout: zero,
        stations: Vec::new(),
        mobiles: Vec::new(),
        blackouts: Vec::new(),
    }
}

/// A power given in dBm.
fn dbm(level: f64) -> Power {
    Power(math::from_decibels(level) * 1e-3)
}

/// A power in dBm.
pub(super) fn in_dbm(watts: f64) -> f64 {
    10.0 * math::log10(watts * 1e3)
}

fn signals(filling: &mut Filling<'_>, given: &document::Cells, cells: &mut Cells) {
    let small = "left open by cho2005: a small cell";
    cells.pilot_w = filling
        .pick("cells.pilot", given.pilot, fixed(dbm(-30.0), small))
        .0;
    let metre = fixed(Length(1_000), "one metre");
    cells.reference_mm = filling
        .pick("cells.reference_distance", given.reference_distance, metre)
        .0;
    cells.exponent = filling.pick(
        "cells.path_loss_exponent",
        given.path_loss_exponent,
        fixed(
            3.5,
            "left open by cho2005: Rappaport §4.9 gives 2.7 to 3.5 for cities",
        ),
    );
    cells.shadowing = filling
        .pick(
            "cells.shadowing",
            given.shadowing,
            fixed(Ratio(1.0), "none"),
        )
        .0;
    let twenty = fixed(Length(20_000), "Gudmundson 1991: a street in a city");
    cells.decorrelation_mm = filling
        .pick("cells.decorrelation", given.decorrelation, twenty)
        .0;
    thresholds(filling, given, cells);
}

fn thresholds(filling: &mut Filling<'_>, given: &document::Cells, cells: &mut Cells) {
    cells.reception_w = filling
        .pick(
            "cells.reception",
            given.reception,
            fixed(dbm(-110.0), "193 m by the other defaults"),
        )
        .0;
    cells.handoff_w = filling
        .pick(
            "cells.handoff_level",
            given.handoff_level,
            fixed(
                dbm(-102.8),
                "120 m by the other defaults: 6.17 s at 70 km/h (cho2005 §4)",
            ),
        )
        .0;
    cells.alpha = filling.pick(
        "cells.alpha",
        given.alpha,
        fixed(
            0.02,
            "left open by cho2005: pacing begins 15 m before the handoff",
        ),
    );
    cells.hysteresis = filling
        .pick(
            "cells.hysteresis",
            given.hysteresis,
            fixed(Ratio(1.0), "cho2005 §3.2 has none"),
        )
        .0;
}

/// The order of the levels: reception, handoff, pacing, pilot.
fn levels(
    filling: &Filling<'_>,
    given: &document::Cells,
    cells: &Cells,
) -> Result<(), ScenarioError> {
    if !(cells.alpha > 0.0 && cells.alpha < 1.0) {
        let message = "cho2005 §3.2 has 0 < α < 1";
        let accepted = "a number between 0 and 1, both excluded";
        return Err(filling.error("cells.alpha", Some(&cells.alpha), message, accepted));
    }
    let handoff = in_dbm(cells.handoff_w);
    let level = Some(&given.handoff_level);
    let key = "cells.handoff_level";
    if handoff >= 0.0 {
        let message = "(1 - α) × L_Handoff is above L_Handoff only for levels below 0 dBm";
        return Err(filling.error(key, level, message, "a level below 0 dBm"));
    }
    let pilot = in_dbm(cells.pilot_w);
    let pacing = (1.0 - cells.alpha) * handoff;
    if pacing > pilot {
        let message = format!(
            "the pacing level (1 - α) × L_Handoff of {pacing:.1} dBm is above reach: no pilot is ever stronger \
             than {pilot:.1} dBm"
        );
        // Whoever wrote an α is told of it; else the levels that are written are to blame.
        if given.alpha.is_some() && handoff < pilot {
            let accepted = format!("α up to {:.3}, or a stronger pilot", 1.0 - pilot / handoff);
            return Err(filling.error("cells.alpha", Some(&cells.alpha), message, accepted));
        }
        return Err(filling.error(key, level, message, "a lower level, or a stronger pilot"));
    }
    if cells.handoff_w < cells.reception_w {
        let message = "below what is received: a mobile would lose its station first";
        let accepted = format!(
            "at least the reception level of {:.1} dBm",
            in_dbm(cells.reception_w)
        );
        return Err(filling.error(key, level, message, accepted));
    }
    for (key, ratio) in [
        ("shadowing", cells.shadowing),
        ("hysteresis", cells.hysteresis),
    ] {
        if ratio < 1.0 {
            let key = format!("cells.{key}");
            return Err(filling.error(&key, Some(&Ratio(ratio)), "below 0 dB", "0 dB or more"));
        }
    }
    Ok(())
}

fn handoff(
    filling: &mut Filling<'_>,
    given: &document::Cells,
    cells: &mut Cells,
) -> Result<(), ScenarioError> {
    let period = cells.beacon_period;
    cells.patience = filling
        .pick(
            "cells.patience",
            given.patience,
            fixed(Time(period * 3 + period / 2), "three beacons"),
        )
        .0;
    if cells.patience <= period {
        let message = "a station would be lost between two of its beacons";
        let accepted = "more than the beacon period";
        return Err(filling.error(
            "cells.patience",
            Some(&Time(cells.patience)),
            message,
            accepted,
        ));
    }
    cells.manner = filling.pick(
        "cells.handoff",
        given.handoff,
        fixed(HandoffManner::Hard, "the simpler of the two of Cellular IP"),
    );
    cells.semisoft_delay = filling
        .pick(
            "cells.semisoft_delay",
            given.semisoft_delay,
            fixed(millis(100), CIP),
        )
        .0;
    cells.delay_device = filling
        .pick(
            "cells.delay_device",
            given.delay_device,
            fixed(millis(0), "none"),
        )
        .0;
    cells.update_at_handoff = filling.pick(
        "cells.update_at_handoff",
        given.update_at_handoff,
        fixed(true, CIP),
    );
    Ok(())
}

fn timers(
    filling: &mut Filling<'_>,
    given: &document::Cells,
    cells: &mut Cells,
) -> Result<(), ScenarioError> {
    let mut pick = |name: &str, given: Option<Time>, default: Time| {
        filling
            .pick(&format!("cells.{name}"), given, fixed(default, CIP))
            .0
    };
    cells.route_update = pick("route_update", given.route_update, secs(3));
    cells.route_timeout = pick("route_timeout", given.route_timeout, secs(9));
    cells.paging_update = pick("paging_update", given.paging_update, secs(180));
    cells.paging_timeout = pick("paging_timeout", given.paging_timeout, secs(540));
    cells.active_timeout = pick("active_timeout", given.active_timeout, secs(5));
    let pairs = [
        ("route_timeout", cells.route_timeout, cells.route_update),
        ("paging_timeout", cells.paging_timeout, cells.paging_update),
    ];
    for (name, timeout, update) in pairs {
        if timeout <= update {
            return Err(filling.error(
                &format!("cells.{name}"),
                Some(&Time(timeout)),
                "entries would die between two updates",
                "more than the update time",
            ));
        }
    }
    Ok(())
}

fn stands(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::Station,
) -> Result<Station, ScenarioError> {
    filling.given(&format!("{key}.node"));
    filling.given(&format!("{key}.position"));
    let off = filling.pick(
        &format!("{key}.off"),
        given.off.clone(),
        fixed(Vec::new(), "never"),
    );
    let times: Vec<Duration> = off.iter().flatten().map(|time| time.0).collect();
    if !times.is_sorted_by(|a, b| a < b) {
        let message = "not in order";
        let accepted = "pairs of from and until, ascending, that do not touch";
        return Err(filling.error(&format!("{key}.off"), Some(&off), message, accepted));
    }
    Ok(Station {
        node: NodeId(given.node),
        position: place(given.position),
        off: off.iter().map(|pair| pair.map(|time| time.0)).collect(),
    })
}

/// A place in whole millimetres.
pub(super) const fn place(position: [Length; 2]) -> Position {
    Position {
        x_mm: position[0].0,
        y_mm: position[1].0,
    }
}

fn weak(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::Blackout,
) -> Result<Blackout, ScenarioError> {
    if given.area.is_none() && given.during.is_none() {
        let message = "neither where nor when";
        return Err(filling.error::<()>(key, None, message, "area, during, or both"));
    }
    for (name, is_given) in [
        ("area", given.area.is_some()),
        ("during", given.during.is_some()),
    ] {
        if is_given {
            filling.given(&format!("{key}.{name}"));
        }
    }
    let depth_key = format!("{key}.depth");
    let all = fixed(Ratio(math::from_decibels(200.0)), "nothing comes through");
    let depth = filling.pick(&depth_key, given.depth, all);
    if depth.0 < 1.0 {
        return Err(filling.error(&depth_key, Some(&depth), "below 0 dB", "0 dB or more"));
    }
    if let Some(during) = given.during
        && during[0].0 >= during[1].0
    {
        let message = "it ends before it begins";
        let key = format!("{key}.during");
        return Err(filling.error(&key, Some(&during), message, "from and until, ascending"));
    }
    Ok(Blackout {
        area: given.area.map(|corners| {
            let [one, other] = corners.map(place);
            let corner = |pick: fn(i64, i64) -> i64| Position {
                x_mm: pick(one.x_mm, other.x_mm),
                y_mm: pick(one.y_mm, other.y_mm),
            };
            [corner(i64::min), corner(i64::max)]
        }),
        during: given.during.map(|times| times.map(|time| time.0)),
        depth: depth.0,
    })
}
