//! A conversation with one DSR node: say what it hears, and read what it does. Times in milliseconds.
//!
//! The node is `n4` of a chain `n0 … n8`. Requests and replies wait for no random time.

use crate::script::{data, stream};
use acklab_base::{Duration, Instant, NodeId};
use acklab_routing::{Dsr, DsrConfig, Router, RouterOutput};
use acklab_wire::dsr::{Header, Message, Request, Route};
use acklab_wire::{Body, Packet};

pub(crate) struct Node {
    router: Router,
    now: Instant,
    pub(crate) said: Vec<String>,
}

pub(crate) fn node(config: &DsrConfig) -> Node {
    let config = DsrConfig {
        broadcast_jitter: Duration::ZERO,
        ..config.clone()
    };
    Node {
        router: Router::Dsr(Box::new(Dsr::new(NodeId(4), config, stream(1, 4)))),
        now: Instant::ZERO,
        said: Vec::new(),
    }
}

pub(crate) fn ns2() -> Node {
    node(&DsrConfig::ns2())
}

pub(crate) fn route(nodes: &[u32]) -> Route {
    let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
    Route::of(&nodes)
}

/// A packet of the protocol itself.
pub(crate) fn message(source: u32, destination: u32, header: Header) -> Packet {
    let body = Body::Dsr(Box::new(Message { header, data: None }));
    Packet {
        id: 77,
        source: NodeId(source),
        destination: NodeId(destination),
        ttl: 255,
        bytes: 100,
        body,
    }
}

/// Data number `id` under a source route in which the receiver has place `at`.
pub(crate) fn routed(id: u32, nodes: &[u32], at: u8) -> Packet {
    let (source, destination) = (nodes[0], nodes[nodes.len() - 1]);
    let mut packet = data(id, source, destination, 30);
    let Body::Tcp(segment) = packet.body else {
        unreachable!("data is TCP");
    };
    let header = Header {
        route: route(nodes),
        at,
        ..Header::new()
    };
    packet.bytes += 4 * nodes.len() as u32;
    packet.body = Body::Dsr(Box::new(Message {
        header,
        data: Some(acklab_wire::dsr::Data::Tcp(segment)),
    }));
    packet
}

impl Node {
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

    pub(crate) fn makes(&mut self, id: u32, destination: u32) -> &mut Self {
        self.router
            .on_packet(self.now, data(id, 4, destination, 0), None);
        self.collect()
    }

    pub(crate) fn hears(&mut self, from: u32, packet: Packet) -> &mut Self {
        self.router.on_packet(self.now, packet, Some(NodeId(from)));
        self.collect()
    }

    pub(crate) fn overhears(&mut self, packet: &Packet) -> &mut Self {
        self.router.on_overheard(self.now, packet);
        self.collect()
    }

    /// A request with this number that has passed these nodes.
    pub(crate) fn hears_request(
        &mut self,
        id: u32,
        reach: u8,
        passed: &[u32],
        target: u32,
    ) -> &mut Self {
        let header = Header {
            route: route(passed),
            request: Some(Request { id, reach }),
            ..Header::new()
        };
        let from = passed[passed.len() - 1];
        self.hears(from, message(passed[0], target, header))
    }

    /// A reply for this node.
    pub(crate) fn hears_reply(&mut self, found: &[u32]) -> &mut Self {
        let mut back = found.to_vec();
        back.reverse();
        let header = Header {
            at: found.len() as u8 - 1,
            route: route(&back),
            reply: Some(route(found)),
            ..Header::new()
        };
        self.hears(found[1], message(back[0], 4, header))
    }

    pub(crate) fn loses(&mut self, next_hop: u32, packet: Packet) -> &mut Self {
        self.router
            .on_link_failure(self.now, packet, NodeId(next_hop));
        self.collect()
    }

    #[track_caller]
    pub(crate) fn expect(&mut self, wanted: &[&str]) -> &mut Self {
        assert_eq!(std::mem::take(&mut self.said), wanted);
        self
    }

    fn collect(&mut self) -> &mut Self {
        while let Some(output) = self.router.poll() {
            let text = match output {
                RouterOutput::Send { packet, next_hop } => sent(&packet, next_hop),
                RouterOutput::Drop { packet, reason } => format!("drop {}: {reason:?}", packet.id),
                RouterOutput::Deliver(packet) => format!("deliver {}", packet.id),
                RouterOutput::ReclaimQueue { next_hop } => format!("reclaim {next_hop:?}"),
                RouterOutput::PurgeQueue { .. } | RouterOutput::Note(_) => continue,
            };
            self.said.push(text);
        }
        self
    }
}

fn sent(packet: &Packet, next_hop: NodeId) -> String {
    let Body::Dsr(message) = &packet.body else {
        return format!("data {} to {next_hop:?}, {} B", packet.id, packet.bytes);
    };
    let header = &message.header;
    let numbers = |route: &Route| -> String {
        let all: Vec<String> = route.iter().map(|node| node.0.to_string()).collect();
        all.join("-")
    };
    let mut text = match message.data {
        Some(_) => format!("data {} to {next_hop:?}, {} B", packet.id, packet.bytes),
        None => format!("message to {next_hop:?}, {} B", packet.bytes),
    };
    if let Some(request) = header.request {
        let reach = request.reach;
        text += &format!(
            ", request {} for {:?}, reach {reach}",
            request.id, packet.destination
        );
    }
    if !header.route.is_empty() {
        text += &format!(", route {}", numbers(&header.route));
    }
    if let Some(reply) = &header.reply {
        text += &format!(", reply {}", numbers(reply));
    }
    for link in &header.errors {
        text += &format!(", error {}-{} for {:?}", link.from.0, link.to.0, link.tell);
    }
    for flow in &header.unknown_flows {
        text += &format!(", unknown {:?}-{:?}", flow.source, flow.destination);
    }
    if let Some(flow) = header.flow {
        text += &format!(", flow {}", flow.id);
    }
    text
}
