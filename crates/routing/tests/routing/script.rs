//! A conversation with one AODV node: say what it hears, and read what it does.
//!
//! The node is `n4` of a chain `n0 … n8` unless a test says otherwise. Outputs are compared as lines of
//! text; times are milliseconds. Jitter is switched off where a test does not look at it.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Seq32};
use acklab_routing::{Aodv, AodvConfig, Router, RouterNote, RouterOutput};
use acklab_wire::aodv::{Message, Reply, Request, Unreachable};
use acklab_wire::{Body, Flags, Options, Packet, Segment};

pub(crate) struct Script {
    pub(crate) router: Router,
    node: u32,
    now: Instant,
    said: Vec<(f64, String)>,
    pub(crate) notes: Vec<RouterNote>,
}

pub(crate) fn stream(seed: u64, node: u32) -> acklab_base::Stream {
    Address {
        seed,
        run: 0,
        node: NodeId(node),
        purpose: Purpose::RoutingJitter,
    }
    .open()
}

/// A data packet as it is on its way: `ttl` hops are left.
pub(crate) fn data(id: u32, source: u32, destination: u32, ttl: u8) -> Packet {
    let segment = Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(0),
        ack: Seq32(0),
        flags: Flags::default(),
        window: 0,
        len: 1000,
        retransmission: false,
        options: Options::NONE,
    };
    Packet::tcp(id, NodeId(source), NodeId(destination), ttl, segment)
}

/// The request number `id` of `origin` after `hops` hops, with both sequence numbers.
pub(crate) fn request(id: u32, origin: (u32, u32), destination: (u32, u32), hops: u8) -> Request {
    Request {
        hop_count: hops,
        broadcast_id: id,
        destination: NodeId(destination.0),
        destination_seq: destination.1,
        origin: NodeId(origin.0),
        origin_seq: origin.1,
        sent_at: Instant::ZERO,
    }
}

/// The reply about `destination` for `origin` after `hops` hops, good for 10 s.
pub(crate) fn reply(destination: (u32, u32), origin: u32, hops: u8) -> Reply {
    Reply {
        hop_count: hops,
        destination: NodeId(destination.0),
        destination_seq: destination.1,
        origin: NodeId(origin),
        lifetime: Duration::from_secs(10),
        request_sent_at: Instant::ZERO,
    }
}

impl Script {
    pub(crate) fn new(node: u32, config: AodvConfig) -> Self {
        let router = Router::Aodv(Box::new(Aodv::new(NodeId(node), config, stream(1, node))));
        Self {
            router,
            node,
            now: Instant::ZERO,
            said: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// ns-2's rules, without jitter.
    pub(crate) fn ns2(node: u32) -> Self {
        Self::new(
            node,
            AodvConfig {
                broadcast_jitter: Duration::ZERO,
                ..AodvConfig::ns2()
            },
        )
    }

    /// The RFC's rules, without jitter.
    pub(crate) fn standard(node: u32) -> Self {
        Self::new(
            node,
            AodvConfig {
                broadcast_jitter: Duration::ZERO,
                ..AodvConfig::standard()
            },
        )
    }

    /// Lets time pass, with every wake that is asked for.
    pub(crate) fn at(&mut self, milliseconds: u64) -> &mut Self {
        let then = Instant::ZERO + Duration::from_millis(milliseconds);
        while self.router.next_wake() <= then {
            self.now = self.router.next_wake();
            self.router.on_wake(self.now);
            self.collect();
        }
        self.now = then;
        self
    }

    /// Data for `destination` is made here.
    pub(crate) fn makes(&mut self, id: u32, destination: u32) -> &mut Self {
        self.router
            .on_packet(self.now, data(id, self.node, destination, 0), None);
        self.collect()
    }

    /// Data comes from a neighbour.
    pub(crate) fn hears_data(&mut self, from: u32, packet: Packet) -> &mut Self {
        self.router.on_packet(self.now, packet, Some(NodeId(from)));
        self.collect()
    }

    pub(crate) fn hears_request(&mut self, from: u32, ttl: u8, request: Request) -> &mut Self {
        self.hears(from, NodeId::BROADCAST, ttl, Message::Request(request))
    }

    pub(crate) fn hears_reply(&mut self, from: u32, reply: Reply) -> &mut Self {
        self.hears(from, reply.origin, 30, Message::Reply(reply))
    }

    /// An error with these destinations and sequence numbers comes from a neighbour.
    pub(crate) fn hears_error(&mut self, from: u32, list: &[(u32, u32)]) -> &mut Self {
        let entry = |&(node, seq): &(u32, u32)| Unreachable {
            destination: NodeId(node),
            destination_seq: seq,
        };
        let list = list.iter().map(entry).collect();
        self.hears(from, NodeId::BROADCAST, 1, Message::Error(list))
    }

    fn hears(&mut self, from: u32, to: NodeId, ttl: u8, message: Message) -> &mut Self {
        let body = Body::Aodv(message);
        let packet = Packet {
            id: 0,
            source: NodeId(from),
            destination: to,
            ttl,
            bytes: 48,
            body,
        };
        self.hears_data(from, packet)
    }

    /// The MAC gives a packet back.
    pub(crate) fn loses(&mut self, next_hop: u32, packet: Packet) -> &mut Self {
        self.router
            .on_link_failure(self.now, packet, NodeId(next_hop));
        self.collect()
    }

    /// The interface queue hands a packet back that was to be reclaimed.
    pub(crate) fn gets_back(&mut self, packet: Packet) -> &mut Self {
        self.router.on_reclaimed(self.now, packet);
        self.collect()
    }

    /// The node did exactly this since it was last asked.
    #[track_caller]
    pub(crate) fn expect(&mut self, wanted: &[&str]) -> &mut Self {
        let said: Vec<String> = self.said.drain(..).map(|(_, what)| what).collect();
        assert_eq!(said, wanted);
        self
    }

    /// The same with the times, in milliseconds.
    #[track_caller]
    pub(crate) fn expect_at(&mut self, wanted: &[(f64, &str)]) -> &mut Self {
        let said: Vec<String> = self
            .said
            .drain(..)
            .map(|(at, what)| format!("{at}: {what}"))
            .collect();
        let wanted: Vec<String> = wanted
            .iter()
            .map(|(at, what)| format!("{at}: {what}"))
            .collect();
        assert_eq!(said, wanted);
        self
    }

    #[track_caller]
    pub(crate) fn expect_nothing(&mut self) -> &mut Self {
        self.expect(&[])
    }

    /// Forgets what was said.
    pub(crate) fn ignore(&mut self) -> &mut Self {
        self.said.clear();
        self
    }

    /// What was said, with times in milliseconds.
    pub(crate) fn take(&mut self) -> Vec<(f64, String)> {
        std::mem::take(&mut self.said)
    }

    pub(crate) fn next_hop(&self, destination: u32) -> Option<u32> {
        self.router.next_hop(NodeId(destination)).map(|node| node.0)
    }

    fn collect(&mut self) -> &mut Self {
        let at = self.now.as_secs_f64() * 1e3;
        while let Some(output) = self.router.poll() {
            match describe(&output) {
                Some(text) => self.said.push((at, text)),
                None => {
                    if let RouterOutput::Note(note) = output {
                        self.notes.push(note);
                    }
                }
            }
        }
        self
    }
}

fn describe(output: &RouterOutput) -> Option<String> {
    Some(match output {
        RouterOutput::Send { packet, next_hop } => describe_packet(packet, *next_hop),
        RouterOutput::Deliver(packet) => format!("deliver {}", packet.id),
        RouterOutput::Drop { packet, reason } => match packet.body {
            Body::Aodv(_) => format!("drop message: {reason:?}"),
            _ => format!("drop {}: {reason:?}", packet.id),
        },
        RouterOutput::PurgeQueue { next_hop } => format!("purge {next_hop:?}"),
        RouterOutput::ReclaimQueue { next_hop } => format!("reclaim {next_hop:?}"),
        RouterOutput::Note(_) => return None,
    })
}

fn describe_packet(packet: &Packet, next_hop: NodeId) -> String {
    match &packet.body {
        Body::Aodv(Message::Request(r)) => {
            assert!(next_hop.is_broadcast() && packet.destination.is_broadcast());
            format!(
                "RREQ {} of {:?}#{} for {:?}#{}, hops {}, ttl {}",
                r.broadcast_id,
                r.origin,
                r.origin_seq,
                r.destination,
                r.destination_seq,
                r.hop_count,
                packet.ttl
            )
        }
        Body::Aodv(Message::Reply(r)) => format!(
            "RREP {:?}#{} for {:?} via {next_hop:?}, hops {}, {} s",
            r.destination,
            r.destination_seq,
            packet.destination,
            r.hop_count,
            r.lifetime.as_secs_f64()
        ),
        Body::Aodv(Message::Error(list)) => {
            assert!(next_hop.is_broadcast() && packet.ttl == 1);
            let entry = |e: &Unreachable| format!("{:?}#{}", e.destination, e.destination_seq);
            format!(
                "RERR {}",
                list.iter().map(entry).collect::<Vec<_>>().join(" ")
            )
        }
        _ => format!("data {} to {next_hop:?}, ttl {}", packet.id, packet.ttl),
    }
}
