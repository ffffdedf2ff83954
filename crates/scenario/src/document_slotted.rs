//! The part of the schema that describes the slotted radio of yuki2004.

use crate::quantities::{CountOrOff, Off, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The slotted radio (Flexible Radio Network, yuki2004). Where this table stands, it takes the
/// place of 802.11, its link layer and its queue.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Slotted {
    /// A complete reading of what the paper leaves open: the defaults of this table.
    pub reading: Option<Reading>,
    /// Length of a slot, which every frame fits.
    #[schemars(extend("x-above-zero" = true))]
    pub slot: Option<Time>,
    /// Length of a slot without a data packet, and of an empty one. Shorter than `slot`: slots of
    /// variable length, which all nodes know at once.
    #[schemars(extend("x-above-zero" = true))]
    pub ack_slot: Option<Time>,
    /// Slots that a packet lives, buffered or not, the one in which it is made included.
    pub lifetime: Option<SlotsOrOff>,
    /// Shortest wait before a retransmission, in slots from the transmission.
    #[schemars(range(min = 3, max = 10_000))]
    pub retry_min: Option<u32>,
    /// Longest wait before a retransmission, in slots from the transmission.
    #[schemars(range(min = 3, max = 10_000))]
    pub retry_max: Option<u32>,
    /// Tries of a packet at one node; `"off"`: until its lifetime is over.
    pub retry_limit: Option<CountOrOff>,
    /// Which packets share a frame.
    pub combining: Option<Combining>,
    /// Mini-slots at the start of a slot in which transmissions begin by chance. 1: all begin at
    /// once, and nobody senses anybody.
    #[schemars(range(min = 1, max = 65_536))]
    pub mini_slots: Option<u32>,
    /// How first relays and FRN ACKs get the channel.
    pub relay_access: Option<RelayAccess>,
    /// Whose transmissions a node senses.
    pub sensing: Option<Sensing>,
    /// What a node does that senses a busy channel.
    pub busy: Option<Busy>,
    /// Which packets of a node may be sent.
    pub queue: Option<SlottedQueue>,
    /// Whether data and ACK packets have a queue each. Matters with `queue = "fifo"` only.
    pub two_queues: Option<bool>,
    /// Shortest pause from a node's transmission to its next own packet, in slots.
    #[schemars(range(max = 10_000))]
    pub spacing_min: Option<u32>,
    /// Longest such pause; each is drawn anew.
    #[schemars(range(max = 10_000))]
    pub spacing_max: Option<u32>,
    /// What that pause holds back.
    pub spaced: Option<Spaced>,
    /// What becomes of a packet that a node was given before.
    pub duplicates: Option<Duplicates>,
    /// Whether an echo counts after its slot too.
    pub late_echoes: Option<bool>,
    /// From where the wait before a retransmission is counted.
    pub backoff_from: Option<BackoffFrom>,
    /// Whether a packet may share a frame in the slot in which it must be relayed.
    pub combine_relays: Option<bool>,
    /// Whether a packet that backs off is sent early if it can share a frame.
    pub pull_forward: Option<bool>,
    /// Whether both packets of a frame may go to the same neighbour (`combining = "data-ack"`; those
    /// that are added never do). With `postpone` it holds back for the data part, so that the echo
    /// of the other comes a slot late.
    pub same_hop: Option<bool>,
    /// Whether the receiver of the data part of a frame relays one slot later.
    pub postpone: Option<bool>,
}

/// A complete reading of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Reading {
    /// No head-of-line blocking, duplicates dropped silently.
    P1,
    /// First-in first-out queues that the head blocks, one without combining and two with it;
    /// duplicates forwarded; a pause of 3 slots.
    H,
    /// As p1, but duplicates forwarded.
    P2,
}

/// A number of slots, or `"off"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum SlotsOrOff {
    /// The word `"off"`.
    Off(Off),
    /// A number of slots.
    At(#[schemars(range(min = 2, max = 1_000_000))] u32),
}

impl From<SlotsOrOff> for Option<u32> {
    fn from(value: SlotsOrOff) -> Self {
        match value {
            SlotsOrOff::Off(_) => None,
            SlotsOrOff::At(slots) => Some(slots),
        }
    }
}

impl From<Option<u32>> for SlotsOrOff {
    fn from(value: Option<u32>) -> Self {
        value.map_or(Self::Off(Off::Off), Self::At)
    }
}

/// Which packets share a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Combining {
    /// None.
    None,
    /// A data and an ACK packet, one behind the other (yuki2004).
    DataAck,
    /// Two packets that cross at a relay, added bit by bit (PiggyCode, COPE).
    Xor,
}

/// How first relays and FRN ACKs get the channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RelayAccess {
    /// By chance like all others.
    Contend,
    /// In mini-slots before all others, sensing the carrier.
    First,
    /// At once, without sensing the carrier.
    Unconditional,
}

/// Whose transmissions a node senses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Sensing {
    /// Those of the nodes that it can decode.
    Neighbours,
    /// Those of its neighbours' neighbours too.
    TwoHops,
    /// Those of all nodes above the radio's sensing threshold.
    Radio,
}

/// What a node does that senses a busy channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Busy {
    /// It tries again in the next slot.
    Wait,
    /// It waits as before a retransmission.
    BackOff,
}

/// Which packets of a node may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SlottedQueue {
    /// Any that is due: first relays before others, then the oldest.
    Any,
    /// The head of a queue only.
    Fifo,
}

/// What the pause of a node holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Spaced {
    /// Its own packets, and everything that is sent again.
    OwnAndRetries,
    /// Its own packets.
    Own,
}

/// What becomes of a packet that a node was given before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Duplicates {
    /// Dropped silently.
    Drop,
    /// Dropped, but confirmed with an FRN ACK.
    Confirm,
    /// Forwarded and delivered again.
    Forward,
}

/// From where the wait before a retransmission is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum BackoffFrom {
    /// From the slot of the transmission.
    Transmission,
    /// From the slot in which the echo was missed.
    Echo,
}
