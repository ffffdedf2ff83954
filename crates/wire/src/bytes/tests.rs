//! Vectors worked out by hand from the standards, byte by byte.

use super::*;
use crate::aodv::{Message, Reply, Request, Unreachable, Unreachables};
use crate::arp::Arp;
use crate::options::Options;
use crate::tcp::Datagram;
use crate::{Body, Flags, Frame, FrameHeader, FrameKind, Packet, Payload, Segment};
use acklab_base::{BitRate, Duration, FlowId, Instant, NodeId, Seq32};

fn header(kind: FrameKind, bytes: u32) -> FrameHeader {
    FrameHeader {
        kind,
        retry: false,
        sequence: 0,
        to: NodeId(1),
        from: NodeId(2),
        duration: Duration::ZERO,
        bytes,
        airtime: Duration::from_micros(192) + BitRate::MBPS_1.airtime(u64::from(bytes) * 8),
    }
}

/// The MAC frame without radiotap header and FCS.
fn mac_bytes(frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    let info = RadioInfo::of(&frame.header, Instant::ZERO, 914);
    Encoder::new().frame(frame, &info, &mut out);
    let radiotap = usize::from(u16::from_le_bytes([out[2], out[3]]));
    let (frame, check) = out[radiotap..].split_last_chunk::<4>().expect("an FCS");
    assert_eq!(FrameCheck::of(frame), FrameCheck(*check));
    frame.to_vec()
}

fn packet_bytes(packet: &Packet) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new().packet(packet, &mut out);
    out
}

fn packet(bytes: u32, body: Body) -> Packet {
    Packet {
        id: 1,
        source: NodeId(0),
        destination: NodeId(1),
        ttl: 64,
        bytes,
        body,
    }
}

fn syn(window: u32) -> Segment {
    Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(1),
        ack: Seq32(0),
        flags: Flags {
            syn: true,
            ..Flags::default()
        },
        window,
        len: 0,
        retransmission: false,
        options: Options::NONE,
    }
}

#[test]
fn addresses_follow_from_node_numbers() {
    assert_eq!(mac_address(NodeId(0x0102_0304)), [2, 0, 1, 2, 3, 4]);
    assert_eq!(mac_address(NodeId::BROADCAST), [0xFF; 6]);
    assert_eq!(ip_address(NodeId(0)), [10, 0, 0, 1]);
    assert_eq!(ip_address(NodeId(255)), [10, 0, 1, 0]);
    assert_eq!(ip_address(NodeId::BROADCAST), [255; 4]);
}

#[test]
fn flows_never_share_both_ports() {
    assert_eq!(ports(FlowId(0)), (49_152, 49_152));
    assert_eq!(ports(FlowId(5)), (49_157, 49_152));
    assert_eq!(ports(FlowId(16_384)), (49_152, 49_153));
    let all: std::collections::BTreeSet<_> =
        (0..=u16::MAX).map(|flow| ports(FlowId(flow))).collect();
    assert_eq!(all.len(), 65_536);
}

#[test]
fn the_frame_check_is_crc_32() {
    // The check value of CRC-32/ISO-HDLC is 0xCBF43926.
    assert_eq!(
        FrameCheck::of(b"123456789"),
        FrameCheck([0x26, 0x39, 0xF4, 0xCB])
    );
}

#[test]
fn rts_cts_and_ack_as_in_clause_7_2_1() {
    let mut rts = header(FrameKind::Rts, 20);
    rts.duration = Duration::from_micros(0x1234);
    // An RTS that is sent again has no Retry bit: control frames have none (clause 7.1.3.1.6).
    rts.retry = true;
    assert_eq!(
        mac_bytes(&Frame {
            header: rts,
            payload: None
        }),
        [0xB4, 0x00, 0x34, 0x12, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
    );
    let mut cts = header(FrameKind::Cts, 14);
    // A fraction of a microsecond is rounded up.
    cts.duration = Duration::from_nanos(300_001);
    assert_eq!(
        mac_bytes(&Frame {
            header: cts,
            payload: None
        }),
        [0xC4, 0x00, 0x2D, 0x01, 2, 0, 0, 0, 0, 1]
    );
    let ack = header(FrameKind::Ack, 14);
    assert_eq!(
        mac_bytes(&Frame {
            header: ack,
            payload: None
        }),
        [0xD4, 0x00, 0x00, 0x00, 2, 0, 0, 0, 0, 1]
    );
}

#[test]
fn the_duration_field_ends_at_32767() {
    let mut rts = header(FrameKind::Rts, 20);
    rts.duration = Duration::from_secs(1);
    assert_eq!(
        mac_bytes(&Frame {
            header: rts,
            payload: None
        })[2..4],
        [0xFF, 0x7F]
    );
}

#[test]
fn an_arp_request_in_a_broadcast_data_frame() {
    let mut header = header(FrameKind::Data, 62);
    header.to = NodeId::BROADCAST;
    header.sequence = 0xABC;
    let arp = Arp {
        request: true,
        sender: NodeId(2),
        target: NodeId(3),
    };
    let bytes = mac_bytes(&Frame {
        header,
        payload: Some(Payload::Arp(arp)),
    });
    let mut expected = vec![0x08, 0x00, 0x00, 0x00];
    expected.extend([0xFF; 6]);
    expected.extend([2, 0, 0, 0, 0, 2]);
    expected.extend(BSSID);
    expected.extend([0xC0, 0xAB]);
    expected.extend([0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x06]);
    // Ethernet, IPv4, 6- and 4-byte addresses, request.
    expected.extend([0, 1, 0x08, 0x00, 6, 4, 0, 1]);
    expected.extend([2, 0, 0, 0, 0, 2, 10, 0, 0, 3]);
    expected.extend([0, 0, 0, 0, 0, 0, 10, 0, 0, 4]);
    assert_eq!(bytes, expected);
}

#[test]
fn an_arp_reply_knows_both_addresses() {
    let arp = Arp {
        request: false,
        sender: NodeId(2),
        target: NodeId(3),
    };
    let frame = Frame {
        header: header(FrameKind::Data, 62),
        payload: Some(Payload::Arp(arp)),
    };
    let bytes = mac_bytes(&frame);
    // Behind 24 bytes of header and 8 of LLC and SNAP.
    assert_eq!(bytes[24 + 8 + 7], 2);
    assert_eq!(bytes[bytes.len() - 10..], [2, 0, 0, 0, 0, 3, 10, 0, 0, 4]);
}

#[test]
fn a_syn_with_both_checksums() {
    let bytes = packet_bytes(&packet(40, Body::Tcp(syn(8_000))));
    // IPv4 without its checksum adds up to 0xD932, so the checksum is 0x26CD; TCP with its pseudo
    // header adds up to 0x20360, with the carry 0x0362, so 0xFC9D.
    let expected = [
        0x45, 0x00, 0x00, 0x28, 0x00, 0x01, 0x40, 0x00, 0x40, 0x06, 0x26, 0xCD, 10, 0, 0, 1, 10, 0,
        0, 2, 0xC0, 0x00, 0xC0, 0x00, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x02, 0x1F, 0x40, 0xFC, 0x9D,
        0, 0,
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn a_datagram_is_as_long_as_simulated() {
    let datagram = Datagram {
        flow: FlowId(7),
        number: 0,
        len: 1460,
        sent: acklab_base::Instant::ZERO,
    };
    // RFC 768's 28 bytes of headers, and ns-2's 20.
    for (simulated, data) in [(1488, 1460), (1480, 1452)] {
        let bytes = packet_bytes(&packet(simulated, Body::Udp(datagram)));
        assert_eq!(bytes.len(), simulated as usize);
        assert_eq!(
            u32::from(u16::from_be_bytes([bytes[24], bytes[25]])),
            8 + data
        );
        assert_eq!(bytes[20..24], [0xC0, 0x07, 0xC0, 0x00]);
    }
}

#[test]
fn aodv_messages_as_in_rfc_3561_section_5() {
    let request = Request {
        hop_count: 3,
        broadcast_id: 0x0A0B_0C0D,
        destination: NodeId(8),
        destination_seq: 0,
        origin: NodeId(0),
        origin_seq: 6,
        sent_at: Instant::ZERO,
    };
    let bytes = packet_bytes(&packet(48, Body::Aodv(Message::Request(request))));
    assert_eq!(bytes[20..24], [0x02, 0x8E, 0x02, 0x8E], "port 654");
    let expected = [
        1, 0x08, 0, 3, 10, 11, 12, 13, 10, 0, 0, 9, 0, 0, 0, 0, 10, 0, 0, 1, 0, 0, 0, 6,
    ];
    assert_eq!(
        bytes[28..],
        expected,
        "the U flag: no sequence number known"
    );

    let reply = Reply {
        hop_count: 2,
        destination: NodeId(8),
        destination_seq: 4,
        origin: NodeId(0),
        lifetime: Duration::from_secs(10),
        request_sent_at: Instant::ZERO,
    };
    let bytes = packet_bytes(&packet(44, Body::Aodv(Message::Reply(reply))));
    let expected = [
        2, 0, 0, 2, 10, 0, 0, 9, 0, 0, 0, 4, 10, 0, 0, 1, 0, 0, 0x27, 0x10,
    ];
    assert_eq!(bytes[28..], expected, "10000 ms");

    let lost = [Unreachable {
        destination: NodeId(8),
        destination_seq: 5,
    }];
    let bytes = packet_bytes(&packet(
        32,
        Body::Aodv(Message::Error(Unreachables::from_slice(&lost))),
    ));
    assert_eq!(bytes[28..], [3, 0, 0, 1, 10, 0, 0, 9, 0, 0, 0, 5]);
}

#[test]
fn a_radiotap_header_field_by_field() {
    let mut header = header(FrameKind::Data, 62);
    header.airtime = Duration::from_micros(96) + BitRate::MBPS_5_5.airtime(62 * 8);
    let mut info = RadioInfo::of(&header, Instant::from_nanos(0x0102_0304 * 1_000), 914);
    info.signal_dbm = Some(-64.4);
    info.bad_fcs = true;
    let mut out = Vec::new();
    info.write(&mut out);
    // 0x01020304 µs and 96 of preamble; flags: FCS at end, bad FCS, short preamble; 11 × 500
    // kbit/s; 914 MHz; CCK at 900 MHz; −64 dBm.
    let expected = [
        0, 0, 23, 0, 0x2F, 0, 0, 0, 0x64, 0x03, 0x02, 0x01, 0, 0, 0, 0, 0x52, 11, 0x92, 0x03, 0x24,
        0x00, 0xC0,
    ];
    assert_eq!(out, expected);
}

#[test]
fn an_unknown_rate_leaves_a_padding_byte() {
    let mut header = header(FrameKind::Rts, 20);
    header.airtime = Duration::from_micros(777);
    let mut out = Vec::new();
    RadioInfo::of(&header, Instant::ZERO, 2_437).write(&mut out);
    assert_eq!(out[..8], [0, 0, 22, 0, 0x0B, 0, 0, 0]);
    assert_eq!(out[16..], [0x10, 0, 0x85, 0x09, 0xA0, 0x00]);
}

#[test]
fn the_rate_follows_from_length_and_airtime() {
    let rates = [
        BitRate::MBPS_1,
        BitRate::MBPS_2,
        BitRate::MBPS_5_5,
        BitRate::MBPS_11,
    ];
    for bytes in (14..2_346).filter(|&bytes| bytes != 24 && bytes != 132) {
        for (plcp, short) in [(192, false), (96, true)] {
            for rate in rates {
                let mut header = header(FrameKind::Data, bytes);
                header.airtime = Duration::from_micros(plcp) + rate.airtime(u64::from(bytes) * 8);
                let info = RadioInfo::of(&header, Instant::ZERO, 914);
                assert_eq!(
                    (info.rate, info.short_preamble),
                    (Some(rate), short),
                    "{bytes} bytes"
                );
            }
        }
    }
}

mod scaling {
    use super::*;

    /// Field and length of the TCP header of each segment, encoded by one encoder.
    fn fields(segments: &[Segment]) -> Vec<(u16, usize)> {
        let mut encoder = Encoder::new();
        for segment in segments {
            encoder.observe(segment);
        }
        segments
            .iter()
            .map(|segment| {
                let mut out = Vec::new();
                encoder.packet(&packet(40, Body::Tcp(*segment)), &mut out);
                (
                    u16::from_be_bytes([out[34], out[35]]),
                    usize::from(out[32] >> 4) * 4,
                )
            })
            .collect()
    }

    fn answer(window: u32) -> Segment {
        Segment {
            forward: false,
            flags: Flags {
                syn: true,
                ack: true,
                fin: false,
            },
            ..syn(window)
        }
    }

    fn data(window: u32) -> Segment {
        Segment {
            flags: Flags {
                ack: true,
                ..Flags::default()
            },
            ..syn(window)
        }
    }

    #[test]
    fn small_windows_need_no_option() {
        let found = fields(&[syn(65_535), answer(8_000), data(65_535)]);
        assert_eq!(found, [(65_535, 20), (8_000, 20), (65_535, 20)]);
    }

    #[test]
    fn a_large_window_is_announced_and_shifted() {
        let found = fields(&[syn(262_140), answer(8_000), data(262_140)]);
        // 262140 = 65535 × 4: a shift of 2 on one side, of 0 on the other.
        assert_eq!(found, [(65_535, 28), (8_000, 28), (65_535, 20)]);
    }

    #[test]
    fn without_both_syns_a_large_window_shows_as_the_largest() {
        let found = fields(&[syn(100_000), data(100_000)]);
        assert_eq!(found, [(65_535, 20), (65_535, 20)]);
    }

    #[test]
    fn an_encoder_that_saw_nothing_caps_windows() {
        assert_eq!(
            packet_bytes(&packet(40, Body::Tcp(data(70_000))))[34..36],
            [0xFF, 0xFF]
        );
    }
}
