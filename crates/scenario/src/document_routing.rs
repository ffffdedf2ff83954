//! Routing protocols as they are written: a part of the schema, see [`crate::document`].

use crate::quantities::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A routing protocol.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "protocol", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Routing {
    /// Shortest paths that are known from the start; no routing packets.
    Static(StaticRouting),
    /// Ad hoc on-demand distance vector with link-layer detection.
    Aodv(AodvRouting),
    /// Destination-sequenced distance vector: tables exchanged periodically and after changes.
    Dsdv(DsdvRouting),
    /// Dynamic source routing with link-layer detection.
    Dsr(DsrRouting),
}

/// Parameters of static routing.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct StaticRouting {
    /// TCP ACKs keep away from the path of their data: of the paths through none of its nodes, one
    /// that as few as possible of its neighbours are on. Where there is none, the shortest path.
    pub separate_acks: Option<bool>,
}

/// Parameters of DSDV.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DsdvRouting {
    /// Longest time between full updates; each draws between three quarters of it and all of it.
    #[schemars(extend("x-above-zero" = true))]
    pub update_period: Option<Time>,
    /// A neighbour that is silent for so many update periods is lost.
    #[schemars(range(min = 1, max = 1_000))]
    pub silent_periods: Option<u32>,
    /// Settling time that is assumed for a new destination: it is told to others after twice
    /// this time.
    pub first_settling: Option<Time>,
    /// Least time from an update to a triggered one.
    pub trigger_spacing: Option<Time>,
    /// Whether a packet that the MAC gives up on means that the neighbour is lost.
    pub link_detection: Option<bool>,
    /// The first update of a node comes within this time.
    pub start_jitter: Option<Time>,
    /// Updates wait a random time below this.
    pub broadcast_jitter: Option<Time>,
    /// Packets that wait at a node for a route to one destination.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub buffer_capacity: Option<u32>,
}

/// Parameters of DSR.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DsrRouting {
    /// Routes asked for or in use that a node keeps.
    #[schemars(range(min = 1, max = 10_000))]
    pub primary_routes: Option<u32>,
    /// Routes learned otherwise that a node keeps.
    #[schemars(range(min = 1, max = 10_000))]
    pub secondary_routes: Option<u32>,
    /// Whether nodes on the way answer requests from their caches.
    pub replies_from_cache: Option<bool>,
    /// Whether nodes learn from packets for others.
    pub overhears: Option<bool>,
    /// Whether a discovery first asks the neighbours only.
    pub asks_neighbours_first: Option<bool>,
    /// How often a packet may be given a new route on its way.
    #[schemars(range(max = 15))]
    pub salvages: Option<u8>,
    /// Whether packets of established flows travel without a source route.
    pub flow_state: Option<bool>,
    /// Least time between discoveries of one node; grows while nobody answers.
    #[schemars(extend("x-above-zero" = true))]
    pub request_period: Option<Time>,
    /// The most that it grows to.
    #[schemars(extend("x-above-zero" = true))]
    pub max_request_period: Option<Time>,
    /// Requests, and replies of destinations, wait a random time below this.
    pub broadcast_jitter: Option<Time>,
    /// Packets that wait for a route at a node.
    #[schemars(range(min = 1, max = 10_000))]
    pub buffer_capacity: Option<u32>,
    /// How long a packet waits for a route.
    #[schemars(extend("x-above-zero" = true))]
    pub buffer_timeout: Option<Time>,
}

/// Parameters of AODV, named as in RFC 3561 §10.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AodvRouting {
    /// NET_DIAMETER: time to live of network-wide requests, and so the longest route in hops.
    #[schemars(range(min = 1, max = 255))]
    pub network_diameter: Option<u8>,
    /// Whether a node repairs a broken route that it forwards on.
    pub local_repair: Option<bool>,
    /// ACTIVE_ROUTE_TIMEOUT: a route that is not used for so long is dropped.
    #[schemars(extend("x-above-zero" = true))]
    pub active_route_timeout: Option<Time>,
    /// MY_ROUTE_TIMEOUT: lifetime that a destination gives in its replies.
    #[schemars(extend("x-above-zero" = true))]
    pub my_route_timeout: Option<Time>,
    /// Lifetime of the route back to the originator of a request; with the standard's rules less twice
    /// the node traversal time for each hop that the request came over.
    #[schemars(extend("x-above-zero" = true))]
    pub reverse_route_life: Option<Time>,
    /// PATH_DISCOVERY_TIME: for so long a request is recognised as seen.
    #[schemars(extend("x-above-zero" = true))]
    pub request_memory: Option<Time>,
    /// RREQ_RETRIES: network-wide requests that are repeated before giving up.
    #[schemars(range(max = 255))]
    pub request_retries: Option<u8>,
    /// Longest wait between requests; with ns-2's rules also the hold-off after giving up.
    #[schemars(extend("x-above-zero" = true))]
    pub max_request_wait: Option<Time>,
    /// TTL_START: time to live of the first request of an expanding ring. For the standard's rules only:
    /// with ns-2's the first search goes through the whole network.
    #[schemars(range(min = 1, max = 255))]
    pub ttl_start: Option<u8>,
    /// TTL_INCREMENT.
    #[schemars(range(min = 1, max = 255))]
    pub ttl_increment: Option<u8>,
    /// TTL_THRESHOLD: beyond it a request goes network-wide.
    #[schemars(range(min = 1, max = 255))]
    pub ttl_threshold: Option<u8>,
    /// NODE_TRAVERSAL_TIME: assumed time of one hop.
    #[schemars(extend("x-above-zero" = true))]
    pub node_traversal_time: Option<Time>,
    /// Forwarded broadcasts wait a random time below this.
    pub broadcast_jitter: Option<Time>,
    /// Packets that wait for a route at a node.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub buffer_capacity: Option<u32>,
    /// How long a packet waits for a route. With ns-2's rules one that has waited for longer goes on asking
    /// until the node next puts a packet into the buffer or takes one out.
    #[schemars(extend("x-above-zero" = true))]
    pub buffer_timeout: Option<Time>,
}
