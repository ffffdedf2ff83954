//! Room 4: the scenario. Text becomes a document, a document becomes a resolved scenario, and
//! nothing runs here.
//!
//! ```text
//! text --parse--> Scenario --resolve--> Resolved --to_toml, to_json--> text
//! ```
//!
//! The types of [`document`] are the one truth of the schema: the JSON schema, the reference
//! page and the checks come from them. A mistake is a [`ScenarioError`] that names file, key,
//! value and what is accepted. The one invariant: a resolved scenario that is written and read
//! again resolves to itself.

mod check;
pub mod document;
pub mod document_agents;
pub mod document_cells;
pub mod document_flow;
mod document_handoff;
pub mod document_links;
pub mod document_moving;
mod document_routing;
mod document_sack;
mod document_sessions;
pub mod document_slotted;
mod document_topology;
mod document_vegas;
mod error;
mod hearing;
mod origin;
mod profile;
pub mod quantities;
pub mod quantity;
mod reach;
mod read;
mod reference;
mod resolve;
mod resolved;
mod resolved_cells;
mod resolved_flow;
mod resolved_links;
mod resolved_slotted;
mod resolved_vegas;
mod schema;
mod shape;
mod sources;
mod units;
mod write;
mod write_ack;
mod write_cells;
mod write_handoff;
mod write_links;
mod write_sack;
mod write_slotted;
mod write_vegas;

pub use acklab_radio::Position;
pub use document::{Access, CaptureRule, Document, Preamble, Propagation, QueueKind};
pub use document_agents::SnoopRules;
pub use document_cells::{CellMac, HandoffManner};
pub use document_flow::{DelayTimer, Estimator, Guard, Halving, Numbering, RecoveryExit, Variant};
pub use document_handoff::{HeldAcks, PacingEnd};
pub use document_links::Order;
pub use document_sack::SackLength;
pub use document_slotted::{
    BackoffFrom, Busy, Combining, Duplicates, Reading, RelayAccess, Sensing, SlottedQueue, Spaced,
};
pub use document_vegas::{
    VegasBaseRtt, VegasDeflation, VegasDiff, VegasFineTimeout, VegasFirstFlight, VegasHandshake,
    VegasIncrease, VegasRates, VegasRecheck, VegasRecords, VegasRoundTrip, VegasRules,
};
pub use error::ScenarioError;
pub use origin::{Origin, Place};
pub use profile::{Profile, ProfileName};
pub use reference::reference_markdown;
pub use resolved::{
    AckOptions, AodvOptions, Cbr, DsdvOptions, DsrOptions, DupackDelay, DupackRelease, Energy,
    Flow, FlowKind, Ftp, HandoffOptions, Link, Mac, NewRenoOptions, PauseLaw, PolicyName, Queue,
    Radio, Resolved, Routing, SackOptions, SenderOptions, Sessions, SizeLaw, Source,
    WestwoodOptions,
};
pub use resolved_cells::{Blackout, Cells, Mobile, Motion, Moving, Station};
pub use resolved_links::{Agent, AgentKind, Arq, Errors, PointToPoint, SnoopOptions};
pub use resolved_slotted::Slotted;
pub use resolved_vegas::VegasOptions;
pub use schema::json_schema;
pub use sources::Sources;

use serde::Deserialize;
use serde_json::Value;

/// A scenario as it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// What it says.
    pub document: Document,
    /// Where it was read from.
    pub origin: Origin,
}

/// Reads a scenario from TOML. `file` is its name in messages.
///
/// # Errors
/// Text that is no TOML, or does not fit the schema.
pub fn parse_toml(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
    // It stays: made first, it does not lie among what reading leaves free.
    let schema = schema::plain();
    from_tree(read::toml(file, text)?, schema)
}

/// Reads a scenario from JSON. `file` is its name in messages.
///
/// # Errors
/// Text that is no JSON, or does not fit the schema.
pub fn parse_json(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
    from_tree(read::json(file, text)?, schema::plain())
}

/// A commented scenario to start from. Its live lines are a minimal scenario; the commented ones
/// show common keys at their defaults.
#[must_use]
pub const fn starter() -> &'static str {
    include_str!("starter.toml")
}

fn from_tree((origin, tree): (Origin, Value), schema: &Value) -> Result<Scenario, ScenarioError> {
    check::check(&origin, schema, &tree)?;
    match Document::deserialize(tree) {
        Ok(document) => Ok(Scenario { document, origin }),
        Err(error) => Err(ScenarioError::new(&origin, "", None, error.to_string(), "")),
    }
}

impl Scenario {
    /// Fills every default, and checks what needs several values to be checked.
    ///
    /// # Errors
    /// Values that contradict each other or make no sense together.
    pub fn resolve(&self) -> Result<Resolved, ScenarioError> {
        resolve::resolve(&self.document, &self.origin)
    }
}
