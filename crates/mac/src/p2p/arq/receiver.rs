//! The receiving half: each packet is handed up once, at once or in sequence.
//!
//! Invariant: what is handed up was not handed up before, and in sequence mode nothing is handed
//! up while an earlier packet may still come.

use super::Order;
use acklab_base::{Duration, Instant};
use acklab_wire::Packet;
use std::collections::VecDeque;

/// What is known of a packet above the floor.
#[derive(Clone, Debug)]
enum Slot {
    /// Not here; a later one has been here since.
    Missing(Instant),
    /// Here, and waits for an earlier one.
    Waiting(Packet),
    /// Handed up.
    Passed,
}

/// What a frame was for the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::p2p) enum Arrived {
    /// A packet that was not here before; if it had been missed, for how long.
    New { missed: Option<Duration> },
    /// A second copy.
    Duplicate,
}

/// The receiving half of one end.
#[derive(Clone, Debug)]
pub(in crate::p2p) struct ArqReceiver {
    order: Order,
    /// Everything below was handed up, or will never come.
    floor: u64,
    slots: VecDeque<Slot>,
    /// What is to be handed up.
    pub(in crate::p2p) up: VecDeque<Packet>,
}

impl ArqReceiver {
    pub(in crate::p2p) fn new(order: Order) -> Self {
        Self {
            order,
            floor: 0,
            slots: VecDeque::with_capacity(64),
            up: VecDeque::with_capacity(64),
        }
    }

    /// An undamaged frame arrives: the packet of `identity`; nothing below `oldest` will come.
    pub(in crate::p2p) fn on_frame(
        &mut self,
        now: Instant,
        identity: u64,
        oldest: u64,
        packet: Packet,
    ) -> Arrived {
        let arrived = self.take(now, identity, packet);
        self.raise(oldest);
        arrived
    }

    fn take(&mut self, now: Instant, identity: u64, packet: Packet) -> Arrived {
        let Some(place) = identity.checked_sub(self.floor) else {
            return Arrived::Duplicate;
        };
        let place = place as usize;
        let mut missed = None;
        if place < self.slots.len() {
            match self.slots[place] {
                Slot::Missing(since) => missed = Some(now.saturating_since(since)),
                Slot::Waiting(_) | Slot::Passed => return Arrived::Duplicate,
            }
        }
        while self.slots.len() <= place {
            self.slots.push_back(Slot::Missing(now));
        }
        self.slots[place] = match self.order {
            Order::Arrival => {
                self.up.push_back(packet);
                Slot::Passed
            }
            Order::Sequence => Slot::Waiting(packet),
        };
        Arrived::New { missed }
    }

    /// Hands up what no longer waits, and forgets it.
    fn raise(&mut self, oldest: u64) {
        while let Some(first) = self.slots.front() {
            if matches!(first, Slot::Missing(_)) && self.floor >= oldest {
                return;
            }
            if let Some(Slot::Waiting(packet)) = self.slots.pop_front() {
                self.up.push_back(packet);
            }
            self.floor += 1;
        }
        self.floor = self.floor.max(oldest);
    }
}
