//! Two packets in one 802.11 frame, as bytes.

use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32};
use acklab_wire::bytes::{Encoder, RadioInfo, mac_address};
use acklab_wire::dsr::{Header, Message};
use acklab_wire::frame::DATA_OVERHEAD_STANDARD;
use acklab_wire::{
    Body, Flags, Frame, FrameHeader, FrameKind, Options, Packet, Pair, Payload, Segment,
};

fn segment(forward: bool, len: u32) -> Segment {
    Segment {
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
    }
}

fn tcp(id: u32, forward: bool, len: u32) -> Packet {
    Packet::tcp(id, NodeId(0), NodeId(4), 64, segment(forward, len))
}

/// A frame with these contents, without radiotap's header and the check sequence.
fn encode(encoder: &Encoder, payload: Payload) -> Vec<u8> {
    let info = RadioInfo {
        mac_time: Instant::ZERO,
        rate: None,
        short_preamble: false,
        frequency_mhz: 2412,
        signal_dbm: None,
        bad_fcs: false,
    };
    let mut bytes = Vec::new();
    encoder.frame(&frame(payload), &info, &mut bytes);
    bytes.drain(..usize::from(u16::from_le_bytes([bytes[2], bytes[3]])));
    bytes.truncate(bytes.len() - 4);
    bytes
}

fn frame(payload: Payload) -> Frame {
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
    Frame {
        header,
        payload: Some(payload),
    }
}

fn pair(first: Packet, second: Packet) -> Payload {
    Payload::Pair(Box::new(Pair {
        first,
        second,
        second_to: NodeId(7),
    }))
}

/// The first packet as it is alone, 14 bytes that say for whom the second one is, and that one: one header,
/// one LLC and SNAP, one check sequence for both.
#[test]
fn a_pair_is_two_packets_with_a_head_between() {
    let payload = pair(tcp(1, true, 100), tcp(2, false, 0));
    assert_eq!(payload.bytes(), 140 + 14 + 40);
    let long = payload.bytes() + DATA_OVERHEAD_STANDARD;
    let encoder = Encoder::new();
    let both = encode(&encoder, payload);
    assert_eq!(both.len() + 4, long as usize);
    let first = encode(&encoder, Payload::Ip(tcp(1, true, 100)));
    assert_eq!(both[..first.len()], first[..]);
    let rest = &both[first.len()..];
    assert_eq!(rest.len(), 14 + 40);
    assert_eq!(rest[..6], mac_address(NodeId(7)));
    assert_eq!(rest[6..12], mac_address(NodeId(2)));
    assert_eq!(rest[12..14], [0, 40]);
    let second = encode(&encoder, Payload::Ip(tcp(2, false, 0)));
    assert_eq!(rest[14..], second[second.len() - 40..]);
}

/// The head gave the simulated length, which in an ns-2 profile is less than what follows it: nobody could
/// have found the end.
#[test]
fn the_head_tells_the_length_of_what_follows() {
    let mut ack = segment(false, 0);
    ack.options.sack.push((Seq32(1), Seq32(2)));
    // ns-2 counts the block and not the option around it.
    ack.options.bytes = 8;
    let second = Packet::tcp(2, NodeId(0), NodeId(4), 64, ack);
    let both = encode(&Encoder::new(), pair(tcp(1, true, 100), second));
    let head = both.len() - 52 - 2;
    assert_eq!(both[head..head + 2], [0, 52]);
}

/// Frames in which a packet travelled beside another, or under a header of DSR, were not looked at: their
/// connection showed 65535 for every larger window.
#[test]
fn windows_are_seen_whatever_the_segment_travels_under() {
    let mut syns = [true, false].map(|forward| segment(forward, 0));
    for syn in &mut syns {
        (syn.flags.syn, syn.window) = (true, 100_000);
    }
    let [syn, answer] = syns.map(|syn| Packet::tcp(1, NodeId(0), NodeId(4), 64, syn));
    let under_dsr = |packet: &Packet| {
        let data = packet.data();
        let header = Header::new();
        let body = Body::Dsr(Box::new(Message { header, data }));
        Payload::Ip(Packet {
            body,
            ..packet.clone()
        })
    };
    let pairs = [
        pair(syn.clone(), tcp(2, true, 0)),
        pair(tcp(2, true, 0), answer.clone()),
    ];
    for frames in [[under_dsr(&syn), under_dsr(&answer)], pairs] {
        let mut encoder = Encoder::new();
        for payload in frames {
            encoder.observe_frame(&frame(payload));
        }
        let bytes = encode(&encoder, Payload::Ip(syn.clone()));
        assert_eq!(bytes[bytes.len() - 3..], [3, 3, 1], "a shift of one");
    }
}
