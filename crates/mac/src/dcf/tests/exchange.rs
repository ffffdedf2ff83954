//! RTS, CTS, data, ACK: exact instants and duration fields.

use super::script::{ME, PEER, Script, data, describe, frame, ns2, standard};
use crate::dcf::{Dcf, DcfConfig, Output, Preamble};
use acklab_base::{Address, BitRate, Duration, FlowId, Instant, NodeId, Purpose};
use acklab_wire::tcp::Datagram;
use acklab_wire::{FrameHeader, FrameKind, Packet, Payload};

/// ```text
/// 0      50   90   442  452   756  766      1766  1776   2080
/// | DIFS | 2  |RTS |SIFS| cts |SIFS| DATA   |SIFS | ack  | ready
///              duration 1638       314
/// ```
#[test]
fn the_sending_side_of_an_exchange() {
    let mut script = Script::of_ns2(&[2]);
    script.packet(0, PEER);
    script.hear(452, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.hear(1_776, frame(FrameKind::Ack, PEER, ME, 0));
    script.says(&["90 rts to 2", "766 data 0 to 2", "2080 ready"]);
    let durations: Vec<u64> = script
        .sent
        .iter()
        .map(|header| header.duration.round_to_micros())
        .collect();
    // RTS: 3 SIFS + CTS + DATA + ACK; data: SIFS + ACK.
    assert_eq!(durations, [3 * 10 + 304 + 1_000 + 304, 10 + 304]);
}

/// ```text
/// 0    352  362   666   676      1676  1686   1990
/// |rts |SIFS| CTS |SIFS | data   |SIFS | ACK  |
///            1324                       0            duration
///                       deliver ^
/// ```
#[test]
fn the_receiving_side_of_an_exchange() {
    let mut script = Script::of_ns2(&[]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(676, data(PEER, ME, 9));
    script.until(5_000);
    script.says(&["362 cts to 2", "1676 deliver 9 from 2", "1686 ack to 2"]);
    let durations: Vec<u64> = script
        .sent
        .iter()
        .map(|header| header.duration.round_to_micros())
        .collect();
    assert_eq!(durations, [1_638 - 10 - 304, 0]);
}

/// ns-2 holds the packet and 58 B against the threshold: 34 of the frame, 24 of PLCP (15 with a preamble of 72
/// bits). Its own traces: a packet of 1020 B has RTS up to a threshold of 1078 and none from 1079 on; 1069 and 1070
/// with the short preamble.
///
/// ```text
/// packet of 67 B, threshold 125: RTS.    Threshold 126: none.
/// 0      50   90                         90       1090  1100  1404
/// | DIFS | 2  | RTS                      | DATA   |SIFS | ack | ready
/// ```
#[test]
fn the_rts_threshold_decides_by_the_bytes_of_the_frame_with_its_plcp() {
    for (preamble, threshold, first) in [
        (Preamble::Long, Some(125), "90 rts to 2"),
        (Preamble::Long, Some(126), "90 data 0 to 2"),
        (Preamble::Short, Some(116), "90 rts to 2"),
        (Preamble::Short, Some(117), "90 data 0 to 2"),
        (Preamble::Long, None, "90 data 0 to 2"),
    ] {
        let config = DcfConfig {
            preamble,
            rts_threshold: threshold,
            ..ns2()
        };
        let mut script = Script::new(config, &[(31, 2)]);
        script.packet_of(0, PEER, 67);
        script.until(90);
        script.says(&[first]);
    }
    let config = DcfConfig {
        rts_threshold: None,
        ..ns2()
    };
    let mut script = Script::new(config, &[(31, 2)]);
    script.packet(0, PEER);
    script.hear(1_100, frame(FrameKind::Ack, PEER, ME, 0));
    script.says(&["90 data 0 to 2", "1404 ready"]);
}

/// Every data frame has the next sequence number, modulo 4096.
#[test]
fn sequence_numbers_go_round() {
    let config = DcfConfig {
        rts_threshold: None,
        ..standard()
    };
    let mut script = Script::new(config, &[]);
    for number in 0..4_098_u64 {
        script.packet(number * 10_000, NodeId::BROADCAST);
        script.until(number * 10_000 + 9_999);
    }
    let numbers: Vec<u16> = script.sent.iter().map(|header| header.sequence).collect();
    assert_eq!(numbers[..2], [0, 1]);
    assert_eq!(numbers[4_095..], [4_095, 0, 1]);
}

/// Two stations that hear each other after 667 ns, and nobody else.
struct Pair {
    stations: [Dcf; 2],
    /// Frames on their way: (first bit, last bit, listener, header).
    air: Vec<(Instant, Instant, usize, FrameHeader)>,
    journal: Vec<String>,
}

const DELAY: Duration = Duration::from_nanos(667);

impl Pair {
    fn new(config: DcfConfig) -> Self {
        let station = |node| {
            let address = Address {
                seed: 1,
                run: 0,
                node: NodeId(node),
                purpose: Purpose::Backoff,
            };
            Dcf::new(NodeId(node), config, address.open())
        };
        Self {
            stations: [station(0), station(1)],
            air: Vec::new(),
            journal: Vec::new(),
        }
    }

    /// The next instant at which anything happens.
    fn next(&self) -> Instant {
        let wakes = self.stations.iter().map(Dcf::next_wake);
        let edges = self.air.iter().map(|&(first, last, ..)| first.min(last));
        wakes.chain(edges).min().unwrap_or(Instant::NEVER)
    }

    fn run(&mut self, until: Instant) {
        while self.next() <= until {
            let now = self.next();
            for index in 0..self.air.len() {
                let (first, last, listener, header) = self.air[index];
                if first == now {
                    self.stations[listener].on_medium(now, true);
                    self.air[index].0 = Instant::NEVER;
                }
                if last == now {
                    self.stations[listener].on_frame(now, &header);
                    self.stations[listener].on_medium(now, false);
                    self.air[index].1 = Instant::NEVER;
                }
            }
            self.air.retain(|&(_, last, ..)| last != Instant::NEVER);
            for node in 0..2 {
                self.stations[node].on_wake(now);
                self.drain(now, node);
            }
        }
    }

    fn drain(&mut self, now: Instant, node: usize) {
        while let Some(output) = self.stations[node].poll() {
            let said = describe(&self.stations[node], output);
            self.journal
                .push(format!("{} {node}: {said}", now.as_nanos()));
            if output == Output::Transmit {
                let header = *self.stations[node].on_air();
                let first = now + DELAY;
                self.air
                    .push((first, first + header.airtime, 1 - node, header));
            }
        }
    }
}

/// A datagram of 1460 B at 2 Mbit/s over 200 m, as ns-2's trace shows it. Counted from the RTS:
///
/// ```text
/// RTS 0 … 352.667 SIFS, CTS 362.667 … 667.334 SIFS, DATA 677.334 … 6926.001, ACK 6936.001 … 7240.668
/// ```
#[test]
fn the_checked_timeline_of_ns2() {
    let config = DcfConfig {
        data_rate: BitRate::MBPS_2,
        cw_min: 1,
        ..ns2()
    };
    let mut pair = Pair::new(config);
    let datagram = Datagram {
        flow: FlowId(0),
        number: 0,
        len: 1_460,
        sent: acklab_base::Instant::ZERO,
    };
    let packet = Packet::udp(0, NodeId(0), NodeId(1), 30, datagram, 20);
    // With one slot to choose from, the RTS comes DIFS after the packet.
    let start = Instant::from_nanos(1_000_000 - 50_000);
    pair.stations[0].on_packet(start, Payload::Ip(packet), NodeId(1));
    pair.run(Instant::from_nanos(20_000_000));
    let expected = [
        "1000000 0: rts to 1",
        "1362667 1: cts to 0",
        "1677334 0: data 0 to 1",
        "7926001 1: deliver 0 from 0",
        "7936001 1: ack to 0",
        "8240001 1: ready",
        "8240668 0: ready",
    ];
    assert_eq!(pair.journal, expected);
}
