//! Every record as JSON lines: one object a line, keys in a fixed order.
//!
//! `time_ns`, `node` and `kind` come first, then the fields of the kind. Numbers are integers in
//! the unit that the key names, except windows (segments), `signal_dbm` and `level_dbm`.

use crate::cell_event::CellEvent;
use crate::event::{AgentAct, Event, LinkFrame, Reception, SlotPart};
use crate::recorder::{Record, Recorder, SentFrame, What};
use acklab_base::NodeId;
use acklab_wire::dsr::Data;
use acklab_wire::tcp::Datagram;
use acklab_wire::{Class, FrameKind, Options, Packet, Payload, Segment};
use std::fmt::{self, Display};
use std::io::{self, Write};

pub(crate) fn write(recorder: &Recorder, mut out: impl Write) -> io::Result<()> {
    for record in recorder.in_order() {
        let mut line = Line {
            out: &mut out,
            prefix: "",
        };
        write!(
            line.out,
            "{{\"time_ns\":{},\"node\":{}",
            record.at.as_nanos(),
            record.node.0
        )?;
        fields(&mut line, recorder, record)?;
        line.out.write_all(b"}\n")?;
    }
    out.flush()
}

/// An object under way. Keys and texts are names of ours: nothing in them needs escaping.
struct Line<'a, W> {
    out: &'a mut W,
    /// What the names of keys begin with from here on.
    prefix: &'static str,
}

/// What keys about the second packet of a frame begin with.
const SECOND: &str = "second_";

impl<W: Write> Line<'_, W> {
    fn kind(&mut self, kind: &str) -> io::Result<&mut Self> {
        self.text("kind", kind)
    }

    fn text(&mut self, key: &str, value: &str) -> io::Result<&mut Self> {
        write!(self.out, ",\"{}{key}\":\"{value}\"", self.prefix)?;
        Ok(self)
    }

    /// A number or a truth value.
    fn plain(&mut self, key: &str, value: impl Display) -> io::Result<&mut Self> {
        write!(self.out, ",\"{}{key}\":{value}", self.prefix)?;
        Ok(self)
    }

    /// A real number; JSON has no infinity, so that becomes `null`.
    fn real(&mut self, key: &str, value: f64) -> io::Result<&mut Self> {
        if value.is_finite() {
            self.plain(key, value)
        } else {
            self.plain(key, "null")
        }
    }

    fn segment(&mut self, segment: &Segment) -> io::Result<&mut Self> {
        self.plain("flow", segment.flow.0)?
            .plain("forward", segment.forward)?
            .plain("seq", segment.seq.0)?
            .plain("ack", segment.ack.0)?
            .plain("syn", segment.flags.syn)?
            .plain("fin", segment.flags.fin)?
            .plain("window_bytes", segment.window)?
            .plain("len_bytes", segment.len)?
            .plain("retransmission", segment.retransmission)?;
        self.options(&segment.options)
    }

    /// What the header carries beyond its fixed fields, if anything.
    fn options(&mut self, options: &Options) -> io::Result<&mut Self> {
        let blocks = options.sack.as_slice();
        if !blocks.is_empty() {
            let pairs: Vec<_> = blocks
                .iter()
                .map(|&(start, end)| [start.0, end.0])
                .collect();
            self.plain("sack", format_args!("{pairs:?}"))?;
        }
        if options.eln {
            self.plain("loss_notice", true)?;
        }
        Ok(self)
    }

    fn slot_part(&mut self, part: &SlotPart) -> io::Result<&mut Self> {
        self.text("what", part.what.name())?
            .plain("source", part.uid.source().0)?
            .plain("number", part.uid.number())?
            .plain("to", Receiver(part.to))
    }

    fn datagram(&mut self, datagram: &Datagram, bytes: u32) -> io::Result<&mut Self> {
        self.plain("flow", datagram.flow.0)?
            .plain("number", datagram.number)?
            .plain("len_bytes", datagram.len)?
            .plain("ip_bytes", bytes)
    }
}

fn fields<W: Write>(line: &mut Line<W>, recorder: &Recorder, record: &Record) -> io::Result<()> {
    match &record.what {
        What::Sent { frame } => sent(line, *frame, recorder.frame(*frame)),
        What::Received {
            frame,
            outcome,
            signal_dbm,
        } => {
            line.kind("frame_received")?
                .plain("frame", frame)?
                .text("outcome", outcome.name())?
                .real("signal_dbm", *signal_dbm)?;
            if let Reception::Collided { with: Some(other) }
            | Reception::Captured { over: Some(other) } = outcome
            {
                line.plain("other_frame", other)?;
            }
            Ok(())
        }
        What::Event(event) => happened(line, event),
    }
}

fn sent<W: Write>(line: &mut Line<W>, number: u32, sent: &SentFrame) -> io::Result<()> {
    let header = &sent.frame.header;
    let kind = match header.kind {
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::Ack => "ack",
        FrameKind::Data => "data",
    };
    line.kind("frame_sent")?
        .plain("frame", number)?
        .text("type", kind)?;
    line.plain("to", Receiver(header.to))?
        .plain("retry", header.retry)?
        .plain("bytes", header.bytes)?
        .plain("airtime_ns", header.airtime.as_nanos())?
        .plain("duration_ns", header.duration.as_nanos())?;
    let Some(payload) = &sent.frame.payload else {
        return Ok(());
    };
    line.plain("sequence", header.sequence)?
        .text("class", class_name(payload.class()))?;
    match payload {
        Payload::Arp(_) => Ok(()),
        Payload::Ip(one) => packet(line, one),
        Payload::Pair(pair) => {
            packet(line, &pair.first)?;
            line.prefix = SECOND;
            line.plain("to", pair.second_to.0)?
                .text("class", class_name(pair.second.class()))?;
            packet(line, &pair.second)
        }
    }
}

fn packet<W: Write>(line: &mut Line<W>, packet: &Packet) -> io::Result<()> {
    line.plain("packet_source", packet.source.0)?
        .plain("packet_id", packet.id)?;
    match packet.data() {
        Some(Data::Tcp(segment)) => line.segment(&segment)?,
        Some(Data::Udp(datagram)) => line.datagram(&datagram, packet.bytes)?,
        None => line,
    };
    Ok(())
}

fn happened<W: Write>(line: &mut Line<W>, event: &Event) -> io::Result<()> {
    match event {
        Event::TcpSent(segment) => line.kind("tcp_sent")?.segment(segment),
        Event::TcpReceived(segment) => line.kind("tcp_received")?.segment(segment),
        Event::UdpSent { datagram, bytes } => line.kind("udp_sent")?.datagram(datagram, *bytes),
        Event::UdpReceived { datagram, bytes } => {
            line.kind("udp_received")?.datagram(datagram, *bytes)
        }
        Event::Established { flow }
        | Event::Timeout { flow }
        | Event::FastRetransmit { flow }
        | Event::WindowCut { flow } => line.kind(mark(event))?.plain("flow", flow.0),
        Event::Window { .. } => windows(line, event),
        Event::Delivered { flow, bytes } => {
            let line = line.kind("delivered")?.plain("flow", flow.0)?;
            line.plain("bytes", bytes)
        }
        Event::PacketDropped { class, reason } => line
            .kind("packet_dropped")?
            .text("class", class_name(*class))?
            .text("reason", reason.name()),
        Event::LinkFrame(frame) => link_frame(line, frame),
        Event::Cell(event) => cell(line, event),
        Event::Agent { act, segment } => agent(line, *act, segment),
        Event::AgentHolds { data, notes } => holds(line, *data, *notes),
        Event::MacRetry { to, tries, rts } => {
            let line = line.kind("mac_retry")?.plain("to", to.0)?;
            line.plain("tries", tries)?.plain("rts", rts)
        }
        Event::LinkFailure { next_hop, is_false } => line
            .kind("link_failure")?
            .plain("next_hop", next_hop.0)?
            .plain("is_false", is_false),
        Event::RouteRequest { .. }
        | Event::RouteReply { .. }
        | Event::RouteError { .. }
        | Event::LocalRepair { .. }
        | Event::DiscoveryFailed { .. } => routing(line, event),
        slot @ (Event::SlotSent { .. } | Event::SlotHeard { .. } | Event::SlotCollided { .. }) => {
            in_slots(line, slot)
        }
    }?;
    Ok(())
}

fn windows<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    event: &Event,
) -> io::Result<&'l mut Line<'a, W>> {
    let Event::Window {
        flow,
        cwnd,
        window,
        ssthresh,
    } = event
    else {
        return Ok(line);
    };
    line.kind("window")?
        .plain("flow", flow.0)?
        .real("cwnd", *cwnd)?
        .real("window", *window)?
        .real("ssthresh", *ssthresh)
}

const fn mark(event: &Event) -> &'static str {
    match event {
        Event::Established { .. } => "established",
        Event::Timeout { .. } => "timeout",
        Event::FastRetransmit { .. } => "fast_retransmit",
        _ => "window_cut",
    }
}

fn routing<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    event: &Event,
) -> io::Result<&'l mut Line<'a, W>> {
    match *event {
        Event::RouteRequest {
            destination,
            origin,
            ttl,
        } => line
            .kind("route_request")?
            .plain("destination", destination.0)?
            .plain("origin", origin.0)?
            .plain("ttl", ttl),
        Event::RouteReply {
            destination,
            origin,
        } => line
            .kind("route_reply")?
            .plain("destination", destination.0)?
            .plain("origin", origin.0),
        Event::RouteError { destinations } => line
            .kind("route_error")?
            .plain("destinations", destinations),
        Event::LocalRepair { destination } => line
            .kind("local_repair")?
            .plain("destination", destination.0),
        Event::DiscoveryFailed { destination } => line
            .kind("discovery_failed")?
            .plain("destination", destination.0),
        _ => Ok(line),
    }
}

fn cell<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    event: &CellEvent,
) -> io::Result<&'l mut Line<'a, W>> {
    match event {
        CellEvent::Pilot {
            station,
            level_mdbm,
        } => line
            .kind("pilot")?
            .plain("station", station.0)?
            .real("level_dbm", f64::from(*level_mdbm) / 1e3),
        CellEvent::Attached { station } => line.kind("attached")?.plain("station", station.0),
        CellEvent::Signal { is_low } => line.kind("signal")?.plain("is_low", is_low),
        CellEvent::Rerouted { crossover } => line.kind("rerouted")?.plain("crossover", crossover.0),
    }
}

fn agent<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    act: AgentAct,
    segment: &Segment,
) -> io::Result<&'l mut Line<'a, W>> {
    line.kind("agent")?
        .text("act", act.name())?
        .segment(segment)
}

fn holds<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    data: u64,
    notes: u64,
) -> io::Result<&'l mut Line<'a, W>> {
    let line = line.kind("agent_holds")?;
    line.plain("data_bytes", data)?.plain("note_bytes", notes)
}

fn link_frame<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    frame: &LinkFrame,
) -> io::Result<&'l mut Line<'a, W>> {
    line.kind("link_frame")?
        .text("sight", frame.sight.name())?
        .plain("peer", frame.peer.0)?
        .plain("bytes", frame.bytes)?
        .plain("again", frame.again)?;
    if let Some(number) = frame.number {
        line.plain("number", number)?;
    }
    match frame.packet {
        Some((class, source, id)) => line
            .text("class", class_name(class))?
            .plain("packet_source", source.0)?
            .plain("packet_id", id)?,
        None => line.text("class", "link_ack")?,
    };
    if let Some(segment) = &frame.segment {
        line.segment(segment)?;
    }
    Ok(line)
}

fn in_slots<'l, 'a, W: Write>(
    line: &'l mut Line<'a, W>,
    event: &Event,
) -> io::Result<&'l mut Line<'a, W>> {
    match event {
        Event::SlotSent { first, second } => {
            line.kind("slot_sent")?.slot_part(first)?;
            if let Some(second) = second {
                line.prefix = SECOND;
                line.slot_part(second)?;
            }
        }
        Event::SlotHeard { from } => {
            line.kind("slot_heard")?.plain("from", from.0)?;
        }
        Event::SlotCollided { senders } => {
            line.kind("slot_collided")?.plain("senders", senders)?;
        }
        _ => {}
    }
    Ok(line)
}

/// A receiver as a number; a broadcast goes to everyone: `null`.
struct Receiver(NodeId);

impl Display for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_broadcast() {
            f.write_str("null")
        } else {
            self.0.0.fmt(f)
        }
    }
}

const fn class_name(class: Class) -> &'static str {
    match class {
        Class::TcpData => "tcp_data",
        Class::TcpAck => "tcp_ack",
        Class::Udp => "udp",
        Class::Routing => "routing",
        Class::Arp => "arp",
    }
}
