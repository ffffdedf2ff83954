//! What TCP and UDP of one node sent and received, as a classic pcap of raw IP packets.
//!
//! The capture point lies between transport and network, so time–sequence graphs show what the
//! sender itself knew. Stamps are microseconds, because `tcptrace` and its kin read nothing else.

use crate::event::Event;
use crate::pcapng::io_error;
use crate::recorder::{Recorder, What};
use acklab_base::{FlowId, Instant, NodeId};
use acklab_wire::bytes::Encoder;
use acklab_wire::{Body, Packet};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, TsResolution};
use std::io;

/// Time to live that packets show: the capture point lies before the first hop.
const TIME_TO_LIVE: u8 = 64;

pub(crate) fn write(recorder: &Recorder, node: NodeId, out: impl io::Write) -> io::Result<()> {
    let mut encoder = Encoder::new();
    for record in recorder.in_order().filter(|record| record.node == node) {
        if let What::Event(Event::TcpSent(segment) | Event::TcpReceived(segment)) = record.what {
            encoder.observe(&segment);
        }
    }
    let header = PcapHeader {
        datalink: DataLink::RAW,
        endianness: Endianness::Little,
        ts_resolution: TsResolution::MicroSecond,
        ..Default::default()
    };
    let mut writer = PcapWriter::with_header(out, header).map_err(io_error)?;
    let mut buffer = Vec::new();
    let mut packets = 0;
    for record in recorder.in_order().filter(|record| record.node == node) {
        let What::Event(event) = record.what else {
            continue;
        };
        if let Some(packet) = packet(recorder, &event, packets) {
            packets += 1;
            buffer.clear();
            encoder.packet(&packet, &mut buffer);
            write_packet(&mut writer, record.at, &buffer)?;
        }
    }
    writer.into_writer().flush()
}

fn write_packet<W: io::Write>(
    writer: &mut PcapWriter<W>,
    at: Instant,
    bytes: &[u8],
) -> io::Result<()> {
    let stamp = std::time::Duration::from_nanos(at.as_nanos());
    let packet = PcapPacket::new(stamp, bytes.len() as u32, bytes);
    writer.write_packet(&packet).map_err(io_error)?;
    Ok(())
}

/// The packet that an event is about, if it is about one.
fn packet(recorder: &Recorder, event: &Event, id: u32) -> Option<Packet> {
    let (flow, forward, bytes, body) = match *event {
        Event::TcpSent(segment) | Event::TcpReceived(segment) => (
            segment.flow,
            segment.forward,
            segment.ip_bytes(),
            Body::Tcp(segment),
        ),
        Event::UdpSent { datagram, bytes } | Event::UdpReceived { datagram, bytes } => {
            (datagram.flow, true, bytes, Body::Udp(datagram))
        }
        _ => return None,
    };
    let (source, destination) = ends(recorder, flow, forward)?;
    Some(Packet {
        id,
        source,
        destination,
        ttl: TIME_TO_LIVE,
        bytes,
        body,
    })
}

/// Source and destination of a packet of `flow`; `None` if the flow was not declared.
fn ends(recorder: &Recorder, flow: FlowId, forward: bool) -> Option<(NodeId, NodeId)> {
    let ends = recorder.config().flows.get(flow.index())?;
    Some(if forward {
        (ends.from, ends.to)
    } else {
        (ends.to, ends.from)
    })
}
