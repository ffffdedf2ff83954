//! Schemes of mobile ends: short forms, what is written back, and what mistakes say, word for word.

use crate::common::{access, more};
use acklab_base::Duration;
use acklab_scenario::{
    FlowKind, Ftp, HandoffOptions, HeldAcks, PacingEnd, Resolved, ScenarioError, parse_json,
    parse_toml,
};

const AGENT: &str = "[[agent]]\nkind = \"m-tcp\"\nnode = 1\ntoward = 2\n[[flow]]";

/// The network of [`access`] with a flow between two of its nodes, further lines of it, and what stands
/// before it.
fn resolve((from, to): (u32, u32), lines: &str, before: &str) -> Result<Resolved, ScenarioError> {
    let flow = format!("from = {from}\nto = {to}\n{lines}\n");
    let text = access(&[("to = 4\n", &flow), ("[[flow]]", before)]);
    parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve())
}

fn down(lines: &str) -> Resolved {
    resolve((0, 4), lines, "[[flow]]").expect(lines)
}

fn ftp(resolved: &Resolved) -> &Ftp {
    match &resolved.flows[0].kind {
        FlowKind::Ftp(ftp) => ftp,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(ends: (u32, u32), lines: &str, expected: &str) {
    let error = resolve(ends, lines, "[[flow]]")
        .expect_err("a mistake")
        .to_string();
    let (place, said) = error.split_once(": ").expect("a place");
    assert!(place.starts_with("s.toml:7:"), "{error}");
    assert_eq!(said, expected);
}

#[test]
fn short_forms_of_handoff_schemes() {
    let handoff = |lines: &str| ftp(&down(lines)).handoff;
    assert_eq!(handoff(""), HandoffOptions::Unaware);
    assert_eq!(
        handoff("handoff = \"pacing\""),
        HandoffOptions::Pacing {
            interval: Duration::from_millis(100),
            held: HeldAcks::Every,
            end: PacingEnd::AtOnce,
        }
    );
    let freeze = down("handoff = \"freeze\"");
    assert_eq!(
        ftp(&freeze).handoff,
        HandoffOptions::Freeze { reopening_acks: 3 }
    );
    assert!(ftp(&freeze).sender.window_probes);
    assert!(!ftp(&down("")).sender.window_probes);
}

#[test]
fn schemes_read_back_as_themselves() {
    for lines in [
        "handoff = { scheme = \"unaware\" }",
        "handoff = \"pacing\"",
        "handoff = { scheme = \"pacing\", interval = \"7 ms\", held = \"newest\", end = \"paced\" }",
        "handoff = \"freeze\"",
        "handoff = { scheme = \"freeze\", reopening_acks = 0 }",
        "handoff = \"m-tcp\"",
    ] {
        let resolved = resolve((0, 4), lines, AGENT).expect(lines);
        for again in [
            parse_toml("again.toml", &resolved.to_toml()),
            parse_json("again.json", &resolved.to_json()),
        ] {
            let again = again.and_then(|scenario| scenario.resolve());
            assert_eq!(again.expect("our own text"), resolved);
        }
    }
}

/// Freeze-TCP and M-TCP act where data is received.
#[test]
fn a_scheme_of_receivers_needs_a_mobile_that_receives() {
    refused(
        (4, 0),
        "handoff = \"freeze\"",
        "flow[0].handoff = \"freeze\": the receiver acts by it, and node 0 is no mobile of base stations; \
         accepted: \"unaware\", or a flow to a mobile: 4",
    );
    refused(
        (4, 0),
        "handoff = { scheme = \"freeze\", reopening_acks = 1 }",
        "flow[0].handoff = {\"scheme\":\"freeze\",\"reopening_acks\":1}: the receiver acts by it, and node 0 is \
         no mobile of base stations; accepted: \"unaware\", or a flow to a mobile: 4",
    );
    refused(
        (4, 1),
        "handoff = \"m-tcp\"",
        "flow[0].handoff = \"m-tcp\": the receiver acts by it, and node 1 is no mobile of base stations; \
         accepted: \"unaware\", or a flow to a mobile: 4",
    );
}

/// ACK Pacing acts at either end (cho2005 §3.2), if that is a mobile.
#[test]
fn pacing_needs_a_mobile_at_an_end() {
    let pacing = "handoff = \"pacing\"";
    for ends in [(0, 4), (4, 0)] {
        assert!(resolve(ends, pacing, "[[flow]]").is_ok());
    }
    refused(
        (0, 2),
        pacing,
        "flow[0].handoff = \"pacing\": neither node 0 nor node 2 is a mobile of base stations; accepted: \
         \"unaware\", or a flow from or to a mobile: 4",
    );
    more(
        pacing,
        "s.toml:8:1: flow[0].handoff = \"pacing\": neither node 0 nor node 2 is a mobile of base stations; \
         accepted: \"unaware\", or a flow from or to a [[cells.mobile]]",
    );
    let transfers =
        "kind = \"sessions\"\nsize = \"1 kB\"\npause = \"1 s\"\nhandoff = \"freeze\"\nto = 3\n";
    let text = access(&[("kind = \"ftp\"\nto = 4\n", transfers)]);
    let error = parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve());
    let error = error.expect_err("a mistake").to_string();
    assert!(
        error.starts_with("s.toml:7:1: flow[0].handoff = \"freeze\": "),
        "{error}"
    );
}

/// A mobile that sends holds data, one by one, and no ACKs.
#[test]
fn only_a_receiver_holds_the_newest_ack() {
    let newest = "handoff = { scheme = \"pacing\", held = \"newest\" }";
    assert!(resolve((0, 4), newest, "[[flow]]").is_ok());
    let every = newest.replace("newest", "every");
    assert!(resolve((4, 0), &every, "[[flow]]").is_ok());
    refused(
        (4, 0),
        newest,
        "flow[0].handoff.held = \"newest\": ACKs are held by the receiver, and node 0 is no mobile of base stations; \
         accepted: \"every\", or a flow to a mobile",
    );
}

/// Without a supervisory host on the way nobody closes the sender's window.
#[test]
fn m_tcp_needs_its_agent() {
    let mtcp = "handoff = \"m-tcp\"";
    let said = "flow[0].handoff = \"m-tcp\": no supervisory host is on the way, so that nobody closes the sender's \
                window; accepted: another scheme, or an [[agent]] with kind = \"m-tcp\" between sender and mobile";
    refused((0, 4), mtcp, said);
    let at = |kind: &str, node: u32, toward: u32| {
        format!("[[agent]]\nkind = \"{kind}\"\nnode = {node}\ntoward = {toward}\n[[flow]]")
    };
    for (node, toward) in [(0, 1), (1, 2), (1, 3), (2, 4)] {
        assert!(resolve((0, 4), mtcp, &at("m-tcp", node, toward)).is_ok());
    }
    let elsewhere = [at("snoop", 1, 2), at("m-tcp", 1, 0), at("m-tcp", 2, 1)];
    for agent in elsewhere {
        let error = resolve((0, 4), mtcp, &agent).expect_err("a mistake");
        assert!(error.to_string().ends_with(said), "{error}");
    }
    let encrypted = format!("{mtcp}\nencrypted = true");
    let error = resolve((0, 4), &encrypted, AGENT).expect_err("a mistake");
    let said = "flow[0].encrypted = true: the supervisory host of M-TCP cannot read the packets; accepted: \
                false, or another handoff scheme";
    assert!(error.to_string().ends_with(said), "{error}");
}
