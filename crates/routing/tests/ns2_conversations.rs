//! Conformance with ns-2.35: what every node's router heard in an ns-2 run is fed to our machines,
//! and each packet that they send or drop must be one that ns-2's router sent or dropped, and the
//! other way round. `ns2/README.md` tells where the conversations come from.
//!
//! The machines run without jitter; what ns-2 delays at random may come up to 10 ms later there.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Seq32};
use acklab_routing::{Aodv, AodvConfig, DropReason, Router, RouterOutput};
use acklab_wire::aodv::{Message, Reply, Request};
use acklab_wire::{Body, Flags, Options, Packet, Segment};
use std::collections::BTreeMap;

/// The trace's clock counts doubles: times that are sums differ in the last nanoseconds.
const CLOCK_SLACK: u64 = 1_000;
const JITTER: u64 = 10_000_000;

/// One output, by the machine or by ns-2.
#[derive(Clone, Debug)]
struct Deed {
    at: u64,
    what: String,
    jittered: bool,
}

struct Node {
    router: Router,
    ours: Vec<Deed>,
    theirs: Vec<Deed>,
    /// When the machine had its interface queue emptied.
    purges: Vec<u64>,
    /// Routing messages sent so far, for the fields that the trace does not show.
    messages: Vec<(u64, Packet)>,
}

struct Replay {
    nodes: BTreeMap<u32, Node>,
}

impl Replay {
    fn node(&mut self, id: u32) -> &mut Node {
        self.nodes.entry(id).or_insert_with(|| {
            let address = Address {
                seed: 1,
                run: 0,
                node: NodeId(id),
                purpose: Purpose::RoutingJitter,
            };
            let config = AodvConfig {
                broadcast_jitter: Duration::ZERO,
                ..AodvConfig::ns2()
            };
            Node {
                router: Router::Aodv(Box::new(Aodv::new(NodeId(id), config, address.open()))),
                ours: Vec::new(),
                theirs: Vec::new(),
                messages: Vec::new(),
                purges: Vec::new(),
            }
        })
    }

    /// Feeds one line of a conversation.
    fn line(&mut self, line: &str) {
        let words = Words(line.split(' ').collect());
        let (at, id, letter) = (words.number(0), words.number(1) as u32, words.0[2]);
        if letter.chars().all(char::is_uppercase) {
            let what = words.0[2..].join(" ");
            let jittered = matches!(letter, "Q" | "E");
            return self.node(id).theirs.push(Deed { at, what, jittered });
        }
        let now = Instant::from_nanos(at);
        // Timers of other nodes first: what they sent may be what is heard here.
        for other in self.nodes.values_mut() {
            other.wake(now);
        }
        let data = |ttl| data_packet(words.number(3) as u32, words.node(4), words.node(5), ttl);
        let input = match letter {
            "o" => Some(Input::Packet(data(0), None)),
            "r" => Some(Input::Packet(
                data(words.number(6) as u8),
                Some(words.node(7)),
            )),
            "x" => Some(Input::Failure(data(words.number(6) as u8), words.node(7))),
            "q" => Some(self.heard_request(&words)),
            "p" => self.heard_reply(&words),
            "e" => self.heard_error(&words),
            other => panic!("unknown letter {other}"),
        };
        let target = self.node(id);
        match input {
            Some(Input::Packet(packet, from)) => target.router.on_packet(now, packet, from),
            Some(Input::Failure(packet, next_hop)) => {
                target.router.on_link_failure(now, packet, next_hop);
            }
            // Our machine at the sender did not send this: a difference that is found there.
            None => {}
        }
        target.collect(now);
    }

    fn heard_request(&self, words: &Words) -> Input {
        let mut request = Request {
            hop_count: words.number(9) as u8,
            broadcast_id: words.number(5) as u32,
            destination: words.node(6),
            destination_seq: words.number(7) as u32,
            origin: words.node(4),
            origin_seq: words.number(8) as u32,
            sent_at: Instant::ZERO,
        };
        request.sent_at = self.request_time(&request);
        let message = Message::Request(request);
        Input::message(words.node(3), NodeId::BROADCAST, words.number(10), message)
    }

    fn heard_reply(&self, words: &Words) -> Option<Input> {
        let (from, origin) = (words.node(3), words.node(4));
        let mut reply = Reply {
            hop_count: words.number(7) as u8,
            destination: words.node(5),
            destination_seq: words.number(6) as u32,
            origin,
            lifetime: Duration::from_nanos(words.number(8)),
            request_sent_at: Instant::ZERO,
        };
        reply.request_sent_at = self.reply_time(from.0, &reply)?;
        Some(Input::message(
            from,
            origin,
            words.number(9),
            Message::Reply(reply),
        ))
    }

    fn heard_error(&self, words: &Words) -> Option<Input> {
        let from = words.node(3);
        let packet = self.error_from(from.0, words.number(4), words.node(5))?;
        Some(Input::Packet(packet, Some(from)))
    }

    fn request_time(&self, heard: &Request) -> Instant {
        let sent = self
            .nodes
            .get(&heard.origin.0)
            .into_iter()
            .flat_map(|node| &node.messages);
        sent.filter_map(|(_, packet)| match &packet.body {
            Body::Aodv(Message::Request(request)) => Some(request),
            _ => None,
        })
        .find(|request| {
            request.origin == heard.origin && request.broadcast_id == heard.broadcast_id
        })
        .map_or(Instant::ZERO, |request| request.sent_at)
    }

    fn reply_time(&self, from: u32, heard: &Reply) -> Option<Instant> {
        let sent = self.nodes.get(&from)?.messages.iter().rev();
        sent.filter_map(|(_, packet)| match &packet.body {
            Body::Aodv(Message::Reply(reply)) => Some(reply),
            _ => None,
        })
        .find(|reply| {
            (reply.origin, reply.destination) == (heard.origin, heard.destination)
                && (reply.destination_seq, reply.hop_count)
                    == (heard.destination_seq, heard.hop_count)
        })
        .map(|reply| reply.request_sent_at)
    }

    fn error_from(&self, from: u32, count: u64, first: NodeId) -> Option<Packet> {
        let sent = self.nodes.get(&from)?.messages.iter().rev();
        sent.map(|(_, packet)| packet)
            .find(|packet| match &packet.body {
                Body::Aodv(Message::Error(list)) => {
                    list.len() as u64 == count && list.iter().any(|e| e.destination == first)
                }
                _ => false,
            })
            .cloned()
    }

    /// What one side did and the other did not.
    fn differences(&mut self, end: u64) -> Vec<String> {
        let mut found = Vec::new();
        for (id, node) in &mut self.nodes {
            node.wake(Instant::from_nanos(end));
            for deed in &node.theirs {
                let close = |own: &&Deed| {
                    let slack = CLOCK_SLACK + if deed.jittered { JITTER } else { 0 };
                    own.what == deed.what
                        && own.at <= deed.at + CLOCK_SLACK
                        && deed.at <= own.at + slack
                };
                match node.ours.iter().position(|own| close(&own)) {
                    Some(place) => {
                        node.ours.remove(place);
                    }
                    // A packet dropped out of the interface queue, which is not the machine's.
                    None if deed.what.ends_with("CBK") && node.purges.contains(&deed.at) => {}
                    None => found.push((
                        deed.at,
                        format!("{} n{id} ns-2 only: {}", deed.at, deed.what),
                    )),
                }
            }
            // What was decided within the last jitter may have been sent after the trace's end.
            let decided = node.ours.iter().filter(|own| own.at + JITTER < end);
            found.extend(
                decided.map(|own| (own.at, format!("{} n{id} ours only: {}", own.at, own.what))),
            );
        }
        found.sort();
        found.into_iter().map(|(_, text)| text).collect()
    }
}

/// The words of a line.
struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    fn number(&self, place: usize) -> u64 {
        self.0[place].parse().expect("a number")
    }

    fn node(&self, place: usize) -> NodeId {
        NodeId(self.number(place) as u32)
    }
}

enum Input {
    Packet(Packet, Option<NodeId>),
    Failure(Packet, NodeId),
}

impl Input {
    fn message(from: NodeId, destination: NodeId, ttl: u64, message: Message) -> Self {
        let body = Body::Aodv(message);
        let packet = Packet {
            id: 0,
            source: from,
            destination,
            ttl: ttl as u8,
            bytes: 0,
            body,
        };
        Self::Packet(packet, Some(from))
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
                RouterOutput::Send { packet, next_hop } => {
                    if packet.class() == acklab_wire::Class::Routing {
                        self.messages.push((now.as_nanos(), packet.clone()));
                    }
                    describe(&packet, next_hop)
                }
                RouterOutput::Drop { packet, reason } => {
                    let id = match packet.body {
                        Body::Aodv(_) => "-".to_owned(),
                        _ => packet.id.to_string(),
                    };
                    format!("D {id} {}", trace_name(reason))
                }
                RouterOutput::PurgeQueue { .. } => {
                    self.purges.push(now.as_nanos());
                    continue;
                }
                RouterOutput::Deliver(_)
                | RouterOutput::ReclaimQueue { .. }
                | RouterOutput::Note(_) => continue,
            };
            self.ours.push(Deed {
                at: now.as_nanos(),
                what,
                jittered: false,
            });
        }
    }
}

fn describe(packet: &Packet, next_hop: NodeId) -> String {
    match &packet.body {
        Body::Aodv(Message::Request(r)) => format!(
            "Q {} {} {} {} {} {} {}",
            r.origin.0,
            r.broadcast_id,
            r.destination.0,
            r.destination_seq,
            r.origin_seq,
            r.hop_count,
            packet.ttl
        ),
        Body::Aodv(Message::Reply(r)) => format!(
            "P {} {} {} {} {} {} {}",
            next_hop.0,
            r.origin.0,
            r.destination.0,
            r.destination_seq,
            r.hop_count,
            r.lifetime.as_nanos(),
            packet.ttl
        ),
        Body::Aodv(Message::Error(list)) => format!("E {} {}", list.len(), list[0].destination.0),
        _ => format!("S {} {} {}", packet.id, next_hop.0, packet.ttl),
    }
}

/// ns-2's name of a reason.
fn trace_name(reason: DropReason) -> &'static str {
    match reason {
        DropReason::NoRoute | DropReason::DiscoveryFailed | DropReason::RouteExpired => "NRTE",
        DropReason::Ttl => "TTL",
        DropReason::Loop => "LOOP",
        DropReason::LinkFailure => "CBK",
        DropReason::BufferFull => "IFQ",
        DropReason::BufferTimeout => "TOUT",
    }
}

fn data_packet(id: u32, source: NodeId, destination: NodeId, ttl: u8) -> Packet {
    let segment = Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(0),
        ack: Seq32(0),
        flags: Flags::default(),
        window: 0,
        len: 0,
        retransmission: false,
        options: Options::NONE,
    };
    Packet::tcp(id, source, destination, ttl, segment)
}

#[test]
fn the_machines_do_what_ns2_did() {
    let folder = std::env::var("CONVERSATIONS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2").to_owned());
    let mut count = 0;
    let mut bad = 0;
    for entry in std::fs::read_dir(folder).expect("the conversations") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut replay = Replay {
            nodes: BTreeMap::new(),
        };
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
        println!(
            "{}: {} of {deeds} differ",
            path.display(),
            differences.len()
        );
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
