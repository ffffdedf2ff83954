//! Stations under ns-2's rules where nobody watches: a frame is folded into each listener when it is announced.
//!
//! Nothing of a frame is kept for later but what the receiver is locked on: its end, the NAV that it leaves, and
//! whether it is for the station. That is exact as long as frames are folded in the order in which they begin and
//! nobody acts between a frame's announcement and its last first bit; if somebody may, the frame waits among the
//! [`Folds::pending`] ones until its first bits come.
//!
//! Invariant: at each of its own steps a station is what [`crate::station::Station`] would be.

use crate::folded_frames::{Pending, Received};
use crate::hearers::Hearing;
use acklab_base::{Duration, Instant, NodeId, Stream, ThinStream};
use acklab_mac::dcf::{Counters, DcfConfig};
use acklab_trace::{Digest, FramesSent};
use acklab_wire::{FrameHeader, FrameKind, Payload};
use smallvec::SmallVec;

/// What a station is in the middle of; from `AwaitsCts` on it waits for `exchange_until`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Mode {
    Idle,
    Contends,
    Answers,
    AwaitsCts,
    AwaitsAck,
    AwaitsData,
    Broadcasts,
}

/// Intervals and limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) slot: Duration,
    pub(crate) sifs: Duration,
    pub(crate) difs: Duration,
    pub(crate) eifs: Duration,
    pub(crate) rts: Duration,
    pub(crate) cts: Duration,
    pub(crate) ack: Duration,
    pub(crate) slack: Duration,
    pub(crate) short_limit: u32,
    pub(crate) long_limit: u32,
    pub(crate) cw_min: u32,
    pub(crate) cw_max: u32,
    /// The Duration field of a unicast data frame.
    pub(crate) data_duration: Duration,
    /// The longest propagation delay.
    pub(crate) farthest: Duration,
    /// 2⁶⁴ / `slot`, rounded up: multiplying by it divides.
    per_slot: u64,
}

/// What all folded stations share.
#[derive(Debug)]
pub(crate) struct Folds {
    pub(crate) stations: Vec<Folded>,
    pub(crate) hearing: Hearing,
    pub(crate) times: Times,
    pub(crate) config: DcfConfig,
    pub(crate) pending: Vec<Pending>,
    /// Airtimes of unicast frames of two lengths, the last one first: most are data or ACKs of TCP.
    pub(crate) airtimes: [(u32, Duration); 2],
}

impl Folds {
    /// Stations at the most. Among more, somebody acts within a propagation delay of most frames.
    pub(crate) const MOST: usize = 100;

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        !self.stations.is_empty()
    }

    /// Airtime of a unicast data frame.
    #[inline(always)]
    pub(crate) fn data_airtime(&mut self, bytes: u32) -> Duration {
        let [last, other] = self.airtimes;
        if last.0 != bytes {
            let known = (other.0 == bytes).then_some(other);
            let airtime = || self.config.data_airtime(bytes, false);
            self.airtimes = [known.unwrap_or_else(|| (bytes, airtime())), last];
        }
        self.airtimes[0].1
    }
}

/// The packet in hand.
#[derive(Debug)]
pub(crate) struct InHand {
    pub(crate) payload: Payload,
    pub(crate) header: FrameHeader,
    pub(crate) at_once: bool,
}

/// The frame that a receiver is or was locked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    /// The NAV that it leaves.
    pub(crate) nav: Instant,
    pub(crate) from: NodeId,
    pub(crate) delay_ns: u16,
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            start: Instant::ZERO,
            end: Instant::ZERO,
            nav: Instant::ZERO,
            from: NodeId(0),
            delay_ns: 0,
        }
    }
}

/// A station. What frames for others need of it comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Folded {
    /// When something is due without an agenda's wake: the end of a frame for the station, or of a wait.
    pub(crate) due: Instant,
    pub(crate) sends_until: Instant,
    pub(crate) lock: Lock,
    /// The NAV without it.
    pub(crate) nav: Instant,
    /// When slots count from, while a backoff is pending.
    pub(crate) counting: Instant,
    // Second line.
    pub(crate) slots: u32,
    pub(crate) mode: Mode,
    pub(crate) backoff: bool,
    /// Whether a good frame for the station is locked.
    pub(crate) receives: bool,
    /// How long the receiver was locked on frames, up to the end of the one that it is locked on now.
    pub(crate) busy: Duration,
    pub(crate) exchange_until: Instant,
    pub(crate) at_once: bool,
    /// Whose frame, and which one, is handed up when its ACK is sent.
    pub(crate) handed: Option<(NodeId, u16)>,
    /// Which lock, by its start, the receiver was not busy with from there to its end, and for how long it was.
    pub(crate) odd_lock: (Instant, Duration),
    pub(crate) sifs_ends: Instant,
    pub(crate) answer: FrameKind,
    pub(crate) answer_to: NodeId,
    pub(crate) answer_duration: Duration,
    pub(crate) cw: u32,
    pub(crate) short_retries: u32,
    pub(crate) long_retries: u32,
    pub(crate) ahead: u32,
    pub(crate) sequence: u16,
    pub(crate) received: Received,
    pub(crate) in_hand: Option<InHand>,
    pub(crate) broadcast: Option<Box<InHand>>,
    pub(crate) last_sequence: SmallVec<[(NodeId, u16); 4]>,
    pub(crate) draws: ThinStream,
    pub(crate) digest: Digest,
    pub(crate) sent: FramesSent,
    pub(crate) counters: Counters,
}

impl Times {
    pub(crate) fn new(config: &DcfConfig, farthest: Duration) -> Self {
        let timing = config.timing();
        let limit = |limit: Option<u32>| limit.unwrap_or(u32::MAX);
        Self {
            slot: config.slot,
            sifs: config.sifs,
            difs: timing.difs,
            eifs: timing.eifs,
            rts: timing.rts,
            cts: timing.cts,
            ack: timing.ack,
            slack: config.rules.response_slack,
            short_limit: limit(config.short_retry_limit),
            long_limit: limit(config.long_retry_limit),
            cw_min: config.cw_min,
            cw_max: config.cw_max,
            data_duration: whole_micros(config.sifs + timing.ack),
            farthest,
            per_slot: (u64::MAX / config.slot.as_nanos().max(1)).saturating_add(1),
        }
    }

    /// Whether [`Times::slots_in`] is exact for all backoffs.
    pub(crate) fn divides(config: &DcfConfig) -> bool {
        let slot = u128::from(config.slot.as_nanos());
        slot > 1 && u128::from(config.cw_max) * slot * slot < 1 << 63
    }

    /// Whole slots in a time that is no longer than a backoff.
    #[inline(always)]
    pub(crate) fn slots_in(&self, time: Duration) -> u32 {
        ((u128::from(time.as_nanos()) * u128::from(self.per_slot)) >> 64) as u32
    }
}

impl Folded {
    pub(crate) fn new(mut draws: Stream, times: &Times) -> Self {
        let ahead = draws.bits32();
        Self {
            due: Instant::NEVER,
            sends_until: Instant::ZERO,
            lock: Lock::default(),
            nav: Instant::ZERO,
            counting: Instant::ZERO + times.difs,
            slots: 0,
            mode: Mode::Idle,
            backoff: false,
            receives: false,
            busy: Duration::ZERO,
            exchange_until: Instant::ZERO,
            at_once: false,
            handed: None,
            odd_lock: (Instant::ZERO, Duration::ZERO),
            sifs_ends: Instant::ZERO,
            answer: FrameKind::Rts,
            answer_to: NodeId(0),
            answer_duration: Duration::ZERO,
            cw: times.cw_min,
            short_retries: 0,
            long_retries: 0,
            ahead,
            sequence: 0,
            received: Received::default(),
            in_hand: None,
            broadcast: None,
            last_sequence: SmallVec::new(),
            draws: draws.into(),
            digest: Digest::default(),
            sent: FramesSent::default(),
            counters: Counters::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn waits(&self) -> bool {
        self.mode >= Mode::AwaitsCts
    }

    #[inline(always)]
    pub(crate) fn nav_until(&self) -> Instant {
        self.nav.max(self.lock.nav)
    }

    #[inline(always)]
    pub(crate) fn is_idle(&self, at: Instant) -> bool {
        self.lock.end <= at && self.nav_until() <= at
    }

    /// How long the receiver is busy with the frame that it is locked on, and with those that this one was lost with.
    #[inline]
    pub(crate) fn busy_now(&self) -> Duration {
        let (odd, busy) = self.odd_lock;
        if odd == self.lock.start {
            busy
        } else {
            self.lock.end - self.lock.start
        }
    }

    /// Slots count from when all that is known is over.
    #[inline(always)]
    pub(crate) fn recount(&mut self, times: &Times) {
        let free = self.exchange_until.max(self.lock.end).max(self.nav_until());
        self.counting = free.after(times.difs);
    }

    /// The same when what is new is that the medium is busy until then, and that is later than before.
    #[inline(always)]
    pub(crate) fn count_behind(&mut self, free: Instant, times: &Times) {
        self.counting = self.counting.max(free.after(times.difs));
    }

    #[inline(always)]
    pub(crate) fn turn(&self, times: &Times) -> Instant {
        self.counting.after(times.slot * u64::from(self.slots))
    }

    #[inline(always)]
    pub(crate) fn set_due(&mut self) {
        self.due = if self.waits() {
            self.exchange_until
        } else {
            Instant::NEVER
        };
    }

    #[inline]
    pub(crate) fn draw(&mut self) {
        self.slots = Stream::scaled(self.ahead, self.cw.max(1));
        self.backoff = true;
        self.ahead = self.draws.bits32();
    }

    /// The broadcast is out; its last bit reaches others after it is over here.
    pub(crate) fn set_broadcast_aside(&mut self) {
        match (&mut self.broadcast, self.in_hand.take()) {
            (Some(room), Some(done)) => **room = done,
            (room, done) => *room = done.map(Box::new),
        }
    }

    pub(crate) fn doubled_cw(&self, times: &Times) -> u32 {
        (2 * self.cw + 1).min(times.cw_max)
    }

    pub(crate) fn double_cw(&mut self, times: &Times) {
        self.cw = self.doubled_cw(times);
    }

    pub(crate) fn payload(&self, sequence: u16) -> Option<&Payload> {
        let is_it = |one: &&InHand| one.header.sequence == sequence;
        let in_hand = self.in_hand.as_ref().filter(is_it);
        let one = in_hand.or_else(|| self.broadcast.as_deref().filter(is_it))?;
        Some(&one.payload)
    }

    /// Whether the received frame is a new one (clause 9.2.9).
    pub(crate) fn is_new(&mut self) -> bool {
        let Received {
            sequence, retry, ..
        } = self.received;
        let from = self.lock.from;
        let mut all = self.last_sequence.iter_mut();
        let Some((_, known)) = all.find(|known| known.0 == from) else {
            self.last_sequence.push((from, sequence));
            return true;
        };
        let is_last = std::mem::replace(known, sequence) == sequence;
        !(is_last && retry)
    }
}

/// To the nearest, as ns-2 rounds.
pub(crate) fn whole_micros(interval: Duration) -> Duration {
    Duration::from_micros(interval.round_to_micros())
}
