//! The parameters of DSR, with the values of two profiles.
//!
//! A parameter is a number or a named rule. The one invariant: nothing that differs between the
//! profiles is decided anywhere else than by a field of [`DsrConfig`].

use acklab_base::{Duration, NodeId};

/// What happens on the way to a packet whose next hop is lost and for which the cache has no
/// other route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WithoutRoute {
    /// It waits in the send buffer of the node where it is, which may ask its neighbours once
    /// (ns-2).
    Waits,
    /// It is dropped: only the source discovers routes (RFC 4728 §3.4.1).
    Drops,
}

/// How long headers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderSizes {
    /// As ns-2 counts: 4 bytes for every node of a route but one; requests grow by their whole
    /// header at each hop.
    Ns2,
    /// RFC 4728 §6.
    Rfc4728,
}

/// Parameters of [`super::Dsr`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DsrConfig {
    /// Routes in use or asked for that the cache holds.
    pub primary_routes: usize,
    /// Routes learned otherwise that the cache holds.
    pub secondary_routes: usize,
    /// Packets that the send buffer holds.
    pub buffer_packets: usize,
    /// How long a packet may wait there.
    pub buffer_timeout: Duration,
    /// The send buffer is looked at after this time, stretched by a uniform factor of up to 2.
    pub buffer_check: Duration,
    /// Whether a discovery first asks the neighbours only.
    pub asks_neighbours_first: bool,
    /// How long to wait for the neighbours' answer, and the spacing of packets that leave the
    /// buffer together.
    pub neighbour_wait: Duration,
    /// The least time between two discoveries of one node.
    pub request_period: Duration,
    /// The factor by which it grows with each discovery without an answer.
    pub request_backoff: u32,
    /// Its bound.
    pub longest_request_period: Duration,
    /// Requests and replies of destinations wait for a uniform time below this.
    pub broadcast_jitter: Duration,
    /// Whether nodes on the way answer requests from their caches.
    pub replies_from_cache: bool,
    /// Whether routes are learned from what is overheard.
    pub overhears: bool,
    /// How often a packet may be given a new route on its way.
    pub salvages: u8,
    /// A route that was found to be too long is not reported again within this time.
    pub shortening_hold: Duration,
    /// How long a route error told to this node is spread with its next request.
    pub error_memory: Duration,
    /// Whether packets of established flows travel without a source route (RFC 4728 §7).
    pub flow_state: bool,
    /// How long a flow lives after its last packet.
    pub flow_timeout: Duration,
    /// Packets with a source route that establish a flow.
    pub flow_establishing: u32,
    /// An established flow shows its source route again after this time.
    pub flow_refresh: Duration,
    /// TTL of data made here.
    pub data_ttl: u8,
    /// Bytes that the router adds to each TCP segment made here, though TCP has already counted
    /// its IP header (ns-2: 20).
    pub extra_tcp_bytes: u32,
    /// Whether a flow's route is shortened when its packets are overheard early (ns-2: no; it looks at
    /// the wrong route's place).
    pub shortens_flows: bool,
    /// What a salvaged packet without a route does.
    pub without_route: WithoutRoute,
    /// How long headers are.
    pub header_sizes: HeaderSizes,
    /// Whom a route error that travels with a request tells: ns-2 writes the number 0, which is
    /// also a node.
    pub spread_errors_tell: NodeId,
    /// Whether the time of a shortening is noted at the next entry instead of its own, so that it
    /// holds nothing down until another has been noted (ns-2: yes).
    pub misplaced_hold: bool,
}

impl DsrConfig {
    /// ns-2.35: CMU's DSR of 2002 with flow state.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            primary_routes: 30,
            secondary_routes: 64,
            buffer_packets: 64,
            buffer_timeout: Duration::from_secs(30),
            buffer_check: Duration::from_millis(30),
            asks_neighbours_first: true,
            neighbour_wait: Duration::from_millis(30),
            request_period: Duration::from_millis(500),
            request_backoff: 4,
            longest_request_period: Duration::from_secs(10),
            broadcast_jitter: Duration::from_millis(10),
            replies_from_cache: true,
            overhears: true,
            salvages: 15,
            shortening_hold: Duration::from_secs(1),
            error_memory: Duration::from_secs(1),
            flow_state: true,
            flow_timeout: Duration::from_secs(60),
            flow_establishing: 3,
            flow_refresh: Duration::from_secs(5),
            data_ttl: 32,
            extra_tcp_bytes: 20,
            shortens_flows: false,
            without_route: WithoutRoute::Waits,
            header_sizes: HeaderSizes::Ns2,
            spread_errors_tell: NodeId(0),
            misplaced_hold: true,
        }
    }

    /// RFC 4728 §9, with link-layer detection and without its optional flow state.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            request_backoff: 2,
            flow_state: false,
            data_ttl: 64,
            extra_tcp_bytes: 0,
            shortens_flows: true,
            without_route: WithoutRoute::Drops,
            header_sizes: HeaderSizes::Rfc4728,
            spread_errors_tell: NodeId::BROADCAST,
            misplaced_hold: false,
            ..Self::ns2()
        }
    }
}
