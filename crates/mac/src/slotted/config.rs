//! The rules of the slotted radio. What yuki2004 states is a parameter; each rule that it leaves
//! open is a named option. Which rules make up a reading of the paper is the scenario's business.
//!
//! The invariant: every value that the fields can hold makes a working node.

/// Which items of a node may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueRule {
    /// Any that is due; first relays before others, then the oldest.
    Any,
    /// Only the head of a queue: it blocks those behind it.
    Fifo,
}

/// What becomes of a packet that this node was given before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplicates {
    /// Dropped silently.
    Drop,
    /// Dropped, but confirmed to the previous hop with an FRN ACK.
    Confirm,
    /// Treated as new: forwarded again, delivered again.
    Forward,
}

/// How relays and FRN ACKs get the channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelayAccess {
    /// Like everything else: a mini-slot by chance.
    Contend,
    /// In mini-slots before all others, sensing the carrier.
    First,
    /// At the start of the slot, without sensing the carrier.
    Unconditional,
}

/// From where the wait for a retransmission is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackoffFrom {
    /// From the slot of the transmission.
    Transmission,
    /// From the slot in which the echo was missed.
    Echo,
}

/// What a node does that senses a busy channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Busy {
    /// Tries again in the next slot.
    Wait,
    /// Waits as for a retransmission.
    BackOff,
}

/// What two packets in one frame may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// One packet a frame: the baseline.
    Off,
    /// A data and an ACK packet, one behind the other (yuki2004 §3).
    Combine,
    /// Two packets that cross here, added bit by bit: each receiver takes off the one that it
    /// sent itself (PiggyCode; COPE without overhearing).
    Xor,
}

/// Whose packets the spacing holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sources {
    /// The node's own packets, and everything that is sent again.
    OwnAndRetries,
    /// The node's own packets.
    Own,
}

/// Parameters of a [`crate::SlottedMac`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlottedConfig {
    /// Slots that a packet lives, the one in which it is made included; `None`: for ever.
    pub lifetime: Option<u32>,
    /// The shortest and longest wait before a retransmission, in slots from the transmission. At
    /// least 2 and 3: the echo must be awaited first.
    pub retry: (u32, u32),
    /// Tries of a packet at a node; `None`: until its lifetime is over.
    pub retry_limit: Option<u32>,
    /// Two packets in a frame.
    pub coding: Coding,
    /// Mini-slots in which the start of a transmission is drawn, at least 1; 1: everybody
    /// starts at once, and nobody senses anybody.
    pub mini_slots: u32,
    /// How relays and FRN ACKs get the channel.
    pub relay_access: RelayAccess,
    /// What a node does that finds the channel busy.
    pub busy: Busy,
    /// Which items may be sent.
    pub queue: QueueRule,
    /// Whether data and ACK packets have a queue each (otherwise one for both).
    pub two_queues: bool,
    /// The shortest and longest pause after a node's transmission before its own packets (see
    /// `spaced`), in slots; drawn for each transmission.
    pub spacing: (u32, u32),
    /// What the spacing holds back.
    pub spaced: Sources,
    /// What becomes of a packet that was here before.
    pub duplicates: Duplicates,
    /// An echo counts after its slot too.
    pub late_echoes: bool,
    /// From where the wait for a retransmission is counted.
    pub backoff_from: BackoffFrom,
    /// A packet may be combined in the slot in which it must be relayed.
    pub combine_relays: bool,
    /// A packet that backs off is sent early if it can be combined.
    pub pull_forward: bool,
    /// Both parts of a combined frame may be for the same neighbour.
    pub same_hop: bool,
    /// The receiver of the data part waits one slot (yuki2004 Fig. 2(d)).
    pub postpone: bool,
}
