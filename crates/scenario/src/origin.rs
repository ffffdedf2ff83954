//! Where a scenario was read from: the file and the place of each key in it.

use std::collections::BTreeMap;
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
#[derive(Clone, Debug, Default)]
pub struct Origin(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    file: String,
    places: BTreeMap<String, Place>,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Origin {
    pub(crate) fn new(file: &str, places: BTreeMap<String, Place>) -> Self {
        Self(Arc::new(Inner {
            file: file.to_owned(),
            places,
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
}
