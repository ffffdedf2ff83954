//! The part of the schema that says what a mobile end does around a handoff.

use crate::quantities::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scheme of a mobile end: its name alone, or with parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Handoff {
    /// The scheme with default parameters.
    Name(HandoffName),
    /// The scheme with parameters.
    Table(HandoffTable),
}

/// The name of a scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HandoffName {
    /// Handoffs pass unnoticed.
    Unaware,
    /// ACKs (data, if the mobile sends) leave one by one.
    Pacing,
    /// The receiver closes its window.
    Freeze,
    /// M-TCP's half at the mobile.
    MTcp,
}

/// A scheme with its parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum HandoffTable {
    /// Handoffs pass unnoticed.
    Unaware {},
    /// ACKs (data, if the mobile sends) leave one by one while the signal is weak (cho2005 §3). An end
    /// of the flow is a mobile of base stations.
    Pacing {
        /// Least time between two of them.
        #[schemars(extend("x-above-zero" = true))]
        interval: Option<Time>,
        /// Which ACKs wait for their turn.
        held: Option<HeldAcks>,
        /// What happens to what still waits when the signal is good again.
        end: Option<PacingEnd>,
    },
    /// Freeze-TCP: the receiver closes its window while the link is away. It is a mobile of base
    /// stations.
    Freeze {
        /// ACKs with the open window that leave on reconnection.
        #[schemars(range(min = 0, max = 100))]
        reopening_acks: Option<u32>,
    },
    /// M-TCP's half at the mobile: on reconnection it says again what it has. The flow ends at a mobile
    /// of base stations, and an agent of kind `m-tcp` is the other half.
    MTcp {},
}

/// Which ACKs wait for their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HeldAcks {
    /// Each one, in order.
    Every,
    /// The newest alone.
    Newest,
}

/// What happens when pacing ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum PacingEnd {
    /// Everything that waits leaves.
    AtOnce,
    /// What waits goes on leaving one by one.
    Paced,
}
