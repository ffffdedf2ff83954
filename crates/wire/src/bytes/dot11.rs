//! 802.11 MAC frames (IEEE 802.11-1999 clause 7) with LLC/SNAP (RFC 1042) and FCS.

use super::{Encoder, RadioInfo, address};
use crate::frame::{Frame, FrameHeader, FrameKind, Payload};
use acklab_base::Duration;

/// First byte of the frame control field (clause 7.1.3.1): subtype in the high four bits, then
/// type and version 0 in two bits each.
const RTS: u8 = 0b1011_0100;
const CTS: u8 = 0b1100_0100;
const ACK: u8 = 0b1101_0100;
const DATA: u8 = 0b0000_1000;
/// Second byte: neither to nor from a distribution system, so an ad-hoc network's frame.
const RETRY: u8 = 0b0000_1000;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_ARP: u16 = 0x0806;

/// The frame check sequence of a MAC frame (clause 7.1.3.6), as the four bytes that follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameCheck(pub [u8; 4]);

impl FrameCheck {
    /// Of a frame without its FCS: the CRC-32 of ISO 3309, least significant byte first.
    #[must_use]
    pub fn of(frame: &[u8]) -> Self {
        Self(crc32fast::hash(frame).to_le_bytes())
    }
}

impl Encoder {
    /// Appends a frame with its radiotap header.
    pub fn frame(&self, frame: &Frame, info: &RadioInfo, out: &mut Vec<u8>) {
        info.write(out);
        let start = out.len();
        write_header(&frame.header, out);
        match &frame.payload {
            Some(Payload::Ip(packet)) => {
                write_llc(ETHERTYPE_IPV4, out);
                self.packet(packet, out);
            }
            Some(Payload::Arp(arp)) => {
                write_llc(ETHERTYPE_ARP, out);
                arp.write(out);
            }
            Some(Payload::Pair(pair)) => {
                write_llc(ETHERTYPE_IPV4, out);
                self.packet(&pair.first, out);
                out.extend(address::mac_address(pair.second_to));
                out.extend(address::mac_address(frame.header.from));
                let mut second = Vec::new();
                self.packet(&pair.second, &mut second);
                out.extend((second.len() as u16).to_be_bytes());
                out.extend(second);
            }
            None => {}
        }
        let check = FrameCheck::of(&out[start..]).0;
        out.extend(check);
    }
}

fn write_header(header: &FrameHeader, out: &mut Vec<u8>) {
    let control = match header.kind {
        FrameKind::Rts => RTS,
        FrameKind::Cts => CTS,
        FrameKind::Ack => ACK,
        FrameKind::Data => DATA,
    };
    // A control frame has no such mark, sent again or not (clauses 7.1.3.1.6 and 7.2.1).
    let again = header.retry && header.kind == FrameKind::Data;
    out.extend([control, if again { RETRY } else { 0 }]);
    out.extend(duration_field(header.duration).to_le_bytes());
    out.extend(address::mac_address(header.to));
    match header.kind {
        FrameKind::Rts => out.extend(address::mac_address(header.from)),
        FrameKind::Cts | FrameKind::Ack => {}
        FrameKind::Data => {
            out.extend(address::mac_address(header.from));
            out.extend(address::BSSID);
            // Fragment number in the low four bits, always 0.
            out.extend((header.sequence << 4).to_le_bytes());
        }
    }
}

/// The Duration field: microseconds, a fraction rounded up, at most 32767 (clause 7.1.3.2).
fn duration_field(duration: Duration) -> u16 {
    duration.as_nanos().div_ceil(1_000).min(32_767) as u16
}

fn write_llc(ethertype: u16, out: &mut Vec<u8>) {
    // SNAP's service access points, unnumbered information, and the encapsulated-Ethernet code.
    out.extend([0xAA, 0xAA, 0x03, 0, 0, 0]);
    out.extend(ethertype.to_be_bytes());
}
