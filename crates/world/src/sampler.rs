//! Samples of windows over time, at a constant interval.

use crate::batches::Batch;
use crate::cells::HandoffSample;
use crate::flow::{Flow, Traffic};
use crate::sessions::SessionSamples;
use acklab_base::{Duration, Instant};
use serde::Serialize;

/// What one flow had at the instants of [`Samples::time_s`]; what no flow of its kind has is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowSamples {
    /// Congestion window in packets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cwnd_packets: Vec<f64>,
    /// The smaller of congestion and receiver window, in packets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub window_packets: Vec<f64>,
    /// Packets sent and not acknowledged; a SYN is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flight_packets: Vec<f64>,
    /// Packets delivered (of TCP in order) since the start of the run.
    pub delivered_packets: Vec<u64>,
    /// What a sender of Westwood estimates the path to carry, in packets a second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bandwidth_pps: Vec<f64>,
}

/// Samples of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Samples {
    /// Instants in seconds since the start of the run.
    pub time_s: Vec<f64>,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowSamples>,
    /// Unicast data frames that were on the air, at all nodes together.
    pub data_on_air_frames: Vec<u32>,
    /// The transfers of each flow that has short ones.
    pub sessions: Vec<SessionSamples>,
    /// The handoffs of all mobiles, in order of time.
    pub handoffs: Vec<HandoffSample>,
    /// The whole batches, if they were asked for.
    pub batches: Vec<Batch>,
}

/// Takes samples.
#[derive(Debug)]
pub(crate) struct Sampler {
    interval: Option<Duration>,
    taken: u64,
    /// When the data frames that may still be on the air end.
    on_air: Vec<Instant>,
    pub(crate) samples: Samples,
}

impl Sampler {
    pub(crate) fn new(interval: Option<Duration>) -> Self {
        Self {
            interval,
            taken: 0,
            on_air: Vec::new(),
            samples: Samples::default(),
        }
    }

    /// Gives all samples away, of so many flows.
    pub(crate) fn all(&mut self, flows: usize) -> Samples {
        let mut samples = std::mem::take(&mut self.samples);
        samples.flows.resize(flows, FlowSamples::default());
        samples
    }

    /// When the first sample is due.
    pub(crate) fn first(&self) -> Instant {
        if self.interval.is_some() {
            Instant::ZERO
        } else {
            Instant::NEVER
        }
    }

    /// A unicast data frame is on the air until `end`.
    pub(crate) fn on_data_frame(&mut self, now: Instant, end: Instant) {
        if self.interval.is_some() {
            // There are few at a time, so what has ended is found by looking at all.
            self.on_air.retain(|&other| other > now);
            self.on_air.push(end);
        }
    }

    /// Takes a sample and says when the next is due.
    pub(crate) fn take(&mut self, now: Instant, flows: &[Flow]) -> Instant {
        self.samples.time_s.push(now.as_secs_f64());
        self.on_air.retain(|&end| end > now);
        let on_air = self.on_air.len() as u32;
        self.samples.data_on_air_frames.push(on_air);
        (self.samples.flows).resize(flows.len(), FlowSamples::default());
        for (samples, flow) in self.samples.flows.iter_mut().zip(flows) {
            if let Traffic::Tcp(tcp) = &flow.traffic {
                samples.cwnd_packets.push(tcp.sender.cwnd());
                samples.window_packets.push(tcp.sender.window());
                samples.flight_packets.push(tcp.sender.flight());
                samples
                    .bandwidth_pps
                    .extend(tcp.sender.bandwidth_estimate());
            }
            samples
                .delivered_packets
                .push(flow.counters.delivered_packets);
        }
        self.taken += 1;
        match self.interval {
            Some(interval) => Instant::ZERO + interval * self.taken,
            None => Instant::NEVER,
        }
    }
}
