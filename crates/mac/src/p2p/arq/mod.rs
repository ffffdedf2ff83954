//! Link-level retransmission after section 5 of vaidya1999: one link ACK for every frame, with a
//! number space of its own; a frame is lost when a later one is acknowledged, or when its timer
//! runs out.
//!
//! Every *transmission* has the next link number, retransmissions too; a frame also carries the
//! identity of its packet, so that the receiver tells a second copy from a packet, and the oldest
//! identity that may still come, so that it need not wait for packets that were given up. (The
//! paper counts no header bytes for these, so neither is counted here.) There is no window: the
//! link never holds a new packet back.
//!
//! [`sender`] and [`receiver`] are the two halves at each end of a link; neither sees the other.

pub(super) mod receiver;
pub(super) mod sender;
#[cfg(test)]
mod shuffled;

use acklab_base::Duration;

/// In which order packets are handed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As they come: a retransmitted packet arrives behind later ones.
    Arrival,
    /// As they were sent: later ones wait for the missing one.
    Sequence,
}

/// Parameters of link-level retransmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArqConfig {
    /// In which order packets are handed up.
    pub order: Order,
    /// Transmissions after which a packet is given up; `None`: never. Only with
    /// [`Order::Arrival`]: nothing would tell the other end not to wait for the packet.
    pub tries: Option<u32>,
    /// Bytes of a link ACK.
    pub ack_bytes: u32,
    /// Link ACKs that may wait at an end.
    pub ack_queue: usize,
    /// Least value of the timer, and its value before the first sample.
    pub min_timer: Duration,
    /// Link ACKs go before everything else; else they wait for what came before them.
    pub acks_first: bool,
    /// Retransmissions go before new packets; else they wait for what came before them.
    pub retransmissions_first: bool,
    /// Link ACKs wait in the queue of the packets, within its limit, and have none of their own.
    pub shared_queue: bool,
}

impl ArqConfig {
    /// The scheme of vaidya1999 with what the paper leaves open filled in: a timer of at least
    /// 0.1 s and no retry limit.
    #[must_use]
    pub const fn vaidya1999() -> Self {
        Self {
            order: Order::Arrival,
            tries: None,
            ack_bytes: 14,
            ack_queue: 40,
            min_timer: Duration::from_millis(100),
            acks_first: true,
            retransmissions_first: true,
            shared_queue: false,
        }
    }
}
