//! Every example scenario parses and resolves, and comes back from its resolved text.

use acklab_scenario::{parse_json, parse_toml};
use std::path::Path;

#[test]
fn every_example_resolves_and_reads_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("the examples are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("text");
        let resolved = parse_toml(&name, &text)
            .and_then(|scenario| scenario.resolve())
            .unwrap_or_else(|error| panic!("{error}"));
        let toml = parse_toml("again.toml", &resolved.to_toml()).and_then(|s| s.resolve());
        assert_eq!(toml.as_ref(), Ok(&resolved), "{name}");
        let json = parse_json("again.json", &resolved.to_json()).and_then(|s| s.resolve());
        assert_eq!(json.as_ref(), Ok(&resolved), "{name}");
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} examples");
}

#[test]
fn the_nine_node_chain_takes_at_most_twelve_lines() {
    let text = include_str!("../../../examples/chain9.toml");
    assert!(text.lines().count() <= 12);
}
