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
/// Bytes of the header of a data frame with three addresses (clause 7.2.2).
pub const MAC_HEADER_BYTES: u32 = 24;
/// Bytes of the LLC and SNAP headers that IP and ARP packets have in 802.11 (IEEE 802.2, RFC 1042).
pub const LLC_SNAP_BYTES: u32 = 8;
/// Bytes of the longest IP or ARP packet that a data frame carries: an MSDU has 2304 at most,
/// LLC and SNAP among them.
pub const LONGEST_PACKET_BYTES: u32 = 2_304 - LLC_SNAP_BYTES;
/// Bytes of the frame check sequence.
pub const FCS_BYTES: u32 = 4;
/// Bytes that a data frame adds to an IP or ARP packet by the standards: header, LLC and SNAP, and
/// frame check sequence.
pub const DATA_OVERHEAD_STANDARD: u32 = MAC_HEADER_BYTES + LLC_SNAP_BYTES + FCS_BYTES;
/// Bytes that ns-2 counts for every data frame: four addresses and frame check sequence, no LLC and
/// SNAP.
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

    /// The packets inside: none, one or two.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let (first, second) = match self {
            Self::Ip(packet) => (Some(packet), None),
            Self::Pair(pair) => (Some(&pair.first), Some(&pair.second)),
            Self::Arp(_) => (None, None),
        };
        first.into_iter().chain(second)
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
