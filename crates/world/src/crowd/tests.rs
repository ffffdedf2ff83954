//! Who stands by is a matter of the network and of its rules.

use super::may_be_taken_in;
use crate::{RunOptions, build};
use acklab_base::{Duration, Instant, NodeId};
use acklab_radio::{Arrival, Settle};
use acklab_scenario::parse_toml;
use acklab_wire::{FrameHeader, FrameKind};

/// Whether stations stand by in a square of 36 nodes `step` metres apart.
fn gathers(step: u32, head: &str, options: &RunOptions) -> bool {
    let text = format!(
        "duration = \"2 s\"\n{head}\n[topology]\nkind = \"grid\"\nrows = 6\ncolumns = 6\n\
         spacing = \"{step} m\"\n[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 1\n"
    );
    let scenario = parse_toml("test.toml", &text).and_then(|scenario| scenario.resolve());
    let resolved = scenario.expect("a scenario without mistakes");
    let world = build(&resolved, options).expect("a network that can be built");
    world.crowd.gathers()
}

#[test]
fn a_crowd_gathers_where_many_hear_a_frame() {
    assert!(gathers(100, "", &RunOptions::default()));
    assert!(gathers(140, "", &RunOptions::default()));
    assert!(!gathers(200, "", &RunOptions::default()));
    assert!(gathers(
        100,
        "profile = \"ns2-2.1b9\"",
        &RunOptions::default()
    ));
}

#[test]
fn none_gathers_where_more_is_to_be_remembered() {
    for head in [
        "profile = \"standard\"",
        "radio.capture = \"none\"",
        "radio.capture = \"strongest\"",
    ] {
        assert!(!gathers(100, head, &RunOptions::default()), "{head}");
    }
}

#[test]
fn none_gathers_where_somebody_asks_of_each_frame() {
    let eager = RunOptions {
        eager: true,
        ..RunOptions::default()
    };
    let traced = RunOptions {
        trace: true,
        ..RunOptions::default()
    };
    assert!(!gathers(100, "", &eager));
    assert!(!gathers(100, "", &traced));
}

/// ```text
/// 1 µs  |== 10 µs ==|           11
///                     |== …     12, announced before it begins
/// ```
/// Were the first one taken in at 10 µs, a run that ends there would have heard it to its end.
#[test]
fn what_comes_alone_is_taken_in_when_it_is_over() {
    let at = Instant::from_nanos;
    let frame = |micros: u64, settle| {
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: false,
            sequence: 0,
            to: NodeId::BROADCAST,
            from: NodeId(3),
            duration: Duration::ZERO,
            bytes: 100,
            airtime: Duration::from_micros(10),
        };
        Arrival::new(at(micros * 1_000), &header, 0).heard(Duration::ZERO, true, settle)
    };
    let next = frame(12, Settle::AnyTime);
    for (settle, now_us, expected) in [
        (Settle::Noted, 10, false),
        (Settle::Noted, 11, true),
        (Settle::AnyTime, 10, false),
        (Settle::AnyTime, 11, true),
        (Settle::AtOnce, 11, false),
    ] {
        let waiting = [frame(1, settle), next];
        let may_be = may_be_taken_in(&waiting, None, at(now_us * 1_000));
        assert_eq!(may_be, expected, "{settle:?} at {now_us} µs");
    }
    // Of frames that overlap none is over before the last.
    let overlapping = [frame(3, Settle::AnyTime), next];
    assert!(may_be_taken_in(&overlapping, None, at(10_000)));
    // The last one waits in any case.
    let last = [frame(1, Settle::Noted)];
    assert!(may_be_taken_in(&last, None, at(10_000)));
}
