//! The slotted radio in a resolved scenario.

use crate::document_slotted::{
    BackoffFrom, Busy, Combining, Duplicates, Reading, RelayAccess, Sensing, SlottedQueue, Spaced,
};
use acklab_base::Duration;

/// Parameters of the slotted radio; the schema says what each one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slotted {
    /// Whose defaults were filled in.
    pub reading: Reading,
    /// Length of a slot.
    pub slot: Duration,
    /// Length of a slot without a data packet; never above `slot`.
    pub ack_slot: Duration,
    /// Slots that a packet lives; `None`: for ever.
    pub lifetime: Option<u32>,
    /// Shortest wait before a retransmission, at least 3.
    pub retry_min: u32,
    /// Longest; never below `retry_min`.
    pub retry_max: u32,
    /// Tries of a packet at one node; `None`: no limit.
    pub retry_limit: Option<u32>,
    /// Which packets share a frame.
    pub combining: Combining,
    /// Mini-slots in a slot, at least 1.
    pub mini_slots: u32,
    /// How first relays and FRN ACKs get the channel.
    pub relay_access: RelayAccess,
    /// Whose transmissions a node senses.
    pub sensing: Sensing,
    /// What a busy channel does.
    pub busy: Busy,
    /// Which packets may be sent.
    pub queue: SlottedQueue,
    /// Whether data and ACK packets have a queue each.
    pub two_queues: bool,
    /// Shortest pause before own packets.
    pub spacing_min: u32,
    /// Longest; never below `spacing_min`.
    pub spacing_max: u32,
    /// What the pause holds back.
    pub spaced: Spaced,
    /// What becomes of duplicates.
    pub duplicates: Duplicates,
    /// Whether late echoes count.
    pub late_echoes: bool,
    /// From where waits are counted.
    pub backoff_from: BackoffFrom,
    /// Whether first relays share frames.
    pub combine_relays: bool,
    /// Whether packets that back off are pulled forward.
    pub pull_forward: bool,
    /// Whether both packets may go to one neighbour.
    pub same_hop: bool,
    /// Whether the data part is relayed one slot later.
    pub postpone: bool,
}
