//! Mistakes in the motion of nodes with an 802.11 radio; and what is written back.

use crate::common::more;
use acklab_scenario::{Position, Resolved, parse_json, parse_toml};

/// A chain of three nodes at 0, 200 and 400 m with one motion.
fn motion(table: &str, expected: &str) {
    more(
        &format!("[[moving]]\nnodes = [1]\nmotion = {{ {table} }}"),
        expected,
    );
}

const TO: &str = "kind = \"straight\", to = [\"9 m\", \"0 m\"], speed";

#[test]
fn motions_make_sense() {
    motion(
        "kind = \"circle\"",
        "s.toml:10:12: moving[0].motion.kind = \"circle\": unknown name; accepted: \"resting\", \
         \"straight\", \"back-and-forth\", \"waypoints\", \"random-waypoint\", \"setdest\"",
    );
    motion(
        &format!("{TO} = \"0 m/s\""),
        "s.toml:10:52: moving[0].motion.speed = \"0 m/s\": must be greater than zero; accepted: a \
         speed such as \"70 km/h\" (units: km/h, m/s)",
    );
    motion(
        &format!("{TO} = \"-3 m/s\""),
        "s.toml:10:52: moving[0].motion.speed = \"-3 m/s\": must not be negative; accepted: a speed \
         such as \"70 km/h\" (units: km/h, m/s)",
    );
    motion(
        "kind = \"straight\", to = [\"200 m\", \"0 m\"], speed = \"1 m/s\"",
        "s.toml:10:31: moving[0].motion.to = [\"200 m\",\"0 m\"]: where it starts; accepted: another place",
    );
    motion(
        "kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], size = [\"150 m\", \"9 m\"], \
         speeds = [\"1 m/s\", \"2 m/s\"], pause = \"0 s\"",
        "s.toml:10:1: moving[0].motion = {\"kind\":\"random-waypoint\",\"corner\":[\"0 m\",\"0 m\"],\"size\":[...: \
         the area is without node 1, which starts at [\"200 m\",\"0 m\"]; accepted: an area that all its \
         nodes start in",
    );
    motion(
        "kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], size = [\"500 m\", \"9 m\"], \
         speeds = [\"3 m/s\", \"2 m/s\"], pause = \"0 s\"",
        "s.toml:10:88: moving[0].motion.speeds = [\"3 m/s\",\"2 m/s\"]: not a range of speeds above zero; \
         accepted: the least speed, above zero, and the largest",
    );
    motion(
        "kind = \"waypoints\", times = [\"1 s\"], places = [[\"0 m\", \"0 m\"]]",
        "s.toml:10:1: moving[0].motion = {\"kind\":\"waypoints\",\"times\":[\"1 s\"],\"places\":[[\"0 m\",\"0 m...: \
         nodes 0 and 1 start on one spot, [\"0 m\",\"0 m\"]; accepted: a spot of its own for every node",
    );
}

#[test]
fn scripts_name_nodes_that_are_there() {
    let script = |lines: &str, expected: &str| {
        more(
            &format!("[[moving]]\nmotion = {{ kind = \"setdest\", script = '''{lines}''' }}"),
            expected,
        );
    };
    script(
        "$node_(0) set X_ 1.0\n$ns_ at 2.0 \"$node_(3) setdest 1 1 1\"",
        "s.toml:9:30: moving[0].motion.script = \"$ns_ at 2.0 \\\"$node_(3) setdest 1 1 1\\\"\": line 2: \
         there is no $node_(3): nodes are $node_(0) to $node_(2); accepted: a movement script of ns-2 \
         (see docs/models/motion.md)",
    );
    script(
        "$ns_ at 2.0 \"$node_(1) setdest 1 1 -4.0\"",
        "s.toml:9:30: moving[0].motion.script = \"$ns_ at 2.0 \\\"$node_(1) setdest 1 1 -4.0\\\"\": line 1: \
         a speed below zero; accepted: a movement script of ns-2 (see docs/models/motion.md)",
    );
    motion(
        "kind = \"setdest\", script = \"$node_(0) set X_ 1.0\\n$node_(0) set Y_ 1.0\", script_node = 1",
        "s.toml:10:85: moving[0].motion.script_node = 1: the script has 1 nodes, not this one; accepted: a node of the script",
    );
}

#[test]
fn a_script_is_written_out_or_a_file() {
    let both = "kind = \"setdest\", script = \"\", script_file = \"moves.ns\"";
    motion(
        both,
        "s.toml:10:43: moving[0].motion.script_file = \"moves.ns\": there is a script already; accepted: script \
         (the text) or script_file (a file beside the scenario), one of both",
    );
    motion(
        "kind = \"setdest\"",
        "s.toml:10:1: moving[0].motion.script: missing key; accepted: script (the text) or script_file (a \
         file beside the scenario), one of both",
    );
    motion(
        "kind = \"setdest\", script_file = \"no/such.ns\"",
        "s.toml:10:30: moving[0].motion.script_file = \"no/such.ns\": no/such.ns cannot be read: No such file \
         or directory (os error 2); accepted: a movement script of ns-2 in UTF-8, beside the scenario",
    );
}

/// A script in a file beside the scenario is the same scenario as one with its text; a mistake in it
/// names file and line.
#[test]
fn a_script_in_a_file_is_its_text() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("scripts");
    std::fs::create_dir_all(&folder).expect("a folder");
    let good = "$node_(1) set X_ 5.0\n$node_(1) set Y_ 4.0\n$ns_ at 1.0 \"$node_(1) setdest 9.0 4.0 1.0\"\n";
    let bad = "# one\n$ns_ at 1.0 \"$node_(1) stop\"\n";
    for (name, script) in [("good.ns", good), ("bad.ns", bad)] {
        std::fs::write(folder.join(name), script).expect("a file");
    }
    let name = folder.join("s.toml").display().to_string();
    let read = |script: &str| {
        let text = format!(
            "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 2\nspacing = \"200 m\"\n\
             [[flow]]\nkind = \"ftp\"\n[[moving]]\nmotion = {{ kind = \"setdest\", {script} }}\n"
        );
        parse_toml(&name, &text).and_then(|scenario| scenario.resolve())
    };
    let by_file = read("script_file = \"good.ns\"").expect("a good script");
    let by_text = read(&format!("script = '''{good}'''")).expect("the same");
    assert_eq!(by_file, by_text);
    let again = parse_json("elsewhere.json", &by_file.to_json());
    assert_eq!(again.and_then(|scenario| scenario.resolve()), Ok(by_file));
    let error = read("script_file = \"bad.ns\"").expect_err("a bad script");
    let bad = folder.join("bad.ns");
    let expected = format!(
        "{name}:9:30: moving[0].motion.script_file = \"$ns_ at 1.0 \\\"$node_(1) stop\\\"\": {}:2: neither \
         `$node_(N) set X_ …` nor `$ns_ at T \"$node_(N) setdest …\"`; accepted: a movement script of ns-2 \
         (see docs/models/motion.md)",
        bad.display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn every_node_moves_in_one_way() {
    let rest = "motion = { kind = \"straight\", to = [\"9 m\", \"9 m\"], speed = \"1 m/s\" }";
    let two = |first: &str, second: &str, expected: &str| {
        more(
            &format!("[[moving]]\n{first}\n{rest}\n[[moving]]\n{second}\n{rest}"),
            expected,
        );
    };
    two(
        "nodes = [1, 0]",
        "nodes = [2, 1]",
        "s.toml:12:13: moving[1].nodes[1] = 1: this node has a motion already (moving[0].nodes[0]); \
         accepted: each node once",
    );
    two(
        "nodes = [1, 3]",
        "nodes = [0]",
        "s.toml:9:13: moving[0].nodes[1] = 3: no node of this number has a radio: there are 3; accepted: 0 to 2",
    );
    two(
        "",
        "",
        "s.toml:11:1: moving[1].nodes: missing key: moving[0] is for all other nodes already; \
         accepted: a list of nodes",
    );
    two(
        "nodes = [0, 1, 2]",
        "",
        "s.toml:11:1: moving[1].nodes: missing key: all nodes have another motion; accepted: no such entry",
    );
}

#[test]
fn only_nodes_with_an_80211_radio_move() {
    let rest = "[[moving]]\nmotion = { kind = \"resting\", position = [\"9 m\", \"9 m\"] }";
    more(
        &format!("{rest}\n[slotted]"),
        "s.toml:8:3: moving = [{\"motion\":{\"kind\":\"resting\",\"position\":[\"9 m\",\"9 m\"]}}]: no node of this \
         scenario has an 802.11 radio and a place; accepted: a topology with places, without slotted; \
         mobiles of cells have a motion there",
    );
}

fn chain(moving: &str) -> Resolved {
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
         [[flow]]\nkind = \"ftp\"\n{moving}"
    );
    parse_toml("s.toml", &text)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|error| panic!("{error}"))
}

const fn metres(x: i64, y: i64) -> Position {
    Position {
        x_mm: x * 1_000,
        y_mm: y * 1_000,
    }
}

/// A motion, where it has node 1 start, and into how many entries it falls for all nodes; none if
/// it says itself where a node starts, so that two cannot follow it.
const CASES: [(&str, Position, usize); 7] = [
    (
        "kind = \"straight\", to = [\"9 m\", \"9 m\"], speed = \"1 m/s\"",
        metres(200, 0),
        5,
    ),
    (
        "kind = \"straight\", from = [\"7 m\", \"7 m\"], to = [\"9 m\", \"9 m\"], speed = \"1 m/s\"",
        metres(7, 7),
        0,
    ),
    (
        "kind = \"back-and-forth\", to = [\"9 m\", \"9 m\"], speed = \"70 km/h\"",
        metres(200, 0),
        5,
    ),
    (
        "kind = \"waypoints\", times = [\"3 s\", \"4 s\"], places = [[\"6 m\", \"6 m\"], [\"9 m\", \"0 m\"]]",
        metres(6, 6),
        0,
    ),
    (
        "kind = \"random-waypoint\", corner = [\"-1 m\", \"0 m\"], size = [\"900 m\", \"9 m\"], \
         speeds = [\"1 m/s\", \"2 m/s\"], pause = \"1 s\"",
        metres(200, 0),
        1,
    ),
    (
        "kind = \"setdest\", script = '''$node_(1) set X_ 5.0\n$node_(1) set Y_ 4.0\n\
         $ns_ at 1.0 \"$node_(2) setdest 1.0 1.0 1.0\"'''",
        metres(5, 4),
        1,
    ),
    (
        "kind = \"resting\", position = [\"3 m\", \"3 m\"]",
        metres(3, 3),
        0,
    ),
];

/// What is resolved reads back as itself, whatever the motion; nodes start where it says.
#[test]
fn resolved_motion_reads_back_as_itself() {
    for (motion, start, entries) in CASES {
        let mut all = vec![(format!("nodes = [1]\nmotion = {{ {motion} }}"), 1)];
        if entries > 0 {
            all.push((format!("motion = {{ {motion} }}"), entries));
        }
        for (moving, entries) in all {
            let resolved = chain(&format!("[[moving]]\n{moving}\n"));
            assert_eq!(resolved.positions[1], start, "{moving}");
            assert_eq!(resolved.moving.len(), entries, "{moving}");
            for again in [
                parse_toml("again.toml", &resolved.to_toml()),
                parse_json("again.json", &resolved.to_json()),
            ] {
                let again = again.and_then(|scenario| scenario.resolve());
                assert_eq!(again.expect("our own text"), resolved);
            }
        }
    }
}
