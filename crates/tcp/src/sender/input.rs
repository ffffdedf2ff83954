//! What an ACK does: the handshake's, new ones, partial ones, duplicates.

use super::{Sender, SenderNote, State};
use crate::cc::LossBased;
use crate::config::{Duplicates, FullAck, Variant};
use crate::recovery::{DuplicateAck, NewAck};
use acklab_base::Instant;
use acklab_wire::Segment;

impl Sender {
    /// The answer to the SYN. The first data goes out at once: it carries the third step of the
    /// handshake (RFC 9293 §3.5).
    pub(super) fn on_syn_ack(&mut self, now: Instant, segment: &Segment, again: bool) {
        if !segment.flags.syn || segment.ack != self.seq(1) {
            return;
        }
        self.peer_next = segment.seq.add(1);
        self.advertised = u64::from(segment.window);
        self.una = 1;
        self.take_sample(now, 1);
        if let Some(vegas) = self.congestion.vegas_mut() {
            vegas.on_handshake(now);
        }
        let initial = if again {
            // RFC 5681 §3.1: after a lost SYN or SYN-ACK, one segment.
            self.rtt.restart_after_syn_loss();
            1
        } else {
            self.config.initial_window
        };
        self.recovery.on_new_ack(&self.config, 1);
        self.timed_out_at = None;
        self.rearm_after_ack(now);
        self.establish(now, initial);
    }

    /// Data may flow, with a window of `initial` segments.
    pub(super) fn establish(&mut self, now: Instant, initial: u32) {
        self.state = State::Established;
        self.congestion.get_mut().on_established(initial);
        self.note(SenderNote::Established);
        self.fill(now, None);
        self.stop_if_closed(now);
    }

    /// An acknowledgement while data may flow.
    pub(super) fn on_ack(&mut self, now: Instant, segment: &Segment) {
        let una = self.seq(self.una);
        if una.at_or_before(segment.ack) {
            let ack = self.una + u64::from(segment.ack.since(una));
            if ack > self.max_sent {
                // For what was never sent (RFC 9293 §3.10.7.4): not ours.
                return;
            }
            let was_closed = self.is_closed();
            self.advertised = u64::from(segment.window);
            let advances = ack > self.una;
            self.measure_bandwidth(now, ack);
            // A change of the window is no duplicate (RFC 5681 §2), and a closed one no loss.
            let stopped = was_closed || self.is_closed();
            let duplicate = !advances && !stopped && self.counts_as_duplicate(segment);
            // Before the scoreboard hears of it, as it tells of no congestion.
            let noticed = duplicate && self.heeds_loss_notice(now, segment);
            if self.selective.is_some() {
                self.on_selective_ack(now, segment, ack, (stopped, noticed));
            } else if advances {
                self.advance(now, ack);
            }
            if stopped {
                self.heed_window(now);
            } else if duplicate && !noticed && self.selective.is_none() {
                self.count_duplicate(now);
            }
        }
        // An old ACK says nothing, but what a limited burst left over may leave with it.
        self.send_after_ack(now);
        self.keep_awake(now);
    }

    /// Westwood looks at every ACK while data is under way.
    fn measure_bandwidth(&mut self, now: Instant, ack: u64) {
        let control = self.congestion.loss_mut();
        if self.una < self.max_sent
            && let Some(bandwidth) = control.and_then(LossBased::bandwidth_mut)
        {
            let advanced = (ack - self.una) as f64 / f64::from(self.config.mss);
            bandwidth.on_ack(now, advanced);
        }
    }

    /// Sends what the window allows now. The first duplicates send no more than Limited Transmit
    /// lets them.
    pub(super) fn send_after_ack(&mut self, now: Instant) {
        if self.selective.is_some() {
            self.send_selective(now);
            return;
        }
        let threshold = self.config.dupack_threshold;
        match self.recovery.dupacks {
            0 => self.fill(now, None),
            count if count < threshold => {}
            _ if self.config.variant == Variant::NewReno => {
                self.fill(now, self.config.newreno.burst);
            }
            _ => self.fill(now, None),
        }
    }

    /// With nothing outstanding there is nothing to repair. (ns-2 would count on, and send a
    /// packet that the application never wrote.)
    fn counts_as_duplicate(&self, segment: &Segment) -> bool {
        let carries_nothing = match self.config.duplicates {
            Duplicates::Repeated => true,
            Duplicates::Rfc5681 => segment.is_pure_ack(),
        };
        carries_nothing && self.una < self.max_sent
    }

    /// Something new is acknowledged.
    fn advance(&mut self, now: Instant, ack: u64) {
        match self.config.variant {
            Variant::Vegas => self.on_vegas_ack(now, ack),
            _ => self.on_new_ack(now, ack),
        }
    }

    /// The last ACK again.
    fn count_duplicate(&mut self, now: Instant) {
        match self.config.variant {
            Variant::Vegas => self.on_vegas_duplicate(now),
            _ => self.on_duplicate(now),
        }
    }

    fn on_new_ack(&mut self, now: Instant, ack: u64) {
        let acked = (ack - self.una) as f64 / f64::from(self.config.mss);
        let kind = self.recovery.on_new_ack(&self.config, ack);
        self.limited_bytes = 0;
        self.timed_out_at = None;
        if let NewAck::Partial { first } = kind {
            self.on_partial_ack(now, ack, acked, first);
            return;
        }
        self.accept(now, ack);
        if kind == NewAck::EndsRecovery && !self.keeps_window() {
            self.end_recovery();
        } else if !self.is_closed()
            && let Some(control) = self.congestion.loss_mut()
        {
            control.on_ack(acked);
        }
    }

    /// What any family does with an ACK for new data that is no partial one.
    pub(super) fn accept(&mut self, now: Instant, ack: u64) {
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.take_sample(now, ack);
        if self.una == self.written {
            self.note(SenderNote::AllAcked);
        }
        self.rearm_after_ack(now);
    }

    /// Whether the ACK that ends fast recovery is one of normal growth.
    pub(super) fn keeps_window(&self) -> bool {
        self.config.newreno.full_ack == FullAck::KeepWindow
    }

    /// RFC 6582 §3.2 step 3, full acknowledgement; for Reno RFC 5681 §3.2 step 6.
    fn end_recovery(&mut self) {
        let ssthresh = self.ssthresh();
        let newreno = self.config.variant == Variant::NewReno;
        let cwnd = match self.config.newreno.full_ack {
            FullAck::MinFlight if newreno => ssthresh.min(self.load().flight.max(1.0) + 1.0),
            _ => ssthresh,
        };
        if let Some(control) = self.congestion.loss_mut() {
            control.set_cwnd(cwnd);
        }
    }

    /// RFC 6582 §3.2 step 3, partial acknowledgement: repair the next hole.
    fn on_partial_ack(&mut self, now: Instant, ack: u64, acked: f64, first: bool) {
        if first || !self.config.newreno.impatient {
            self.arm(now);
        }
        let rest = self.recovery.deflate(&self.config, acked);
        if let Some(control) = self.congestion.loss_mut() {
            control.deflate(rest);
        }
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.retransmit_first(now);
    }

    fn on_duplicate(&mut self, now: Instant) {
        match self.recovery.on_duplicate(&self.config, self.una) {
            DuplicateAck::Counted => {}
            DuplicateAck::LimitedTransmit => self.limited_transmit(now),
            DuplicateAck::FastRetransmit => self.fast_retransmit(now),
        }
    }

    /// RFC 5681 §3.2 steps 2 and 3. Timing stops: the ACK of a segment behind the hole would
    /// measure the repair.
    fn fast_retransmit(&mut self, now: Instant) {
        let tahoe = self.config.variant == Variant::Tahoe;
        let load = self.load();
        if let Some(control) = self.congestion.loss_mut() {
            control.on_fast_retransmit(load, tahoe);
        }
        self.recovery.enter_fast(&self.config, self.max_sent);
        self.timed = None;
        self.note(SenderNote::FastRetransmit);
        self.note(SenderNote::WindowCut);
        self.arm(now);
        if tahoe {
            // Everything from the hole on goes out again, from a window of one.
            self.nxt = self.una;
        } else {
            self.retransmit_first(now);
        }
    }

    /// Takes the round-trip time if `ack` covers the segment that is being timed.
    fn take_sample(&mut self, now: Instant, ack: u64) {
        if let Some(timed) = self.timed.filter(|timed| ack >= timed.end) {
            self.timed = None;
            self.rtt.sample(timed.sent, now);
            self.note(SenderNote::RttSample(now - timed.sent));
            let control = self.congestion.loss_mut();
            if let Some(bandwidth) = control.and_then(LossBased::bandwidth_mut) {
                bandwidth.on_rtt(now - timed.sent);
            }
        }
    }
}
