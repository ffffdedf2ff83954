//! Address resolution (RFC 826).

use acklab_base::NodeId;

/// Bytes of an ARP packet for IPv4 over 6-byte link addresses.
pub const ARP_BYTES: u32 = 28;

/// An ARP packet. Link and network addresses are both node ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arp {
    /// Whether it asks (else it answers).
    pub request: bool,
    /// Who asks or answers.
    pub sender: NodeId,
    /// Who is looked for, or who asked.
    pub target: NodeId,
}
