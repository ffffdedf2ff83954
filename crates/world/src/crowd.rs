//! The stations that only listen, where there are many of them.
//!
//! While a station is one of them, its MAC stays as it was when it had its last part in something (or is not
//! there at all: [`crate::seats`]), and what its receiver and its [`Ear`] held is followed here; all are brought up to
//! date when it gets a part again. Only the digest of one that is there goes on: a copy of a flood that its
//! router knows is noted in it ([`Settle::Noted`]).
//! Invariants: they are then what they would be if they had heard it all themselves; and of frames that
//! overlap here, more than one only if the first began before now.

use crate::RunOptions;
use crate::bystander::{Bystander, Surroundings};
use crate::convert;
use crate::ear::{Ear, Wake};
use crate::seats::Seats;
use crate::station::Station;
use crate::telling::{Announced, Telling};
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::dcf::Hush;
use acklab_radio::{Arrival, Audible, Episode, Reach, Settle, Strengths};
use acklab_scenario::Resolved;
use acklab_wire::Payload;
use std::ops::Range;

/// Those of all stations that only listen.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// One for each station; none if nobody stands by.
    bystanders: Vec<Bystander>,
    /// Frames that overlap at each of them.
    overlaps: Vec<Option<Episode>>,
    /// Ears' room for frames that no station needs now.
    rooms: Vec<Vec<Arrival>>,
    /// Room to sort the listeners of a frame.
    sorted: Vec<Audible>,
    /// Who of those knows already what the frame says, if it is for all.
    known: Vec<bool>,
    hush: Hush,
}

impl Crowd {
    /// Listeners of a frame from which on it is worth while to tell those apart that only listen.
    const LEAST: usize = 20;

    /// Stations from which on those that hear a frame are far away in memory, mostly.
    const OUT_OF_CACHE: usize = 2_000;

    /// Where nobody stands by.
    pub(crate) const fn none(hush: Hush) -> Self {
        Self {
            bystanders: Vec::new(),
            overlaps: Vec::new(),
            rooms: Vec::new(),
            sorted: Vec::new(),
            known: Vec::new(),
            hush,
        }
    }

    /// The stations that only listen, all of them `new`: none where few hear a frame, or where somebody asks
    /// what each frame was to everyone.
    pub(crate) fn gather(
        resolved: &Resolved,
        reach: &Reach,
        new: &Station,
        options: &RunOptions,
    ) -> Self {
        let hush = new.dcf.hush();
        let is_asked = options.records() || options.eager;
        // Slots take no notice of stations.
        if is_asked
            || resolved.slotted.is_some()
            || reach.pairs() < Self::LEAST * reach.nodes()
            || reach.nodes() == 0
            || !convert::reception(resolved).follows_locks()
        {
            return Self::none(hush);
        }
        // None if the rules have stations remember more.
        let Some(memory) = new.dcf.listening() else {
            return Self::none(hush);
        };
        let (nodes, longest) = (reach.nodes(), reach.longest_row());
        Self {
            bystanders: (0..nodes).map(|_| Bystander::new(memory)).collect(),
            overlaps: vec![None; nodes],
            sorted: vec![Audible::NOBODY; longest],
            known: vec![false; longest],
            ..Self::none(hush)
        }
    }

    /// Whether stations stand by here.
    pub(crate) const fn gathers(&self) -> bool {
        !self.bystanders.is_empty()
    }

    /// A station's receiver was busy for so long before it only listened.
    pub(crate) fn add_receiving(&mut self, node: NodeId, busy: Duration) {
        self.bystanders[node.index()].add_receiving(busy);
    }

    /// For how long a station's receiver was busy since it only listens, as far as that is taken in; in all, if
    /// it has no place.
    pub(crate) fn receiving(&self, node: NodeId) -> Duration {
        let bystander = self.bystanders.get(node.index());
        bystander.map_or(Duration::ZERO, Bystander::receiving)
    }

    /// The room for frames that no ear needs now, in bytes.
    pub(crate) fn room(&self) -> usize {
        let room = |room: &Vec<Arrival>| room.capacity() * size_of::<Arrival>();
        self.rooms.iter().map(room).sum()
    }

    /// Whether a station only listens.
    #[inline]
    pub(crate) fn has(&self, node: NodeId) -> bool {
        (self.bystanders.get(node.index())).is_some_and(Bystander::listens)
    }

    /// A station has a part in something `now`: it takes over what it has heard.
    #[inline(never)]
    fn left_by(&mut self, node: NodeId, station: &mut Station, ear: &mut Ear, now: Instant) {
        ear.take_room(self.rooms.pop().unwrap_or_default());
        let takeover = self.bystanders[node.index()].leaves(now, &self.hush);
        station.receiving.add(takeover.receiving);
        station.dcf.set_listening(takeover.memory);
        match self.overlaps[node.index()].take() {
            Some(episode) if episode.start() < now => station.takes_over(&episode),
            // Nothing has begun.
            Some(episode) => ear.add_quietly(*episode.locked()),
            None => {}
        }
        if let Some(last) = takeover.last {
            ear.add_quietly(last);
        }
    }

    /// Looks at all of these, where there are so many stations that these are far away in memory, and does nothing
    /// else in between: so all are on their way from there at once.
    #[inline(never)]
    fn look_at(&self, listeners: &[Audible]) {
        if self.bystanders.len() < Self::OUT_OF_CACHE {
            return;
        }
        let receiving = |one: &Audible| self.bystanders[one.node.index()].receiving();
        let longest = (listeners.iter().map(receiving)).fold(Duration::ZERO, Duration::max);
        std::hint::black_box(longest);
    }

    /// Sorts the listeners of a frame: first come those at whom it only passes, and from the end on the
    /// others, in their order. Returns how many the first are, and where the others begin. Who is what
    /// cannot be predicted, so that it takes no branch; and what is far away in memory comes for all
    /// at the same time.
    #[inline(always)]
    fn sort(&mut self, listeners: &[Audible], frame: &Announced) -> (usize, usize) {
        let now = frame.arrival.start;
        let (mut calm, mut others) = (0, self.sorted.len());
        for listener in listeners {
            let bystander = &self.bystanders[listener.node.index()];
            let passes = bystander.is_free(now) & !frame.is_wanted_by(listener);
            let place = if passes { calm } else { others - 1 };
            self.sorted[place] = *listener;
            calm += usize::from(passes);
            others -= usize::from(!passes);
        }
        (calm, others)
    }
}

/// The world around a station that only listens.
struct Around<'a> {
    reach: &'a Reach,
    strengths: &'a mut Strengths,
    node: NodeId,
    stations: &'a mut [Station],
    seats: &'a Seats,
}

impl Around<'_> {
    fn station(&mut self) -> &mut Station {
        &mut self.stations[self.seats.of(self.node)]
    }
}

impl Surroundings for Around<'_> {
    #[inline(always)]
    fn outlasts(&mut self, one: &Arrival, other: &Arrival) -> bool {
        self.strengths.outlasts(self.reach, one, other, self.node)
    }

    #[inline(never)]
    fn decoded(&mut self, arrival: &Arrival) {
        let station = self.station();
        station.mix_received(arrival.end(), &arrival.header());
    }
}

/// Whether nobody waits for what is in the air or on its way to a station, and all but the last of it has
/// begun, so that nothing comes before it, and is over unless the last one begins sooner: what is taken
/// in counts as heard.
fn may_be_taken_in(waiting: &[Arrival], overlap: Option<&Episode>, now: Instant) -> bool {
    let is_for_others = |one: &Arrival| !one.settle.is_awaited();
    let may_be = |one: &Arrival, last: &Arrival| {
        one.start < now && (one.end() <= now || one.end() > last.start)
    };
    let begun = |(last, before): (&Arrival, &[Arrival])| before.iter().all(|one| may_be(one, last));
    waiting.iter().all(is_for_others)
        && waiting.split_last().is_none_or(begun)
        && overlap.is_none_or(|episode| is_for_others(episode.locked()) && episode.start() < now)
}

impl World {
    /// From now on a station only listens, if there is nothing else to know of it. What it has heard is
    /// taken in but for one frame, which may be on its way.
    pub(crate) fn join_crowd(&mut self, node: NodeId) {
        let (index, place) = (node.index(), self.seats.of(node));
        let mut around = Around {
            reach: &self.reach,
            strengths: &mut self.strengths,
            node,
            stations: &mut self.stations,
            seats: &self.seats,
        };
        let (crowd, ear) = (&mut self.crowd, &mut self.ears[place]);
        // Who stands by has not sent since it hears what is in the air.
        let may_join = !crowd.has(node) && !around.station().receiving.is_interrupted();
        let listening = around.station().dcf.listening();
        let Some(memory) = listening.filter(|_| may_join) else {
            return;
        };
        let mut overlap = around.station().overlap();
        if !may_be_taken_in(ear.waiting(), overlap.as_ref(), self.now) {
            return;
        }
        let waiting = ear.waiting();
        let told = Bystander::told(memory, waiting, &mut overlap, &crowd.hush, &mut around);
        if let Some(bystander) = told {
            crowd.bystanders[index] = bystander;
            crowd.overlaps[index] = overlap;
            ear.leave(0);
            ear.forget_taken();
            crowd.rooms.extend(ear.give_room());
            around.station().receiver.hand_over();
            // A wake that is left from what came to nothing.
            ear.set_wake(Wake::Stays, self.shared.pace.slot);
            self.agenda.set(Self::station_slot(node), Instant::NEVER);
            self.give_seat(node);
        }
    }

    /// Takes in what a station has heard by now that only listens.
    pub(crate) fn settle_bystander(&mut self, node: NodeId) {
        let index = node.index();
        let mut around = Around {
            reach: &self.reach,
            strengths: &mut self.strengths,
            node,
            stations: &mut self.stations,
            seats: &self.seats,
        };
        let (bystander, overlap) = (
            &mut self.crowd.bystanders[index],
            &mut self.crowd.overlaps[index],
        );
        bystander.settles(self.now, overlap, &self.crowd.hush, &mut around);
    }

    /// Takes in what all have heard by now who only listen, for those who ask; those with a place leave.
    pub(crate) fn disperse_crowd(&mut self) {
        for node in (0..self.radios as u32).map(NodeId) {
            if !self.crowd.has(node) {
                continue;
            }
            self.settle_bystander(node);
            if self.seats.has(node) {
                self.leave_crowd(node);
            }
        }
    }

    /// To be called before a station gets a part in something now: it no longer only listens.
    #[inline]
    pub(crate) fn leave_crowd(&mut self, node: NodeId) {
        if self.crowd.has(node) {
            self.take_seat(node);
            let place = self.seats.of(node);
            let (station, ear) = (&mut self.stations[place], &mut self.ears[place]);
            self.crowd.left_by(node, station, ear, self.now);
        }
    }

    /// [`World::announce`] where stations stand by that only listen.
    #[inline(never)]
    pub(crate) fn announce_to_crowd(&mut self, row: Range<usize>, frame: &Announced) {
        let Self { reach, crowd, .. } = self;
        crowd.look_at(reach.list(row.clone()));
        let (calm, others) = crowd.sort(reach.list(row), frame);
        for listener in &crowd.sorted[..calm] {
            let bystander = &mut crowd.bystanders[listener.node.index()];
            bystander.passes(&frame.arrival, listener, &crowd.hush);
        }
        if frame.for_all {
            self.ask_who_knows(others, frame);
        }
        for place in (others..self.crowd.sorted.len()).rev() {
            self.tell_one_of_crowd(place, frame);
        }
    }

    /// Finds out which of those sorted behind `others` know already what a frame for all says: all are
    /// asked before the first is told, so that what is far away in memory comes together.
    #[inline(never)]
    fn ask_who_knows(&mut self, others: usize, frame: &Announced) {
        let sent = &frame.arrival;
        let mut known = std::mem::take(&mut self.crowd.known);
        let dcf = &self.stations[self.seats.of(sent.from())].dcf;
        if let Some(Payload::Ip(packet)) = dcf.payload(sent.header().sequence)
            && packet.destination.is_broadcast()
        {
            let asked = known[others..].iter_mut();
            for (known, listener) in asked.zip(&self.crowd.sorted[others..]) {
                let heard_at = sent.end().after(listener.delay());
                *known = listener.decodable() && self.is_old_news(heard_at, listener.node, packet);
            }
        } else {
            known[others..].fill(false);
        }
        self.crowd.known = known;
    }

    #[inline(always)]
    fn tell_one_of_crowd(&mut self, place: usize, frame: &Announced) {
        let listener = self.crowd.sorted[place];
        let (node, index) = (listener.node, listener.node.index());
        let settle = if !frame.is_wanted_by(&listener) {
            Settle::AnyTime
        } else if frame.for_all && self.crowd.known[place] {
            Settle::Noted
        } else {
            frame.settle
        };
        let mut around = Around {
            reach: &self.reach,
            strengths: &mut self.strengths,
            node,
            stations: &mut self.stations,
            seats: &self.seats,
        };
        let crowd = &mut self.crowd;
        let (bystander, overlap) = (&mut crowd.bystanders[index], &mut crowd.overlaps[index]);
        if !settle.is_awaited()
            && bystander.listens()
            && bystander.hears(
                &frame.arrival,
                (&listener, settle),
                overlap,
                &crowd.hush,
                &mut around,
            )
        {
            return;
        }
        self.leave_crowd(node);
        let ear = &mut self.ears[self.seats.of(node)];
        let mut telling = Telling {
            agenda: &mut self.agenda,
            not_to_wait: &mut self.not_to_wait,
            ack_ends: &mut self.ack_ends,
            shared: &self.shared,
            eager: self.eager,
        };
        if settle.is_awaited() {
            telling.tell_meant(frame, &listener, ear);
        } else {
            telling.tell(frame, &listener, ear, settle);
        }
    }
}

#[cfg(test)]
mod tests;
