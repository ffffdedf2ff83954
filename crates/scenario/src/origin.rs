//! Where a scenario was read from: the file, the place of each key in it, and what stood there.

use serde_json::Value;
use std::collections::BTreeMap;
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
    places: BTreeMap<String, Place>,
    tree: Value,
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
    pub(crate) fn new(file: &str, places: BTreeMap<String, Place>, tree: Value) -> Self {
        Self(Arc::new(Inner {
            file: file.to_owned(),
            places,
            tree,
        }))
    }

    /// The name that the file was read under.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The place of a key such as `flow[0].window`; for a key that is not there, the nearest one
    /// around it.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<Place> {
        let mut key = key;
        loop {
            if let Some(&place) = self.0.places.get(key) {
                return Some(place);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    /// The tree that was read.
    pub(crate) fn tree(&self) -> &Value {
        &self.0.tree
    }

    /// The value of a key as it was written; `None` if it was left out.
    pub(crate) fn written(&self, key: &str) -> Option<String> {
        let mut value = &self.0.tree;
        for step in key.split(['.', '[']) {
            value = match step.strip_suffix(']') {
                Some(index) => value.get(index.parse::<usize>().ok()?)?,
                None => value.get(step)?,
            };
        }
        (!value.is_null()).then(|| value.to_string())
    }
}
