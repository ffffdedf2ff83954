//! What a mobile end does while its link is about to go: ACK Pacing (Cho and Woo 2005 §3),
//! Freeze-TCP (Goff, Moronski, Phatak and Gupta 2000), M-TCP's half at the mobile. Parameters, and the queue of paced ACKs.
//!
//! It does not know signals or base stations: whoever does calls `on_handoff_begins` and
//! `on_handoff_ends` of the mobile end. The invariant: without a scheme those two do nothing.

use crate::ack::AckReason;
use acklab_base::{Duration, Instant};
use acklab_wire::Segment;
use std::collections::VecDeque;

/// The scheme of a mobile end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Handoff {
    /// None: handoffs pass unnoticed.
    #[default]
    Unaware,
    /// What would leave in a burst leaves one by one.
    Pacing(Pacing),
    /// The receiver closes its window, so that the sender waits.
    Freeze(Freeze),
    /// M-TCP's half at the mobile: on reconnection it says again what it has (Brown and Singh 1997).
    Announce,
}

/// Parameters of ACK Pacing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pacing {
    /// Time between two ACKs, or between two data segments if the mobile is the sender (§3.2:
    /// 100 ms). Counted from the last one that left, also if that was before the pacing.
    pub interval: Duration,
    /// Which ACKs wait.
    pub held: HeldAcks,
    /// What happens to those that still wait when the pacing ends.
    pub end: PacingEnd,
}

/// Which ACKs wait for their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldAcks {
    /// Each one, in order.
    Every,
    /// The newest alone: it says what the older ones said.
    Newest,
}

/// What happens when the pacing ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacingEnd {
    /// Everything that waits leaves.
    AtOnce,
    /// What waits goes on leaving one by one.
    Paced,
}

/// Parameters of Freeze-TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freeze {
    /// ACKs with the open window that leave on reconnection: three are the "triplicate
    /// reconnection ACKs", one is a plain window update, none leaves it to the sender's probes.
    pub reopening_acks: u32,
}

impl Handoff {
    /// What paces a receiver's ACKs, if the scheme does that.
    pub(crate) fn pacer(self) -> Option<AckPacer> {
        match self {
            Self::Pacing(rules) => Some(AckPacer::new(rules)),
            Self::Unaware | Self::Freeze(_) | Self::Announce => None,
        }
    }
}

/// Where a pacer stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Everything passes.
    Off,
    /// One by one.
    On,
    /// One by one until nothing waits.
    Draining,
}

/// ACKs that leave one by one.
#[derive(Clone, Debug)]
pub(crate) struct AckPacer {
    rules: Pacing,
    phase: Phase,
    /// When the last ACK left.
    last: Option<Instant>,
    waiting: VecDeque<(Segment, AckReason)>,
}

impl AckPacer {
    fn new(rules: Pacing) -> Self {
        Self {
            rules,
            phase: Phase::Off,
            last: None,
            waiting: VecDeque::new(),
        }
    }

    /// Pacing starts (§3.2: the pilot signal fell below the pacing level).
    pub(crate) fn begin(&mut self) {
        self.phase = Phase::On;
    }

    /// Pacing ends (§3.2: the new station's pilot is above the level). What waits may leave.
    pub(crate) fn end(&mut self) {
        self.phase = match self.rules.end {
            PacingEnd::Paced if !self.waiting.is_empty() => Phase::Draining,
            PacingEnd::Paced | PacingEnd::AtOnce => Phase::Off,
        };
    }

    /// Takes an ACK; gives it back if it may leave now.
    pub(crate) fn offer(
        &mut self,
        now: Instant,
        ack: Segment,
        reason: AckReason,
    ) -> Option<(Segment, AckReason)> {
        if self.phase == Phase::Off || (self.waiting.is_empty() && now >= self.next_turn()) {
            self.last = Some(now);
            return Some((ack, reason));
        }
        if self.rules.held == HeldAcks::Newest {
            self.waiting.clear();
        }
        self.waiting.push_back((ack, reason));
        None
    }

    /// An ACK that has waited and may leave now.
    pub(crate) fn due(&mut self, now: Instant) -> Option<(Segment, AckReason)> {
        if self.phase != Phase::Off && now < self.next_turn() {
            return None;
        }
        let ack = self.waiting.pop_front()?;
        self.last = Some(now);
        if self.phase == Phase::Draining && self.waiting.is_empty() {
            self.phase = Phase::Off;
        }
        Some(ack)
    }

    pub(crate) fn deadline(&self) -> Instant {
        if self.waiting.is_empty() {
            Instant::NEVER
        } else {
            self.next_turn()
        }
    }

    /// When the next ACK may leave.
    fn next_turn(&self) -> Instant {
        self.last
            .map_or(Instant::ZERO, |last| last + self.rules.interval)
    }
}
