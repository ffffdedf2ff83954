//! Snoop (Balakrishnan, Seshan and Katz 1995; vaidya1999 section 4) at a base station: it keeps
//! copies of TCP data on their way to the wireless host, sends them again when that host's
//! duplicate ACKs or a timer say that they were lost, and keeps those ACKs from the sender.
//!
//! It looks at headers of packets that pass and never at a sender's state. It is no split
//! connection: it makes no ACK of its own. A packet that did not come from upstream in order
//! ("the sender sent it again") is flagged, and duplicate ACKs for it pass: the sender, not
//! Snoop, repairs congestion.
//!
//! Invariant: a duplicate ACK is suppressed only while the packet that it asks for is in the
//! cache; and with clean Snoop only while that packet is unflagged. ns-2's counts the ones that it
//! expects behind a hole it filled, and suppresses so many even if the sender fills it too.

mod connection;
mod round_trip;

use crate::{Held, Verdict};
use acklab_base::{Duration, FlowId, Instant};
use acklab_wire::{Body, Packet};
use connection::Connection;
use std::collections::VecDeque;
use std::ops::Add;

/// Parameters of Snoop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnoopConfig {
    /// Packets that are kept for one connection.
    pub cache: usize,
    /// Least value of the local timer, and its value before the first sample.
    pub min_timer: Duration,
    /// Where clean Snoop and that of ns-2 differ.
    pub rules: Rules,
}

/// Rules in which implementations differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// How the round trip is smoothed.
    pub timing: Timing,
    /// Duplicate ACKs that pass before one is acted upon, counted over the whole connection.
    pub passes: u32,
    /// Only as many duplicate ACKs are suppressed as there are packets behind the hole; else all. And one is
    /// answered only if its packet was never sent again, not by the timer either; else if no other was.
    pub counts_expected: bool,
    /// Which retransmissions of the sender restart the local timer.
    pub restarts: Restarts,
    /// A packet that Snoop or the sender sent again gives a round-trip sample too, from the last time.
    pub samples_all: bool,
    /// How often a packet is sent again, unless the sender sends it again itself; nothing: for ever.
    pub tries: Option<u32>,
}

/// Which retransmissions of the sender restart the local timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restarts {
    /// That of the first unacknowledged packet.
    First,
    /// Any.
    Any,
}

/// How samples of the round trip become a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// Jacobson's filter with gains 1/8 and 1/4, empty at first.
    Jacobson,
    /// As ns-2.35's Snoop does it: a new sample has gain 7/8, its deviation from the new mean 1/8.
    Ns2 {
        /// Mean before the first sample.
        mean: Duration,
        /// Mean deviation before the first sample.
        deviation: Duration,
    },
}

impl SnoopConfig {
    /// Snoop as the papers describe it: every duplicate ACK for a cached packet is suppressed, and
    /// the first one is answered by a retransmission.
    #[must_use]
    pub const fn paper() -> Self {
        Self {
            cache: 100,
            min_timer: Duration::from_millis(100),
            rules: Rules {
                timing: Timing::Jacobson,
                passes: 0,
                counts_expected: false,
                restarts: Restarts::First,
                samples_all: false,
                tries: None,
            },
        }
    }

    /// As the Snoop of ns-2.35 behaves.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            cache: 100,
            min_timer: Duration::from_millis(100),
            rules: Rules {
                timing: Timing::Ns2 {
                    mean: Duration::from_millis(100),
                    deviation: Duration::from_millis(250),
                },
                passes: 1,
                counts_expected: true,
                restarts: Restarts::Any,
                samples_all: true,
                tries: Some(10),
            },
        }
    }
}

/// What Snoop hands over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A local retransmission: a packet for the wireless host.
    Transmit {
        /// The packet.
        packet: Packet,
        /// Whether the local timer asked for it, not a duplicate ACK.
        by_timer: bool,
    },
}

/// Snoop on one interface of one base station.
#[derive(Clone, Debug)]
pub struct Snoop {
    config: SnoopConfig,
    /// By flow.
    connections: Vec<(FlowId, Connection)>,
    outputs: VecDeque<Output>,
}

impl Snoop {
    /// A Snoop that has seen nothing.
    #[must_use]
    pub fn new(config: SnoopConfig) -> Self {
        Self {
            config,
            connections: Vec::new(),
            outputs: VecDeque::with_capacity(4),
        }
    }

    /// A packet for the wireless host was accepted by the interface's queue.
    pub fn on_forward(&mut self, now: Instant, packet: &Packet) {
        let Body::Tcp(segment) = &packet.body else {
            return;
        };
        if !segment.forward {
            return;
        }
        if segment.flags.syn {
            self.connection(segment.flow).on_syn(segment);
        }
        if segment.len > 0 {
            let connection = self.connection(segment.flow);
            connection.on_data(now, packet, segment);
        }
    }

    /// A packet from the wireless host is about to go on.
    pub fn on_return(&mut self, now: Instant, packet: &Packet) -> Verdict {
        let Body::Tcp(segment) = &packet.body else {
            return Verdict::Pass;
        };
        if segment.forward || !segment.is_pure_ack() {
            return Verdict::Pass;
        }
        let connection = self.connection(segment.flow);
        let (verdict, retransmission) = connection.on_ack(now, segment);
        self.transmit(retransmission, false);
        verdict
    }

    /// The time of a wake has come.
    pub fn on_wake(&mut self, now: Instant) {
        for place in 0..self.connections.len() {
            let retransmission = self.connections[place].1.on_wake(now);
            self.transmit(retransmission, true);
        }
    }

    /// The next thing that Snoop hands over.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When Snoop must be woken.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let all = self.connections.iter();
        all.map(|(_, connection)| connection.next_wake())
            .min()
            .unwrap_or(Instant::NEVER)
    }

    /// Packets in the cache, over all connections.
    #[must_use]
    pub fn cached(&self) -> usize {
        let all = self.connections.iter();
        all.map(|(_, connection)| connection.cached()).sum()
    }

    /// What it holds, over all connections.
    #[must_use]
    pub fn held(&self) -> Held {
        let all = self.connections.iter();
        all.map(|(_, connection)| connection.held())
            .fold(Held::default(), Held::add)
    }

    fn transmit(&mut self, packet: Option<Packet>, by_timer: bool) {
        let outputs = packet.map(|packet| Output::Transmit { packet, by_timer });
        self.outputs.extend(outputs);
    }

    fn connection(&mut self, flow: FlowId) -> &mut Connection {
        let known = self.connections.binary_search_by_key(&flow, |(id, _)| *id);
        let place = known.unwrap_or_else(|place| {
            let new = Connection::new(self.config);
            self.connections.insert(place, (flow, new));
            place
        });
        &mut self.connections[place].1
    }
}
