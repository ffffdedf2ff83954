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
    /// Explicit Loss Notification: duplicate ACKs of the neighbour are marked if the packet that
    /// they ask for came by in order; senders with `eln = true` repair it without a cut.
    LossNotice {
        /// Where it sits.
        node: u32,
        /// The neighbour that it watches: the wireless host.
        toward: u32,
        /// Packets that are remembered for one connection.
        #[schemars(range(min = 1, max = 1_000_000))]
        memory: Option<u32>,
    },
    /// A split connection (I-TCP): persistent TCP connections to the neighbour end here, and one of
    /// this node's own goes on to it.
    Split {
        /// Where it sits.
        node: u32,
        /// The neighbour that it serves: the wireless host.
        toward: u32,
    },
    /// M-TCP's supervisory host, at the gateway: keeps the last byte of each ACK from the sender, and
    /// closes the sender's window by it when the mobile is silent.
    MTcp {
        /// Where it sits.
        node: u32,
        /// The neighbour behind which the mobiles are.
        toward: u32,
        /// Least silence after which a mobile counts as away; above it, the mean round trip and
        /// four mean deviations.
        #[schemars(extend("x-above-zero" = true))]
        least_silence: Option<Time>,
    },
}

impl Agent {
    /// Where it sits, and which neighbour it watches.
    pub(crate) const fn place(&self) -> (u32, u32) {
        match *self {
            Self::Snoop { node, toward, .. }
            | Self::LossNotice { node, toward, .. }
            | Self::Split { node, toward }
            | Self::MTcp { node, toward, .. } => (node, toward),
        }
    }
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
