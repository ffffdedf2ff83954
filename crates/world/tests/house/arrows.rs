//! A room may use only rooms with a lower number; rooms of the same number never see each other.
//! So a Snoop agent can never read a TCP sender's window.

use crate::tree::{manifest, manifests};

/// The rooms and their numbers, as ARCHITECTURE.md has them.
const ROOMS: [(&str, u32); 12] = [
    ("base", 0),
    ("kernel", 1),
    ("wire", 1),
    ("trace", 2),
    ("tcp", 3),
    ("radio", 3),
    ("mac", 3),
    ("routing", 3),
    ("agents", 3),
    ("scenario", 4),
    ("world", 5),
    ("py", 6),
];

fn number(room: &str) -> Option<u32> {
    ROOMS
        .iter()
        .find(|(name, _)| *name == room)
        .map(|(_, number)| *number)
}

/// Arrows of a manifest that point up or sideways.
fn bad_arrows(room: &str, manifest: &toml::Table) -> Vec<String> {
    let Some(own) = number(room) else {
        return vec![format!("{room} has no number")];
    };
    let mut bad = Vec::new();
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let named = manifest.get(kind).and_then(toml::Value::as_table);
        for name in named.into_iter().flat_map(toml::Table::keys) {
            let Some(other) = name.strip_prefix("acklab-") else {
                continue;
            };
            if number(other).is_none_or(|number| number >= own) {
                bad.push(format!("{room} -> {other} ({kind})"));
            }
        }
    }
    bad
}

#[test]
fn no_arrow_points_up() {
    let mut bad = Vec::new();
    let mut rooms = 0;
    for path in manifests() {
        if let Some(room) = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.strip_suffix("/Cargo.toml"))
        {
            let manifest = manifest(&path);
            let name = manifest["package"]["name"].as_str();
            assert_eq!(name, Some(format!("acklab-{room}").as_str()), "{path}");
            bad.extend(bad_arrows(room, &manifest));
            rooms += 1;
        }
    }
    assert!(rooms >= 10, "only {rooms} rooms were found");
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn the_check_sees_arrows_up_and_sideways() {
    let manifest = |text: &str| -> toml::Table { text.parse().expect("a manifest") };
    let agents =
        manifest("[dependencies]\nacklab-base.workspace = true\nacklab-tcp.workspace = true");
    assert_eq!(
        bad_arrows("agents", &agents),
        ["agents -> tcp (dependencies)"]
    );
    let tcp = manifest("[dev-dependencies]\nacklab-world = { path = \"../world\" }");
    assert_eq!(bad_arrows("tcp", &tcp), ["tcp -> world (dev-dependencies)"]);
    let new = manifest("[dependencies]");
    assert_eq!(bad_arrows("cellar", &new), ["cellar has no number"]);
}
