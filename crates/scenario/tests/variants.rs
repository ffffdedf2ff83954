//! Rules of loss recovery that only some variants of TCP have a use for.

use crate::common::{accepts, says};
use acklab_scenario::parse_toml;

const VARIANTS: [&str; 7] = [
    "tahoe", "reno", "newreno", "vegas", "sack", "rack", "westwood",
];

/// A chain with one flow of a variant, and `line` for it in line 9.
fn scenario(variant: &str, line: &str) -> String {
    format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"{variant}\"\n{line}\n"
    )
}

/// A key with a value, and the variants that have no use for it.
///
/// Partial ACKs are NewReno's (RFC 6582), whose recovery Westwood has too. Tahoe and Vegas have no fast recovery
/// to end. The scoreboard of RFC 6675 takes the place of the inflation, and of the guard; Vegas has its own of both.
const RULES: [(&str, &str, &[&str]); 5] = [
    (
        "newreno.impatient",
        "false",
        &["tahoe", "reno", "vegas", "sack", "rack"],
    ),
    (
        "newreno.partial_deflation",
        "true",
        &["tahoe", "reno", "vegas", "sack", "rack"],
    ),
    ("newreno.guard", "\"off\"", &["vegas", "sack", "rack"]),
    ("recovery_exit", "\"ssthresh\"", &["tahoe", "vegas"]),
    (
        "inflate_unguarded",
        "true",
        &["tahoe", "vegas", "sack", "rack"],
    ),
];

#[test]
fn who_writes_one_is_told() {
    for (key, value, useless) in RULES {
        for variant in VARIANTS {
            let text = scenario(variant, &format!("{key} = {value}"));
            if useless.contains(&variant) {
                let column = key.find('.').map_or(1, |dot| dot + 2);
                let expected = format!(
                    "s.toml:9:{column}: flow[0].{key} = {value}: without effect with variant = \"{variant}\"; \
                     accepted: no such key, or another variant"
                );
                says(&text, &expected);
            } else {
                accepts(&text);
            }
        }
    }
    accepts(&scenario("sack", "inflate_unguarded = false"));
}

#[test]
fn a_resolved_scenario_shows_only_what_is_used() {
    for profile in ["ns2", "ns2-2.1b9", "standard"] {
        for variant in VARIANTS {
            let text = format!("profile = \"{profile}\"\n{}", scenario(variant, ""));
            let read = |text: &str| parse_toml("s.toml", text).and_then(|text| text.resolve());
            let resolved = read(&text).unwrap_or_else(|error| panic!("{error}"));
            for (key, _, useless) in RULES {
                let shown = resolved
                    .sources
                    .get(format!("flow[0].{key}").as_str())
                    .is_some();
                assert_eq!(shown, !useless.contains(&variant), "{key} of {variant}");
                let name = key.rsplit('.').next().unwrap_or(key);
                let written = resolved.to_toml().contains(&format!("\n{name} = "));
                assert_eq!(written, shown, "{key} of {variant}");
            }
            assert_eq!(read(&resolved.to_toml()), Ok(resolved));
        }
    }
}
