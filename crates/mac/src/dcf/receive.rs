//! The receiving side: what the medium does, and the frames that were decoded.

use super::backoff::Backoff;
use super::machine::{Dcf, Exchange};
use super::output::Output;
use super::rules::Access;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::{FrameHeader, FrameKind};

/// When the NAV ends before its time, since nothing followed the RTS that set it. Not an `Option`, which takes eight
/// bytes more of each station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RtsNav {
    /// When that is, always before the NAV's own end; [`Instant::NEVER`]: it does not end early.
    pub(super) probe_at: Instant,
    /// What the NAV was before that RTS, and is again then.
    pub(super) nav_before: Instant,
}

impl RtsNav {
    /// The NAV does not end early.
    pub(super) const NONE: Self = Self {
        probe_at: Instant::NEVER,
        nav_before: Instant::ZERO,
    };
}

impl Dcf {
    /// From now on data frames for other stations are reported too.
    pub fn listen_to_all(&mut self) {
        self.listens_to_all = true;
    }

    /// The receiver finds the medium busy, or idle again. Tell frames that ended
    /// ([`Dcf::on_frame`], [`Dcf::on_lost_frame`]) before the idle that follows them.
    pub fn on_medium(&mut self, now: Instant, busy: bool) {
        if busy {
            self.rts_nav = RtsNav::NONE;
        }
        if busy != self.receiver_busy {
            if busy {
                // What follows a busy time depends on it alone: EIFS if it was a frame that was not understood
                // (clause 9.2.5.1).
                self.lead = self.plan.timing.difs;
            } else {
                self.free_since = now;
            }
        }
        self.receiver_busy = busy;
        self.update_backoff(now);
    }

    /// A frame ended and could not be understood: it collided, or `only_sensed` was a carrier, since it was too
    /// weak or the station transmitted when it began.
    pub fn on_lost_frame(&mut self, now: Instant, only_sensed: bool) {
        let rules = &self.plan.config.rules;
        if only_sensed && !rules.eifs_after_sensed {
            return;
        }
        if rules.eifs_is_ifs {
            self.lead = self.plan.timing.eifs;
        } else {
            self.nav = self.nav.max(now.after(self.plan.timing.eifs));
        }
    }

    /// How long a third station of these rules stays silent at least after the end of a frame,
    /// whether the frame is lost or not: one that senses it, and one that can decode it.
    #[must_use]
    pub fn silence_after(&self, to: NodeId, duration: Duration) -> [Duration; 2] {
        let rules = &self.plan.config.rules;
        if rules.eifs_is_ifs || to.is_broadcast() {
            return [Duration::ZERO; 2];
        }
        [self.plan.timing.sensed, duration.min(self.plan.timing.eifs)]
    }

    /// A frame of this airtime began and was ignored, since the locked one is stronger.
    pub fn on_captured_frame(&mut self, now: Instant, airtime: Duration) {
        if self.plan.config.rules.nav_over_captured {
            self.nav = self.nav.max(now + self.plan.timing.eifs + airtime);
        }
    }

    /// A frame ended and was decoded.
    pub fn on_frame(&mut self, now: Instant, header: &FrameHeader) {
        self.lead = self.plan.timing.difs;
        if header.to == self.id {
            match header.kind {
                FrameKind::Rts => self.on_rts(now, header),
                FrameKind::Cts => self.on_cts(now),
                FrameKind::Ack => self.on_ack(now),
                FrameKind::Data => self.on_data(now, header),
            }
            return;
        }
        if header.to.is_broadcast() {
            self.asks.push(Output::Deliver {
                from: header.from,
                sequence: header.sequence,
            });
        }
        if self.listens_to_all && header.kind == FrameKind::Data && !header.to.is_broadcast() {
            self.asks.push(Output::Overheard {
                from: header.from,
                sequence: header.sequence,
            });
        }
        self.hear_reservation(now, header.kind, header.duration);
    }

    /// A frame ended and was decoded that nobody above is told of: it is for somebody else, or for all and of
    /// no use here.
    pub fn on_frame_for_nobody(&mut self, now: Instant, kind: FrameKind, duration: Duration) {
        self.lead = self.plan.timing.difs;
        self.hear_reservation(now, kind, duration);
    }

    /// Clause 9.2.5.4: the longest reservation counts.
    pub(super) fn hear_reservation(&mut self, now: Instant, kind: FrameKind, duration: Duration) {
        let until = now + duration;
        if until <= self.nav {
            return;
        }
        if kind == FrameKind::Rts && self.plan.config.rules.rts_nav_expires {
            let config = &self.plan.config;
            let probe_at = now + config.sifs * 2 + self.plan.timing.cts + config.slot * 2;
            let nav_before = self.nav;
            // A reservation that is over by then has nothing to lose.
            self.rts_nav = if probe_at < until {
                RtsNav {
                    probe_at,
                    nav_before,
                }
            } else {
                RtsNav::NONE
            };
        }
        self.nav = until;
    }

    fn on_rts(&mut self, now: Instant, header: &FrameHeader) {
        if self.exchange != Exchange::Idle || self.response.is_some() {
            return;
        }
        let spent = self.plan.config.sifs + self.plan.timing.cts;
        let duration = self.duration_field(header.duration.saturating_sub(spent));
        self.response = Some(self.response_header(FrameKind::Cts, header.from, duration));
        self.stop_deferring();
        self.resume(now);
    }

    fn on_cts(&mut self, now: Instant) {
        if !matches!(self.exchange, Exchange::AwaitCts { .. }) {
            return;
        }
        if let Some(current) = &mut self.current {
            current.rts_due = false;
        }
        if !self.plan.config.rules.retries_by_packet {
            self.short_retries = 0;
        }
        if self.plan.config.rules.cts_resets_window {
            self.cw = self.plan.config.cw_min;
        }
        self.resume(now);
    }

    fn on_ack(&mut self, now: Instant) {
        if matches!(self.exchange, Exchange::AwaitAck { .. }) {
            self.finish();
            self.resume(now);
        }
    }

    fn on_data(&mut self, now: Instant, header: &FrameHeader) {
        if self.plan.config.rules.data_needs_own_cts && self.plan.config.uses_rts(header.bytes) {
            if !matches!(self.exchange, Exchange::AwaitData { .. }) {
                return;
            }
        } else if self.response.is_some() {
            // No room for the ACK: of ns-2's stations one that awaits data holds its CTS until then.
            return;
        }
        let ack = self.response_header(FrameKind::Ack, header.from, Duration::ZERO);
        self.response = Some(ack);
        self.stop_deferring();
        if self.plan.config.rules.data_resets_retries
            && matches!(self.exchange, Exchange::AwaitData { .. })
        {
            self.short_retries = 0;
            self.cw = self.plan.config.cw_min;
        }
        match self.exchange {
            Exchange::Idle | Exchange::AwaitData { .. } => self.resume(now),
            // Any other valid frame than the answer means failure (clauses 9.2.5.7 and 9.2.8).
            // ns-2 waits on, and its ACK comes late.
            Exchange::AwaitCts { .. } | Exchange::AwaitAck { .. }
                if !self.plan.config.rules.data_needs_own_cts =>
            {
                self.exchange_timed_out(now);
            }
            _ => {}
        }
        if self.is_duplicate(header) {
            self.counters.duplicates += 1;
        } else {
            self.asks.push(Output::Deliver {
                from: header.from,
                sequence: header.sequence,
            });
        }
    }

    /// Clause 9.2.9: a frame with the Retry bit that repeats the sender's last sequence number was
    /// delivered before. Numbers alone do not tell: they come round after 4096 frames.
    fn is_duplicate(&mut self, header: &FrameHeader) -> bool {
        let place = self
            .last_sequence
            .binary_search_by_key(&header.from, |&(node, _)| node);
        match place {
            Ok(place) if self.last_sequence[place].1 == header.sequence => header.retry,
            Ok(place) => {
                self.last_sequence[place].1 = header.sequence;
                false
            }
            Err(place) => {
                self.last_sequence
                    .insert(place, (header.from, header.sequence));
                false
            }
        }
    }

    /// SIFS is over and a response is owed.
    pub(super) fn send_response(&mut self, now: Instant) {
        let Some(response) = self.response else {
            return;
        };
        if response.kind == FrameKind::Ack {
            self.exchange = Exchange::SendingAck {
                until: now + response.airtime,
            };
        } else if self.may_answer_rts(now) {
            self.exchange = Exchange::AwaitData {
                until: self.data_deadline(now, &response),
            };
        } else {
            self.counters.cts_withheld += 1;
            self.response = None;
            // Where packets defer, the packet in hand waits for the next answer that this station
            // gives: ns-2 before 2006 forgot it here.
            let forgets = matches!(self.plan.config.rules.access, Access::Deferral { .. });
            let waits = self.current.is_some() && self.backoff == Backoff::None;
            if waits && !forgets {
                self.draw_backoff();
                self.update_backoff(now);
            }
            return;
        }
        self.update_backoff(now);
        self.transmit(response);
    }

    fn may_answer_rts(&self, now: Instant) -> bool {
        self.nav <= now && !(self.receiver_busy && self.plan.config.rules.cts_needs_idle_receiver)
    }

    /// Until when a station that sends this CTS waits for the data.
    fn data_deadline(&self, now: Instant, cts: &FrameHeader) -> Instant {
        if !self.plan.config.rules.data_needs_own_cts {
            return now + cts.airtime;
        }
        let slack = self.plan.config.rules.response_slack;
        let data = cts
            .duration
            .saturating_sub(self.plan.config.sifs + self.plan.timing.ack);
        now + cts.airtime + data + slack
    }
}

/// A station's view of the medium, for tests and drawings.
impl Dcf {
    /// Until when the NAV reserves the medium.
    #[must_use]
    pub const fn nav(&self) -> Instant {
        self.nav
    }

    /// The station's own address.
    #[must_use]
    pub const fn id(&self) -> NodeId {
        self.id
    }
}
