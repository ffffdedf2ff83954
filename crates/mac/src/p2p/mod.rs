//! Point-to-point links: full duplex, with a rate, a delay and a drop-tail queue in each
//! direction, an error model, and link-level retransmission where it is asked for.
//!
//! It follows the network of vaidya1999 §6, which is that of ns-2's `DuplexLink`: a frame is in
//! the transmitter for bytes × 8 / rate and arrives the delay after that; a damaged frame
//! occupies the channel and is dropped on receipt; the packet in service does not count in the
//! queue. There is no contention here and no address resolution. A link carries IP packets as they
//! are and adds no header bytes.
//!
//! - [`Link`]: the machine, both ends of it, of which there are two kinds: [`plain`], which does no
//!   more than its packets need, and [`full`], with [`arq`], link-level retransmission, and on a
//!   [`Medium`], several links of one station that share its channel; [`channel`]: what both have;
//!   [`errors`]: which frames are destroyed.
//!
//! The two ends share nothing but frames on the channel. The one invariant: every packet that
//! [`Link::on_send`] took is delivered once, destroyed, or given up, unless it is still on its way.

pub mod arq;
mod channel;
mod end;
pub mod errors;
mod full;
mod link;
mod medium;
mod plain;

pub use arq::{ArqConfig, Order};
pub use errors::{ErrorDraws, ErrorModel};
pub use link::Link;
pub use medium::{Links, Medium};

use acklab_base::{BitRate, Duration, Instant, Share, Stream};
use acklab_wire::Packet;

/// What both directions of a link share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkConfig {
    /// Rate of each direction.
    pub rate: BitRate,
    /// From the last bit sent to the last bit received.
    pub delay: Duration,
    /// Packets that may wait at an end, without the one in service.
    pub queue: usize,
}

/// What belongs to the direction from one end to the other.
#[derive(Clone, Debug)]
pub struct Direction {
    /// TCP data packets that congestion elsewhere takes before they reach the queue.
    pub data_loss: Share,
    /// How long such a loss lasts: TCP data packets that come within this time are taken too.
    pub data_loss_lasts: Duration,
    /// Draws for `data_loss`.
    pub losses: Stream,
    /// Which frames errors destroy.
    pub errors: ErrorModel,
    /// Draws for `errors`.
    pub draws: ErrorDraws,
    /// Link-level retransmission; both ends must agree whether they use it.
    pub arq: Option<ArqConfig>,
}

/// The directions from the first and from the second end.
pub type Ways = [Direction; 2];

/// One of the two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The end that is named first.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The end at the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// As an index into a table with a row for each end.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// Why a link did not take a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// Congestion elsewhere.
    Congestion,
    /// The queue is full.
    QueueFull,
}

/// A packet that a link did not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The packet.
    pub packet: Packet,
    /// Why.
    pub why: Lost,
}

/// What a link hands over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A packet arrives at an end.
    Deliver {
        /// Where.
        side: Side,
        /// The packet.
        packet: Packet,
    },
    /// An end gives a packet up at its retry limit.
    GivenUp {
        /// Which end.
        side: Side,
        /// The packet.
        packet: Packet,
    },
    /// A packet arrives at an end that had noticed its absence.
    Repaired {
        /// Where.
        side: Side,
        /// How long a later packet had been there.
        after: Duration,
    },
    /// Something to be recorded, if the link is watched.
    Seen(Box<Sighting>),
}

/// How a frame was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Its first bit left.
    Sent,
    /// It arrived undamaged.
    Received,
    /// It arrived undamaged, a second copy.
    Duplicate,
    /// It arrived damaged and was dropped.
    Lost,
}

/// A frame as it is recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// When.
    pub at: Instant,
    /// At which end.
    pub side: Side,
    /// How.
    pub sight: Sight,
    /// Bytes of the frame.
    pub bytes: u32,
    /// Its link number, or the one that it acknowledges; only with link-level retransmission.
    pub number: Option<u64>,
    /// Whether it is a link-level retransmission.
    pub again: bool,
    /// What it carries; nothing in a link ACK.
    pub packet: Option<Packet>,
}

/// What one end of a link counts: what it sends, and what becomes of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Frames with packets, retransmissions included.
    pub frames_sent: u64,
    /// Retransmissions among them.
    pub retransmissions: u64,
    /// Retransmissions that the timer asked for.
    pub timer_retransmissions: u64,
    /// Link ACKs.
    pub acks_sent: u64,
    /// Frames with packets that errors destroyed.
    pub frames_lost: u64,
    /// Link ACKs that errors destroyed.
    pub acks_lost: u64,
    /// Frames with packets that arrived a second time.
    pub duplicates: u64,
    /// Packets that found the queue full.
    pub queue_drops: u64,
    /// Link ACKs that found their queue full.
    pub ack_queue_drops: u64,
    /// Packets that congestion took.
    pub congestion_drops: u64,
    /// Packets given up at the retry limit.
    pub given_up: u64,
    /// Packets that were acknowledged after a retransmission.
    pub recovered: u64,
    /// Time from the end of their first transmission to their link ACK, in all.
    pub recovery: Duration,
    /// Time in which the transmitter was busy.
    pub busy: Duration,
}
