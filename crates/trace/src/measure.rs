//! The declared table of measures: every number that a run reports, with unit and meaning.
//!
//! Counters, result files, the Python documentation and the reference page all come from
//! [`MEASURES`]. The one invariant: a number that a report gives out has exactly one row here.

use crate::counters::{FLOW_COUNTERS, NODE_COUNTERS};
use crate::report::{FLOW_DERIVED, NETWORK_DERIVED, NODE_DERIVED};
use acklab_base::Duration;

/// What a measure belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// One node; the network's figure is the sum over nodes.
    Node,
    /// One flow; the network's figure is the sum over flows, unless the measure is a mean.
    Flow,
    /// The network as a whole.
    Network,
}

impl Scope {
    /// The scope's name in documentation and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Flow => "flow",
            Self::Network => "network",
        }
    }
}

/// How a measure of several nodes or flows becomes one figure of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pooling {
    /// By adding up.
    Sum,
    /// By the mean.
    Mean,
    /// By the largest.
    Maximum,
    /// By what the report of the network makes of its flows' counters, such as a quotient of two
    /// sums.
    Own,
}

/// The declaration of one observable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    /// Its name, the same in every file and language.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it belongs to.
    pub scope: Scope,
    /// How it is pooled over the network.
    pub pooling: Pooling,
    /// What it means, in one line.
    pub what: &'static str,
}

const COUNT: usize = NODE_COUNTERS.len()
    + NODE_DERIVED.len()
    + FLOW_COUNTERS.len()
    + FLOW_DERIVED.len()
    + NETWORK_DERIVED.len();

/// Every measure that a run reports.
pub const MEASURES: &[Measure] = &gather::<COUNT>(&[
    NODE_COUNTERS,
    NODE_DERIVED,
    FLOW_COUNTERS,
    FLOW_DERIVED,
    NETWORK_DERIVED,
]);

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES.iter().find(|measure| measure.name == name)
}

/// Puts tables one behind the other. Panics (at compile time) if `N` is not their total length.
const fn gather<const N: usize>(tables: &[&[Measure]]) -> [Measure; N] {
    let mut all = [tables[0][0]; N];
    let mut filled = 0;
    let mut table = 0;
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[filled] = tables[table][row];
            filled += 1;
            row += 1;
        }
        table += 1;
    }
    assert!(filled == N, "the length of the table of measures is wrong");
    all
}

/// What a counter can be made of.
pub(crate) trait Quantity: Copy {
    /// What was added since `earlier`.
    fn since(self, earlier: Self) -> Self;
    /// The value in the unit of its measure: a count, or seconds.
    fn value(self) -> f64;
    /// As a whole number: a count, or nanoseconds.
    fn amount(self) -> u64;
    /// What that number stands for.
    fn of_amount(amount: u64) -> Self;
}

impl Quantity for u64 {
    fn since(self, earlier: Self) -> Self {
        self - earlier
    }

    fn value(self) -> f64 {
        self as f64
    }

    fn amount(self) -> u64 {
        self
    }

    fn of_amount(amount: u64) -> Self {
        amount
    }
}

impl Quantity for Duration {
    fn since(self, earlier: Self) -> Self {
        self - earlier
    }

    fn value(self) -> f64 {
        self.as_secs_f64()
    }

    fn amount(self) -> u64 {
        self.as_nanos()
    }

    fn of_amount(amount: u64) -> Self {
        Self::from_nanos(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_declared_once() {
        for (place, measure) in MEASURES.iter().enumerate() {
            assert!(
                !measure.what.is_empty() && !measure.unit.is_empty(),
                "{}",
                measure.name
            );
            let first = MEASURES.iter().position(|other| other.name == measure.name);
            assert_eq!(first, Some(place), "{} is declared twice", measure.name);
        }
    }

    #[test]
    fn a_time_says_its_unit_in_its_name() {
        for measure in MEASURES {
            assert_eq!(
                measure.unit == "s",
                measure.name.ends_with("_s"),
                "{}",
                measure.name
            );
        }
    }

    #[test]
    fn a_measure_is_found_by_its_name() {
        assert_eq!(
            find("rts_sent").map(|measure| measure.scope.name()),
            Some("node")
        );
        assert_eq!(find("no such measure"), None);
    }
}
