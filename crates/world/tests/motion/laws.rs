//! Motion that has ended, or that nobody hears of, is no motion: the same digest.

use crate::common::{all_networks, options, run, scenario};
use acklab_base::NodeId;
use acklab_scenario::{Motion, Moving, Position, Resolved};
use acklab_world::RunOptions;

/// Seven nodes in the places where they have come to rest, with flows from then on.
fn at_rest(profile: &str, routing: &str, moving: &str) -> Resolved {
    scenario(&format!(
        "duration = \"5 s\"\nprofile = \"{profile}\"\n{moving}[topology]\nkind = \"positions\"\n\
         positions = {}\n[routing]\nprotocol = \"{routing}\"\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 6\nwindow = 8\nstart = \"1 s\"\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 5\nto = 1\nvariant = \"reno\"\nstart = \"1.2 s\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = 2\nto = 4\ninterval = \"31 ms\"\njitter = \"9 ms\"\nstart = \"1.1 s\"\n",
        listed(&PLACES)
    ))
}

/// In millimetres; the fourth is 249.999 m from the third, the sixth just senses the first.
const PLACES: [(i32, i32); 7] = [
    (0, 0),
    (100_050, 0),
    (230_000, 70_000),
    (479_999, 70_000),
    (480_000, -120_000),
    (549_500, 20_000),
    (690_001, -150_003),
];

fn listed(places: &[(i32, i32)]) -> String {
    let one = |&(x, y): &(i32, i32)| format!("[\"{x} mm\", \"{y} mm\"]");
    format!(
        "[{}]",
        places.iter().map(one).collect::<Vec<_>>().join(", ")
    )
}

/// They come from anywhere and stop at 0.9 s, before anybody has anything to say.
#[test]
fn motion_that_has_stopped_is_no_motion() {
    let arrivals: String = (PLACES.iter().enumerate())
        .map(|(node, place)| {
            let from = (place.0 * 2 - 900_000, 77_000 * (node as i32 + 1));
            format!(
                "[[moving]]\nnodes = [{node}]\nmotion = {{ kind = \"waypoints\", \
                 times = [\"0 s\", \"900 ms\"], places = {} }}\n",
                listed(&[from, *place])
            )
        })
        .collect();
    for (profile, routing) in [("ns2", "aodv"), ("standard", "aodv"), ("ns2", "dsr")] {
        let still = at_rest(profile, routing, "");
        let stopped = at_rest(profile, routing, &arrivals);
        assert_eq!(stopped.moving.len(), 7);
        for seed in 1..=2 {
            let (one, other) = (run(&still, &options(seed)), run(&stopped, &options(seed)));
            assert!(one.measures["delivered_packets"] > 20.0, "tests nothing");
            assert_eq!(
                one.digest, other.digest,
                "{profile}, {routing}, seed {seed}"
            );
            assert_eq!(
                one.measures, other.measures,
                "{profile}, {routing}, seed {seed}"
            );
        }
    }
}

/// The same network with one node more, which nobody hears.
fn with_a_stranger(resolved: &Resolved) -> Resolved {
    let far = Position {
        x_mm: 90_000_000,
        y_mm: -90_000_000,
    };
    let mut resolved = resolved.clone();
    resolved.positions = resolved.positions.iter().copied().chain([far]).collect();
    resolved.nodes += 1;
    resolved
}

/// A node wanders about, far from everybody: all rows are made anew for every frame, and nothing
/// else changes, no draw either.
#[test]
fn a_stranger_that_wanders_changes_nothing() {
    let tried = [
        "nine nodes",
        "standard",
        "strongest captures",
        "strongest, standard",
        "no link delay",
        "star",
        "field of 30",
        "DSR",
    ];
    let mut seen = 0;
    for (name, resolved) in all_networks() {
        if !tried.contains(&name) {
            continue;
        }
        seen += 1;
        let still = with_a_stranger(&resolved);
        let mut moving = still.clone();
        let stranger = NodeId(still.nodes - 1);
        let area = |mm: i64| Position { x_mm: mm, y_mm: mm };
        let corner = still.positions[stranger.index()];
        moving.moving.push(Moving {
            nodes: vec![stranger],
            motion: Motion::RandomWaypoint {
                corner,
                size: area(500_000),
                speeds: [36_000_000_000_000, 72_000_000_000_000],
                pause: acklab_base::Duration::ZERO,
            },
        });
        let still = run(&still, &options(5));
        for eager in [false, true] {
            let options = RunOptions {
                eager,
                ..options(5)
            };
            let moving = run(&moving, &options);
            assert_eq!(still.digest, moving.digest, "{name}, eager {eager}");
            assert_eq!(still.measures, moving.measures, "{name}, eager {eager}");
        }
    }
    assert_eq!(seen, tried.len());
}

/// Two islands. How nodes of one move changes nothing on the other.
#[test]
fn motion_elsewhere_moves_no_draw() {
    let island = |size: u32| {
        scenario(&format!(
            "duration = \"6 s\"\n[topology]\nkind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], \
             [\"200 m\", \"0 m\"], [\"9 km\", \"0 m\"], [\"9.2 km\", \"0 m\"], [\"9.4 km\", \"0 m\"]]\n\
             [[moving]]\nnodes = [0, 1]\nmotion = {{ kind = \"random-waypoint\", \
             corner = [\"0 m\", \"-10 m\"], size = [\"{size} m\", \"20 m\"], \
             speeds = [\"5 m/s\", \"20 m/s\"], pause = \"0 s\" }}\n\
             [[moving]]\nnodes = [2, 4]\nmotion = {{ kind = \"random-waypoint\", \
             corner = [\"9 km\", \"-10 m\"], size = [\"400 m\", \"20 m\"], \
             speeds = [\"5 m/s\", \"20 m/s\"], pause = \"0 s\" }}\n\
             [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 1\nwindow = 8\n\
             [[flow]]\nkind = \"ftp\"\nfrom = 2\nto = 4\nwindow = 8\nstart_jitter = \"1 s\"\n"
        ))
    };
    let [small, large] = [230, 900].map(|size| run(&island(size), &options(11)));
    assert!(small.flows[1]["delivered_packets"] > 20.0);
    assert_eq!(small.flows[1], large.flows[1]);
    let of = |result: &acklab_world::RunResult| result.nodes.iter().skip(2).collect::<Vec<_>>();
    assert_eq!(of(&small), of(&large));
    assert_ne!(small.digest, large.digest);
}
