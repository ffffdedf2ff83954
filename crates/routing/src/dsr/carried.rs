//! A packet with its DSR header taken apart, and the lengths of headers.
//!
//! The one invariant: `bytes` counts everything but the header, so that a header may change without
//! its old length being known.

use super::config::HeaderSizes;
use acklab_base::NodeId;
use acklab_wire::dsr::{Data, Header, Message};
use acklab_wire::{Body, Packet};

/// A packet in the hands of the router.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub(super) id: u32,
    pub(super) source: NodeId,
    pub(super) destination: NodeId,
    pub(super) ttl: u8,
    /// Bytes without the header.
    pub(super) bytes: u32,
    pub(super) header: Header,
    pub(super) data: Option<Data>,
}

impl Carried {
    /// Takes a packet apart; `None` if it belongs to another protocol.
    pub(super) fn of(packet: Packet, sizes: HeaderSizes) -> Option<Self> {
        let (header, data) = match packet.body {
            Body::Tcp(segment) => (Header::new(), Some(Data::Tcp(segment))),
            Body::Udp(datagram) => (Header::new(), Some(Data::Udp(datagram))),
            Body::Dsr(message) => (message.header, message.data),
            Body::Aodv(_) | Body::Dsdv(_) | Body::CellularIp(_) => return None,
        };
        // A request that is passed on by ns-2 keeps the bytes of its old header and gets a new one.
        let grows = header.request.is_some() && sizes == HeaderSizes::Ns2;
        let header_bytes = if grows { 0 } else { length(&header, sizes) };
        Some(Self {
            id: packet.id,
            source: packet.source,
            destination: packet.destination,
            ttl: packet.ttl,
            bytes: packet.bytes.saturating_sub(header_bytes),
            header,
            data,
        })
    }

    /// The packet as it goes on the air: without a header if there is nothing to tell.
    pub(super) fn pack(self, sizes: HeaderSizes) -> Packet {
        let bytes = self.bytes + length(&self.header, sizes);
        let body = match self.data {
            Some(Data::Tcp(segment)) if self.header.is_empty() => Body::Tcp(segment),
            Some(Data::Udp(datagram)) if self.header.is_empty() => Body::Udp(datagram),
            data => Body::Dsr(Box::new(Message {
                header: self.header,
                data,
            })),
        };
        Packet {
            id: self.id,
            source: self.source,
            destination: self.destination,
            ttl: self.ttl,
            bytes,
            body,
        }
    }

    /// The packet as the transport gets it; `None` for one of the protocol itself.
    pub(super) fn into_data(mut self) -> Option<Packet> {
        self.data?;
        self.header = Header::new();
        Some(self.pack(HeaderSizes::Ns2))
    }
}

/// Bytes of a header.
fn length(header: &Header, sizes: HeaderSizes) -> u32 {
    match sizes {
        HeaderSizes::Ns2 => ns2_length(header),
        HeaderSizes::Rfc4728 => rfc4728_length(header),
    }
}

fn ns2_length(header: &Header) -> u32 {
    let mut bytes = 0;
    let mut named = false;
    let mut option = |present: bool, length: usize| {
        if present {
            bytes += length as u32;
            named = true;
        }
    };
    let nodes = header.route.len();
    let (to_flows, to_defaults) = unknown(header);
    option(nodes > 0, 4 * nodes.saturating_sub(1));
    option(header.request.is_some(), 8);
    option(
        header.reply.is_some(),
        5 + 4 * header.reply.map_or(0, |route| route.len()),
    );
    option(!header.errors.is_empty(), 16 * header.errors.len());
    option(header.establishes_flow, 4);
    option(to_flows > 0, 14 * to_flows);
    option(to_defaults > 0, 12 * to_defaults);
    // The flow header alone has no fixed part.
    bytes += 4 * u32::from(named) + 4 * u32::from(header.flow.is_some());
    bytes.next_multiple_of(4)
}

/// RFC 4728 §6 and §7.1: a fixed part of 4 bytes, then options, padded to a multiple of 4.
fn rfc4728_length(header: &Header) -> u32 {
    if header.is_empty() {
        return 0;
    }
    let nodes = header.route.len();
    let (to_flows, to_defaults) = unknown(header);
    let mut bytes = 0;
    if header.request.is_some() {
        bytes += 8 + 4 * nodes.saturating_sub(1);
    } else if nodes > 0 {
        bytes += 4 + 4 * nodes.saturating_sub(2);
    }
    if let Some(reply) = &header.reply {
        bytes += 3 + 4 * reply.len().saturating_sub(1);
    }
    bytes += 16 * header.errors.len() + 14 * to_flows + 12 * to_defaults;
    bytes += 4 * usize::from(header.establishes_flow);
    // The flow-state header takes the place of the fixed part where it is alone.
    if bytes > 0 || header.flow.is_none() {
        bytes += 4;
    }
    bytes += 4 * usize::from(header.flow.is_some());
    (bytes as u32).next_multiple_of(4)
}

/// How many unknown flows are listed by number, and how many as the default.
fn unknown(header: &Header) -> (usize, usize) {
    let all = header.unknown_flows.len();
    let defaults = header.unknown_flows.iter();
    let defaults = defaults.filter(|flow| flow.id.is_none()).count();
    (all - defaults, defaults)
}
