//! Sending: what may leave, and the segments themselves.

use super::{Sender, SenderOutput, State, Timed, Timer};
use crate::config::Idle;
use acklab_base::{Instant, Seq32};
use acklab_wire::{Flags, Options, Segment};

/// What the sender advertises for the data that never comes the other way.
const OWN_WINDOW: u32 = 65_535;

impl Sender {
    /// Sends what window and application allow, at most `burst` segments.
    pub(super) fn fill(&mut self, now: Instant, burst: Option<u32>) {
        if self.state != State::Established {
            return;
        }
        // The conversion drops the fraction.
        let window = self.usable() as u64 * u64::from(self.config.mss);
        let mut left = burst.unwrap_or(u32::MAX);
        while left > 0 && self.send_next(now, window) {
            left -= 1;
        }
    }

    /// One segment beyond the window for each of the first duplicate ACKs, as long as the
    /// receiver's window has room (RFC 3042).
    pub(super) fn limited_transmit(&mut self, now: Instant) {
        if self.nxt < self.max_sent && !self.config.limited_transmit_repeats {
            return;
        }
        let allowed = (self.cwnd() + f64::from(self.recovery.dupacks)).min(self.limit());
        let before = self.max_sent;
        self.send_next(now, allowed.floor() as u64 * u64::from(self.config.mss));
        self.limited_bytes += self.max_sent - before;
    }

    /// Sends the segment at `nxt` if it ends within `window` bytes from the first unacknowledged
    /// one. A segment is short only where the application's data ends.
    pub(super) fn send_next(&mut self, now: Instant, window: u64) -> bool {
        self.skip_sacked();
        let len = (self.written - self.nxt).min(u64::from(self.config.mss));
        if len == 0 || self.nxt + len - self.una > window || !self.has_turn(now) {
            return false;
        }
        let start = self.nxt;
        self.nxt += len;
        self.transmit(now, start, len);
        true
    }

    /// Sends the first unacknowledged segment again, whatever the window, unless it is closed.
    pub(super) fn retransmit_first(&mut self, now: Instant) {
        if self.is_closed() || !self.has_turn_to_repair(now) {
            return;
        }
        let len = (self.written - self.una).min(u64::from(self.config.mss));
        self.nxt = self.nxt.max(self.una + len);
        self.transmit(now, self.una, len);
    }

    /// Puts out `len` sequence numbers from `start` on, the SYN if `start` is 0.
    pub(super) fn transmit(&mut self, now: Instant, start: u64, len: u64) {
        self.put_out(start, len);
        let end = start + len;
        let nothing_outstanding = self.una == self.max_sent;
        if end > self.max_sent {
            self.max_sent = end;
            // One segment is timed at a time, and only when it leaves for the first time (Karn).
            if self.timed.is_none() {
                self.timed = Some(Timed { end, sent: now });
            }
        } else {
            if start == self.una {
                self.repaired = Some((start, now));
            }
            if self.selective.is_some() && !self.config.sack.times_resent {
                // Elsewhere what starts a repair has ended the timing.
                self.timed = self
                    .timed
                    .filter(|timed| timed.end <= start || end < timed.end);
            }
        }
        self.last_sent = now;
        self.record_sent(now, start);
        if start > 0
            && let Some(selective) = &mut self.selective
        {
            selective.board.on_sent(now, start, end);
        }
        // RFC 6298 §5.1.
        if nothing_outstanding || !self.timer.is_retransmission() {
            self.arm(now);
        }
        self.plan_tail(now);
    }

    /// The segment itself.
    pub(super) fn put_out(&mut self, start: u64, len: u64) {
        let syn = start == 0;
        self.outputs.push_back(SenderOutput::Segment(Segment {
            flow: self.config.flow,
            forward: true,
            seq: self.seq(start),
            ack: if syn { Seq32(0) } else { self.peer_next },
            flags: Flags {
                syn,
                ack: !syn,
                fin: false,
            },
            window: OWN_WINDOW,
            len: if syn { 0 } else { len as u32 },
            retransmission: start < self.max_sent,
            options: Options {
                sack_permitted: syn && self.selective.is_some(),
                ..Options::NONE
            },
        }));
    }

    /// (Re)starts the retransmission timer.
    pub(super) fn arm(&mut self, now: Instant) {
        self.timer = Timer::Retransmission {
            deadline: now + self.rtt.rto(),
        };
    }

    /// RFC 5681 §4.1: after a silence of more than one timeout the old window says nothing about
    /// the path.
    pub(super) fn restart_if_idle(&mut self, now: Instant) {
        let silent = self.state == State::Established && self.una == self.max_sent;
        if silent
            && self.config.idle == Idle::AfterRto
            && now.saturating_since(self.last_sent) > self.rtt.rto()
        {
            self.congestion
                .get_mut()
                .on_idle(self.config.initial_window);
        }
    }

    /// A sequence number near the first unacknowledged one as an offset. `None` before the stream.
    pub(super) fn offset(&self, seq: Seq32) -> Option<u64> {
        let una = self.seq(self.una);
        if una.at_or_before(seq) {
            Some(self.una + u64::from(seq.since(una)))
        } else {
            self.una.checked_sub(u64::from(una.since(seq)))
        }
    }

    /// An offset as a sequence number: the door between 64 bits and the circle.
    pub(super) fn seq(&self, offset: u64) -> Seq32 {
        self.config.iss.add(offset as u32)
    }
}
