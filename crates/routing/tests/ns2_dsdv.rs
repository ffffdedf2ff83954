//! Conformance of DSDV with ns-2.35: what every node's router heard in an ns-2 run is fed to our
//! machines, and each update, packet, drop and change of a route must be one of ns-2's, and the
//! other way round. `ns2-dsdv/README.md` tells where the conversations come from.
//!
//! Contents of updates are taken from our machine of the sending node: the trace shows their length
//! only, and what they changed elsewhere.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose};
use acklab_routing::{DropReason, Dsdv, DsdvConfig, MacFailure, Router, RouterNote, RouterOutput};
use acklab_wire::tcp::Datagram;
use acklab_wire::{Body, Packet};
use std::collections::BTreeMap;

/// DSDV's own lines have five decimals.
const CLOCK_SLACK: u64 = 6_000;

#[derive(Clone, Debug)]
struct Deed {
    at: u64,
    what: String,
}

struct Node {
    router: Router,
    ours: Vec<Deed>,
    theirs: Vec<Deed>,
    updates: Vec<Packet>,
}

struct Replay {
    nodes: BTreeMap<u32, Node>,
}

impl Replay {
    /// All nodes start at once; DSDV talks without being asked.
    fn new(count: u32, mac_failure: MacFailure) -> Self {
        let config = DsdvConfig {
            // ns-2 draws nothing in these runs: a period is three quarters of 15 s.
            update_period: Duration::from_secs(15),
            start_jitter: Duration::ZERO,
            broadcast_jitter: Duration::ZERO,
            period_jitter: Duration::ZERO,
            mac_failure,
            // What the trace calls the length of a new packet is a datagram's.
            extra_tcp_bytes: 0,
            ..DsdvConfig::ns2()
        };
        let node = |id: u32| {
            let address = Address {
                seed: 1,
                run: 0,
                node: NodeId(id),
                purpose: Purpose::RoutingJitter,
            };
            let machine = Dsdv::new(NodeId(id), config.clone(), address.open());
            let node = Node {
                router: Router::Dsdv(Box::new(machine)),
                ours: Vec::new(),
                theirs: Vec::new(),
                updates: Vec::new(),
            };
            (id, node)
        };
        Self {
            nodes: (0..count).map(node).collect(),
        }
    }

    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |place: usize| -> u64 { words[place].parse().expect("a number") };
        let (at, id, letter) = (number(0), number(1) as u32, words[2]);
        let Some(node) = self.nodes.get_mut(&id) else {
            panic!("node {id} is not in the network");
        };
        if letter.chars().all(char::is_uppercase) {
            let what = words[2..].join(" ");
            return node.theirs.push(Deed { at, what });
        }
        let now = Instant::from_nanos(at);
        for other in self.nodes.values_mut() {
            other.wake(now);
        }
        let target = |place: usize| NodeId(number(place) as u32);
        let data = |ttl: u64, bytes: u64| Packet {
            id: number(3) as u32,
            source: target(4),
            destination: target(5),
            ttl: ttl as u8,
            bytes: bytes as u32,
            body: Body::Udp(Datagram {
                flow: FlowId(0),
                number: 0,
                len: 0,
                sent: acklab_base::Instant::ZERO,
            }),
        };
        if letter == "u" {
            let from = target(3);
            let heard = self.nodes[&from.0].updates.get(number(4) as usize).cloned();
            // Our machine at the sender did not send this: a difference that is found there.
            if let (Some(packet), Some(node)) = (heard, self.nodes.get_mut(&id)) {
                node.router.on_packet(now, packet, Some(from));
            }
        } else if let Some(node) = self.nodes.get_mut(&id) {
            let router = &mut node.router;
            match letter {
                // The router adds the IP header in ns-2, the transport does here.
                "o" => router.on_packet(now, data(0, number(6) + 20), None),
                "r" => router.on_packet(now, data(number(6), number(8)), Some(target(7))),
                "x" => router.on_link_failure(now, data(number(6), number(8)), target(7)),
                other => panic!("unknown letter {other}"),
            }
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            node.collect(now);
        }
    }

    fn differences(&mut self, end: u64) -> Vec<String> {
        let mut found = Vec::new();
        for (id, node) in &mut self.nodes {
            node.wake(Instant::from_nanos(end));
            for deed in &node.theirs {
                let same =
                    |own: &Deed| own.what == deed.what && own.at.abs_diff(deed.at) <= CLOCK_SLACK;
                match node.ours.iter().position(same) {
                    Some(place) => {
                        node.ours.remove(place);
                    }
                    None => found.push((
                        deed.at,
                        format!("{} n{id} ns-2 only: {}", deed.at, deed.what),
                    )),
                }
            }
            let rest = node.ours.iter().filter(|own| own.at < end);
            found.extend(
                rest.map(|own| (own.at, format!("{} n{id} ours only: {}", own.at, own.what))),
            );
        }
        found.sort();
        found.into_iter().map(|(_, text)| text).collect()
    }
}

impl Node {
    fn wake(&mut self, now: Instant) {
        while self.router.next_wake() <= now {
            let due = self.router.next_wake();
            self.router.on_wake(due);
            self.collect(due);
        }
    }

    fn collect(&mut self, now: Instant) {
        while let Some(output) = self.router.poll() {
            let what = match output {
                RouterOutput::Send { packet, next_hop } => match packet.body {
                    Body::Dsdv(_) => {
                        let text = format!("U {} {}", self.updates.len(), packet.bytes);
                        self.updates.push(packet);
                        text
                    }
                    _ => format!(
                        "S {} {} {} {}",
                        packet.id, next_hop.0, packet.ttl, packet.bytes
                    ),
                },
                RouterOutput::Drop { packet, reason } => {
                    format!("D {} {}", packet.id, trace_name(reason))
                }
                RouterOutput::Note(RouterNote::RouteUp {
                    destination,
                    next_hop,
                    hops,
                }) => format!("V {} {} {hops}", destination.0, next_hop.0),
                RouterOutput::Note(RouterNote::RouteDown { destination }) => {
                    format!("V {} -", destination.0)
                }
                _ => continue,
            };
            self.ours.push(Deed {
                at: now.as_nanos(),
                what,
            });
        }
    }
}

/// ns-2's name of a reason.
fn trace_name(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Ttl => "TTL",
        DropReason::Loop => "LOOP",
        DropReason::LinkFailure => "CBK",
        DropReason::BufferFull => "IFQ",
        other => panic!("DSDV never drops for {other:?}"),
    }
}

#[test]
fn the_machines_do_what_ns2_did() {
    let folder = std::env::var("DSDV_CONVERSATIONS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2-dsdv").to_owned());
    let (mut count, mut bad) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the conversations") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        count += 1;
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let nodes = name.split('-').nth(1).and_then(|word| word.parse().ok());
        let mac_failure = if name.ends_with("detection") {
            MacFailure::BreaksLink
        } else {
            MacFailure::Ignored
        };
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut replay = Replay::new(nodes.expect("a name like chain-9-…"), mac_failure);
        let mut end = 0;
        for line in text.lines() {
            replay.line(line);
            end = line
                .split(' ')
                .next()
                .and_then(|word| word.parse().ok())
                .unwrap_or(end);
        }
        let deeds: usize = replay.nodes.values().map(|node| node.theirs.len()).sum();
        let differences = replay.differences(end);
        println!("{name}: {} of {deeds} differ", differences.len());
        for difference in differences.iter().take(20) {
            println!("  {difference}");
        }
        bad += differences.len();
    }
    assert!(
        count > 0 && bad == 0,
        "{count} conversations, {bad} differences"
    );
}
