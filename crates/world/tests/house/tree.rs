//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no sources: what builds and runs leave behind.
const SKIPPED: [&str; 11] = [
    ".git",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tools",
    ".venv",
    "__pycache__",
    "node_modules",
    "results",
    "target",
];

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates
        .and_then(Path::parent)
        .expect("a crate is two folders deep")
        .to_owned()
}

/// Every file, by its path from the root with forward slashes, in order.
pub(crate) fn files() -> Vec<String> {
    let mut found = Vec::new();
    visit(&root(), "", &mut found);
    found.sort();
    found
}

fn visit(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let entry = entry.expect("a folder can be read to its end");
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = entry.file_type().expect("a file has a type");
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            visit(&entry.path(), &format!("{prefix}{name}/"), found);
        } else if kind.is_file() {
            found.push(format!("{prefix}{name}"));
        }
    }
}

/// The text of a file, or nothing if it is not text.
pub(crate) fn text(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// A manifest as a table.
pub(crate) fn manifest(path: &str) -> toml::Table {
    let text = text(path).unwrap_or_else(|| panic!("{path} cannot be read"));
    text.parse()
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The manifests of all members of the workspace.
pub(crate) fn manifests() -> Vec<String> {
    let is_member = |path: &String| path != "Cargo.toml" && path.ends_with("/Cargo.toml");
    files().into_iter().filter(is_member).collect()
}
