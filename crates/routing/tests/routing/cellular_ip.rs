//! Cellular IP, one node at a time: say what it hears, and read what it does. The caches live for
//! exactly their timeouts, and a wake that is not due changes nothing. Times are in nanoseconds where an
//! instant is to be exact.
//!
//! ```text
//!  n0 correspondent ── n1 gateway ── n2 crossover ─┬─ n3 station
//!                                                  └─ n4 station      n8, n9 mobiles
//! ```

use crate::graphs::draws;
use crate::script::data;
use acklab_base::{Duration, Instant, NodeId};
use acklab_routing::cellular_ip::Place;
use acklab_routing::static_path::DEFAULT_TTL;
use acklab_routing::{
    AccessConfig, AccessRouter, Graph, MobileConfig, MobileRouter, NextHops, Router, RouterOutput,
};
use acklab_wire::cellular_ip::{MESSAGE_BYTES, Message};
use acklab_wire::{Body, Packet};
use std::sync::Arc;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
const ROUTE_TIMEOUT: u64 = 9 * S;
const PAGING_TIMEOUT: u64 = 540 * S;
const DEVICE: u64 = 20 * MS;
const MOBILE: u32 = 8;

const ROUTE: Message = Message::RouteUpdate { semisoft: false };
const SEMISOFT: Message = Message::RouteUpdate { semisoft: true };

fn at(nanos: u64) -> Instant {
    Instant::ZERO + Duration::from_nanos(nanos)
}

struct Talk {
    router: Router,
    /// Number of the next packet.
    next: u32,
}

/// A node of the access network.
fn access(node: u32) -> Talk {
    let ids = |nodes: &[u32]| nodes.iter().copied().map(NodeId).collect::<Vec<_>>();
    let tree: [&[u32]; 5] = [&[1], &[0, 2], &[1, 3, 4], &[2], &[2]];
    let graph = Arc::new(Graph::new(&tree.map(ids)));
    let (uplink, below): (_, &[u32]) = match node {
        1 => (None, &[2]),
        2 => (Some(1), &[3, 4]),
        _ => (Some(2), &[8, 9]),
    };
    let place = Place {
        node: NodeId(node),
        uplink: uplink.map(NodeId),
        downlinks: ids(below).into(),
        mobiles: ids(&[8, 9]).into(),
        next_hops: NextHops::new(NodeId(node), graph),
    };
    let config = AccessConfig {
        route_timeout: Duration::from_nanos(ROUTE_TIMEOUT),
        paging_timeout: Duration::from_nanos(PAGING_TIMEOUT),
        delay_device: Duration::from_nanos(DEVICE),
    };
    let router = Router::Access(Box::new(AccessRouter::new(place, config, DEFAULT_TTL)));
    Talk { router, next: 1 }
}

/// An idle mobile without a station: route updates after 3 s, paging updates after 180 s, idle after 5 s.
fn mobile(updates_at_handoff: bool) -> Talk {
    let config = MobileConfig {
        route_update: Duration::from_secs(3),
        paging_update: Duration::from_secs(180),
        active_timeout: Duration::from_secs(5),
        updates_at_handoff,
    };
    let router = MobileRouter::new(NodeId(MOBILE), NodeId(1), config, DEFAULT_TTL);
    Talk {
        router: Router::Mobile(Box::new(router)),
        next: 1,
    }
}

impl Talk {
    /// A data packet comes from a neighbour, or is made here; what is done with it, `#` and its number.
    fn data(&mut self, nanos: u64, from: Option<u32>, ends: (u32, u32)) -> Vec<String> {
        let packet = data(self.next, ends.0, ends.1, 64);
        self.next += 1;
        self.router.on_packet(at(nanos), packet, from.map(NodeId));
        self.said()
    }

    /// A packet for the mobile comes down.
    #[track_caller]
    fn down(&mut self, nanos: u64, expected: &[&str]) {
        let next = self.next;
        let said = self.data(nanos, Some(1), (0, MOBILE));
        let expected: Vec<String> = expected
            .iter()
            .map(|to| format!("#{next} > {to}"))
            .collect();
        assert_eq!(said, expected, "at {nanos} ns");
    }

    /// A message of the mobile comes up.
    fn update(&mut self, nanos: u64, from: u32, message: Message) -> Vec<String> {
        let packet = Packet {
            id: 0,
            source: NodeId(MOBILE),
            destination: NodeId(1),
            ttl: 64,
            bytes: MESSAGE_BYTES,
            body: Body::CellularIp(message),
        };
        self.router.on_packet(at(nanos), packet, Some(NodeId(from)));
        self.said()
    }

    fn wake(&mut self, nanos: u64) -> Vec<String> {
        self.router.on_wake(at(nanos));
        self.said()
    }

    fn attach(&mut self, nanos: u64, station: Option<u32>) -> Vec<String> {
        let Router::Mobile(mobile) = &mut self.router else {
            panic!("a mobile attaches")
        };
        mobile.on_attach(at(nanos), station.map(NodeId));
        self.said()
    }

    fn said(&mut self) -> Vec<String> {
        let outputs = std::iter::from_fn(|| self.router.poll());
        let name = |packet: &Packet| match packet.body {
            Body::CellularIp(ROUTE) => "route".to_owned(),
            Body::CellularIp(SEMISOFT) => "semisoft".to_owned(),
            Body::CellularIp(_) => "paging".to_owned(),
            _ => format!("#{}", packet.id),
        };
        let line = |output| match output {
            RouterOutput::Send { packet, next_hop } => {
                Some(format!("{} > {}", name(&packet), next_hop.0))
            }
            RouterOutput::Deliver(packet) => Some(format!("{} here", name(&packet))),
            RouterOutput::Drop { packet, reason } => Some(format!("{} {reason:?}", name(&packet))),
            RouterOutput::Note(_) => None,
            other => panic!("{other:?}"),
        };
        outputs.filter_map(line).collect()
    }
}

/// The route cache leads to n3 until 9 s after it was refreshed, to the nanosecond; then the paging
/// cache, which another update had lead to n4; then nothing is known, and all stations are asked.
#[test]
fn entries_die_exactly_at_their_timeouts() {
    let mut node = access(2);
    node.down(0, &["3", "4"]);
    assert_eq!(node.update(S, 3, ROUTE), ["route > 1"]);
    assert_eq!(node.update(2 * S, 4, Message::PagingUpdate), ["paging > 1"]);
    for nanos in [2 * S, S + ROUTE_TIMEOUT - 1] {
        node.down(nanos, &["3"]);
    }
    for nanos in [S + ROUTE_TIMEOUT, 2 * S + PAGING_TIMEOUT - 1] {
        node.down(nanos, &["4"]);
    }
    node.down(2 * S + PAGING_TIMEOUT, &["3", "4"]);
}

/// What the mobile sends keeps its entries alive: updates, ACKs and data, each for a timeout more.
#[test]
fn whatever_comes_from_the_mobile_refreshes_its_entries() {
    let mut node = access(2);
    node.update(S, 3, ROUTE);
    assert_eq!(node.data(9 * S, Some(3), (MOBILE, 0)), ["#1 > 1"]);
    node.update(17 * S, 3, ROUTE);
    // Elsewhere is paged only: the route stays where it is.
    node.update(18 * S, 4, Message::PagingUpdate);
    node.down(17 * S + ROUTE_TIMEOUT - 1, &["3"]);
    node.down(17 * S + ROUTE_TIMEOUT, &["4"]);
    // Another mobile's packets do nothing for this one.
    node.data(30 * S, Some(3), (9, 0));
    node.down(31 * S, &["4"]);
    // Neither does what comes from above in its name.
    node.data(32 * S, Some(1), (MOBILE, 9));
    node.down(33 * S, &["4"]);
}

/// The first packet from another side takes the place of the old entry.
#[test]
fn a_hard_handoff_replaces_the_route() {
    let mut node = access(2);
    node.update(S, 3, ROUTE);
    assert_eq!(node.router.next_hop(NodeId(MOBILE)), Some(NodeId(3)));
    node.data(2 * S, Some(4), (MOBILE, 0));
    assert_eq!(node.router.next_hop(NodeId(MOBILE)), Some(NodeId(4)));
    node.down(3 * S, &["4"]);
    // Not even after the new entry is dead does the old one come back.
    node.down(2 * S + PAGING_TIMEOUT - 1, &["4"]);
}

/// A semisoft update stands beside the old entry; packets to the new side wait for the delay device,
/// or until the mobile is there.
#[test]
fn a_semisoft_entry_stands_beside_the_old_one() {
    let mut node = access(2);
    node.update(S, 3, ROUTE);
    assert_eq!(node.update(2 * S, 4, SEMISOFT), ["semisoft > 1"]);
    node.down(2 * S, &["3"]);
    assert_eq!(node.router.next_wake(), at(2 * S + DEVICE));
    assert!(node.wake(2 * S + DEVICE - 1).is_empty());
    assert_eq!(node.wake(2 * S + DEVICE), ["#1 > 4"]);
    node.down(2 * S + 2 * DEVICE, &["3"]);
    // What waits goes first.
    let said = node.data(2 * S + 2 * DEVICE + 1, Some(4), (MOBILE, 0));
    assert_eq!(said, ["#2 > 4", "#3 > 1"]);
    node.down(2 * S + 2 * DEVICE + 2, &["4"]);
    assert_eq!(node.router.next_wake(), Instant::NEVER);
}

/// A semisoft handoff that never comes about dies like any other entry, and the old one stays.
#[test]
fn a_semisoft_entry_that_is_not_confirmed_dies() {
    let mut node = access(2);
    node.update(S, 3, ROUTE);
    node.update(2 * S, 4, SEMISOFT);
    // What comes from the old side completes nothing.
    node.update(4 * S, 3, ROUTE);
    let dies = 2 * S + ROUTE_TIMEOUT;
    node.down(dies - 1, &["3"]);
    assert_eq!(node.wake(dies - 1 + DEVICE), ["#1 > 4"]);
    node.down(dies, &["3"]);
    assert_eq!(node.router.next_wake(), Instant::NEVER);
}

/// Up to the gateway, and down from there: nothing from below turns around on the way.
#[test]
fn packets_of_mobiles_go_up_to_the_gateway() {
    let mut crossover = access(2);
    crossover.update(S, 4, ROUTE);
    let between = (9, MOBILE);
    assert_eq!(crossover.data(2 * S, Some(3), between), ["#1 > 1"]);
    let mut gateway = access(1);
    assert!(gateway.update(S, 2, ROUTE).is_empty(), "the trail ends");
    assert_eq!(gateway.data(2 * S, Some(2), between), ["#1 > 2"]);
    assert_eq!(gateway.data(2 * S, Some(2), (MOBILE, 0)), ["#2 > 0"]);
    assert_eq!(gateway.data(2 * S, Some(2), (MOBILE, 1)), ["#3 here"]);
    // A station pages the mobile that it is asked for, and no other.
    let mut station = access(3);
    assert_eq!(station.data(S, Some(2), (0, MOBILE)), ["#1 > 8"]);
    let mut last_hop = data(7, 0, MOBILE, 1);
    last_hop.ttl = 1;
    station.router.on_packet(at(S), last_hop, Some(NodeId(2)));
    assert_eq!(station.said(), ["#7 Ttl"]);
}

/// Soft state outlives a packet that the link lost, and a station that is switched off forgets it.
#[test]
fn a_node_that_was_off_knows_nothing() {
    let mut node = access(2);
    node.update(S, 4, ROUTE);
    let lost = data(7, 0, MOBILE, 64);
    node.router.on_link_failure(at(S), lost, NodeId(4));
    assert_eq!(node.said(), ["#7 LinkFailure"]);
    node.down(2 * S, &["4"]);
    let Router::Access(access) = &mut node.router else {
        panic!("a node of the network")
    };
    access.forget();
    node.down(3 * S, &["3", "4"]);
}

/// Idle, paged, active, idle again: an update leaves when it is due and at no other time.
#[test]
fn a_mobile_sends_the_updates_that_are_due() {
    let mut mobile = mobile(true);
    assert_eq!(mobile.router.next_wake(), Instant::NEVER);
    assert_eq!(mobile.attach(S, Some(3)), ["paging > 3"]);
    assert_eq!(mobile.router.next_wake(), at(181 * S));
    assert!(mobile.wake(181 * S - 1).is_empty());
    assert_eq!(mobile.wake(181 * S), ["paging > 3"]);
    // The first packet pages it, the second finds it active.
    let down = (0, MOBILE);
    assert_eq!(
        mobile.data(200 * S, Some(3), down),
        ["route > 3", "#1 here"]
    );
    assert_eq!(mobile.data(201 * S, Some(3), down), ["#2 here"]);
    assert_eq!(mobile.router.next_wake(), at(203 * S));
    assert!(mobile.wake(203 * S - 1).is_empty());
    assert_eq!(mobile.wake(203 * S), ["route > 3"]);
    // What it sends itself is as good as an update.
    assert_eq!(mobile.data(204 * S, None, (MOBILE, 0)), ["#3 > 3"]);
    assert_eq!(mobile.wake(207 * S), ["route > 3"]);
    // Active until 209 s, before the next update: it is idle then.
    assert_eq!(mobile.router.next_wake(), at(387 * S));
    assert_eq!(mobile.wake(387 * S), ["paging > 3"]);
}

/// At another station an active mobile says so at once, or waits, as it is told; an idle one is paged
/// there.
#[test]
fn what_a_mobile_says_at_another_station() {
    for at_once in [true, false] {
        let mut mobile = mobile(at_once);
        mobile.attach(S, Some(3));
        mobile.data(2 * S, None, (MOBILE, 0));
        let expected: &[&str] = if at_once { &["route > 4"] } else { &[] };
        assert_eq!(mobile.attach(3 * S, Some(4)), expected);
        let next = if at_once { 6 } else { 5 };
        assert_eq!(mobile.router.next_wake(), at(next * S));
        assert_eq!(mobile.data(4 * S, None, (MOBILE, 0)), ["#2 > 4"]);
        // Idle from 9 s on.
        assert_eq!(
            mobile.attach(9 * S - 1, Some(3)).len(),
            usize::from(at_once)
        );
        assert_eq!(mobile.attach(9 * S, Some(4)), ["paging > 4"]);
    }
}

/// The update ahead goes through the new station, and all else through the old one.
#[test]
fn a_mobile_prepares_a_semisoft_handoff() {
    let mut mobile = mobile(true);
    mobile.attach(S, Some(3));
    mobile.data(2 * S, None, (MOBILE, 0));
    let wake = mobile.router.next_wake();
    let Router::Mobile(machine) = &mut mobile.router else {
        panic!("a mobile")
    };
    machine.on_semisoft(NodeId(4));
    assert_eq!(mobile.said(), ["semisoft > 4"]);
    assert_eq!(mobile.router.next_wake(), wake);
    assert_eq!(mobile.data(2 * S, None, (MOBILE, 0)), ["#2 > 3"]);
    assert_eq!(mobile.attach(2 * S + 1, Some(4)), ["route > 4"]);
}

/// Without a station nothing leaves; the first one hears of the mobile whatever the rule for handoffs.
#[test]
fn a_mobile_without_a_station_is_silent() {
    let mut mobile = mobile(false);
    assert_eq!(mobile.data(S, None, (MOBILE, 0)), ["#1 NoRoute"]);
    assert!(mobile.wake(500 * S).is_empty());
    assert_eq!(mobile.data(500 * S, None, (MOBILE, 0)), ["#2 NoRoute"]);
    assert_eq!(mobile.attach(501 * S, Some(3)), ["route > 3"]);
    assert!(mobile.attach(502 * S, None).is_empty());
    assert_eq!(mobile.router.next_wake(), Instant::NEVER);
    // A packet of others that comes by is no business of a mobile.
    assert_eq!(mobile.data(503 * S, Some(3), (0, 9)), ["#3 NoRoute"]);
}

/// Random conversations: a wake before its time leaves no trace in either machine, and one that is due
/// leaves nothing due.
#[test]
fn spurious_wakes_change_nothing() {
    for seed in 0..100 {
        let mut draw = draws(seed);
        for mut node in [access(2), mobile(seed % 2 == 0)] {
            let is_mobile = matches!(node.router, Router::Mobile(_));
            let mut now = 0;
            let mut early = 0;
            for _ in 0..80 {
                now += u64::from(draw.below(2_000)) * if draw.below(8) == 0 { S } else { MS / 100 };
                let due = node.router.next_wake() <= at(now);
                let before = format!("{:?}", node.router);
                let said = node.wake(now);
                if !due {
                    assert!(said.is_empty(), "seed {seed}: {said:?} at {now} ns");
                    assert_eq!(format!("{:?}", node.router), before, "seed {seed}");
                    early += 1;
                }
                assert!(
                    node.router.next_wake() > at(now),
                    "seed {seed}: at {now} ns"
                );
                let side = 3 + draw.below(2);
                let message = [ROUTE, SEMISOFT, Message::PagingUpdate][draw.below(3) as usize];
                match (draw.below(3), is_mobile) {
                    (0, true) => node.attach(now, [None, Some(side)][draw.below(2) as usize]),
                    (1, true) => node.data(now, None, (MOBILE, 0)),
                    (_, true) => node.data(now, Some(side), (0, MOBILE)),
                    (0, false) => node.update(now, side, message),
                    (1, false) => node.data(now, Some(side), (MOBILE, 0)),
                    (_, false) => node.data(now, Some(1), (0, MOBILE)),
                };
            }
            assert!(early > 20, "seed {seed}: {early} wakes were early");
        }
    }
}
