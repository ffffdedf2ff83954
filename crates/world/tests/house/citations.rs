//! Each scripted conversation with TCP says which clause it follows, in its documentation, its
//! name or its comments: an RFC, a paper, or what ns-2 does instead.

use crate::tree::{files, text};

const PLACE: &str = "crates/tcp/tests/conversations/";

/// What counts as a source. "§" alone does where the head of the file names the paper.
const SOURCES: [&str; 10] = [
    "RFC ", "rfc", "§", "ns-2", "Jacobson", "altman", "Altman", "et al.", "BP ", "EL,",
];

/// The names of the tests of a file whose documentation and body name no source.
fn without_source(source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().collect();
    let tests = (0..lines.len()).filter(|&at| lines[at] == "#[test]");
    tests
        .filter_map(|at| {
            let above = lines[..at].iter().rev();
            let documented = above.take_while(|line| line.starts_with("///")).count();
            let body = lines[at..].iter().position(|line| *line == "}")?;
            let whole = lines[at - documented..at + body].join("\n");
            let named = SOURCES.iter().any(|word| whole.contains(word));
            let name = lines[at..].iter().find(|line| line.starts_with("fn "))?;
            (!named).then(|| (*name).to_owned())
        })
        .collect()
}

#[test]
fn every_conversation_names_its_source() {
    let mut seen = 0;
    let mut bad = Vec::new();
    for file in files().iter().filter(|file| file.starts_with(PLACE)) {
        let source = text(file).expect("a test file is text");
        seen += source.matches("#[test]").count();
        bad.extend(without_source(&source));
    }
    assert!(seen > 100, "only {seen} conversations found");
    assert_eq!(bad, Vec::<String>::new());
}

#[test]
fn the_check_sees_a_conversation_without_source() {
    let source = "/// RFC 1.\n#[test]\nfn good() {\n}\n\n#[test]\nfn bad() {\n    go();\n}\n";
    assert_eq!(without_source(source), ["fn bad() {"]);
}
