//! What an agent holds of connections, in bytes: what its node needs memory for.
//!
//! Counted as a record would be laid out and not as this program stores it, which differs from
//! machine to machine: 4 bytes for a sequence number, a counter or an address, 8 for a time or a
//! mean, 1 for a mark, and for a copy of a packet its payload. Not here: tables that are there
//! without any connection. Invariant: an agent that was shown no packet holds nothing.

use std::ops::Add;

/// A sequence number, a counter or an address.
pub const NUMBER: u64 = 4;
/// A time, or a mean of times.
pub const TIME: u64 = 8;
/// A mark.
pub const MARK: u64 = 1;

/// Bytes that an agent holds, over all its connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// Payload of packets that it keeps.
    pub data: u64,
    /// What it noted of connections and packets.
    pub notes: u64,
}

impl Add for Held {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            data: self.data + other.data,
            notes: self.notes + other.notes,
        }
    }
}
