//! A whole network of routers, joined by links that lose nothing.

use crate::graphs::{Graph, draws};
use crate::script::data;
use acklab_base::{Duration, Instant, NodeId, Stream};
use acklab_routing::{Router, RouterOutput};
use acklab_wire::{Class, Packet};
use std::collections::BTreeMap;

/// One hop takes 1 ms and up to 1 ms more; a broken link is noticed after 20 ms.
const HOP: Duration = Duration::from_millis(1);
const NOTICE: Duration = Duration::from_millis(20);

enum Event {
    Arrival {
        to: NodeId,
        from: NodeId,
        packet: Packet,
    },
    Failure {
        at: NodeId,
        next_hop: NodeId,
        packet: Packet,
    },
}

pub(crate) struct World {
    pub(crate) graph: Graph,
    pub(crate) routers: Vec<Router>,
    now: Instant,
    /// Ordered by time and then by the order of scheduling.
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
    pub(crate) draw: Stream,
    pub(crate) delivered: Vec<u32>,
    pub(crate) looped: u32,
    /// The nodes that the packet delivered last passed.
    passed: BTreeMap<u32, Vec<NodeId>>,
    made: u32,
}

impl World {
    pub(crate) fn new(graph: Graph, router: impl Fn(NodeId) -> Router, seed: u64) -> Self {
        let all = (0..graph.len() as u32).map(NodeId);
        let routers = all.map(router).collect();
        Self {
            graph,
            routers,
            now: Instant::ZERO,
            events: BTreeMap::new(),
            scheduled: 0,
            draw: draws(seed ^ 0xD1CE),
            delivered: Vec::new(),
            looped: 0,
            passed: BTreeMap::new(),
            made: 0,
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.graph.len() as u32
    }

    fn schedule(&mut self, delay: Duration, event: Event) {
        self.events
            .insert((self.now + delay, self.scheduled), event);
        self.scheduled += 1;
    }

    /// Makes a data packet and says which.
    pub(crate) fn offer(&mut self, source: u32, destination: u32) -> u32 {
        self.made += 1;
        let packet = data(self.made, source, destination, 0);
        self.routers[source as usize].on_packet(self.now, packet, None);
        self.collect(NodeId(source));
        self.made
    }

    /// Runs until `then`.
    fn run(&mut self, then: Instant) {
        loop {
            let wake = self
                .routers
                .iter()
                .map(Router::next_wake)
                .min()
                .unwrap_or(Instant::NEVER);
            let arrival = self
                .events
                .keys()
                .next()
                .map_or(Instant::NEVER, |&(at, _)| at);
            let next = wake.min(arrival);
            if next > then {
                break;
            }
            self.now = next;
            if arrival <= wake {
                let Some((_, event)) = self.events.pop_first() else {
                    continue;
                };
                self.handle(event);
            } else {
                for node in 0..self.count() {
                    if self.routers[node as usize].next_wake() <= next {
                        self.routers[node as usize].on_wake(next);
                        self.collect(NodeId(node));
                    }
                }
            }
        }
        self.now = then;
    }

    pub(crate) fn run_for(&mut self, milliseconds: u64) {
        self.run(self.now + Duration::from_millis(milliseconds));
    }

    fn handle(&mut self, event: Event) {
        let (node, now) = match &event {
            Event::Arrival { to, .. } => (*to, self.now),
            Event::Failure { at, .. } => (*at, self.now),
        };
        self.spurious_wake(node);
        let router = &mut self.routers[node.index()];
        match event {
            Event::Arrival { from, packet, .. } => router.on_packet(now, packet, Some(from)),
            Event::Failure {
                next_hop, packet, ..
            } => {
                router.on_link_failure(now, packet, next_hop);
            }
        }
        self.collect(node);
    }

    /// A wake before its time must change nothing; tried at a part of all events.
    fn spurious_wake(&mut self, node: NodeId) {
        let router = &mut self.routers[node.index()];
        if self.draw.below(50) > 0 || router.next_wake() <= self.now {
            return;
        }
        let before = format!("{router:?}");
        router.on_wake(self.now);
        assert_eq!(
            format!("{router:?}"),
            before,
            "a spurious wake at {:?}",
            self.now
        );
    }

    fn collect(&mut self, node: NodeId) {
        while let Some(output) = self.routers[node.index()].poll() {
            match output {
                RouterOutput::Send { packet, next_hop } if next_hop.is_broadcast() => {
                    for to in self.graph[node.index()].clone() {
                        let delay = HOP + self.draw.interval_below(HOP);
                        let packet = packet.clone();
                        self.schedule(
                            delay,
                            Event::Arrival {
                                to,
                                from: node,
                                packet,
                            },
                        );
                    }
                }
                RouterOutput::Send { packet, next_hop } => {
                    if self.graph[node.index()].contains(&next_hop) {
                        self.passes(node, next_hop, &packet);
                        let delay = HOP + self.draw.interval_below(HOP);
                        self.schedule(
                            delay,
                            Event::Arrival {
                                to: next_hop,
                                from: node,
                                packet,
                            },
                        );
                    } else {
                        self.schedule(
                            NOTICE,
                            Event::Failure {
                                at: node,
                                next_hop,
                                packet,
                            },
                        );
                    }
                }
                RouterOutput::Deliver(packet) => self.delivered.push(packet.id),
                RouterOutput::Drop { packet, reason } => {
                    use acklab_routing::DropReason::{Loop, Ttl};
                    if packet.class() != Class::Routing && matches!(reason, Loop | Ttl) {
                        self.looped += 1;
                    }
                }
                RouterOutput::PurgeQueue { .. }
                | RouterOutput::ReclaimQueue { .. }
                | RouterOutput::Note(_) => {}
            }
        }
    }

    /// A unicast packet is on the air: the sender's other neighbours may overhear it.
    fn passes(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        if packet.class() != Class::Routing {
            self.passed.entry(packet.id).or_default().push(node);
        }
        for other in self.graph[node.index()].clone() {
            if other != next_hop && self.routers[other.index()].overhears() {
                self.routers[other.index()].on_overheard(self.now, packet);
                self.collect(other);
            }
        }
    }

    /// The nodes that the packet delivered last has passed.
    pub(crate) fn walk_of_last(&self) -> Vec<NodeId> {
        let last = self.delivered.last();
        let passed = last.and_then(|id| self.passed.get(id));
        passed.cloned().unwrap_or_default()
    }

    /// The nodes that a packet from `source` would pass now; `None` if they form a circle.
    pub(crate) fn walk(&self, source: u32, destination: u32) -> Option<Vec<NodeId>> {
        let mut path = vec![NodeId(source)];
        let mut at = NodeId(source);
        while let Some(next) = self.routers[at.index()].next_hop(NodeId(destination)) {
            if path.contains(&next) {
                return None;
            }
            path.push(next);
            at = next;
            if at.0 == destination {
                break;
            }
        }
        Some(path)
    }

    #[track_caller]
    pub(crate) fn assert_no_loops(&self, seed: u64) {
        for source in 0..self.count() {
            for destination in 0..self.count() {
                if source != destination {
                    let path = self.walk(source, destination);
                    assert!(
                        path.is_some(),
                        "seed {seed}: a loop from n{source} to n{destination}"
                    );
                }
            }
        }
    }
}
