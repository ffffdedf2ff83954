//! The tail-loss probe (RFC 8985 §7): when the end of a window is not answered, one segment leaves
//! before the timer does, so that its answer tells what was lost.
//!
//! Only with RACK. The invariant: one probe at most is under way, and none in a recovery.

use super::{Sender, SenderNote, State};
use crate::cc::Load;
use crate::recovery::Phase;
use crate::sack::{Detection, RackConfig};
use crate::scoreboard::Scoreboard;
use acklab_base::{Duration, Instant};

/// What is known of the probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tail {
    /// When it leaves, if nothing comes.
    pub(super) deadline: Instant,
    /// One is under way: the highest offset when it left, and whether it repeated data.
    probe: Option<(u64, bool)>,
}

impl Tail {
    /// Neither planned nor under way.
    pub(super) const NONE: Self = Self {
        deadline: Instant::NEVER,
        probe: None,
    };
}

impl Sender {
    fn probing(&self) -> Option<RackConfig> {
        match self.config.sack.detection {
            Detection::Rack(config) if config.tail_probe => Some(config),
            _ => None,
        }
    }

    /// RFC 8985 §7.2: when a probe is to leave, if nothing comes.
    pub(super) fn plan_tail(&mut self, now: Instant) {
        let Some(config) = self.probing() else { return };
        let one = self.max_sent - self.una <= u64::from(self.config.mss);
        let (srtt, expires) = (self.rtt.srtt(), self.timer.deadline());
        let wanted = self.state == State::Established
            && self.recovery.phase == Phase::Open
            && self.una < self.max_sent
            && self.timer.is_retransmission();
        let Some(selective) = &mut self.selective else {
            return;
        };
        selective.tail.deadline = Instant::NEVER;
        if wanted && selective.tail.probe.is_none() && selective.board.sacked() == 0 {
            let patience = srtt.map_or(Duration::from_secs(1), |srtt| {
                srtt * 2
                    + if one {
                        config.max_ack_delay
                    } else {
                        Duration::ZERO
                    }
            });
            selective.tail.deadline = (now + patience).min(expires);
        }
    }

    /// A probe leaves when it is due and, while data is paced, has its turn.
    pub(super) fn probe_if_due(&mut self, now: Instant) {
        let turn = self.turn();
        let Some(selective) = &mut self.selective else {
            return;
        };
        if now < selective.tail.deadline.max(turn) {
            return;
        }
        let put_off = selective.tail.deadline < now;
        selective.tail.deadline = Instant::NEVER;
        self.send_probe(now);
        if put_off {
            self.note(SenderNote::Paced);
        }
    }

    /// RFC 8985 §7.3: new data if there is any, else the last segment again.
    fn send_probe(&mut self, now: Instant) {
        let before = self.max_sent;
        if !self.send_new(now) {
            let board = self.selective.as_ref().map(|s| &s.board);
            let Some((start, end)) = board.and_then(Scoreboard::last_open) else {
                return;
            };
            self.transmit(now, start, end - start);
        }
        let repeated = self.max_sent == before;
        self.note(SenderNote::TailProbe);
        self.arm(now);
        let end = self.max_sent;
        if let Some(selective) = &mut self.selective {
            selective.tail.probe = Some((end, repeated));
        }
    }

    /// RFC 8985 §7.4.2: a probe that repaired the tail tells of a loss, so the window is cut.
    pub(super) fn check_tail(&mut self, ack: u64, advances: bool, duplicate: Option<(u64, u64)>) {
        let Some(selective) = &mut self.selective else {
            return;
        };
        let Some((end, repeated)) = selective.tail.probe else {
            return;
        };
        if ack < end {
            return;
        }
        // The original arrived as well: nothing was lost.
        let spurious = duplicate.is_some_and(|run| run.1 == end);
        if !repeated || spurious || (ack == end && !advances) {
            selective.tail.probe = None;
        } else if ack > end {
            selective.tail.probe = None;
            self.cut_after_probe();
        }
    }

    /// One cut and nothing to repair. What was under way when the tail was lost is not known any
    /// more, so the window counts as load.
    fn cut_after_probe(&mut self) {
        let window = self.usable();
        let load = Load {
            window,
            flight: window,
        };
        if let Some(control) = self.congestion.loss_mut() {
            control.on_fast_retransmit(load, false);
        }
        self.note(SenderNote::WindowCut);
    }
}
