//! What a run gives: measures, samples, warnings, and the digest that identifies it.

use crate::RunOptions;
use crate::agents::{Agent, Kind};
use crate::batches::Interval;
use crate::crowd::Crowd;
use crate::flow::{Flow, Traffic};
use crate::measures::{Measures, NodeMeasures, collect, powers};
use crate::sampler::Samples;
use crate::seats::Seats;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Agenda;
use acklab_mac::dcf::Hush;
use acklab_trace::{
    Digest, FlowReport, NetworkReport, NodeCounters, NodeReport, PackedCounters, Powers,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// So many silent flows are named in the warning.
const NAMED: usize = 3;

/// What the parts of a network measured in an interval.
pub(crate) struct Reports {
    pub(crate) network: Measures,
    pub(crate) flows: Vec<Measures>,
}

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
    pub nodes: NodeMeasures,
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
        let (digest, warnings) = (self.digest(), self.warnings(complete));
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
            digest: format!("{digest:016x}"),
            events: self.events,
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

    fn digest(&self) -> u64 {
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
        let taken = self.rest_of_counters().map(|rest| rest.pair_seconds);
        warn(
            "unconfirmed_part",
            taken.sum(),
            "packets that came as the second part of a combined 802.11 frame, which only the \
             receiver of the first part acknowledges"
                .to_owned(),
        );
        let hasty = self.wires.iter().filter(|wire| wire.repeats_too_soon);
        warn(
            "link_timer_too_short",
            hasty.count() as u64,
            "links whose arq.min_timer runs out before a link ACK can come: each frame is sent \
             again, until the timer learns better from one that is not"
                .to_owned(),
        );
        self.warn_of_cells(&mut warn);
        self.warn_of_silence(&mut warn);
        warnings
    }

    /// Flows that delivered nothing, and why that may be.
    fn warn_of_silence(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        let flows = self.flows.iter().enumerate();
        let is_silent = |(_, flow): &(usize, &Flow)| flow.counters.delivered_packets == 0;
        let silent: Vec<_> = flows.filter(is_silent).collect();
        let mut names: Vec<_> = (silent.iter().take(NAMED))
            .map(|(index, flow)| format!("{index} from node {} to {}", flow.from.0, flow.to.0))
            .collect();
        if silent.len() > NAMED {
            names.push("…".to_owned());
        }
        let message = format!("flows that delivered nothing at all: {}", names.join(", "));
        warn("silent_flow", silent.len() as u64, message);
        let sources: BTreeSet<_> = silent.iter().map(|(_, flow)| flow.from).collect();
        let arp_drops = |node: &NodeId| self.stacks[self.seats.of(*node)].counters.arp_drops;
        let unasked = sources.iter().map(|node| u64::from(arp_drops(node)));
        warn(
            "arp_unanswered",
            unasked.sum(),
            "packets of nodes with a silent flow that ARP found no address for: its requests \
             are broadcasts, which no MAC repeats, and those of nodes that send in step collide each time \
             (start_jitter parts them, link.arp = false needs none)"
                .to_owned(),
        );
    }

    /// The counters of nodes that few nodes have.
    fn rest_of_counters(&self) -> impl Iterator<Item = &NodeCounters> {
        let stacks = self.stacks.iter();
        stacks.filter_map(|stack| stack.counters.counted_rest())
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
        let heard = self.rest_of_counters().map(|rest| rest.beacons_heard);
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
