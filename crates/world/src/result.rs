//! What a run gives: measures, samples, warnings, and the digest that identifies it.

use crate::agents::{Agent, Kind};
use crate::batches::Interval;
use crate::flow::{Flow, Traffic};
use crate::sampler::Samples;
use crate::world::World;
use acklab_base::Instant;
use acklab_trace::{FlowReport, NetworkReport, NodeCounters, NodeReport, Powers};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the parts of a network measured in an interval.
pub(crate) struct Reports {
    pub(crate) network: Measures,
    pub(crate) flows: Vec<Measures>,
    nodes: Vec<Measures>,
}

/// Measures by name; units stand in [`acklab_trace::MEASURES`].
pub type Measures = BTreeMap<&'static str, f64>;

/// A shortcut of the model that was hit, or a figure to be careful with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A short name, the same in every run.
    pub code: &'static str,
    /// What it means for the reader of the result.
    pub message: String,
    /// How often it happened.
    pub count: u64,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// Measures of the whole network.
    pub measures: Measures,
    /// Measures of each flow.
    pub flows: Vec<Measures>,
    /// Measures of each node.
    pub nodes: Vec<Measures>,
    /// Windows over time, if they were asked for, and the short transfers.
    pub samples: Samples,
    /// What the reader must know.
    pub warnings: Vec<Warning>,
    /// The digest of everything that happened, 16 hexadecimal digits.
    pub digest: String,
    /// Wakes that the engine dispatched.
    pub events: u64,
    /// Simulated time in seconds.
    pub simulated_s: f64,
    /// Root seed.
    pub seed: u64,
    /// Replication.
    pub run: u32,
    /// Whether the run came to its end; `false` if it was stopped before.
    pub complete: bool,
}

impl World {
    /// The measured interval begins: what was counted before is left out.
    pub(crate) fn start_measuring(&mut self) {
        for index in 0..self.stacks.len() {
            let counters = self.node_counters(index);
            let is_new = counters == NodeCounters::default();
            self.stacks[index].baseline = (!is_new).then(|| Box::new(counters));
        }
        let now = self.now;
        for flow in &mut self.flows {
            if let Traffic::Tcp(tcp) = &mut flow.traffic {
                tcp.windows.restart(now);
            }
            flow.baseline = flow.totals();
        }
        self.start_batches();
    }

    /// A node's counters with those that its MAC keeps.
    pub(crate) fn node_counters(&self, index: usize) -> NodeCounters {
        let mut counters = *self.stacks[index].counters;
        self.count_links(index, &mut counters);
        self.count_cells(index, &mut counters);
        let Some(station) = self.stations.get(index) else {
            return counters;
        };
        if let Some(network) = &self.slotted {
            return network.node_counters(index, &counters);
        }
        let mac = station.dcf.counters();
        counters.add_sent(&station.sent);
        NodeCounters {
            receiving: station.receiving,
            missing_cts: mac.missing_cts,
            missing_ack: mac.missing_ack,
            unicast_done_tcp_data: mac.done_tcp_data,
            unicast_done_tcp_ack: mac.done_tcp_ack,
            unicast_done: mac.done_tcp_data + mac.done_tcp_ack + mac.done_other,
            ..counters
        }
    }

    /// The measures of an interval that ends now.
    pub(crate) fn report(&self, interval: &Interval) -> Reports {
        let elapsed = interval.elapsed;
        let nodes: Vec<NodeReport<'_>> = (interval.nodes.iter().enumerate())
            .map(|(index, counters)| NodeReport {
                counters,
                elapsed,
                powers: self.powers(index),
            })
            .collect();
        let parts = interval.flows.iter().zip(&interval.windows);
        let flows: Vec<FlowReport<'_>> = (self.flows.iter().zip(parts))
            .map(|(flow, (counters, windows))| FlowReport {
                counters,
                windows: windows.as_ref(),
                end: self.now,
                elapsed,
                active: elapsed.min(self.now.saturating_since(flow.start)),
            })
            .collect();
        let network = NetworkReport {
            nodes: &nodes,
            flows: &flows,
        };
        let of_flow = |flow: &FlowReport<'_>| collect(|take| flow.visit(take));
        let of_node = |node: &NodeReport<'_>| collect(|take| node.visit(take));
        Reports {
            network: collect(|take| network.visit(take)),
            flows: flows.iter().map(of_flow).collect(),
            nodes: nodes.iter().map(of_node).collect(),
        }
    }

    /// The measured interval so far.
    fn measured(&self) -> Interval {
        let node = |n: usize| match &self.stacks[n].baseline {
            Some(baseline) => self.node_counters(n).since(baseline),
            None => self.node_counters(n),
        };
        let windows = |flow: &Flow| match &flow.traffic {
            Traffic::Tcp(tcp) => Some(tcp.windows),
            Traffic::Cbr(_) => None,
        };
        Interval {
            elapsed: self.now.saturating_since(self.measure_from),
            nodes: (0..self.stacks.len()).map(node).collect(),
            flows: (self.flows.iter())
                .map(|flow| flow.totals().since(&flow.baseline))
                .collect(),
            windows: self.flows.iter().map(windows).collect(),
        }
    }

    /// The result of the run so far.
    pub(crate) fn result(&self, seed: u64, run: u32, complete: bool) -> RunResult {
        let reports = self.report(&self.measured());
        RunResult {
            measures: reports.network,
            flows: reports.flows,
            nodes: reports.nodes,
            samples: self.samples(),
            warnings: self.warnings(complete),
            digest: format!("{:016x}", self.digest()),
            events: self.events,
            simulated_s: self.now.saturating_since(Instant::ZERO).as_secs_f64(),
            seed,
            run,
            complete,
        }
    }

    fn samples(&self) -> Samples {
        let transfers = self.flows.iter().filter_map(|flow| match &flow.traffic {
            Traffic::Tcp(tcp) => tcp.sessions.as_ref().map(|s| s.samples.clone()),
            Traffic::Cbr(_) => None,
        });
        Samples {
            sessions: transfers.collect(),
            handoffs: self.cells.as_ref().map_or(Vec::new(), |c| c.log.clone()),
            batches: self.batches.as_ref().map_or(Vec::new(), |b| b.done.clone()),
            ..self.sampler.samples.clone()
        }
    }

    /// What a node's radio draws, if it has one.
    fn powers(&self, index: usize) -> Powers {
        if index < self.stations.len() {
            self.powers
        } else {
            Powers::NO_RADIO
        }
    }

    fn digest(&self) -> u64 {
        let radios = self.stations.iter().map(|station| station.digest);
        let stacks = self.stacks.iter().map(|stack| stack.digest);
        let wires = self.wires.iter().flat_map(|wire| wire.digests);
        let digests: Vec<_> = radios.chain(stacks).chain(wires).collect();
        acklab_trace::digest::combine(&digests)
    }

    fn warnings(&self, complete: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |code, count: u64, message: String| {
            if count > 0 {
                let warning = Warning {
                    code,
                    message,
                    count,
                };
                warnings.push(warning);
            }
        };
        let at = self.now.as_secs_f64();
        let stopped = format!("the run was stopped at {at} s");
        warn("stopped", u64::from(!complete), stopped);
        let recorder = self.recorder.as_ref();
        if let Some(at) = recorder.and_then(|recorder| recorder.truncated_at()) {
            let message = format!("the record is full from {} s on", at.as_secs_f64());
            warn("record_truncated", 1, message);
        }
        warn(
            "short_run",
            self.batches.as_ref().map_or(0, |b| b.missing()),
            "packets that were not delivered before the run's duration was over".to_owned(),
        );
        let taken = self.stacks.iter().map(|stack| stack.counters.pair_seconds);
        warn(
            "unconfirmed_part",
            taken.sum(),
            "packets that came as the second part of a combined 802.11 frame, which only the \
             receiver of the first part acknowledges"
                .to_owned(),
        );
        self.warn_of_cells(&mut warn);
        let flows = self.flows.iter();
        let silent = flows.filter(|flow| flow.counters.delivered_packets == 0);
        warn(
            "silent_flow",
            silent.count() as u64,
            "flows that delivered nothing at all".to_owned(),
        );
        warnings
    }

    /// What a network of base stations leaves out of the air and of the agents at them.
    fn warn_of_cells(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        let Some(cells) = &self.cells else {
            return;
        };
        warn(
            "uncontended_cells",
            cells.uncontended(),
            "mobiles with a channel of their own to each station: they take no capacity from each \
             other (cells.mac = \"802.11\" lets them share a cell)"
                .to_owned(),
        );
        let heard = self.stacks.iter().map(|stack| stack.counters.beacons_heard);
        warn(
            "beacons_off_air",
            if cells.on_air() { heard.sum() } else { 0 },
            "beacons that mobiles heard and that took no airtime from the 802.11 below".to_owned(),
        );
        let split = |agent: &Agent| matches!(agent.kind, Kind::Split(_));
        let ended = if self.agents.iter().any(split) {
            cells.log.len() as u64
        } else {
            0
        };
        warn(
            "split_left_behind",
            ended,
            "handoffs at which a split connection stays at the old station: its state is not \
             handed over, as I-TCP's would be"
                .to_owned(),
        );
    }
}

/// Measures by name. A map that is made of all at once has no empty places, of which a large network
/// would have many.
fn collect(visit: impl FnOnce(&mut dyn FnMut(&'static str, f64))) -> Measures {
    let mut measures = Vec::new();
    visit(&mut |name, value| measures.push((name, value)));
    measures.into_iter().collect()
}
