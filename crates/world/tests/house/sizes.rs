//! Files of at most 400 lines, functions of at most 60. What is over stands in `oversize.txt` with
//! its size; an entry may shrink and must go when it is no longer needed.

use crate::tree::{files, text};
use std::collections::BTreeMap;

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 60;

/// The committed list, beside this file.
const LIST: &str = include_str!("oversize.txt");

/// Indentation in spaces.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name of the function that a line of Rust or Python begins.
fn function_name(line: &str, python: bool) -> Option<&str> {
    let mut words = line.trim_start();
    let modifiers: &[&str] = if python {
        &["async "]
    } else {
        &[
            "pub ",
            "pub(crate) ",
            "pub(super) ",
            "const ",
            "async ",
            "default ",
        ]
    };
    while let Some(rest) = modifiers.iter().find_map(|word| words.strip_prefix(word)) {
        words = rest;
    }
    let rest = words.strip_prefix(if python { "def " } else { "fn " })?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&rest[..end])
}

/// The number of lines of a function that begins at `first`. The formatters guarantee that it
/// ends with a brace at its own indentation in Rust, and before the next line at its indentation
/// or less in Python.
fn function_length(lines: &[&str], first: usize, python: bool) -> usize {
    let own = indent(lines[first]);
    if !python {
        let last = lines[first..].iter().position(|line| {
            indent(line) == own
                && (line.trim() == "}" || line.trim_end().ends_with(';') || line.ends_with('}'))
        });
        return last.map_or(1, |last| last + 1);
    }
    // The signature may close at the function's own indentation.
    let body = lines[first..]
        .iter()
        .position(|line| line.trim_end().ends_with(':'))
        .map_or(first, |at| first + at);
    let behind = lines[body + 1..]
        .iter()
        .position(|line| !line.trim().is_empty() && indent(line) <= own)
        .map_or(lines.len(), |at| body + 1 + at);
    let written = lines[first..behind]
        .iter()
        .rposition(|line| !line.trim().is_empty());
    written.map_or(1, |last| last + 1)
}

/// What is over in a file: (entry, lines).
fn over(file: &str, text: &str) -> Vec<(String, usize)> {
    let python = file.ends_with(".py");
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    if lines.len() > FILE_LINES {
        found.push((file.to_owned(), lines.len()));
    }
    for (number, line) in lines.iter().enumerate() {
        if let Some(name) = function_name(line, python) {
            let length = function_length(&lines, number, python);
            if length > FUNCTION_LINES {
                found.push((format!("{file}:{name}"), length));
            }
        }
    }
    found
}

fn listed() -> BTreeMap<String, usize> {
    LIST.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (entry, lines) = line.split_once(' ').expect("an entry and its lines");
            (entry.to_owned(), lines.parse().expect("a number of lines"))
        })
        .collect()
}

#[test]
fn nothing_outgrows_its_size() {
    let sources = files()
        .into_iter()
        .filter(|file| file.ends_with(".rs") || file.ends_with(".py"));
    let found: BTreeMap<String, usize> = sources
        .filter_map(|file| text(&file).map(|text| over(&file, &text)))
        .flatten()
        .collect();
    let listed = listed();
    let mut wrong = Vec::new();
    for (entry, lines) in &found {
        match listed.get(entry) {
            None => wrong.push(format!("{entry} is over: {lines} lines")),
            Some(allowed) if lines > allowed => {
                wrong.push(format!("{entry} grew from {allowed} to {lines} lines"));
            }
            Some(_) => {}
        }
    }
    let gone = listed.keys().filter(|entry| !found.contains_key(*entry));
    wrong.extend(gone.map(|entry| format!("{entry} is no longer over: take it off the list")));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_scanner_measures_functions() {
    let rust = "impl X {\n    pub(crate) const fn one(&self) {\n        a();\n    }\n\n    fn two(\n        \
                a: u32,\n    ) -> u32 {\n        a\n    }\n\n    fn three() {}\n    fn four(&self);\n}\n";
    let lines: Vec<&str> = rust.lines().collect();
    let measured: Vec<(&str, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            Some((
                function_name(line, false)?,
                function_length(&lines, at, false),
            ))
        })
        .collect();
    assert_eq!(
        measured,
        [("one", 3), ("two", 5), ("three", 1), ("four", 1)]
    );
    let python =
        "def one(\n    a,\n) -> int:\n    b = 1\n\n    return a\n\n\nasync def two():\n    pass\n";
    let lines: Vec<&str> = python.lines().collect();
    let measured: Vec<(&str, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            Some((
                function_name(line, true)?,
                function_length(&lines, at, true),
            ))
        })
        .collect();
    assert_eq!(measured, [("one", 6), ("two", 2)]);
}
