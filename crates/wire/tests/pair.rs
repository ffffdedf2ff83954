//! Two packets in one 802.11 frame, as bytes.

use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32};
use acklab_wire::bytes::{Encoder, RadioInfo, mac_address};
use acklab_wire::frame::DATA_OVERHEAD_STANDARD;
use acklab_wire::{Flags, Frame, FrameHeader, FrameKind, Options, Packet, Pair, Payload, Segment};

fn tcp(id: u32, forward: bool, len: u32) -> Packet {
    let segment = Segment {
        flow: FlowId(0),
        forward,
        seq: Seq32(0),
        ack: Seq32(0),
        flags: Flags {
            ack: true,
            ..Flags::default()
        },
        window: 0,
        len,
        retransmission: false,
        options: Options::NONE,
    };
    Packet::tcp(id, NodeId(0), NodeId(4), 64, segment)
}

/// The first packet as it is alone, 14 bytes that say for whom the second one is, and that one: one header,
/// one LLC and SNAP, one check sequence for both.
#[test]
fn a_pair_is_two_packets_with_a_head_between() {
    let pair = Pair {
        first: tcp(1, true, 100),
        second: tcp(2, false, 0),
        second_to: NodeId(7),
    };
    let payload = Payload::Pair(Box::new(pair));
    assert_eq!(payload.bytes(), 140 + 14 + 40);
    let header = FrameHeader {
        kind: FrameKind::Data,
        retry: false,
        sequence: 1,
        to: NodeId(3),
        from: NodeId(2),
        duration: Duration::ZERO,
        bytes: payload.bytes() + DATA_OVERHEAD_STANDARD,
        airtime: Duration::from_micros(1),
    };
    let info = RadioInfo {
        mac_time: Instant::ZERO,
        rate: None,
        short_preamble: false,
        frequency_mhz: 2412,
        signal_dbm: None,
        bad_fcs: false,
    };
    let encode = |payload| {
        let mut bytes = Vec::new();
        let frame = Frame {
            header,
            payload: Some(payload),
        };
        Encoder::new().frame(&frame, &info, &mut bytes);
        bytes.drain(..usize::from(u16::from_le_bytes([bytes[2], bytes[3]])));
        // Without the frame check sequence.
        bytes.truncate(bytes.len() - 4);
        bytes
    };
    let both = encode(payload);
    assert_eq!(both.len() + 4, header.bytes as usize);
    let first = encode(Payload::Ip(tcp(1, true, 100)));
    assert_eq!(both[..first.len()], first[..]);
    let rest = &both[first.len()..];
    assert_eq!(rest.len(), 14 + 40);
    assert_eq!(rest[..6], mac_address(NodeId(7)));
    assert_eq!(rest[6..12], mac_address(NodeId(2)));
    assert_eq!(rest[12..14], [0, 40]);
    let second = encode(Payload::Ip(tcp(2, false, 0)));
    assert_eq!(rest[14..], second[second.len() - 40..]);
}
