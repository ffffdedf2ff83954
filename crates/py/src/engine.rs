//! The calls into the core, as functions from text to text.

use crate::answer::{Cost, Part, answer};
use crate::border::{Failure, Kind};
use acklab_scenario::Resolved;
use acklab_trace::MEASURES;
use acklab_world::{Policies, RunError, RunOptions};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The resolved scenario as JSON, its flows known to be possible.
pub(crate) fn resolve(text: &str, name: &str, format: &str) -> Result<String, Failure> {
    let resolved = read(text, name, format)?;
    acklab_world::check(&resolved)?;
    Ok(resolved.to_json())
}

fn read(text: &str, name: &str, format: &str) -> Result<Resolved, Failure> {
    let scenario = match format {
        "toml" => acklab_scenario::parse_toml(name, text)?,
        "json" => acklab_scenario::parse_json(name, text)?,
        _ => {
            let failure = Failure::new(Kind::Input, "there is no such format").at("format");
            return Err(failure.found(format, "toml or json"));
        }
    };
    Ok(scenario.resolve()?)
}

/// What Python may ask for besides the result.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// Every frame on the air, as pcapng.
    pcap: Option<PathBuf>,
    /// What one node's transport sent and received, as raw IP.
    ip_pcap: Option<PathBuf>,
    /// That node; the first flow's sender if there is none.
    node: Option<u32>,
    /// The event log, as JSON lines.
    events: Option<PathBuf>,
    /// Record although nothing is written.
    trace: bool,
    /// Shuffle the order of simultaneous wakes.
    shuffle_ties: Option<u64>,
    /// Parts of the result that nobody will read.
    leave_out: Vec<Part>,
    /// Tell the processor's time of the run.
    cpu: bool,
}

/// A scenario that was resolved before.
pub(crate) fn read_resolved(text: &str) -> Result<Arc<Resolved>, Failure> {
    read(text, "resolved scenario", "json").map(Arc::new)
}

/// The result of one run as JSON. A run that was stopped is a failure: its figures are of no use.
#[expect(
    clippy::disallowed_types,
    reason = "the core owns no clock: its cost is measured here"
)]
pub(crate) fn run(
    read: impl FnOnce() -> Result<Arc<Resolved>, Failure>,
    seed: u64,
    run: u32,
    options: Option<&str>,
    policies: Option<Arc<dyn Policies>>,
    stop: &AtomicBool,
) -> Result<String, Failure> {
    let asked: Options = match options {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Failure::new(Kind::Input, error.to_string()).at("options"))?,
        None => Options::default(),
    };
    let started = std::time::Instant::now();
    let resolved = read()?;
    let sender = resolved.flows.first().map_or(0, |flow| flow.from.0);
    let options = RunOptions {
        seed,
        run,
        pcap: asked.pcap,
        ip_pcap: asked
            .ip_pcap
            .map(|path| (asked.node.unwrap_or(sender), path)),
        events: asked.events,
        trace: asked.trace,
        shuffle_ties: asked.shuffle_ties,
        policies,
        ..RunOptions::default()
    };
    let before = asked.cpu.then(cpu_s).flatten();
    let result = acklab_world::run(&resolved, &options, Some(stop))?;
    if !result.complete {
        return Err(Failure::new(Kind::Run, "stopped before its end"));
    }
    let cost = Cost {
        wall_s: started.elapsed().as_secs_f64(),
        cpu_s: before.and_then(|before| Some(cpu_s()? - before)),
    };
    answer(result, &asked.leave_out, cost)
}

/// Seconds that a processor has worked for this thread; none where the system does not tell.
#[cfg(unix)]
fn cpu_s() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    Some(spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn cpu_s() -> Option<f64> {
    None
}

/// How the nodes of one run move, as a movement script of ns-2.
pub(crate) fn movement(resolved: &str, seed: u64, run: u32) -> Result<String, Failure> {
    let resolved = read_resolved(resolved)?;
    Ok(acklab_world::movement(&resolved, seed, run))
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scenario(error) => error.into(),
            RunError::NoSuchNode { node, nodes } => Self::new(Kind::Input, "there is no such node")
                .at("node")
                .found(node.to_string(), format!("0 to {}", nodes - 1)),
            RunError::File { path, error } => {
                Self::new(Kind::Output, format!("cannot be written: {error}"))
                    .at(path.display().to_string())
            }
        }
    }
}

/// Every declared measure, as a JSON list.
pub(crate) fn measures() -> String {
    let rows: Vec<_> = MEASURES
        .iter()
        .map(|measure| {
            json!({
                "name": measure.name,
                "unit": measure.unit,
                "scope": measure.scope.name(),
                "what": measure.what,
            })
        })
        .collect();
    json!(rows).to_string()
}
