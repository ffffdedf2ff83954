//! What a capture says of a segment, whatever that travels under.

use crate::air::{Air, segment};
use acklab_base::NodeId;
use acklab_wire::dsr::{Data, Header, Message};
use acklab_wire::{Body, Packet, Pair, Payload, Segment};

/// What the capture of one frame with this in it holds as text.
fn capture(contents: impl FnOnce(&mut Air) -> Payload) -> String {
    let mut air = Air::new();
    let payload = contents(&mut air);
    let frame = air.data(0, NodeId(1), payload);
    air.send(&frame, &[]);
    let mut bytes = Vec::new();
    (air.recorder.write_pcapng(&mut bytes)).expect("memory takes it");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Under a header of DSR, and as the second packet of a frame, it was not told.
#[test]
fn a_retransmission_is_told_whatever_it_travels_under() {
    let again = Segment {
        retransmission: true,
        ..segment(true, 1, 1, 1000)
    };
    let under_dsr = capture(|air| {
        let (header, data) = (Header::new(), Some(Data::Tcp(again)));
        let body = Body::Dsr(Box::new(Message { header, data }));
        air.ip(0, NodeId(2), 1060, body)
    });
    let as_second = capture(|_| {
        let tcp = |segment| Packet::tcp(1, NodeId(0), NodeId(2), 9, segment);
        Payload::Pair(Box::new(Pair {
            first: tcp(segment(false, 1, 1, 0)),
            second: tcp(again),
            second_to: NodeId(2),
        }))
    });
    for text in [under_dsr, as_second] {
        assert!(text.contains("retransmission of TCP"));
    }
}
