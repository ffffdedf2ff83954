//! Room 5: the only room that knows all the others. A node is a stack of machines; this room
//! hands the outputs of one to the inputs of the next, wakes them, and measures. It has no policy
//! of its own.

mod agents;
mod ahead;
mod air;
mod assemble;
mod batches;
mod bystander;
mod cells;
mod convert;
mod convert_handoff;
mod convert_sack;
mod convert_slotted;
mod convert_vegas;
mod crowd;
mod ear;
mod files;
mod flow;
mod folded;
mod folded_frames;
mod folded_sends;
mod folded_turns;
mod folded_wakes;
mod folding;
mod gaps;
mod hearers;
mod links;
mod measures;
mod media;
mod nodes;
mod notes;
mod oracle;
mod outlook;
mod passing;
mod paths;
mod policies;
mod result;
mod routed;
mod sampler;
mod seats;
mod sessions;
mod slotted;
mod split;
mod stack;
mod station;
mod telling;
mod tracks;
mod waiting;
mod warnings;
mod wiring;
mod world;

pub use batches::Batch;
pub use cells::HandoffSample;
pub use measures::{Measures, NodeMeasures};
pub use policies::Policies;
pub use result::RunResult;
pub use sampler::{FlowSamples, Samples};
pub use sessions::SessionSamples;
pub use tracks::movement;
pub use warnings::Warning;
pub use world::World;

use acklab_scenario::{Resolved, ScenarioError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Whether the compiler had a profile of the engine's own runs for this build: `./do tune` makes one
/// and says so by this flag. A guided build takes less time for the same result.
pub const GUIDED: bool = cfg!(acklab_guided);

/// How a scenario is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Root seed.
    pub seed: u64,
    /// Replication: with the same seed, another run draws other numbers.
    pub run: u32,
    /// Write a pcapng capture of the air to this file.
    pub pcap: Option<PathBuf>,
    /// Write what TCP and UDP at one node sent and received to this file, as raw IP.
    pub ip_pcap: Option<(u32, PathBuf)>,
    /// Write the event log to this file, as JSON lines.
    pub events: Option<PathBuf>,
    /// Record everything although nothing is written: for tests that a recorder changes nothing.
    pub trace: bool,
    /// Settle every station at every edge: for tests that settling lazily changes nothing.
    pub eager: bool,
    /// Shuffle the order of simultaneous wakes by this seed.
    pub shuffle_ties: Option<u64>,
    /// ACK policies of one's own that the scenario names.
    pub policies: Option<Arc<dyn Policies>>,
}

impl RunOptions {
    pub(crate) fn records(&self) -> bool {
        self.trace || self.pcap.is_some() || self.ip_pcap.is_some() || self.events.is_some()
    }
}

/// Why a run gave no result.
#[derive(Debug)]
pub enum RunError {
    /// The scenario cannot be built.
    Scenario(ScenarioError),
    /// The capture's node does not exist.
    NoSuchNode {
        /// What was asked for.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A file could not be written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(error) => error.fmt(f),
            Self::NoSuchNode { node, nodes } => {
                write!(
                    f,
                    "node {node} cannot be captured: there are nodes 0 to {}",
                    nodes - 1
                )
            }
            Self::File { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for RunError {}

impl From<ScenarioError> for RunError {
    fn from(error: ScenarioError) -> Self {
        Self::Scenario(error)
    }
}

/// Checks what needs the radio: whether every flow's end points can reach each other.
///
/// # Errors
/// The first flow that cannot.
pub fn check(resolved: &Resolved) -> Result<(), ScenarioError> {
    assemble::heard(resolved).map(|_| ())
}

/// Builds the world of a scenario, ready to [`World::run`].
///
/// # Errors
/// A scenario that cannot be built.
pub fn build(resolved: &Resolved, options: &RunOptions) -> Result<World, RunError> {
    let heard = assemble::heard(resolved)?;
    if let Some((node, _)) = options.ip_pcap
        && node >= resolved.nodes
    {
        return Err(RunError::NoSuchNode {
            node,
            nodes: resolved.nodes as usize,
        });
    }
    tracks::check_starts(resolved, options.seed, options.run)?;
    let own = policies::hand_over(resolved, options)?;
    Ok(assemble::assemble(resolved, heard, options, own))
}

/// Runs a scenario once and writes the files that were asked for. Setting `stop` ends it early;
/// the result then says that it is not complete, and no file is written.
///
/// # Errors
/// A scenario that cannot be built, or a file that cannot be written; then none is.
pub fn run(
    resolved: &Resolved,
    options: &RunOptions,
    stop: Option<&AtomicBool>,
) -> Result<RunResult, RunError> {
    let mut world = build(resolved, options)?;
    let mut complete = world.run(stop);
    if let Some(recorder) = world.recorder().filter(|_| complete) {
        complete = files::write(recorder, options, stop)?;
    }
    Ok(world.into_result(options, complete))
}
