//! Measures out of counters: what a result gives for a node, a flow, and the network.
//!
//! The one invariant: [`NodeReport`], [`FlowReport`] and [`NetworkReport`] give exactly the
//! measures that are declared with their scope, each once, in the order of the table.

use crate::counters::{FlowCounters, NodeCounters};
use crate::measure::{Measure, Pooling, Scope};
use crate::powers::Powers;
use crate::window::WindowMeter;
use acklab_base::{Duration, Instant};

const fn derived(
    name: &'static str,
    unit: &'static str,
    scope: Scope,
    pooling: Pooling,
    what: &'static str,
) -> Measure {
    Measure {
        name,
        unit,
        scope,
        pooling,
        what,
    }
}

/// Measures of a node that are computed from counters.
pub const NODE_DERIVED: &[Measure] = &[
    derived(
        "airtime_s",
        "s",
        Scope::Node,
        Pooling::Sum,
        "Time spent sending, all kinds of frames; a frame counts whole when it begins",
    ),
    derived(
        "energy_j",
        "J",
        Scope::Node,
        Pooling::Sum,
        "Energy of the radio: sending (a frame counts whole when it begins), receiving, idle",
    ),
    derived(
        "drop_probability",
        "1",
        Scope::Node,
        Pooling::Own,
        "Share of the unicast packets taken up by the MAC that it gave up at a retry limit; of the network, of those of all nodes",
    ),
    derived(
        "attempt_failure_probability",
        "1",
        Scope::Node,
        Pooling::Own,
        "Share of the attempts to send a unicast packet that no CTS or no 802.11 ACK answered; of the network, of those of all nodes",
    ),
];

/// Measures of a flow that are computed from counters and windows.
pub const FLOW_DERIVED: &[Measure] = &[
    derived(
        "goodput_pps",
        "packets/s",
        Scope::Flow,
        Pooling::Sum,
        "Delivered packets per second of the measured interval",
    ),
    derived(
        "goodput_bps",
        "bit/s",
        Scope::Flow,
        Pooling::Sum,
        "Delivered payload bits per second of the measured interval",
    ),
    derived(
        "active_s",
        "s",
        Scope::Flow,
        Pooling::Mean,
        "Time from the flow's start to the end, within the measured interval",
    ),
    derived(
        "cwnd_max",
        "packets",
        Scope::Flow,
        Pooling::Maximum,
        "Largest congestion window",
    ),
    derived(
        "cwnd_mean",
        "packets",
        Scope::Flow,
        Pooling::Mean,
        "Congestion window, mean over the time from the flow's start on; of the network, over its TCP flows; of short transfers, pauses included",
    ),
    derived(
        "window_mean",
        "packets",
        Scope::Flow,
        Pooling::Mean,
        "Smaller of congestion and receiver window, mean over that time",
    ),
    derived(
        "slow_start_share",
        "1",
        Scope::Flow,
        Pooling::Mean,
        "Share of that time in which the congestion window is below the slow-start threshold",
    ),
    derived(
        "small_window_share",
        "1",
        Scope::Flow,
        Pooling::Mean,
        "Share of that time in which that smaller window is below 4 packets",
    ),
    derived(
        "session_delay_mean_s",
        "s",
        Scope::Flow,
        Pooling::Own,
        "Mean delay of the transfers that were completed; of the network, over all transfers",
    ),
    derived(
        "delay_mean_s",
        "s",
        Scope::Flow,
        Pooling::Own,
        "Mean one-way delay of the datagrams delivered (UDP); of the network, over all of them",
    ),
    derived(
        "retransmissions_per_packet",
        "1",
        Scope::Flow,
        Pooling::Own,
        "Packets that the transport sent again, per packet delivered; of the network, of the sums",
    ),
];

/// Measures that only the network as a whole has.
pub const NETWORK_DERIVED: &[Measure] = &[
    derived(
        "energy_per_packet_j",
        "J/packet",
        Scope::Network,
        Pooling::Sum,
        "Energy of all radios per delivered packet",
    ),
    derived(
        "fairness",
        "1",
        Scope::Network,
        Pooling::Sum,
        "Jain's index of the flows' goodput: 1 is equal, 1/flows is one takes all",
    ),
];

/// The measures of one node over an interval.
#[derive(Clone, Copy, Debug)]
pub struct NodeReport {
    /// What was counted in the interval.
    pub counters: NodeCounters,
    /// How long the interval was.
    pub elapsed: Duration,
    /// What the radio draws.
    pub powers: Powers,
}

impl NodeReport {
    /// Energy of the radio, in joules.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        let (sending, receiving) = (self.counters.airtime(), self.counters.receiving);
        let idle = self
            .elapsed
            .saturating_sub(sending)
            .saturating_sub(receiving);
        self.powers.transmit_w * sending.as_secs_f64()
            + self.powers.receive_w * receiving.as_secs_f64()
            + self.powers.idle_w * idle.as_secs_f64()
    }

    /// Gives each measure's name and value to `take`.
    pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
        self.counters.visit(&mut take);
        take("airtime_s", self.counters.airtime().as_secs_f64());
        take("energy_j", self.energy_j());
        for (name, quotient) in node_quotients(&self.counters) {
            if let Some(value) = quotient {
                take(name, value);
            }
        }
    }
}

/// The measures of one flow over an interval.
#[derive(Clone, Copy, Debug)]
pub struct FlowReport<'a> {
    /// What was counted in the interval.
    pub counters: &'a FlowCounters,
    /// The sender's windows, started at the interval's beginning; a UDP flow has none.
    pub windows: Option<&'a WindowMeter>,
    /// The interval's end.
    pub end: Instant,
    /// How long the interval was.
    pub elapsed: Duration,
    /// How long the flow was active in it: from its start, if that is later.
    pub active: Duration,
}

impl FlowReport<'_> {
    /// Delivered payload bits per second.
    #[must_use]
    pub fn goodput_bps(&self) -> f64 {
        per_second(self.counters.delivered_bytes * 8, self.elapsed)
    }

    /// Gives each measure's name and value to `take`. A quotient whose denominator is zero is
    /// left out, and so are the windows of a flow that has none.
    pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
        self.counters.visit(&mut take);
        take(
            "goodput_pps",
            per_second(self.counters.delivered_packets, self.elapsed),
        );
        take("goodput_bps", self.goodput_bps());
        take("active_s", self.active.as_secs_f64());
        if let Some(windows) = self.windows {
            take("cwnd_max", windows.cwnd.maximum());
            take("cwnd_mean", windows.cwnd.mean(self.end));
            take("window_mean", windows.window.mean(self.end));
            take("slow_start_share", windows.slow_start.mean(self.end));
            take("small_window_share", windows.small.mean(self.end));
        }
        for (name, quotient) in flow_quotients(&[*self]) {
            if let Some(value) = quotient {
                take(name, value);
            }
        }
    }
}

/// The measures of the network over an interval.
#[derive(Clone, Copy)]
pub struct NetworkReport<'a> {
    /// How many nodes there are.
    pub nodes: usize,
    /// The report of each: made when it is asked for, since those of many nodes take much room.
    pub node: &'a dyn Fn(usize) -> NodeReport,
    /// All flows.
    pub flows: &'a [FlowReport<'a>],
}

impl NetworkReport<'_> {
    /// Gives every declared measure to `take`: those of nodes and flows pooled as declared.
    /// A quotient whose denominator is zero is left out, and so is a mean or a maximum over none.
    pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
        let mut pooled = Pooled::new();
        let (mut all, mut energy) = (NodeCounters::default(), 0.0);
        for node in (0..self.nodes).map(self.node) {
            pooled.place = 0;
            node.visit(|name, value| pooled.add(name, value));
            all += &node.counters;
            energy += node.energy_j();
        }
        for flow in self.flows {
            pooled.place = 0;
            flow.visit(|name, value| pooled.add(name, value));
        }
        let quotients = node_quotients(&all);
        let mut quotients = quotients.into_iter().chain(flow_quotients(self.flows));
        for (measure, (value, members)) in crate::MEASURES.iter().zip(pooled.values) {
            if measure.scope == Scope::Network {
                continue;
            }
            let value = match measure.pooling {
                // In the order of the table, as the quotients are.
                Pooling::Own => quotients.next().and_then(|(_, quotient)| quotient),
                Pooling::Mean | Pooling::Maximum if members == 0 => None,
                Pooling::Mean => Some(value / members as f64),
                _ => Some(value),
            };
            if let Some(value) = value {
                take(measure.name, value);
            }
        }
        let packets: u64 = self
            .flows
            .iter()
            .map(|flow| flow.counters.delivered_packets)
            .sum();
        if packets > 0 {
            take("energy_per_packet_j", energy / packets as f64);
        }
        if let Some(index) = jain(self.flows.iter().map(FlowReport::goodput_bps)) {
            take("fairness", index);
        }
    }
}

/// Measures of nodes and flows as they become figures of the network.
struct Pooled {
    /// The sum or the maximum of each measure, and of how many that is.
    values: Vec<(f64, usize)>,
    /// Where the measure stands in the table that was added last.
    place: usize,
}

impl Pooled {
    fn new() -> Self {
        let values = vec![(0.0, 0); crate::MEASURES.len()];
        Self { values, place: 0 }
    }

    /// Adds a measure of one node or flow. They come in the order of the table.
    fn add(&mut self, name: &str, value: f64) {
        let mut rest = crate::MEASURES[self.place..].iter();
        let further = rest.position(|measure| measure.name == name);
        self.place += further.expect("a report gives only declared measures, in their order");
        let (pooled, members) = &mut self.values[self.place];
        *members += 1;
        match crate::MEASURES[self.place].pooling {
            Pooling::Sum | Pooling::Mean => *pooled += value,
            Pooling::Maximum => *pooled = value.max(*pooled),
            Pooling::Own => {}
        }
    }
}

/// The quotients of a node's counters, or of a network's, in the order of the table.
fn node_quotients(counters: &NodeCounters) -> [(&'static str, Option<f64>); 2] {
    let failed = counters.missing_cts + counters.missing_ack;
    // A slotted radio counts its hops apart.
    let taken_up = counters.unicast_done + counters.slot_hops + counters.retry_drops;
    let attempts = counters.unicast_done + failed;
    [
        ("drop_probability", share(counters.retry_drops, taken_up)),
        ("attempt_failure_probability", share(failed, attempts)),
    ]
}

/// The quotients of some flows' counters, in the order of the table.
fn flow_quotients(flows: &[FlowReport<'_>]) -> [(&'static str, Option<f64>); 3] {
    let mut all = FlowCounters::default();
    let mut datagrams = 0;
    for flow in flows {
        all += flow.counters;
        if flow.windows.is_none() {
            datagrams += flow.counters.delivered_packets;
        }
    }
    let mean = |time: Duration, count: u64| (count > 0).then(|| time.as_secs_f64() / count as f64);
    [
        (
            "session_delay_mean_s",
            mean(all.session_time, all.sessions_completed),
        ),
        ("delay_mean_s", mean(all.datagram_delay, datagrams)),
        (
            "retransmissions_per_packet",
            share(all.retransmissions, all.delivered_packets - datagrams),
        ),
    ]
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    if elapsed == Duration::ZERO {
        0.0
    } else {
        count as f64 / elapsed.as_secs_f64()
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe 1984); `None` if all shares are zero or there are
/// none.
#[must_use]
pub fn jain(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut members, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for share in shares {
        members += 1.0;
        sum += share;
        squares += share * share;
    }
    if squares > 0.0 {
        Some(sum * sum / (members * squares))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
