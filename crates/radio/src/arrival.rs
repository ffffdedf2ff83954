//! A frame as it arrives at one receiver.
//!
//! Every frame makes one of these at every node that hears it, so it is small and holds what a
//! listener may need, flat. How strong the signal is does not stand in it: that matters only where
//! two frames meet, and [`crate::Reach::power_w`] tells it then.

use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::{FrameHeader, FrameKind};

/// When somebody at a receiver must know what became of a frame. The receiver only carries it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settle {
    /// Nobody need know.
    AnyTime,
    /// Nobody need know, but if it is decoded that is noted.
    Noted,
    /// Before the node can have answered it.
    BeforeAnAnswer,
    /// When it ends.
    AtOnce,
}

impl Settle {
    /// Whether somebody waits for the frame.
    #[must_use]
    #[inline(always)]
    pub const fn is_awaited(self) -> bool {
        matches!(self, Self::BeforeAnAnswer | Self::AtOnce)
    }
}

/// What is the same wherever a frame is heard: a header in 28 bytes, which a copy moves at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Common {
    airtime_ns: u32,
    duration_ns: u32,
    to: NodeId,
    from: NodeId,
    bytes: u32,
    number: u32,
    sequence: u16,
    kind: FrameKind,
    retry: bool,
}

/// A frame as it arrives at one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// First bit.
    pub start: Instant,
    common: Common,
    /// Whether it is strong enough to decode.
    pub decodable: bool,
    /// When it is to be settled.
    pub settle: Settle,
    /// The last bits of the propagation delay in nanoseconds.
    delay_ns: u16,
}

impl Arrival {
    /// A frame that nobody can decode and nobody waits for; `number` names it in the run's record
    /// of frames. Panics if it lasts, or reserves the medium, for more than four seconds: no
    /// 802.11 frame can.
    #[must_use]
    pub fn new(start: Instant, header: &FrameHeader, number: u32) -> Self {
        let short = |interval: Duration| {
            u32::try_from(interval.as_nanos()).expect("a frame lasts less than four seconds")
        };
        Self {
            start,
            common: Common {
                airtime_ns: short(header.airtime),
                duration_ns: short(header.duration),
                to: header.to,
                from: header.from,
                bytes: header.bytes,
                number,
                sequence: header.sequence,
                kind: header.kind,
                retry: header.retry,
            },
            decodable: false,
            settle: Settle::AnyTime,
            delay_ns: 0,
        }
    }

    /// A frame of no length, which leaves nothing behind.
    #[must_use]
    pub const fn nothing(at: Instant) -> Self {
        Self {
            start: at,
            common: Common {
                airtime_ns: 0,
                duration_ns: 0,
                to: NodeId::BROADCAST,
                from: NodeId::BROADCAST,
                bytes: 0,
                number: 0,
                sequence: 0,
                kind: FrameKind::Data,
                retry: false,
            },
            decodable: true,
            settle: Settle::AnyTime,
            delay_ns: 0,
        }
    }

    /// The same frame where it is heard after `delay`.
    #[must_use]
    pub fn heard(&self, delay: Duration, decodable: bool, settle: Settle) -> Self {
        Self {
            start: self.start.after(delay),
            decodable,
            settle,
            delay_ns: delay.as_nanos() as u16,
            common: self.common,
        }
    }

    /// Becomes a frame that was sent so where it is heard after `delay`.
    #[inline(always)]
    pub fn hear(&mut self, sent: &Self, delay: Duration, decodable: bool, settle: Settle) {
        // Not put together elsewhere and moved as a whole, which would have to wait for its parts.
        self.common = sent.common;
        self.start = sent.start.after(delay);
        self.decodable = decodable;
        self.settle = settle;
        self.delay_ns = delay.as_nanos() as u16;
    }

    /// The propagation delay in nanoseconds, if it is shorter than 65 µs: else its last 16 bits.
    #[must_use]
    pub const fn delay_ns(&self) -> u16 {
        self.delay_ns
    }

    /// Kind.
    #[must_use]
    pub const fn kind(&self) -> FrameKind {
        self.common.kind
    }

    /// Receiver address.
    #[must_use]
    pub const fn to(&self) -> NodeId {
        self.common.to
    }

    /// The transmitter.
    #[must_use]
    pub const fn from(&self) -> NodeId {
        self.common.from
    }

    /// Number of the frame in the run's record of frames.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.common.number
    }

    /// Last bit.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.start.after(self.airtime())
    }

    /// Time on the air.
    #[must_use]
    pub fn airtime(&self) -> Duration {
        Duration::from_nanos(u64::from(self.common.airtime_ns))
    }

    /// How long the exchange goes on after it.
    #[must_use]
    pub fn duration(&self) -> Duration {
        Duration::from_nanos(u64::from(self.common.duration_ns))
    }

    /// What the frame says.
    #[must_use]
    pub fn header(&self) -> FrameHeader {
        FrameHeader {
            kind: self.common.kind,
            retry: self.common.retry,
            sequence: self.common.sequence,
            to: self.common.to,
            from: self.common.from,
            duration: self.duration(),
            bytes: self.common.bytes,
            airtime: self.airtime(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_keeps_the_header_in_forty_bytes() {
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: true,
            sequence: 4_095,
            to: NodeId(7),
            from: NodeId::BROADCAST,
            duration: Duration::from_micros(32_767),
            bytes: 2_346,
            airtime: Duration::from_nanos(18_960_001),
        };
        let start = Instant::from_nanos(5);
        let arrival = Arrival::new(start, &header, 9);
        assert_eq!(arrival.header(), header);
        assert_eq!(arrival.end(), start + header.airtime);
        assert_eq!(size_of::<Arrival>(), 40);
    }
}
