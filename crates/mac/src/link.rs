//! The link layer: a constant delay each way, and ARP (RFC 826) as ns-2 has it.
//!
//! One packet is held for each unresolved neighbour; a second one pushes it out. There is no ARP
//! timer: a request is repeated only when another packet for that neighbour comes, and after
//! three requests without an answer the next packet reports the link as failed. Entries never
//! expire. It is not a queue: what it emits goes to the interface queue at once.

use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::arp::Arp;
use acklab_wire::{Class, Packet, Payload};
use std::collections::VecDeque;
use std::sync::Arc;

/// Parameters of the link layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkConfig {
    /// Time between network layer and interface queue, and between MAC and network layer.
    pub delay: Duration,
    /// Whether addresses must be resolved. Without it every neighbour is known.
    pub arp: bool,
    /// Time before an ARP packet, or a packet that ARP held, enters the interface queue.
    pub arp_delay: Duration,
    /// Requests without an answer after which a neighbour counts as unreachable.
    pub arp_requests: u32,
}

impl LinkConfig {
    /// ns-2.35's `LL` and `ARPTable`.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            delay: Duration::from_micros(25),
            arp: true,
            arp_delay: Duration::from_micros(5),
            arp_requests: 3,
        }
    }
}

/// What the link layer hands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkOutput {
    /// To the interface queue. Routing packets go first.
    Down {
        /// The packet.
        payload: Payload,
        /// Its next hop.
        next_hop: NodeId,
        /// Whether it goes to the head of the queue.
        first: bool,
    },
    /// To the network layer.
    Up {
        /// The packet.
        packet: Packet,
        /// The neighbour that it came from.
        from: NodeId,
    },
    /// ARP got no answer: the network layer learns that the link failed.
    Failed {
        /// The packet.
        packet: Packet,
        /// The neighbour.
        next_hop: NodeId,
    },
    /// The packet was pushed out while it waited for ARP.
    Dropped(Packet),
}

/// What is known of a neighbour's address, in eight bytes with its number: a large network has many of
/// these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Address {
    Known,
    /// So many requests had no answer.
    Asked(u16),
}

#[derive(Clone, Debug)]
struct Delayed {
    at: Instant,
    payload: Payload,
    neighbour: NodeId,
}

/// What a link layer knows of its neighbours' addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Neighbours(Vec<(NodeId, Address)>);

/// The same in no more room than that takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackedNeighbours(Box<[(NodeId, Address)]>);

impl PackedNeighbours {
    /// As a link layer has it.
    #[must_use]
    pub fn unpacked(self) -> Neighbours {
        Neighbours(self.0.into_vec())
    }
}

impl Neighbours {
    /// For as long as no link layer has it.
    #[must_use]
    pub fn packed(self) -> PackedNeighbours {
        PackedNeighbours(self.0.into_boxed_slice())
    }

    fn place(&self, id: NodeId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&id, |(node, _)| *node)
    }

    fn is_known(&self, id: NodeId) -> bool {
        (self.place(id)).is_ok_and(|place| self.0[place].1 == Address::Known)
    }

    fn address(&mut self, id: NodeId) -> &mut Address {
        let place = match self.place(id) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (id, Address::Asked(0)));
                place
            }
        };
        &mut self.0[place].1
    }
}

/// The link layer of one node.
#[derive(Clone, Debug)]
pub struct LinkLayer {
    id: NodeId,
    config: Arc<LinkConfig>,
    neighbours: Neighbours,
    down: VecDeque<Delayed>,
    up: VecDeque<Delayed>,
    /// How many of either can be polled.
    due_up: u32,
    due_down: u32,
    /// While a packet waits for an address, and from the first one on that waited in vain.
    arp: Option<Box<Waiting>>,
}

/// What ARP does with packets.
#[derive(Clone, Debug, Default)]
struct Waiting {
    /// One packet for each neighbour that is asked.
    held: Vec<(NodeId, Packet)>,
    /// What it gave up.
    outputs: VecDeque<LinkOutput>,
}

impl Waiting {
    fn take(&mut self, neighbour: NodeId) -> Option<Packet> {
        let place = self.held.iter().position(|held| held.0 == neighbour)?;
        Some(self.held.swap_remove(place).1)
    }
}

impl LinkLayer {
    /// The link layer of node `id`, of parameters that others may share.
    #[must_use]
    pub fn new(id: NodeId, config: impl Into<Arc<LinkConfig>>) -> Self {
        Self::knowing(id, config, Neighbours::default())
    }

    /// The same where this is known of neighbours.
    #[must_use]
    pub fn knowing(id: NodeId, config: impl Into<Arc<LinkConfig>>, neighbours: Neighbours) -> Self {
        Self {
            id,
            config: config.into(),
            neighbours,
            down: VecDeque::new(),
            up: VecDeque::new(),
            due_up: 0,
            due_down: 0,
            arp: None,
        }
    }

    /// Whether all that is remembered are neighbours: no packet is here, and none waited in vain.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.up.is_empty() && self.down.is_empty() && self.arp.is_none()
    }

    /// The room for packets that wait here, in bytes.
    #[must_use]
    pub fn room(&self) -> usize {
        let held = |arp: &Waiting| {
            size_of::<Waiting>()
                + arp.held.capacity() * size_of::<(NodeId, Packet)>()
                + arp.outputs.capacity() * size_of::<LinkOutput>()
        };
        let held = self.arp.as_deref().map_or(0, held);
        held + (self.up.capacity() + self.down.capacity()) * size_of::<Delayed>()
    }

    /// Gives away what is known of neighbours, who are strangers then.
    pub fn forget_neighbours(&mut self) -> Neighbours {
        std::mem::take(&mut self.neighbours)
    }

    /// The network layer sends a packet to a neighbour, or to all of them.
    pub fn on_send(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        if next_hop.is_broadcast() || self.knows(next_hop) {
            self.delay_down(now + self.config.delay, Payload::Ip(packet), next_hop);
        } else {
            self.resolve(now, packet, next_hop);
        }
    }

    /// The MAC received a payload from a neighbour.
    pub fn on_payload(&mut self, now: Instant, payload: &Payload, from: NodeId) {
        let packet = match payload {
            Payload::Arp(arp) => return self.on_arp(now, *arp),
            // The other packet of a pair is somebody else's.
            Payload::Pair(pair) => &pair.first,
            Payload::Ip(packet) => packet,
        };
        self.up.push_back(Delayed {
            at: now + self.config.delay,
            payload: Payload::Ip(packet.clone()),
            neighbour: from,
        });
    }

    /// The packet that goes up next, and when, if nothing else is on its way in either direction.
    #[inline]
    pub fn only_up(&mut self) -> Option<(Instant, &mut Packet)> {
        let alone = self.up.len() == 1 && self.down.is_empty() && self.has_no_outputs();
        match self.up.front_mut() {
            Some(Delayed {
                at,
                payload: Payload::Ip(packet),
                ..
            }) if alone => Some((*at, packet)),
            _ => None,
        }
    }

    /// Whether nothing is on its way in either direction.
    #[inline]
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.up.is_empty() && self.down.is_empty() && self.has_no_outputs()
    }

    /// Takes the packet that goes up next, to send it to a neighbour at once; for one that is known
    /// [`LinkOutput::Down`] would hand it out [`LinkConfig::delay`] later.
    #[inline]
    pub fn take_up(&mut self) -> Option<Payload> {
        self.up.pop_front().map(|delayed| delayed.payload)
    }

    /// Whether packets for this neighbour leave without asking for its address.
    #[inline]
    #[must_use]
    pub fn knows(&self, neighbour: NodeId) -> bool {
        !self.config.arp || self.neighbours.is_known(neighbour)
    }

    /// How long a packet takes through the link layer, each way.
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.config.delay
    }

    /// The time of a wake has come: what is due can be polled. What is put in from now on cannot,
    /// even if it is due at once.
    pub fn on_wake(&mut self, now: Instant) {
        let due = |delayed: &VecDeque<Delayed>| {
            let due = delayed.iter().take_while(|delayed| delayed.at <= now);
            due.count() as u32
        };
        self.due_up = due(&self.up);
        self.due_down = due(&self.down);
    }

    /// The next thing that the link layer hands on.
    pub fn poll(&mut self) -> Option<LinkOutput> {
        if self.due_up > 0 {
            self.due_up -= 1;
            if let Some(Delayed {
                payload: Payload::Ip(packet),
                neighbour: from,
                ..
            }) = self.up.pop_front()
            {
                return Some(LinkOutput::Up { packet, from });
            }
        }
        if self.due_down > 0 {
            self.due_down -= 1;
            let delayed = self.down.pop_front()?;
            let first = delayed.payload.class() == Class::Routing;
            return Some(LinkOutput::Down {
                payload: delayed.payload,
                next_hop: delayed.neighbour,
                first,
            });
        }
        self.arp.as_mut()?.outputs.pop_front()
    }

    fn has_no_outputs(&self) -> bool {
        let arp = self.arp.as_ref();
        arp.is_none_or(|arp| arp.outputs.is_empty())
    }

    /// When the link layer must be woken.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let at = |delayed: Option<&Delayed>| delayed.map_or(Instant::NEVER, |d| d.at);
        at(self.up.front()).min(at(self.down.front()))
    }

    fn resolve(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        let limit = self.config.arp_requests;
        let address = self.neighbours.address(next_hop);
        let asked = match *address {
            Address::Known => 0,
            Address::Asked(requests) => requests,
        };
        let gives_up = u32::from(asked) >= limit;
        *address = Address::Asked(if gives_up { 0 } else { asked + 1 });
        let arp = self.arp.get_or_insert_default();
        let held = arp.take(next_hop);
        if gives_up {
            for packet in held.into_iter().chain([packet]) {
                let failed = LinkOutput::Failed { packet, next_hop };
                arp.outputs.push_back(failed);
            }
            return;
        }
        arp.held.push((next_hop, packet));
        arp.outputs.extend(held.map(LinkOutput::Dropped));
        let ask = Arp {
            request: true,
            sender: self.id,
            target: next_hop,
        };
        self.delay_down(
            now + self.config.arp_delay,
            Payload::Arp(ask),
            NodeId::BROADCAST,
        );
    }

    /// Whoever asks or answers becomes known, and what waited for it goes out.
    fn on_arp(&mut self, now: Instant, arp: Arp) {
        let at = now + self.config.arp_delay;
        if arp.target == self.id {
            // Packets will come. Of most nodes of a large network no more than one is under way.
            make_room(&mut self.up);
            make_room(&mut self.down);
        }
        *self.neighbours.address(arp.sender) = Address::Known;
        if let Some(waiting) = &mut self.arp
            && let Some(held) = waiting.take(arp.sender)
        {
            if waiting.held.is_empty() && waiting.outputs.is_empty() {
                self.arp = None;
            }
            self.delay_down(at, Payload::Ip(held), arp.sender);
        }
        if arp.request && arp.target == self.id {
            let answer = Arp {
                request: false,
                sender: self.id,
                target: arp.sender,
            };
            self.delay_down(at, Payload::Arp(answer), arp.sender);
        }
    }

    fn delay_down(&mut self, at: Instant, payload: Payload, neighbour: NodeId) {
        let delayed = Delayed {
            at,
            payload,
            neighbour,
        };
        if self.down.back().is_none_or(|last| last.at <= at) {
            return self.down.push_back(delayed);
        }
        let place = self.down.partition_point(|other| other.at <= at);
        self.down.insert(place, delayed);
    }
}

/// Room for one at first, where there is none.
pub(crate) fn make_room<T>(list: &mut VecDeque<T>) {
    if list.capacity() == 0 {
        list.reserve_exact(1);
    }
}

#[cfg(test)]
mod tests;
