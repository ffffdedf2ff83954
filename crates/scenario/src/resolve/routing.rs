//! Routing protocols.

use super::{Filling, by, fixed, millis, secs, text};
use crate::document::{self, AodvRouting, StaticRouting};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::Time;
use crate::resolved::{AodvOptions, Routing};
use acklab_base::Duration;

pub(super) fn routing(
    filling: &mut Filling<'_>,
    given: Option<&document::Routing>,
    profile: Profile,
    (has_radios, in_slots): (bool, bool),
) -> Result<Routing, ScenarioError> {
    let finds_paths = has_radios && !in_slots;
    let default = if finds_paths { "aodv" } else { "static" };
    let protocol = given.map(|given| match given {
        document::Routing::Static(_) => "static",
        document::Routing::Aodv(_) => "aodv",
        document::Routing::Dsdv(_) => "dsdv",
        document::Routing::Dsr(_) => "dsr",
    });
    filling.pick(
        "routing.protocol",
        protocol,
        fixed(
            default,
            "aodv, what the papers on ad hoc networks used; static without 802.11",
        ),
    );
    match given {
        Some(document::Routing::Static(given)) => Ok(fixed_paths(filling, given)),
        Some(document::Routing::Aodv(given)) => aodv(filling, given, profile).map(Routing::Aodv),
        Some(document::Routing::Dsdv(given)) => {
            super::dsdv::dsdv(filling, given, (profile, in_slots)).map(Routing::Dsdv)
        }
        Some(document::Routing::Dsr(given)) => {
            Ok(Routing::Dsr(super::dsr::dsr(filling, given, profile)))
        }
        None if !finds_paths => Ok(fixed_paths(filling, &StaticRouting::default())),
        None => aodv(filling, &AodvRouting::default(), profile).map(Routing::Aodv),
    }
}

fn fixed_paths(filling: &mut Filling<'_>, given: &StaticRouting) -> Routing {
    let separate_acks = filling.pick(
        "routing.separate_acks",
        given.separate_acks,
        fixed(false, "shortest paths for all; a wish of yuki2004 §5 ¶3"),
    );
    Routing::Static { separate_acks }
}

fn aodv(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
) -> Result<AodvOptions, ScenarioError> {
    let network_diameter = filling.pick(
        "routing.network_diameter",
        given.network_diameter,
        by(
            profile,
            (30, "NETWORK_DIAMETER"),
            (35, "RFC 3561 §10: NET_DIAMETER"),
        ),
    );
    let node_traversal_time = traversal(filling, given, profile)?;
    // RFC 3561 §10: NET_TRAVERSAL_TIME and PATH_DISCOVERY_TIME follow from these two.
    let net_traversal = node_traversal_time.0 * 2 * u64::from(network_diameter);
    let (reverse_route_life, request_memory) = memories(filling, given, profile, net_traversal);
    let (ttl_start, ttl_increment, ttl_threshold) = ring(filling, given, profile)?;
    let active = active_route(filling, given, profile);
    let request_retries = filling.pick(
        "routing.request_retries",
        given.request_retries,
        by(
            profile,
            (3, "RREQ_RETRIES"),
            (2, "RFC 3561 §10: RREQ_RETRIES"),
        ),
    );
    let last_wait = net_traversal * (1 << request_retries.min(MAX_DOUBLINGS));
    let max_request_wait = longest_wait(filling, given, profile, last_wait);
    let local_repair = filling.pick(
        "routing.local_repair",
        given.local_repair,
        by(
            profile,
            (true, "AODV_LOCAL_REPAIR, on at compile time"),
            (true, "RFC 3561 §6.12 allows it"),
        ),
    );
    let my_route_timeout = my_route(filling, given, profile, active);
    let (broadcast_jitter, buffer_capacity, buffer_timeout) = buffers(filling, given);
    Ok(AodvOptions {
        network_diameter,
        local_repair,
        active_route_timeout: active.0,
        my_route_timeout: my_route_timeout.0,
        reverse_route_life: reverse_route_life.0,
        request_memory: request_memory.0,
        request_retries,
        max_request_wait: max_request_wait.0,
        ttl_start,
        ttl_increment,
        ttl_threshold,
        node_traversal_time: node_traversal_time.0,
        broadcast_jitter: broadcast_jitter.0,
        buffer_capacity,
        buffer_timeout: buffer_timeout.0,
    })
}

/// Assumed time of one hop. The bound keeps everything that is made from it in range.
fn traversal(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
) -> Result<Time, ScenarioError> {
    let node_traversal_time = filling.pick(
        "routing.node_traversal_time",
        given.node_traversal_time,
        by(
            profile,
            (millis(30), "NODE_TRAVERSAL_TIME"),
            (millis(40), "RFC 3561 §10: NODE_TRAVERSAL_TIME"),
        ),
    );
    if node_traversal_time.0 > MAX_TRAVERSAL.0 {
        return Err(filling.error(
            "routing.node_traversal_time",
            Some(&node_traversal_time),
            "no hop takes so long",
            format!("at most {}", text(&MAX_TRAVERSAL)),
        ));
    }
    Ok(node_traversal_time)
}

/// The longest time of one hop that is accepted.
const MAX_TRAVERSAL: Time = secs(100);

/// How often the longest wait for a reply is doubled at most. Once more, and the longest time of one hop
/// made it longer than any time that can be written.
const MAX_DOUBLINGS: u8 = 14;

/// How long reverse routes and requests are remembered.
fn memories(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
    net_traversal: Duration,
) -> (Time, Time) {
    let path_discovery = Time(net_traversal * 2);
    let reverse_route_life = filling.pick(
        "routing.reverse_route_life",
        given.reverse_route_life,
        by(
            profile,
            (secs(6), "REV_ROUTE_LIFE"),
            (
                path_discovery,
                "RFC 3561 §6.5: MinimalLifetime, 2 × NET_TRAVERSAL_TIME",
            ),
        ),
    );
    let request_memory = filling.pick(
        "routing.request_memory",
        given.request_memory,
        by(
            profile,
            (secs(6), "BCAST_ID_SAVE"),
            (path_discovery, "RFC 3561 §10: PATH_DISCOVERY_TIME"),
        ),
    );
    (reverse_route_life, request_memory)
}

fn longest_wait(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
    last_wait: Duration,
) -> Time {
    filling.pick(
        "routing.max_request_wait",
        given.max_request_wait,
        by(
            profile,
            (secs(10), "MAX_RREQ_TIMEOUT"),
            (
                Time(last_wait),
                "RFC 3561 §6.3: NET_TRAVERSAL_TIME, doubled with each retry",
            ),
        ),
    )
}

fn active_route(filling: &mut Filling<'_>, given: &AodvRouting, profile: Profile) -> Time {
    filling.pick(
        "routing.active_route_timeout",
        given.active_route_timeout,
        by(
            profile,
            (secs(10), "ACTIVE_ROUTE_TIMEOUT"),
            (secs(3), "RFC 3561 §10: ACTIVE_ROUTE_TIMEOUT"),
        ),
    )
}

fn my_route(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
    active: Time,
) -> Time {
    filling.pick(
        "routing.my_route_timeout",
        given.my_route_timeout,
        by(
            profile,
            (secs(10), "MY_ROUTE_TIMEOUT"),
            (Time(active.0 * 2), "RFC 3561 §10: 2 × ACTIVE_ROUTE_TIMEOUT"),
        ),
    )
}

/// The expanding ring of requests.
fn ring(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
) -> Result<(Option<u8>, u8, u8), ScenarioError> {
    let start = first_ring(filling, given, profile)?;
    let increment = filling.pick(
        "routing.ttl_increment",
        given.ttl_increment,
        by(
            profile,
            (2, "TTL_INCREMENT"),
            (2, "RFC 3561 §10: TTL_INCREMENT"),
        ),
    );
    let threshold = filling.pick(
        "routing.ttl_threshold",
        given.ttl_threshold,
        by(
            profile,
            (7, "TTL_THRESHOLD"),
            (7, "RFC 3561 §10: TTL_THRESHOLD"),
        ),
    );
    if start.is_some_and(|start| start > threshold) {
        let accepted = format!("at most routing.ttl_threshold = {threshold}");
        let message = "above routing.ttl_threshold";
        return Err(filling.error("routing.ttl_start", start.as_ref(), message, accepted));
    }
    Ok((start, increment, threshold))
}

/// The first ring around a node that looks for one that it never knew. ns-2 has a value for it as well, and
/// never uses it: it counts what it does not know as 255 hops.
fn first_ring(
    filling: &mut Filling<'_>,
    given: &AodvRouting,
    profile: Profile,
) -> Result<Option<u8>, ScenarioError> {
    let key = "routing.ttl_start";
    let start = filling.pick(
        key,
        given.ttl_start,
        by(profile, (5, "TTL_START"), (1, "RFC 3561 §10: TTL_START")),
    );
    if profile == Profile::Standard {
        return Ok(Some(start));
    }
    if filling.is_given(key) {
        let message = "with ns-2's rules the first search goes through the whole network";
        let accepted = "no such key, or profile = \"standard\"";
        return Err(filling.error(key, Some(&start), message, accepted));
    }
    filling.sources.remove(key);
    Ok(None)
}

fn buffers(filling: &mut Filling<'_>, given: &AodvRouting) -> (Time, u32, Time) {
    let jitter = filling.pick(
        "routing.broadcast_jitter",
        given.broadcast_jitter,
        fixed(millis(10), "ns-2's; RFC 3561 gives none"),
    );
    let capacity = filling.pick(
        "routing.buffer_capacity",
        given.buffer_capacity,
        fixed(64, "ns-2's; RFC 3561 gives none"),
    );
    let timeout = filling.pick(
        "routing.buffer_timeout",
        given.buffer_timeout,
        fixed(secs(30), "ns-2's; RFC 3561 gives none"),
    );
    (jitter, capacity, timeout)
}
