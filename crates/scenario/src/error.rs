//! Mistakes in scenarios, told to the person who wrote them.

use crate::origin::{Origin, Place};
use std::fmt;

/// A mistake in a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioError {
    /// The file, as it was named when it was read.
    pub file: Box<str>,
    /// Where in the file, if that is known.
    pub place: Option<Place>,
    /// The key, such as `flow[0].window`; empty for the file as a whole.
    pub key: Box<str>,
    /// The value that was given, as it would be written; `None` if there is none.
    pub value: Option<Box<str>>,
    /// What is accepted; empty if the message says it all.
    pub accepted: Box<str>,
    /// What is wrong.
    pub message: Box<str>,
}

impl ScenarioError {
    pub(crate) fn new(
        origin: &Origin,
        key: &str,
        value: Option<String>,
        message: impl Into<String>,
        accepted: impl Into<String>,
    ) -> Self {
        Self {
            file: origin.file().into(),
            place: origin.place(key),
            key: key.into(),
            value: value.map(|value| shortened(&value)),
            accepted: accepted.into().into(),
            message: message.into().into(),
        }
    }
}

/// At most 60 characters of a value.
fn shortened(value: &str) -> Box<str> {
    if value.chars().count() <= 60 {
        return value.into();
    }
    value
        .chars()
        .take(57)
        .chain("...".chars())
        .collect::<String>()
        .into()
}

/// `file:line:column: key = value: message; accepted: …`, leaving out what is not known.
impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(Place { line, column }) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            write!(f, "{}", self.key)?;
            if let Some(value) = &self.value {
                write!(f, " = {value}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        if !self.accepted.is_empty() {
            write!(f, "; accepted: {}", self.accepted)?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// ` Did you mean "x"?` for the candidate that is nearest to `given`, if one is near.
pub(crate) fn did_you_mean<'a>(given: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    let limit = 1 + given.chars().count() / 4;
    candidates
        .map(|candidate| (edits(given, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map_or_else(String::new, |(_, candidate)| {
            format!(", did you mean \"{candidate}\"?")
        })
}

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into another.
fn edits(one: &str, two: &str) -> usize {
    let fold = |word: &str| -> Vec<char> {
        word.chars()
            .take(64)
            .map(|c| {
                if c == '-' {
                    '_'
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect()
    };
    let (one, two) = (fold(one), fold(two));
    let mut rows: Vec<Vec<usize>> = vec![(0..=two.len()).collect()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=two.len() {
            let replace = rows[i - 1][j - 1] + usize::from(one[i - 1] != two[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][two.len()]
}
