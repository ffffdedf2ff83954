//! The stations that only listen, where there are many of them.
//!
//! While a station is one of them, itself and its [`Ear`] stay as they were when it had its last part in
//! something; they are brought up to date when it gets one again. Invariant: they are then what they
//! would be if they had heard it all themselves.

use crate::RunOptions;
use crate::bystander::Bystander;
use crate::convert;
use crate::ear::Ear;
use crate::station::Station;
use crate::telling::{Announced, Telling};
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_mac::dcf::{Hush, Plan};
use acklab_radio::{Arrival, Audible, Episode, Reach, Settle};
use acklab_scenario::Resolved;
use std::ops::Range;
use std::sync::Arc;

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
    hush: Hush,
}

impl Crowd {
    /// Listeners of a frame from which on it is worth while to tell those apart that only listen.
    const LEAST: usize = 20;

    /// Frames that an ear has room for at first.
    const ROOM: usize = 4;

    /// Where nobody stands by.
    const fn none(hush: Hush) -> Self {
        Self {
            bystanders: Vec::new(),
            overlaps: Vec::new(),
            rooms: Vec::new(),
            sorted: Vec::new(),
            hush,
        }
    }

    /// The stations that only listen: none where few hear a frame, or where somebody asks what each frame
    /// was to everyone.
    pub(crate) fn gather(
        resolved: &Resolved,
        reach: &Reach,
        stations: &[Station],
        options: &RunOptions,
    ) -> Self {
        let hush = Arc::<Plan>::from(convert::dcf(&resolved.mac)).hush();
        let listeners = |node| reach.of(NodeId(node)).len();
        let pairs: usize = (0..reach.nodes() as u32).map(listeners).sum();
        let is_asked = options.records() || options.eager;
        if is_asked
            || pairs < Self::LEAST * stations.len()
            || !convert::reception(resolved).follows_locks()
        {
            return Self::none(hush);
        }
        Self::of(stations, hush)
    }

    /// All these stations, of which none has anything to do yet; none if their rules have them remember
    /// more.
    fn of(stations: &[Station], hush: Hush) -> Self {
        let stands_by = |station: &Station| Some(Bystander::new(station.dcf.listening()?));
        let Some(bystanders) = stations.iter().map(stands_by).collect() else {
            return Self::none(hush);
        };
        Self {
            bystanders,
            overlaps: vec![None; stations.len()],
            sorted: vec![Audible::NOBODY; stations.len()],
            ..Self::none(hush)
        }
    }

    /// The ears of its stations.
    pub(crate) fn ears(&self, stations: &[Station]) -> Vec<Ear> {
        let ear = |_: &Station| Ear::new(self.gathers());
        stations.iter().map(ear).collect()
    }

    /// Whether stations stand by here.
    pub(crate) const fn gathers(&self) -> bool {
        !self.bystanders.is_empty()
    }

    /// Whether a station only listens.
    #[inline]
    pub(crate) fn has(&self, node: NodeId) -> bool {
        (self.bystanders.get(node.index())).is_some_and(Bystander::listens)
    }

    /// A station has a part in something `now`: it takes over what it has heard.
    #[inline(never)]
    fn left_by(&mut self, node: NodeId, station: &mut Station, ear: &mut Ear, now: Instant) {
        ear.take_room(
            self.rooms
                .pop()
                .unwrap_or_else(|| Vec::with_capacity(Self::ROOM)),
        );
        let heard = self.bystanders[node.index()].leaves(now, &self.hush);
        station.receiving += heard.receiving;
        station.dcf.set_listening(heard.memory);
        match self.overlaps[node.index()].take() {
            Some(episode) if episode.start() < now => station.joins(&episode),
            // Nothing has begun.
            Some(episode) => ear.add_quietly(*episode.locked()),
            None => {}
        }
        if let Some(last) = heard.last {
            ear.add_quietly(last);
        }
    }

    /// Sorts the listeners of a frame: first come those at whom it only passes, from the end on the
    /// others. Returns how many those are. Who is what cannot be predicted, so that it takes no
    /// branch; and what is far away in memory comes for all at the same time.
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

impl World {
    /// From now on a station only listens, if there is nothing else to know of it. What it has heard is
    /// taken in but for one frame, which may be on its way.
    pub(crate) fn join_crowd(&mut self, node: NodeId) {
        let Self {
            reach,
            crowd,
            strengths,
            ..
        } = self;
        let (station, ear) = (
            &mut self.stations[node.index()],
            &mut self.ears[node.index()],
        );
        let Some(memory) = station.dcf.listening().filter(|_| !crowd.has(node)) else {
            return;
        };
        let (frames, locked) = (ear.waiting(), station.receiver.locked());
        let is_for_others = |one: &Arrival| one.settle == Settle::AnyTime;
        let all_begun = frames
            .split_last()
            .is_none_or(|(_, before)| before.iter().all(|one| one.start < self.now));
        if !all_begun
            || !frames
                .iter()
                .chain(locked.map(|(one, _)| one))
                .all(is_for_others)
        {
            return;
        }
        let mut overlap = station.overlap();
        let outlasts = |one: &Arrival, other: &Arrival| strengths.outlasts(reach, one, other, node);
        let told = Bystander::told(memory, frames, &mut overlap, &crowd.hush, outlasts);
        if let Some(bystander) = told {
            crowd.bystanders[node.index()] = bystander;
            crowd.overlaps[node.index()] = overlap;
            crowd.rooms.push(ear.give_room());
            station.receiver.leave();
        }
    }

    /// To be called before a station gets a part in something now: it no longer only listens.
    #[inline]
    pub(crate) fn leave_crowd(&mut self, node: NodeId) {
        if self.crowd.has(node) {
            let index = node.index();
            let (station, ear) = (&mut self.stations[index], &mut self.ears[index]);
            self.crowd.left_by(node, station, ear, self.now);
        }
    }

    /// [`World::announce`] where stations stand by that only listen.
    #[inline(never)]
    pub(crate) fn announce_to_crowd(&mut self, row: Range<usize>, frame: &Announced) {
        let Self { reach, crowd, .. } = self;
        let (calm, others) = crowd.sort(reach.list(row), frame);
        for listener in &crowd.sorted[..calm] {
            let bystander = &mut crowd.bystanders[listener.node.index()];
            bystander.passes(&frame.arrival, listener, &crowd.hush);
        }
        for place in (others..crowd.sorted.len()).rev() {
            self.tell_one_of_crowd(place, frame);
        }
    }

    #[inline(always)]
    fn tell_one_of_crowd(&mut self, place: usize, frame: &Announced) {
        let Self {
            reach,
            crowd,
            strengths,
            ..
        } = self;
        let listener = crowd.sorted[place];
        let node = listener.node;
        let index = node.index();
        let is_wanted = frame.is_wanted_by(&listener);
        let (bystander, overlap) = (&mut crowd.bystanders[index], &mut crowd.overlaps[index]);
        let outlasts = |one: &Arrival, other: &Arrival| strengths.outlasts(reach, one, other, node);
        if !is_wanted
            && bystander.listens()
            && bystander.hears(&frame.arrival, &listener, overlap, &crowd.hush, outlasts)
        {
            return;
        }
        self.leave_crowd(node);
        let ear = &mut self.ears[index];
        let mut telling = Telling {
            agenda: &mut self.agenda,
            not_to_wait: &mut self.not_to_wait,
            ack_ends: &mut self.ack_ends,
            shared: &self.shared,
            eager: self.eager,
        };
        if is_wanted {
            telling.tell_meant(frame, &listener, ear);
        } else {
            telling.tell(frame, &listener, ear, Settle::AnyTime);
        }
    }
}
