//! The part of the schema that describes point-to-point links.

use crate::quantities::{CountOrOff, Rate, Share, Size, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A full-duplex link between two nodes, wired or not. Shortest paths go over links and radio
/// alike; between two nodes that have both, the link is taken.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct PointToPoint {
    /// The two nodes. Forward is from the first to the second.
    pub between: [u32; 2],
    /// Rate of each direction.
    #[schemars(extend("x-above-zero" = true))]
    pub rate: Rate,
    /// Propagation delay, each way.
    pub delay: Time,
    /// Packets that may wait in each direction; the one in service does not count.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: Option<u32>,
    /// Share of the TCP data packets that congestion elsewhere takes before they reach the queue;
    /// each is lost independently, in both directions, and no other packet is.
    pub data_loss: Option<Share>,
    /// How long such a loss lasts: every TCP data packet that comes within this time is lost too, as
    /// when a queue elsewhere is full. Zero: losses are independent.
    pub data_loss_lasts: Option<Time>,
    /// Which frames transmission errors destroy, in both directions. A destroyed frame occupies
    /// the channel and is dropped on receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Errors>,
    /// The same for the forward direction alone.
    pub errors_forward: Option<Errors>,
    /// The same for the other direction alone.
    pub errors_backward: Option<Errors>,
    /// Link-level retransmission; without this table there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arq: Option<Arq>,
    /// A name for the medium that this link shares with others: of all links that name it, one
    /// frame at a time is sent in each direction, in the order in which packets came. They have
    /// the same first node, the station that sends to all of them. Without it the link is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
}

/// A model of transmission errors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Errors {
    /// No errors.
    None {},
    /// Errors strike single bytes, with exponential gaps; a frame is lost if one of its bytes is
    /// struck.
    Exponential {
        /// Mean bytes between errors.
        #[schemars(extend("x-above-zero" = true))]
        mean: Size,
    },
    /// Every frame is lost with the same probability, whatever its size.
    Uniform {
        /// The probability.
        loss: Share,
    },
    /// Good and bad times with exponential lengths (Gilbert and Elliott); a frame's fate depends
    /// on the time in which it begins.
    GilbertElliott {
        /// Mean length of good times.
        #[schemars(extend("x-above-zero" = true))]
        good: Time,
        /// Mean length of bad times.
        #[schemars(extend("x-above-zero" = true))]
        bad: Time,
        /// Loss probability of a frame in good times. Default 0 %.
        loss_good: Option<Share>,
        /// Loss probability of a frame in bad times. Default 100 %.
        loss_bad: Option<Share>,
    },
    /// The listed frames are lost and no others.
    List {
        /// Frames that carry packets, numbered from 1 as they begin, link-level retransmissions
        /// included; ascending.
        frames: Vec<u32>,
        /// Link ACKs, numbered apart in the same way. Default none.
        link_acks: Option<Vec<u32>>,
    },
    /// A recorded sequence of fates, repeated for ever.
    Trace {
        /// One character a frame of any kind: `.` arrives, `x` is lost.
        fates: String,
    },
}

/// Link-level retransmission: one link ACK a frame, with a number space of its own; a frame is
/// lost when a later one is acknowledged, or when its timer runs out (vaidya1999, section 5).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Arq {
    /// In which order packets are handed up.
    pub order: Option<Order>,
    /// Transmissions after which a packet is given up.
    pub tries: Option<CountOrOff>,
    /// Size of a link ACK.
    #[schemars(extend("x-above-zero" = true))]
    pub ack_size: Option<Size>,
    /// Link ACKs that may wait in each direction; only if they have a queue of their own.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub ack_queue: Option<u32>,
    /// Least value of the retransmission timer; above it, the mean time to a link ACK and four
    /// mean deviations. By default twice the time to a link ACK where that takes 100 ms or more.
    #[schemars(extend("x-above-zero" = true))]
    pub min_timer: Option<Time>,
    /// Link ACKs go before everything else.
    pub acks_first: Option<bool>,
    /// Retransmissions go before new packets.
    pub retransmissions_first: Option<bool>,
    /// Link ACKs wait in the queue of the packets and within its limit.
    pub shared_queue: Option<bool>,
}

/// In which order a link hands packets up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Order {
    /// As they come: a retransmitted packet arrives behind later ones.
    Arrival,
    /// As they were sent: later packets wait for a missing one.
    Sequence,
}
