//! The part of the schema that says which nodes with an 802.11 radio move, and how.

use crate::document_cells::Motion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Nodes with an 802.11 radio that move. Who hears a frame is decided by where they are when it
/// begins.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Moving {
    /// Which nodes. Absent: all with a radio that no other entry names.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub nodes: Option<Vec<u32>>,
    /// How each of them moves. Where that says where a node starts, it starts there, and not where
    /// the topology has it.
    pub motion: Motion,
}
