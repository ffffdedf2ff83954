//! Delays and ARP, step by step.

use super::*;
use acklab_base::FlowId;
use acklab_wire::tcp::Datagram;

const ME: NodeId = NodeId(1);
const PEER: NodeId = NodeId(2);

fn packet(number: u64) -> Packet {
    let datagram = Datagram {
        flow: FlowId(0),
        number,
        len: 100,
        sent: acklab_base::Instant::ZERO,
    };
    Packet::udp(number as u32, ME, PEER, 30, datagram, 20)
}

fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

fn arp(request: bool, sender: NodeId, target: NodeId) -> Payload {
    Payload::Arp(Arp {
        request,
        sender,
        target,
    })
}

fn down(payload: Payload, next_hop: NodeId) -> LinkOutput {
    LinkOutput::Down {
        payload,
        next_hop,
        first: false,
    }
}

/// Everything that comes out, with its time in microseconds.
fn drain(link: &mut LinkLayer) -> Vec<(u64, LinkOutput)> {
    let mut all = Vec::new();
    while link.next_wake() != Instant::NEVER {
        let now = link.next_wake();
        link.on_wake(now);
        while let Some(output) = link.poll() {
            all.push((now.as_nanos() / 1000, output));
        }
    }
    all
}

/// ```text
/// 0: packet 1 for the peer    5: request out    100: answer in    105: packet 1 out
/// ```
#[test]
fn a_held_packet_leaves_when_the_answer_comes() {
    let mut link = LinkLayer::new(ME, LinkConfig::ns2());
    link.on_send(us(0), packet(1), PEER);
    assert_eq!(
        drain(&mut link),
        [(5, down(arp(true, ME, PEER), NodeId::BROADCAST))]
    );
    link.on_payload(us(100), &arp(false, PEER, ME), PEER);
    assert_eq!(
        drain(&mut link),
        [(105, down(Payload::Ip(packet(1)), PEER))]
    );
    link.on_send(us(200), packet(2), PEER);
    assert_eq!(
        drain(&mut link),
        [(225, down(Payload::Ip(packet(2)), PEER))]
    );
}

#[test]
fn a_second_packet_pushes_the_held_one_out_and_the_fourth_reports_failure() {
    let mut link = LinkLayer::new(ME, LinkConfig::ns2());
    link.on_send(us(0), packet(1), PEER);
    for number in 2..=3 {
        link.on_send(us(number), packet(number), PEER);
        assert_eq!(link.poll(), Some(LinkOutput::Dropped(packet(number - 1))));
    }
    link.on_send(us(4), packet(4), PEER);
    for number in 3..=4 {
        let failed = LinkOutput::Failed {
            packet: packet(number),
            next_hop: PEER,
        };
        assert_eq!(link.poll(), Some(failed));
    }
    assert_eq!(drain(&mut link).len(), 3, "three requests in all");
}

#[test]
fn whoever_asks_becomes_known_and_gets_an_answer() {
    let mut link = LinkLayer::new(ME, LinkConfig::ns2());
    link.on_payload(us(10), &arp(true, PEER, ME), PEER);
    assert_eq!(drain(&mut link), [(15, down(arp(false, ME, PEER), PEER))]);
    link.on_send(us(20), packet(1), PEER);
    assert_eq!(drain(&mut link), [(45, down(Payload::Ip(packet(1)), PEER))]);
}

#[test]
fn a_packet_that_goes_up_alone_can_be_taken_at_once() {
    let mut link = LinkLayer::new(ME, LinkConfig::ns2());
    assert_eq!(link.only_up(), None);
    link.on_payload(us(0), &Payload::Ip(packet(7)), PEER);
    assert_eq!(link.only_up(), Some((us(25), &mut packet(7))));
    assert!(!link.knows(PEER));
    link.on_payload(us(1), &arp(false, PEER, ME), PEER);
    assert!(link.knows(PEER));
    link.on_send(us(2), packet(8), PEER);
    assert_eq!(link.only_up(), None, "another one goes down");
    drain(&mut link);
    link.on_payload(us(50), &Payload::Ip(packet(9)), PEER);
    link.on_payload(us(50), &Payload::Ip(packet(10)), PEER);
    assert_eq!(link.only_up(), None, "two go up");
    assert_eq!(link.take_up(), Some(Payload::Ip(packet(9))));
    assert_eq!(link.only_up(), Some((us(75), &mut packet(10))));
}

#[test]
fn packets_go_up_after_the_delay() {
    let mut link = LinkLayer::new(ME, LinkConfig::ns2());
    link.on_payload(us(0), &Payload::Ip(packet(7)), PEER);
    let up = LinkOutput::Up {
        packet: packet(7),
        from: PEER,
    };
    assert_eq!(drain(&mut link), [(25, up)]);
}
