//! Rows of nodes that move against exact places, closed forms, and rows that stand still.

use super::*;
use crate::motion::{Knot, RandomWaypoint, Speed, Spot};
use crate::propagation::Propagation;
use crate::{Position, Reach};
use acklab_base::{Address, Duration, Purpose, Stream, math};

const SEED: u64 = 550;

/// ns-2's radio: 250 m and 550 m.
const RADIO: Thresholds = Thresholds {
    transmit_w: 0.281_838_15,
    frequency_hz: 914e6,
    decode_w: 3.652e-10,
    sense_w: 1.559e-11,
    propagation: Propagation::TwoRay {
        antenna_height_m: 1.5,
    },
};

/// Where two-ray ground reflection gives this power: P·h⁴/d⁴.
fn closed_form_m(power_w: f64) -> f64 {
    math::pow(RADIO.transmit_w * math::pow(1.5, 4.0) / power_w, 0.25)
}

fn draws(node: u32) -> Stream {
    Address {
        seed: SEED,
        run: 0,
        node: NodeId(node),
        purpose: Purpose::Motion,
    }
    .open()
}

/// The row as the definition has it.
fn exact_row(moving: &Moving, node: NodeId, now: Instant) -> Vec<Audible> {
    let others = (0..moving.tracks.len() as u32).map(NodeId);
    others
        .filter(|&other| other != node)
        .filter_map(|other| RADIO.heard(other, moving.distance_m(node, other, now)))
        .collect()
}

/// Nodes that wander about 1500 m by 600 m, some that go to and fro, and some that stay.
fn crowd(nodes: u32) -> Vec<Track> {
    let rules = RandomWaypoint {
        corner: Spot::from_mm(-100_000, 0),
        size: Spot::from_mm(1_500_000, 600_000),
        speeds: [Speed(3_600_000_000_000), Speed(108_000_000_000_000)],
        pause: Duration::from_secs(1),
        until: Duration::from_secs(300),
    };
    let track = |node: u32| {
        let mut draw = draws(node);
        let mut place = || {
            Spot::from_mm(
                i64::from(draw.below(1_400_000)),
                i64::from(draw.below(600_000)),
            )
        };
        match node % 4 {
            0 => Track::back_and_forth([place(), place()], Speed(72_000_000_000_000)),
            1 => Track::resting(place()),
            _ => Track::random_waypoint(&rules, &mut draws(node)),
        }
    };
    (0..nodes).map(track).collect()
}

#[test]
fn rows_are_those_of_exact_places_whatever_was_asked_before() {
    let mut moving = Moving::new(crowd(60), &RADIO);
    let mut draw = draws(1_000);
    let mut row = Vec::new();
    let (mut heard, mut now) = (0, 0);
    for step in 0..4_000 {
        // Mostly a little later, now and then anywhere.
        now = if step % 50 == 0 {
            u64::from(draw.below(400_000)) * 1_000_000
        } else {
            now + u64::from(draw.below(200_000_000))
        };
        let (node, at) = (NodeId(draw.below(60)), Instant::from_nanos(now));
        row.clear();
        moving.row(node, at, &mut row);
        assert_eq!(row, exact_row(&moving, node, at), "seed {SEED}, {at:?}");
        heard += row.len();
    }
    assert!(heard > 50_000, "{heard} tell little");
}

/// Distances in steps of a nanometre around both ranges, and around places where the delay in
/// nanoseconds changes (every 0.3 m, halfway between).
#[test]
fn where_a_nanometre_decides_the_exact_place_does() {
    let mut edges = vec![100_050_000_000, 249_150_000_000, 549_450_000_000];
    edges.extend([RADIO.decode_w, RADIO.sense_w].map(|power| (RADIO.range_m(power) * 1e9) as i64));
    let mut changes = 0;
    for edge_nm in edges {
        let steps = (-2_000..2_000).step_by(7).chain(-40..40);
        let mut last = None;
        for x_nm in steps.map(|step| edge_nm + step) {
            // On its way west, a tenth of it behind: whole nanometres are 0.9 nm more than what
            // floating point says.
            let far = Spot { x_nm, y_nm: 0 };
            let way = [(0, 13_333), (10_000, 13_333 - 133_339)].map(|(at, more)| Knot {
                at: Duration::from_nanos(at),
                spot: Spot {
                    x_nm: x_nm + more,
                    y_nm: 0,
                },
            });
            let here = Track::resting(Spot { x_nm: 0, y_nm: 0 });
            let mut moving = Moving::new(vec![here, Track::through(&way)], &RADIO);
            let now = Instant::from_nanos(1_000);
            assert_eq!(moving.tracks[1].spot(now), far);
            let mut row = Vec::new();
            moving.row(NodeId(0), now, &mut row);
            assert_eq!(row, exact_row(&moving, NodeId(0), now), "{x_nm} nm");
            changes += u32::from(last.is_some_and(|last| last != row));
            last = Some(row);
        }
    }
    // Each edge is crossed once by the first steps, back, and once by the second.
    assert!(changes >= 10, "{changes} changes");
}

/// A node that drives off at 20 m/s from 200 m: it decodes until 250 m and senses until 550 m.
#[test]
fn ranges_end_at_the_closed_form_to_a_microsecond() {
    let drive = Track::straight(
        Spot::from_mm(200_000, 0),
        Spot::from_mm(900_000, 0),
        Speed(72_000_000_000_000),
    );
    let here = Track::resting(Spot::from_mm(0, 0));
    let mut moving = Moving::new(vec![here, drive], &RADIO);
    let mut heard = |secs: f64| {
        let mut row = Vec::new();
        let now = Instant::ZERO + Duration::from_secs_f64(secs);
        moving.row(NodeId(0), now, &mut row);
        row.first().map(Audible::decodable)
    };
    let decoded_until = (closed_form_m(RADIO.decode_w) - 200.0) / 20.0;
    let sensed_until = (closed_form_m(RADIO.sense_w) - 200.0) / 20.0;
    assert!((decoded_until - 2.5).abs() < 0.001 && (sensed_until - 17.5).abs() < 0.01);
    assert_eq!(heard(decoded_until - 1e-6), Some(true));
    assert_eq!(heard(decoded_until + 1e-6), Some(false));
    assert_eq!(heard(sensed_until - 1e-6), Some(false));
    assert_eq!(heard(sensed_until + 1e-6), None);
}

/// Nodes on tracks that stay where they are hear what nodes without tracks hear, bit for bit.
#[test]
fn rest_is_what_no_motion_is() {
    let mut draw = draws(2_000);
    let positions: Vec<Position> = (0..150)
        .map(|_| Position {
            x_mm: i64::from(draw.below(2_000_000)),
            y_mm: i64::from(draw.below(2_000_000)),
        })
        .collect();
    let spots = positions.iter().map(|at| Spot::from_mm(at.x_mm, at.y_mm));
    let still = Reach::new(&*positions, &RADIO);
    let mut moving = still.clone().on_tracks(spots.map(Track::resting).collect());
    let now = Instant::from_nanos(7_000_000_001);
    for node in (0..150).map(NodeId) {
        let row = moving.row(node, now);
        assert_eq!(moving.list(row.clone()), &*still.of(node), "seed {SEED}");
        for place in row {
            let other = moving.list(place..place + 1)[0].node;
            let powers = [&still, &moving].map(|reach| reach.power_w(node, other, now).to_bits());
            assert_eq!(powers[0], powers[1], "seed {SEED}, {node:?} at {other:?}");
            let hops = [&still, &moving].map(|reach| reach.between(node, other, now));
            assert_eq!(hops[0], hops[1], "seed {SEED}");
        }
    }
}

/// The row of a frame stands until the next one, and the rows of the start stay.
#[test]
fn a_row_takes_the_place_of_the_one_before() {
    let places = [0, 200_000, 400_000].map(|x_mm| Position { x_mm, y_mm: 0 });
    let still = Reach::new(places, &RADIO);
    let mut tracks: Vec<Track> = (places.iter())
        .map(|at| Track::resting(Spot::from_mm(at.x_mm, at.y_mm)))
        .collect();
    tracks[1] = Track::straight(
        Spot::from_mm(200_000, 0),
        Spot::from_mm(200_000, 900_000),
        Speed(36_000_000_000_000),
    );
    let mut moving = still.clone().on_tracks(tracks);
    let heard = |moving: &mut Reach, node: u32, secs: u64| -> Vec<(u32, bool)> {
        let row = moving.row(NodeId(node), Instant::ZERO + Duration::from_secs(secs));
        let list = moving.list(row).iter();
        list.map(|one| (one.node.0, one.decodable())).collect()
    };
    assert_eq!(heard(&mut moving, 0, 0), [(1, true), (2, false)]);
    assert_eq!(heard(&mut moving, 0, 16), [(1, false), (2, false)]);
    assert!(heard(&mut moving, 1, 80).is_empty());
    assert_eq!(heard(&mut moving, 2, 0), [(0, false), (1, true)]);
    assert_eq!(moving.of(NodeId(0)), still.of(NodeId(0)));
    let far = Instant::ZERO + Duration::from_secs(60);
    assert_eq!(moving.between(NodeId(0), NodeId(1), far), None);
}
