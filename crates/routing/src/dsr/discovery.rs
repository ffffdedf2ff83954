//! Route discovery (RFC 4728 §3.3): asking, passing on, answering, accepting answers.

use super::carried::Carried;
use super::{Dsr, MESSAGE_TTL};
use crate::RouterNote;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::dsr::{BrokenLink, Header, MAX_ROUTE_NODES, Request, Route};
use acklab_wire::tcp::IP_HEADER_BYTES;

/// What is known about requests of and for one node.
#[derive(Clone, Copy, Debug)]
struct Discovery {
    node: NodeId,
    /// The newest request of that node that was heard; 0 for none.
    heard: u32,
    /// Discoveries without an answer.
    unanswered: u32,
    /// When the last one began; `None` if it was answered, or there was none.
    began: Option<Instant>,
    /// Since when only the neighbours have been asked.
    neighbours_asked: Option<Instant>,
}

/// The requests that a node has heard and made.
#[derive(Clone, Debug, Default)]
pub(super) struct Discoveries {
    /// Sorted by node.
    entries: Vec<Discovery>,
    made: u32,
}

impl Discoveries {
    fn entry(&mut self, node: NodeId) -> &mut Discovery {
        let place = match self.entries.binary_search_by_key(&node, |entry| entry.node) {
            Ok(place) => place,
            Err(place) => {
                let entry = Discovery {
                    node,
                    heard: 0,
                    unanswered: 0,
                    began: None,
                    neighbours_asked: None,
                };
                self.entries.insert(place, entry);
                place
            }
        };
        &mut self.entries[place]
    }
}

/// How many discoveries for a packet of another node are made without an answer.
const SALVAGE_REQUESTS: u32 = 1;

impl Dsr {
    /// Asks for a route if it is time to; says whether the packet that needs it may go on waiting.
    pub(super) fn ask(&mut self, now: Instant, own: bool, destination: NodeId) -> bool {
        let config = &self.config;
        let entry = self.discoveries.entry(destination);
        let mut period = config.request_period;
        for _ in 0..entry.unanswered {
            period =
                (period * u64::from(config.request_backoff)).min(config.longest_request_period);
        }
        if entry.began.is_none_or(|began| began + period <= now) {
            entry.unanswered = (entry.unanswered + 1).min(15);
            entry.began = Some(now);
            if !own && entry.unanswered > SALVAGE_REQUESTS {
                return false;
            }
            let first = config.asks_neighbours_first;
            entry.neighbours_asked = first.then_some(now);
            self.request(now, destination, if first { 0 } else { WHOLE_NETWORK });
        } else if own
            && let Some(asked) = entry.neighbours_asked
            && now.saturating_since(asked) > config.neighbour_wait
        {
            entry.neighbours_asked = None;
            self.request(now, destination, WHOLE_NETWORK);
        }
        true
    }

    /// Sends a request of this node.
    fn request(&mut self, now: Instant, destination: NodeId, reach: u8) {
        self.discoveries.made += 1;
        let mut header = Header::new();
        header.request = Some(Request {
            id: self.discoveries.made,
            reach,
        });
        if let Some((at, from, to)) = self.told
            && now.saturating_since(at) < self.config.error_memory
        {
            let tell = self.config.spread_errors_tell;
            header.errors.push(BrokenLink { tell, from, to });
            if reach > 0 {
                self.told = None;
            }
        }
        self.out.note(RouterNote::RequestSent {
            destination,
            ttl: reach.saturating_add(1),
        });
        let carried = self.message(destination, self.config.data_ttl, header);
        let route = Route::of(&[self.node]);
        self.send(now, carried, route, 0, Duration::ZERO);
    }

    /// A new packet of the protocol itself.
    pub(super) fn message(&mut self, destination: NodeId, ttl: u8, header: Header) -> Carried {
        Carried {
            id: self.out.next_id(),
            source: self.node,
            destination,
            ttl,
            bytes: IP_HEADER_BYTES,
            header,
            data: None,
        }
    }

    /// A request for another node.
    pub(super) fn on_request(&mut self, now: Instant, mut carried: Carried) {
        let Some(request) = carried.header.request else {
            return;
        };
        let mut route = carried.header.route;
        let entry = self.discoveries.entry(carried.source);
        if entry.heard >= request.id || route.contains(&self.node) || route.is_full() {
            return;
        }
        entry.heard = request.id;
        let may_reply = request.reach == 0 || self.config.replies_from_cache;
        if may_reply && self.reply_from_cache(now, &carried) {
            return;
        }
        if route.len() > usize::from(request.reach) {
            return;
        }
        self.out.note(RouterNote::RequestForwarded {
            origin: carried.source,
            destination: carried.destination,
        });
        route.push(self.node);
        carried.header.at = 0;
        self.send(now, carried, route, 0, Duration::ZERO);
    }

    /// Answers a request from the cache, if this node is on the way that it knows.
    fn reply_from_cache(&mut self, now: Instant, carried: &Carried) -> bool {
        let so_far = carried.header.route;
        let Some(rest) = self.cache.find(carried.destination, false) else {
            return false;
        };
        if so_far.len() + rest.len() > MAX_ROUTE_NODES {
            return false;
        }
        let Some(whole) = joined(&so_far, &rest, self.node) else {
            return false;
        };
        let mut back = so_far;
        back.push(self.node);
        self.reply(carried, &whole, true, back.reversed(), now, Duration::ZERO);
        true
    }

    /// A request for this node: the route that it took is the answer, and the way back.
    pub(super) fn answer(&mut self, now: Instant, carried: &Carried) {
        let Some(request) = carried.header.request else {
            return;
        };
        self.discoveries.entry(carried.source).heard = request.id;
        let mut route = carried.header.route;
        if !route.push(self.node) {
            return;
        }
        let delay = self.jitter.interval_below(self.config.broadcast_jitter);
        self.reply(carried, &route, false, route.reversed(), now, delay);
    }

    fn reply(
        &mut self,
        request: &Carried,
        answer: &Route,
        from_table: bool,
        back: Route,
        now: Instant,
        delay: Duration,
    ) {
        self.cache.add(&back);
        self.out.note(RouterNote::ReplySent {
            origin: request.source,
            destination: request.destination,
            from_table,
        });
        let mut header = Header::new();
        header.reply = Some(*answer);
        let carried = self.message(request.source, MESSAGE_TTL, header);
        self.send(now, carried, back, 0, delay);
    }

    /// A reply has arrived: the route is kept, and what waited for it goes.
    pub(super) fn accept_reply(&mut self, now: Instant, route: &Route) {
        self.cache.add(route);
        if let Some(&end) = route.last() {
            let entry = self.discoveries.entry(end);
            entry.unanswered = 0;
            entry.began = None;
            self.out.note(RouterNote::RouteUp {
                destination: end,
                next_hop: route.get(1).copied().unwrap_or(end),
                hops: route.len() as u8 - 1,
            });
        }
        self.free_waiting(now);
    }
}

/// The reach of a request that every node passes on.
const WHOLE_NETWORK: u8 = MAX_ROUTE_NODES as u8;

/// Both routes in a row, without detours that come back to a node; `None` if `node` is then no longer
/// on it.
fn joined(first: &Route, second: &Route, node: NodeId) -> Option<Route> {
    let all: Vec<NodeId> = first.iter().chain(second.iter()).copied().collect();
    let mut route = Route::EMPTY;
    let mut place = 0;
    while place < all.len() {
        let last = all.iter().rposition(|other| *other == all[place]);
        place = last.unwrap_or(place);
        route.push(all[place]);
        place += 1;
    }
    route.contains(&node).then_some(route)
}
