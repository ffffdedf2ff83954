//! A cell with somebody who writes down what happens.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Share, Stream};
use acklab_mac::{Cell, CellConfig, CellMobile, CellOutput, DcfConfig};
use acklab_wire::tcp::Datagram;
use acklab_wire::{FrameHeader, FrameKind, Packet};

/// The station.
pub(crate) const STATION: NodeId = NodeId(1);

/// The mobiles are the nodes from here on.
pub(crate) const fn mobile(which: u32) -> NodeId {
    NodeId(10 + which)
}

/// The address of a node's backoffs, and of errors toward and from it.
pub(crate) fn stream(seed: u64, node: NodeId, purpose: Purpose) -> Stream {
    Address {
        seed,
        run: 0,
        node,
        purpose,
    }
    .open()
}

/// What a station draws, in slots: it knows the bits of its next draw beforehand.
pub(crate) struct Slots {
    draws: Stream,
    window: u32,
}

impl Slots {
    pub(crate) fn new(seed: u64, node: NodeId, window: u32) -> Self {
        let draws = stream(seed, node, Purpose::Backoff);
        Self { draws, window }
    }

    /// The time of the next backoff.
    pub(crate) fn next(&mut self) -> Duration {
        let slots = Stream::scaled(self.draws.bits32(), self.window);
        Duration::from_micros(20) * u64::from(slots)
    }
}

/// A datagram of 1000 bytes of IP.
pub(crate) fn packet(id: u32, from: NodeId, to: NodeId) -> Packet {
    sized(id, 1_000, from, to)
}

pub(crate) fn sized(id: u32, bytes: u32, from: NodeId, to: NodeId) -> Packet {
    let datagram = Datagram {
        flow: FlowId(0),
        number: u64::from(id),
        len: bytes - 20,
        sent: Instant::ZERO,
    };
    Packet::udp(id, from, to, 30, datagram, 20)
}

pub(crate) fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

/// A cell under test.
pub(crate) struct Bench {
    pub(crate) cell: Cell,
    /// When each frame began, and the frame.
    pub(crate) frames: Vec<(Instant, FrameHeader)>,
    /// When packets arrived, where, and which.
    pub(crate) arrived: Vec<(Instant, NodeId, u32)>,
    /// What was given up: by whom, which.
    pub(crate) given_up: Vec<(NodeId, u32)>,
    pub(crate) destroyed: u32,
    pub(crate) collided: u32,
    /// Mobiles whose signal is too weak.
    pub(crate) weak: Vec<NodeId>,
    /// Senders that always have a packet, with the next one's number.
    pub(crate) saturated: Vec<(NodeId, NodeId, u32)>,
}

impl Bench {
    pub(crate) fn new(dcf: DcfConfig, mobiles: u32, loss: Share, seed: u64) -> Self {
        let config = CellConfig {
            dcf,
            queue: 5,
            loss,
            delay: Duration::ZERO,
        };
        Self::with(&config, mobiles, seed)
    }

    pub(crate) fn with(config: &CellConfig, mobiles: u32, seed: u64) -> Self {
        let members = (0..mobiles).map(|which| CellMobile {
            node: mobile(which),
            backoff: stream(seed, mobile(which), Purpose::Backoff),
            errors: [0, 1]
                .map(|way| stream(seed, NodeId(100 + 2 * which + way), Purpose::LinkErrors)),
            tuned: true,
        });
        let backoff = stream(seed, STATION, Purpose::Backoff);
        Self {
            cell: Cell::new(config, STATION, backoff, members.collect()),
            frames: Vec::new(),
            arrived: Vec::new(),
            given_up: Vec::new(),
            destroyed: 0,
            collided: 0,
            weak: Vec::new(),
            saturated: Vec::new(),
        }
    }

    /// Everything until then, wakes included.
    pub(crate) fn run(&mut self, until: Instant) {
        loop {
            let now = self.cell.next_wake();
            if now > until {
                return;
            }
            self.wake(now);
        }
    }

    pub(crate) fn wake(&mut self, now: Instant) {
        let weak = &self.weak;
        self.cell.on_wake(now, |node| !weak.contains(&node));
        self.note(now);
    }

    pub(crate) fn send(&mut self, now: Instant, from: NodeId, packet: Packet) -> bool {
        self.run(now);
        let to = packet.destination;
        let sent = self.cell.on_send(now, from, to, packet).is_ok();
        self.note(now);
        sent
    }

    fn note(&mut self, now: Instant) {
        while let Some(output) = self.cell.poll() {
            match output {
                CellOutput::Sent { header, .. } => {
                    self.frames.push((now, header));
                    self.refill(now, &header);
                }
                CellOutput::Deliver { node, packet, .. } => {
                    self.arrived.push((now, node, packet.id));
                }
                CellOutput::GivenUp { node, packet, .. } => self.given_up.push((node, packet.id)),
                CellOutput::Destroyed { .. } => self.destroyed += 1,
                CellOutput::Collided { .. } => self.collided += 1,
                CellOutput::Decoded { .. } => {}
            }
        }
    }

    /// Whoever sends always has another packet waiting.
    fn refill(&mut self, now: Instant, header: &FrameHeader) {
        let ours = |sender: &&mut (NodeId, NodeId, u32)| sender.0 == header.from;
        if let Some((from, to, next)) = self.saturated.iter_mut().find(ours) {
            let one = sized(*next, 1_000, *from, *to);
            if self.cell.on_send(now, *from, *to, one).is_ok() {
                *next += 1;
            }
        }
    }

    /// Begins flows without end, each with two packets.
    pub(crate) fn saturate(&mut self, flows: &[(NodeId, NodeId)]) {
        for (place, &(from, to)) in flows.iter().enumerate() {
            let first = 1_000_000 * place as u32;
            self.saturated.push((from, to, first + 2));
            for id in [first, first + 1] {
                assert!(self.send(Instant::ZERO, from, sized(id, 1_000, from, to)));
            }
        }
    }

    /// How many packets arrived at a node.
    pub(crate) fn arrivals(&self, node: NodeId) -> usize {
        self.arrived.iter().filter(|one| one.1 == node).count()
    }

    /// How many frames of this kind a node sent.
    pub(crate) fn sent(&self, node: NodeId, kind: FrameKind) -> usize {
        let frames = self.frames.iter();
        frames
            .filter(|(_, header)| header.from == node && header.kind == kind)
            .count()
    }

    /// No packet arrived twice at one node.
    pub(crate) fn assert_each_once(&self) {
        let mut seen: Vec<_> = self.arrived.iter().map(|one| (one.1, one.2)).collect();
        seen.sort_unstable();
        let whole = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), whole, "a packet arrived twice");
    }
}
