//! Batches of delivered packets, and runs that end after so many: what the method of batch means
//! needs (elrakabawy2005 §4.1: 110 000 packets in batches of 10 000).
//!
//! A batch ends with the instant at which its last packet is delivered, after everything else that
//! happens then. What one instant delivers beyond it counts for it, and the next batch is as much
//! shorter. Observing changes nothing; the one invariant: the batches of a run add up to the run,
//! if it ends with one.

use crate::flow::Traffic;
use crate::measures::Measures;
use crate::world::World;
use acklab_base::{Duration, Instant};
use acklab_kernel::Slot;
use acklab_trace::{FlowCounters, PackedCounters, WindowMeter};
use serde::Serialize;

/// One batch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Batch {
    /// Its beginning in seconds since the start of the run.
    pub start_s: f64,
    /// Its end.
    pub end_s: f64,
    /// Measures of the whole network.
    pub measures: Measures,
    /// Measures of each flow.
    pub flows: Vec<Measures>,
}

/// The counters and windows that a report is made of.
pub(crate) struct Interval {
    pub(crate) elapsed: Duration,
    /// What all nodes counted in it.
    pub(crate) nodes: PackedCounters,
    pub(crate) flows: Vec<FlowCounters>,
    pub(crate) windows: Vec<Option<WindowMeter>>,
}

/// Counts deliveries and keeps where the running batch began.
#[derive(Debug)]
pub(crate) struct Batches {
    pub(crate) slot: Slot,
    size: Option<u64>,
    stop_after: Option<u64>,
    /// Deliveries at which the running batch is full.
    due: u64,
    /// Packets delivered since measuring began; `None` before.
    delivered: Option<u64>,
    since: Instant,
    nodes: PackedCounters,
    flows: Vec<FlowCounters>,
    windows: Vec<Option<WindowMeter>>,
    pub(crate) done: Vec<Batch>,
}

impl Batches {
    /// `None` if nothing is asked for.
    pub(crate) fn new(slot: Slot, size: Option<u32>, stop_after: Option<u32>) -> Option<Box<Self>> {
        if size.is_none() && stop_after.is_none() {
            return None;
        }
        Some(Box::new(Self {
            slot,
            size: size.map(u64::from),
            stop_after: stop_after.map(u64::from),
            due: size.map_or(u64::MAX, u64::from),
            delivered: None,
            since: Instant::ZERO,
            nodes: PackedCounters::default(),
            flows: Vec::new(),
            windows: Vec::new(),
            done: Vec::new(),
        }))
    }

    /// Whether the run has delivered what it was to deliver.
    fn is_over(&self) -> bool {
        self.missing() == 0 && self.stop_after.is_some()
    }

    fn is_full(&self) -> bool {
        self.delivered >= Some(self.due)
    }

    /// Packets that are still to be delivered before the run may end.
    pub(crate) fn missing(&self) -> u64 {
        let delivered = self.delivered.unwrap_or(0);
        self.stop_after
            .map_or(0, |packets| packets.saturating_sub(delivered))
    }

    /// A sender's congestion window, usable window or slow-start threshold changed, in this order.
    pub(crate) fn set_window(&mut self, now: Instant, flow: usize, windows: [f64; 3]) {
        if let Some(Some(meter)) = self.windows.get_mut(flow) {
            let [cwnd, window, ssthresh] = windows;
            meter.set(now, cwnd, window, ssthresh);
        }
    }
}

impl World {
    /// Measuring begins, and with it the first batch.
    pub(crate) fn start_batches(&mut self) {
        if let Some(batches) = &mut self.batches {
            batches.delivered = Some(0);
            self.start_batch();
        }
    }

    fn start_batch(&mut self) {
        // The first is prepared just before.
        let now = self.now.max(self.measure_from);
        let nodes = (0..self.nodes).map(|n| self.node_counters(n)).collect();
        let flows = self.flows.iter().map(crate::flow::Flow::totals).collect();
        let windows = self.flows.iter().map(|flow| match &flow.traffic {
            Traffic::Tcp(tcp) => {
                let mut windows = tcp.windows;
                windows.restart(now.max(flow.start));
                Some(windows)
            }
            Traffic::Cbr(_) => None,
        });
        let windows = windows.collect();
        if let Some(batches) = &mut self.batches {
            batches.since = now;
            (batches.nodes, batches.flows, batches.windows) = (nodes, flows, windows);
        }
    }

    /// Packets reached an application.
    pub(crate) fn count_delivered(&mut self, packets: u64) {
        let now = self.now;
        if let Some(batches) = &mut self.batches
            && let Some(delivered) = &mut batches.delivered
        {
            *delivered += packets;
            if batches.is_full() || batches.is_over() {
                self.agenda.set(batches.slot, now);
            }
        }
    }

    /// A batch is full, and everything that this instant brings has happened.
    pub(crate) fn end_batch(&mut self) {
        let Some(batches) = &self.batches else {
            return;
        };
        if batches.is_over() {
            self.end = self.now;
        }
        if !batches.is_full() {
            return;
        }
        let batch = self.batch(batches);
        if let Some(batches) = &mut self.batches
            && let (Some(size), Some(delivered)) = (batches.size, batches.delivered)
        {
            batches.due = (delivered / size + 1) * size;
            batches.done.push(batch);
        }
        self.start_batch();
    }

    fn batch(&self, batches: &Batches) -> Batch {
        let interval = Interval {
            elapsed: self.now.saturating_since(batches.since),
            nodes: self.counted_since(&batches.nodes),
            flows: (self.flows.iter().zip(&batches.flows))
                .map(|(flow, before)| flow.totals().since(before))
                .collect(),
            windows: batches.windows.clone(),
        };
        let report = self.report(&interval);
        Batch {
            start_s: batches.since.as_secs_f64(),
            end_s: self.now.as_secs_f64(),
            measures: report.network,
            flows: report.flows,
        }
    }
}
