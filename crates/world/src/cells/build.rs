//! Building base stations and mobiles, their channels, and the routers of the access network.

use super::{Cells, Mark, MobileAt, Pair, Sky, StationAt, radio};
use crate::tracks::{spot, track};
use crate::world::Part;
use acklab_agents::{HandoffAgent, HandoffConfig};
use acklab_base::{Instant, NodeId, Purpose, Stream};
use acklab_kernel::{Agenda, Phase, Slot};
use acklab_radio::{Level, Shadow};
use acklab_routing::cellular_ip::Place;
use acklab_routing::static_path::DEFAULT_TTL;
use acklab_routing::{
    AccessConfig, AccessRouter, MobileConfig, MobileRouter, NextHops, Router, StaticRouter,
};
use acklab_scenario::{self as scenario, CellMac, HandoffManner, PointToPoint, Resolved};
use std::collections::BTreeSet;

/// The channel of each mobile with each station, the stations of a mobile one after the other:
/// first the station, then the mobile. None if 802.11 is below.
pub(crate) fn channels(cells: &scenario::Cells) -> Vec<PointToPoint> {
    let mut channels = Vec::new();
    if cells.mac == CellMac::Dcf {
        return channels;
    }
    for mobile in &cells.mobiles {
        for station in &cells.stations {
            let errors = scenario::Errors::Uniform { loss: cells.loss };
            channels.push(PointToPoint {
                between: [station.node, mobile.node],
                rate: cells.rate,
                delay: cells.delay,
                queue: cells.queue,
                data_loss: acklab_base::Share::NONE,
                data_loss_lasts: acklab_base::Duration::ZERO,
                errors: [errors.clone(), errors],
                arq: None,
                medium: None,
            });
        }
    }
    channels
}

/// The gateway and each mobile, as pairs.
pub(crate) fn doors(cells: &scenario::Cells) -> impl Iterator<Item = [NodeId; 2]> {
    let mobiles = cells.mobiles.iter();
    mobiles.map(|mobile| [cells.gateway, mobile.node])
}

/// The nodes from `from` to `to` along the wired tree, both included.
fn path(resolved: &Resolved, from: NodeId, to: NodeId) -> Vec<NodeId> {
    let neighbours = |node: NodeId| {
        let mine = resolved
            .links
            .iter()
            .filter(move |l| l.between.contains(&node));
        mine.map(move |l| l.between[usize::from(l.between[0] == node)])
    };
    let mut path = vec![from];
    let mut open = vec![neighbours(from).collect::<Vec<_>>()];
    while path.last() != Some(&to) {
        let Some(choices) = open.last_mut() else {
            break;
        };
        match choices.pop() {
            Some(next) if path.len() > 1 && path[path.len() - 2] == next => {}
            Some(next) => {
                path.push(next);
                open.push(neighbours(next).collect());
            }
            None => {
                path.pop();
                open.pop();
            }
        }
    }
    path
}

/// The router of a node: Cellular IP at mobiles and on the way from the gateway to stations, fixed
/// next hops elsewhere.
pub(crate) fn router(resolved: &Resolved, node: NodeId, next_hops: NextHops) -> Router {
    let fixed = |next_hops| Router::Static(StaticRouter::new(next_hops, DEFAULT_TTL));
    let Some(cells) = &resolved.cells else {
        return fixed(next_hops);
    };
    if cells.mobiles.iter().any(|mobile| mobile.node == node) {
        let config = MobileConfig {
            route_update: cells.route_update,
            paging_update: cells.paging_update,
            active_timeout: cells.active_timeout,
            updates_at_handoff: cells.update_at_handoff,
        };
        let router = MobileRouter::new(node, cells.gateway, config, DEFAULT_TTL);
        return Router::Mobile(Box::new(router));
    }
    let stations = cells.stations.iter();
    let paths: Vec<_> = stations
        .map(|station| path(resolved, station.node, cells.gateway))
        .collect();
    if !paths.iter().flatten().any(|&other| other == node) {
        return fixed(next_hops);
    }
    let mut downlinks: BTreeSet<NodeId> = BTreeSet::new();
    let mut uplink = None;
    for path in &paths {
        let Some(place) = path.iter().position(|&other| other == node) else {
            continue;
        };
        uplink = path.get(place + 1).copied();
        match place.checked_sub(1) {
            Some(below) => _ = downlinks.insert(path[below]),
            None => downlinks.extend(cells.mobiles.iter().map(|mobile| mobile.node)),
        }
    }
    let mut mobiles: Vec<NodeId> = cells.mobiles.iter().map(|mobile| mobile.node).collect();
    mobiles.sort_unstable();
    let place = Place {
        node,
        uplink,
        downlinks: downlinks.into_iter().collect(),
        mobiles: mobiles.into(),
        next_hops,
    };
    let config = AccessConfig {
        route_timeout: cells.route_timeout,
        paging_timeout: cells.paging_timeout,
        delay_device: cells.delay_device,
    };
    Router::Access(Box::new(AccessRouter::new(place, config, DEFAULT_TTL)))
}

/// Base stations and mobiles, with their slots.
pub(crate) fn cells(
    resolved: &Resolved,
    draws: &impl Fn(u32, Purpose) -> Stream,
    (agenda, parts): (&mut Agenda, &mut Vec<Part>),
) -> Option<Box<Cells>> {
    let cells = resolved.cells.as_ref()?;
    let mut stations = Vec::with_capacity(cells.stations.len());
    for (index, station) in cells.stations.iter().enumerate() {
        parts.push(Part::Beacons(index as u32));
        stations.push(StationAt {
            node: station.node,
            spot: spot(station.position),
            off: station.off.clone(),
            last: Instant::ZERO,
            slot: agenda.add_slot(Phase::Stack),
            path: path(resolved, station.node, cells.gateway),
        });
    }
    let mut mobiles = Vec::with_capacity(cells.mobiles.len());
    for (index, mobile) in cells.mobiles.iter().enumerate() {
        parts.push(Part::Mobile(index as u32));
        let slot = agenda.add_slot(Phase::Stack);
        let known = (resolved, cells, &*stations);
        mobiles.push(mobile_at((index, mobile), known, slot, draws));
    }
    let radios = radio::radios(resolved, (&stations, &mobiles), draws, (agenda, parts));
    Some(Box::new(Cells {
        stations,
        mobiles,
        first_channel: resolved.links.len(),
        sky: Sky {
            loss: cells.path_loss(),
            reception: Level::of_watts(cells.reception_w),
            blackouts: cells.blackouts.clone(),
        },
        marks: {
            let HandoffConfig {
                handoff_level,
                pacing_level,
                ..
            } = agent(cells);
            let reception = Level::of_watts(cells.reception_w);
            [Level(pacing_level), Level(handoff_level), reception]
                .map(|level| Mark::new(&cells.path_loss(), level))
        },
        beacon_period: cells.beacon_period,
        beacon_loss: cells.beacon_loss,
        radios,
        log: Vec::new(),
    }))
}

/// A mobile at its start.
fn mobile_at(
    (index, mobile): (usize, &scenario::Mobile),
    (resolved, cells, stations): (&Resolved, &scenario::Cells, &[StationAt]),
    slot: Slot,
    draws: &impl Fn(u32, Purpose) -> Stream,
) -> MobileAt {
    let mut chance = draws(mobile.node.0, Purpose::Motion);
    let track = track(
        (&mobile.motion, mobile.node),
        None,
        resolved.duration,
        &mut chance,
    );
    let first = index * stations.len();
    let pair = |number: usize| {
        let wire = resolved.links.len() + first + number;
        pair(cells, (first + number) as u32, wire, draws)
    };
    let here = track.spot(Instant::ZERO);
    let silence = (cells.gateway, Level::SILENCE);
    let (station, level) = cells.strongest_at_start(here).unwrap_or(silence);
    MobileAt {
        node: mobile.node,
        track,
        agent: HandoffAgent::new(agent(cells), Instant::ZERO, station, level.0),
        slot,
        pairs: (0..stations.len()).map(pair).collect(),
        first: station,
        noticed: [None; 2],
        low: None,
        aftermath: super::Aftermath::default(),
        recent: super::Recent::default(),
        last: None,
        pending: None,
    }
}

fn pair(
    cells: &scenario::Cells,
    address: u32,
    wire: usize,
    draws: &impl Fn(u32, Purpose) -> Stream,
) -> Pair {
    let deviation_db = 10.0 * acklab_base::math::log10(cells.shadowing);
    let decorrelation_nm = cells.decorrelation_mm as u64 * 1_000_000;
    Pair {
        shadow: (deviation_db > 0.0).then(|| {
            Shadow::new(
                deviation_db,
                decorrelation_nm,
                draws(address, Purpose::Shadowing),
            )
        }),
        beacons: draws(address, Purpose::BeaconLoss),
        wire,
    }
}

fn agent(cells: &scenario::Cells) -> HandoffConfig {
    let handoff = Level::of_watts(cells.handoff_w);
    HandoffConfig {
        handoff_level: handoff.0,
        pacing_level: (f64::from(handoff.0) * (1.0 - cells.alpha)).round() as i32,
        hysteresis: Level::of_watts(cells.hysteresis * 1e-3).0,
        patience: cells.patience,
        semisoft: (cells.manner == HandoffManner::Semisoft).then_some(cells.semisoft_delay),
    }
}
