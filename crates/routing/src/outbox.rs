//! What a router has decided but not yet handed over: outputs in order, and sends that wait.
//!
//! Shared by the routing protocols. It decides nothing. The one invariant: waiting sends leave in
//! the order (time, order of scheduling), so that equal times never depend on chance.

use crate::{DropReason, RouterNote, RouterOutput};
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::{Body, Packet};
use std::collections::VecDeque;

/// Packets made by a router carry this bit in their id, so that they never share an id with those
/// of the node's transport agents.
const ROUTER_ID_BIT: u32 = 1 << 31;

#[derive(Clone, Debug)]
struct Waiting {
    at: Instant,
    packet: Packet,
    next_hop: NodeId,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    ready: VecDeque<RouterOutput>,
    /// Sorted by time; equal times in the order in which they were put in.
    waiting: VecDeque<Waiting>,
    made: u32,
}

impl Outbox {
    /// The id of the next packet of this router.
    pub(crate) fn next_id(&mut self) -> u32 {
        let id = ROUTER_ID_BIT | (self.made & !ROUTER_ID_BIT);
        self.made = self.made.wrapping_add(1);
        id
    }

    /// A packet of the routing protocol itself, with the next id of this router.
    pub(crate) fn make(
        &mut self,
        source: NodeId,
        destination: NodeId,
        ttl: u8,
        bytes: u32,
        body: Body,
    ) -> Packet {
        Packet {
            id: self.next_id(),
            source,
            destination,
            ttl,
            bytes,
            body,
        }
    }

    pub(crate) fn send(&mut self, packet: Packet, next_hop: NodeId) {
        self.ready
            .push_back(RouterOutput::Send { packet, next_hop });
    }

    /// Sends at `now + delay`; a delay of zero is no delay.
    pub(crate) fn send_after(
        &mut self,
        now: Instant,
        delay: Duration,
        packet: Packet,
        next_hop: NodeId,
    ) {
        if delay == Duration::ZERO {
            return self.send(packet, next_hop);
        }
        let at = now + delay;
        let place = self.waiting.partition_point(|other| other.at <= at);
        self.waiting.insert(
            place,
            Waiting {
                at,
                packet,
                next_hop,
            },
        );
    }

    /// Makes every waiting send ready whose time has come.
    pub(crate) fn release(&mut self, now: Instant) {
        while self.waiting.front().is_some_and(|first| first.at <= now) {
            if let Some(first) = self.waiting.pop_front() {
                self.send(first.packet, first.next_hop);
            }
        }
    }

    /// Makes every waiting send to this neighbour ready, whenever its time comes.
    pub(crate) fn release_to(&mut self, next_hop: NodeId) {
        let mut kept = VecDeque::with_capacity(self.waiting.len());
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.next_hop == next_hop {
                self.send(waiting.packet, next_hop);
            } else {
                kept.push_back(waiting);
            }
        }
        self.waiting = kept;
    }

    /// When the first waiting send is due.
    pub(crate) fn next_release(&self) -> Instant {
        self.waiting
            .front()
            .map_or(Instant::NEVER, |first| first.at)
    }

    pub(crate) fn deliver(&mut self, packet: Packet) {
        self.ready.push_back(RouterOutput::Deliver(packet));
    }

    pub(crate) fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.ready.push_back(RouterOutput::Drop { packet, reason });
    }

    pub(crate) fn purge_queue(&mut self, next_hop: NodeId) {
        self.ready.push_back(RouterOutput::PurgeQueue { next_hop });
    }

    pub(crate) fn reclaim_queue(&mut self, next_hop: NodeId) {
        self.ready
            .push_back(RouterOutput::ReclaimQueue { next_hop });
    }

    pub(crate) fn note(&mut self, note: RouterNote) {
        self.ready.push_back(RouterOutput::Note(note));
    }

    pub(crate) fn poll(&mut self) -> Option<RouterOutput> {
        self.ready.pop_front()
    }

    /// How much fits into both queues without an allocation.
    #[cfg(test)]
    pub(crate) fn room(&self) -> [usize; 2] {
        [self.ready.capacity(), self.waiting.capacity()]
    }
}
