//! Frames of the slotted radio (yuki2004 §2, §3) as meaning: what every node in reach can read.
//!
//! The packets themselves stay with the sender until a receiver takes a copy. The one invariant:
//! the two parts of a frame go to different receivers unless the rules allow the same one.

use crate::packet::Class;
use acklab_base::NodeId;

/// Names one transmission of TCP (or a datagram, or a routing message) while it crosses the
/// network: its source, and a number of that source. A packet that TCP sends again is another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Uid(pub u64);

impl Uid {
    /// The number that `source` gives to the `count`-th packet that it makes.
    #[must_use]
    pub const fn new(source: NodeId, count: u32) -> Self {
        Self((source.0 as u64) << 32 | count as u64)
    }

    /// Where the packet was made.
    #[must_use]
    pub const fn source(self) -> NodeId {
        NodeId((self.0 >> 32) as u32)
    }

    /// Its number there, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }
}

/// The two queues of a node (yuki2004 §3 ¶2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// TCP data, and whatever is no TCP ACK.
    Data,
    /// TCP ACKs.
    Ack,
}

impl Kind {
    /// The queue of a packet of `class`.
    #[must_use]
    pub const fn of(class: Class) -> Self {
        match class {
            Class::TcpAck => Self::Ack,
            Class::TcpData | Class::Udp | Class::Routing | Class::Arp => Self::Data,
        }
    }
}

/// A packet's part of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The packet.
    pub uid: Uid,
    /// The next hop; broadcast for every neighbour.
    pub to: NodeId,
    /// Where the packet ends.
    pub destination: NodeId,
    /// Data or ACK.
    pub kind: Kind,
    /// The first slot in which the packet no longer exists; [`u64::MAX`]: it lives for ever.
    pub expiry: u64,
}

/// What a node sends in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlottedFrame {
    /// The FRN ACK of a packet's destination, for the node that it came from.
    Confirm {
        /// The packet.
        uid: Uid,
        /// The previous hop.
        to: NodeId,
    },
    /// One packet.
    Single(Part),
    /// Two packets for two neighbours. The receiver of the first part relays one slot later.
    Combined {
        /// The part that is postponed: the data packet.
        first: Part,
        /// The part that is relayed at once: the ACK packet.
        second: Part,
        /// The parts are added bit by bit (XOR): who does not know the other one reads nothing.
        coded: bool,
    },
}

impl SlottedFrame {
    /// The packets in the frame.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let (first, second) = match self {
            Self::Confirm { .. } => (None, None),
            Self::Single(part) => (Some(part), None),
            Self::Combined { first, second, .. } => (Some(first), Some(second)),
        };
        first.into_iter().chain(second)
    }

    /// Whether something in the frame is for `node` alone.
    #[must_use]
    pub fn is_for(&self, node: NodeId) -> bool {
        match self {
            Self::Confirm { to, .. } => *to == node,
            _ => self.parts().any(|part| part.to == node),
        }
    }

    /// Whether a packet of this kind is in the frame.
    #[must_use]
    pub fn carries(&self, kind: Kind) -> bool {
        self.parts().any(|part| part.kind == kind)
    }
}
