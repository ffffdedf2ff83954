//! Stations that only listen, among many: a run in which they stand by is the run in which every
//! station is settled at every edge, down to what each node counted.

use crate::common::{draws, options, run, scenario};
use acklab_base::{Duration, Stream};
use acklab_scenario::Resolved;
use acklab_world::RunOptions;
use std::sync::atomic::AtomicBool;

/// Flows between any two of so many nodes.
fn flows(draw: &mut Stream, nodes: u32, count: u32) -> String {
    let one = |_| {
        let from = draw.below(nodes);
        let to = (from + 1 + draw.below(nodes - 1)) % nodes;
        format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nwindow = 8\n\
             start_jitter = \"200 ms\"\n"
        )
    };
    (0..count).map(one).collect()
}

/// 49 nodes, of which each hears most others; `step` apart on a grid that was shaken by up to `shake`
/// metres.
fn crowd(seed: u64, step: u32, shake: u32, head: &str, rest: &str) -> Resolved {
    let mut draw = draws(seed);
    let positions: Vec<String> = (0..49)
        .map(|node| {
            let x = node % 7 * step + draw.below(shake + 1);
            let y = node / 7 * step + draw.below(shake + 1);
            format!("[\"{x} m\", \"{y} m\"]")
        })
        .collect();
    let flows = flows(&mut draw, 49, 8);
    scenario(&format!(
        "duration = \"3 s\"\n{head}\n[topology]\nkind = \"positions\"\npositions = [{}]\n\
         {rest}\n{flows}",
        positions.join(", ")
    ))
}

/// Both runs of three networks of a kind; returns how many frames were on the air.
fn stands_by_exactly(name: &str, network: impl Fn(u64) -> Resolved) -> f64 {
    (1..=3)
        .map(|seed| both_runs(name, &network(seed), seed))
        .sum()
}

/// Both runs of a network; returns how many frames were on the air.
fn both_runs(name: &str, resolved: &Resolved, seed: u64) -> f64 {
    let eager = RunOptions {
        eager: true,
        ..options(seed)
    };
    let (lazy, eager) = (run(resolved, &options(seed)), run(resolved, &eager));
    assert_eq!(lazy.digest, eager.digest, "{name}, seed {seed}");
    assert_eq!(lazy.measures, eager.measures, "{name}, seed {seed}");
    assert_eq!(lazy.nodes, eager.nodes, "{name}, seed {seed}");
    lazy.measures["rts_sent"] + lazy.measures["data_sent"]
}

#[test]
fn on_a_shaken_grid_under_every_routing() {
    for routing in ["static", "aodv", "dsdv", "dsr"] {
        let rest = format!("[routing]\nprotocol = \"{routing}\"");
        let frames = stands_by_exactly(routing, |seed| crowd(seed, 140, 40, "", &rest));
        assert!(frames > 300.0, "{routing}: {frames} frames");
    }
}

/// Searches for routes flood a network of several hops; who knows a request already sleeps through its
/// copies, and may take them in much later.
#[test]
fn where_floods_come_from_all_sides() {
    for (later, head) in [(0, ""), (0, "mac.data_rate = \"11 Mbit/s\""), (9, "")] {
        let frames = stands_by_exactly(&format!("from {later} s on, {head}"), |seed| {
            let mut draw = draws(seed);
            let positions: Vec<String> = (0..144)
                .map(|node| {
                    let x = node % 12 * 150 + draw.below(41);
                    let y = node / 12 * 150 + draw.below(41);
                    format!("[\"{x} m\", \"{y} m\"]")
                })
                .collect();
            let first = flows(&mut draw, 144, 6);
            let second = flows(&mut draw, 144, 6);
            let second =
                second.replace("window = 8", &format!("window = 2\nstart = \"{later} s\""));
            scenario(&format!(
                "duration = \"{} s\"\n{head}\n[topology]\nkind = \"positions\"\n\
                 positions = [{}]\n[routing]\nprotocol = \"aodv\"\n{first}{second}",
                later + 2,
                positions.join(", ")
            ))
        });
        assert!(frames > 3_000.0, "from {later} s on: {frames} frames");
    }
}

/// All neighbours of a node hear it in pairs at the same instant, and stations whose slots agree send in it.
#[test]
fn where_frames_arrive_at_the_same_instant() {
    for (step, routing) in [
        (2, "static"),
        (60, "static"),
        (120, "static"),
        (120, "aodv"),
    ] {
        let rest = format!("[routing]\nprotocol = \"{routing}\"");
        let frames = stands_by_exactly("a grid", |seed| crowd(seed, step, 0, "", &rest));
        assert!(frames > 500.0, "{step} m, {routing}: {frames} frames");
    }
}

/// Many stations on one table, some of them a finger's breadth from each other: light takes no whole
/// nanosecond there.
#[test]
fn where_antennas_nearly_touch() {
    for ratio in ["1 dB", "6 dB"] {
        for seed in 1..=20 {
            let mut draw = draws(seed);
            let nodes = 21 + draw.below(60);
            let positions: Vec<String> = (0..nodes)
                .map(|node| format!("[\"0.0{node:02} m\", \"0.{:03} m\"]", draw.below(1_000)))
                .collect();
            let flows = flows(&mut draw, nodes, 6);
            let resolved = scenario(&format!(
                "duration = \"2 s\"\n[topology]\nkind = \"positions\"\npositions = [{}]\n[radio]\n\
                 capture_threshold = \"{ratio}\"\n[routing]\nprotocol = \"aodv\"\n{flows}",
                positions.join(", ")
            ));
            both_runs("on a table", &resolved, seed);
        }
    }
}

#[test]
fn with_other_rules() {
    let fixed = "[routing]\nprotocol = \"static\"";
    let searched = "[routing]\nprotocol = \"aodv\"";
    let capture = |rule: &str| format!("{fixed}\n[radio]\ncapture = \"{rule}\"");
    let cases = [
        (
            "no RTS",
            String::from("[mac]\nrts_threshold = \"off\""),
            fixed.to_owned(),
        ),
        (
            "ns-2 of 2002",
            String::from("profile = \"ns2-2.1b9\""),
            fixed.to_owned(),
        ),
        (
            "the standard",
            String::from("profile = \"standard\""),
            fixed.to_owned(),
        ),
        ("no capture", String::new(), capture("none")),
        ("strongest", String::new(), capture("strongest")),
        (
            "a low ratio",
            String::new(),
            format!("{fixed}\n[radio]\ncapture_threshold = \"1 dB\""),
        ),
        (
            "floods of 2002",
            String::from("profile = \"ns2-2.1b9\""),
            searched.to_owned(),
        ),
        (
            "floods where a strong short frame frees the medium before a long one ends",
            String::new(),
            format!(
                "{searched}\n[radio]\ncapture = \"strongest\"\ncapture_threshold = \"1 dB\"\n\
                 cs_threshold = \"3.652e-10 W\""
            ),
        ),
        (
            "floods at a low ratio",
            String::new(),
            format!("{searched}\n[radio]\ncapture_threshold = \"1 dB\""),
        ),
    ];
    for (name, head, rest) in cases {
        let frames = stands_by_exactly(name, |seed| crowd(seed, 130, 30, &head, &rest));
        assert!(frames > 500.0, "{name}: {frames} frames");
    }
}

/// What a station must be woken for in time although it has a turn, or awaits an answer: what it overhears, if its
/// turn is put off behind that; and the end of its wait, if an answer that is on its way comes to nothing and
/// the packet may not be sent again. Short slots count before the next frame is noticed.
#[test]
fn where_more_than_one_thing_is_to_come() {
    let standard = "profile = \"standard\"\nradio.capture_threshold";
    let overhearing = format!(
        "{standard} = \"1 dB\"\nmac.cw_min = 1\nmac.cw_max = 1\nmac.rts_threshold = \"0 B\""
    );
    let limits = "mac.short_retry_limit = 3\nmac.long_retry_limit = 1\nmac.rts_threshold = \"off\"";
    let weak = format!("{standard} = \"0 dB\"\nradio.cs_threshold = \"3.652e-10 W\"\n{limits}");
    let strongest = "radio.capture = \"strongest\"\nradio.cs_threshold = \"1e-10 W\"\nmac.slot = \"9 us\"\n\
                     mac.short_retry_limit = 1\nmac.rts_threshold = \"off\"";
    let short_slots = "profile = \"standard\"\nmac.slot = \"1 us\"";
    let cases = [
        (overhearing.as_str(), "dsr", 130, 6),
        (weak.as_str(), "aodv", 130, 1),
        (weak.as_str(), "aodv", 130, 4),
        (strongest, "dsr", 10, 3),
        (strongest, "dsr", 10, 4),
        (short_slots, "static", 130, 3),
        (short_slots, "static", 130, 5),
    ];
    for (head, routing, step, seed) in cases {
        let rest = format!("[routing]\nprotocol = \"{routing}\"");
        both_runs(head, &crowd(seed, step, 30, head, &rest), seed);
    }
}

/// Everybody is looked at in the middle of the run, and goes on listening.
#[test]
fn where_intervals_end_in_between() {
    let head = "[measure]\nfrom = \"1 s\"\nbatch = 25";
    for routing in ["static", "aodv"] {
        let rest = format!("[routing]\nprotocol = \"{routing}\"");
        let frames = stands_by_exactly(routing, |seed| crowd(seed, 130, 30, head, &rest));
        assert!(frames > 300.0, "{routing}: {frames} frames");
    }
}

/// The same field 23 or 100 times as large, for radios that hear so far.
fn far(seed: u64, step: u32, routing: &str) -> Resolved {
    let (decode, sense) = match step {
        3_000 => ("1.3e-15", "5.57e-17"),
        _ => ("3.652e-18", "1.559e-19"),
    };
    let rest = format!(
        "[routing]\nprotocol = \"{routing}\"\n[radio]\nrx_threshold = \"{decode} W\"\n\
         cs_threshold = \"{sense} W\""
    );
    crowd(seed, step, step / 5, "", &rest)
}

/// Delays that have no bounds, and such as sixteen bits do not hold.
#[test]
fn over_long_distances() {
    // Searches over the farthest of these leave little time for anything else.
    for (step, routing, least) in [
        (3_000, "static", 100.0),
        (3_000, "aodv", 100.0),
        (13_000, "static", 100.0),
        (13_000, "aodv", 50.0),
    ] {
        let frames = stands_by_exactly("far", |seed| far(seed, step, routing));
        assert!(frames > least, "{step} m, {routing}: {frames} frames");
    }
}

/// Frames are on their way for longer than DIFS: in one of these networks a run ends between the end of one
/// and the beginning of the next that is known; in the other a station has its turn between two of them.
#[test]
fn where_frames_are_known_long_before_they_begin() {
    for seed in [9, 95] {
        both_runs("far", &far(seed, 13_000, "aodv"), seed);
    }
}

/// A field of 2 025 nodes of which few have a part in anything: the others get neither a station nor a stack,
/// but for as long as they hear what is for all, and who hears whom is worked out for those who send.
#[test]
fn where_most_nodes_never_have_a_part() {
    for (seed, head) in [(1, ""), (2, "[measure]\nfrom = \"300 ms\"\nbatch = 10")] {
        let mut draw = draws(seed);
        let positions: Vec<String> = (0..2_025)
            .map(|node| {
                let x = node % 45 * 180 + draw.below(41);
                let y = node / 45 * 180 + draw.below(41);
                format!("[\"{x} m\", \"{y} m\"]")
            })
            .collect();
        let flow = |_| {
            let (row, column) = (draw.below(45), draw.below(42));
            let from = row * 45 + column;
            let start = draw.below(200);
            format!(
                "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {}\nwindow = 4\nstart = \"{start} ms\"\n",
                from + 3
            )
        };
        let flows: String = (0..12).map(flow).collect();
        let resolved = scenario(&format!(
            "duration = \"800 ms\"\n{head}\n[topology]\nkind = \"positions\"\npositions = [{}]\n\
             [routing]\nprotocol = \"static\"\n{flows}",
            positions.join(", ")
        ));
        let frames = both_runs("a large field", &resolved, seed);
        assert!(frames > 300.0, "{frames} frames");
    }
}

/// A slotted radio takes no notice of who only listens: none stands by.
#[test]
fn in_slots_where_many_hear_a_frame() {
    let rest = "[slotted]\n[routing]\nprotocol = \"static\"";
    for seed in 1..=3 {
        let resolved = crowd(seed, 100, 20, "", rest);
        let eager = RunOptions {
            eager: true,
            ..options(seed)
        };
        let (lazy, eager) = (run(&resolved, &options(seed)), run(&resolved, &eager));
        assert_eq!(lazy.digest, eager.digest, "seed {seed}");
        assert_eq!(lazy.nodes, eager.nodes, "seed {seed}");
        assert!(lazy.measures["delivered_packets"] > 10.0, "seed {seed}");
    }
}

/// What a run says that was stopped is not less than what those have heard who only listened.
#[test]
fn a_run_that_is_stopped_says_what_they_have_heard() {
    let rest = "[routing]\nprotocol = \"static\"";
    let mut resolved = crowd(1, 130, 30, "", rest);
    resolved.duration = Duration::from_secs(60);
    let stop = AtomicBool::new(true);
    let stopped = acklab_world::run(&resolved, &options(1), Some(&stop)).expect("it can be built");
    assert!(!stopped.complete);
    let receiving = stopped.nodes.iter().map(|node| node["receiving_s"]);
    assert!(
        receiving
            .min_by(f64::total_cmp)
            .is_some_and(|least| least > 0.1)
    );
}

#[test]
fn among_nodes_that_wander() {
    let rest = "[routing]\nprotocol = \"aodv\"\n[[moving]]\nmotion = { kind = \"random-waypoint\", \
                corner = [\"0 m\", \"0 m\"], size = [\"900 m\", \"900 m\"], \
                speeds = [\"20 m/s\", \"300 m/s\"], pause = \"50 ms\" }";
    let frames = stands_by_exactly("wandering", |seed| crowd(seed, 130, 30, "", rest));
    assert!(frames > 500.0, "{frames} frames");
}
