//! Measures by name, as results give them; those of nodes are worked out when they are asked for.
//!
//! A node has a hundred measures of which most are zero. What they are made of is kept, packed. The one
//! invariant: a node's measures are those of its report, whenever they are asked for.

use acklab_base::Duration;
use acklab_trace::{NodeReport, PackedCounters, Powers};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Measures by name; units stand in [`acklab_trace::MEASURES`].
pub type Measures = BTreeMap<&'static str, f64>;

/// Measures of each node over an interval. Serialized, they are a list of maps.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMeasures {
    pub(crate) counters: PackedCounters,
    pub(crate) elapsed: Duration,
    /// Nodes with a radio, which have the lowest numbers.
    pub(crate) radios: usize,
    pub(crate) powers: Powers,
}

impl NodeMeasures {
    /// Those of a node, counted from 0. Panics if there are not so many.
    #[must_use]
    pub fn get(&self, node: usize) -> Measures {
        let report = NodeReport {
            counters: self.counters.get(node),
            elapsed: self.elapsed,
            powers: powers(self.powers, node < self.radios),
        };
        collect(|take| report.visit(take))
    }

    /// Those of all nodes, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Measures> {
        (0..self.len()).map(|node| self.get(node))
    }

    /// Nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counters.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counters.is_empty()
    }
}

impl Serialize for NodeMeasures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// What the radio of a node draws, if it has one.
pub(crate) const fn powers(radio: Powers, has_radio: bool) -> Powers {
    if has_radio { radio } else { Powers::NO_RADIO }
}

/// Measures by name. A map that is made of all at once has no empty places.
pub(crate) fn collect(visit: impl FnOnce(&mut dyn FnMut(&'static str, f64))) -> Measures {
    let mut measures = Vec::new();
    visit(&mut |name, value| measures.push((name, value)));
    measures.into_iter().collect()
}
