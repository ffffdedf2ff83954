//! Arbitrary frames become bytes whose every length and checksum field agrees with them.
//!
//! The checks are independent of the encoder: the ones'-complement sum of RFC 1071, the CRC-32 bit by
//! bit, and etherparse's parser where only its writer was used.

use acklab_base::{BitRate, Duration, FlowId, Instant, NodeId, Seq32};
use acklab_wire::aodv::{Message, Reply, Request, Unreachable};
use acklab_wire::arp::Arp;
use acklab_wire::bytes::{Encoder, RadioInfo, ip_address, mac_address};
use acklab_wire::dsdv::{Entry, Update};
use acklab_wire::dsr;
use acklab_wire::frame::DATA_OVERHEAD_STANDARD;
use acklab_wire::tcp::Datagram;
use acklab_wire::{Body, Flags, Frame, FrameHeader, FrameKind, Options, Packet, Payload, Segment};
use etherparse::{Ipv4Header, TcpHeader, UdpHeader};
use proptest::prelude::*;

fn node() -> impl Strategy<Value = NodeId> {
    prop_oneof![9 => (0..1_000_u32).prop_map(NodeId), 1 => Just(NodeId::BROADCAST)]
}

fn segment() -> impl Strategy<Value = Segment> {
    let flags = any::<[bool; 3]>().prop_map(|[syn, ack, fin]| Flags { syn, ack, fin });
    (
        any::<(u16, bool, u32, u32, u32, bool)>(),
        0..3_000_u32,
        flags,
    )
        .prop_map(
            |((flow, forward, seq, ack, window, retransmission), len, flags)| Segment {
                flow: FlowId(flow),
                forward,
                seq: Seq32(seq),
                ack: Seq32(ack),
                flags,
                window,
                len,
                retransmission,
                options: Options::NONE,
            },
        )
}

fn message() -> impl Strategy<Value = Message> {
    let request = (any::<(u8, u32, u32, u32)>(), node(), node()).prop_map(
        |((hop_count, broadcast_id, destination_seq, origin_seq), destination, origin)| {
            let sent_at = Instant::ZERO;
            Message::Request(Request {
                hop_count,
                broadcast_id,
                destination,
                destination_seq,
                origin,
                origin_seq,
                sent_at,
            })
        },
    );
    let reply = (any::<(u8, u32, u64)>(), node(), node()).prop_map(
        |((hop_count, destination_seq, lifetime), destination, origin)| {
            let (lifetime, request_sent_at) = (Duration::from_nanos(lifetime), Instant::ZERO);
            Message::Reply(Reply {
                hop_count,
                destination,
                destination_seq,
                origin,
                lifetime,
                request_sent_at,
            })
        },
    );
    let lost = (node(), any::<u32>()).prop_map(|(destination, destination_seq)| Unreachable {
        destination,
        destination_seq,
    });
    let error = proptest::collection::vec(lost, 1..300).prop_map(|all| Message::Error(all.into()));
    prop_oneof![request, reply, error]
}

fn update() -> impl Strategy<Value = Update> {
    let entry = (node(), any::<(u8, u32)>()).prop_map(|(destination, (hops, sequence))| Entry {
        destination,
        hops,
        sequence,
    });
    (any::<bool>(), proptest::collection::vec(entry, 0..200)).prop_map(|(full, all)| Update {
        full,
        entries: all.into(),
    })
}

fn packet() -> impl Strategy<Value = Packet> {
    let body = prop_oneof![
        segment().prop_map(|segment| (segment.ip_bytes(), Body::Tcp(segment))),
        (any::<(u16, u64)>(), 0..70_000_u32, 0..60_u32).prop_map(
            |((flow, number), len, headers)| {
                (
                    len + headers,
                    Body::Udp(Datagram {
                        flow: FlowId(flow),
                        number,
                        len,
                        sent: acklab_base::Instant::ZERO,
                    }),
                )
            }
        ),
        message().prop_map(|message| (48, Body::Aodv(message))),
        update().prop_map(|update| (20, Body::Dsdv(update))),
        dsr_message().prop_map(|message| (60, Body::Dsr(Box::new(message)))),
    ];
    (any::<(u32, u8)>(), node(), node(), body).prop_map(
        |((id, ttl), source, destination, (bytes, body))| Packet {
            id,
            source,
            destination,
            ttl,
            bytes,
            body,
        },
    )
}

fn payload() -> impl Strategy<Value = Payload> {
    let arp = (any::<bool>(), node(), node()).prop_map(|(request, sender, target)| {
        Payload::Arp(Arp {
            request,
            sender,
            target,
        })
    });
    prop_oneof![4 => packet().prop_map(Payload::Ip), 1 => arp]
}

fn frame() -> impl Strategy<Value = Frame> {
    let kind = prop_oneof![
        Just((FrameKind::Rts, None)),
        Just((FrameKind::Cts, None)),
        Just((FrameKind::Ack, None)),
        payload().prop_map(|payload| (FrameKind::Data, Some(payload))),
    ];
    (
        kind,
        any::<(bool, u32, u32)>(),
        0..4_096_u16,
        node(),
        node(),
    )
        .prop_map(
            |((kind, payload), (retry, duration, airtime), sequence, to, from)| {
                let header = FrameHeader {
                    kind,
                    retry,
                    sequence,
                    to,
                    from,
                    duration: Duration::from_nanos(u64::from(duration)),
                    bytes: 100,
                    airtime: Duration::from_nanos(u64::from(airtime)),
                };
                Frame { header, payload }
            },
        )
}

fn info() -> impl Strategy<Value = RadioInfo> {
    let rate =
        proptest::option::of((1..100_000_000_u64).prop_map(|bits| BitRate::new(bits).unwrap()));
    let signal = proptest::option::of(-200.0..50.0_f64);
    (any::<(u64, bool, bool, u16)>(), rate, signal).prop_map(
        |((time, short_preamble, bad_fcs, frequency_mhz), rate, signal_dbm)| RadioInfo {
            mac_time: Instant::from_nanos(time),
            rate,
            short_preamble,
            frequency_mhz,
            signal_dbm,
            bad_fcs,
        },
    )
}

/// The ones'-complement sum of RFC 1071 over all parts, each a whole number of 16-bit words but the
/// last: 0xFFFF if a checksum field among them is right.
fn sum(parts: &[&[u8]]) -> u16 {
    let mut sum = 0_u32;
    for part in parts {
        for word in part.chunks(2) {
            sum += u32::from(u16::from_be_bytes([
                word[0],
                word.get(1).copied().unwrap_or(0),
            ]));
        }
    }
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

/// CRC-32 of IEEE 802.3 §3.2.9, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    })
}

/// Checks an IP packet of a capture against the packet that it shows.
fn check_packet(packet: &Packet, bytes: &[u8]) {
    let (ip, rest) = Ipv4Header::from_slice(bytes).expect("an IPv4 header");
    assert_eq!(sum(&[&bytes[..20]]), 0xFFFF, "header checksum");
    assert_eq!(usize::from(ip.total_len), bytes.len(), "total length");
    assert_eq!(
        (ip.source, ip.destination),
        (ip_address(packet.source), ip_address(packet.destination))
    );
    assert_eq!(
        (ip.time_to_live, u32::from(ip.identification)),
        (packet.ttl, packet.id & 0xFFFF)
    );
    if let Body::Dsr(message) = &packet.body {
        return check_dsr(&ip, message, rest);
    }
    check_sum(&ip, ip.protocol.0, rest);
    match &packet.body {
        Body::Tcp(segment) => {
            let (tcp, data) = TcpHeader::from_slice(rest).expect("a TCP header");
            assert_eq!(data.len(), segment.len as usize);
            assert_eq!(
                (tcp.sequence_number, tcp.syn),
                (segment.seq.0, segment.flags.syn)
            );
            assert_eq!((tcp.ack, tcp.fin), (segment.flags.ack, segment.flags.fin));
            assert_eq!(bytes.len(), packet.bytes as usize, "as long as simulated");
        }
        Body::Udp(datagram) => {
            let (udp, data) = UdpHeader::from_slice(rest).expect("a UDP header");
            assert_eq!(usize::from(udp.length), rest.len());
            assert!(data.len() <= datagram.len as usize);
            let simulated = packet.bytes.clamp(28, 65_535) as usize;
            if packet.bytes <= datagram.len + 28 {
                assert_eq!(bytes.len(), simulated, "as long as simulated");
            }
        }
        Body::Aodv(message) => {
            let (udp, data) = UdpHeader::from_slice(rest).expect("a UDP header");
            assert_eq!((udp.source_port, udp.destination_port), (654, 654));
            let expected = match message {
                Message::Request(_) => 24,
                Message::Reply(_) => 20,
                Message::Error(lost) => 4 + 8 * lost.len().min(255),
            };
            assert_eq!(data.len(), expected);
        }
        Body::Dsr(_) | Body::CellularIp(_) => unreachable!("elsewhere"),
        Body::Dsdv(update) => {
            let (udp, data) = UdpHeader::from_slice(rest).expect("a UDP header");
            assert_eq!((udp.source_port, udp.destination_port), (255, 255));
            assert_eq!(data.len(), 12 * update.entries.len());
        }
    }
}

/// The checksum of a transport covers the ends and its length too.
fn check_sum(ip: &Ipv4Header, protocol: u8, rest: &[u8]) {
    let length = (rest.len() as u16).to_be_bytes();
    let pseudo = [0, protocol, length[0], length[1]];
    let all = sum(&[&ip.source, &ip.destination, &pseudo, rest]);
    assert_eq!(all, 0xFFFF, "checksum");
}

/// A fixed part, options in words of four bytes, then what the transport sent.
fn check_dsr(ip: &Ipv4Header, message: &dsr::Message, rest: &[u8]) {
    assert_eq!(ip.protocol.0, 48);
    let flow = usize::from(message.header.flow.is_some()) * 4;
    let length = u16::from_be_bytes([rest[flow + 2], rest[flow + 3]]);
    assert_eq!(length % 4, 0);
    let transport = match message.data {
        Some(dsr::Data::Tcp(segment)) => 20 + segment.len as usize,
        Some(dsr::Data::Udp(_)) | None => 0,
    };
    let behind = &rest[flow + 4 + usize::from(length)..];
    assert_eq!(behind.len(), transport);
    if transport > 0 {
        check_sum(ip, 6, behind);
    }
}

fn dsr_message() -> impl Strategy<Value = dsr::Message> {
    let route = || {
        let nodes = proptest::collection::vec(node(), 2..16);
        nodes.prop_map(|nodes| dsr::Route::of(&nodes))
    };
    let link = (node(), node(), node());
    let link = link.prop_map(|(tell, from, to)| dsr::BrokenLink { tell, from, to });
    let unknown = (node(), node(), any::<Option<u16>>());
    let unknown = unknown.prop_map(|(source, destination, id)| dsr::UnknownFlow {
        source,
        destination,
        id,
    });
    let errors = proptest::collection::vec(link, 0..3);
    let unknown_flows = proptest::collection::vec(unknown, 0..3);
    let flow = proptest::option::of(any::<(u16, u8)>());
    let request = proptest::option::of(any::<(u32, u8)>());
    let reply = proptest::option::of(route());
    let data = proptest::option::of(segment().prop_map(dsr::Data::Tcp));
    let parts = (route(), reply, errors, unknown_flows, flow, request);
    (parts, data).prop_map(
        |((route, reply, errors, unknown_flows, flow, request), data)| {
            let header = dsr::Header {
                route,
                at: 1,
                salvaged: 0,
                request: request.map(|(id, reach)| dsr::Request { id, reach }),
                reply,
                errors,
                flow: flow.map(|(id, hops)| dsr::FlowHeader { id, hops }),
                establishes_flow: flow.is_some(),
                unknown_flows,
            };
            dsr::Message { header, data }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_frame_agrees_with_its_bytes(frame in frame(), info in info()) {
        let mut bytes = Vec::new();
        Encoder::new().frame(&frame, &info, &mut bytes);
        let radiotap = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        let signal = usize::from(info.signal_dbm.is_some());
        prop_assert_eq!(radiotap, 22 + signal);
        let (mac, check) = bytes[radiotap..].split_last_chunk::<4>().expect("an FCS");
        prop_assert_eq!(crc(mac), u32::from_le_bytes(*check));
        prop_assert_eq!(&mac[4..10], &mac_address(frame.header.to));
        prop_assert_eq!(mac[1] & 0x08 != 0, frame.header.retry && frame.payload.is_some());
        match &frame.payload {
            None => prop_assert_eq!(mac.len(), if frame.header.kind == FrameKind::Rts { 16 } else { 10 }),
            Some(payload) => {
                let sequence = u16::from_le_bytes([mac[22], mac[23]]);
                prop_assert_eq!(sequence, frame.header.sequence << 4);
                let inside = &mac[24 + 8..];
                prop_assert_eq!(24 + 8 + check.len(), DATA_OVERHEAD_STANDARD as usize);
                match payload {
                    Payload::Ip(packet) => check_packet(packet, inside),
                    _ => prop_assert_eq!(inside.len(), 28),
                }
            }
        }
    }

    #[test]
    fn windows_survive_scaling(window in any::<u32>(), answer in any::<u32>(), later in any::<u32>()) {
        let syn = |forward, window| Segment {
            flow: FlowId(1),
            forward,
            seq: Seq32(0),
            ack: Seq32(0),
            flags: Flags { syn: true, ack: !forward, fin: false },
            window,
            len: 0,
            retransmission: false,
            options: Options::NONE,
        };
        let mut data = syn(true, later);
        data.flags = Flags { ack: true, ..Flags::default() };
        let mut encoder = Encoder::new();
        let header = |encoder: &Encoder, segment: &Segment| {
            let packet = Packet::tcp(1, NodeId(0), NodeId(1), 64, *segment);
            let mut bytes = Vec::new();
            encoder.packet(&packet, &mut bytes);
            TcpHeader::from_slice(&bytes[20..]).expect("a TCP header").0
        };
        for segment in [syn(true, window), syn(false, answer), data] {
            encoder.observe(&segment);
        }
        let opening = header(&encoder, &syn(true, window));
        let shift = opening
            .options_iterator()
            .filter_map(Result::ok)
            .find_map(|option| match option {
                etherparse::TcpOptionElement::WindowScale(shift) => Some(shift),
                _ => None,
            })
            .unwrap_or(0);
        let shown = u32::from(header(&encoder, &data).window_size) << shift;
        // RFC 7323 ends at a shift of 14; below that only the shifted-out bits are lost.
        let largest = 0xFFFF_u32 << 14;
        prop_assert!(shown <= later && later.min(largest) - shown < 1 << shift, "{} {}", shown, later);
    }
}
