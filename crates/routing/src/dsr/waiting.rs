//! The send buffer: packets that wait for a route.
//!
//! Unlike [`crate::buffer`] it has places: a newcomer takes the first free one, and packets leave in
//! the order of places. The one invariant: a packet keeps its place until it leaves.

use super::carried::Carried;
use acklab_base::Instant;

#[derive(Clone, Debug)]
pub(super) struct Waiting {
    places: Vec<Option<(Instant, Carried)>>,
    count: usize,
}

impl Waiting {
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: vec![None; places],
            count: 0,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// Puts a packet in; gives back the oldest if there is no room.
    pub(super) fn push(&mut self, now: Instant, packet: Carried) -> Option<Carried> {
        let free = self.places.iter().position(Option::is_none);
        let age = |place: &usize| self.places[*place].as_ref().map(|(since, _)| *since);
        let place = free.or_else(|| (0..self.places.len()).min_by_key(age));
        let lost = place.and_then(|place| self.places[place].replace((now, packet)));
        self.count += usize::from(lost.is_none());
        lost.map(|(_, packet)| packet)
    }

    /// Takes out what stands at a place, with the time since when it waits.
    pub(super) fn take(&mut self, place: usize) -> Option<(Instant, Carried)> {
        let taken = self.places[place].take();
        self.count -= usize::from(taken.is_some());
        taken
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, place: usize, since: Instant, packet: Carried) {
        self.count += 1;
        self.places[place] = Some((since, packet));
    }
}
