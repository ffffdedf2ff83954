//! Who stands by is a matter of the network and of its rules.

use crate::{RunOptions, build};
use acklab_scenario::parse_toml;

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
