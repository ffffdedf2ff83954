//! The part of the schema that describes short transfers.

use crate::document_flow::FtpFlow;
use crate::quantities::{Size, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Short TCP transfers, one after the other: a connection is opened, carries one file, and after
/// its last ACK and a pause the next one is opened (altman2003 §4.1).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SessionsFlow {
    /// The connections, each opened anew with these options.
    #[serde(flatten)]
    pub connection: FtpFlow,
    /// Size of a transfer: always the same, or a table that says how it is drawn.
    pub size: Option<SessionSize>,
    /// Time from the last ACK of a transfer to the opening of the next one: always the same, or a
    /// table that says how it is drawn.
    pub pause: Option<SessionPause>,
    /// Transfers are rounded up to whole packets.
    pub whole_packets: Option<bool>,
}

/// The size of a transfer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum SessionSize {
    /// Always this size.
    Constant(#[schemars(extend("x-above-zero" = true))] Size),
    /// Drawn for each transfer.
    Drawn(SizeTable),
}

/// How the size of a transfer is drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum SizeTable {
    /// Pareto: few transfers are long, and they carry much of the traffic.
    Pareto {
        /// Mean size.
        #[schemars(extend("x-above-zero" = true))]
        mean: Option<Size>,
        /// The smaller, the heavier the tail; the variance is infinite up to 2.
        #[schemars(range(min = 1.01, max = 1000.0))]
        shape: Option<f64>,
    },
}

/// The pause between two transfers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum SessionPause {
    /// Always this long.
    Constant(Time),
    /// Drawn for each pause.
    Drawn(PauseTable),
}

/// How a pause is drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum PauseTable {
    /// Exponential.
    Exponential {
        /// Mean pause.
        #[schemars(extend("x-above-zero" = true))]
        mean: Option<Time>,
    },
}
