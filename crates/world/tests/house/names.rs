//! What a committed file may not name: a place on the machine where it was written, or a package
//! registry other than the public ones. The repository stands alone.

use crate::tree::{files, text};

/// Hosts of packages that a lock file may name. Written in parts, so that this file does not.
const REGISTRIES: [&str; 3] = [
    concat!("github.com/rust-lang/", "crates", ".io-index"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
];

/// Texts that no file may contain. Written in parts, so that this file does not.
const FORBIDDEN: [&str; 4] = [
    concat!("/work", "/"),
    concat!("../", "shared"),
    concat!("/ro", "ot/"),
    concat!("/home", "/"),
];

/// Places that are forbidden, as "file:line: text".
fn offences(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{file}:{}: {}", number + 1, line.trim());
        if FORBIDDEN.iter().any(|&name| line.contains(name)) {
            found.push(place());
        }
        let registry = [
            "registry+http",
            "index-url",
            "extra-index",
            "/simple\"",
            "/simple/",
        ];
        if registry.iter().any(|word| line.contains(word))
            && !REGISTRIES.iter().any(|host| line.contains(host))
        {
            found.push(place());
        }
    }
    found
}

#[test]
fn no_file_names_a_machine_or_a_private_registry() {
    let mut found = Vec::new();
    // uv.lock is not committed.
    for file in files()
        .iter()
        .filter(|file| *file != "uv.lock" && !is_checker(file))
    {
        if let Some(text) = text(file) {
            found.extend(offences(file, &text));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Files that look for such names themselves.
fn is_checker(file: &str) -> bool {
    file == "crates/world/tests/house/names.rs" || file == "tests/python/test_papers_engine.py"
}

#[test]
fn the_check_sees_what_it_looks_for() {
    let lines = [
        format!("cd {}main", FORBIDDEN[0]),
        "source = \"registry+https://mirror.example/index\"".to_owned(),
        format!("source = \"registry+https://{}\"", REGISTRIES[0]),
        "[[tool.uv.index]] url = \"https://mirror.example/simple/\"".to_owned(),
        "a framework/".to_owned(),
    ];
    let found = offences("x", &lines.join("\n"));
    let places: Vec<&str> = found.iter().map(|line| &line[..3]).collect();
    assert_eq!(places, ["x:1", "x:2", "x:4"]);
}
