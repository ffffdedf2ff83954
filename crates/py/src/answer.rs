//! A run's result as the text that Python reads.
//!
//! Who runs thousands pays for each part that is written here and read there: what he will not look
//! at can be left out. The one invariant: what is not left out reads the same as in the whole answer.

use crate::border::{Failure, Kind};
use acklab_world::{Measures, NodeMeasures, RunResult, Samples, Warning};
use serde::{Deserialize, Serialize};

/// What of a result may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    /// The measures of each flow.
    Flows,
    /// The measures of each node.
    Nodes,
    /// What was sampled over time, and the lists of transfers and handoffs.
    Samples,
}

/// What only the caller of the core can know of a run.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Seconds of wall time, reading the scenario included.
    pub(crate) wall_s: f64,
    /// Seconds of a processor for the run alone, if they were asked for.
    pub(crate) cpu_s: Option<f64>,
}

/// A result with its cost.
#[derive(Serialize)]
struct Answer {
    measures: Measures,
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<Vec<Measures>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeMeasures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Samples>,
    warnings: Vec<Warning>,
    digest: String,
    events: u64,
    simulated_s: f64,
    seed: u64,
    run: u32,
    complete: bool,
    wall_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_s: Option<f64>,
}

/// The result as JSON, without these parts.
pub(crate) fn answer(result: RunResult, without: &[Part], cost: Cost) -> Result<String, Failure> {
    let wanted = |part| !without.contains(&part);
    let RunResult {
        measures,
        flows,
        nodes,
        samples,
        warnings,
        digest,
        events,
        simulated_s,
        seed,
        run,
        complete,
    } = result;
    let answer = Answer {
        measures,
        flows: wanted(Part::Flows).then_some(flows),
        nodes: wanted(Part::Nodes).then_some(nodes),
        samples: wanted(Part::Samples).then_some(samples),
        warnings,
        digest,
        events,
        simulated_s,
        seed,
        run,
        complete,
        wall_s: cost.wall_s,
        cpu_s: cost.cpu_s,
    };
    serde_json::to_string(&answer).map_err(|error| Failure::new(Kind::Run, error.to_string()))
}
