//! Which items a node sends in a slot, and what it books when it does.
//!
//! Invariant: of what may go, a first relay goes before others, and the older before the younger.

use super::combine::partner;
use super::config::{Coding, QueueRule};
use super::items::{Item, State};
use super::machine::{Plan, SlottedMac};
use acklab_wire::slotted::{Kind, Part};

impl SlottedMac {
    /// FRN ACKs go before everything else, even while the node should listen.
    pub(super) fn choose(&self, slot: u64) -> Plan {
        if let Some(place) = self.confirms.iter().position(|one| one.due <= slot) {
            return Plan::Confirm(place);
        }
        if self.listens_in(slot) || self.holds_in(slot) {
            return Plan::Nothing;
        }
        let Some(chosen) = self.best(slot) else {
            return Plan::Nothing;
        };
        match partner(&self.items, chosen, (slot, self.spaced_until), &self.config) {
            None => Plan::One(chosen),
            Some(other) => {
                let data = |place: usize| self.items[place].part.kind == Kind::Data;
                let other_first = match (data(chosen), data(other)) {
                    (true, false) => false,
                    (false, true) => true,
                    _ => other < chosen,
                };
                if other_first {
                    Plan::Two(other, chosen)
                } else {
                    Plan::Two(chosen, other)
                }
            }
        }
    }

    /// First relays before others, then the oldest.
    fn best(&self, slot: u64) -> Option<usize> {
        let goes = |item: &Item| item.may_go(slot, self.spaced_until, &self.config);
        if self.config.queue == QueueRule::Fifo {
            let head = |kind: Kind| self.items.iter().position(|item| item.part.kind == kind);
            let heads = if self.config.two_queues {
                [head(Kind::Data), head(Kind::Ack)]
            } else {
                [(!self.items.is_empty()).then_some(0), None]
            };
            let able = heads
                .into_iter()
                .flatten()
                .filter(|&place| goes(&self.items[place]));
            return able.min_by_key(|&place| (!self.items[place].is_first_relay(), place));
        }
        let mut best = None;
        for (place, item) in self.items.iter().enumerate() {
            if goes(item) {
                if item.is_first_relay() {
                    return Some(place);
                }
                best = best.or(Some(place));
            }
        }
        best
    }

    /// Books a transmission of an item.
    pub(super) fn mark(&mut self, place: usize, slot: u64, deadline: u64) -> Part {
        let item = &mut self.items[place];
        let deadline = if item.part.to.is_broadcast() {
            slot
        } else {
            deadline
        };
        self.counters.repeated += u64::from(item.tries > 0);
        item.tries += 1;
        item.state = State::Awaiting {
            sent: slot,
            deadline,
        };
        self.first_deadline = self.first_deadline.min(deadline);
        let part = item.part;
        if self.config.coding == Coding::Xor {
            self.sent.add(part.uid, part.expiry, slot);
        }
        part
    }

    pub(super) fn count_relay(&mut self, places: &[usize]) {
        if places.iter().any(|&place| self.items[place].from.is_some()) {
            let has = |kind: Kind| self.items.iter().any(|item| item.part.kind == kind);
            self.counters.relay_frames += 1;
            self.counters.relay_frames_both += u64::from(has(Kind::Data) && has(Kind::Ack));
        }
    }

    pub(super) fn retry_wait(&mut self) -> u64 {
        let (shortest, longest) = self.config.retry;
        u64::from(shortest + self.streams.retry.below(longest - shortest + 1))
    }
}
