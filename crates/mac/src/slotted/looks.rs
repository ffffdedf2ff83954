//! What an observer asks of a node. The one invariant: looking changes nothing.

use super::config::Duplicates;
use super::items::{Item, State};
use super::machine::SlottedMac;
use acklab_base::NodeId;
use acklab_wire::slotted::{Part, Uid};

impl SlottedMac {
    /// The last slot in which the echo of a packet under way is in time; `None` if none is
    /// awaited.
    pub(super) fn awaits_until(&self, part: &Part) -> Option<u64> {
        let awaited = |item: &Item| match item.state {
            State::Awaiting { deadline, .. } if is_of(item, part.uid, part.to) => Some(deadline),
            _ => None,
        };
        let unicast = !part.to.is_broadcast();
        unicast
            .then(|| self.items.iter().find_map(awaited))
            .flatten()
    }

    /// Whether the end of `slot` is the end of the wait for the echo of a packet.
    pub(super) fn misses(&self, part: &Part, slot: u64) -> bool {
        self.awaits_until(part)
            .is_some_and(|deadline| deadline <= slot)
    }

    /// Whether the node holds a packet, or an FRN ACK of it.
    pub(super) fn has(&self, uid: Uid) -> bool {
        let held = self.items.iter().any(|item| item.part.uid == uid);
        held || self.confirms.iter().any(|confirm| confirm.uid == uid)
    }

    /// Whether the node knows a packet from having sent it.
    pub(super) fn has_sent(&self, uid: Uid) -> bool {
        self.sent.has(uid)
    }

    /// Whether the node would drop a packet silently, as one that it was given before.
    pub(super) fn drops(&self, uid: Uid) -> bool {
        self.config.duplicates == Duplicates::Drop && self.seen.has(uid)
    }

    /// Whether the node listens for an echo in `slot`.
    pub(super) const fn listens_in(&self, slot: u64) -> bool {
        slot < self.listens_until
    }

    /// Whether the node holds back in `slot`, for a neighbour to hear two echoes.
    pub(super) const fn holds_in(&self, slot: u64) -> bool {
        slot < self.holds_until
    }
}

fn is_of(item: &Item, uid: Uid, to: NodeId) -> bool {
    item.part.uid == uid && item.part.to == to
}
