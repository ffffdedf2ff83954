//! The scenarios of a batch, each of which is read once for all of its runs.
//!
//! Reading one takes a tenth of a millisecond, as much as a short run spends on a few hundred
//! frames. The one invariant: what is handed over is what the text of that very job says.

use crate::border::Failure;
use crate::engine;
use acklab_scenario::Resolved;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Texts of so many bytes together are kept as they were read; a large network takes far longer
/// to run than to read.
const KEPT_BYTES: usize = 1 << 24;

/// What has been read of the jobs' texts.
#[derive(Default)]
pub(crate) struct Scenarios {
    /// For each job, where its scenario is kept, if it is.
    places: Vec<Option<usize>>,
    kept: Vec<OnceLock<Arc<Resolved>>>,
}

impl Scenarios {
    /// Room for the scenarios of these jobs' texts, which stay where they are in memory.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut scenarios = Self::default();
        // Python's jobs share the text of a scenario, not only what it says.
        let mut known = BTreeMap::new();
        let mut bytes = 0;
        for text in texts {
            let place = *known.entry((text.as_ptr(), text.len())).or_insert_with(|| {
                bytes += text.len();
                (bytes <= KEPT_BYTES).then(|| {
                    scenarios.kept.push(OnceLock::new());
                    scenarios.kept.len() - 1
                })
            });
            scenarios.places.push(place);
        }
        scenarios
    }

    /// The scenario of a job with this text.
    pub(crate) fn read(&self, job: usize, text: &str) -> Result<Arc<Resolved>, Failure> {
        let place = self.places.get(job).copied().flatten();
        let Some(kept) = place.and_then(|place| self.kept.get(place)) else {
            return engine::read_resolved(text);
        };
        if let Some(resolved) = kept.get() {
            return Ok(Arc::clone(resolved));
        }
        let resolved = engine::read_resolved(text)?;
        Ok(Arc::clone(kept.get_or_init(|| resolved)))
    }
}
