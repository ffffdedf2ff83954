//! 802.11 frames (IEEE 802.11-1999 clause 7) as meaning.

use crate::arp::{ARP_BYTES, Arp};
use crate::packet::{Class, Packet};
use acklab_base::{Duration, NodeId};

/// Bytes of an RTS frame (clause 7.2.1.1).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS frame (clause 7.2.1.2).
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK frame (clause 7.2.1.3).
pub const ACK_BYTES: u32 = 14;
/// Bytes that a data frame adds with three addresses: header 24, frame check sequence 4
/// (clause 7.2.2).
pub const DATA_OVERHEAD_THREE_ADDRESSES: u32 = 28;
/// The same with four addresses, as ns-2 counts every data frame.
pub const DATA_OVERHEAD_FOUR_ADDRESSES: u32 = 34;

/// The four kinds of frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// Data, unicast or broadcast.
    Data,
}

/// What a frame says about itself: small, copied to whoever hears it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameHeader {
    /// Kind.
    pub kind: FrameKind,
    /// Whether it is a retransmission (the Retry bit).
    pub retry: bool,
    /// Sequence number modulo 4096; only data frames have one.
    pub sequence: u16,
    /// Receiver address.
    pub to: NodeId,
    /// Transmitter address. CTS and ACK frames do not carry one on the air: no MAC may read it there.
    pub from: NodeId,
    /// Duration field: how long the exchange goes on after this frame.
    pub duration: Duration,
    /// Bytes of the frame with header and frame check sequence, without PLCP.
    pub bytes: u32,
    /// Time on the air, PLCP preamble and header included.
    pub airtime: Duration,
}

/// Bytes of the head before the second packet of a [`Pair`]: its receiver, its transmitter and its
/// length, as before a subframe of an A-MSDU (802.11n).
pub const PAIR_BYTES: u32 = 14;

/// Two packets for two neighbours in one frame (yuki2004 §3, over 802.11).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The packet for the frame's receiver, which acknowledges it.
    pub first: Packet,
    /// The packet for another neighbour, which takes it from the air and acknowledges nothing.
    pub second: Packet,
    /// That neighbour.
    pub second_to: NodeId,
}

/// What a data frame carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// An IP packet.
    Ip(Packet),
    /// An ARP packet.
    Arp(Arp),
    /// Two IP packets for two neighbours.
    Pair(Box<Pair>),
}

/// A frame: its header, and its payload if it is a data frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The header.
    pub header: FrameHeader,
    /// The payload of a data frame.
    pub payload: Option<Payload>,
}

impl Payload {
    /// Bytes above the 802.11 header.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        match self {
            Self::Ip(packet) => packet.bytes,
            Self::Arp(_) => ARP_BYTES,
            Self::Pair(pair) => pair.first.bytes + PAIR_BYTES + pair.second.bytes,
        }
    }

    /// The kind of packet inside; of two, of the one for the frame's receiver.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Ip(packet) => packet.class(),
            Self::Pair(pair) => pair.first.class(),
            Self::Arp(_) => Class::Arp,
        }
    }
}
