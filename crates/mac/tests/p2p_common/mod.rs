//! A link with somebody at each end who writes down what happens.

use acklab_base::{Address, BitRate, Duration, FlowId, Instant, NodeId, Purpose, Seq32, Share};
use acklab_mac::p2p::{
    ArqConfig, Direction, ErrorDraws, ErrorModel, Link, LinkConfig, Lost, Output, Side, Sight,
    Sighting,
};
use acklab_wire::tcp::Flags;
use acklab_wire::{Options, Packet, Segment};

/// The wireless link of vaidya1999 with 1 ms of delay.
pub(crate) const WIRELESS: LinkConfig = LinkConfig {
    rate: BitRate::MBPS_2,
    delay: Duration::from_millis(1),
    queue: 40,
};

pub(crate) fn ms(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Tenths of a millisecond in nanoseconds.
pub(crate) fn tenths(tenths: u64) -> u64 {
    tenths * 100_000
}

/// A TCP data packet of 1000 bytes.
pub(crate) fn data(id: u32) -> Packet {
    packet(id, 960, true)
}

/// A TCP ACK of 40 bytes.
pub(crate) fn ack(id: u32) -> Packet {
    packet(id, 0, false)
}

fn packet(id: u32, len: u32, forward: bool) -> Packet {
    let flags = Flags {
        ack: !forward,
        ..Flags::default()
    };
    let segment = Segment {
        flow: FlowId(0),
        forward,
        seq: Seq32(id * 960),
        ack: Seq32(0),
        flags,
        window: 0,
        len,
        retransmission: false,
        options: Options::NONE,
    };
    Packet::tcp(id, NodeId(0), NodeId(1), 30, segment)
}

/// A link under test.
pub(crate) struct Bench {
    pub(crate) link: Link,
    pub(crate) delivered: Vec<(Instant, Side, u32)>,
    pub(crate) refused: Vec<(Lost, u32)>,
    pub(crate) given_up: Vec<u32>,
    pub(crate) repaired: Vec<(Side, Duration)>,
    pub(crate) sightings: Vec<Sighting>,
}

impl Bench {
    pub(crate) fn new(config: LinkConfig, errors: [ErrorModel; 2], arq: Option<ArqConfig>) -> Self {
        Self::seeded(config, errors, arq, (Share::NONE, Duration::ZERO), 1)
    }

    pub(crate) fn with_data_loss(config: LinkConfig, loss: Share, lasts: Duration) -> Self {
        let none = [ErrorModel::None, ErrorModel::None];
        Self::seeded(config, none, None, (loss, lasts), 1)
    }

    pub(crate) fn seeded(
        config: LinkConfig,
        errors: [ErrorModel; 2],
        arq: Option<ArqConfig>,
        (data_loss, data_loss_lasts): (Share, Duration),
        seed: u64,
    ) -> Self {
        let mut node = 0;
        let ways = errors.map(|errors| {
            let open = |purpose| {
                let node = NodeId(node);
                Address {
                    seed,
                    run: 0,
                    node,
                    purpose,
                }
                .open()
            };
            let way = Direction {
                data_loss,
                data_loss_lasts,
                losses: open(Purpose::CongestionLoss),
                errors,
                draws: ErrorDraws {
                    fates: open(Purpose::LinkErrors),
                    bursts: open(Purpose::LinkBursts),
                },
                arq,
            };
            node += 1;
            way
        });
        Self {
            link: Link::new(&config, ways),
            delivered: Vec::new(),
            refused: Vec::new(),
            given_up: Vec::new(),
            repaired: Vec::new(),
            sightings: Vec::new(),
        }
    }

    /// Hands a packet over at `at`, after everything that happens before.
    pub(crate) fn send(&mut self, at: Instant, side: Side, packet: Packet) {
        self.run(at);
        if let Err(refused) = self.link.on_send(at, side, packet) {
            self.refused.push((refused.why, refused.packet.id));
        }
        self.drain(at);
    }

    /// Wakes the link although it may not have asked for it.
    pub(crate) fn wake(&mut self, at: Instant) {
        self.run(at);
        self.link.on_wake(at);
        self.drain(at);
    }

    /// Runs to `until`, included.
    pub(crate) fn run(&mut self, until: Instant) {
        while self.link.next_wake() <= until {
            let now = self.link.next_wake();
            self.link.on_wake(now);
            self.drain(now);
        }
    }

    pub(crate) fn arrivals(&self, at_side: Side) -> Vec<u64> {
        let mine = self
            .delivered
            .iter()
            .filter(|(_, side, _)| *side == at_side);
        mine.map(|(at, _, _)| at.as_nanos()).collect()
    }

    pub(crate) fn seen(&self, sight: Sight, side: Side) -> usize {
        let mut all = self.sightings.iter();
        all.by_ref()
            .filter(|s| s.sight == sight && s.side == side)
            .count()
    }

    fn drain(&mut self, now: Instant) {
        while let Some(output) = self.link.poll() {
            match output {
                Output::Deliver { side, packet } => self.delivered.push((now, side, packet.id)),
                Output::GivenUp { packet, .. } => self.given_up.push(packet.id),
                Output::Repaired { side, after } => self.repaired.push((side, after)),
                Output::Seen(sighting) => self.sightings.push(*sighting),
            }
        }
    }
}
