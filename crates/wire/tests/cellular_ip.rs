//! Messages of Cellular IP as bytes: as long as simulated, and told apart.

use acklab_base::NodeId;
use acklab_wire::bytes::Encoder;
use acklab_wire::cellular_ip::{MESSAGE_BYTES, Message};
use acklab_wire::{Body, Packet};
use etherparse::Ipv4Header;

#[test]
fn messages_are_told_apart_in_captures() {
    let update = |semisoft| Message::RouteUpdate { semisoft };
    for (message, start) in [
        (update(false), [1, 0]),
        (update(true), [1, 1]),
        (Message::PagingUpdate, [2, 0]),
    ] {
        let packet = Packet {
            id: 7,
            source: NodeId(8),
            destination: NodeId(1),
            ttl: 64,
            bytes: MESSAGE_BYTES,
            body: Body::CellularIp(message),
        };
        let mut bytes = Vec::new();
        Encoder::new().packet(&packet, &mut bytes);
        let (ip, data) = Ipv4Header::from_slice(&bytes).expect("an IPv4 header");
        assert_eq!(ip.protocol.0, 253, "the first number for experiments");
        assert_eq!(bytes.len(), MESSAGE_BYTES as usize);
        assert_eq!(data[..2], start);
    }
}
