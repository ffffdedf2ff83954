//! Where a scenario was read from: the file, the place of each key in it, and what stood there.
//!
//! Only the text is kept, since it is small beside what is made of it: it is read once more if something
//! is to be said of a place in it.

use crate::read;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// The file that a scenario was read from. All origins compare equal: where a scenario stands is
/// no part of what it says.
#[derive(Clone, Default)]
pub struct Origin(Arc<Inner>);

#[derive(Default)]
struct Inner {
    file: String,
    text: Text,
}

/// What a scenario is written in.
#[derive(Default)]
pub(crate) enum Text {
    /// Nothing: a program made it.
    #[default]
    None,
    /// TOML.
    Toml(Box<str>),
    /// JSON, which comes from programs: nobody looks for a place in it.
    Json(Box<str>),
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({:?})", self.0.file)
    }
}

impl Origin {
    pub(crate) fn new(file: &str, text: Text) -> Self {
        Self(Arc::new(Inner {
            file: file.to_owned(),
            text,
        }))
    }

    /// The name that the file was read under.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The place of a key such as `flow[0].window`; for a key that is not there, the nearest one
    /// around it. Reads the text again.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<Place> {
        let Text::Toml(text) = &self.0.text else {
            return None;
        };
        let places = read::places(text);
        let mut key = key;
        loop {
            if let Some(&place) = places.get(key) {
                return Some(place);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    /// The value of a key as it was written; `None` if it was left out. Reads the text again.
    pub(crate) fn written(&self, key: &str) -> Option<String> {
        let tree = match &self.0.text {
            Text::None => return None,
            Text::Toml(text) => read::toml_tree(text),
            Text::Json(text) => serde_json::from_str(text).unwrap_or_default(),
        };
        let mut value: &Value = &tree;
        for step in key.split(['.', '[']) {
            value = match step.strip_suffix(']') {
                Some(index) => value.get(index.parse::<usize>().ok()?)?,
                None => value.get(step)?,
            };
        }
        (!value.is_null()).then(|| value.to_string())
    }
}
