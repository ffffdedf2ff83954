//! One connection as Snoop sees it: the cache, what was acknowledged last, the local timer.

use super::round_trip::RoundTrip;
use super::{Restarts, SnoopConfig};
use crate::Verdict;
use crate::held::{Held, MARK, NUMBER, TIME};
use acklab_base::{Instant, Seq32};
use acklab_wire::{Packet, Segment};
use std::collections::VecDeque;

/// A packet on its way to the wireless host.
#[derive(Clone, Debug)]
struct Cached {
    seq: Seq32,
    end: Seq32,
    packet: Packet,
    forwarded: Instant,
    /// How often Snoop sent it again since the sender did so last.
    repeats: u32,
    /// A duplicate ACK for it was answered.
    answered: bool,
    /// It came as a retransmission of the sender: duplicate ACKs for it pass.
    flagged: bool,
}

impl Cached {
    /// It is sent again.
    fn again(&mut self, now: Instant) -> Packet {
        self.repeats += 1;
        self.forwarded = now;
        self.packet.clone()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Connection {
    config: SnoopConfig,
    /// Ascending.
    cache: VecDeque<Cached>,
    /// The highest ACK of the wireless host.
    acked: Option<Seq32>,
    /// The window of its last ACK, in bytes.
    window: Option<u32>,
    /// The end of the highest data seen.
    highest: Option<Seq32>,
    round_trip: RoundTrip,
    /// When the local timer runs out.
    timer: Instant,
    /// Duplicate ACKs that passed since one was acted upon.
    passed: u32,
    /// Duplicate ACKs that are still to come for the hole, if they are counted.
    expected: u32,
}

impl Connection {
    pub(super) fn new(config: SnoopConfig) -> Self {
        Self {
            config,
            cache: VecDeque::with_capacity(config.cache),
            acked: None,
            window: None,
            highest: None,
            round_trip: RoundTrip::new(config.rules.timing),
            timer: Instant::NEVER,
            passed: 0,
            expected: 0,
        }
    }

    pub(super) fn cached(&self) -> usize {
        self.cache.len()
    }

    /// Five numbers, the timer and two means; of each packet its payload, two numbers, a time and
    /// three marks.
    pub(super) fn held(&self) -> Held {
        let payload = |cached: &Cached| u64::from(cached.end.since(cached.seq));
        Held {
            data: self.cache.iter().map(payload).sum(),
            notes: 5 * NUMBER + 3 * TIME + self.cache.len() as u64 * (2 * NUMBER + TIME + 3 * MARK),
        }
    }

    pub(super) const fn next_wake(&self) -> Instant {
        self.timer
    }

    /// A SYN goes towards the wireless host: a connection begins, of which nothing is known yet but
    /// that its data begins behind the SYN.
    pub(super) fn on_syn(&mut self, segment: &Segment) {
        *self = Self {
            acked: Some(segment.end()),
            ..Self::new(self.config)
        };
    }

    /// Data goes towards the wireless host.
    pub(super) fn on_data(&mut self, now: Instant, packet: &Packet, segment: &Segment) {
        let (seq, end) = (segment.seq, segment.end());
        let acked = *self.acked.get_or_insert(seq);
        let is_new = self.highest.is_none_or(|highest| highest.before(end));
        if is_new {
            self.highest = Some(end);
        }
        if !acked.before(end) {
            return;
        }
        let place = self.cache.partition_point(|cached| cached.seq.before(seq));
        let known = self
            .cache
            .get(place)
            .is_some_and(|cached| cached.seq == seq);
        if known {
            let cached = &mut self.cache[place];
            cached.flagged = true;
            cached.answered = false;
            cached.repeats = 0;
            cached.forwarded = now;
        } else if self.cache.len() < self.config.cache {
            let cached = Cached {
                seq,
                end,
                packet: packet.clone(),
                forwarded: now,
                repeats: 0,
                answered: false,
                flagged: !is_new,
            };
            self.cache.insert(place, cached);
        }
        let restarts = match self.config.rules.restarts {
            Restarts::First => seq == acked,
            Restarts::Any => true,
        };
        if !is_new && restarts || (self.timer == Instant::NEVER && !self.cache.is_empty()) {
            self.start_timer(now);
        }
    }

    /// The wireless host acknowledges: what becomes of the ACK, and what is to be sent again.
    pub(super) fn on_ack(&mut self, now: Instant, segment: &Segment) -> (Verdict, Option<Packet>) {
        let ack = segment.ack;
        let window = self.window.replace(segment.window);
        let Some(acked) = self.acked else {
            self.acked = Some(ack);
            return (Verdict::Pass, None);
        };
        // RFC 5681 §2 (e): an ACK that changes the window is no duplicate.
        let changes = window.is_some_and(|window| window != segment.window);
        if ack == acked && !changes {
            self.on_duplicate(now)
        } else {
            if acked.before(ack) {
                self.on_new(now, ack);
            }
            (Verdict::Pass, None)
        }
    }

    /// The local timer may have run out: what is to be sent again.
    pub(super) fn on_wake(&mut self, now: Instant) -> Option<Packet> {
        if self.timer > now {
            return None;
        }
        self.timer = Instant::NEVER;
        let (acked, tries) = (self.acked, self.config.rules.tries);
        let first = self
            .cache
            .front_mut()
            .filter(|first| acked == Some(first.seq));
        let is_over = |first: &Cached| tries.is_some_and(|tries| first.repeats >= tries);
        if first.as_deref().is_some_and(is_over) {
            return None;
        }
        let packet = first.map(|first| first.again(now));
        if !self.cache.is_empty() {
            self.start_timer(now);
        }
        packet
    }

    fn on_new(&mut self, now: Instant, ack: Seq32) {
        self.acked = Some(ack);
        self.expected = 0;
        let mut newest = None;
        while self
            .cache
            .front()
            .is_some_and(|first| !ack.before(first.end))
        {
            newest = self.cache.pop_front();
        }
        if let Some(newest) = newest
            && (self.config.rules.samples_all || newest.repeats == 0 && !newest.flagged)
        {
            self.round_trip.add(now.saturating_since(newest.forwarded));
        }
        if self.cache.is_empty() {
            self.timer = Instant::NEVER;
        } else {
            self.start_timer(now);
        }
    }

    fn on_duplicate(&mut self, now: Instant) -> (Verdict, Option<Packet>) {
        let pass = (Verdict::Pass, None);
        let rules = self.config.rules;
        let kept = self.cache.len() as u32;
        let acked = self.acked;
        let Some(first) = self
            .cache
            .front_mut()
            .filter(|first| acked == Some(first.seq))
        else {
            return pass;
        };
        if rules.counts_expected && self.expected > 0 {
            self.expected -= 1;
            return (Verdict::Suppress, None);
        }
        if self.passed < rules.passes {
            self.passed += 1;
            return pass;
        }
        self.passed = 0;
        if first.flagged {
            return pass;
        }
        if rules.counts_expected {
            // ns-2 counts the packet asked for too.
            self.expected = kept.saturating_sub(rules.passes + 1);
            if first.repeats > 0 {
                return pass;
            }
        } else if first.answered {
            return (Verdict::Suppress, None);
        }
        first.answered = true;
        let packet = first.again(now);
        self.start_timer(now);
        (Verdict::Suppress, Some(packet))
    }

    fn start_timer(&mut self, now: Instant) {
        let bound = self.round_trip.bound();
        self.timer = now + bound.max(self.config.min_timer);
    }
}
