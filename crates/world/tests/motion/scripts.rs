//! Movement scripts of ns-2 in scenarios of the 802.11 radio.

use crate::common::{integer, log, options, run, scenario};
use acklab_base::{Address, Duration, NodeId, Purpose};
use acklab_radio::motion::setdest;
use acklab_radio::{RandomWaypoint, Speed, Spot, Track};
use acklab_scenario::{Resolved, parse_json, parse_toml};
use acklab_world::movement;
use serde_json::Value;

/// Node 1 drives off and comes back; node 2 turns on its way; node 3 has no line and stays.
const SCRIPT: &str = r#"
$node_(0) set X_ 0.0
$node_(0) set Y_ 0.0
$node_(0) set Z_ 0.000000000000
$node_(1) set X_ 200.0
$node_(1) set Y_ 0.5
$node_(2) set X_ 200.0
$node_(2) set Y_ 150.0
$god_ set-dist 0 1 1
$ns_ at 2.0 "$node_(1) setdest 260.0 80.5 20.0"
$ns_ at 2.5 "$node_(2) setdest 200.0 50.0 10.0"
$ns_ at 4.5 "$node_(2) setdest 230.0 170.0 25.0"
$ns_ at 9.0 "$node_(1) setdest 200.0 0.5 40.0"
"#;

/// A chain whose nodes follow a script, with a TCP flow from end to end.
fn network(script: &str) -> Resolved {
    scenario(&format!(
        "duration = \"12 s\"\n[topology]\nkind = \"chain\"\nnodes = 4\nspacing = \"133 m\"\n\
         [[moving]]\nmotion = {{ kind = \"setdest\", script = '''{script}''' }}\n\
         [[flow]]\nkind = \"ftp\"\nwindow = 8\nstart = \"1 s\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = 1\nto = 0\nstart = \"500 ms\"\ninterval = \"50 ms\"\n"
    ))
}

/// The fourth node stands where the chain has it, 399 m from the first.
#[test]
fn a_script_places_and_moves_the_nodes_that_it_names() {
    let resolved = network(SCRIPT);
    let places: Vec<_> = (resolved.positions.iter())
        .map(|at| (at.x_mm, at.y_mm))
        .collect();
    assert_eq!(
        places,
        [(0, 0), (200_000, 500), (200_000, 150_000), (399_000, 0)]
    );
    // The same motion as lists of places: legs of 5 s and 2.5 s, and of 2 s each.
    let moving = "[[moving]]\nnodes = [1]\nmotion = { kind = \"waypoints\", \
         times = [\"2 s\", \"7 s\", \"9 s\", \"11.5 s\"], places = [[\"200 m\", \"0.5 m\"], \
         [\"260 m\", \"80.5 m\"], [\"260 m\", \"80.5 m\"], [\"200 m\", \"0.5 m\"]] }\n\
         [[moving]]\nnodes = [2]\nmotion = { kind = \"waypoints\", \
         times = [\"2.5 s\", \"4.5 s\", \"6.5 s\"], places = [[\"200 m\", \"150 m\"], \
         [\"200 m\", \"130 m\"], [\"230 m\", \"170 m\"]] }\n";
    let listed = scenario(&format!(
        "duration = \"12 s\"\n{moving}[topology]\nkind = \"chain\"\nnodes = 4\nspacing = \"133 m\"\n\
         [[flow]]\nkind = \"ftp\"\nstart = \"1 s\"\n"
    ));
    let mut by_hand = resolved.clone();
    by_hand.moving = listed.moving;
    let (script, hand) = (run(&resolved, &options(2)), run(&by_hand, &options(2)));
    assert!(script.measures["delivered_packets"] > 100.0);
    assert!(script.measures["link_failures"] > 0.0, "nobody went far");
    assert_eq!(script.digest, hand.digest);
}

/// Read, written, read again: the same run. And a resolved scenario keeps the script.
#[test]
fn a_script_that_is_read_and_written_gives_the_same_run() {
    let tracks = setdest::read_for(SCRIPT, &[Spot::from_mm(399_000, 0); 4]).expect("a good script");
    let tracks = (0..).zip(tracks).collect();
    let written = setdest::write(&tracks, Duration::from_secs(20));
    assert_ne!(written, SCRIPT);
    let resolved = network(SCRIPT);
    let digest = run(&resolved, &options(9)).digest;
    assert_eq!(run(&network(&written), &options(9)).digest, digest);
    for again in [
        parse_toml("again.toml", &resolved.to_toml()),
        parse_json("again.json", &resolved.to_json()),
    ] {
        let again = again.and_then(|scenario| scenario.resolve());
        assert_eq!(again.as_ref(), Ok(&resolved));
    }
}

/// Frames as who sends what to whom when.
fn frames(events: &[Value]) -> Vec<(u64, String)> {
    let sent = events.iter().filter(|event| event["kind"] == "frame_sent");
    sent.map(|frame| {
        let what = format!(
            "{} {} {} {}",
            frame["node"], frame["type"], frame["to"], frame["bytes"]
        );
        (integer(frame, "time_ns"), what)
    })
    .collect()
}

/// What a run of random waypoint drew, as a script: the same frames, to less than a microsecond.
/// The draws are those of (seed, run, node, motion).
#[test]
fn random_waypoint_written_as_a_script_gives_the_same_frames() {
    let (seed, nodes) = (6, 8);
    let text = |motion: &str| {
        scenario(&format!(
            "duration = \"8 s\"\n[topology]\nkind = \"grid\"\nrows = 2\ncolumns = 4\nspacing = \"150 m\"\n\
             [[moving]]\nmotion = {{ {motion} }}\n\
             [[flow]]\nkind = \"ftp\"\nwindow = 4\nstart = \"1 s\"\n"
        ))
    };
    let random = text(
        "kind = \"random-waypoint\", corner = [\"-50 m\", \"-50 m\"], size = [\"600 m\", \"300 m\"], \
         speeds = [\"1 m/s\", \"30 m/s\"], pause = \"500 ms\"",
    );
    let rules = RandomWaypoint {
        corner: Spot::from_mm(-50_000, -50_000),
        size: Spot::from_mm(600_000, 300_000),
        speeds: [Speed(3_600_000_000_000), Speed(108_000_000_000_000)],
        pause: Duration::from_millis(500),
        until: random.duration,
    };
    let track = |node: u32| {
        let mut draws = Address {
            seed,
            run: 0,
            node: NodeId(node),
            purpose: Purpose::Motion,
        }
        .open();
        let place = random.positions[node as usize];
        Track::random_waypoint_from(Spot::from_mm(place.x_mm, place.y_mm), &rules, &mut draws)
    };
    let tracks = (0..nodes).map(|node| (node, track(node))).collect();
    let script = setdest::write(&tracks, random.duration);
    assert_eq!(movement(&random, seed, 0), script);
    let scripted = text(&format!("kind = \"setdest\", script = '''{script}'''"));
    let [one, other] = [random, scripted].map(|resolved| frames(&log(&resolved, &options(seed))));
    assert!(one.len() > 1_000, "{} frames", one.len());
    assert_eq!(one.len(), other.len());
    for (a, b) in one.iter().zip(&other) {
        assert_eq!(a.1, b.1, "seed {seed}");
        assert!(a.0.abs_diff(b.0) < 1_000, "seed {seed}: {a:?} {b:?}");
    }
}
