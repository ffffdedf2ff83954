//! A node above its MAC: interface queue, link layer, router; and what the node counts.

use crate::links::Port;
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_mac::{InterfaceQueue, LinkLayer, LinkOutput, Queued};
use acklab_routing::{DropReason as RouteDrop, Router, RouterOutput, Step};
use acklab_trace::{Digest, DropReason, Event, Tally};
use acklab_wire::frame::LONGEST_PACKET_BYTES;
use acklab_wire::{Class, Packet, Payload};

/// The machines of a node between MAC and transport.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) queue: InterfaceQueue,
    pub(crate) link: LinkLayer,
    pub(crate) router: Router,
    /// Without a radio, and with fixed next hops: nothing in it ever wakes.
    pub(crate) is_bare: bool,
    /// Only passes packets on: [`crate::ahead`].
    pub(crate) is_relay: bool,
    pub(crate) counters: Tally,
    pub(crate) digest: Digest,
    pub(crate) next_packet_id: u32,
    /// What few nodes have.
    extras: Option<Box<Extras>>,
}

#[derive(Debug, Default)]
struct Extras {
    /// Ends of point-to-point links.
    ports: Vec<Port>,
    /// The last frame of each neighbour whose second packet this node took.
    seconds: Vec<(NodeId, u16)>,
}

impl Stack {
    pub(crate) fn new(
        queue: InterfaceQueue,
        link: LinkLayer,
        router: Router,
        ports: Vec<Port>,
    ) -> Self {
        let extras = (!ports.is_empty()).then(|| {
            Box::new(Extras {
                ports,
                ..Extras::default()
            })
        });
        Self {
            queue,
            link,
            router,
            is_bare: false,
            is_relay: extras.is_none(),
            counters: Tally::default(),
            digest: Digest::default(),
            next_packet_id: 0,
            extras,
        }
    }

    /// Whether it is as it was built, but for the neighbours that it heard of. Those at the ends of flows never
    /// are.
    pub(crate) fn is_new(&self) -> bool {
        self.is_relay
            && self.queue.is_empty()
            && self.link.is_idle()
            && matches!(&self.router, Router::Static(router) if router.is_new())
            && self.counters == Tally::default()
            && self.digest == Digest::default()
            && self.next_packet_id == 0
            && self.extras.is_none()
    }

    /// Its ends of point-to-point links.
    #[inline]
    pub(crate) fn ports(&self) -> &[Port] {
        self.extras.as_ref().map_or(&[], |extras| &extras.ports)
    }

    pub(crate) fn next_wake(&self) -> Instant {
        self.link.next_wake().min(self.router.next_wake())
    }

    /// A number for the next packet that this node makes.
    pub(crate) fn packet_id(&mut self) -> u32 {
        self.next_packet_id += 1;
        self.next_packet_id
    }
}

impl World {
    /// Link layer and router do what is due.
    pub(crate) fn wake_stack(&mut self, now: Instant, node: NodeId) {
        let place = self.seats.of(node);
        self.stacks[place].link.on_wake(now);
        self.drain_link(now, node);
        if self.stacks[place].router.next_wake() <= now {
            self.stacks[place].router.on_wake(now);
            self.drain_router(now, node);
        }
    }

    /// The MAC gave a packet up.
    pub(crate) fn packet_failed(
        &mut self,
        at: Instant,
        node: NodeId,
        payload: Payload,
        next_hop: NodeId,
    ) {
        let class = payload.class();
        self.stacks[self.seats.of(node)]
            .counters
            .count_retry_drop(class);
        self.dropped(at, node, class, DropReason::RetryLimit);
        let packet = match payload {
            Payload::Ip(packet) => Some(packet),
            // Whether the other neighbour has its packet is not known; TCP repairs it.
            Payload::Pair(pair) => Some(pair.first),
            Payload::Arp(_) => None,
        };
        if let Some(packet) = packet {
            self.link_failed(at, node, packet, next_hop);
        }
    }

    fn link_failed(&mut self, at: Instant, node: NodeId, packet: Packet, next_hop: NodeId) {
        if packet.class() != Class::Routing {
            let in_range = self
                .reach
                .between(node, next_hop, at)
                .is_some_and(|hop| hop.decodable());
            let counters = &mut self.stacks[self.seats.of(node)].counters;
            counters.link_failures += 1;
            counters.false_route_failures += u32::from(in_range);
            self.record(
                at,
                node,
                Event::LinkFailure {
                    next_hop,
                    is_false: in_range,
                },
            );
        }
        self.stacks[self.seats.of(node)]
            .router
            .on_link_failure(at, packet, next_hop);
        self.drain_router(at, node);
    }

    fn drain_link(&mut self, at: Instant, node: NodeId) {
        while let Some(output) = self.stacks[self.seats.of(node)].link.poll() {
            match output {
                LinkOutput::Down {
                    payload,
                    next_hop,
                    first,
                } => {
                    self.enqueue(at, node, Queued { payload, next_hop }, first);
                }
                LinkOutput::Up { packet, from } => self.climb(at, node, packet, from),
                LinkOutput::Failed { packet, next_hop } => {
                    self.stacks[self.seats.of(node)].counters.arp_drops += 1;
                    self.dropped(at, node, packet.class(), DropReason::ArpFailed);
                    self.link_failed(at, node, packet, next_hop);
                }
                LinkOutput::Dropped(packet) => {
                    self.stacks[self.seats.of(node)].counters.arp_drops += 1;
                    self.dropped(at, node, packet.class(), DropReason::ArpReplaced);
                }
            }
        }
    }

    pub(crate) fn enqueue(&mut self, at: Instant, node: NodeId, packet: Queued, first: bool) {
        self.settle_for_stack(node);
        debug_assert!(!self.crowd.has(node), "{node:?} only listens");
        self.count_too_long(&packet.payload);
        if self.folds.is_on() {
            return self.enqueue_folded(at, node, packet, first);
        }
        let place = self.seats.of(node);
        let queue = &mut self.stacks[place].queue;
        let dcf = &mut self.stations[place].dcf;
        if dcf.is_ready() && queue.is_open() {
            return dcf.on_packet(at, packet.payload, packet.next_hop);
        }
        let lost = if first {
            queue.push_front(packet)
        } else {
            queue.push_back(packet)
        };
        if let Some(lost) = lost {
            self.stacks[place].counters.queue_drops += 1;
            self.dropped(at, node, lost.payload.class(), DropReason::QueueFull);
        }
        let queue = &mut self.stacks[place].queue;
        let dcf = &mut self.stations[place].dcf;
        if dcf.is_ready()
            && let Some(next) = queue.pop()
        {
            dcf.on_packet(at, next.payload, next.next_hop);
        }
        dcf.set_has_more(!queue.is_empty());
    }

    #[inline(always)]
    pub(crate) fn count_too_long(&mut self, payload: &Payload) {
        // Two packets in one frame are no frame of 802.11 anyway.
        let one = matches!(payload, Payload::Ip(_));
        self.too_long += u64::from(one && payload.bytes() > LONGEST_PACKET_BYTES);
    }

    /// Does what the router asks for, until it asks for nothing more.
    pub(crate) fn drain_router(&mut self, at: Instant, node: NodeId) {
        while let Some(output) = self.stacks[self.seats.of(node)].router.poll() {
            match output {
                RouterOutput::Send { packet, next_hop } => {
                    self.count_routing(at, node, &packet);
                    self.send(at, node, packet, next_hop);
                }
                RouterOutput::Deliver(packet) => self.deliver(at, node, &packet),
                RouterOutput::Drop { packet, reason } => {
                    self.route_dropped(at, node, &packet, reason);
                }
                RouterOutput::PurgeQueue { next_hop } => self.purge(at, node, next_hop),
                RouterOutput::ReclaimQueue { next_hop } => self.reclaim(at, node, next_hop),
                RouterOutput::Note(note) => self.note_routing(at, node, note),
            }
        }
    }

    /// A packet that was made here, or that comes from a neighbour, finds its way.
    #[inline(always)]
    pub(crate) fn route(
        &mut self,
        at: Instant,
        node: NodeId,
        mut packet: Packet,
        from: Option<NodeId>,
    ) {
        let router = &mut self.stacks[self.seats.of(node)].router;
        let Router::Static(fixed) = router else {
            router.on_packet(at, packet, from);
            return self.drain_router(at, node);
        };
        match fixed.decide(&mut packet, from) {
            Step::Send(next_hop) => self.send(at, node, packet, next_hop),
            Step::Deliver => self.deliver(at, node, &packet),
            Step::Drop(reason) => self.route_dropped(at, node, &packet, reason),
        }
    }

    /// By link or by radio.
    #[inline(always)]
    fn send(&mut self, at: Instant, node: NodeId, packet: Packet, next_hop: NodeId) {
        if !self.agents.is_empty() {
            self.send_on(at, node, packet, next_hop);
        } else {
            self.send_unseen(at, node, packet, next_hop);
        }
    }

    pub(crate) fn send_by_radio(
        &mut self,
        at: Instant,
        node: NodeId,
        packet: Packet,
        next_hop: NodeId,
    ) {
        if self.slotted.is_some() {
            return self.send_in_slots(at, node, packet, next_hop);
        }
        self.stacks[self.seats.of(node)]
            .link
            .on_send(at, packet, next_hop);
        self.drain_link(at, node);
    }

    /// A packet from a neighbour climbs to the router, unless an agent stops it.
    #[inline(always)]
    pub(crate) fn climb(&mut self, at: Instant, node: NodeId, packet: Packet, from: NodeId) {
        if self.agents.is_empty() {
            self.route(at, node, packet, Some(from));
        } else if let Some(packet) = self.past_agents(at, node, packet, from) {
            self.route(at, node, packet, Some(from));
        }
    }

    fn purge(&mut self, at: Instant, node: NodeId, next_hop: NodeId) {
        self.settle_for_stack(node);
        while let Some(lost) = self.stacks[self.seats.of(node)].queue.take_for(next_hop) {
            self.purged(at, node, lost.payload.class());
        }
    }

    /// The router takes back what waits for a neighbour; ARP is not its own and is lost.
    fn reclaim(&mut self, at: Instant, node: NodeId, next_hop: NodeId) {
        self.settle_for_stack(node);
        while let Some(queued) = self.stacks[self.seats.of(node)].queue.take_for(next_hop) {
            match queued.payload {
                Payload::Ip(packet) => self.stacks[self.seats.of(node)]
                    .router
                    .on_reclaimed(at, packet),
                // Pairs are made when they leave the queue: none waits in it.
                Payload::Arp(_) | Payload::Pair(_) => self.purged(at, node, Class::Arp),
            }
        }
    }

    fn purged(&mut self, at: Instant, node: NodeId, class: Class) {
        self.stacks[self.seats.of(node)].counters.purged_drops += 1;
        self.dropped(at, node, class, DropReason::Purged);
    }

    /// The MAC decoded a data frame for somebody else.
    pub(crate) fn overhear(&mut self, at: Instant, node: NodeId, from: NodeId, sequence: u16) {
        let sender = &self.stations[self.seats.of(from)].dcf;
        match sender.payload(sequence) {
            Some(Payload::Ip(packet)) => {
                self.stacks[self.seats.of(node)]
                    .router
                    .on_overheard(at, packet);
                self.drain_router(at, node);
                self.reschedule_stack(node);
            }
            Some(Payload::Pair(pair)) if pair.second_to == node => {
                let second = pair.second.clone();
                self.take_second(at, node, second, (from, sequence));
            }
            _ => {}
        }
    }

    /// The packet of a pair that is for a neighbour which the frame was not addressed to. A frame
    /// that is sent again has its number.
    fn take_second(&mut self, at: Instant, node: NodeId, packet: Packet, mark: (NodeId, u16)) {
        let stack = &mut self.stacks[self.seats.of(node)];
        let seconds = &mut stack.extras.get_or_insert_default().seconds;
        let known = seconds.iter_mut().find(|known| known.0 == mark.0);
        match known {
            Some(known) if known.1 == mark.1 => return,
            Some(known) => known.1 = mark.1,
            None => seconds.push(mark),
        }
        stack.counters.rest().pair_seconds += 1;
        stack.link.on_payload(at, &Payload::Ip(packet), mark.0);
        self.reschedule_stack(node);
    }

    fn route_dropped(&mut self, at: Instant, node: NodeId, packet: &Packet, reason: RouteDrop) {
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        let reason = match reason {
            // The MAC's drop was counted when it happened.
            RouteDrop::LinkFailure => return,
            RouteDrop::Loop => {
                counters.rest().loop_drops += 1;
                DropReason::Loop
            }
            RouteDrop::Ttl => {
                counters.rest().ttl_drops += 1;
                DropReason::TimeToLive
            }
            RouteDrop::NoRoute => {
                counters.no_route_drops += 1;
                DropReason::NoRoute
            }
            RouteDrop::BufferFull
            | RouteDrop::BufferTimeout
            | RouteDrop::DiscoveryFailed
            | RouteDrop::RouteExpired => {
                counters.no_route_drops += 1;
                DropReason::RouteBuffer
            }
        };
        self.dropped(at, node, packet.class(), reason);
    }

    pub(crate) fn dropped(&mut self, at: Instant, node: NodeId, class: Class, why: DropReason) {
        self.stacks[self.seats.of(node)]
            .digest
            .mix(at, 32 + class as u16, why as u64);
        self.record(at, node, Event::PacketDropped { class, reason: why });
    }
}
