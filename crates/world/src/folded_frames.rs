//! A frame, as all who hear it have it in common, and as one folded station hears and keeps it.

use crate::station::fingerprint;
use acklab_base::{Duration, Instant, NodeId};
use acklab_radio::Audible;
use acklab_wire::{FrameHeader, FrameKind};

/// A frame as all who hear it have it in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) header: FrameHeader,
    pub(crate) at: Instant,
    /// Its [`fingerprint`].
    pub(crate) print: u64,
    /// Whether those who want it need it when it ends.
    pub(crate) at_once: bool,
}

/// What the station that a frame is for keeps of it, beside who sent it. A copy of its header would wait for that to be
/// written, which is done in narrower pieces just before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// See [`fingerprint`].
    pub(crate) print: u64,
    pub(crate) duration: Duration,
    pub(crate) to: NodeId,
    pub(crate) sequence: u16,
    pub(crate) retry: bool,
    pub(crate) kind: FrameKind,
}

impl Default for Received {
    fn default() -> Self {
        Self {
            print: 0,
            duration: Duration::ZERO,
            to: NodeId(0),
            sequence: 0,
            retry: false,
            kind: FrameKind::Rts,
        }
    }
}

impl Sent {
    #[inline(always)]
    pub(crate) fn new(at: Instant, header: FrameHeader, at_once: bool) -> Self {
        Self {
            print: fingerprint(&header),
            header,
            at,
            at_once,
        }
    }
}

impl Received {
    #[inline(always)]
    pub(crate) fn new(sent: &Sent) -> Self {
        let header = &sent.header;
        Self {
            print: sent.print,
            duration: header.duration,
            to: header.to,
            sequence: header.sequence,
            retry: header.retry,
            kind: header.kind,
        }
    }
}

/// A frame as one station hears it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    pub(crate) delay_ns: u16,
    pub(crate) decodable: bool,
}

impl Heard {
    #[inline(always)]
    pub(crate) fn new(sent: &Sent, listener: &Audible) -> Self {
        let start = sent.at.after(listener.delay());
        Self {
            start,
            end: start.after(sent.header.airtime),
            delay_ns: listener.delay().as_nanos() as u16,
            decodable: listener.decodable(),
        }
    }
}

/// A frame whose first bit is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) start: Instant,
    pub(crate) listener: Audible,
    pub(crate) sent: Sent,
}
