//! The send buffer: packets that wait for a route, first come, first served.
//!
//! Shared by the on-demand protocols. It knows no routes. The one invariant: it never holds more
//! than its capacity, and a newcomer is never refused: the oldest leaves for it.

use crate::DropReason;
use crate::outbox::Outbox;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::Packet;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    capacity: usize,
    timeout: Duration,
    /// In order of arrival, therefore in order of expiry.
    packets: VecDeque<(Instant, Packet)>,
}

impl SendBuffer {
    pub(crate) fn new(capacity: usize, timeout: Duration) -> Self {
        assert!(
            capacity > 0,
            "a send buffer without room would lose every first packet"
        );
        Self {
            capacity,
            timeout,
            packets: VecDeque::new(),
        }
    }

    /// Puts a packet at the end; makes room first, by age and then by order.
    pub(crate) fn push(&mut self, now: Instant, packet: Packet, out: &mut Outbox) {
        self.drop_expired(now, out);
        if self.packets.len() == self.capacity
            && let Some((_, oldest)) = self.packets.pop_front()
        {
            out.drop(oldest, DropReason::BufferFull);
        }
        self.packets.push_back((now + self.timeout, packet));
    }

    /// Takes out the oldest live packet for `destination`.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        destination: NodeId,
        out: &mut Outbox,
    ) -> Option<Packet> {
        self.drop_expired(now, out);
        let place = self
            .packets
            .iter()
            .position(|(_, packet)| packet.destination == destination)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Drops all packets for `destination`.
    pub(crate) fn drop_for(
        &mut self,
        now: Instant,
        destination: NodeId,
        reason: DropReason,
        out: &mut Outbox,
    ) {
        while let Some(packet) = self.take(now, destination, out) {
            out.drop(packet, reason);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether a packet for `destination` waits. An expired packet counts until it is noticed: only
    /// [`SendBuffer::push`], [`SendBuffer::take`] and [`SendBuffer::drop_expired`] look at the age.
    pub(crate) fn has(&self, destination: NodeId) -> bool {
        self.packets
            .iter()
            .any(|(_, packet)| packet.destination == destination)
    }

    /// Drops what has waited for too long.
    pub(crate) fn drop_expired(&mut self, now: Instant, out: &mut Outbox) {
        while self
            .packets
            .front()
            .is_some_and(|(expires, _)| *expires < now)
        {
            if let Some((_, packet)) = self.packets.pop_front() {
                out.drop(packet, DropReason::BufferTimeout);
            }
        }
    }
}
