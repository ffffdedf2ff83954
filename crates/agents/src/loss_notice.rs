//! Explicit Loss Notification at a base station (Balakrishnan and Katz 1998): it marks duplicate
//! ACKs that ask for a packet which the wireless link lost, so that the sender repairs it without
//! cutting its window.
//!
//! It remembers which packets came by in order towards the wireless host. Such a packet did not
//! meet congestion before the base station, so a duplicate ACK that asks for it tells of a loss
//! behind it. A packet that first came as the sender's retransmission had been lost before: ACKs that
//! ask for it are never marked. It keeps no copies and sends nothing (that is [`crate::Snoop`]),
//! and it cannot know whether the sender heeds the mark.
//!
//! Invariant: an ACK is marked only if the packet that it asks for came by in order, and was
//! accepted by the queue of the wireless link.

use crate::Verdict;
use crate::held::{Held, MARK, NUMBER};
use acklab_base::{FlowId, Seq32};
use acklab_wire::{Body, Packet, Segment};
use std::collections::VecDeque;

/// Parameters of the notifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossNotifierConfig {
    /// Packets that are remembered for one connection.
    pub memory: usize,
}

impl Default for LossNotifierConfig {
    /// As many as Snoop keeps.
    fn default() -> Self {
        Self { memory: 100 }
    }
}

/// A packet that went towards the wireless host.
#[derive(Clone, Copy, Debug)]
struct Seen {
    seq: Seq32,
    end: Seq32,
    /// It did not come in order: congestion took it once.
    late: bool,
}

#[derive(Clone, Debug, Default)]
struct Connection {
    /// Ascending, beyond `acked`.
    seen: VecDeque<Seen>,
    /// The highest ACK of the wireless host.
    acked: Option<Seq32>,
    /// The end of the highest data seen.
    highest: Option<Seq32>,
}

impl Connection {
    fn on_data(&mut self, segment: &Segment, memory: usize) {
        let (seq, end) = (segment.seq, segment.end());
        let acked = *self.acked.get_or_insert(seq);
        let is_new = self.highest.is_none_or(|highest| highest.before(end));
        if is_new {
            self.highest = Some(end);
        }
        let place = self.seen.partition_point(|seen| seen.seq.before(seq));
        let known = self.seen.get(place).is_some_and(|seen| seen.seq == seq);
        if acked.before(end) && !known && self.seen.len() < memory {
            let late = !is_new;
            self.seen.insert(place, Seen { seq, end, late });
        }
    }

    fn on_ack(&mut self, ack: Seq32) -> Verdict {
        match self.acked {
            Some(acked) if acked == ack => match self.seen.front() {
                Some(first) if first.seq == ack && !first.late => Verdict::Mark,
                _ => Verdict::Pass,
            },
            Some(acked) if ack.before(acked) => Verdict::Pass,
            _ => {
                self.acked = Some(ack);
                while self.seen.front().is_some_and(|seen| !ack.before(seen.end)) {
                    self.seen.pop_front();
                }
                Verdict::Pass
            }
        }
    }
}

/// The notifier on one interface of one base station.
#[derive(Clone, Debug)]
pub struct LossNotifier {
    config: LossNotifierConfig,
    /// By flow.
    connections: Vec<(FlowId, Connection)>,
}

impl LossNotifier {
    /// A notifier that has seen nothing.
    #[must_use]
    pub const fn new(config: LossNotifierConfig) -> Self {
        Self {
            config,
            connections: Vec::new(),
        }
    }

    /// A packet for the wireless host was accepted by the interface's queue.
    pub fn on_forward(&mut self, packet: &Packet) {
        let Body::Tcp(segment) = &packet.body else {
            return;
        };
        if !segment.forward {
            return;
        }
        if segment.flags.syn {
            // Another connection begins: its data begins behind the SYN.
            *self.connection(segment.flow) = Connection {
                acked: Some(segment.end()),
                ..Connection::default()
            };
        }
        if segment.len > 0 {
            let memory = self.config.memory;
            self.connection(segment.flow).on_data(segment, memory);
        }
    }

    /// A packet from the wireless host is about to go on.
    pub fn on_return(&mut self, packet: &Packet) -> Verdict {
        match &packet.body {
            Body::Tcp(segment) if !segment.forward && segment.is_pure_ack() => {
                self.connection(segment.flow).on_ack(segment.ack)
            }
            _ => Verdict::Pass,
        }
    }

    /// What it holds: two numbers of each connection, two and a mark of each packet; no data.
    #[must_use]
    pub fn held(&self) -> Held {
        let all = self.connections.iter();
        let seen: usize = all.map(|(_, connection)| connection.seen.len()).sum();
        let connections = self.connections.len() as u64;
        Held {
            data: 0,
            notes: connections * 2 * NUMBER + seen as u64 * (2 * NUMBER + MARK),
        }
    }

    fn connection(&mut self, flow: FlowId) -> &mut Connection {
        let known = self.connections.binary_search_by_key(&flow, |(id, _)| *id);
        let place = known.unwrap_or_else(|place| {
            self.connections
                .insert(place, (flow, Connection::default()));
            place
        });
        &mut self.connections[place].1
    }
}
