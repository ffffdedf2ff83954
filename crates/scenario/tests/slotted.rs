//! The slotted radio and graphs in scenarios: readings, round trips, and what each mistake says.

use crate::common::says;
use acklab_base::Duration;
use acklab_scenario::{
    Combining, Duplicates, Reading, Resolved, Routing, SlottedQueue, Source, Spaced, parse_json,
    parse_toml,
};

const FLOW: &str = "[[flow]]\nkind = \"ftp\"\n";
const GRAPH: &str = "[topology]\nkind = \"graph\"\nnodes = 3\nedges = [[0, 1], [1, 2]]\n";

fn text(more: &str) -> String {
    format!("duration = \"10 s\"\n{GRAPH}{more}\n{FLOW}")
}

fn resolved(more: &str) -> Resolved {
    resolved_text(&text(more))
}

fn resolved_text(text: &str) -> Resolved {
    parse_toml("s.toml", text)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn refused(more: &str, expected: &str) {
    says(&text(more), expected);
}

#[test]
fn a_reading_fills_what_the_paper_leaves_open() {
    let p1 = resolved("[slotted]").slotted.expect("a slotted radio");
    assert_eq!(
        resolved("[slotted]").routing,
        Routing::Static {
            separate_acks: false
        }
    );
    assert_eq!(p1.reading, Reading::P1);
    assert_eq!((p1.slot, p1.ack_slot), (Duration::from_millis(10), p1.slot));
    assert_eq!((p1.lifetime, p1.retry_min, p1.retry_max), (Some(32), 3, 17));
    assert_eq!((p1.spacing_min, p1.spacing_max), (3, 5));
    assert_eq!(
        (p1.queue, p1.duplicates),
        (SlottedQueue::Any, Duplicates::Drop)
    );
    assert_eq!((p1.combining, p1.retry_limit), (Combining::None, None));
    let p2 = resolved("[slotted]\nreading = \"p2\"")
        .slotted
        .expect("a slotted radio");
    assert_eq!(
        (p2.queue, p2.duplicates),
        (SlottedQueue::Any, Duplicates::Forward)
    );
    let h = resolved("[slotted]\nreading = \"h\"")
        .slotted
        .expect("a slotted radio");
    assert_eq!(
        (h.queue, h.duplicates),
        (SlottedQueue::Fifo, Duplicates::Forward)
    );
    assert_eq!(
        (h.spacing_min, h.spacing_max, h.spaced),
        (3, 3, Spaced::OwnAndRetries)
    );
    assert!(!h.two_queues);
    let both = resolved("[slotted]\nreading = \"h\"\ncombining = \"data-ack\"");
    assert!(both.slotted.is_some_and(|radio| radio.two_queues));
}

#[test]
fn what_is_written_resolves_to_itself() {
    for more in [
        "[slotted]",
        "[slotted]\nreading = \"h\"\ncombining = \"xor\"\nlifetime = \"off\"\nretry_limit = 4",
        "[slotted]\nspacing_min = 0\nspacing_max = 0\n[routing]\nprotocol = \"dsdv\"",
        "[slotted]\nack_slot = \"2 ms\"\nsensing = \"two-hops\"\nspacing_min = 9",
    ] {
        let first = resolved(more);
        assert!(!first.sources.keys().any(|key| key.starts_with("mac")));
        let again = parse_toml("s.toml", &first.to_toml()).and_then(|s| s.resolve());
        assert_eq!(again.as_ref().map_err(ToString::to_string), Ok(&first));
        let again = parse_json("s.json", &first.to_json()).and_then(|s| s.resolve());
        assert_eq!(again.as_ref().map_err(ToString::to_string), Ok(&first));
    }
}

#[test]
fn the_source_of_a_default_names_the_reading() {
    let sources = resolved("[slotted]\nreading = \"h\"").sources;
    let Source::Default(why) = &sources["slotted.queue"] else {
        panic!("a default")
    };
    assert_eq!(why, "reading h: the discipline is open in yuki2004");
    assert_eq!(sources["slotted.reading"], Source::Given);
}

#[test]
fn a_slotted_radio_also_has_places() {
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
         [slotted]\nsensing = \"radio\"\n{FLOW}"
    );
    let resolved = parse_toml("s.toml", &text).and_then(|s| s.resolve());
    assert_eq!(
        resolved.map(|r| (r.positions.len(), r.graph)),
        Ok((3, None))
    );
}

#[test]
fn what_cannot_stand_together() {
    refused(
        "",
        r#"s.toml:3:1: topology.kind = "graph": a graph has no distances, which the 802.11 radio needs; accepted: the slotted radio ([slotted]), or the kinds chain and positions"#,
    );
    refused(
        "[slotted]\n[mac]\n",
        r#"s.toml:7:2: mac = {}: belongs to 802.11, but the network has a slotted radio; accepted: [mac] or [slotted], not both"#,
    );
    refused(
        "[slotted]\n[radio]\n",
        r#"s.toml:7:2: radio = {}: a graph says who hears whom, and no radio has a part in it; accepted: [radio] with the kinds chain and positions only"#,
    );
    refused(
        "[slotted]\n[energy]\nidle = \"1 W\"",
        r#"s.toml:7:2: energy = {"idle":"1 W"}: a graph says who hears whom, and no radio has a part in it; accepted: [energy] with the kinds chain and positions only"#,
    );
    refused(
        "[slotted]\n[routing]\nprotocol = \"aodv\"",
        r#"s.toml:8:1: routing.protocol = "aodv": waits for link failures, which the slotted radio does not report; accepted: "static", "dsdv""#,
    );
    refused(
        "[slotted]\nsensing = \"radio\"",
        r#"s.toml:7:1: slotted.sensing = "radio": a graph has no radio with a sensing threshold; accepted: "neighbours", "two-hops""#,
    );
    refused(
        "[slotted]\nretry_min = 9\nretry_max = 5",
        r#"s.toml:8:1: slotted.retry_max = 5: the longest is shorter than the shortest; accepted: at least 9"#,
    );
    refused(
        "[slotted]\nretry_min = 2",
        r#"s.toml:7:1: slotted.retry_min = 2: must be at least 3; accepted: a whole number from 3 to 10000"#,
    );
    refused(
        "[slotted]\nack_slot = \"20 ms\"",
        r#"s.toml:7:1: slotted.ack_slot = "20 ms": longer than the slots that fit every frame; accepted: at most slotted.slot = "10 ms""#,
    );
    refused(
        "[slotted]\ncombining = \"all\"",
        r#"s.toml:7:1: slotted.combining = "all": unknown name; accepted: "none", "data-ack", "xor""#,
    );
}

/// A key that would change nothing.
#[test]
fn what_would_have_no_effect() {
    for key in ["combine_relays", "pull_forward", "postpone"] {
        for value in ["true", "false"] {
            let expected = format!(
                "s.toml:7:1: slotted.{key} = {value}: has an effect only on packets that share a \
                 frame; accepted: slotted.combining = \"data-ack\" or \"xor\", or this key left out"
            );
            refused(&format!("[slotted]\n{key} = {value}"), &expected);
            for combining in ["data-ack", "xor"] {
                resolved(&format!(
                    "[slotted]\n{key} = {value}\ncombining = \"{combining}\""
                ));
            }
        }
    }
    refused(
        "[slotted]\nsame_hop = true",
        r#"s.toml:7:1: slotted.same_hop = true: has an effect only on packets that share a frame; accepted: slotted.combining = "data-ack", or this key left out"#,
    );
    resolved("[slotted]\nsame_hop = true\ncombining = \"data-ack\"");
    refused(
        "[slotted]\nsame_hop = true\ncombining = \"xor\"",
        r#"s.toml:7:1: slotted.same_hop = true: packets that are added bit by bit never go to the same neighbour; accepted: slotted.combining = "data-ack", or this key left out"#,
    );
    refused(
        "[slotted]\nbusy = \"back-off\"\nmini_slots = 1",
        r#"s.toml:7:1: slotted.busy = "back-off": all begin at once, and nobody finds the channel busy; accepted: slotted.mini_slots of at least 2, or this key left out"#,
    );
    resolved("[slotted]\nbusy = \"back-off\"\nmini_slots = 1\nrelay_access = \"first\"");
    refused(
        "[slotted]\ntwo_queues = true",
        r#"s.toml:7:1: slotted.two_queues = true: no packet blocks another, in however many queues; accepted: slotted.queue = "fifo", or this key left out"#,
    );
    resolved("[slotted]\nreading = \"h\"\ntwo_queues = true");
    refused(
        "[slotted]\nspaced = \"own\"\nspacing_min = 0\nspacing_max = 0",
        r#"s.toml:7:1: slotted.spaced = "own": there is no pause that could hold anything back; accepted: slotted.spacing_max of at least 1, or this key left out"#,
    );
    resolved("[slotted]\nspaced = \"own\"\nspacing_min = 0\nspacing_max = 1");
    refused(
        "[slotted]\n[routing]\nprotocol = \"dsdv\"\nlink_detection = true",
        r#"s.toml:9:1: routing.link_detection = true: waits for link failures, which the slotted radio does not report; accepted: false"#,
    );
    // The profile that would detect them does not, over slots.
    let standard = format!(
        "profile = \"standard\"\n{}",
        text("[slotted]\n[routing]\nprotocol = \"dsdv\"")
    );
    let Routing::Dsdv(dsdv) = resolved_text(&standard).routing else {
        panic!("dsdv")
    };
    assert!(!dsdv.link_detection);
}

#[test]
fn a_slotted_radio_has_no_capture() {
    let with = |radio: &str| {
        format!(
            "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
             [slotted]\n[radio]\n{radio}\n{FLOW}"
        )
    };
    says(
        &with("capture = \"none\""),
        r#"s.toml:8:1: radio.capture = "none": the slotted radio has no capture; accepted: this key left out"#,
    );
    says(
        &with("capture_threshold = \"10 dB\""),
        r#"s.toml:8:1: radio.capture_threshold = "10 dB": the slotted radio has no capture; accepted: this key left out"#,
    );
    let resolved = resolved_text(&with("rx_threshold = \"1 nW\""));
    let again = parse_toml("s.toml", &resolved.to_toml()).and_then(|s| s.resolve());
    assert_eq!(again, Ok(resolved));
}

#[test]
fn links_of_a_graph() {
    let graph = |edges: &str, expected: &str| {
        says(
            &format!(
                "duration = \"10 s\"\n[topology]\nkind = \"graph\"\nnodes = 3\nedges = {edges}\n\
                 [slotted]\n{FLOW}"
            ),
            expected,
        );
    };
    graph(
        "[[0, 3]]",
        r#"s.toml:5:10: topology.edges[0] = [0,3]: there is no such node: the graph has 3 nodes; accepted: two different nodes of 0 to 2, each pair once"#,
    );
    graph(
        "[[0, 1], [1, 1]]",
        r#"s.toml:5:18: topology.edges[1] = [1,1]: a link from a node to itself; accepted: two different nodes of 0 to 2, each pair once"#,
    );
    graph(
        "[[0, 1], [1, 0]]",
        r#"s.toml:5:18: topology.edges[1] = [1,0]: this link is listed twice; accepted: two different nodes of 0 to 2, each pair once"#,
    );
}
