//! Conversations with one DSDV node: what it hears, and when it tells it on. Times in milliseconds.

use crate::script::{data, stream};
use acklab_base::{Duration, Instant, NodeId};
use acklab_routing::{Dsdv, DsdvConfig, Router, RouterOutput};
use acklab_wire::dsdv::{Entry, UNREACHABLE, Update};
use acklab_wire::{Body, Packet};

struct Node {
    router: Router,
    now: Instant,
    said: Vec<String>,
}

/// Node n4 without random delays; its first full update is at 0, then one each 11250 ms.
fn node(config: &DsdvConfig) -> Node {
    let config = DsdvConfig {
        start_jitter: Duration::ZERO,
        broadcast_jitter: Duration::ZERO,
        period_jitter: Duration::ZERO,
        ..config.clone()
    };
    let router = Router::Dsdv(Box::new(Dsdv::new(NodeId(4), config, stream(1, 4))));
    let mut node = Node {
        router,
        now: Instant::ZERO,
        said: Vec::new(),
    };
    node.at(1).expect(&["0 full 4:0#4"]);
    node
}

impl Node {
    fn at(&mut self, milliseconds: u64) -> &mut Self {
        let then = Instant::ZERO + Duration::from_millis(milliseconds);
        while self.router.next_wake() <= then {
            self.now = self.router.next_wake();
            self.router.on_wake(self.now);
            self.collect();
        }
        self.now = then;
        self
    }

    /// Destinations, hops and sequence numbers come from a neighbour.
    fn hears(&mut self, from: u32, routes: &[(u32, u8, u32)]) -> &mut Self {
        let entry = |&(node, hops, sequence): &(u32, u8, u32)| Entry {
            destination: NodeId(node),
            hops,
            sequence,
        };
        let update = Update {
            full: false,
            entries: routes.iter().map(entry).collect(),
        };
        let packet = Packet {
            id: 0,
            source: NodeId(from),
            destination: NodeId::BROADCAST,
            ttl: 1,
            bytes: 0,
            body: Body::Dsdv(update),
        };
        self.router.on_packet(self.now, packet, Some(NodeId(from)));
        self.collect()
    }

    fn makes(&mut self, id: u32, destination: u32) -> &mut Self {
        self.router
            .on_packet(self.now, data(id, 4, destination, 0), None);
        self.collect()
    }

    fn loses(&mut self, id: u32, destination: u32, next_hop: u32) -> &mut Self {
        let packet = data(id, 4, destination, 32);
        self.router
            .on_link_failure(self.now, packet, NodeId(next_hop));
        self.collect()
    }

    #[track_caller]
    fn expect(&mut self, wanted: &[&str]) -> &mut Self {
        assert_eq!(std::mem::take(&mut self.said), wanted);
        self
    }

    fn collect(&mut self) -> &mut Self {
        let at = self.now.as_nanos() / 1_000_000;
        while let Some(output) = self.router.poll() {
            self.said.push(match output {
                RouterOutput::Send { packet, next_hop } => match packet.body {
                    Body::Dsdv(update) => {
                        assert_eq!(packet.bytes as usize % 4, 0);
                        let kind = if update.full { "full" } else { "news" };
                        let text = |e: &Entry| match e.hops {
                            UNREACHABLE => format!("{}:lost#{}", e.destination.0, e.sequence),
                            hops => format!("{}:{hops}#{}", e.destination.0, e.sequence),
                        };
                        let all: Vec<String> = update.entries.iter().map(text).collect();
                        format!("{at} {kind} {}", all.join(" "))
                    }
                    _ => format!(
                        "{at} data {} to {next_hop:?}, {} B",
                        packet.id, packet.bytes
                    ),
                },
                RouterOutput::Drop { packet, reason } => {
                    format!("{at} drop {}: {reason:?}", packet.id)
                }
                RouterOutput::Deliver(packet) => format!("{at} deliver {}", packet.id),
                RouterOutput::PurgeQueue { .. }
                | RouterOutput::ReclaimQueue { .. }
                | RouterOutput::Note(_) => continue,
            });
        }
        self
    }
}

#[test]
fn a_new_route_is_told_after_two_settling_times() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000).hears(5, &[(5, 0, 6)]);
    // The full update in between may not tell it yet.
    node.at(12_999).expect(&["11250 full 4:0#6"]);
    node.at(13_001).expect(&["13000 news 5:1#6"]);
}

#[test]
fn fewer_hops_with_the_same_number_win_and_more_hops_lose() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000).hears(5, &[(9, 3, 8)]).makes(1, 9);
    node.hears(6, &[(9, 4, 8)]).makes(2, 9);
    node.hears(6, &[(9, 1, 8)]).makes(3, 9);
    // A newer number wins whatever its length; an older one loses.
    node.hears(5, &[(9, 7, 10)]).makes(4, 9);
    node.hears(6, &[(9, 1, 8)]).makes(5, 9);
    node.expect(&[
        "1000 data 1 to n5, 1060 B",
        "1000 data 2 to n5, 1060 B",
        "1000 data 3 to n6, 1060 B",
        "1000 data 4 to n5, 1060 B",
        "1000 data 5 to n5, 1060 B",
    ]);
}

#[test]
fn a_silent_neighbour_is_lost_with_all_behind_it() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    node.at(45_999).said.clear();
    // The number becomes odd: nobody but its owner gives out even ones.
    node.at(46_001).expect(&["46000 news 5:lost#7 9:lost#9"]);
    // A trigger too soon after an update waits for a second; what else is new goes with it.
    node.makes(1, 9).expect(&[]);
    node.at(46_500).hears(6, &[(9, 4, 10)]);
    node.expect(&["46500 data 1 to n6, 1080 B"]);
    node.at(47_001).expect(&["47000 news 5:lost#7 9:5#10"]);
}

#[test]
fn whoever_believes_an_old_loss_is_told_better() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    node.at(30_000).said.clear();
    node.hears(6, &[(9, UNREACHABLE, 7)]);
    node.at(30_001).expect(&["30000 news 9:4#8"]);
}

#[test]
fn a_node_has_the_last_word_on_itself() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(5_000).hears(5, &[(4, UNREACHABLE, 5)]);
    node.at(5_001).expect(&["5000 full 4:0#6"]);
    // The next full update counts from there.
    node.at(16_249).expect(&[]);
    node.at(16_251).expect(&["16250 full 4:0#8"]);
}

#[test]
fn many_changes_make_a_full_update() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000);
    node.hears(5, &[(5, 0, 6), (6, 1, 6), (7, 2, 6), (8, 3, 6)]);
    node.at(11_300).said.clear();
    node.at(13_001)
        .expect(&["13000 full 4:0#8 5:1#6 6:2#6 7:3#6 8:4#6"]);
}

#[test]
fn five_packets_wait_for_a_route() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000);
    for id in 1..=7 {
        node.makes(id, 9);
    }
    node.expect(&["1000 drop 1: BufferFull", "1000 drop 2: BufferFull"]);
    node.hears(5, &[(9, 1, 8)]);
    assert_eq!(node.said.len(), 5);
    assert_eq!(node.said[0], "1000 data 3 to n5, 1080 B");
}

#[test]
fn failures_of_the_mac_count_only_if_asked_for() {
    let mut node = node(&DsdvConfig::ns2());
    node.at(1_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    node.loses(1, 9, 5).makes(2, 9);
    node.expect(&["1000 drop 1: LinkFailure", "1000 data 2 to n5, 1060 B"]);
    let mut node = self::node(&DsdvConfig::standard());
    node.at(2_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    node.loses(1, 9, 5).makes(2, 9);
    node.at(2_001).expect(&["2000 news 5:lost#7 9:lost#9"]);
    node.hears(6, &[(9, 1, 10)]);
    node.expect(&["2001 data 1 to n6, 1040 B", "2001 data 2 to n6, 1040 B"]);
}

#[test]
fn a_loss_heard_of_travels_at_once_or_waits() {
    let heard = [(9, UNREACHABLE, 9)];
    let mut ns2 = node(&DsdvConfig::ns2());
    ns2.at(1_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    ns2.at(30_000).said.clear();
    ns2.hears(5, &heard).at(33_700).expect(&[]);
    ns2.at(33_751).expect(&["33750 full 4:0#10 5:1#6 9:lost#9"]);
    let mut standard = node(&DsdvConfig::standard());
    standard.at(1_000).hears(5, &[(5, 0, 6), (9, 3, 8)]);
    standard.at(30_000).said.clear();
    standard
        .hears(5, &heard)
        .at(30_001)
        .expect(&["30000 news 9:lost#9"]);
}
