//! Every file of tests is run: it is a program, or a module of one. The compiler tells of a module without a
//! file, but never of a file without a module.

use crate::tree::{files, manifest, manifests, text};

/// Whether cargo finds a crate's test programs itself, and the paths of those that the manifest names.
fn programs(manifest: &toml::Table) -> (bool, Vec<&str>) {
    let found = manifest["package"]
        .get("autotests")
        .and_then(toml::Value::as_bool);
    let named = manifest.get("test").and_then(toml::Value::as_array);
    let paths = named.into_iter().flatten();
    let paths = paths.filter_map(|test| test.get("path").and_then(toml::Value::as_str));
    (found.unwrap_or(true), paths.collect())
}

/// Whether a file below `tests/` is run; `source` has the text of each.
fn is_run(file: &str, (found, named): &(bool, Vec<&str>), source: &dyn Fn(&str) -> String) -> bool {
    let (folder, name) = file.rsplit_once('/').expect("a file in a folder");
    let is_found = match folder.split('/').count() {
        1 => true,
        2 => name == "main.rs",
        _ => false,
    };
    if named.contains(&file) || (*found && is_found) {
        return true;
    }
    let (above, module) = match (folder.rsplit_once('/'), name) {
        (Some((above, own)), "mod.rs") => (above, own),
        _ => (folder, name.trim_end_matches(".rs")),
    };
    let declared = |place: &str| {
        let text = source(&format!("{above}/{place}"));
        let mut lines = text.lines();
        lines.any(|line| line.trim_start_matches("pub(crate) ") == format!("mod {module};"))
    };
    declared("main.rs") || declared("mod.rs")
}

#[test]
fn no_test_file_is_forgotten() {
    let files = files();
    let mut seen = 0;
    for path in manifests() {
        let manifest = manifest(&path);
        let programs = programs(&manifest);
        let root = path.trim_end_matches("Cargo.toml");
        let source = |file: &str| text(&format!("{root}{file}")).unwrap_or_default();
        let tests = files.iter().filter_map(|file| file.strip_prefix(root));
        for file in tests.filter(|file| file.starts_with("tests/") && file.ends_with(".rs")) {
            assert!(
                is_run(file, &programs, &source),
                "{root}{file} is in no test program"
            );
            seen += 1;
        }
    }
    assert!(seen >= 100, "only {seen} files were found");
}

#[test]
fn the_check_sees_what_is_forgotten() {
    let source = |file: &str| match file {
        "tests/main.rs" => "mod laws;\nmod swarm;\npub(crate) mod common;\n".to_owned(),
        "tests/swarm/mod.rs" => "mod air;\n".to_owned(),
        "tests/house/main.rs" => "mod sizes;\n".to_owned(),
        _ => String::new(),
    };
    let run = |file: &str, found: bool| {
        let named = vec!["tests/main.rs", "tests/house/main.rs"];
        is_run(&format!("tests/{file}"), &(found, named), &source)
    };
    for file in [
        "main.rs",
        "house/main.rs",
        "house/sizes.rs",
        "laws.rs",
        "common/mod.rs",
    ] {
        assert!(run(file, false), "{file}");
    }
    assert!(run("swarm/mod.rs", false) && run("swarm/air.rs", false));
    for file in [
        "law.rs",
        "swarms/mod.rs",
        "other/main.rs",
        "swarm/sea.rs",
        "other/laws.rs",
    ] {
        assert!(!run(file, false), "{file}");
    }
    assert!(run("law.rs", true) && run("other/main.rs", true) && !run("other/laws.rs", true));
}

#[test]
fn who_names_no_program_has_none() {
    let parsed = |text: &str| -> toml::Table { text.parse().expect("a manifest") };
    let silent = parsed("[package]\nautotests = false");
    assert_eq!(programs(&silent), (false, Vec::new()));
    let usual = parsed("[package]\nname = \"thing\"");
    assert_eq!(programs(&usual), (true, Vec::new()));
}
