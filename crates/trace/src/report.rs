//! Measures out of counters: what a result gives for a node, a flow, and the network.
//!
//! The one invariant: [`NodeReport`], [`FlowReport`] and [`NetworkReport`] give exactly the
//! measures that are declared with their scope, each once, in the order of the table.

use crate::counters::{FlowCounters, NodeCounters};
use crate::measure::{Measure, Pooling, Scope};
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
        "Time spent sending, all kinds of frames",
    ),
    derived(
        "energy_j",
        "J",
        Scope::Node,
        Pooling::Sum,
        "Energy of the radio: sending, receiving, idle",
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
        "Congestion window, mean over time",
    ),
    derived(
        "window_mean",
        "packets",
        Scope::Flow,
        Pooling::Mean,
        "Smaller of congestion and receiver window, mean over time",
    ),
    derived(
        "session_delay_mean_s",
        "s",
        Scope::Flow,
        Pooling::Own,
        "Mean delay of the transfers that were completed; of the network, over all transfers",
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

/// What a radio draws, in watts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Powers {
    /// While sending.
    pub transmit_w: f64,
    /// While receiving or busy with a sensed frame.
    pub receive_w: f64,
    /// While listening to silence.
    pub idle_w: f64,
}

impl Powers {
    /// A node without a radio.
    pub const NO_RADIO: Self = Self {
        transmit_w: 0.0,
        receive_w: 0.0,
        idle_w: 0.0,
    };
}

impl Default for Powers {
    /// A 2 Mbit/s WaveLAN card as measured by Feeney and Nilsson (INFOCOM 2001, table I).
    fn default() -> Self {
        Self {
            transmit_w: 1.327,
            receive_w: 0.967,
            idle_w: 0.843,
        }
    }
}

/// The measures of one node over an interval.
#[derive(Clone, Copy, Debug)]
pub struct NodeReport<'a> {
    /// What was counted in the interval.
    pub counters: &'a NodeCounters,
    /// How long the interval was.
    pub elapsed: Duration,
    /// What the radio draws.
    pub powers: Powers,
}

impl NodeReport<'_> {
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
    /// left out.
    pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
        self.counters.visit(&mut take);
        take(
            "goodput_pps",
            per_second(self.counters.delivered_packets, self.elapsed),
        );
        take("goodput_bps", self.goodput_bps());
        take("active_s", self.active.as_secs_f64());
        let windows = self.windows;
        take("cwnd_max", windows.map_or(0.0, |w| w.cwnd.maximum()));
        take("cwnd_mean", windows.map_or(0.0, |w| w.cwnd.mean(self.end)));
        take(
            "window_mean",
            windows.map_or(0.0, |w| w.window.mean(self.end)),
        );
        if let Some(mean) = session_delay_mean(&[*self]) {
            take("session_delay_mean_s", mean);
        }
    }
}

/// The measures of the network over an interval.
#[derive(Clone, Copy, Debug)]
pub struct NetworkReport<'a> {
    /// All nodes.
    pub nodes: &'a [NodeReport<'a>],
    /// All flows.
    pub flows: &'a [FlowReport<'a>],
}

impl NetworkReport<'_> {
    /// Gives every declared measure to `take`: those of nodes and flows pooled as declared.
    /// A quotient whose denominator is zero is left out.
    pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
        let mut pooled = vec![0.0; crate::MEASURES.len()];
        for node in self.nodes {
            node.visit(|name, value| pool(&mut pooled, name, value, self.nodes.len()));
        }
        for flow in self.flows {
            flow.visit(|name, value| pool(&mut pooled, name, value, self.flows.len()));
        }
        for (measure, value) in crate::MEASURES.iter().zip(pooled) {
            if measure.scope != Scope::Network && measure.pooling != Pooling::Own {
                take(measure.name, value);
            }
        }
        // The one measure of flows that is no sum, mean or maximum; it is declared last of them.
        if let Some(mean) = session_delay_mean(self.flows) {
            take("session_delay_mean_s", mean);
        }
        let packets: u64 = self
            .flows
            .iter()
            .map(|flow| flow.counters.delivered_packets)
            .sum();
        let energy: f64 = self.nodes.iter().map(NodeReport::energy_j).sum();
        if packets > 0 {
            take("energy_per_packet_j", energy / packets as f64);
        }
        if let Some(index) = jain(self.flows.iter().map(FlowReport::goodput_bps)) {
            take("fairness", index);
        }
    }
}

fn pool(pooled: &mut [f64], name: &str, value: f64, members: usize) {
    let place = crate::MEASURES
        .iter()
        .position(|measure| measure.name == name);
    let place = place.expect("a report gives only declared measures");
    match crate::MEASURES[place].pooling {
        Pooling::Sum => pooled[place] += value,
        Pooling::Mean => pooled[place] += value / members as f64,
        Pooling::Maximum => pooled[place] = value.max(pooled[place]),
        Pooling::Own => {}
    }
}

/// The mean delay of the completed transfers of some flows, in seconds.
fn session_delay_mean(flows: &[FlowReport<'_>]) -> Option<f64> {
    let completed: u64 = flows.iter().map(|f| f.counters.sessions_completed).sum();
    let times = flows.iter().map(|f| f.counters.session_time);
    let time = times.fold(Duration::ZERO, |sum, time| sum + time);
    (completed > 0).then(|| time.as_secs_f64() / completed as f64)
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
