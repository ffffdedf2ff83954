//! IP packets.

use crate::dsr::Data;
use crate::tcp::{Datagram, IP_HEADER_BYTES, Segment, UDP_HEADER_BYTES};
use crate::{aodv, cellular_ip, dsdv, dsr};
use acklab_base::NodeId;

/// What an IP packet carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// A TCP segment.
    Tcp(Segment),
    /// A UDP datagram.
    Udp(Datagram),
    /// An AODV message.
    Aodv(aodv::Message),
    /// A DSDV update.
    Dsdv(dsdv::Update),
    /// A DSR header, with or without a segment or datagram behind it.
    Dsr(Box<dsr::Message>),
    /// A message of Cellular IP.
    CellularIp(cellular_ip::Message),
}

/// The kind of a packet as counters and queues see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A TCP segment with data, or a SYN from the data sender.
    TcpData,
    /// A TCP segment that travels against the data.
    TcpAck,
    /// A UDP datagram.
    Udp,
    /// A message of a routing protocol.
    Routing,
    /// Address resolution.
    Arp,
}

/// An IP packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Number of the packet at its source, never reused there. An observer's mark, and the IP
    /// identification field in captures: no machine decides by it.
    pub id: u32,
    /// Where it was made.
    pub source: NodeId,
    /// Where it goes; broadcast for one hop.
    pub destination: NodeId,
    /// Hops it may still travel.
    pub ttl: u8,
    /// Bytes with the IP header.
    pub bytes: u32,
    /// What it carries.
    pub body: Body,
}

impl Packet {
    /// Wraps a segment; `bytes` counts 20 each for the IP and the TCP header.
    #[must_use]
    pub fn tcp(id: u32, source: NodeId, destination: NodeId, ttl: u8, segment: Segment) -> Self {
        let bytes = segment.ip_bytes();
        Self {
            id,
            source,
            destination,
            ttl,
            bytes,
            body: Body::Tcp(segment),
        }
    }

    /// Wraps a datagram; `header_bytes` is what UDP and IP add (28 by RFC 768; ns-2 adds 20).
    #[must_use]
    pub fn udp(
        id: u32,
        source: NodeId,
        destination: NodeId,
        ttl: u8,
        datagram: Datagram,
        header_bytes: u32,
    ) -> Self {
        let bytes = datagram.len + header_bytes;
        Self {
            id,
            source,
            destination,
            ttl,
            bytes,
            body: Body::Udp(datagram),
        }
    }

    /// The kind of this packet.
    #[must_use]
    pub const fn class(&self) -> Class {
        match &self.body {
            Body::Tcp(segment) if segment.forward => Class::TcpData,
            Body::Tcp(_) => Class::TcpAck,
            Body::Udp(_) => Class::Udp,
            Body::Aodv(_) | Body::Dsdv(_) | Body::CellularIp(_) => Class::Routing,
            Body::Dsr(message) => message.class(),
        }
    }

    /// What the transport sent, under a header of DSR too; nothing in a message of a protocol.
    #[must_use]
    pub const fn data(&self) -> Option<Data> {
        match &self.body {
            Body::Tcp(segment) => Some(Data::Tcp(*segment)),
            Body::Udp(datagram) => Some(Data::Udp(*datagram)),
            Body::Dsr(message) => message.data,
            Body::Aodv(_) | Body::Dsdv(_) | Body::CellularIp(_) => None,
        }
    }
}

/// Header bytes of a UDP datagram in IPv4.
pub const UDP_IP_HEADER_BYTES: u32 = IP_HEADER_BYTES + UDP_HEADER_BYTES;
