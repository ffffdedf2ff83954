//! What the station puts on the air, and what it does when no answer comes.

use super::machine::{Dcf, Exchange};
use super::output::Output;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::frame::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use acklab_wire::{Class, FrameHeader, FrameKind};

impl Dcf {
    /// Data withheld after its CTS, or a turn that finds the medium busy: contend again from the
    /// RTS, without counting a retry.
    pub(super) fn retry_from_rts(&mut self) {
        if let Some(current) = &mut self.current {
            current.rts_due = current.uses_rts;
        }
        self.double_cw();
        self.draw_backoff();
    }

    pub(super) fn send_rts(&mut self, now: Instant) {
        let Some(current) = &self.current else { return };
        let sifs = self.plan.config.sifs;
        let cts = self.plan.timing.cts;
        let rest = sifs * 3 + cts + current.header.airtime + self.plan.timing.ack;
        let header = FrameHeader {
            kind: FrameKind::Rts,
            retry: current.header.retry || self.short_retries > 0,
            sequence: 0,
            to: current.header.to,
            from: self.id,
            duration: self.duration_field(rest),
            bytes: RTS_BYTES,
            airtime: self.plan.timing.rts,
        };
        let wait = header.airtime + sifs + cts + self.plan.config.rules.response_slack;
        self.exchange = Exchange::AwaitCts { until: now + wait };
        self.transmit(header);
    }

    pub(super) fn send_data(&mut self, now: Instant) {
        let Some(current) = &self.current else { return };
        let header = current.header;
        if header.to.is_broadcast() {
            self.exchange = Exchange::Broadcast {
                until: now + header.airtime,
            };
        } else {
            let answer = self.plan.config.sifs + self.plan.timing.ack;
            let wait = header.airtime + answer + self.plan.config.rules.response_slack;
            self.exchange = Exchange::AwaitAck { until: now + wait };
        }
        self.transmit(header);
    }

    /// An EIFS is over once the station has transmitted: what it saw before concerns it no more.
    pub(super) fn transmit(&mut self, header: FrameHeader) {
        self.lead = self.plan.timing.difs;
        self.on_air = Some(header);
        self.asks.push(Output::Transmit);
    }

    pub(super) fn exchange_timed_out(&mut self, now: Instant) {
        match self.exchange {
            Exchange::Idle => {}
            Exchange::AwaitCts { .. } => {
                self.counters.missing_cts += 1;
                self.short_retries += 1;
                let spent = reached(self.short_retries, self.plan.config.short_retry_limit);
                self.retry_or_give_up(spent);
                self.resume(now);
            }
            Exchange::AwaitAck { .. } => {
                self.counters.missing_ack += 1;
                let spent = self.count_data_retry();
                self.retry_or_give_up(spent);
                self.resume(now);
            }
            Exchange::Broadcast { .. } => {
                self.rare.get_or_insert_default().broadcast = self.current.take();
                self.cw = self.plan.config.cw_min;
                self.draw_backoff();
                self.resume(now);
            }
            Exchange::AwaitData { .. } | Exchange::SendingAck { .. } => {
                self.response = None;
                self.resume(now);
            }
        }
    }

    fn count_data_retry(&mut self) -> bool {
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.uses_rts)
        {
            self.long_retries += 1;
            reached(self.long_retries, self.plan.config.long_retry_limit)
        } else {
            self.short_retries += 1;
            reached(self.short_retries, self.plan.config.short_retry_limit)
        }
    }

    fn retry_or_give_up(&mut self, spent: bool) {
        if spent {
            self.give_up();
        } else if let Some(current) = &mut self.current {
            // The Retry bit marks data that was on the air before, not data behind a lost RTS.
            current.header.retry |= matches!(self.exchange, Exchange::AwaitAck { .. });
            current.rts_due = current.uses_rts;
            self.double_cw();
            self.draw_backoff();
        }
    }

    fn give_up(&mut self) {
        let Some(current) = self.current.take() else {
            return;
        };
        let awaited_ack = matches!(self.exchange, Exchange::AwaitAck { .. });
        self.forget_retries(awaited_ack && current.uses_rts);
        self.cw = self.plan.config.cw_min;
        if self.plan.config.rules.backoff_after_drop {
            self.draw_backoff();
        }
        self.counters.retry_drops += 1;
        let next_hop = current.header.to;
        self.rare.get_or_insert_default().failed = Some(current.payload);
        self.asks.push(Output::Failed { next_hop });
    }

    /// The packet in hand is done; `long` names the counter of what was last sent of it.
    fn forget_retries(&mut self, long: bool) {
        let both = self.plan.config.rules.retries_by_packet;
        if both || long {
            self.long_retries = 0;
        }
        if both || !long {
            self.short_retries = 0;
        }
    }

    /// The packet in hand was acknowledged.
    pub(super) fn finish(&mut self) {
        let Some(current) = self.current.take() else {
            return;
        };
        self.forget_retries(current.uses_rts);
        match current.payload.class() {
            Class::TcpData => self.counters.done_tcp_data += 1,
            Class::TcpAck => self.counters.done_tcp_ack += 1,
            _ => self.counters.done_other += 1,
        }
        self.cw = self.plan.config.cw_min;
        self.draw_backoff();
    }

    /// What the duration field says of an interval: whole microseconds (clause 7.1.3.2).
    pub(super) fn duration_field(&self, interval: Duration) -> Duration {
        Duration::from_micros(if self.plan.config.rules.duration_rounds_up {
            // Airtimes are whole nanoseconds: of several one may be over that none has by itself.
            interval
                .saturating_sub(Duration::from_nanos(1))
                .ceil_to_micros()
        } else {
            interval.round_to_micros()
        })
    }

    /// A response frame to `to` whose duration field is `duration`.
    pub(super) fn response_header(
        &self,
        kind: FrameKind,
        to: NodeId,
        duration: Duration,
    ) -> FrameHeader {
        let (bytes, airtime) = match kind {
            FrameKind::Cts => (CTS_BYTES, self.plan.timing.cts),
            _ => (ACK_BYTES, self.plan.timing.ack),
        };
        let from = self.id;
        FrameHeader {
            kind,
            retry: false,
            sequence: 0,
            to,
            from,
            duration,
            bytes,
            airtime,
        }
    }
}

pub(super) fn reached(count: u32, limit: Option<u32>) -> bool {
    limit.is_some_and(|limit| count >= limit)
}
