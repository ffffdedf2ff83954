//! Flows: the two ends of a TCP connection or of a datagram stream, and what they count.

use crate::gaps::{Before, GapWatch};
use crate::oracle::OracleAckPath;
use crate::sessions::Sessions;
use crate::world::World;
use acklab_base::{Duration, FlowId, Instant, NodeId, Stream};
use acklab_kernel::Slot;
use acklab_tcp::{AckReason, Receiver, ReceiverOutput, Sender, SenderOutput};
use acklab_trace::{DropReason, Event, FlowCounters, WindowMeter};
use acklab_wire::tcp::Datagram;
use acklab_wire::{Body, Class, Packet, Segment};

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) id: FlowId,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) start: Instant,
    pub(crate) traffic: Traffic,
    pub(crate) source: Slot,
    pub(crate) sink: Slot,
    /// Where ACKs go that take no channel.
    pub(crate) oracle_acks: Option<Box<OracleAckPath>>,
    /// Agents on the way cannot read its headers.
    pub(crate) encrypted: bool,
    pub(crate) counters: FlowCounters,
    /// The counters at the start of the measured interval, if any was not zero.
    pub(crate) baseline: Option<Box<FlowCounters>>,
}

impl Flow {
    /// What was counted since the start of the run, with what its sender knows.
    pub(crate) fn totals(&self) -> FlowCounters {
        let mut counters = self.counters;
        if let Traffic::Tcp(tcp) = &self.traffic {
            counters.acked_packets = tcp.acked_packets();
        }
        counters
    }
}

impl Flow {
    /// The measured interval begins.
    pub(crate) fn start_measuring(&mut self) {
        let totals = self.totals();
        let is_new = totals == FlowCounters::default();
        self.baseline = (!is_new).then(|| Box::new(totals));
    }

    /// What was counted in it.
    pub(crate) fn measured(&self) -> FlowCounters {
        let totals = self.totals();
        match &self.baseline {
            Some(baseline) => totals.since(baseline),
            None => totals,
        }
    }
}

/// What a flow sends.
// One flow is one of the two for the whole run, and there are few flows.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Traffic {
    /// A persistent TCP connection, or one after the other.
    Tcp(Tcp),
    /// Datagrams at a constant rate.
    Cbr(Cbr),
}

/// A TCP connection, both ends.
#[derive(Debug)]
pub(crate) struct Tcp {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) windows: WindowMeter,
    pub(crate) gaps: GapWatch,
    pub(crate) mss: u32,
    pub(crate) opened: bool,
    /// Short transfers, each over a connection of its own; the two ends are those of the last
    /// one.
    pub(crate) sessions: Option<Box<Sessions>>,
}

impl Tcp {
    /// Packets that are acknowledged since the start of the run.
    pub(crate) fn acked_packets(&self) -> u64 {
        let acked = self.sender.acked_bytes();
        match &self.sessions {
            Some(sessions) => sessions.acked_packets(acked),
            None => acked / u64::from(self.mss),
        }
    }

    /// Whether there is a connection now: not before the start of the flow, nor between two transfers.
    pub(crate) fn is_open(&self) -> bool {
        match &self.sessions {
            Some(sessions) => sessions.opens_at().is_none(),
            None => self.opened,
        }
    }

    /// When the sending end has something to do.
    fn source_wake(&self) -> Instant {
        let opens_at = self.sessions.as_ref().and_then(|s| s.opens_at());
        opens_at.unwrap_or_else(|| self.sender.next_wake())
    }
}

/// A constant-bit-rate source.
#[derive(Debug)]
pub(crate) struct Cbr {
    pub(crate) packet: u32,
    pub(crate) interval: Duration,
    pub(crate) jitter: Duration,
    pub(crate) draws: Stream,
    pub(crate) sent: u64,
}

impl World {
    pub(crate) fn wake_source(&mut self, now: Instant, flow: usize) {
        match &mut self.flows[flow].traffic {
            Traffic::Tcp(tcp) => {
                if tcp.sessions.is_some() {
                    return self.wake_sessions(now, flow);
                }
                if tcp.opened {
                    tcp.sender.on_wake(now);
                } else {
                    tcp.opened = true;
                    self.open(now, flow, u64::MAX);
                }
                self.drain_sender(now, flow);
            }
            Traffic::Cbr(_) => self.send_datagram(now, flow),
        }
    }

    fn wake_sessions(&mut self, now: Instant, flow: usize) {
        let tcp = self.tcp(flow);
        let Some(sessions) = &mut tcp.sessions else {
            return;
        };
        match sessions.opens_at() {
            Some(at) if at <= now => {
                let bytes;
                (tcp.sender, tcp.receiver, bytes) = sessions.open(now);
                self.open(now, flow, bytes);
            }
            Some(_) => {}
            None => tcp.sender.on_wake(now),
        }
        self.drain_receiver(now, flow);
        self.drain_sender(now, flow);
    }

    /// A connection opens, for so many bytes.
    fn open(&mut self, now: Instant, flow: usize, bytes: u64) {
        self.tcp(flow).sender.on_data(now, bytes);
        self.tell_new_ends(now, flow);
        self.tcp(flow).sender.on_open(now);
    }

    /// A short transfer whose last ACK is here is over.
    fn close_session(&mut self, now: Instant, flow: usize) {
        let tcp = self.tcp(flow);
        if let Some(sessions) = &mut tcp.sessions
            && sessions.opens_at().is_none()
            && tcp.sender.is_finished()
        {
            let delay = sessions.close(now);
            let counters = &mut self.flows[flow].counters;
            counters.sessions_completed += 1;
            counters.session_time += delay;
        }
    }

    pub(crate) fn wake_sink(&mut self, now: Instant, flow: usize) {
        if let Traffic::Tcp(tcp) = &mut self.flows[flow].traffic {
            tcp.receiver.on_wake(now);
            self.drain_receiver(now, flow);
        }
    }

    /// A packet has reached its destination.
    pub(crate) fn deliver(&mut self, now: Instant, node: NodeId, packet: &Packet) {
        let class = packet.class();
        match &packet.body {
            Body::Tcp(segment) => {
                let flow = segment.flow.index();
                self.record(now, node, Event::TcpReceived(*segment));
                self.deliver_segment(now, node, flow, segment);
            }
            Body::Udp(datagram) => {
                let event = Event::UdpReceived {
                    datagram: *datagram,
                    bytes: packet.bytes,
                };
                self.record(now, node, event);
                let flow = datagram.flow.index();
                let counters = &mut self.flows[flow].counters;
                counters.delivered_packets += 1;
                counters.delivered_bytes += u64::from(datagram.len);
                counters.datagram_delay += now - datagram.sent;
                self.delivery_near_handoff(now, flow, 1);
                self.stacks[self.seats.of(node)]
                    .digest
                    .mix(now, 64, datagram.number);
                self.count_delivered(1);
            }
            Body::Aodv(_) | Body::Dsdv(_) | Body::Dsr(_) | Body::CellularIp(_) => {
                self.dropped(now, node, class, DropReason::Unclaimed);
            }
        }
    }

    /// A segment has reached its end of the connection.
    pub(crate) fn deliver_segment(
        &mut self,
        now: Instant,
        node: NodeId,
        flow: usize,
        segment: &Segment,
    ) {
        let Flow {
            traffic: Traffic::Tcp(tcp),
            counters,
            ..
        } = &mut self.flows[flow]
        else {
            return;
        };
        if tcp.sessions.as_ref().is_some_and(|s| !s.owns(segment)) {
            let class = if segment.forward {
                Class::TcpData
            } else {
                Class::TcpAck
            };
            self.dropped(now, node, class, DropReason::Unclaimed);
            return;
        }
        if segment.forward {
            // Only the idealised policy takes notice.
            tcp.receiver.tell_window(tcp.sender.window() as u32);
            let before = Before::of(&tcp.receiver, segment);
            tcp.receiver.on_segment(now, segment);
            tcp.gaps
                .on_data(now, (before, segment), &tcp.receiver, counters);
            self.drain_receiver(now, flow);
        } else {
            tcp.gaps.on_ack(now, segment, counters);
            tcp.sender.on_segment(now, segment);
            self.recovery_near_handoff(now, flow);
            self.drain_sender(now, flow);
        }
    }

    pub(crate) fn drain_sender(&mut self, now: Instant, flow: usize) {
        let node = self.flows[flow].from;
        while let Some(output) = self.tcp(flow).sender.poll() {
            match output {
                SenderOutput::Segment(segment) => {
                    self.tcp(flow).gaps.on_sent(now, &segment);
                    if segment.len > 0 {
                        let counters = &mut self.flows[flow].counters;
                        counters.sent_packets += 1;
                        counters.retransmissions += u64::from(segment.retransmission);
                        self.data_near_handoff(now, flow);
                    }
                    self.send_segment(now, node, flow, segment);
                }
                SenderOutput::Note(note) => self.note_sender(now, node, flow, note),
            }
        }
        self.watch_window(now, node, flow);
        self.close_session(now, flow);
        let source = self.flows[flow].source;
        let wake = self.tcp(flow).source_wake();
        self.agenda.set(source, wake);
    }

    pub(crate) fn drain_receiver(&mut self, now: Instant, flow: usize) {
        let node = self.flows[flow].to;
        while let Some(output) = self.tcp(flow).receiver.poll() {
            match output {
                ReceiverOutput::Ack(segment, reason) => {
                    let small = self.tcp(flow).windows.is_small();
                    let counters = &mut self.flows[flow].counters;
                    counters.acks_sent += 1;
                    match reason {
                        AckReason::Count => counters.acks_by_count += 1,
                        AckReason::Timer => {
                            counters.acks_by_timer += 1;
                            counters.acks_by_timer_small_window += u64::from(small);
                        }
                        AckReason::Held => {
                            counters.dupacks_released += 1;
                            self.note_hold_ends(flow, false);
                        }
                        AckReason::Window => counters.acks_of_window += 1,
                        AckReason::Every => {}
                        _ => counters.acks_immediate += 1,
                    }
                    self.ack_near_handoff(now, flow);
                    self.send_segment(now, node, flow, segment);
                }
                ReceiverOutput::Delivered { bytes, segments } => {
                    let counters = &mut self.flows[flow].counters;
                    counters.delivered_packets += u64::from(segments);
                    counters.delivered_bytes += u64::from(bytes);
                    let all = counters.delivered_bytes;
                    self.delivery_near_handoff(now, flow, segments);
                    self.count_delivered(u64::from(segments));
                    self.stacks[self.seats.of(node)].digest.mix(now, 65, all);
                    let flow = self.flows[flow].id;
                    self.record(now, node, Event::Delivered { flow, bytes });
                }
                ReceiverOutput::Note(note) => self.note_receiver(flow, note),
            }
        }
        let sink = self.flows[flow].sink;
        let wake = self.tcp(flow).receiver.next_wake();
        self.agenda.set(sink, wake);
    }

    fn send_segment(&mut self, now: Instant, node: NodeId, flow: usize, segment: Segment) {
        self.record(now, node, Event::TcpSent(segment));
        let Some(segment) = self.take_oracle_ack(now, flow, segment) else {
            return;
        };
        let ends = &self.flows[flow];
        let to = if segment.forward { ends.to } else { ends.from };
        let stack = &mut self.stacks[self.seats.of(node)];
        let packet = Packet::tcp(stack.packet_id(), node, to, 0, segment);
        self.route(now, node, packet, None);
    }

    fn send_datagram(&mut self, now: Instant, flow: usize) {
        let header = self.shared.udp_header;
        let Flow {
            id,
            from: node,
            to,
            start,
            source,
            ..
        } = self.flows[flow];
        let Traffic::Cbr(cbr) = &mut self.flows[flow].traffic else {
            return;
        };
        let datagram = Datagram {
            flow: id,
            number: cbr.sent,
            len: cbr.packet,
            sent: now,
        };
        cbr.sent += 1;
        let mut next = start + cbr.interval * cbr.sent;
        if cbr.jitter > Duration::ZERO {
            next += cbr.draws.interval_below(cbr.jitter);
        }
        self.agenda.set(source, next.max(now));
        self.flows[flow].counters.sent_packets += 1;
        let packet_id = self.stacks[self.seats.of(node)].packet_id();
        let packet = Packet::udp(packet_id, node, to, 0, datagram, header);
        self.record(
            now,
            node,
            Event::UdpSent {
                datagram,
                bytes: packet.bytes,
            },
        );
        self.route(now, node, packet, None);
    }

    pub(crate) fn tcp(&mut self, flow: usize) -> &mut Tcp {
        match &mut self.flows[flow].traffic {
            Traffic::Tcp(tcp) => tcp,
            Traffic::Cbr(_) => unreachable!("only TCP flows have senders and receivers"),
        }
    }
}
