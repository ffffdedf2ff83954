//! The interface queue: drop-tail, with routing packets ahead of the rest (ns-2's
//! `Queue/DropTail/PriQueue`), or with four strict classes (ns-2's `CMUPriQueue`, made for DSR).

use crate::link::make_room;
use acklab_base::NodeId;
use acklab_wire::{Class, Pair, Payload};
use std::collections::VecDeque;

/// A packet that waits for the MAC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// The packet.
    pub payload: Payload,
    /// Its next hop, or the broadcast address.
    pub next_hop: NodeId,
}

/// Who goes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Discipline {
    /// Packets at the head ([`InterfaceQueue::push_front`]) before the rest, the last one first;
    /// one limit for all.
    HeadAndTail,
    /// Routing before real-time before TCP acknowledgements before the rest, each in order of
    /// arrival and with a limit of its own. No traffic here is real-time: that class stays empty.
    Classes,
}

/// The rank of a packet among the classes, first to last.
const fn rank(class: Class) -> u8 {
    match class {
        Class::Routing => 0,
        Class::TcpAck => 2,
        Class::TcpData | Class::Udp | Class::Arp => 3,
    }
}

/// Whether two packets may share a frame: TCP data and a TCP ACK, to two neighbours.
fn may_pair(one: &Queued, other: &Queued) -> bool {
    let tcp = matches!(
        (one.payload.class(), other.payload.class()),
        (Class::TcpData, Class::TcpAck) | (Class::TcpAck, Class::TcpData)
    );
    tcp && one.next_hop != other.next_hop
        && !one.next_hop.is_broadcast()
        && !other.next_hop.is_broadcast()
}

/// One frame of two packets. It goes to the neighbour of the data packet, which acknowledges it;
/// a lost TCP ACK is made good by the next one, a lost data packet is not.
fn paired(one: Queued, other: Queued) -> Queued {
    let data_first = one.payload.class() == Class::TcpData;
    let (data, ack) = if data_first {
        (one, other)
    } else {
        (other, one)
    };
    match (data.payload, ack.payload) {
        (Payload::Ip(first), Payload::Ip(second)) => Queued {
            payload: Payload::Pair(Box::new(Pair {
                first,
                second,
                second_to: ack.next_hop,
            })),
            next_hop: data.next_hop,
        },
        (payload, _) => unreachable!("no TCP packet: {payload:?}"),
    }
}

/// The queue between link layer and MAC. The packet that the MAC has in hand does not count.
#[derive(Clone, Debug)]
pub struct InterfaceQueue {
    waiting: VecDeque<Queued>,
    capacity: u32,
    discipline: Discipline,
    pairs: bool,
}

impl InterfaceQueue {
    /// An empty queue for at most `capacity` packets.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        Self {
            waiting: VecDeque::new(),
            capacity,
            discipline: Discipline::HeadAndTail,
            pairs: false,
        }
    }

    /// An empty queue for at most `capacity` packets of each class.
    #[must_use]
    pub fn with_classes(capacity: u32) -> Self {
        Self {
            waiting: VecDeque::new(),
            capacity,
            discipline: Discipline::Classes,
            pairs: false,
        }
    }

    /// Puts a packet behind those of its class, or gives it back if there are too many.
    fn push_in_class(&mut self, packet: Queued) -> Option<Queued> {
        let own = rank(packet.payload.class());
        let rank_of = |other: &Queued| rank(other.payload.class());
        let place = self.waiting.partition_point(|other| rank_of(other) <= own);
        let first = self.waiting.partition_point(|other| rank_of(other) < own);
        if place - first >= self.capacity as usize {
            return Some(packet);
        }
        self.waiting.insert(place, packet);
        None
    }

    /// Appends a packet. When the queue is full, gives back the packet that is lost: this one.
    pub fn push_back(&mut self, packet: Queued) -> Option<Queued> {
        if self.discipline == Discipline::Classes {
            return self.push_in_class(packet);
        }
        if self.waiting.len() >= self.capacity as usize {
            return Some(packet);
        }
        make_room(&mut self.waiting);
        self.waiting.push_back(packet);
        None
    }

    /// Puts a packet first, or in its class. When the queue was full, gives back the packet that is lost: the
    /// last one.
    pub fn push_front(&mut self, packet: Queued) -> Option<Queued> {
        if self.discipline == Discipline::Classes {
            return self.push_in_class(packet);
        }
        self.waiting.push_front(packet);
        if self.waiting.len() > self.capacity as usize {
            self.waiting.pop_back()
        } else {
            None
        }
    }

    /// Whether a packet that is put in now is the one that leaves next.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.waiting.is_empty() && self.capacity > 0
    }

    /// From now on a TCP data packet and a TCP ACK for two neighbours leave together.
    pub fn combine(&mut self) {
        self.pairs = true;
    }

    /// Takes the first packet; of pairs, with the oldest packet that may share its frame.
    pub fn pop(&mut self) -> Option<Queued> {
        let head = self.waiting.pop_front()?;
        if !self.pairs {
            return Some(head);
        }
        let place = self.waiting.iter().position(|other| may_pair(&head, other));
        let partner = place.and_then(|place| self.waiting.remove(place));
        Some(match partner {
            Some(partner) => paired(head, partner),
            None => head,
        })
    }

    /// Takes the first packet for `next_hop`, whatever waits before it.
    pub fn take_for(&mut self, next_hop: NodeId) -> Option<Queued> {
        let place = self
            .waiting
            .iter()
            .position(|one| one.next_hop == next_hop)?;
        self.waiting.remove(place)
    }

    /// The room for packets that wait, in bytes.
    #[must_use]
    pub fn room(&self) -> usize {
        self.waiting.capacity() * size_of::<Queued>()
    }

    /// Packets that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_base::{FlowId, Seq32};
    use acklab_wire::arp::Arp;
    use acklab_wire::{Flags, Options, Packet, Segment};

    fn tcp(id: u32, forward: bool, next_hop: u32) -> Queued {
        let segment = Segment {
            flow: FlowId(0),
            forward,
            seq: Seq32(0),
            ack: Seq32(0),
            flags: Flags::default(),
            window: 0,
            len: 0,
            retransmission: false,
            options: Options::NONE,
        };
        let packet = Packet::tcp(id, NodeId(0), NodeId(1), 1, segment);
        Queued {
            payload: Payload::Ip(packet),
            next_hop: NodeId(next_hop),
        }
    }

    fn packet(target: u32, next_hop: u32) -> Queued {
        let arp = Arp {
            request: true,
            sender: NodeId(0),
            target: NodeId(target),
        };
        Queued {
            payload: Payload::Arp(arp),
            next_hop: NodeId(next_hop),
        }
    }

    #[test]
    fn the_tail_is_dropped_when_full() {
        let mut queue = InterfaceQueue::new(2);
        assert!(queue.is_open() && !InterfaceQueue::new(0).is_open());
        assert_eq!(queue.push_back(packet(1, 1)), None);
        assert!(!queue.is_open());
        assert_eq!(queue.push_back(packet(2, 1)), None);
        assert_eq!(queue.push_back(packet(3, 1)), Some(packet(3, 1)));
        assert_eq!(queue.push_front(packet(4, 1)), Some(packet(2, 1)));
        assert_eq!(queue.pop(), Some(packet(4, 1)));
        assert_eq!(queue.pop(), Some(packet(1, 1)));
        assert!(queue.is_empty());
    }

    #[test]
    fn classes_go_in_their_order_and_have_limits_of_their_own() {
        let tcp = |id, forward| tcp(id, forward, 1);
        let mut queue = InterfaceQueue::with_classes(2);
        assert_eq!(queue.push_back(tcp(1, true)), None);
        assert_eq!(queue.push_back(tcp(2, false)), None);
        assert_eq!(queue.push_back(packet(3, 1)), None);
        assert_eq!(queue.push_back(tcp(4, true)), Some(tcp(4, true)));
        assert_eq!(queue.push_back(tcp(5, false)), None);
        assert_eq!(queue.push_front(tcp(6, false)), Some(tcp(6, false)));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(
            order,
            [tcp(2, false), tcp(5, false), tcp(1, true), packet(3, 1)]
        );
    }

    #[test]
    fn what_is_taken_for_one_next_hop_comes_in_order_and_leaves_the_rest() {
        let mut queue = InterfaceQueue::new(9);
        for (target, next_hop) in [(1, 1), (2, 2), (3, 1), (4, 2)] {
            queue.push_back(packet(target, next_hop));
        }
        let lost: Vec<_> = std::iter::from_fn(|| queue.take_for(NodeId(1))).collect();
        assert_eq!(lost, [packet(1, 1), packet(3, 1)]);
        assert_eq!(queue.pop(), Some(packet(2, 2)));
        assert_eq!(queue.pop(), Some(packet(4, 2)));
    }

    /// A relay between nodes 0 and 2: data go to 2, ACKs to 0.
    #[test]
    fn data_and_an_ack_for_two_neighbours_leave_together() {
        let ids = |queued: Option<Queued>| match queued.map(|one| (one.payload, one.next_hop.0)) {
            Some((Payload::Pair(pair), to)) => {
                vec![(pair.first.id, to), (pair.second.id, pair.second_to.0)]
            }
            Some((Payload::Ip(packet), to)) => vec![(packet.id, to)],
            _ => Vec::new(),
        };
        let mut queue = InterfaceQueue::new(9);
        queue.combine();
        for packet in [tcp(1, false, 0), tcp(2, false, 0), tcp(3, true, 0)] {
            assert_eq!(queue.push_back(packet), None);
        }
        for packet in [tcp(4, true, 2), packet(9, 1), tcp(5, true, 2)] {
            assert_eq!(queue.push_back(packet), None);
        }
        // The data packet comes first in the frame, whichever waited longer; 3 goes the ACK's way.
        assert_eq!(ids(queue.pop()), [(4, 2), (1, 0)]);
        assert_eq!(ids(queue.pop()), [(5, 2), (2, 0)]);
        assert_eq!(ids(queue.pop()), [(3, 0)]);
        assert_eq!(queue.pop(), Some(packet(9, 1)));
    }
}
