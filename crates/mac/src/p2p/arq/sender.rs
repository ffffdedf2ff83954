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
    /// Numbers of outstanding flights, ascending, of which each one's timer runs out sooner than those of
    /// all later flights: that of the first is the first of all.
    soonest: VecDeque<u64>,
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
            soonest: VecDeque::with_capacity(64),
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
        let number = self.base + self.flights.len() as u64 - 1;
        self.line_up(number);
        number
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
        self.acknowledged(now, &flight);
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
        while self.soonest.front().is_some_and(|&one| one < self.base) {
            self.soonest.pop_front();
        }
    }

    /// The time of a wake has come.
    pub(in crate::p2p) fn on_wake(&mut self, now: Instant) {
        if self.next_wake() <= now {
            self.time_out(now);
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

    /// Timers have run out.
    fn time_out(&mut self, now: Instant) {
        self.soonest.clear();
        for place in 0..self.flights.len() {
            let flight = &mut self.flights[place];
            if flight.state == State::TimedOut {
                continue;
            }
            if flight.deadline > now {
                self.line_up(self.base + place as u64);
                continue;
            }
            flight.state = State::TimedOut;
            let identity = flight.identity;
            self.again(identity, true);
        }
    }

    /// When the first timer runs out.
    pub(in crate::p2p) fn next_wake(&self) -> Instant {
        let first = self.soonest.front();
        first.map_or(Instant::NEVER, |&number| self.deadline(number))
    }

    /// Puts a flight that is later than all in [`Self::soonest`] among them.
    fn line_up(&mut self, number: u64) {
        let deadline = self.deadline(number);
        while (self.soonest.back()).is_some_and(|&earlier| self.deadline(earlier) >= deadline) {
            self.soonest.pop_back();
        }
        self.soonest.push_back(number);
    }

    fn deadline(&self, number: u64) -> Instant {
        self.flights[(number - self.base) as usize].deadline
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

#[cfg(test)]
impl ArqSender {
    /// [`Self::next_wake`] by looking at every flight.
    pub(in crate::p2p) fn first_of_all_timers(&self) -> Instant {
        let flights = self.flights.iter();
        let outstanding = flights.filter(|flight| flight.state == State::Outstanding);
        let deadlines = outstanding.map(|flight| flight.deadline);
        deadlines.min().unwrap_or(Instant::NEVER)
    }
}
