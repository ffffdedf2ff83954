//! Parameters of the receiver with the profiles that fill them, and what it hands out. The
//! invariant: every value that the fields can hold makes a working receiver.

use super::sack::SackReceiver;
use crate::ack::{AckConfig, AckReason};
use crate::handoff::Handoff;
use acklab_base::{FlowId, Seq32};
use acklab_wire::Segment;

/// What a receiver hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiverOutput {
    /// To be sent to the sender, and why.
    Ack(Segment, AckReason),
    /// Data that the application reads now.
    Delivered {
        /// Bytes of data.
        bytes: u32,
        /// Packets that they complete.
        segments: u32,
    },
    /// Something an observer counts.
    Note(ReceiverNote),
}

/// What an observer of a receiver counts, beside its ACKs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiverNote {
    /// A duplicate ACK is held (Delayed Dupacks).
    DupackHeld,
    /// An ACK for a segment in disorder is held by a policy of one's own.
    AckHeld,
    /// So many held ACKs were thrown away: the next expected segment came.
    DupacksDiscarded(u32),
    /// An ACK waits for its turn (ACK Pacing).
    AckPaced,
}

/// What happens to a repetition of the newest segment while nothing waits and nothing is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewestRepeated {
    /// An ACK at once, as for every known segment (RFC 5681 §4.2).
    AtOnce,
    /// It waits like an in-order segment (ns-2, which looks at the number only).
    Waits,
}

/// Parameters of a [`Receiver`].
#[derive(Clone, Debug)]
pub struct ReceiverConfig {
    /// The connection.
    pub flow: FlowId,
    /// The acknowledgement policy.
    pub ack: AckConfig,
    /// Bytes that may lie between the first missing byte and the end of the last one kept; also
    /// the window that the ACKs advertise. Must not be zero.
    pub window: u32,
    /// Bytes of data in a full segment, to number packets with. Must not be zero.
    pub mss: u32,
    /// Wait for a SYN, and learn the sender's initial sequence number from it.
    pub handshake: bool,
    /// The receiver's initial sequence number.
    pub iss: Seq32,
    /// The sender's, where there is no handshake to tell it.
    pub peer_iss: Seq32,
    /// What a repetition of the newest segment does.
    pub newest_repeated: NewestRepeated,
    /// The SYN is acknowledged at once; otherwise the policy decides (ns-2 before 2010).
    pub syn_at_once: bool,
    /// What it does around a handoff, if it is at a mobile node.
    pub handoff: Handoff,
    /// Selective acknowledgements, if it sends any.
    pub sack: Option<SackReceiver>,
}

impl ReceiverConfig {
    /// ns-2.35's sink, with a window that is never in the way.
    #[must_use]
    pub fn ns2(flow: FlowId, ack: AckConfig) -> Self {
        Self {
            flow,
            ack,
            window: 1 << 30,
            mss: 1000,
            handshake: true,
            iss: Seq32(0),
            peer_iss: Seq32(0),
            newest_repeated: NewestRepeated::Waits,
            syn_at_once: true,
            handoff: Handoff::Unaware,
            sack: None,
        }
    }

    /// RFC 9293 and 5681, with a window of `window` bytes.
    #[must_use]
    pub fn standard(flow: FlowId, ack: AckConfig, window: u32) -> Self {
        Self {
            window,
            newest_repeated: NewestRepeated::AtOnce,
            ..Self::ns2(flow, ack)
        }
    }

    /// The same with another segment size.
    #[must_use]
    pub fn with_mss(mut self, mss: u32) -> Self {
        self.mss = mss;
        self
    }
}
