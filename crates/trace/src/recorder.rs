//! The recorder: what happened, when and where, kept in memory up to a stated limit.
//!
//! It exists only when somebody listens; the world holds an `Option` of it. It listens and never
//! answers, save for the number that names a frame. The one invariant: what is kept is a prefix
//! of what it was told (a station tells of receptions a little later than they are), and [`Recorder::truncated_at`] says whether there was more.

use crate::event::{Event, Reception};
use crate::ip_pcap;
use crate::json_lines;
use crate::pcapng::{self, CaptureOptions};
use acklab_base::{Instant, NodeId};
use acklab_wire::aodv::Message;
use acklab_wire::{Body, Frame, Packet, Payload};
use std::io;

/// The two ends of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowEnds {
    /// Where its data comes from.
    pub from: NodeId,
    /// Where its data goes.
    pub to: NodeId,
}

/// What the recorder must know about the run.
#[derive(Clone, Debug)]
pub struct RecorderConfig {
    /// Number of nodes.
    pub nodes: u32,
    /// The ends of each flow, by number.
    pub flows: Vec<FlowEnds>,
    /// Carrier frequency, in MHz.
    pub frequency_mhz: u16,
    /// The weakest signal that a node can decode, in dBm: a collided frame above it was lost to
    /// the collision, one below it would not have been decoded anyway.
    pub receive_threshold_dbm: f64,
    /// Bytes of memory that records may take; see [`Recorder::truncated_at`].
    pub memory_limit: usize,
}

impl RecorderConfig {
    /// The default of `memory_limit`: 512 MiB, some twenty simulated minutes of a busy 9-node chain.
    pub const MEMORY_LIMIT: usize = 512 << 20;

    /// The papers' radio (914 MHz, 3.652e-10 W = −64.4 dBm) with the default limit.
    #[must_use]
    pub const fn new(nodes: u32, flows: Vec<FlowEnds>) -> Self {
        Self {
            nodes,
            flows,
            frequency_mhz: 914,
            receive_threshold_dbm: -64.375,
            memory_limit: Self::MEMORY_LIMIT,
        }
    }
}

/// One thing that the recorder was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) at: Instant,
    pub(crate) node: NodeId,
    pub(crate) what: What,
}

/// What kind of thing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// The node began to send this frame.
    Sent { frame: u32 },
    /// A frame's reception ended.
    Received {
        frame: u32,
        outcome: Reception,
        signal_dbm: f64,
    },
    /// Anything else.
    Event(Event),
}

/// A frame on the air, with its start and its sender.
#[derive(Clone, Debug)]
pub(crate) struct SentFrame {
    pub(crate) at: Instant,
    pub(crate) node: NodeId,
    pub(crate) frame: Frame,
}

/// The recorder.
#[derive(Clone, Debug)]
pub struct Recorder {
    config: RecorderConfig,
    records: Vec<Record>,
    frames: Vec<SentFrame>,
    memory: usize,
    truncated_at: Option<Instant>,
}

impl Recorder {
    /// The number given to a frame that was not kept. Telling the recorder about such a frame's
    /// receptions is right and does nothing.
    pub const NOT_KEPT: u32 = u32::MAX;

    /// A recorder that has heard nothing yet.
    #[must_use]
    pub const fn new(config: RecorderConfig) -> Self {
        Self {
            config,
            records: Vec::new(),
            frames: Vec::new(),
            memory: 0,
            truncated_at: None,
        }
    }

    /// A node begins to send a frame. Returns the number that names it in [`Recorder::reception`].
    pub fn frame_sent(&mut self, at: Instant, node: NodeId, frame: &Frame) -> u32 {
        if !self.admit(at, size_of::<SentFrame>() + heap_bytes(frame)) {
            return Self::NOT_KEPT;
        }
        let number = self.frames.len() as u32;
        self.frames.push(SentFrame {
            at,
            node,
            frame: frame.clone(),
        });
        self.records.push(Record {
            at,
            node,
            what: What::Sent { frame: number },
        });
        number
    }

    /// The reception of a frame ends at a node.
    pub fn reception(
        &mut self,
        end: Instant,
        node: NodeId,
        frame: u32,
        outcome: Reception,
        signal_dbm: f64,
    ) {
        if frame != Self::NOT_KEPT && self.admit(end, 0) {
            let what = What::Received {
                frame,
                outcome,
                signal_dbm,
            };
            self.records.push(Record {
                at: end,
                node,
                what,
            });
        }
    }

    /// Something else happens at a node.
    pub fn event(&mut self, at: Instant, node: NodeId, event: Event) {
        if self.admit(at, 0) {
            self.records.push(Record {
                at,
                node,
                what: What::Event(event),
            });
        }
    }

    /// The run is over: what lies behind its end is forgotten. A station may have told how the reception
    /// of a frame would end that it cannot receive.
    pub fn end_at(&mut self, end: Instant) {
        self.records.retain(|record| record.at <= end);
    }

    /// When the first record came that no longer fitted into the memory limit; from then on
    /// nothing was kept. `None` if everything was kept.
    #[must_use]
    pub const fn truncated_at(&self) -> Option<Instant> {
        self.truncated_at
    }

    /// Whether something was not kept because the memory limit was reached.
    #[must_use]
    pub const fn is_truncated(&self) -> bool {
        self.truncated_at.is_some()
    }

    /// Number of records kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Writes the air as pcapng: one interface per node, link type 127 (radiotap + 802.11).
    pub fn write_pcapng(&self, out: impl io::Write) -> io::Result<()> {
        self.write_pcapng_with(CaptureOptions::default(), out)
    }

    /// The same with a choice of what is written.
    pub fn write_pcapng_with(
        &self,
        options: CaptureOptions,
        out: impl io::Write,
    ) -> io::Result<()> {
        pcapng::write(self, options, io::BufWriter::new(out))
    }

    /// Writes what TCP and UDP sent and received at `node` as a classic pcap of raw IP packets.
    pub fn write_ip_pcap(&self, node: NodeId, out: impl io::Write) -> io::Result<()> {
        ip_pcap::write(self, node, io::BufWriter::new(out))
    }

    /// Writes every record as one JSON object a line.
    pub fn write_events(&self, out: impl io::Write) -> io::Result<()> {
        json_lines::write(self, io::BufWriter::new(out))
    }

    pub(crate) const fn config(&self) -> &RecorderConfig {
        &self.config
    }

    /// The frame of that number. Panics on a number that this recorder did not give out.
    pub(crate) fn frame(&self, number: u32) -> &SentFrame {
        &self.frames[number as usize]
    }

    pub(crate) fn frames(&self) -> &[SentFrame] {
        &self.frames
    }

    /// All records by time, then node, then arrival: nodes may have been settled lazily, each at
    /// its own pace.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &Record> {
        let mut order: Vec<u32> = (0..self.records.len() as u32).collect();
        order.sort_by_key(|&index| {
            let record = &self.records[index as usize];
            (record.at, record.node)
        });
        order.into_iter().map(|index| &self.records[index as usize])
    }

    /// Whether one more record, with `extra` bytes beside it, may be kept.
    fn admit(&mut self, at: Instant, extra: usize) -> bool {
        if self.truncated_at.is_some() {
            return false;
        }
        // Four bytes a record are the index that sorting takes.
        self.memory += size_of::<Record>() + size_of::<u32>() + extra;
        if self.memory > self.config.memory_limit || self.records.len() >= Self::NOT_KEPT as usize {
            self.truncated_at = Some(at);
            return false;
        }
        true
    }
}

/// Bytes that a frame keeps on the heap.
fn heap_bytes(frame: &Frame) -> usize {
    let Some(payload) = &frame.payload else {
        return 0;
    };
    let boxed = match payload {
        Payload::Pair(pair) => size_of_val(&**pair),
        Payload::Ip(_) | Payload::Arp(_) => 0,
    };
    boxed + payload.packets().map(packet_heap_bytes).sum::<usize>()
}

/// Bytes that a packet keeps on the heap.
fn packet_heap_bytes(packet: &Packet) -> usize {
    match &packet.body {
        Body::Aodv(Message::Error(lost)) if lost.spilled() => size_of_val(&lost[..]),
        Body::Dsdv(update) => size_of_val(&*update.entries),
        Body::Dsr(message) => {
            let header = &message.header;
            size_of_val(&**message)
                + size_of_val(&*header.errors)
                + size_of_val(&*header.unknown_flows)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
