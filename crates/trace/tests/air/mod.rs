//! A hand-made stretch of air: three nodes in a row, every kind of frame, every fate.
//!
//! ```text
//! node 0 ── 200 m ── node 1 ── 200 m ── node 2        0 and 2 sense, but do not decode, each other
//! ```

use acklab_base::{BitRate, Duration, FlowId, Instant, NodeId, Seq32};
use acklab_trace::{Event, FlowEnds, Reception, Recorder, RecorderConfig};
use acklab_wire::aodv::{Message, Reply, Request, Unreachable};
use acklab_wire::arp::Arp;
use acklab_wire::frame::{ACK_BYTES, CTS_BYTES, DATA_OVERHEAD_FOUR_ADDRESSES, RTS_BYTES};
use acklab_wire::tcp::Datagram;
use acklab_wire::{Body, Flags, Frame, FrameHeader, FrameKind, Options, Packet, Payload, Segment};

pub(crate) const TCP: FlowId = FlowId(0);
pub(crate) const UDP: FlowId = FlowId(1);
pub(crate) const NODES: u32 = 3;
const NEAR_DBM: f64 = -60.5;
const FAR_DBM: f64 = -72.5;

/// The air, and the time.
pub(crate) struct Air {
    pub(crate) recorder: Recorder,
    pub(crate) now: Instant,
    /// Frames that each capture should show: sent, decoded, and collided ones.
    pub(crate) shown: usize,
    /// Those of them that were received in error.
    pub(crate) damaged: usize,
    /// Frames that only a capture of lost frames shows.
    pub(crate) lost: usize,
    packets: u32,
    sequence: u16,
}

impl Air {
    pub(crate) fn new() -> Self {
        let ends = FlowEnds {
            from: NodeId(0),
            to: NodeId(2),
        };
        let config = RecorderConfig::new(NODES, vec![ends, ends]);
        Self {
            recorder: Recorder::new(config),
            now: Instant::ZERO + Duration::from_millis(1),
            shown: 0,
            damaged: 0,
            lost: 0,
            packets: 0,
            sequence: 0,
        }
    }

    /// Sends a frame and lets the others receive it as `fates` says, then waits a SIFS.
    pub(crate) fn send(&mut self, frame: &Frame, fates: &[(u32, Reception)]) -> u32 {
        let from = frame.header.from;
        let number = self.recorder.frame_sent(self.now, from, frame);
        let end = self.now + frame.header.airtime;
        self.shown += 1;
        for &(node, fate) in fates {
            let signal = if node.abs_diff(from.0) == 1 {
                NEAR_DBM
            } else {
                FAR_DBM
            };
            // Propagation over 200 m takes 667 ns.
            let at = end + Duration::from_nanos(667 * u64::from(node.abs_diff(from.0)));
            self.recorder
                .reception(at, NodeId(node), number, fate, signal);
            match fate {
                Reception::Decoded | Reception::Captured { .. } => self.shown += 1,
                Reception::Collided { .. } if signal > FAR_DBM => {
                    self.shown += 1;
                    self.damaged += 1;
                }
                _ => self.lost += 1,
            }
        }
        self.now = end + Duration::from_micros(10);
        number
    }

    /// RTS, CTS, data, ACK from one node to its neighbour.
    pub(crate) fn exchange(&mut self, from: u32, to: u32, payload: Payload) {
        let others = |sender: u32| -> Vec<(u32, Reception)> {
            (0..NODES)
                .filter(|&node| node != sender)
                .map(|node| match node.abs_diff(sender) {
                    1 => (node, Reception::Decoded),
                    _ => (node, Reception::Sensed),
                })
                .collect()
        };
        let data = self.data(from, NodeId(to), payload);
        let after_cts = 20 + micros(&data) + micros(&control(FrameKind::Ack, to, from, 0));
        let after_rts = after_cts + 10 + micros(&control(FrameKind::Cts, to, from, 0));
        self.send(&control(FrameKind::Rts, from, to, after_rts), &others(from));
        self.send(&control(FrameKind::Cts, to, from, after_cts), &others(to));
        self.send(&data, &others(from));
        self.send(&control(FrameKind::Ack, to, from, 0), &others(to));
    }

    /// A data frame, at 2 Mbit/s, broadcast at 1 Mbit/s.
    pub(crate) fn data(&mut self, from: u32, to: NodeId, payload: Payload) -> Frame {
        self.sequence += 1;
        let bytes = payload.bytes() + DATA_OVERHEAD_FOUR_ADDRESSES;
        let rate = if to.is_broadcast() {
            BitRate::MBPS_1
        } else {
            BitRate::MBPS_2
        };
        let ack = control(FrameKind::Ack, 0, 0, 0).header.airtime;
        let duration = if to.is_broadcast() {
            Duration::ZERO
        } else {
            Duration::from_micros(10) + ack
        };
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: false,
            sequence: self.sequence,
            to,
            from: NodeId(from),
            duration,
            bytes,
            airtime: airtime(bytes, rate),
        };
        Frame {
            header,
            payload: Some(payload),
        }
    }

    pub(crate) fn ip(
        &mut self,
        source: u32,
        destination: NodeId,
        bytes: u32,
        body: Body,
    ) -> Payload {
        self.packets += 1;
        let source = NodeId(source);
        Payload::Ip(Packet {
            id: self.packets,
            source,
            destination,
            ttl: 30,
            bytes,
            body,
        })
    }

    /// Carries a segment over both hops, with the transport's events at both ends.
    pub(crate) fn carry(&mut self, segment: Segment) {
        let (from, to) = if segment.forward { (0, 2) } else { (2, 0) };
        self.recorder
            .event(self.now, NodeId(from), Event::TcpSent(segment));
        let packet = self.ip(from, NodeId(to), segment.ip_bytes(), Body::Tcp(segment));
        self.exchange(from, 1, packet.clone());
        self.exchange(1, to, packet);
        self.recorder
            .event(self.now, NodeId(to), Event::TcpReceived(segment));
    }
}

fn micros(frame: &Frame) -> u64 {
    frame.header.airtime.round_to_micros()
}

fn airtime(bytes: u32, rate: BitRate) -> Duration {
    Duration::from_micros(192) + rate.airtime(u64::from(bytes) * 8)
}

pub(crate) fn control(kind: FrameKind, from: u32, to: u32, duration_micros: u64) -> Frame {
    let bytes = match kind {
        FrameKind::Rts => RTS_BYTES,
        FrameKind::Cts => CTS_BYTES,
        FrameKind::Ack | FrameKind::Data => ACK_BYTES,
    };
    let header = FrameHeader {
        kind,
        retry: false,
        sequence: 0,
        to: NodeId(to),
        from: NodeId(from),
        duration: Duration::from_micros(duration_micros),
        bytes,
        airtime: airtime(bytes, BitRate::MBPS_1),
    };
    Frame {
        header,
        payload: None,
    }
}

pub(crate) fn segment(forward: bool, seq: u32, ack: u32, len: u32) -> Segment {
    Segment {
        flow: TCP,
        forward,
        seq: Seq32(seq),
        ack: Seq32(ack),
        flags: Flags {
            ack: true,
            ..Flags::default()
        },
        window: 100_000,
        len,
        retransmission: false,
        options: Options::NONE,
    }
}

/// Route discovery, address resolution, a TCP connection, a datagram, and all kinds of loss.
pub(crate) fn story() -> Air {
    let mut air = Air::new();
    discover(&mut air);
    resolve(&mut air);
    connect(&mut air);
    lose(&mut air);
    air
}

fn discover(air: &mut Air) {
    let request = Request {
        hop_count: 0,
        broadcast_id: 1,
        destination: NodeId(2),
        destination_seq: 0,
        origin: NodeId(0),
        origin_seq: 2,
        sent_at: air.now,
    };
    let body = Body::Aodv(Message::Request(request));
    let packet = air.ip(0, NodeId::BROADCAST, 48, body);
    let frame = air.data(0, NodeId::BROADCAST, packet);
    air.send(&frame, &[(1, Reception::Decoded), (2, Reception::Sensed)]);
    let reply = Reply {
        hop_count: 1,
        destination: NodeId(2),
        destination_seq: 4,
        origin: NodeId(0),
        lifetime: Duration::from_secs(10),
        request_sent_at: request.sent_at,
    };
    let packet = air.ip(2, NodeId(0), 44, Body::Aodv(Message::Reply(reply)));
    air.exchange(2, 1, packet.clone());
    air.exchange(1, 0, packet);
    let lost = (1..=2).map(|node| Unreachable {
        destination: NodeId(node),
        destination_seq: node,
    });
    let error = Message::Error(lost.collect());
    let packet = air.ip(1, NodeId::BROADCAST, 40, Body::Aodv(error));
    let frame = air.data(1, NodeId::BROADCAST, packet);
    air.send(&frame, &[(0, Reception::Decoded), (2, Reception::Decoded)]);
}

fn resolve(air: &mut Air) {
    let ask = Payload::Arp(Arp {
        request: true,
        sender: NodeId(0),
        target: NodeId(1),
    });
    let frame = air.data(0, NodeId::BROADCAST, ask);
    air.send(&frame, &[(1, Reception::Decoded), (2, Reception::Sensed)]);
    let answer = Payload::Arp(Arp {
        request: false,
        sender: NodeId(1),
        target: NodeId(0),
    });
    air.exchange(1, 0, answer);
}

fn connect(air: &mut Air) {
    let mut syn = segment(true, 0, 0, 0);
    syn.flags = Flags {
        syn: true,
        ..Flags::default()
    };
    air.carry(syn);
    let mut answer = segment(false, 0, 1, 0);
    answer.flags.syn = true;
    air.carry(answer);
    air.carry(segment(true, 1, 1, 0));
    for number in 0..3 {
        air.carry(segment(true, 1 + 1000 * number, 1, 1000));
        air.carry(segment(false, 1, 1001 + 1000 * number, 0));
    }
    let mut fin = segment(true, 3001, 1, 0);
    fin.flags.fin = true;
    air.carry(fin);
    let mut fin = segment(false, 1, 3002, 0);
    fin.flags.fin = true;
    air.carry(fin);
    air.carry(segment(true, 3002, 2, 0));
    let datagram = Datagram {
        flow: UDP,
        number: 0,
        len: 1460,
        sent: acklab_base::Instant::ZERO,
    };
    air.recorder.event(
        air.now,
        NodeId(0),
        Event::UdpSent {
            datagram,
            bytes: 1480,
        },
    );
    let packet = air.ip(0, NodeId(2), 1480, Body::Udp(datagram));
    air.exchange(0, 1, packet.clone());
    air.exchange(1, 2, packet);
    air.recorder.event(
        air.now,
        NodeId(2),
        Event::UdpReceived {
            datagram,
            bytes: 1480,
        },
    );
}

fn lose(air: &mut Air) {
    let rts = control(FrameKind::Rts, 0, 1, 1_000);
    let other = control(FrameKind::Rts, 2, 1, 1_000);
    let first = air.send(&rts, &[(2, Reception::WhileTransmitting)]);
    let second = air.send(&other, &[(1, Reception::Collided { with: Some(first) })]);
    air.recorder.reception(
        air.now,
        NodeId(1),
        first,
        Reception::Collided { with: Some(second) },
        NEAR_DBM,
    );
    air.shown += 1;
    air.damaged += 1;
    let mut again = segment(true, 1, 1, 1000);
    again.retransmission = true;
    let packet = air.ip(0, NodeId(2), 1040, Body::Tcp(again));
    let mut frame = air.data(0, NodeId(1), packet);
    frame.header.retry = true;
    air.send(
        &frame,
        &[
            (1, Reception::Captured { over: Some(second) }),
            (2, Reception::CaptureLost),
        ],
    );
    air.send(
        &frame,
        &[
            (1, Reception::Collided { with: None }),
            (2, Reception::Collided { with: None }),
        ],
    );
}
