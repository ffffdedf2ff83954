//! One route, and what only few routes have.
//!
//! A large network floods, and a node learns a way back to whoever floods: many entries, of which most
//! are never used. So an entry is half a cache line, and what a search or a passing reply leaves
//! stands elsewhere ([`Rest`]). The one invariant: hop, length and expiry count only while there is a
//! path.

use super::config::{AodvConfig, FirstSearch};
use acklab_base::{Duration, Instant, NodeId, Seq32};

/// The length of a path that does not exist.
pub(super) const NO_PATH: u8 = u8::MAX;

/// The sequence number of a destination of which none was heard.
pub(super) const UNKNOWN: Seq32 = Seq32(0);

/// How many measured discoveries the time per hop is taken from.
const HISTORY: usize = 3;

/// Without a [`Rest`].
const NO_REST: u32 = u32::MAX;

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

/// [`Path`] without the hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Down,
    Up,
    Repairing,
}

/// All that most nodes know about a destination. 32 bytes: a test says so.
#[derive(Clone, Debug)]
pub(super) struct Route {
    expires: Instant,
    pub(super) destination: NodeId,
    pub(super) sequence: Seq32,
    next: NodeId,
    /// The number of the request of that node which was heard last.
    pub(super) heard: u32,
    /// The place of the rest.
    rest: u32,
    hops: u8,
    /// The length of the last path that was lost.
    pub(super) last_hops: u8,
    /// TTL of the last request for it, or the length of the path that was found.
    pub(super) last_ttl: u8,
    /// The state, and above its two bits how many requests of that node are remembered.
    bits: u8,
}

/// Bits of [`Route::bits`] below the count.
const STATE_BITS: u8 = 2;

/// The count that means so many or more.
pub(super) const MANY: u8 = u8::MAX >> STATE_BITS;

/// What is known of few destinations: such as were searched from here, or that others reach
/// through here.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// Until when no further request may be sent; `None` if none was sent since the last success.
    pub(super) wait_until: Option<Instant>,
    /// Network-wide requests so far.
    pub(super) wide_tries: u8,
    next_latency: u8,
    latencies: [Duration; HISTORY],
    /// Neighbours that use this route through here, sorted.
    precursors: Vec<NodeId>,
}

impl Route {
    pub(super) const fn new(destination: NodeId, first_search: FirstSearch) -> Self {
        Self {
            expires: Instant::ZERO,
            destination,
            sequence: UNKNOWN,
            next: NodeId::BROADCAST,
            heard: 0,
            rest: NO_REST,
            hops: NO_PATH,
            last_hops: match first_search {
                FirstSearch::NetworkWide => NO_PATH,
                FirstSearch::Ring => 0,
            },
            last_ttl: 0,
            bits: State::Down as u8,
        }
    }

    #[inline]
    const fn state(&self) -> State {
        match self.bits & ((1 << STATE_BITS) - 1) {
            0 => State::Down,
            1 => State::Up,
            _ => State::Repairing,
        }
    }

    const fn set_state(&mut self, state: State) {
        self.bits = self.remembered() << STATE_BITS | state as u8;
    }

    /// How many requests of that node are remembered; [`MANY`] stands for more, too.
    #[inline]
    pub(super) const fn remembered(&self) -> u8 {
        self.bits >> STATE_BITS
    }

    /// Another one is.
    pub(super) const fn remember(&mut self, number: u32) {
        self.heard = number;
        if self.remembered() < MANY {
            self.bits += 1 << STATE_BITS;
        }
    }

    /// One less is. Once there were [`MANY`] nobody counts any more.
    pub(super) const fn forget(&mut self) {
        if self.remembered() < MANY {
            self.bits -= 1 << STATE_BITS;
        }
    }

    pub(super) const fn path(&self) -> Path {
        match (self.state(), self.held()) {
            (State::Down, _) => Path::Down,
            (State::Up, hop) => Path::Up(hop),
            (State::Repairing, hop) => Path::Repairing(hop),
        }
    }

    /// What counts while there is a path.
    const fn held(&self) -> Hop {
        Hop {
            next: self.next,
            hops: self.hops,
            expires: self.expires,
        }
    }

    /// The path, be it up or broken.
    pub(super) const fn hop(&self) -> Option<Hop> {
        match self.state() {
            State::Down => None,
            State::Up | State::Repairing => Some(self.held()),
        }
    }

    /// The length of the path, [`NO_PATH`] without one.
    pub(super) fn hops(&self) -> u8 {
        self.hop().map_or(NO_PATH, |hop| hop.hops)
    }

    /// The next hop if the path is up.
    #[inline]
    pub(super) const fn next_hop(&self) -> Option<NodeId> {
        match self.state() {
            State::Up => Some(self.next),
            State::Down | State::Repairing => None,
        }
    }

    pub(super) const fn is_up(&self) -> bool {
        matches!(self.state(), State::Up)
    }

    /// Puts a new path in place.
    pub(super) const fn set_up(&mut self, sequence: Seq32, hop: Hop) {
        self.sequence = sequence;
        self.next = hop.next;
        self.hops = hop.hops;
        self.expires = hop.expires;
        self.set_state(State::Up);
    }

    /// The path that is up has broken, and is kept.
    pub(super) const fn set_repairing(&mut self) {
        self.set_state(State::Repairing);
    }

    /// Takes the path down and remembers its length.
    pub(super) const fn set_down(&mut self) {
        if let Some(hop) = self.hop() {
            self.last_hops = hop.hops;
        }
        self.set_state(State::Down);
    }

    /// Moves the expiry, forward or back.
    #[inline]
    pub(super) const fn set_expiry(&mut self, expires: Instant) {
        self.expires = expires;
    }

    /// Moves the expiry to `expires` unless it lies later.
    pub(super) fn extend(&mut self, expires: Instant) {
        self.expires = self.expires.max(expires);
    }

    /// The path is used: it lives until `expires` at least, or, where use shortens its life, no longer.
    #[inline]
    pub(super) fn renew(&mut self, expires: Instant, shortens: bool) {
        if shortens {
            self.set_expiry(expires);
        } else {
            self.extend(expires);
        }
    }

    /// Its rest, if it has one.
    pub(super) fn rest<'a>(&self, rests: &'a [Rest]) -> Option<&'a Rest> {
        rests.get(self.rest as usize)
    }

    /// Its rest, made if there is none.
    pub(super) fn rest_mut<'a>(&mut self, rests: &'a mut Vec<Rest>) -> &'a mut Rest {
        if self.rest == NO_REST {
            self.rest = rests.len() as u32;
            rests.push(Rest::default());
        }
        &mut rests[self.rest as usize]
    }
}

impl Rest {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_half_a_cache_line() {
        assert_eq!(size_of::<Route>(), 32);
    }

    #[test]
    fn state_and_count_share_a_byte_without_touching_each_other() {
        let mut route = Route::new(NodeId(7), FirstSearch::Ring);
        let hop = Hop {
            next: NodeId(3),
            hops: 200,
            expires: Instant::ZERO,
        };
        for number in 1..=200 {
            route.remember(number);
            assert_eq!(u32::from(route.remembered()), number.min(u32::from(MANY)));
            route.set_up(Seq32(number), hop);
            assert_eq!(route.path(), Path::Up(hop));
            route.set_repairing();
            assert_eq!(route.path(), Path::Repairing(hop));
            route.set_down();
            assert_eq!((route.path(), route.last_hops), (Path::Down, 200));
            assert_eq!(u32::from(route.remembered()), number.min(u32::from(MANY)));
        }
        route.forget();
        assert_eq!(route.remembered(), MANY);
        let mut route = Route::new(NodeId(7), FirstSearch::Ring);
        route.remember(1);
        route.set_up(Seq32(1), hop);
        route.forget();
        assert_eq!((route.remembered(), route.path()), (0, Path::Up(hop)));
    }
}
