//! The packets that a node holds, in the order in which they came.
//!
//! Invariant: an item waits for its echo or for its turn, never for both.

use super::config::{SlottedConfig, Sources};
use acklab_base::NodeId;
use acklab_wire::Packet;
use acklab_wire::slotted::Part;

/// What an item waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Its turn, from this slot on.
    Waiting {
        /// The first slot.
        due: u64,
    },
    /// Its echo.
    Awaiting {
        /// The slot of the transmission.
        sent: u64,
        /// The last slot in which the echo is in time.
        deadline: u64,
    },
}

/// A packet that a node holds.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) part: Part,
    pub(super) packet: Packet,
    /// The neighbour that it came from; `None` if it was made here.
    pub(super) from: Option<NodeId>,
    /// The slot in which it came, or in which it was made.
    pub(super) came: u64,
    /// Transmissions so far.
    pub(super) tries: u32,
    pub(super) state: State,
}

impl Item {
    /// A packet of somebody else that was never sent here.
    pub(super) fn is_first_relay(&self) -> bool {
        self.from.is_some() && self.tries == 0
    }

    /// Whether it waits for its turn, be it due or not.
    pub(super) fn waits(&self) -> bool {
        matches!(self.state, State::Waiting { .. })
    }

    /// Whether it may be sent in `slot` at a node whose own packets are held back until
    /// `spaced_until`.
    pub(super) fn may_go(&self, slot: u64, spaced_until: u64, config: &SlottedConfig) -> bool {
        let State::Waiting { due } = self.state else {
            return false;
        };
        let exempt = match config.spaced {
            Sources::OwnAndRetries => self.is_first_relay(),
            Sources::Own => self.from.is_some(),
        };
        due <= slot && (exempt || slot >= spaced_until)
    }
}
