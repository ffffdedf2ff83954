//! Unsafe code, clocks, hash maps and the platform's transcendental functions are banned: every
//! member takes over the lints of the workspace, and the lints are there.

use crate::tree::{files, manifest, manifests, text};

/// The member whose macros expand to unsafe code, which `forbid` lets nobody allow. It denies
/// unsafe code instead, and says why.
const EXEMPT: &str = "crates/py/Cargo.toml";

#[test]
fn every_member_takes_over_the_lints() {
    for path in manifests().iter().filter(|path| *path != EXEMPT) {
        let manifest = manifest(path);
        let inherits = manifest
            .get("lints")
            .and_then(|lints| lints.get("workspace"))
            .and_then(toml::Value::as_bool);
        assert_eq!(
            inherits,
            Some(true),
            "{path} has no [lints] workspace = true"
        );
    }
}

#[test]
fn the_exempt_member_says_why_and_differs_in_that_alone() {
    let says_why = |line: &str| line.starts_with('#') && line.contains("unsafe");
    let why = text(EXEMPT).is_some_and(|text| text.lines().any(says_why));
    assert!(why, "{EXEMPT}: no comment says why");
    let mut own = manifest(EXEMPT)["lints"].clone();
    assert_eq!(own["rust"]["unsafe_code"].as_str(), Some("deny"));
    own["rust"]["unsafe_code"] = "forbid".into();
    assert_eq!(own, manifest("Cargo.toml")["workspace"]["lints"]);
}

#[test]
fn unsafe_code_is_forbidden() {
    let workspace = manifest("Cargo.toml");
    let rust = &workspace["workspace"]["lints"]["rust"];
    assert_eq!(rust["unsafe_code"].as_str(), Some("forbid"));
    let clippy = &workspace["workspace"]["lints"]["clippy"];
    for lint in ["disallowed_types", "disallowed_methods", "float_cmp"] {
        assert_eq!(clippy[lint].as_str(), Some("warn"), "{lint}");
    }
}

#[test]
fn the_bans_are_in_place() {
    let bans = manifest("clippy.toml");
    let banned = |list: &str| -> Vec<String> {
        let entries = bans[list].as_array().expect("a list");
        entries
            .iter()
            .map(|entry| {
                let reason = entry.get("reason").and_then(toml::Value::as_str);
                assert!(reason.is_some_and(|reason| !reason.is_empty()), "{entry}");
                entry["path"].as_str().expect("a path").to_owned()
            })
            .collect()
    };
    let types = banned("disallowed-types");
    for name in [
        "collections::HashMap",
        "collections::HashSet",
        "time::Instant",
        "time::SystemTime",
    ] {
        assert!(
            types.contains(&format!("std::{name}")),
            "{name} is not banned"
        );
    }
    let methods = banned("disallowed-methods");
    for name in TRANSCENDENTAL {
        for kind in ["f32", "f64"] {
            assert!(
                methods.contains(&format!("{kind}::{name}")),
                "{kind}::{name} is not banned"
            );
        }
    }
}

/// What a platform's library works out its own way.
const TRANSCENDENTAL: [&str; 26] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp",
    "exp2", "exp_m1", "hypot", "ln", "ln_1p", "log", "log10", "log2", "powf", "powi", "sin",
    "sin_cos", "sinh", "tan", "tanh",
];

/// An exception to a ban stands where clippy sees it, so it must be rare.
#[test]
fn exceptions_to_the_bans_are_few() {
    let lint = concat!("clippy::", "disallowed");
    let exceptions: Vec<String> = files()
        .into_iter()
        .filter(|file| file.ends_with(".rs"))
        .filter(|file| text(file).is_some_and(|text| text.contains(lint)))
        .collect();
    // The core itself has none.
    assert_eq!(
        exceptions,
        ["crates/py/src/engine.rs", "crates/world/examples/peer.rs"]
    );
}
