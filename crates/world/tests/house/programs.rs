//! Every test belongs to a program that runs it: where a manifest names the programs, no file may be forgotten.

use crate::tree::{files, manifest, manifests, text};

/// The path of each test program that a manifest names; nothing if cargo looks for them itself.
fn programs(manifest: &toml::Table) -> Option<Vec<&str>> {
    let is_told = manifest["package"].get("autotests")?.as_bool() == Some(false);
    let tests = manifest.get("test")?.as_array()?.iter();
    is_told.then(|| tests.filter_map(|test| test["path"].as_str()).collect())
}

/// Whether a file below `tests/` is a program, or the one named `tests/main.rs` has it as a module.
fn is_run(file: &str, programs: &[&str], main: &str) -> bool {
    let below = file.strip_prefix("tests/").unwrap_or(file);
    let module = match below.split_once('/') {
        None => below.strip_suffix(".rs"),
        Some((folder, "mod.rs")) => Some(folder),
        // What belongs to a folder's program or module; the compiler tells if it does not.
        Some((_, other)) if other != "main.rs" => return true,
        Some(_) => None,
    };
    let declared = |name: &str| main.lines().any(|line| line == format!("mod {name};"));
    programs.contains(&file) || module.is_some_and(declared)
}

#[test]
fn no_test_file_is_forgotten() {
    let files = files();
    let mut crates = 0;
    for path in manifests() {
        let manifest = manifest(&path);
        let Some(programs) = programs(&manifest) else {
            continue;
        };
        let root = path.trim_end_matches("Cargo.toml");
        let main = text(&format!("{root}tests/main.rs")).expect("a program of all tests");
        let tests = files.iter().filter_map(|file| file.strip_prefix(root));
        for file in tests.filter(|file| file.starts_with("tests/") && file.ends_with(".rs")) {
            assert!(
                is_run(file, &programs, &main),
                "{root}{file} is in no test program: name it in {root}tests/main.rs"
            );
        }
        crates += 1;
    }
    assert!(crates >= 7, "only {crates} crates name their test programs");
}

#[test]
fn the_check_sees_what_is_forgotten() {
    let main = "mod laws;\nmod swarm;\n";
    let run = |file: &str| is_run(file, &["tests/main.rs", "tests/house/main.rs"], main);
    for file in ["main.rs", "house/main.rs", "laws.rs", "swarm/mod.rs"] {
        assert!(run(&format!("tests/{file}")), "{file}");
    }
    for file in ["law.rs", "swarms/mod.rs", "other/main.rs"] {
        assert!(!run(&format!("tests/{file}")), "{file}");
    }
}
