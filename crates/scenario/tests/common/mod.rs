//! What each mistake says, word for word: helpers of the files that list them.

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

/// Resolves `text`, which has no mistake.
pub(crate) fn accepts(text: &str) {
    if let Err(error) = parse_toml("s.toml", text).and_then(|scenario| scenario.resolve()) {
        panic!("{error}, for:\n{text}");
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

/// A correspondent (node 0), a gateway, a station on each side of it and a mobile (node 4), with
/// changes: the first place that reads so is to read otherwise.
pub(crate) fn access(changes: &[(&str, &str)]) -> String {
    let mut text = "duration = \"10 s\"\ntopology = {kind = \"nodes\", nodes = 5}\n\
        [[flow]]\nkind = \"ftp\"\nto = 4\n\
        [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
        [[point_to_point]]\nbetween = [1, 2]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
        [[point_to_point]]\nbetween = [1, 3]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
        [cells]\ngateway = 1\nrate = \"2 Mbit/s\"\n\
        [[cells.station]]\nnode = 2\nposition = [\"0 m\", \"0 m\"]\n\
        [[cells.station]]\nnode = 3\nposition = [\"200 m\", \"0 m\"]\n\
        [[cells.mobile]]\nnode = 4\nmotion = {kind = \"resting\", position = [\"5 m\", \"0 m\"]}\n"
        .to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}
