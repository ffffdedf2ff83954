//! What a node remembers of packets: those that it was given, and those that it sent.
//!
//! A packet is remembered while it can exist. The invariant: entries stand in the order in which
//! they came, so the memory of a network with lifetimes stays bounded.

use acklab_wire::slotted::Uid;
use std::collections::VecDeque;

/// How many packets are remembered where none expires.
const MOST: usize = 4096;

/// A memory of packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    entries: VecDeque<(Uid, u64)>,
}

impl Seen {
    /// Whether `uid` is remembered.
    pub(super) fn has(&self, uid: Uid) -> bool {
        self.entries.iter().any(|&(known, _)| known == uid)
    }

    /// Remembers `uid` until `expiry`, and forgets the oldest entries that are over at `slot`.
    pub(super) fn add(&mut self, uid: Uid, expiry: u64, slot: u64) {
        while self.entries.front().is_some_and(|&(_, end)| end <= slot)
            || self.entries.len() >= MOST
        {
            self.entries.pop_front();
        }
        self.entries.push_back((uid, expiry));
    }
}
