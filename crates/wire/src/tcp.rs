//! TCP segments and UDP datagrams (RFC 9293 §3.1, RFC 768).

use crate::options::Options;
use acklab_base::{FlowId, Instant, Seq32};

/// Bytes of an IPv4 header without options.
pub const IP_HEADER_BYTES: u32 = 20;
/// Bytes of a TCP header without options.
pub const TCP_HEADER_BYTES: u32 = 20;
/// Bytes of a UDP header.
pub const UDP_HEADER_BYTES: u32 = 8;

/// The control bits that acklab uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Synchronise sequence numbers.
    pub syn: bool,
    /// The acknowledgement field counts.
    pub ack: bool,
    /// No more data from the sender of this segment.
    pub fin: bool,
}

/// A TCP segment: header fields and the length of its data. The data itself has no content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The connection.
    pub flow: FlowId,
    /// Whether it travels from the data sender to the data receiver.
    pub forward: bool,
    /// First sequence number of the data, or of the SYN.
    pub seq: Seq32,
    /// Next sequence number expected from the other side; meaningful with `flags.ack`.
    pub ack: Seq32,
    /// Control bits.
    pub flags: Flags,
    /// Advertised window in bytes (as after window scaling).
    pub window: u32,
    /// Bytes of data.
    pub len: u32,
    /// Whether the sender had sent these bytes before. An observer's mark: no machine reads it.
    pub retransmission: bool,
    /// What the header carries beyond its fixed fields.
    pub options: Options,
}

impl Segment {
    /// Sequence numbers that the segment occupies: its data, and one each for SYN and FIN.
    #[must_use]
    pub const fn span(&self) -> u32 {
        self.len + self.flags.syn as u32 + self.flags.fin as u32
    }

    /// The sequence number behind the segment.
    #[must_use]
    pub const fn end(&self) -> Seq32 {
        self.seq.add(self.span())
    }

    /// Bytes on the wire with IP and TCP headers.
    #[must_use]
    pub const fn ip_bytes(&self) -> u32 {
        IP_HEADER_BYTES + TCP_HEADER_BYTES + self.options.bytes as u32 + self.len
    }

    /// Whether it carries neither data nor SYN nor FIN.
    #[must_use]
    pub const fn is_pure_ack(&self) -> bool {
        self.span() == 0 && self.flags.ack
    }
}

/// A UDP datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// Its number within the flow, from 0.
    pub number: u64,
    /// Bytes of data.
    pub len: u32,
    /// When the source sent it: for the measure of its delay, and not on the wire.
    pub sent: Instant,
}
