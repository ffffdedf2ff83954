//! DSDV messages (Perkins and Bhagwat, *Highly Dynamic Destination-Sequenced Distance-Vector
//! Routing*, 1994, §3) with the fields that ns-2 carries.

use acklab_base::NodeId;

/// The hop count of a destination that cannot be reached.
pub const UNREACHABLE: u8 = 250;

/// A part of a node's route table, broadcast to its neighbours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// Whether it lists everything that may be advertised, not only what has changed.
    pub full: bool,
    /// The routes.
    pub entries: Box<[Entry]>,
}

/// A route in an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Where it leads.
    pub destination: NodeId,
    /// Hops from the node that sends the update; [`UNREACHABLE`] if there is no way.
    pub hops: u8,
    /// The destination's sequence number: even if the destination gave it out, odd if another
    /// node declared it lost.
    pub sequence: u32,
}
