//! The route table, and the memory of requests that were heard.
//!
//! A route entry outlives its path: sequence number, last length and the state of the search stay.
//! The one invariant: entries are never removed, and every walk over them goes from the newest to the
//! oldest, as in ns-2: it is the order of destinations in a route error and of repeated requests.

use super::config::{AodvConfig, FirstSearch};
use super::index::Index;
use super::route::{MANY, Rest, Route};
use acklab_base::{Duration, Instant, NodeId};
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

/// A request that was heard.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// When it is forgotten.
    expires: Instant,
    /// The place of its originator's route.
    place: u32,
    number: u32,
}

/// The route entries of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteTable {
    /// In order of creation.
    routes: Vec<Route>,
    /// The place of each destination's entry.
    index: Index,
    /// Of those that have one.
    rests: Vec<Rest>,
    /// The requests heard lately, in order of arrival, which is that of expiry.
    heard: VecDeque<Heard>,
}

impl RouteTable {
    pub(super) fn len(&self) -> usize {
        self.routes.len()
    }

    #[inline]
    pub(super) fn find(&self, destination: NodeId) -> Option<&Route> {
        Some(&self.routes[self.place(destination)?])
    }

    #[inline]
    pub(super) fn find_mut(&mut self, destination: NodeId) -> Option<&mut Route> {
        let place = self.place(destination)?;
        Some(&mut self.routes[place])
    }

    /// The entry for `destination` with its rest, if there is one.
    pub(super) fn find_entry(&mut self, destination: NodeId) -> Option<Entry<'_>> {
        let place = self.place(destination)?;
        Some(self.entry_at(place))
    }

    /// The entry for `destination`, made if there is none.
    pub(super) fn entry(&mut self, destination: NodeId, first_search: FirstSearch) -> Entry<'_> {
        let place = self.place_made(destination, first_search);
        self.entry_at(place)
    }

    /// The entry at a step of the walk `0..len()`, newest first.
    pub(super) fn at(&mut self, step: usize) -> &mut Route {
        let place = self.routes.len() - 1 - step;
        &mut self.routes[place]
    }

    /// All entries, newest first.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Route> {
        self.routes.iter_mut().rev()
    }

    /// Until when the search waits for which destination, newest entry first, at a step of the walk.
    pub(super) fn search_at(&self, step: usize) -> Option<(NodeId, Instant)> {
        let route = &self.routes[self.routes.len() - 1 - step];
        let until = route.rest(&self.rests)?.wait_until?;
        (!route.is_up()).then_some((route.destination, until))
    }

    /// A neighbour uses no route through here any more.
    pub(super) fn remove_precursor(&mut self, neighbour: NodeId) {
        for rest in &mut self.rests {
            rest.remove_precursor(neighbour);
        }
    }

    /// Whether the request `number` of `origin` is remembered.
    #[inline]
    pub(super) fn has_heard(&self, origin: NodeId, number: u32) -> bool {
        let place = self.place(origin);
        place.is_some_and(|place| self.remembers(place, number))
    }

    /// Notes a request until `expires`, which is no sooner than for those before. The entry for its
    /// originator; `None` if the request is remembered already.
    pub(super) fn hear(
        &mut self,
        origin: NodeId,
        number: u32,
        expires: Instant,
        first_search: FirstSearch,
    ) -> Option<Entry<'_>> {
        let place = self.place_made(origin, first_search);
        if self.remembers(place, number) {
            return None;
        }
        self.routes[place].remember(number);
        if self.heard.len() == self.heard.capacity() {
            self.heard.reserve_exact(growth(self.heard.len()));
        }
        self.heard.push_back(Heard {
            expires,
            place: place as u32,
            number,
        });
        Some(self.entry_at(place))
    }

    /// Forgets the requests that have expired.
    pub(super) fn forget_requests(&mut self, now: Instant) {
        while let Some(first) = self.heard.front().filter(|first| first.expires <= now) {
            self.routes[first.place as usize].forget();
            self.heard.pop_front();
        }
    }

    fn remembers(&self, place: usize, number: u32) -> bool {
        let route = &self.routes[place];
        match route.remembered() {
            0 => false,
            1 => route.heard == number,
            count if count < MANY && route.heard == number => true,
            _ => {
                let is_it = |one: &Heard| one.place as usize == place && one.number == number;
                self.heard.iter().any(is_it)
            }
        }
    }

    #[inline]
    fn place(&self, destination: NodeId) -> Option<usize> {
        let is_it = |place: usize| self.routes[place].destination == destination;
        self.index.find(destination, is_it)
    }

    fn place_made(&mut self, destination: NodeId, first_search: FirstSearch) -> usize {
        self.place(destination).unwrap_or_else(|| {
            if self.routes.len() == self.routes.capacity() {
                self.routes.reserve_exact(growth(self.routes.len()));
            }
            self.routes.push(Route::new(destination, first_search));
            let destinations = self.routes.iter().map(|route| route.destination);
            self.index.insert_last(destinations);
            self.routes.len() - 1
        })
    }

    fn entry_at(&mut self, place: usize) -> Entry<'_> {
        Entry {
            route: &mut self.routes[place],
            rests: &mut self.rests,
        }
    }
}

/// By how much a list of this length grows: large networks have many of them.
const fn growth(length: usize) -> usize {
    4 + length / 4
}

/// A route with what else is known of it.
pub(super) struct Entry<'a> {
    route: &'a mut Route,
    rests: &'a mut Vec<Rest>,
}

impl Deref for Entry<'_> {
    type Target = Route;

    fn deref(&self) -> &Route {
        self.route
    }
}

impl DerefMut for Entry<'_> {
    fn deref_mut(&mut self) -> &mut Route {
        self.route
    }
}

impl Entry<'_> {
    /// What is known of it besides.
    pub(super) fn rest(&self) -> Option<&Rest> {
        self.route.rest(self.rests)
    }

    /// The same, to be changed.
    pub(super) fn rest_mut(&mut self) -> &mut Rest {
        self.route.rest_mut(self.rests)
    }

    /// Until when no further request may be sent; `None` if none was sent since the last success.
    pub(super) fn wait_until(&self) -> Option<Instant> {
        self.rest()?.wait_until
    }

    /// Network-wide requests so far.
    pub(super) fn wide_tries(&self) -> u8 {
        self.rest().map_or(0, |rest| rest.wide_tries)
    }

    /// Forgets the search: a path of this length was found.
    pub(super) fn search_succeeded(&mut self, hops: u8) {
        self.route.last_ttl = hops;
        if self.rest().is_some() {
            let rest = self.rest_mut();
            rest.wait_until = None;
            rest.wide_tries = 0;
        }
    }

    /// The mean of the last measured discoveries, or the node traversal time if there are none.
    pub(super) fn time_per_hop(&self, config: &AodvConfig) -> Duration {
        let rest = self.rest();
        rest.map_or(config.node_traversal_time, |rest| rest.time_per_hop(config))
    }

    /// Drops its precursors; says whether there were some.
    pub(super) fn take_precursors(&mut self) -> bool {
        let has = self.rest().is_some_and(Rest::has_precursors);
        if has {
            self.rest_mut().clear_precursors();
        }
        has
    }
}
