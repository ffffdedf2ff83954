//! Mistakes in base stations, mobiles, levels and trees; and what is written back.

use crate::common::access as text;
use acklab_scenario::{Resolved, ScenarioError, parse_json, parse_toml};

fn resolve(changes: &[(&str, &str)]) -> Result<Resolved, ScenarioError> {
    parse_toml("s.toml", &text(changes))
        .and_then(|scenario| scenario.resolve())
        .and_then(|resolved| resolved.check_reachability(&[]).map(|()| resolved))
}

#[track_caller]
fn refused(changes: &[(&str, &str)], expected: &str) {
    let error = resolve(changes).expect_err("a mistake").to_string();
    let (place, said) = error.split_once(": ").expect("a place");
    assert!(place.starts_with("s.toml"), "{error}");
    assert_eq!(said, expected);
}

/// With further keys in the table of cells.
#[track_caller]
fn with(keys: &str, expected: &str) {
    refused(
        &[("gateway = 1", &format!("gateway = 1\n{keys}"))],
        expected,
    );
}

const REST_WRITTEN: &str = "{\"kind\":\"resting\",\"position\":[\"5 m\",\"0 m\"]}";
const REST: &str = "{kind = \"resting\", position = [\"5 m\", \"0 m\"]}";

#[test]
fn alpha_lies_between_zero_and_one() {
    for alpha in ["0.0", "1.0"] {
        with(
            &format!("alpha = {alpha}"),
            &format!(
                "cells.alpha = {alpha}: cho2005 §3.2 has 0 < α < 1; accepted: a number between 0 and \
                 1, both excluded"
            ),
        );
    }
    for (alpha, said) in [("-0.5", "at least 0"), ("1.5", "at most 1")] {
        with(
            &format!("alpha = {alpha}"),
            &format!("cells.alpha = {alpha}: must be {said}; accepted: a number from 0 to 1"),
        );
    }
}

#[test]
fn levels_must_be_within_reach() {
    with(
        "handoff_level = \"-30 dBm\"\nalpha = 0.1",
        "cells.handoff_level = \"-30 dBm\": the pacing level (1 - α) × L_Handoff of -27.0 dBm is above reach: no pilot is \
         ever stronger than -30.0 dBm; accepted: a lower level, or a stronger pilot",
    );
    with(
        "handoff_level = \"-111 dBm\"",
        "cells.handoff_level = \"-111 dBm\": below what is received: a mobile would lose its station \
         first; accepted: at least the reception level of -110.0 dBm",
    );
    with(
        "handoff_level = \"3 dBm\"",
        "cells.handoff_level = \"3 dBm\": (1 - α) × L_Handoff is above L_Handoff only for levels below \
         0 dBm; accepted: a level below 0 dBm",
    );
    with(
        "hysteresis = \"0.5 x\"",
        "cells.hysteresis = \"0.5 x\": below 0 dB; accepted: 0 dB or more",
    );
}

#[test]
fn a_mobile_starts_in_reach_of_a_station() {
    refused(
        &[("\"5 m\"", "\"-400 m\"")],
        "cells.mobile[0].motion = {\"kind\":\"resting\",\"position\":[\"-400 m\",\"0 m\"]}: \
         no base station is in range at the start: the strongest pilot is \
         -121.1 dBm; accepted: a start where a pilot is at least -110.0 dBm (cells.reception)",
    );
}

#[test]
fn stations_that_are_off_and_blackouts_count_at_the_start() {
    let off = "node = 2\noff = [[\"0 s\", \"1 s\"]]\nposition";
    let here = format!("cells.mobile[0].motion = {}: ", REST_WRITTEN);
    let accepted = "accepted: a start where a pilot is at least -110.0 dBm (cells.reception)";
    refused(
        &[("node = 2\nposition", off)],
        &format!(
            "{here}no base station is in range at the start: the strongest pilot is -110.2 dBm; {accepted}"
        ),
    );
    let other = off.replace("node = 2", "node = 3");
    refused(
        &[("node = 2\nposition", off), ("node = 3\nposition", &other)],
        &format!(
            "{here}no base station is in range at the start: every station is off; {accepted}"
        ),
    );
    let blackout = "[[cells.blackout]]\nduring = [\"0 s\", \"1 s\"]\n[[cells.mobile]]";
    refused(
        &[("[[cells.mobile]]", blackout)],
        &format!(
            "{here}no base station is in range at the start: the strongest pilot is -254.5 dBm; {accepted}"
        ),
    );
    // Elsewhere or later they do no harm, nor does a station that is on again.
    for (from, to) in [
        ("node = 2\nposition", off.replace("0 s", "500 ms")),
        ("[[cells.mobile]]", blackout.replace("0 s", "500 ms")),
        (
            "[[cells.mobile]]",
            blackout.replace(
                "during",
                "area = [[\"9 m\", \"0 m\"], [\"10 m\", \"1 m\"]]\nduring",
            ),
        ),
    ] {
        assert!(resolve(&[(from, &to)]).is_ok(), "{to}");
    }
}

#[test]
fn an_alpha_whose_pacing_level_is_above_reach_is_named() {
    with(
        "alpha = 0.99",
        "cells.alpha = 0.99: the pacing level (1 - α) × L_Handoff of -1.0 dBm is above reach: no pilot is \
         ever stronger than -30.0 dBm; accepted: α up to 0.708, or a stronger pilot",
    );
}

#[test]
fn the_wired_network_is_a_tree() {
    let third =
        "[[point_to_point]]\nbetween = [2, 3]\nrate = \"1 Mbit/s\"\ndelay = \"5 ms\"\n[cells]";
    refused(
        &[("[cells]", third)],
        "point_to_point[3].between = [2,3]: this link closes a loop; accepted: with base stations, \
         links that form a tree",
    );
    let to_mobile = third.replace("[2, 3]", "[2, 4]");
    refused(
        &[("[cells]", &to_mobile)],
        "point_to_point[3].between = [2,4]: a mobile has no point-to-point link; accepted: nodes that \
         are no mobiles",
    );
    refused(
        &[
            ("nodes = 5", "nodes = 6"),
            ("between = [1, 3]", "between = [5, 3]"),
        ],
        "cells.station[1].node = 3: no links connect this station with the gateway; accepted: a node \
         of the gateway's tree",
    );
}

#[test]
fn every_role_has_a_node_of_its_own() {
    refused(
        &[("node = 3", "node = 2")],
        "cells.station[1].node = 2: this node has a role already (cells.station[0].node); accepted: a \
         node of its own",
    );
    refused(
        &[("node = 4", "node = 9")],
        "cells.mobile[0].node = 9: there is no such node: the topology has 5 nodes; accepted: 0 to 4",
    );
}

#[test]
fn motions_make_sense() {
    let motion = |table: &str, expected: &str| refused(&[(REST, table)], expected);
    motion(
        "{kind = \"straight\", from = [\"1 m\", \"0 m\"], to = [\"1 m\", \"0 m\"], speed = \"70 km/h\"}",
        "cells.mobile[0].motion.to = [\"1 m\",\"0 m\"]: where it starts; accepted: another place",
    );
    motion(
        "{kind = \"waypoints\", times = [\"1 s\", \"1 s\"], places = [[\"1 m\", \"0 m\"], [\"2 m\", \"0 m\"]]}",
        "cells.mobile[0].motion.times = [\"1 s\",\"1 s\"]: not one ascending time for each place; \
         accepted: 2 ascending times",
    );
    motion(
        "{kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], size = [\"9 m\", \"9 m\"], \
         speeds = [\"0 m/s\", \"1 m/s\"], pause = \"1 s\"}",
        "cells.mobile[0].motion.speeds = [\"0 m/s\",\"1 m/s\"]: not a range of speeds above zero; \
         accepted: the least speed, above zero, and the largest",
    );
    motion(
        "{kind = \"setdest\", script = \"$node_(0) jumps\", script_node = 0}",
        "cells.mobile[0].motion.script = \"$node_(0) jumps\": line 1: neither `$node_(N) set X_ …` nor \
         `$ns_ at T \"$node_(N) setdest …\"`; accepted: a movement script of ns-2 (see \
         docs/models/motion.md)",
    );
}

#[test]
fn timers_and_blackouts_make_sense() {
    with(
        "route_timeout = \"3 s\"",
        "cells.route_timeout = \"3 s\": entries would die between two updates; accepted: more than the \
         update time",
    );
    with(
        "patience = \"100 ms\"",
        "cells.patience = \"100 ms\": a station would be lost between two of its beacons; accepted: \
         more than the beacon period",
    );
    refused(
        &[("[[cells.mobile]]", "[[cells.blackout]]\n[[cells.mobile]]")],
        "cells.blackout[0] = {}: neither where nor when; accepted: area, during, or both",
    );
    refused(
        &[(
            "position = [\"0 m\"",
            "off = [[\"3 s\", \"2 s\"]]\nposition = [\"0 m\"",
        )],
        "cells.station[0].off = [[\"3 s\",\"2 s\"]]: not in order; accepted: pairs of from and until, \
         ascending, that do not touch",
    );
}

/// Keys that other keys leave without effect; the resolved text has none of them.
#[test]
fn keys_without_effect_are_refused() {
    for hard in ["", "handoff = \"hard\"\n"] {
        with(
            &format!("{hard}semisoft_delay = \"50 ms\""),
            "cells.semisoft_delay = \"50 ms\": a hard handoff sends no update ahead; accepted: no such key, or \
             cells.handoff = \"semisoft\"",
        );
    }
    for none in ["", "shadowing = \"0 dB\"\n"] {
        with(
            &format!("{none}decorrelation = \"20 m\""),
            "cells.decorrelation = \"20 m\": without shadowing there is nothing to forget; accepted: no such key, \
             or cells.shadowing above 0 dB",
        );
    }
    let toml = |keys: &str| {
        let changes = [("gateway = 1", &*format!("gateway = 1\n{keys}"))];
        resolve(&changes).expect("it makes sense").to_toml()
    };
    let (plain, soft) = (
        toml(""),
        toml("handoff = \"semisoft\"\nshadowing = \"4 dB\""),
    );
    for key in ["semisoft_delay", "decorrelation"] {
        assert!(!plain.contains(key) && soft.contains(key), "{key}");
    }
}

/// Only the entries of a semisoft handoff have packets wait.
#[test]
fn a_delay_device_needs_semisoft_handoffs() {
    for hard in ["", "handoff = \"hard\"\n"] {
        with(
            &format!("{hard}delay_device = \"20 ms\""),
            "cells.delay_device = \"20 ms\": a hard handoff has no packets wait; accepted: \"0 s\", or \
             cells.handoff = \"semisoft\"",
        );
    }
    for cells in [
        "delay_device = \"0 s\"",
        "handoff = \"semisoft\"\ndelay_device = \"20 ms\"",
    ] {
        let cells = format!("gateway = 1\n{cells}");
        assert!(resolve(&[("gateway = 1", &cells)]).is_ok(), "{cells}");
    }
}

/// What lies below the hop, and the rates of 802.11b.
#[test]
fn the_mac_below_is_one_of_two_and_its_keys_are_its_own() {
    with(
        "mac = \"802.11g\"",
        "cells.mac = \"802.11g\": unknown name, did you mean \"802.11\"?; accepted: \"none\", \"802.11\"",
    );
    with(
        "mac = true",
        "cells.mac = true: true or false does not fit here; accepted: \"none\", \"802.11\"",
    );
    let table = |keys: &str| format!("[mac]\n{keys}\n[cells]");
    for mac in ["", "mac = \"none\"\n"] {
        refused(
            &[
                ("[cells]", &table("preamble = \"short\"")),
                ("gateway = 1", &format!("gateway = 1\n{mac}")),
            ],
            "mac = {\"preamble\":\"short\"}: a table for 802.11, which is not below these base stations; \
             accepted: cells.mac = \"802.11\", or no table mac",
        );
    }
    let dcf = ("gateway = 1", "gateway = 1\nmac = \"802.11\"");
    refused(
        &[dcf, ("rate = \"2 Mbit/s\"", "rate = \"3 Mbit/s\"")],
        "cells.rate = \"3 Mbit/s\": not a rate of IEEE 802.11b, which is below (cells.mac); accepted: \
         1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s",
    );
    refused(
        &[dcf, ("[cells]", &table("data_rate = \"11 Mbit/s\""))],
        "mac.data_rate = \"11 Mbit/s\": the rate of the wireless hop is another one; accepted: \
         cells.rate = \"2 Mbit/s\", or none here",
    );
    refused(
        &[dcf, ("[cells]", &table("basic_rate = \"11 Mbit/s\""))],
        "mac.basic_rate = \"11 Mbit/s\": control frames would be faster than data frames; accepted: at most \
         mac.data_rate = \"2 Mbit/s\"",
    );
    refused(
        &[dcf, ("[cells]", &table("cw_min = 2000"))],
        "mac.cw_min = 2000: above mac.cw_max; accepted: at most mac.cw_max = 1023",
    );
}

/// The rate of the hop is that of data frames, everything else has the defaults of the table `mac`.
#[test]
fn with_802_11_the_rate_of_the_hop_is_that_of_data_frames() {
    let dcf = "gateway = 1\nmac = \"802.11\"";
    let resolved = resolve(&[("gateway = 1", dcf)]).expect("it makes sense");
    assert_eq!(resolved.mac.data_rate, acklab_base::BitRate::MBPS_2);
    assert_eq!(resolved.mac.basic_rate, acklab_base::BitRate::MBPS_1);
    assert_eq!(
        resolved.sources["mac.data_rate"].to_string(),
        "default: cells.rate"
    );
    let table = "[mac]\ndata_rate = \"2 Mbit/s\"\nrts_threshold = \"off\"\n[cells]";
    let given = resolve(&[("gateway = 1", dcf), ("[cells]", table)]).expect("the same rate");
    assert_eq!(given.mac.rts_threshold, None);
    for resolved in [resolved, given] {
        let again = parse_toml("again.toml", &resolved.to_toml());
        let again = again.and_then(|scenario| scenario.resolve());
        assert_eq!(again.expect("our own text"), resolved);
    }
}

#[test]
fn other_routing_and_radios_are_refused() {
    refused(
        &[("[cells]", "[routing]\nprotocol = \"aodv\"\n[cells]")],
        "routing.protocol = \"aodv\": Cellular IP routes to mobiles, and the tree to everybody else; \
         accepted: \"static\"",
    );
}

/// What is resolved reads back as itself, whatever the motion.
#[test]
fn resolved_cells_read_back_as_themselves() {
    let motions = [
        REST,
        "{kind = \"straight\", from = [\"1 m\", \"0 m\"], to = [\"5 m\", \"0 m\"], speed = \"70 km/h\"}",
        "{kind = \"back-and-forth\", from = [\"1 m\", \"0 m\"], to = [\"5 m\", \"0 m\"], speed = \"1.5 m/s\"}",
        "{kind = \"waypoints\", times = [\"1 s\", \"2 s\"], places = [[\"1 m\", \"0 m\"], [\"2 m\", \"0 m\"]]}",
        "{kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], size = [\"9 m\", \"9 m\"], \
         speeds = [\"1 m/s\", \"2 m/s\"], pause = \"1 s\"}",
        "{kind = \"setdest\", script = \"$node_(0) set X_ 1.0\\n$node_(0) set Y_ 1.0\", script_node = 0}",
    ];
    for motion in motions {
        let more = "gateway = 1\nalpha = 0.125\nloss = \"5 %\"\nshadowing = \"6 dB\"\nhandoff = \"semisoft\"";
        let blackout = "[[cells.blackout]]\ndepth = \"20 dB\"\nduring = [\"1 s\", \"2 s\"]\n\
                        area = [[\"9 m\", \"0 m\"], [\"0 m\", \"9 m\"]]\n[[cells.mobile]]";
        let changed = [
            ("gateway = 1", more),
            ("[[cells.mobile]]", blackout),
            (REST, motion),
        ];
        let resolved = [resolve(&[(REST, motion)]), resolve(&changed)].map(|r| r.expect(motion));
        for resolved in resolved {
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
