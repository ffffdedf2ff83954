//! Motion against closed forms: places, crossings of levels to a microsecond, scripts of ns-2.

use acklab_base::{Address, Duration, Instant, NodeId, Purpose, Stream, math};
use acklab_radio::motion::{Crossing, setdest};
use acklab_radio::{Knot, Level, PathLoss, RandomWaypoint, Speed, Spot, Track};
use std::collections::BTreeMap;

const SEED: u64 = 20_051;

fn draws(node: u32) -> Stream {
    Address {
        seed: SEED,
        run: 0,
        node: NodeId(node),
        purpose: Purpose::Motion,
    }
    .open()
}

/// 70 km/h, the speed of cho2005 section 4.
const SPEED: Speed = Speed(70_000_000_000_000);
/// The same in metres per second.
const METRES: f64 = 70.0 / 3.6;

fn seconds(at: Instant) -> f64 {
    at.as_secs_f64()
}

fn at(secs: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(secs)
}

const LOSS: PathLoss = PathLoss {
    at_reference: Level(-30_000),
    reference_m: 1.0,
    exponent: 3.5,
};

/// 6.17 s at 70 km/h are 120 m (Figure 4 of cho2005). A way takes a whole number of nanoseconds,
/// which after 37 round trips is at most 37 ns off: less than a micrometre of road.
#[test]
fn places_are_exact_and_the_way_back_mirrors_the_way_there() {
    let ends = [Spot::from_mm(0, 0), Spot::from_mm(240_000, 0)];
    let track = Track::back_and_forth(ends, SPEED);
    let one_way = 240.0 / METRES;
    for round in [0.0, 1.0, 37.0] {
        let base = round * 2.0 * one_way;
        for secs in [0.0, 1.0, 6.17, 10.0] {
            let (there, back) = (
                track.spot(at(base + secs)),
                track.spot(at(base + 2.0 * one_way - secs)),
            );
            let expected = secs * METRES * 1e9;
            assert!(
                (there.x_nm as f64 - expected).abs() < 1_000.0,
                "{there:?} at {secs}"
            );
            assert!(
                (back.x_nm as f64 - expected).abs() < 1_000.0,
                "{back:?} at -{secs}"
            );
        }
    }
    assert!((track.spot(at(6.17)).x_nm - 119_972_222_222).abs() < 40);
    let travelled = track.travelled_nm(at(3.0 * one_way + 1.0));
    assert!((travelled as f64 - (720.0 + METRES) * 1e9).abs() < 100.0);
}

/// A road that passes the station at 30 m: x(t) = v·t - 500, the level is crossed where
/// x² + 30² = r².
#[test]
fn levels_are_crossed_when_the_closed_form_says_to_a_microsecond() {
    let track = Track::straight(
        Spot::from_mm(-500_000, 30_000),
        Spot::from_mm(900_000, 30_000),
        SPEED,
    );
    let station = Spot::from_mm(0, 0);
    for dbm in [-120, -105, -100, -95, -85] {
        let level = Level(dbm * 1000);
        let radius = LOSS.radius_nm(level).expect("below the reference level");
        let metres = math::pow(10.0, (-30.0 - f64::from(dbm)) / 35.0);
        let half = (metres * metres - 900.0).sqrt();
        let found = track.crossings(station, radius, (Instant::ZERO, at(100.0)));
        let expected = [(500.0 - half) / METRES, (500.0 + half) / METRES];
        let inside: Vec<(f64, bool)> = (expected.into_iter().zip([true, false]))
            .filter(|(at, _)| (0.0..=72.0).contains(at))
            .collect();
        assert_eq!(found.len(), inside.len(), "{dbm} dBm: {found:?}");
        for (crossing, (at, inward)) in found.iter().zip(inside) {
            assert!(
                (seconds(crossing.at) - at).abs() < 1e-6,
                "{dbm} dBm: {crossing:?} for {at}"
            );
            assert_eq!(crossing.inward, inward);
            // The level at a crossing is the level, to the rounding of a thousandth of a dB.
            let there = LOSS.level(station, track.spot(crossing.at));
            assert!((there.0 - level.0).abs() <= 1, "{there:?} for {level:?}");
        }
    }
}

#[test]
fn a_circle_is_crossed_twice_a_round_trip_and_never_if_it_is_not_touched() {
    let ends = [Spot::from_mm(0, 0), Spot::from_mm(240_000, 0)];
    let track = Track::back_and_forth(ends, SPEED);
    let one_way = 240.0 / METRES;
    let found = track.crossings(ends[0], 120_000_000_000, (Instant::ZERO, at(200.0)));
    let mut expected = Vec::new();
    for crossing in 0..17 {
        let turn = f64::from(crossing) * one_way + one_way / 2.0;
        if turn <= 200.0 {
            expected.push((turn, crossing % 2 == 1));
        }
    }
    assert_eq!(found.len(), expected.len());
    for (Crossing { at, inward }, (time, into)) in found.into_iter().zip(expected) {
        assert!((seconds(at) - time).abs() < 1e-6);
        assert_eq!(inward, into);
    }
    let far = Spot::from_mm(0, 500_000);
    assert!(
        track
            .crossings(far, 400_000_000_000, (Instant::ZERO, at(200.0)))
            .is_empty()
    );
}

/// The wanted crossings only: behind `from` and up to `until`.
#[test]
fn crossings_can_be_asked_for_piece_by_piece() {
    let rules = RandomWaypoint {
        corner: Spot::from_mm(0, 0),
        size: Spot::from_mm(1_000_000, 800_000),
        speeds: [Speed(3_600_000_000_000), Speed(72_000_000_000_000)],
        pause: Duration::from_secs(2),
        until: Duration::from_secs(600),
    };
    let station = Spot::from_mm(500_000, 400_000);
    for node in 0..20 {
        let track = Track::random_waypoint(&rules, &mut draws(node));
        let whole = track.crossings(station, 300_000_000_000, (Instant::ZERO, at(600.0)));
        let mut pieces = Vec::new();
        for tenth in 0..60 {
            let window = (at(f64::from(tenth) * 10.0), at(f64::from(tenth + 1) * 10.0));
            pieces.extend(track.crossings(station, 300_000_000_000, window));
        }
        assert_eq!(whole, pieces, "seed {SEED} node {node}");
        // They alternate, and the node is on the side that they say.
        let square = 300_000_000_000_i128 * 300_000_000_000;
        let inside = |at: Instant| track.spot(at).distance_squared(station) <= square;
        let mut before = inside(Instant::ZERO);
        for crossing in whole {
            assert_ne!(crossing.inward, before, "seed {SEED} node {node}");
            before = crossing.inward;
            assert_eq!(
                inside(crossing.at),
                crossing.inward,
                "seed {SEED} node {node}"
            );
        }
    }
}

#[test]
fn random_waypoint_stays_in_its_area_and_keeps_its_speeds() {
    let rules = RandomWaypoint {
        corner: Spot::from_mm(-100_000, 50_000),
        size: Spot::from_mm(300_000, 200_000),
        speeds: [Speed(18_000_000_000_000), Speed(36_000_000_000_000)],
        pause: Duration::ZERO,
        until: Duration::from_secs(1_000),
    };
    let track = Track::random_waypoint(&rules, &mut draws(1));
    for step in 0..10_000_u32 {
        let spot = track.spot(at(f64::from(step) / 10.0));
        assert!(
            (-100_000_000_000..200_000_000_000).contains(&spot.x_nm),
            "seed {SEED}: {spot:?}"
        );
        assert!(
            (50_000_000_000..250_000_000_000).contains(&spot.y_nm),
            "seed {SEED}: {spot:?}"
        );
    }
    let metres = track.travelled_nm(at(1_000.0)) as f64 / 1e9;
    assert!(
        (5_000.0..10_000.0).contains(&metres),
        "seed {SEED}: {metres} m in 1000 s"
    );
}

const SCRIPT: &str = r#"
# nodes: 2, pause: 2.00, max speed: 20.00
$node_(0) set X_ 0.0
$node_(0) set Y_ 10.0
$node_(0) set Z_ 0.000000000000
$node_(1) set X_ 5.25
$node_(1) set Y_ -3.5
$god_ set-dist 0 1 1
$ns_ at 2.0 "$node_(0) setdest 40.0 10.0 10.0"
$ns_ at 4.0 "$node_(0) setdest 20.0 40.0 15.0"
"#;

/// Node 0 rests for two seconds, goes east for two, and turns at 20 m to go north for two.
#[test]
fn a_script_of_ns2_is_followed_and_an_order_on_the_way_turns_the_node() {
    let tracks = setdest::read(SCRIPT).expect("a good script");
    let metres = |secs: f64| {
        let spot = tracks[&0].spot(at(secs));
        (spot.x_nm / 1_000_000, spot.y_nm / 1_000_000)
    };
    let walk = [0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 60.0].map(metres);
    let m = 1_000;
    assert_eq!(
        walk,
        [
            (0, 10 * m),
            (0, 10 * m),
            (10 * m, 10 * m),
            (20 * m, 10 * m),
            (20 * m, 25 * m),
            (20 * m, 40 * m),
            (20 * m, 40 * m)
        ]
    );
    assert_eq!(tracks[&1].spot(at(9.0)), Spot::from_mm(5_250, -3_500));
}

#[test]
fn what_is_written_reads_back_to_a_millimetre() {
    let rules = RandomWaypoint {
        corner: Spot::from_mm(0, 0),
        size: Spot::from_mm(1_500_000, 300_000),
        speeds: [Speed(3_600_000_000_000), Speed(72_000_000_000_000)],
        pause: Duration::from_secs(5),
        until: Duration::from_secs(300),
    };
    let ends = [Spot::from_mm(0, 0), Spot::from_mm(240_000, 7_000)];
    let tracks = [
        Track::random_waypoint(&rules, &mut draws(2)),
        Track::back_and_forth(ends, SPEED),
        Track::resting(Spot::from_mm(12, -34)),
        Track::through(&[Knot {
            at: Duration::from_secs(3),
            spot: ends[1],
        }]),
    ];
    // Numbers that are left out stay left out: nodes without a place.
    let tracks: BTreeMap<u32, Track> = [0, 1, 3, 7].into_iter().zip(tracks).collect();
    let text = setdest::write(&tracks, Duration::from_secs(300));
    let again = setdest::read(&text).expect("our own script");
    assert!(again.keys().eq(tracks.keys()));
    for (node, track) in &tracks {
        let copy = &again[node];
        for step in 0..3_000_u32 {
            let now = at(f64::from(step) / 10.0);
            let off = track.spot(now).distance_nm(copy.spot(now));
            assert!(
                off <= 1_000_000,
                "seed {SEED} node {node} at {now:?}: {off} nm"
            );
        }
    }
}

#[test]
fn what_is_no_script_is_refused_with_its_line() {
    let cases = [
        ("$node_(0) set W_ 1.0", 1, "none of X_"),
        ("$node_(x) set X_ 1.0", 1, "not a node"),
        ("$node_(0) set X_ 1e3", 1, "not a decimal"),
        ("\n$ns_ at 1.0 \"$node_(0) stop\"", 2, "neither"),
        ("$node_(0) set X_ 1.0", 1, "no starting place"),
        (
            "$ns_ at 2.0 \"$node_(0) setdest 1 1 1\"\n$ns_ at 1.0 \"$node_(0) setdest 1 1 1\"",
            2,
            "before",
        ),
    ];
    for (text, line, said) in cases {
        let error = setdest::read(text).expect_err(text);
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// Nodes that stand somewhere already: a script may leave places out, but not name others.
#[test]
fn a_script_for_known_nodes_names_no_others() {
    let places = [(7_000, 7_000), (8_000, 8_000), (9_000, 9_000)];
    let places = places.map(|(x_mm, y_mm)| Spot::from_mm(x_mm, y_mm));
    let tracks = setdest::read_for(SCRIPT, &places).expect("a good script");
    let read = setdest::read(SCRIPT).expect("a good script");
    assert!(tracks[..2].iter().eq(read.values()));
    assert_eq!(tracks[2], Track::resting(places[2]));
    let orders = "$ns_ at 1.0 \"$node_(1) setdest 8.0 18.0 5.0\"";
    let tracks = setdest::read_for(orders, &places).expect("orders alone");
    assert_eq!(tracks[1].spot(at(2.0)), Spot::from_mm(8_000, 13_000));
    let error = setdest::read_for(SCRIPT, &places[..1]).expect_err("a node too many");
    assert_eq!(error.line, 6);
    assert_eq!(
        error.message,
        "there is no $node_(1): nodes are $node_(0) to $node_(0)"
    );
}

#[test]
fn a_level_above_reach_has_no_radius() {
    assert_eq!(LOSS.radius_nm(Level(-29_999)), None);
    assert_eq!(LOSS.radius_nm(Level(-30_000)), Some(1_000_000_000));
}

/// The autocorrelation over one decorrelation distance is 1/e.
#[test]
fn shadowing_has_its_deviation_and_forgets_over_its_distance() {
    let mut shadow = acklab_radio::Shadow::new(6.0, 20_000_000_000, draws(3));
    let drawn: Vec<f64> = (0..50_000_u64)
        .map(|step| shadow.at(step * 20_000_000_000).dbm())
        .collect();
    let count = drawn.len() as f64;
    let variance = drawn.iter().map(|x| x * x).sum::<f64>() / count;
    let product = drawn.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / count;
    assert!(
        (variance.sqrt() - 6.0).abs() < 0.15,
        "seed {SEED}: {variance}"
    );
    let correlation = product / variance;
    assert!(
        (correlation - 0.3679).abs() < 0.03,
        "seed {SEED}: {correlation}"
    );
}

/// Stretches that outlast what time can count (584 years): the node keeps going there, never goes
/// back in time, and has gone next to nowhere after a day.
#[test]
fn the_slowest_motion_reaches_the_end_of_time() {
    let ends = [Spot::from_mm(0, 0), Spot::from_mm(3_000_000, 4_000_000)];
    let day = Instant::ZERO + Duration::from_secs(86_400);
    let last = Instant::from_nanos(u64::MAX - 1);
    // It would be there just before the end of time, had it not begun so late.
    let script = "$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n\
                  $ns_ at 900000.0 \"$node_(0) setdest 5128.0 0.0 0.000000278\"\n";
    let scripted = setdest::read(script).expect("a script");
    // From one step to what takes less than all of time one way, and more both ways.
    for speed in [1, 1_000, 700_000, 1_500_000] {
        let rules = RandomWaypoint {
            corner: ends[0],
            size: ends[1],
            speeds: [Speed(speed), Speed(speed + 1)],
            pause: Duration::from_nanos(u64::MAX / 3),
            until: Duration::from_nanos(u64::MAX / 2),
        };
        let tracks = [
            Track::straight(ends[0], ends[1], Speed(speed)),
            Track::back_and_forth(ends, Speed(speed)),
            Track::random_waypoint_from(ends[0], &rules, &mut draws(1)),
            scripted[&0].clone(),
        ];
        for (kind, track) in tracks.iter().enumerate() {
            let gone = track.travelled_nm(day);
            assert!(
                gone <= 24 * speed.max(1_000_000),
                "{kind} at {speed}: {gone}"
            );
            assert!(track.travelled_nm(last) >= gone, "{kind} at {speed}");
            let legs = track.crossings(ends[1], 1_000_000_000, (Instant::ZERO, day));
            assert_eq!(legs, [], "{kind} at {speed}");
        }
    }
}
