//! When a station must be woken next, and what frames do to that time.
//!
//! Invariant: the time is never later than the station's next transmission, its next delivery of a
//! payload, or the next packet that it gives up.

use crate::ear::{Ear, Wake};
use crate::station::Station;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::Dcf;
use acklab_mac::dcf::Act;
use acklab_radio::{Arrival, Settle};
use acklab_wire::FrameKind;

impl Station {
    /// When the station must be settled at the latest, and what a frame does to that time. Frames
    /// that have begun must be settled. `answer_slack` is how late after its end a frame for this
    /// node may be settled.
    pub(crate) fn next_wake(
        &self,
        ear: &Ear,
        slot: Duration,
        answer_slack: Duration,
    ) -> (Instant, Wake) {
        if self.receiver.is_quiet() && ear.waiting().is_empty() {
            self.wake_in(&View::QUIET, slot)
        } else {
            self.wake_among_frames(ear, slot, answer_slack)
        }
    }

    /// The same where something is in the air. By itself, so that what is worked out for a quiet
    /// medium is short.
    #[inline(never)]
    fn wake_among_frames(
        &self,
        ear: &Ear,
        slot: Duration,
        answer_slack: Duration,
    ) -> (Instant, Wake) {
        self.wake_in(&self.look_around(ear, answer_slack), slot)
    }

    #[inline(always)]
    fn wake_in(&self, view: &View, slot: Duration) -> (Instant, Wake) {
        let act = self.dcf.next_act(view.busy, view.answer);
        let at = act.at(slot);
        let wake = match act {
            Act::Turn(_) if self.may_turn_sooner() => Wake::Watch(Instant::NEVER),
            // A turn that is put off must not come behind what is to be known by then.
            _ if view.settle_by < Instant::NEVER => Wake::Stays,
            Act::Turn(turn) => Wake::Turn(turn),
            Act::At(_) => Wake::Stays,
        };
        (at.min(view.settle_by), wake)
    }

    /// The last arrival is the awaited ACK. If nothing that is known of can spoil it: the station's
    /// next packet has its turn after it, if it `has_more`; else the station sleeps on, unless a
    /// frame begins before the ACK ends. No time is later than that of [`Station::next_wake`].
    pub(crate) fn wake_after_ack(
        &self,
        ear: &Ear,
        has_more: bool,
        slot: Duration,
    ) -> Option<(Instant, Wake)> {
        let (ack, before) = ear.waiting().split_last()?;
        let gone = |one: &Arrival| !one.settle.is_awaited() && one.end() <= ack.start;
        if !self.receiver.is_quiet() || !before.iter().all(gone) {
            return None;
        }
        if !has_more {
            return Some((Instant::NEVER, Wake::Watch(ack.end())));
        }
        if self.may_turn_sooner() {
            return None;
        }
        let turn = self.dcf.turn_after_ack(ack.end());
        Some((turn.at(slot), Wake::Turn(turn)))
    }

    /// Whether a frame may bring the station's turn forward, or frames of which it knows leave it slots to
    /// count that [`View`] does not see.
    fn may_turn_sooner(&self) -> bool {
        self.receiver.may_free_early() || self.dcf.waits_for_eifs() || self.dcf.notices_late()
    }

    /// What the frames around the station say of what it will do.
    fn look_around(&self, ear: &Ear, answer_slack: Duration) -> View {
        let mut view = View {
            deadline: self.dcf.answer_deadline(),
            shortest: self.receiver.may_free_early() || self.dcf.notices_late(),
            answer_slack,
            ..View::QUIET
        };
        if let Some((arrival, good)) = self.receiver.locked() {
            view.add(&self.dcf, arrival, good);
            // A backoff that still runs although the medium is busy can no longer be stopped.
            view.busy.0 = Instant::NEVER;
        } else if !self.receiver.is_quiet() {
            view.busy.1 = self.receiver.next_end();
        }
        for arrival in ear.waiting() {
            view.add(&self.dcf, arrival, true);
        }
        view
    }
}

impl World {
    /// The ACK that ends at `end` is for this node: mostly it can wait until the node's next turn,
    /// which is that of the packet in hand, sent again, if there is no other one.
    pub(crate) fn acknowledged(&mut self, node: NodeId, end: Instant) {
        let place = self.seats.of(node);
        let dcf = &self.stations[place].dcf;
        let answers = end <= dcf.answer_deadline() && dcf.awaits_ack() && dcf.may_retry();
        if answers && !dcf.owes_answer() {
            return self.acknowledged_in_time(node);
        }
        self.ears[place].forget_turn();
        let by = settle_by(end, Settle::BeforeAnAnswer, self.shared.answer_slack);
        self.agenda.set_no_later(Self::station_slot(node), by);
    }

    /// The station is still waiting for the ACK when that ends.
    fn acknowledged_in_time(&mut self, node: NodeId) {
        let place = self.seats.of(node);
        let has_more = !self.stacks[place].queue.is_empty();
        let slot = self.shared.pace.slot;
        let (station, ear) = (&self.stations[place], &mut self.ears[place]);
        match station.wake_after_ack(ear, has_more, slot) {
            Some((at, wake)) if !self.eager => {
                ear.set_wake(wake, slot);
                self.agenda.set(Self::station_slot(node), at);
            }
            _ if has_more || self.eager => {
                self.settle_before(node, self.now);
                self.reschedule_station(node);
            }
            _ => {}
        }
    }
}

/// When a frame that ends at `end` must be settled at the latest.
#[inline]
pub(crate) fn settle_by(end: Instant, settle: Settle, answer_slack: Duration) -> Instant {
    match settle {
        Settle::AnyTime | Settle::Noted => Instant::NEVER,
        Settle::BeforeAnAnswer => end.after(answer_slack),
        Settle::AtOnce => end,
    }
}

/// What is known of the air around a station.
struct View {
    settle_by: Instant,
    busy: (Instant, Instant),
    /// The end of a frame that may be the awaited answer.
    answer: Instant,
    deadline: Instant,
    /// The medium is only known to be busy until the first of the frames ends.
    shortest: bool,
    answer_slack: Duration,
}

impl View {
    /// Nothing is in the air.
    const QUIET: Self = Self {
        settle_by: Instant::NEVER,
        busy: (Instant::NEVER, Instant::ZERO),
        answer: Instant::NEVER,
        deadline: Instant::ZERO,
        shortest: false,
        answer_slack: Duration::ZERO,
    };

    fn add(&mut self, dcf: &Dcf, arrival: &Arrival, good: bool) {
        let end = arrival.end();
        if good && arrival.settle.is_awaited() {
            let answers = end <= self.deadline;
            if answers {
                self.answer = self.answer.min(end);
            }
            // An ACK makes the station draw and take its next packet, which nobody else notices;
            // without it the packet may be given up, which routing does.
            let can_wait = answers && arrival.kind() == FrameKind::Ack && dcf.may_retry();
            if !can_wait {
                let by = settle_by(end, arrival.settle, self.answer_slack);
                self.settle_by = self.settle_by.min(by);
            }
        }
        let first = self.busy.1 == Instant::ZERO;
        // From so far away that the medium is free in between: the station may have its turn there.
        if !first && arrival.start > self.busy.1 {
            return;
        }
        self.busy.0 = self.busy.0.min(arrival.start);
        self.busy.1 = if self.shortest {
            if first { end } else { self.busy.1.min(end) }
        } else {
            let silence = if arrival.to() == dcf.id() {
                Duration::ZERO
            } else {
                dcf.silence_after(arrival.to(), arrival.duration())[usize::from(arrival.decodable)]
            };
            self.busy.1.max(end + silence)
        };
    }
}
