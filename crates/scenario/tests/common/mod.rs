//! What each mistake says, word for word: helpers of the two files that list them.

// Each of the two files uses its part of these.
#![allow(dead_code)]

use acklab_scenario::parse_toml;

const CHAIN: &str = "[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n";
const FLOW: &str = "[[flow]]\nkind = \"ftp\"\n";

/// Resolves `text` and compares the message.
pub(crate) fn says(text: &str, expected: &str) {
    match parse_toml("s.toml", text).and_then(|scenario| scenario.resolve()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => assert_eq!(error.to_string(), expected, "for:\n{text}"),
    }
}

/// Ten seconds of a chain of three nodes with one FTP flow, and `lines` behind it.
pub(crate) fn more(lines: &str, expected: &str) {
    says(
        &format!("duration = \"10 s\"\n{CHAIN}{FLOW}{lines}\n"),
        expected,
    );
}

pub(crate) fn duration(value: &str, expected: &str) {
    says(&format!("duration = {value}\n{CHAIN}{FLOW}"), expected);
}

pub(crate) fn topology(lines: &str, expected: &str) {
    says(
        &format!("duration = \"10 s\"\n[topology]\n{lines}\n{FLOW}"),
        expected,
    );
}

pub(crate) fn cbr(lines: &str, expected: &str) {
    says(
        &format!("duration = \"10 s\"\n{CHAIN}[[flow]]\nkind = \"cbr\"\n{lines}\n"),
        expected,
    );
}
