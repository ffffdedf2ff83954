//! IPv4 packets with TCP, UDP, AODV or DSDV inside, and ARP. Header layouts are etherparse's.

use super::{Encoder, address, aodv, dsdv, dsr};
use crate::arp::Arp;
use crate::cellular_ip::{self, MESSAGE_BYTES};
use crate::dsr::{Data, Message};
use crate::packet::{Body, Packet, UDP_IP_HEADER_BYTES};
use crate::tcp::{Datagram, Segment};
use acklab_base::FlowId;
use etherparse::{ArpEthIpv4Packet, ArpOperation, IpNumber, Ipv4Header, TcpHeader, UdpHeader};

/// The UDP port of AODV (RFC 3561 §5).
pub const AODV_PORT: u16 = 654;

/// The UDP port that captures show for DSDV: it has none of its own, ns-2 calls its routers 255.
pub const DSDV_PORT: u16 = 255;

/// The IP protocol that captures show for Cellular IP.
const CELLULAR_IP_PROTOCOL: u8 = 253;

/// First of the 2¹⁴ dynamic ports (RFC 6335 §6).
const DYNAMIC: u16 = 49_152;

/// The largest payload of an IPv4 packet without options.
const MAX_IP_PAYLOAD: usize = u16::MAX as usize - Ipv4Header::MIN_LEN;

/// The ports of a flow, data sender first: no two flows share both.
#[must_use]
pub const fn ports(flow: FlowId) -> (u16, u16) {
    (DYNAMIC + flow.0 % (1 << 14), DYNAMIC + flow.0 / (1 << 14))
}

impl Encoder {
    /// Appends an IP packet. Data that IPv4 cannot count (above 65535 bytes with headers) is cut.
    pub fn packet(&self, packet: &Packet, out: &mut Vec<u8>) {
        match &packet.body {
            Body::Tcp(segment) => self.tcp(packet, segment, out),
            Body::Udp(datagram) => {
                let (source, destination) = ports(datagram.flow);
                udp(
                    packet,
                    source,
                    destination,
                    &zeros(udp_data(packet, datagram)),
                    out,
                );
            }
            Body::Aodv(message) => {
                udp(packet, AODV_PORT, AODV_PORT, &aodv::encode(message), out);
            }
            Body::Dsdv(update) => {
                udp(packet, DSDV_PORT, DSDV_PORT, &dsdv::encode(update), out);
            }
            Body::Dsr(message) => self.dsr(packet, message, out),
            Body::CellularIp(message) => cellular_ip(packet, *message, out),
        }
    }

    /// A DSR header between the IP header and what the transport would show without it.
    fn dsr(&self, packet: &Packet, message: &Message, out: &mut Vec<u8>) {
        let (next, body) = match message.data {
            Some(Data::Tcp(segment)) => (IpNumber::TCP, Some(Body::Tcp(segment))),
            Some(Data::Udp(datagram)) => (IpNumber::UDP, Some(Body::Udp(datagram))),
            None => (IpNumber::IPV6_NO_NEXT_HEADER, None),
        };
        let mut inner = Vec::new();
        if let Some(body) = body {
            let bare = Packet {
                body,
                ..packet.clone()
            };
            self.packet(&bare, &mut inner);
            inner.drain(..Ipv4Header::MIN_LEN);
        }
        let header = dsr::encode(&message.header, packet.destination, packet.source, next.0);
        inner.truncate(MAX_IP_PAYLOAD - header.len());
        let ip = ip_header(packet, IpNumber(dsr::PROTOCOL), header.len() + inner.len());
        out.extend(ip.to_bytes());
        out.extend(header);
        out.extend(inner);
    }

    fn tcp(&self, packet: &Packet, segment: &Segment, out: &mut Vec<u8>) {
        let (mut source, mut destination) = ports(segment.flow);
        if !segment.forward {
            std::mem::swap(&mut source, &mut destination);
        }
        let window = self.window_field(segment);
        let mut header = TcpHeader::new(source, destination, segment.seq.0, window);
        header.acknowledgment_number = if segment.flags.ack { segment.ack.0 } else { 0 };
        header.ack = segment.flags.ack;
        header.syn = segment.flags.syn;
        header.fin = segment.flags.fin;
        let options = self.options(segment);
        if !options.is_empty() {
            header
                .set_options(&options)
                .expect("what a SYN or three blocks need always fits");
        }
        let room = MAX_IP_PAYLOAD - header.header_len();
        let data = zeros((segment.len as usize).min(room));
        let ip = ip_header(packet, IpNumber::TCP, header.header_len() + data.len());
        header.checksum = header
            .calc_checksum_ipv4(&ip, &data)
            .expect("the data was cut to what IPv4 counts");
        out.extend(ip.to_bytes());
        out.extend(header.to_bytes());
        out.extend(data);
    }
}

/// Bytes of data that make a UDP packet exactly as long as the simulation says.
fn udp_data(packet: &Packet, datagram: &Datagram) -> usize {
    let simulated = packet
        .bytes
        .saturating_sub(UDP_IP_HEADER_BYTES)
        .min(datagram.len);
    (simulated as usize).min(MAX_IP_PAYLOAD - UdpHeader::LEN)
}

/// Type and flag, then zeros: no document at hand fixes the format, and the protocol number is the
/// first one for experiments (RFC 3692).
fn cellular_ip(packet: &Packet, message: cellular_ip::Message, out: &mut Vec<u8>) {
    let mut data = [0; MESSAGE_BYTES as usize - Ipv4Header::MIN_LEN];
    (data[0], data[1]) = match message {
        cellular_ip::Message::RouteUpdate { semisoft } => (1, u8::from(semisoft)),
        cellular_ip::Message::PagingUpdate => (2, 0),
    };
    let ip = ip_header(packet, IpNumber(CELLULAR_IP_PROTOCOL), data.len());
    out.extend(ip.to_bytes());
    out.extend(data);
}

fn udp(packet: &Packet, source: u16, destination: u16, data: &[u8], out: &mut Vec<u8>) {
    let ip = ip_header(packet, IpNumber::UDP, UdpHeader::LEN + data.len());
    let header = UdpHeader::with_ipv4_checksum(source, destination, &ip, data)
        .expect("the data was cut to what IPv4 counts");
    out.extend(ip.to_bytes());
    out.extend(header.to_bytes());
    out.extend(data);
}

fn ip_header(packet: &Packet, protocol: IpNumber, payload: usize) -> Ipv4Header {
    let source = address::ip_address(packet.source);
    let destination = address::ip_address(packet.destination);
    let mut header = Ipv4Header::new(payload as u16, packet.ttl, protocol, source, destination)
        .expect("the payload was cut to what IPv4 counts");
    header.identification = packet.id as u16;
    header.header_checksum = header.calc_header_checksum();
    header
}

fn zeros(len: usize) -> Vec<u8> {
    vec![0; len]
}

impl Arp {
    /// Appends the packet (RFC 826). A request does not know the link address that it asks for.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let (operation, target_mac) = if self.request {
            (ArpOperation::REQUEST, [0; 6])
        } else {
            (ArpOperation::REPLY, address::mac_address(self.target))
        };
        let packet = ArpEthIpv4Packet {
            operation,
            sender_mac: address::mac_address(self.sender),
            sender_ipv4: address::ip_address(self.sender),
            target_mac,
            target_ipv4: address::ip_address(self.target),
        };
        out.extend(packet.to_bytes());
    }
}
