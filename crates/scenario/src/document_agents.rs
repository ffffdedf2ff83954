//! The part of the schema that describes agents on base stations.

use crate::quantities::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something on a node that looks at the packets to and from one neighbour.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Agent {
    /// Snoop: keeps copies of TCP data for the neighbour, sends them again when its duplicate ACKs
    /// or a local timer say that they were lost, and keeps those ACKs from the sender.
    Snoop {
        /// Where it sits.
        node: u32,
        /// The neighbour that it watches: the wireless host.
        toward: u32,
        /// Whose rules it follows, and the defaults of this table.
        rules: Option<SnoopRules>,
        /// Packets that are kept for one connection.
        #[schemars(range(min = 1, max = 1_000_000))]
        cache: Option<u32>,
        /// Least value of the local timer; above it, the mean round trip over the wireless part
        /// and four mean deviations.
        #[schemars(extend("x-above-zero" = true))]
        min_timer: Option<Time>,
    },
}

/// Rules of Snoop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SnoopRules {
    /// The first duplicate ACK for a cached packet is answered, all of them are suppressed.
    Paper,
    /// As ns-2.35's Snoop behaves: every second one is acted upon, and only as many are suppressed
    /// as there are packets behind the hole.
    Ns2,
}
