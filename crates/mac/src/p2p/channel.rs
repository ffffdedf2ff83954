//! What both kinds of link have in a direction: congestion in front of the queue, and the way of a
//! frame from its first bit to its last, with errors.
//!
//! It holds no frame, no queue, and does not know whether the transmitter is free. Invariant: frames
//! are put onto it in order of time.

use super::errors::ErrorProcess;
use super::{Counters, Direction, LinkConfig};
use acklab_base::{BitRate, Duration, Instant, Share, Stream};
use acklab_wire::{Class, Packet};

/// When a frame is where, and whether errors destroy it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passage {
    /// Its last bit has left.
    pub(super) ended: Instant,
    /// Its last bit has arrived.
    pub(super) arrives: Instant,
    pub(super) destroyed: bool,
}

/// The channel from one end to the other.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    rate: BitRate,
    delay: Duration,
    data_loss: Share,
    data_loss_lasts: Duration,
    /// Until when the last congestion loss lasts.
    congested_until: Instant,
    losses: Stream,
    errors: ErrorProcess,
    /// The airtime of frames of so many bytes: most have the length of the one before.
    known: (u32, Duration),
    pub(super) counters: Counters,
}

impl Channel {
    pub(super) fn new(config: &LinkConfig, way: Direction) -> Self {
        Self {
            rate: config.rate,
            delay: config.delay,
            data_loss: way.data_loss,
            data_loss_lasts: way.data_loss_lasts,
            congested_until: Instant::ZERO,
            losses: way.losses,
            errors: ErrorProcess::new(way.errors, way.draws),
            known: (0, Duration::ZERO),
            counters: Counters::default(),
        }
    }

    /// Whether congestion elsewhere takes this packet: asked for TCP data alone (vaidya1999 §6).
    #[inline]
    pub(super) fn loses(&mut self, now: Instant, packet: &Packet) -> bool {
        if self.data_loss == Share::NONE || packet.class() != Class::TcpData {
            return false;
        }
        let lost = self.is_congested(now);
        self.counters.congestion_drops += u64::from(lost);
        lost
    }

    fn is_congested(&mut self, now: Instant) -> bool {
        if now < self.congested_until {
            return true;
        }
        let lost = self.losses.happens(self.data_loss);
        if lost {
            self.congested_until = now + self.data_loss_lasts;
        }
        lost
    }

    /// When the frame of `bytes` began that arrives at `arrives`.
    pub(super) fn began(&self, arrives: Instant, bytes: u32) -> Instant {
        arrives - self.delay - self.rate.airtime(u64::from(bytes) * 8)
    }

    /// A frame of `bytes` begins.
    #[inline]
    pub(super) fn begin(&mut self, began: Instant, bytes: u32, is_ack: bool) -> Passage {
        if bytes != self.known.0 {
            self.known = (bytes, self.rate.airtime(u64::from(bytes) * 8));
        }
        let airtime = self.known.1;
        let ended = began + airtime;
        self.counters.busy += airtime;
        Passage {
            ended,
            arrives: ended + self.delay,
            destroyed: self.errors.destroys(began, bytes, is_ack),
        }
    }
}
