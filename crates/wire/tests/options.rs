//! TCP options in captures (RFC 2018 §2, §3).

use acklab_base::{FlowId, NodeId, Seq32};
use acklab_wire::bytes::Encoder;
use acklab_wire::{Flags, Options, Packet, Segment};

fn bytes(segment: Segment) -> Vec<u8> {
    let packet = Packet::tcp(1, NodeId(0), NodeId(1), 64, segment);
    let mut out = Vec::new();
    Encoder::new().packet(&packet, &mut out);
    out
}

fn segment(syn: bool) -> Segment {
    Segment {
        flow: FlowId(0),
        forward: syn,
        seq: Seq32(1),
        ack: Seq32(1),
        flags: Flags {
            syn,
            ack: !syn,
            fin: false,
        },
        window: 8_000,
        len: 0,
        retransmission: false,
        options: Options::NONE,
    }
}

/// Two blocks: NOP, NOP, kind 5, length 18, then the numbers; as long as the option says it is.
#[test]
fn blocks_of_an_acknowledgement() {
    let mut ack = segment(false);
    let sack = &mut ack.options.sack;
    sack.push((Seq32(0x0102_0304), Seq32(0x0506_0708)));
    sack.push((Seq32(1), Seq32(2)));
    ack.options.bytes = sack.option_bytes();
    let bytes = bytes(ack);
    assert_eq!(bytes.len() as u32, ack.ip_bytes());
    assert_eq!(bytes[32] >> 4, 10, "ten words of header");
    let option = [1, 1, 5, 18, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 1, 0, 0, 0, 2];
    assert_eq!(bytes[40..], option);
}

/// Three fit; a fourth is left out.
#[test]
fn three_blocks_fit() {
    let mut ack = segment(false);
    for number in 0..4 {
        ack.options.sack.push((Seq32(number), Seq32(number + 1)));
    }
    assert_eq!(ack.options.sack.as_slice().len(), 3);
    assert_eq!(ack.options.sack.option_bytes(), 28);
}

/// Kind 4, length 2.
#[test]
fn a_syn_permits_them() {
    let mut syn = segment(true);
    syn.options.sack_permitted = true;
    assert_eq!(bytes(syn)[40..42], [4, 2]);
}
