//! The route cache: paths that begin here, in two parts (the "path cache with a secondary" of
//! Broch et al. 1998, ns-2's MobiCache).
//!
//! The primary part holds what was asked for or is used, the secondary one what was picked up. The
//! one invariant: every path begins at this node and passes no node twice.

use acklab_base::NodeId;
use acklab_wire::dsr::Route;

/// Both parts.
#[derive(Clone, Debug)]
pub(super) struct RouteCache {
    node: NodeId,
    primary: Part,
    secondary: Part,
}

impl RouteCache {
    pub(super) fn new(node: NodeId, primary: usize, secondary: usize) -> Self {
        Self {
            node,
            primary: Part::new(primary),
            secondary: Part::new(secondary),
        }
    }

    /// Keeps a route that was asked for.
    pub(super) fn add(&mut self, route: &Route) {
        if route.len() >= 2 && route[0] == self.node {
            self.primary.add(route);
        }
    }

    /// Learns from a route that is used by others; `at` is the place of the node that a packet
    /// with it was sent to. A node that is not on it can reach whoever sent the packet.
    pub(super) fn notice(&mut self, route: &Route, at: usize) {
        if route.len() < 2 {
            return;
        }
        let rest = match route.iter().position(|&node| node == self.node) {
            Some(place) if place + 1 == route.len() => return,
            Some(place) => Route::of(&route[place..]),
            None if at == 0 => return,
            None => {
                let mut rest = Route::of(&[self.node]);
                for &node in &route[at - 1..] {
                    rest.push(node);
                }
                rest
            }
        };
        self.secondary.add(&rest);
    }

    /// The shortest route to `destination`. A route from the secondary part that is going to be
    /// used moves to the primary one.
    pub(super) fn find(&mut self, destination: NodeId, for_use: bool) -> Option<Route> {
        let first = self.primary.shortest(destination);
        let second = self.secondary.shortest(destination);
        let (place, hops) = match (first, second) {
            (Some((_, hops)), Some(second)) if second.1 < hops => second,
            (Some((place, hops)), _) => return Some(self.primary.start_of(place, hops)),
            (None, second) => second?,
        };
        let found = self.secondary.start_of(place, hops);
        if for_use {
            let whole = self.secondary.routes[place];
            self.primary.add(&whole);
            self.secondary.routes[place] = Route::EMPTY;
        }
        Some(found)
    }

    /// The shortest route, for observers.
    pub(super) fn peek(&self, destination: NodeId) -> Option<Route> {
        let first = self.primary.shortest(destination);
        let second = self.secondary.shortest(destination);
        match (first, second) {
            (Some((_, hops)), Some((place, fewer))) if fewer < hops => {
                Some(self.secondary.start_of(place, fewer))
            }
            (Some((place, hops)), _) => Some(self.primary.start_of(place, hops)),
            (None, Some((place, hops))) => Some(self.secondary.start_of(place, hops)),
            (None, None) => None,
        }
    }

    /// Cuts every path before a link that is broken.
    pub(super) fn cut(&mut self, from: NodeId, to: NodeId) {
        self.primary.cut(from, to);
        self.secondary.cut(from, to);
    }
}

/// A part of the cache: a fixed number of places, some empty.
#[derive(Clone, Debug)]
struct Part {
    routes: Vec<Route>,
    /// The next place to be overwritten when none is empty.
    victim: usize,
}

impl Part {
    fn new(places: usize) -> Self {
        Self {
            routes: vec![Route::EMPTY; places],
            victim: 0,
        }
    }

    /// The place of the shortest path to `destination`, and its hops.
    fn shortest(&self, destination: NodeId) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for (place, route) in self.routes.iter().enumerate() {
            let hops = route.iter().position(|&node| node == destination);
            if let Some(hops) = hops
                && best.is_none_or(|(_, fewest)| hops < fewest)
            {
                best = Some((place, hops));
            }
        }
        best
    }

    fn start_of(&self, place: usize, hops: usize) -> Route {
        let mut route = self.routes[place];
        route.truncate(hops + 1);
        route
    }

    /// Adds a path: it extends one that it begins with (be it empty), or is contained in one
    /// already, or overwrites the oldest.
    fn add(&mut self, path: &Route) {
        for route in &mut self.routes {
            let common = route
                .iter()
                .zip(path.iter())
                .take_while(|(one, other)| one == other)
                .count();
            if common == route.len() {
                *route = *path;
                return;
            }
            if common == path.len() {
                return;
            }
        }
        self.routes[self.victim] = *path;
        self.victim = (self.victim + 1) % self.routes.len();
    }

    fn cut(&mut self, from: NodeId, to: NodeId) {
        for route in &mut self.routes {
            let broken = route.windows(2).position(|link| link == [from, to]);
            match broken {
                Some(0) => route.truncate(0),
                Some(place) => route.truncate(place + 1),
                None => {}
            }
        }
    }
}
