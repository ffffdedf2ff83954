//! The air as pcapng (draft-ietf-opsawg-pcapng): one interface per node, radiotap + 802.11.
//!
//! A node's interface shows what the node itself sent, stamped when the frame began, and what it
//! received, stamped when the last bit had arrived. Comments say what a sniffer cannot see.
//! Not a second truth: everything comes from the recorder. The one invariant: stamps never fall.

use crate::event::Reception;
use crate::recorder::{Recorder, SentFrame, What};
use acklab_base::{Instant, NodeId};
use acklab_wire::bytes::{self, Encoder, RadioInfo};
use acklab_wire::dsr::Data;
use acklab_wire::{FrameKind, Payload};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::name_resolution::{Ipv4Record, NameResolutionBlock, Record as Name};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::io;

/// What a capture holds besides sent, decoded and collided frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CaptureOptions {
    /// Also the frames that no receiver could have decoded or that it did not try to decode: too
    /// weak, ignored for a stronger frame, missed while sending. Like collided frames they are
    /// marked as received in error.
    pub lost: bool,
    /// Only what one node sent and heard: what a sniffer at that node's place would have seen.
    /// With all nodes, one frame appears once per node that heard it.
    pub only: Option<NodeId>,
}

impl CaptureOptions {
    fn covers(self, node: NodeId) -> bool {
        self.only.is_none_or(|only| only == node)
    }
}

/// Bits of the `epb_flags` option (pcapng, "Enhanced Packet Block").
const INBOUND: u32 = 0b01;
const OUTBOUND: u32 = 0b10;
const FCS_OF_FOUR_BYTES: u32 = 4 << 5;
const CRC_ERROR: u32 = 1 << 24;

/// What a reader must know about the stamps.
const STAMPS: &str = "Simulated by acklab. Outbound frames are stamped when they begin, inbound \
frames when their last bit has arrived; time 0 is the start of the run.";

/// How a capture is written: the encoder and a buffer that every frame reuses.
struct Capture<'a, W: io::Write> {
    recorder: &'a Recorder,
    encoder: Encoder,
    writer: PcapNgWriter<W>,
    buffer: Vec<u8>,
}

/// A packet of the capture, before its bytes.
struct Entry {
    at: Instant,
    node: NodeId,
    info: RadioInfo,
    flags: u32,
    comment: Option<String>,
}

pub(crate) fn write(
    recorder: &Recorder,
    options: CaptureOptions,
    out: impl io::Write,
) -> io::Result<()> {
    let mut encoder = Encoder::new();
    for sent in recorder.frames() {
        encoder.observe_frame(&sent.frame);
    }
    let writer = PcapNgWriter::with_section_header(out, section(recorder)).map_err(io_error)?;
    let mut capture = Capture {
        recorder,
        encoder,
        writer,
        buffer: Vec::new(),
    };
    capture.write_interfaces()?;
    for record in recorder
        .in_order()
        .filter(|record| options.covers(record.node))
    {
        match record.what {
            What::Sent { frame } => capture.write_sent(recorder.frame(frame))?,
            What::Received {
                frame,
                outcome,
                signal_dbm,
            } => {
                let heard = Heard {
                    at: record.at,
                    node: record.node,
                    outcome,
                    signal_dbm,
                };
                if heard.belongs(recorder, options) {
                    capture.write_heard(recorder.frame(frame), &heard)?;
                }
            }
            What::Event(_) => {}
        }
    }
    capture.writer.get_mut().flush()
}

/// A reception, as the capture needs it.
struct Heard {
    at: Instant,
    node: NodeId,
    outcome: Reception,
    signal_dbm: f64,
}

impl Heard {
    /// Whether the capture shows this reception.
    fn belongs(&self, recorder: &Recorder, options: CaptureOptions) -> bool {
        match self.outcome {
            Reception::Decoded | Reception::Captured { .. } => true,
            Reception::Collided { .. } => {
                options.lost || self.signal_dbm >= recorder.config().receive_threshold_dbm
            }
            Reception::Sensed | Reception::CaptureLost | Reception::WhileTransmitting => {
                options.lost
            }
        }
    }

    /// Whether the receiver got the frame right.
    const fn is_good(&self) -> bool {
        matches!(
            self.outcome,
            Reception::Decoded | Reception::Captured { .. }
        )
    }

    fn comment(&self, recorder: &Recorder) -> Option<String> {
        match self.outcome {
            Reception::Decoded => None,
            Reception::Sensed => Some("not decoded: too weak".into()),
            Reception::Collided { with } => {
                Some(format!("collision with {}", name(recorder, with)))
            }
            Reception::Captured { over } => Some(format!(
                "captured: decoded in spite of {}",
                name(recorder, over)
            )),
            Reception::CaptureLost => {
                Some("not decoded: the receiver stayed with a stronger frame".into())
            }
            Reception::WhileTransmitting => Some("not decoded: the node was sending".into()),
        }
    }
}

impl<W: io::Write> Capture<'_, W> {
    fn write_interfaces(&mut self) -> io::Result<()> {
        let mut names = Vec::new();
        for number in 0..self.recorder.config().nodes {
            let node = NodeId(number);
            let mut block = InterfaceDescriptionBlock::new(DataLink::IEEE802_11_RADIOTAP, 0);
            block.options = vec![
                InterfaceDescriptionOption::IfName(format!("node {number}").into()),
                InterfaceDescriptionOption::IfMacAddr(bytes::mac_address(node).to_vec().into()),
                // Stamps count 10⁻⁹ s.
                InterfaceDescriptionOption::IfTsResol(9),
            ];
            self.writer.write_pcapng_block(block).map_err(io_error)?;
            names.push(Name::Ipv4(Ipv4Record {
                ip_addr: bytes::ip_address(node).to_vec().into(),
                names: vec![format!("node{number}").into()],
            }));
        }
        let block = NameResolutionBlock {
            records: names,
            options: vec![],
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        Ok(())
    }

    fn write_sent(&mut self, sent: &SentFrame) -> io::Result<()> {
        let comment = match (sent.frame.header.retry, is_tcp_retransmission(sent)) {
            (true, true) => Some("retry of the MAC; retransmission of TCP".to_owned()),
            (true, false) => Some("retry of the MAC".to_owned()),
            (false, true) => Some("retransmission of TCP".to_owned()),
            (false, false) => None,
        };
        let info = self.info(sent, sent.at);
        let flags = OUTBOUND | FCS_OF_FOUR_BYTES;
        self.write(
            sent,
            Entry {
                at: sent.at,
                node: sent.node,
                info,
                flags,
                comment,
            },
        )
    }

    fn write_heard(&mut self, sent: &SentFrame, heard: &Heard) -> io::Result<()> {
        let start = heard
            .at
            .as_nanos()
            .saturating_sub(sent.frame.header.airtime.as_nanos());
        let mut info = self.info(sent, Instant::from_nanos(start));
        info.signal_dbm = Some(heard.signal_dbm);
        info.bad_fcs = !heard.is_good();
        let error = if heard.is_good() { 0 } else { CRC_ERROR };
        let flags = INBOUND | FCS_OF_FOUR_BYTES | error;
        let comment = heard.comment(self.recorder);
        self.write(
            sent,
            Entry {
                at: heard.at,
                node: heard.node,
                info,
                flags,
                comment,
            },
        )
    }

    fn info(&self, sent: &SentFrame, start: Instant) -> RadioInfo {
        RadioInfo::of(
            &sent.frame.header,
            start,
            self.recorder.config().frequency_mhz,
        )
    }

    fn write(&mut self, sent: &SentFrame, entry: Entry) -> io::Result<()> {
        self.buffer.clear();
        self.encoder
            .frame(&sent.frame, &entry.info, &mut self.buffer);
        let mut options = vec![EnhancedPacketOption::Flags(entry.flags)];
        options.extend(
            entry
                .comment
                .map(|text| EnhancedPacketOption::Comment(Cow::Owned(text))),
        );
        let block = EnhancedPacketBlock {
            interface_id: entry.node.0,
            timestamp: std::time::Duration::from_nanos(entry.at.as_nanos()),
            original_len: self.buffer.len() as u32,
            data: Cow::Borrowed(&self.buffer),
            options,
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        Ok(())
    }
}

fn section(recorder: &Recorder) -> SectionHeaderBlock<'static> {
    let mut section = SectionHeaderBlock {
        endianness: Endianness::Little,
        ..Default::default()
    };
    let program = concat!("acklab ", env!("CARGO_PKG_VERSION"));
    section
        .options
        .push(SectionHeaderOption::UserApplication(program.into()));
    let mut comment = STAMPS.to_owned();
    if let Some(at) = recorder.truncated_at() {
        let at = at.as_secs_f64();
        comment += &format!(" Incomplete: the recorder's memory limit was reached at {at:.9} s.");
    }
    let comment = SectionHeaderOption::Comment(comment.into());
    section.options.push(comment);
    section
}

/// Names a frame by what a reader can look up: kind, sender, start.
fn name(recorder: &Recorder, frame: Option<u32>) -> String {
    let Some(number) = frame.filter(|&number| number != Recorder::NOT_KEPT) else {
        return "another frame".into();
    };
    let sent = recorder.frame(number);
    let kind = match sent.frame.header.kind {
        FrameKind::Rts => "RTS",
        FrameKind::Cts => "CTS",
        FrameKind::Ack => "ACK",
        FrameKind::Data => "data frame",
    };
    format!(
        "the {kind} that node {} began at {:.9} s",
        sent.node.0,
        sent.at.as_secs_f64()
    )
}

fn is_tcp_retransmission(sent: &SentFrame) -> bool {
    let mut packets = sent.frame.payload.iter().flat_map(Payload::packets);
    packets.any(|packet| matches!(packet.data(), Some(Data::Tcp(s)) if s.retransmission))
}

pub(crate) fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
