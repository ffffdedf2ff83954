//! The sending half: what was sent and not yet acknowledged, and what must be sent again.
//!
//! Invariant: a packet that is held is in the channel or in the retransmission queue, exactly
//! once in either; or its timed-out transmission may still be acknowledged beside that.

use super::ArqConfig;
use acklab_base::{Duration, Instant, Smoothed};
use acklab_wire::Packet;
use std::collections::VecDeque;

/// Timed-out transmissions that are remembered for a late ACK, at the most.
const REMEMBERED: usize = 1024;

/// What is known of one transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// On its way, or its ACK is.
    Outstanding,
    /// Its timer ran out: the packet was queued again, but an ACK may still come.
    TimedOut,
    /// Acknowledged, or lost for certain.
    Done,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    identity: u64,
    /// When its last bit left.
    ended: Instant,
    /// When its timer runs out.
    deadline: Instant,
    state: State,
}

/// A packet that is not acknowledged.
#[derive(Clone, Debug)]
struct Held {
    identity: u64,
    packet: Packet,
    tries: u32,
    /// When the last bit of its first transmission left.
    first_ended: Instant,
}

/// What the sender decided about packets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::p2p) enum Verdict {
    /// This packet must be sent again.
    Repeat {
        identity: u64,
        /// Whether its timer said so, not the ACK of a later frame.
        by_timer: bool,
    },
    /// This packet was tried often enough.
    GivenUp(Packet),
    /// A packet that had to be sent again was acknowledged, so long after its first transmission.
    Recovered(Duration),
}

/// The sending half of one end.
#[derive(Clone, Debug)]
pub(in crate::p2p) struct ArqSender {
    config: ArqConfig,
    next_identity: u64,
    /// The number of the first flight.
    base: u64,
    flights: VecDeque<Flight>,
    held: VecDeque<Held>,
    timing: Smoothed,
    pub(in crate::p2p) verdicts: VecDeque<Verdict>,
}

impl ArqSender {
    pub(in crate::p2p) fn new(config: ArqConfig) -> Self {
        Self {
            config,
            next_identity: 0,
            base: 0,
            flights: VecDeque::with_capacity(64),
            held: VecDeque::with_capacity(64),
            timing: Smoothed::default(),
            verdicts: VecDeque::with_capacity(8),
        }
    }

    /// A new packet goes into service: its identity.
    pub(in crate::p2p) fn admit(&mut self, packet: Packet) -> u64 {
        let identity = self.next_identity;
        self.next_identity += 1;
        self.held.push_back(Held {
            identity,
            packet,
            tries: 0,
            first_ended: Instant::ZERO,
        });
        identity
    }

    /// The packet of this identity, if it is still to be sent.
    pub(in crate::p2p) fn packet(&self, identity: u64) -> Option<&Packet> {
        let place = self.place(identity)?;
        Some(&self.held[place].packet)
    }

    /// The oldest identity that may still be sent.
    pub(in crate::p2p) fn oldest(&self) -> u64 {
        self.held
            .front()
            .map_or(self.next_identity, |held| held.identity)
    }

    /// A transmission of a held packet ends at `end`: its link number.
    pub(in crate::p2p) fn sent(&mut self, identity: u64, end: Instant) -> u64 {
        if let Some(place) = self.place(identity) {
            let held = &mut self.held[place];
            held.tries += 1;
            if held.tries == 1 {
                held.first_ended = end;
            }
        }
        self.flights.push_back(Flight {
            identity,
            ended: end,
            deadline: end + self.timer(),
            state: State::Outstanding,
        });
        self.base + self.flights.len() as u64 - 1
    }

    /// The link ACK of transmission `number` arrives.
    pub(in crate::p2p) fn on_ack(&mut self, now: Instant, number: u64) {
        let Some(place) = number.checked_sub(self.base) else {
            return;
        };
        let place = place as usize;
        if place >= self.flights.len() {
            return;
        }
        let flight = self.flights[place];
        if flight.state != State::Done {
            self.acknowledged(now, &flight);
        }
        for _ in 0..place {
            let Some(earlier) = self.flights.pop_front() else {
                break;
            };
            self.base += 1;
            if earlier.state == State::Outstanding {
                self.again(earlier.identity, false);
            }
        }
        self.flights.pop_front();
        self.base += 1;
    }

    /// The time of a wake has come.
    pub(in crate::p2p) fn on_wake(&mut self, now: Instant) {
        for place in 0..self.flights.len() {
            let flight = &mut self.flights[place];
            if flight.state == State::Outstanding && flight.deadline <= now {
                flight.state = State::TimedOut;
                let identity = flight.identity;
                self.again(identity, true);
            }
        }
        while self.flights.len() > REMEMBERED
            && self
                .flights
                .front()
                .is_some_and(|f| f.state != State::Outstanding)
        {
            self.flights.pop_front();
            self.base += 1;
        }
    }

    /// When the first timer runs out.
    pub(in crate::p2p) fn next_wake(&self) -> Instant {
        let outstanding = self
            .flights
            .iter()
            .filter(|f| f.state == State::Outstanding);
        outstanding
            .map(|flight| flight.deadline)
            .min()
            .unwrap_or(Instant::NEVER)
    }

    /// Time from the end of a transmission to its ACK that the timer allows.
    fn timer(&self) -> Duration {
        let bound = self.timing.bound().unwrap_or(Duration::ZERO);
        bound.max(self.config.min_timer)
    }

    fn acknowledged(&mut self, now: Instant, flight: &Flight) {
        let Some(place) = self.place(flight.identity) else {
            return;
        };
        let Some(held) = self.held.remove(place) else {
            return;
        };
        if held.tries == 1 {
            self.timing.add(now.saturating_since(flight.ended));
        } else {
            let after = now.saturating_since(held.first_ended);
            self.verdicts.push_back(Verdict::Recovered(after));
        }
    }

    /// A transmission was lost: its packet is sent again, or given up.
    fn again(&mut self, identity: u64, by_timer: bool) {
        let Some(place) = self.place(identity) else {
            return;
        };
        if self
            .config
            .tries
            .is_some_and(|limit| self.held[place].tries >= limit)
        {
            if let Some(held) = self.held.remove(place) {
                self.verdicts.push_back(Verdict::GivenUp(held.packet));
            }
        } else {
            self.verdicts
                .push_back(Verdict::Repeat { identity, by_timer });
        }
    }

    fn place(&self, identity: u64) -> Option<usize> {
        self.held
            .binary_search_by_key(&identity, |held| held.identity)
            .ok()
    }
}
