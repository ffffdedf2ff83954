//! The part of the schema that belongs to the variants `sack`, `rack` and `westwood`.

use crate::quantities::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Selective acknowledgements (RFC 2018).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct SackTable {
    /// A segment that arrives twice is reported (RFC 2883).
    pub duplicates: Option<bool>,
    /// By how much the option makes an ACK longer.
    pub length: Option<SackLength>,
}

/// What selective acknowledgements add to the length of an ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SackLength {
    /// Nothing.
    Nothing,
    /// 8 B a block.
    BlocksOnly,
    /// 4 B and 8 B a block.
    Option,
}

/// How TCP Westwood estimates what the path carries.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct WestwoodTable {
    /// Which filter.
    pub estimate: Option<WestwoodEstimate>,
    /// Time constant of the original filter.
    #[schemars(extend("x-above-zero" = true))]
    pub tau: Option<Time>,
}

/// Westwood's filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum WestwoodEstimate {
    /// A sample for each ACK (Mascolo et al. 2001).
    Original,
    /// A sample for each round trip: Westwood+ (Grieco and Mascolo 2004).
    Plus,
}
