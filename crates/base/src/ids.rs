//! Names of things: nodes and flows.

use std::fmt;

/// A node, counted from 0. Also its link-layer and network-layer address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An end-to-end flow, counted from 0 in the order of the scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u16);

impl NodeId {
    /// The address that every node in reach answers to.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// The id as an index into a table with one row a node.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the broadcast address.
    #[must_use]
    pub const fn is_broadcast(self) -> bool {
        self.0 == u32::MAX
    }
}

impl FlowId {
    /// The id as an index into a table with one row a flow.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broadcast() {
            f.write_str("n*")
        } else {
            write!(f, "n{}", self.0)
        }
    }
}
