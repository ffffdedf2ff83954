//! How Vegas finds and repairs losses (Brakmo and Peterson 1995 §III.A): by the exact time at which
//! each segment left, looked at on each duplicate ACK and on the first two new ACKs after a repair.
//!
//! It does not size the window; that is `cc/vegas`. The sender's other variants pass here without
//! effect. The invariant: a segment is repaired only while it is under way, unless ns-2's rule
//! [`Recheck::Any`] is chosen.

use super::{Sender, SenderNote, Timer};
use crate::cc::vegas::View;
use crate::config::Variant;
use crate::recovery::Phase;
use crate::vegas::{Deflation, FirstFlight, Recheck};
use acklab_base::Instant;

/// New ACKs after a repair that look for further late segments.
const CHECKS: u32 = 2;

/// What Vegas remembers about repairs, and how it numbers segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// New ACKs that will still look for a late segment.
    checks_left: u32,
    /// Everything left again last, after a timeout or a closed window.
    went_back: bool,
    /// An offset at which a segment begins, and its number; those behind it are full ones.
    begin: (u64, u64),
}

impl Default for State {
    /// Data begins behind the SYN.
    fn default() -> Self {
        Self {
            checks_left: 0,
            went_back: false,
            begin: (1, 1),
        }
    }
}

impl State {
    /// The window is closed: nothing is looked for.
    pub(super) fn stop(&mut self) {
        self.checks_left = 0;
        self.went_back = true;
    }
}

impl Sender {
    /// The number of the segment at `offset` or, in its middle, of the one around it: the SYN is
    /// 0, the first full segment of data 1.
    fn number(&self, offset: u64) -> u64 {
        let (begin, number) = self.vegas.begin;
        match offset.checked_sub(begin) {
            None => 0,
            Some(behind) => number + behind / u64::from(self.config.mss),
        }
    }

    /// The window opened: segments begin where sending goes on, which the octet of a probe has
    /// moved, and what is measured begins anew.
    pub(super) fn resume_vegas(&mut self, now: Instant) {
        self.vegas.begin = (self.una, self.number(self.una));
        let una = self.una;
        if let Some(vegas) = self.congestion.vegas_mut() {
            vegas.resume(now, una);
        }
    }

    /// A segment left: Vegas keeps its time.
    pub(super) fn record_sent(&mut self, now: Instant, start: u64) {
        if self.config.variant != Variant::Vegas {
            return;
        }
        let number = self.number(start);
        if let Some(vegas) = self.congestion.vegas_mut() {
            vegas.on_sent(now, number);
        }
    }

    /// An ACK for new data.
    pub(super) fn on_vegas_ack(&mut self, now: Instant, ack: u64) {
        let (from, to) = (self.number(self.una), self.number(ack - 1) + 1);
        let whole = self.number(ack);
        let first_data = self.una == 1;
        // A probe is no segment, and what else comes was sent before the window closed.
        let probes = matches!(self.timer, Timer::Persist { .. });
        let more = self.recovery.dupacks > self.config.dupack_threshold;
        let inflation = self.recovery.inflation;
        self.recovery.on_new_ack(&self.config, ack);
        self.limited_bytes = 0;
        self.timed_out_at = None;
        self.accept(now, ack);
        if self.una == self.nxt && !probes {
            // Behind a short segment, or where an ACK jumped ahead of what leaves again.
            self.vegas.begin = (ack, to);
        }
        let view = View {
            una: self.una,
            next: self.nxt,
            mss: self.config.mss,
            limit: self.limit(),
        };
        let initial = self.config.initial_window;
        let one_at_first = self.config.vegas.first_flight == FirstFlight::OneSegment;
        if let Some(vegas) = self.congestion.vegas_mut() {
            vegas.deflate(inflation, more);
            if first_data && one_at_first {
                vegas.open(initial);
            }
            if probes {
                vegas.forget(from, whole);
            } else if let Some(decision) = vegas.on_ack(now, from, to, view) {
                self.note(SenderNote::Vegas(decision));
            }
        }
        if !probes {
            self.check_after_repair(now);
        }
    }

    /// The first or second new ACK after a repair: if the next segment is late too, it was lost
    /// with the one that was repaired. The window was cut for it already.
    fn check_after_repair(&mut self, now: Instant) {
        if self.vegas.checks_left == 0 {
            return;
        }
        self.vegas.checks_left -= 1;
        if self.is_late(now) {
            self.recovery.phase = Phase::FastRecovery {
                partial_seen: false,
            };
            self.recovery.dupacks = self.config.dupack_threshold;
            self.repair(now);
        } else {
            self.vegas.checks_left = 0;
        }
    }

    /// Whether the answer to the first unacknowledged segment is overdue.
    fn is_late(&mut self, now: Instant) -> bool {
        let under_way = match self.config.vegas.recheck {
            Recheck::UnderWay => self.una < self.nxt,
            Recheck::Any => self.una < self.written,
        };
        let unrecorded = self.config.vegas.recheck == Recheck::Any;
        let number = self.number(self.una);
        let Some(vegas) = self.congestion.vegas_mut() else {
            return false;
        };
        let (record, late) = vegas.look_at(now, number);
        under_way && (late || (unrecorded && record.sent.is_none()))
    }

    /// Sends the first unacknowledged segment, without moving what comes next in turn.
    fn repair(&mut self, now: Instant) {
        if self.is_closed() || !self.has_turn_to_repair(now) {
            return;
        }
        let len = (self.written - self.una).min(u64::from(self.config.mss));
        self.transmit(now, self.una, len);
    }

    /// A duplicate ACK: the segment that it asks for is repaired if it is late, or at the
    /// threshold in any case.
    pub(super) fn on_vegas_duplicate(&mut self, now: Instant) {
        self.recovery.dupacks += 1;
        let threshold = self.config.dupack_threshold;
        if self.is_late(now) || self.recovery.dupacks == threshold {
            // What leaves again makes duplicates of its own.
            if !self.vegas.went_back || self.una > self.recovery.recover {
                self.vegas_fast_retransmit(now);
            }
        } else if self.recovery.dupacks > threshold {
            self.recovery.inflation += 1.0;
        } else if self.config.limited_transmit {
            self.limited_transmit(now);
        }
    }

    fn vegas_fast_retransmit(&mut self, now: Instant) {
        self.vegas.went_back = false;
        self.vegas.checks_left = CHECKS.min(self.flight().ceil() as u32 + 1);
        self.recovery.recover = self.max_sent;
        self.recovery.phase = Phase::FastRecovery {
            partial_seen: false,
        };
        self.note(SenderNote::FastRetransmit);
        let window = self.usable();
        let number = self.number(self.una);
        if let Some(vegas) = self.congestion.vegas_mut() {
            let (record, _) = vegas.look_at(now, number);
            if vegas.on_loss(now, record, window) {
                self.recovery.inflation = f64::from(self.recovery.dupacks);
                self.note(SenderNote::WindowCut);
            }
            if record.transmits == 1 {
                self.recovery.dupacks = self.config.dupack_threshold;
            }
        }
        // The ACK of a segment behind the hole would measure the repair.
        self.timed = None;
        if self.config.vegas.backs_off_at_repair {
            self.rtt.back_off();
        }
        self.arm(now);
        self.repair(now);
    }

    /// Before a timeout halves the window. ns-2's Vegas halves the inflated one.
    pub(super) fn take_back_inflation(&mut self) {
        let kept = self.config.variant == Variant::Vegas
            && self.config.vegas.deflation == Deflation::ToLastCut;
        if !kept {
            self.recovery.inflation = 0.0;
        }
    }

    /// The retransmission timer expired.
    pub(super) fn on_vegas_timeout(&mut self, now: Instant) {
        self.vegas.went_back = true;
        let una = self.una;
        if let Some(vegas) = self.congestion.vegas_mut() {
            vegas.restart(now, una);
        }
    }
}
