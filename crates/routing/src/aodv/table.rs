//! The route table, and the memory of requests that were heard.
//!
//! A route entry outlives its path: sequence number, last length and the state of the search stay.
//! The one invariant: entries are never removed, and every walk over them goes from the newest to the
//! oldest, as in ns-2: it is the order of destinations in a route error and of repeated requests.

use super::config::{AodvConfig, FirstSearch};
use acklab_base::{Duration, Instant, NodeId, Seq32};

/// The length of a path that does not exist.
pub(super) const NO_PATH: u8 = u8::MAX;

/// How many measured discoveries the time per hop is taken from.
const HISTORY: usize = 3;

/// Where packets for a destination go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// Nowhere.
    Down,
    /// To a neighbour.
    Up(Hop),
    /// Into the send buffer, until the search from here succeeds; the broken path is kept.
    Repairing(Hop),
}

/// A path as one node knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hop {
    pub(super) next: NodeId,
    pub(super) hops: u8,
    pub(super) expires: Instant,
}

/// The state of the search for a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Search {
    /// Until when no further request may be sent; `None` if none was sent since the last success.
    pub(super) wait_until: Option<Instant>,
    /// Network-wide requests so far.
    pub(super) wide_tries: u8,
    /// TTL of the last request, or the length of the path that was found.
    pub(super) last_ttl: u8,
}

/// All that is known about one destination.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) destination: NodeId,
    pub(super) sequence: Seq32,
    pub(super) path: Path,
    /// The length of the last path that was lost.
    pub(super) last_hops: u8,
    pub(super) search: Search,
    /// Neighbours that use this route through here, sorted.
    precursors: Vec<NodeId>,
    latencies: [Duration; HISTORY],
    next_latency: u8,
}

impl Route {
    fn new(destination: NodeId, first_search: FirstSearch) -> Self {
        Self {
            destination,
            sequence: Seq32(0),
            path: Path::Down,
            last_hops: match first_search {
                FirstSearch::NetworkWide => NO_PATH,
                FirstSearch::Ring => 0,
            },
            search: Search {
                wait_until: None,
                wide_tries: 0,
                last_ttl: 0,
            },
            precursors: Vec::new(),
            latencies: [Duration::ZERO; HISTORY],
            next_latency: 0,
        }
    }

    /// The path, be it up or broken.
    pub(super) const fn hop(&self) -> Option<Hop> {
        match self.path {
            Path::Down => None,
            Path::Up(hop) | Path::Repairing(hop) => Some(hop),
        }
    }

    /// The length of the path, [`NO_PATH`] without one.
    pub(super) fn hops(&self) -> u8 {
        self.hop().map_or(NO_PATH, |hop| hop.hops)
    }

    /// The next hop if the path is up.
    pub(super) const fn next_hop(&self) -> Option<NodeId> {
        match self.path {
            Path::Up(hop) => Some(hop.next),
            Path::Down | Path::Repairing(_) => None,
        }
    }

    pub(super) const fn is_up(&self) -> bool {
        matches!(self.path, Path::Up(_))
    }

    /// Puts a new path in place.
    pub(super) fn set_up(&mut self, sequence: Seq32, hop: Hop) {
        self.sequence = sequence;
        self.path = Path::Up(hop);
    }

    /// Takes the path down and remembers its length.
    pub(super) fn set_down(&mut self) {
        if let Some(hop) = self.hop() {
            self.last_hops = hop.hops;
        }
        self.path = Path::Down;
    }

    /// Moves the expiry, forward or back.
    pub(super) fn set_expiry(&mut self, expires: Instant) {
        if let Path::Up(hop) | Path::Repairing(hop) = &mut self.path {
            hop.expires = expires;
        }
    }

    /// Moves the expiry to `expires` unless it lies later.
    pub(super) fn extend(&mut self, expires: Instant) {
        if let Path::Up(hop) | Path::Repairing(hop) = &mut self.path {
            hop.expires = hop.expires.max(expires);
        }
    }

    /// Forgets the search: a path of this length was found.
    pub(super) fn search_succeeded(&mut self, hops: u8) {
        self.search = Search {
            wait_until: None,
            wide_tries: 0,
            last_ttl: hops,
        };
    }

    /// Notes what a discovery took for each hop.
    pub(super) fn measure(&mut self, latency_per_hop: Duration) {
        self.latencies[usize::from(self.next_latency)] = latency_per_hop;
        self.next_latency = (self.next_latency + 1) % HISTORY as u8;
    }

    /// The mean of the last measured discoveries, or the node traversal time if there are none.
    pub(super) fn time_per_hop(&self, config: &AodvConfig) -> Duration {
        let measured = self
            .latencies
            .iter()
            .filter(|&&latency| latency > Duration::ZERO);
        let (sum, count) = measured.fold((Duration::ZERO, 0), |(sum, count), &one| {
            (sum + one, count + 1)
        });
        if count == 0 {
            config.node_traversal_time
        } else {
            sum / count
        }
    }

    pub(super) fn has_precursors(&self) -> bool {
        !self.precursors.is_empty()
    }

    pub(super) fn add_precursor(&mut self, neighbour: NodeId) {
        if let Err(place) = self.precursors.binary_search(&neighbour) {
            self.precursors.insert(place, neighbour);
        }
    }

    pub(super) fn remove_precursor(&mut self, neighbour: NodeId) {
        if let Ok(place) = self.precursors.binary_search(&neighbour) {
            self.precursors.remove(place);
        }
    }

    pub(super) fn clear_precursors(&mut self) {
        self.precursors.clear();
    }
}

/// The route entries of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteTable {
    /// In order of creation.
    routes: Vec<Route>,
    /// The place of each destination's entry, sorted by destination.
    places: Vec<(NodeId, usize)>,
}

impl RouteTable {
    pub(super) fn len(&self) -> usize {
        self.routes.len()
    }

    pub(super) fn find(&self, destination: NodeId) -> Option<&Route> {
        let found = self.search(destination).ok()?;
        Some(&self.routes[self.places[found].1])
    }

    pub(super) fn find_mut(&mut self, destination: NodeId) -> Option<&mut Route> {
        let found = self.search(destination).ok()?;
        Some(&mut self.routes[self.places[found].1])
    }

    /// The entry for `destination`, made if there is none.
    pub(super) fn entry(&mut self, destination: NodeId, first_search: FirstSearch) -> &mut Route {
        let place = match self.search(destination) {
            Ok(found) => self.places[found].1,
            Err(gap) => {
                self.places.insert(gap, (destination, self.routes.len()));
                self.routes.push(Route::new(destination, first_search));
                self.routes.len() - 1
            }
        };
        &mut self.routes[place]
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

    fn search(&self, destination: NodeId) -> Result<usize, usize> {
        self.places
            .binary_search_by_key(&destination, |&(node, _)| node)
    }
}

/// The requests that a node has heard lately, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct HeardRequests {
    heard: Vec<(Instant, NodeId, u32)>,
}

impl HeardRequests {
    /// Notes a request; says whether it is new.
    pub(super) fn is_new(&mut self, origin: NodeId, broadcast_id: u32, expires: Instant) -> bool {
        let known = self
            .heard
            .iter()
            .any(|&(_, node, id)| node == origin && id == broadcast_id);
        if !known {
            self.heard.push((expires, origin, broadcast_id));
        }
        !known
    }

    /// Forgets what has expired.
    pub(super) fn purge(&mut self, now: Instant) {
        self.heard.retain(|&(expires, ..)| expires > now);
    }
}
