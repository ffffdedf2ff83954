//! The station: its state, its timers, and its contention for the medium.

use super::backoff::Backoff;
use super::config::Plan;
use super::output::{Asks, Output};
use super::receive::RtsNav;
use super::rules::Access;
use acklab_base::{Duration, Instant, NodeId, Stream, ThinStream};
use acklab_wire::{FrameHeader, FrameKind, Payload};
use smallvec::SmallVec;
use std::sync::Arc;

/// What a station counts, in four bytes each: enough for a month of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// RTS frames that no CTS answered.
    pub missing_cts: u32,
    /// Unicast data frames that no ACK answered.
    pub missing_ack: u32,
    /// Unicast exchanges finished with TCP data inside.
    pub done_tcp_data: u32,
    /// Unicast exchanges finished with a TCP acknowledgement inside.
    pub done_tcp_ack: u32,
    /// Unicast exchanges finished with anything else inside.
    pub done_other: u32,
    /// Packets given up at a retry limit.
    pub retry_drops: u32,
    /// CTS frames withheld because the medium was not idle.
    pub cts_withheld: u32,
    /// Data frames received a second time.
    pub duplicates: u32,
}

impl Counters {
    /// Unicast exchanges finished.
    #[must_use]
    pub fn done(&self) -> u64 {
        u64::from(self.done_tcp_data) + u64::from(self.done_tcp_ack) + u64::from(self.done_other)
    }

    /// Frames that no CTS or ACK answered.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        u64::from(self.missing_cts) + u64::from(self.missing_ack)
    }
}

/// What the station is in the middle of on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exchange {
    /// Nothing.
    Idle,
    /// An RTS is out; its CTS must have come by `until`.
    AwaitCts { until: Instant },
    /// A unicast data frame is out; its ACK must have come by `until`.
    AwaitAck { until: Instant },
    /// A broadcast is on the air.
    Broadcast { until: Instant },
    /// A CTS is out; the data must have come by `until`.
    AwaitData { until: Instant },
    /// An ACK is on the air.
    SendingAck { until: Instant },
}

impl Exchange {
    pub(super) const fn until(self) -> Instant {
        match self {
            Self::Idle => Instant::NEVER,
            Self::AwaitCts { until }
            | Self::AwaitAck { until }
            | Self::Broadcast { until }
            | Self::AwaitData { until }
            | Self::SendingAck { until } => until,
        }
    }
}

/// The packet in hand.
#[derive(Clone, Debug)]
pub(super) struct Current {
    pub(super) payload: Payload,
    pub(super) header: FrameHeader,
    /// Whether this packet is sent under RTS/CTS.
    pub(super) uses_rts: bool,
    /// Whether an RTS must come before the next attempt at the data.
    pub(super) rts_due: bool,
}

/// Packets of which few stations ever have any.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// The last broadcast: its last bit reaches the neighbours after the exchange is over here.
    pub(super) broadcast: Option<Current>,
    /// A packet that was given up and not yet taken back.
    pub(super) failed: Option<Payload>,
}

/// A station. What frames for others need of it comes first, side by side: of a large network's
/// stations most only listen, and each line of memory that they touch counts.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Dcf {
    pub(super) plan: Arc<Plan>,
    pub(super) exchange: Exchange,
    pub(super) backoff: Backoff,
    /// End of the SIFS before a response, or before data that follows a CTS.
    pub(super) sifs_ends: Instant,
    pub(super) nav: Instant,
    /// When the receiver and the exchange were last both free.
    pub(super) free_since: Instant,
    pub(super) asks: Asks,
    pub(super) id: NodeId,
    /// DIFS, or EIFS after a frame that was not understood.
    pub(super) lead: Duration,
    pub(super) rts_nav: RtsNav,
    pub(super) sequence: u16,
    pub(super) receiver_busy: bool,
    /// Whether data frames for others are reported.
    pub(super) listens_to_all: bool,
    /// Whether a packet may be waiting for this one to be done.
    pub(super) has_more: bool,
    pub(super) cw: u32,
    pub(super) short_retries: u32,
    pub(super) long_retries: u32,
    /// The bits of the next draw: a station that knows them need not be woken to draw.
    pub(super) ahead: u32,
    pub(super) current: Option<Current>,
    /// A CTS or ACK that waits for SIFS or is on the air.
    pub(super) response: Option<FrameHeader>,
    /// The frame that was last put on the air.
    pub(super) on_air: Option<FrameHeader>,
    /// Last sequence number from each neighbour, for the duplicate filter: few have more than two.
    pub(super) last_sequence: SmallVec<[(NodeId, u16); 2]>,
    pub(super) draws: ThinStream,
    pub(super) counters: Counters,
    /// What few stations need, from when they do.
    pub(super) rare: Option<Box<Rare>>,
}

impl Dcf {
    /// A station that has just been switched on, of parameters that others may share. `draws` is its
    /// backoff stream.
    #[must_use]
    pub fn new(id: NodeId, plan: impl Into<Arc<Plan>>, mut draws: Stream) -> Self {
        let plan = plan.into();
        let ahead = draws.bits32();
        let (lead, cw) = (plan.timing.difs, plan.config.cw_min);
        Self {
            plan,
            exchange: Exchange::Idle,
            backoff: Backoff::None,
            sifs_ends: Instant::NEVER,
            nav: Instant::ZERO,
            free_since: Instant::ZERO,
            asks: Asks::new(),
            id,
            lead,
            rts_nav: RtsNav::NONE,
            sequence: 0,
            receiver_busy: false,
            listens_to_all: false,
            has_more: true,
            cw,
            short_retries: 0,
            long_retries: 0,
            ahead,
            current: None,
            response: None,
            on_air: None,
            last_sequence: SmallVec::new(),
            draws: draws.into(),
            counters: Counters::default(),
            rare: None,
        }
    }

    /// The MAC with which the station comes back to a medium: it has nothing in hand and contends afresh, but its
    /// numbers go on, and it remembers what it received.
    #[must_use]
    pub(crate) fn renewed(&self, draws: Stream) -> Self {
        Self {
            sequence: self.sequence,
            last_sequence: self.last_sequence.clone(),
            ..Self::new(self.id, Arc::clone(&self.plan), draws)
        }
    }

    /// Whether the station has no packet in hand.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.current.is_none()
    }

    /// Whether a packet waits for the station to be ready. If none does, it does not ask for one; a
    /// station that is told nothing always asks.
    pub fn set_has_more(&mut self, has_more: bool) {
        self.has_more = has_more;
    }

    /// The payload of the data frame with this sequence number, while the frame is on the air
    /// and until the station has sent another one.
    #[must_use]
    pub fn payload(&self, sequence: u16) -> Option<&Payload> {
        if let Some(current) = &self.current
            && current.header.sequence == sequence
        {
            return Some(&current.payload);
        }
        let broadcast = self.rare.as_ref()?.broadcast.as_ref()?;
        (broadcast.header.sequence == sequence).then_some(&broadcast.payload)
    }

    /// The room for packets that are not in the station's hand, in bytes: a broadcast that neighbours still
    /// receive, and one that was given up.
    #[must_use]
    pub fn room(&self) -> usize {
        self.rare.as_deref().map_or(0, size_of_val)
    }

    /// What somebody else counted.
    pub fn set_counters(&mut self, counters: Counters) {
        self.counters = counters;
    }

    /// What was counted so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The packet that was given up last, once.
    pub fn take_failed(&mut self) -> Option<Payload> {
        self.rare.as_mut()?.failed.take()
    }

    /// Whether [`Dcf::poll`] has something.
    #[must_use]
    pub fn asks(&self) -> bool {
        !self.asks.is_empty()
    }

    /// The next thing that the station asks for.
    pub fn poll(&mut self) -> Option<Output> {
        self.asks.pop()
    }

    /// The frame that was last to be put on the air. Panics before the first one.
    #[must_use]
    pub fn on_air(&self) -> &FrameHeader {
        self.on_air.as_ref().expect("asked for by an output")
    }

    /// When the station must be woken, if nothing else happens.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let mut wake = self.exchange.until().min(self.sifs_ends);
        wake = wake.min(self.backoff.expiry(self.plan.config.slot));
        if self.plan.plain_nav {
            // What waits for the NAV's end alone counts from there already.
            return wake;
        }
        let waits = matches!(self.backoff, Backoff::Frozen { .. })
            && !self.receiver_busy
            && self.exchange == Exchange::Idle;
        if waits {
            wake = wake.min(self.nav);
        }
        wake.min(self.rts_nav.probe_at)
    }

    /// A packet for `next_hop`, which may be the broadcast address. The station must be ready.
    pub fn on_packet(&mut self, now: Instant, payload: Payload, next_hop: NodeId) {
        debug_assert!(self.is_ready(), "{:?} has a packet already", self.id);
        let broadcast = next_hop.is_broadcast();
        let bytes = payload.bytes() + self.plan.config.rules.data_overhead;
        let uses_rts = !broadcast && self.plan.config.uses_rts(bytes);
        let duration = if broadcast {
            Duration::ZERO
        } else {
            self.duration_field(self.plan.config.sifs + self.plan.timing.ack)
        };
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: false,
            sequence: self.sequence,
            to: next_hop,
            from: self.id,
            duration,
            bytes,
            airtime: self.plan.config.data_airtime(bytes, broadcast),
        };
        self.sequence = (self.sequence + 1) % 4096;
        self.current = Some(Current {
            payload,
            header,
            uses_rts,
            rts_due: uses_rts,
        });
        let answering = self.sifs_ends != Instant::NEVER;
        if self.backoff == Backoff::None && !(self.is_idle(now) && answering) {
            self.start_contention(now);
        }
    }

    /// The time of a wake has come; without one due, nothing changes.
    pub fn on_wake(&mut self, now: Instant) {
        if self.exchange.until() <= now {
            self.exchange_timed_out(now);
        }
        if self.sifs_ends <= now {
            self.sifs_ends = Instant::NEVER;
            self.after_sifs(now);
        }
        if self.rts_nav.probe_at <= now {
            let rts_nav = std::mem::replace(&mut self.rts_nav, RtsNav::NONE);
            self.nav = rts_nav.nav_before.max(rts_nav.probe_at);
        }
        if self.backoff == Backoff::None {
            return;
        }
        if self.nav <= now {
            self.update_backoff(now);
        }
        if self.backoff.expiry(self.plan.config.slot) <= now {
            let deferred = matches!(self.backoff, Backoff::Deferring { .. });
            self.backoff = Backoff::None;
            if deferred && !self.is_idle(now) {
                self.retry_from_rts();
                self.update_backoff(now);
            } else {
                self.contention_won(now);
            }
        }
    }

    /// Whether nothing keeps the station from counting down.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        !self.receiver_busy && self.exchange == Exchange::Idle && self.nav <= now
    }

    /// What comes after an exchange, a received frame, or a response: the response that is owed,
    /// then the packet in hand, then the next packet.
    pub(super) fn resume(&mut self, now: Instant) {
        self.exchange = Exchange::Idle;
        self.free_since = now;
        if self.response.is_some() {
            self.sifs_ends = now + self.plan.config.sifs;
        } else if let Some(current) = &self.current {
            if self.backoff == Backoff::None {
                if current.uses_rts && !current.rts_due {
                    self.sifs_ends = now + self.plan.config.sifs;
                } else if matches!(self.plan.config.rules.access, Access::Deferral { .. }) {
                    self.defer(now);
                } else {
                    self.draw_backoff();
                }
            }
        } else if self.has_more {
            self.asks.push(Output::Ready);
        }
        self.update_backoff(now);
    }

    fn contention_won(&mut self, now: Instant) {
        let Some(current) = &self.current else { return };
        if current.rts_due {
            self.send_rts(now);
        } else {
            self.send_data(now);
        }
    }

    fn after_sifs(&mut self, now: Instant) {
        if self.response.is_some() {
            self.send_response(now);
        } else if self.current.is_some() {
            if self.plan.config.rules.data_needs_idle && !self.is_idle(now) {
                self.retry_from_rts();
                self.update_backoff(now);
            } else {
                self.send_data(now);
            }
        }
    }
}
