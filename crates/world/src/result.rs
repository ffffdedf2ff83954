//! What a run gives: measures, samples, warnings, and the digest that identifies it.

use crate::RunOptions;
use crate::batches::Interval;
use crate::crowd::Crowd;
use crate::flow::{Flow, Traffic};
use crate::measures::{Measures, NodeMeasures, collect, powers};
use crate::sampler::Samples;
use crate::seats::Seats;
use crate::warnings::Warning;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Agenda;
use acklab_mac::dcf::Hush;
use acklab_trace::{
    Digest, FlowReport, NetworkReport, NodeCounters, NodeReport, PackedCounters, Powers,
};
use serde::Serialize;

/// What the parts of a network measured in an interval.
pub(crate) struct Reports {
    pub(crate) network: Measures,
    pub(crate) flows: Vec<Measures>,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// Measures of the whole network.
    pub measures: Measures,
    /// Measures of each flow.
    pub flows: Vec<Measures>,
    /// Measures of each node.
    pub nodes: NodeMeasures,
    /// Windows over time, if they were asked for, and the short transfers.
    pub samples: Samples,
    /// What the reader must know.
    pub warnings: Vec<Warning>,
    /// The digest of everything that happened, 16 hexadecimal digits.
    pub digest: String,
    /// What went into the digest: frames sent and decoded, packets that links and slots brought, packets dropped,
    /// and deliveries. No matter how the engine came to it.
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

/// The end of the warm-up of a run that is measured from then on: just before, as what happens at that
/// very instant counts; never if there is none.
pub(crate) fn warm_at(measure_from: Instant) -> Instant {
    match measure_from {
        Instant::ZERO => Instant::NEVER,
        from => from - Duration::from_nanos(1),
    }
}

impl World {
    /// The measured interval begins: what was counted before is left out.
    pub(crate) fn start_measuring(&mut self) {
        let from = self.measure_from;
        if from > Instant::ZERO {
            let nodes = 0..self.nodes;
            self.baseline = nodes.map(|n| self.node_counters(n)).collect();
        }
        for flow in &mut self.flows {
            if let Traffic::Tcp(tcp) = &mut flow.traffic {
                tcp.windows.restart(from.max(flow.start));
            }
            flow.start_measuring();
        }
        self.start_batches();
    }

    /// A node's counters with those that its MAC keeps.
    pub(crate) fn node_counters(&self, index: usize) -> NodeCounters {
        let node = NodeId(index as u32);
        let Some(stack) = self.stacks.get(self.seats.of(node)) else {
            return NodeCounters {
                receiving: self.crowd.receiving(node),
                ..NodeCounters::default()
            };
        };
        let mut counters = stack.counters.total();
        self.count_links(stack, &mut counters);
        self.count_cells(index, &mut counters);
        let Some(station) = self.stations.get(self.seats.of(node)) else {
            return counters;
        };
        if let Some(network) = &self.slotted {
            return network.node_counters(index, &counters);
        }
        let mac = station.dcf.counters();
        counters.add_sent(&station.sent);
        NodeCounters {
            receiving: station.receiving.total(),
            missing_cts: mac.missing_cts.into(),
            missing_ack: mac.missing_ack.into(),
            unicast_done_tcp_data: mac.done_tcp_data.into(),
            unicast_done_tcp_ack: mac.done_tcp_ack.into(),
            unicast_done: mac.done(),
            ..counters
        }
    }

    /// What the nodes counted since they stood at their part of `before`, where that is kept.
    pub(crate) fn counted_since(&self, before: &PackedCounters) -> PackedCounters {
        let since = |index| {
            let counters: NodeCounters = self.node_counters(index);
            if index < before.len() {
                counters.since(&before.get(index))
            } else {
                counters
            }
        };
        (0..self.nodes).map(since).collect()
    }

    /// The measures of an interval that ends now.
    pub(crate) fn report(&self, interval: &Interval) -> Reports {
        let elapsed = interval.elapsed;
        let node = |index| NodeReport {
            counters: interval.nodes.get(index),
            elapsed,
            powers: self.powers(index),
        };
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
            nodes: self.nodes,
            node: &node,
            flows: &flows,
        };
        let of_flow = |flow: &FlowReport<'_>| collect(|take| flow.visit(take));
        Reports {
            network: collect(|take| network.visit(take)),
            flows: flows.iter().map(of_flow).collect(),
        }
    }

    /// The measured interval so far, in which this was counted.
    fn measured(&self, nodes: PackedCounters) -> Interval {
        let windows = |flow: &Flow| match &flow.traffic {
            Traffic::Tcp(tcp) => Some(tcp.windows),
            Traffic::Cbr(_) => None,
        };
        Interval {
            elapsed: self.now.saturating_since(self.measure_from),
            nodes,
            flows: self.flows.iter().map(Flow::measured).collect(),
            windows: self.flows.iter().map(windows).collect(),
        }
    }

    /// The result of a run of a world that was built with these options, which came to its end or was stopped before.
    /// Who wants what was recorded asks for it before ([`World::recorder`]).
    #[must_use]
    pub fn into_result(mut self, options: &RunOptions, complete: bool) -> RunResult {
        self.forget_the_air();
        let (digests, warnings) = (self.digests(), self.warnings(complete));
        let nodes = self.counted_since(&self.baseline);
        self.forget_the_nodes();
        let interval = self.measured(nodes);
        let reports = self.report(&interval);
        RunResult {
            measures: reports.network,
            flows: reports.flows,
            samples: self.samples(),
            nodes: NodeMeasures {
                counters: interval.nodes,
                elapsed: interval.elapsed,
                radios: self.radios,
                powers: self.powers,
            },
            warnings,
            digest: format!("{:016x}", acklab_trace::digest::combine(&digests)),
            events: events(&digests),
            simulated_s: self.now.saturating_since(Instant::ZERO).as_secs_f64(),
            seed: options.seed,
            run: options.run,
            complete,
        }
    }

    /// Forgets what only a run that goes on needs: its result takes some room as well.
    fn forget_the_air(&mut self) {
        (self.ears, self.parts) = (Vec::new(), Vec::new());
        self.reach.forget_rows();
        self.agenda = Agenda::new();
    }

    /// Forgets what all has been counted of.
    fn forget_the_nodes(&mut self) {
        (self.stations, self.stacks) = (Vec::new(), Vec::new());
        (self.crowd, self.seats) = (Crowd::none(Hush::default()), Seats::fixed());
        self.baseline = PackedCounters::default();
    }

    fn samples(&mut self) -> Samples {
        let transfers = self.flows.iter().filter_map(|flow| match &flow.traffic {
            Traffic::Tcp(tcp) => tcp.sessions.as_ref().map(|s| s.samples.clone()),
            Traffic::Cbr(_) => None,
        });
        Samples {
            sessions: transfers.collect(),
            handoffs: self.cells.as_ref().map_or(Vec::new(), |c| c.log.clone()),
            batches: self.batches.as_ref().map_or(Vec::new(), |b| b.done.clone()),
            ..self.sampler.all(self.flows.len())
        }
    }

    /// What a node's radio draws, if it has one.
    fn powers(&self, index: usize) -> Powers {
        powers(self.powers, index < self.radios)
    }

    /// What happened so far, as [`RunResult::events`] counts it.
    #[must_use]
    pub fn events(&self) -> u64 {
        events(&self.digests())
    }

    fn digests(&self) -> Vec<Digest> {
        let place = |index: usize| self.seats.of(NodeId(index as u32));
        let radios = (0..self.radios).map(|index| match self.stations.get(place(index)) {
            Some(station) => station.digest,
            None => self.seats.digest_away(NodeId(index as u32)),
        });
        let stacks = (0..self.nodes).map(|index| match self.stacks.get(place(index)) {
            Some(stack) => stack.digest,
            None => Digest::default(),
        });
        let wires = self.wires.iter().flat_map(|wire| wire.digests);
        radios.chain(stacks).chain(wires).collect()
    }
}

fn events(digests: &[Digest]) -> u64 {
    digests
        .iter()
        .map(|digest| u64::from(digest.events()))
        .sum()
}
