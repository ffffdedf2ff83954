//! Data that leaves one by one while a mobile sender's link is about to go (Cho and Woo 2005 §3.2:
//! "when the mobile node is a sender, data can be paced during a low signal strength period").
//!
//! Not a queue: a segment that may not leave now is not made. Whether the window allows it is
//! asked again at its turn, and a repair that was put off is remembered. What Limited Transmit was
//! refused is not made up for. The invariant: while pacing, no two data segments are closer
//! together than the interval.

use super::{Sender, SenderNote};
use crate::handoff::{Handoff, PacingEnd};
use acklab_base::{Duration, Instant};

/// What the pacer of a sender knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DataPacer {
    pub(super) phase: Phase,
    /// A segment was refused since the last one left.
    refused: bool,
    /// The first unacknowledged offset when a repair was refused, which goes first at its turn.
    repair_owed: Option<u64>,
}

/// Where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Everything passes.
    Off,
    /// One by one.
    On,
    /// One by one until nothing is refused.
    Draining,
}

impl DataPacer {
    pub(super) const fn new() -> Self {
        Self {
            phase: Phase::Off,
            refused: false,
            repair_owed: None,
        }
    }
}

impl Sender {
    /// The link below is about to go: data segments leave one by one, if pacing is the scheme.
    pub fn on_handoff_begins(&mut self, _now: Instant) {
        if matches!(self.config.handoff, Handoff::Pacing(_)) {
            self.pacer.phase = Phase::On;
        }
    }

    /// The link is good again.
    pub fn on_handoff_ends(&mut self, now: Instant) {
        let Handoff::Pacing(pacing) = self.config.handoff else {
            return;
        };
        if pacing.end == PacingEnd::Paced && self.pacer.refused {
            self.pacer.phase = Phase::Draining;
        } else {
            self.pacer.phase = Phase::Off;
            self.make_up(now);
            // A probe of the tail waited for its turn, too.
            if now >= self.selective_deadline() {
                self.on_selective_wake(now);
            }
        }
    }

    fn interval(&self) -> Duration {
        match self.config.handoff {
            Handoff::Pacing(pacing) => pacing.interval,
            Handoff::Unaware | Handoff::Freeze(_) | Handoff::Announce => Duration::ZERO,
        }
    }

    /// When a data segment may leave at the earliest.
    pub(super) fn turn(&self) -> Instant {
        match self.pacer.phase {
            Phase::Off => Instant::ZERO,
            Phase::On | Phase::Draining => self.last_sent + self.interval(),
        }
    }

    /// Whether a data segment may leave now; if not, its turn will come.
    pub(super) fn has_turn(&mut self, now: Instant) -> bool {
        let may = now >= self.turn();
        self.pacer.refused |= !may;
        may
    }

    /// Whether a repair that leaves whatever the window may do so now; if not, it will, unless the
    /// first unacknowledged segment is another one by then.
    pub(super) fn has_turn_to_repair(&mut self, now: Instant) -> bool {
        let may = self.has_turn(now);
        self.pacer.repair_owed = (!may).then_some(self.una);
        may
    }

    /// When a segment that was refused has its turn.
    pub(super) fn next_turn(&self) -> Instant {
        if self.pacer.refused {
            self.turn()
        } else {
            Instant::NEVER
        }
    }

    /// The turn of what was refused.
    pub(super) fn on_turn(&mut self, now: Instant) {
        self.make_up(now);
        if self.pacer.phase == Phase::Draining && !self.pacer.refused {
            self.pacer.phase = Phase::Off;
        }
    }

    /// Sends what was refused, as far as it is still wanted.
    fn make_up(&mut self, now: Instant) {
        self.pacer.refused = false;
        let before = self.last_sent;
        if self.pacer.repair_owed.take() == Some(self.una) && self.una < self.max_sent {
            if self.repairs_by_scoreboard() {
                self.repair_first_lost(now);
            } else {
                self.retransmit_first(now);
            }
        }
        self.send_after_ack(now);
        if self.last_sent > before {
            self.note(SenderNote::Paced);
        }
    }
}
