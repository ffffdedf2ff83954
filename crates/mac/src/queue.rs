//! The interface queue: drop-tail, with routing packets ahead of the rest
//! (ns-2's `Queue/DropTail/PriQueue`).

use acklab_base::NodeId;
use acklab_wire::Payload;
use std::collections::VecDeque;

/// A packet that waits for the MAC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// The packet.
    pub payload: Payload,
    /// Its next hop, or the broadcast address.
    pub next_hop: NodeId,
}

/// The queue between link layer and MAC. The packet that the MAC has in hand does not count.
#[derive(Clone, Debug)]
pub struct InterfaceQueue {
    waiting: VecDeque<Queued>,
    capacity: usize,
}

impl InterfaceQueue {
    /// An empty queue for at most `capacity` packets.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            waiting: VecDeque::with_capacity(capacity + 1),
            capacity,
        }
    }

    /// Appends a packet. When the queue is full, gives back the packet that is lost: this one.
    pub fn push_back(&mut self, packet: Queued) -> Option<Queued> {
        if self.waiting.len() >= self.capacity {
            return Some(packet);
        }
        self.waiting.push_back(packet);
        None
    }

    /// Puts a packet first. When the queue was full, gives back the packet that is lost: the
    /// last one.
    pub fn push_front(&mut self, packet: Queued) -> Option<Queued> {
        self.waiting.push_front(packet);
        if self.waiting.len() > self.capacity {
            self.waiting.pop_back()
        } else {
            None
        }
    }

    /// Takes the first packet.
    pub fn pop(&mut self) -> Option<Queued> {
        self.waiting.pop_front()
    }

    /// Removes every packet for `next_hop`, in order, and hands each to `lost`.
    pub fn purge(&mut self, next_hop: NodeId, mut lost: impl FnMut(Queued)) {
        for _ in 0..self.waiting.len() {
            let Some(packet) = self.waiting.pop_front() else {
                break;
            };
            if packet.next_hop == next_hop {
                lost(packet);
            } else {
                self.waiting.push_back(packet);
            }
        }
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
    use acklab_wire::arp::Arp;

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
        assert_eq!(queue.push_back(packet(1, 1)), None);
        assert_eq!(queue.push_back(packet(2, 1)), None);
        assert_eq!(queue.push_back(packet(3, 1)), Some(packet(3, 1)));
        assert_eq!(queue.push_front(packet(4, 1)), Some(packet(2, 1)));
        assert_eq!(queue.pop(), Some(packet(4, 1)));
        assert_eq!(queue.pop(), Some(packet(1, 1)));
        assert!(queue.is_empty());
    }

    #[test]
    fn a_purge_takes_one_next_hop_and_keeps_the_order_of_the_rest() {
        let mut queue = InterfaceQueue::new(9);
        for (target, next_hop) in [(1, 1), (2, 2), (3, 1), (4, 2)] {
            queue.push_back(packet(target, next_hop));
        }
        let mut lost = Vec::new();
        queue.purge(NodeId(1), |packet| lost.push(packet));
        assert_eq!(lost, [packet(1, 1), packet(3, 1)]);
        assert_eq!(queue.pop(), Some(packet(2, 2)));
        assert_eq!(queue.pop(), Some(packet(4, 2)));
    }
}
