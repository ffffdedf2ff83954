//! AODV routers of whole networks, joined by links that lose nothing: whatever is connected must be
//! reached, routes must not run in circles, and a cut link must heal.

use crate::graphs::{Graph, connected, cut, draws, floyd};
use crate::script::{data, stream};
use acklab_base::{Duration, Instant, NodeId, Stream};
use acklab_routing::{Aodv, AodvConfig, Router, RouterOutput};
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

struct World {
    graph: Graph,
    routers: Vec<Router>,
    now: Instant,
    /// Ordered by time and then by the order of scheduling.
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
    draw: Stream,
    delivered: Vec<u32>,
    looped: u32,
    made: u32,
}

impl World {
    fn new(graph: Graph, config: &AodvConfig, seed: u64) -> Self {
        let router = |node: usize| {
            let node = node as u32;
            Router::Aodv(Aodv::new(NodeId(node), config.clone(), stream(seed, node)))
        };
        let routers = (0..graph.len()).map(router).collect();
        Self {
            graph,
            routers,
            now: Instant::ZERO,
            events: BTreeMap::new(),
            scheduled: 0,
            draw: draws(seed ^ 0xD1CE),
            delivered: Vec::new(),
            looped: 0,
            made: 0,
        }
    }

    fn count(&self) -> u32 {
        self.graph.len() as u32
    }

    fn schedule(&mut self, delay: Duration, event: Event) {
        self.events
            .insert((self.now + delay, self.scheduled), event);
        self.scheduled += 1;
    }

    /// Makes a data packet and says which.
    fn offer(&mut self, source: u32, destination: u32) -> u32 {
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

    fn run_for(&mut self, milliseconds: u64) {
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
                RouterOutput::PurgeQueue { .. } | RouterOutput::Note(_) => {}
            }
        }
    }

    /// The nodes that a packet from `source` would pass now; `None` if they form a circle.
    fn walk(&self, source: u32, destination: u32) -> Option<Vec<NodeId>> {
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
    fn assert_no_loops(&self, seed: u64) {
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

/// The longest time, in milliseconds, that a world may need to deliver or to heal.
struct Patience {
    healing: u64,
}

fn profiles() -> [(AodvConfig, Patience); 2] {
    // Under ns-2's rules a repair may be stuck until the neighbours' routes have expired and the
    // hold-off is over; the RFC's give up after one wait.
    [
        (AodvConfig::ns2(), Patience { healing: 60_000 }),
        (AodvConfig::standard(), Patience { healing: 30_000 }),
    ]
}

#[test]
fn whatever_is_connected_is_reached_from_everywhere_at_once() {
    for seed in 0..200 {
        for (config, _) in profiles() {
            let graph = connected(&mut draws(seed));
            let mut world = World::new(graph, &config, seed);
            world.run_for(1000);
            let mut offered = Vec::new();
            for source in 0..world.count() {
                // All at once to one node of their own: floods cross and routes are shared.
                let step = 1 + world.draw.below(world.count() - 1);
                offered.push(world.offer(source, (source + step) % world.count()));
            }
            world.run_for(10_000);
            world.delivered.sort_unstable();
            assert_eq!(world.delivered, offered, "seed {seed}");
            assert_eq!(world.looped, 0, "seed {seed}");
            world.assert_no_loops(seed);
        }
    }
}

#[test]
fn a_first_route_is_at_most_a_little_longer_than_the_shortest() {
    // The first copy of a flood need not have come the shortest way, but jitter is small: over all
    // graphs the detour stays below half a hop on average.
    let (mut hops, mut shortest) = (0, 0);
    for seed in 1000..1200 {
        let graph = connected(&mut draws(seed));
        let lengths = floyd(&graph);
        let mut world = World::new(graph, &AodvConfig::ns2(), seed);
        world.run_for(1000);
        let last = world.count() - 1;
        world.offer(0, last);
        world.run_for(1000);
        let path = world.walk(0, last).expect("no loop");
        assert_eq!(path.last(), Some(&NodeId(last)), "seed {seed}");
        hops += path.len() as u32 - 1;
        shortest += lengths[0][last as usize].expect("connected");
    }
    assert!(hops >= shortest);
    assert!(
        f64::from(hops - shortest) / 200.0 < 0.5,
        "{hops} hops instead of {shortest}"
    );
}

#[test]
fn a_cut_link_heals() {
    let mut cuts = 0;
    for seed in 2000..2420 {
        for (config, patience) in profiles() {
            let mut draw = draws(seed);
            let graph = connected(&mut draw);
            let mut world = World::new(graph, &config, seed);
            let (source, destination) = (0, world.count() - 1);
            world.run_for(1000);
            world.offer(source, destination);
            world.run_for(2000);
            let path = world.walk(source, destination).expect("no loop");
            let place = draw.below(path.len() as u32 - 1) as usize;
            let mut rest = world.graph.clone();
            cut(&mut rest, path[place], path[place + 1]);
            if floyd(&rest)[0][destination as usize].is_none() {
                continue;
            }
            cuts += 1;
            world.graph = rest;
            // Packets keep coming, ten a second; within the patience they must arrive again.
            for _ in 0..patience.healing / 100 {
                world.offer(source, destination);
                world.run_for(100);
            }
            let late = world.offer(source, destination);
            world.run_for(1000);
            assert!(
                world.delivered.contains(&late),
                "seed {seed}: not healed, {path:?} at {place}"
            );
            world.assert_no_loops(seed);
        }
    }
    assert!(
        cuts >= 2 * 200,
        "only {cuts} cuts left the network whole, of two profiles"
    );
}
