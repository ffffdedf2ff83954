//! Short transfers: one TCP connection at a time, each for one file, with pauses between them
//! (altman2003 §4.1).
//!
//! A transfer is over when its last ACK has reached the source; after the pause the next one opens
//! with a sender and a receiver that know nothing of the one before. Its sequence numbers begin
//! behind those of the last one, as RFC 9293 §3.4.1 wants it, so what is still on its way from an
//! earlier connection is told apart and goes nowhere (ns-2's new agents have new ports for that).
//!
//! Invariant: each transfer takes exactly one draw of a size and one of a pause, so the k-th ones
//! are the same under every scheme.

use crate::convert;
use acklab_base::{Duration, FlowId, Instant, Seq32, Stream};
use acklab_scenario::{self as scenario, PauseLaw, SizeLaw};
use acklab_tcp::ack::AckPolicy;
use acklab_tcp::{Receiver, ReceiverConfig, Sender, SenderConfig};
use acklab_wire::Segment;
use serde::Serialize;

/// The transfers of one flow, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionSamples {
    /// The flow, numbered as in the scenario.
    pub flow: usize,
    /// When each transfer was opened, in seconds since the start of the run.
    pub start_s: Vec<f64>,
    /// Its size in bytes, as sent.
    pub bytes: Vec<u64>,
    /// From opening to the last ACK at the source, in seconds; `None` if the run ended before.
    pub delay_s: Vec<Option<f64>>,
}

/// Where the user stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Nothing is under way; the next transfer opens at the instant.
    Pausing { until: Instant },
    /// A transfer is under way.
    Open { since: Instant },
}

/// A user who fetches one file after the other.
#[derive(Debug)]
pub(crate) struct Sessions {
    options: scenario::Sessions,
    flow: FlowId,
    /// How far the source's clock is into its tick at time zero.
    phase: Duration,
    sizes: Stream,
    pauses: Stream,
    stage: Stage,
    /// Sequence number of the SYN of the last connection.
    iss: Seq32,
    /// Size of the last transfer.
    bytes: u64,
    /// Packets that earlier connections had acknowledged.
    pub(crate) acked_before: u64,
    pub(crate) samples: SessionSamples,
    /// The ACK policy of one's own, as each receiver gets a copy of it.
    policy: Option<Box<dyn AckPolicy>>,
}

impl Sessions {
    /// The first transfer opens at `start`.
    pub(crate) fn new(
        flow: FlowId,
        options: scenario::Sessions,
        phase: Duration,
        start: Instant,
        (sizes, pauses): (Stream, Stream),
        policy: Option<Box<dyn AckPolicy>>,
    ) -> Self {
        Self {
            options,
            flow,
            phase,
            sizes,
            pauses,
            stage: Stage::Pausing { until: start },
            iss: Seq32(0),
            bytes: 0,
            acked_before: 0,
            samples: SessionSamples {
                flow: flow.index(),
                ..SessionSamples::default()
            },
            policy,
        }
    }

    /// When the next transfer opens; `None` while one is under way.
    pub(crate) fn opens_at(&self) -> Option<Instant> {
        match self.stage {
            Stage::Pausing { until } => Some(until),
            Stage::Open { .. } => None,
        }
    }

    /// Opens a transfer: both ends, fresh, and how many bytes the sender is to send.
    pub(crate) fn open(&mut self, now: Instant) -> (Sender, Receiver, u64) {
        if !self.samples.bytes.is_empty() {
            // Behind the SYN, the data, and one number to spare.
            self.iss = self.iss.add((self.bytes + 2) as u32);
        }
        self.bytes = self.draw_size();
        self.stage = Stage::Open { since: now };
        self.samples.start_s.push(now.as_secs_f64());
        self.samples.bytes.push(self.bytes);
        self.samples.delay_s.push(None);
        let connection = &self.options.connection;
        let sender = Sender::new(SenderConfig {
            iss: self.iss,
            ..convert::sender(self.flow, connection, self.phase)
        });
        let receiver = Receiver::new(ReceiverConfig {
            peer_iss: self.iss,
            ..convert::receiver(self.flow, connection, self.policy.clone())
        });
        (sender, receiver, self.bytes)
    }

    /// The last ACK is here: the transfer's delay. The pause begins.
    pub(crate) fn close(&mut self, now: Instant) -> Duration {
        let Stage::Open { since } = self.stage else {
            unreachable!("only an open transfer ends")
        };
        let delay = now - since;
        if let Some(last) = self.samples.delay_s.last_mut() {
            *last = Some(delay.as_secs_f64());
        }
        self.acked_before += self.packets(self.bytes);
        let until = now + self.draw_pause();
        self.stage = Stage::Pausing { until };
        delay
    }

    /// Whether a segment belongs to the last connection, not to an earlier one.
    pub(crate) fn owns(&self, segment: &Segment) -> bool {
        let (number, first) = if segment.forward {
            (segment.seq, self.iss)
        } else {
            (segment.ack, self.iss.add(1))
        };
        u64::from(number.since(first)) <= self.bytes
    }

    /// Packets of this flow that are acknowledged; `acked` are the bytes of the last connection.
    pub(crate) fn acked_packets(&self, acked: u64) -> u64 {
        match self.stage {
            Stage::Open { .. } => self.acked_before + self.packets(acked),
            Stage::Pausing { .. } => self.acked_before,
        }
    }

    fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.options.connection.sender.packet))
    }

    fn draw_size(&mut self) -> u64 {
        let packet = u64::from(self.options.connection.sender.packet);
        let drawn = match self.options.size {
            SizeLaw::Constant(bytes) => u64::from(bytes),
            SizeLaw::Pareto { mean, shape } => {
                let least = f64::from(mean) * (shape - 1.0) / shape;
                // A file has at least a byte; the cast saturates, far above any run's length.
                (self.sizes.pareto(least, shape) as u64).max(1)
            }
        };
        if self.options.whole_packets {
            drawn.div_ceil(packet).saturating_mul(packet)
        } else {
            drawn
        }
    }

    fn draw_pause(&mut self) -> Duration {
        match self.options.pause {
            PauseLaw::Constant(pause) => pause,
            PauseLaw::Exponential(mean) => {
                let drawn = self.pauses.exponential(mean.as_secs_f64());
                Duration::from_secs_f64(drawn)
            }
        }
    }
}
