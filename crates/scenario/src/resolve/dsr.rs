//! DSR.

use super::{Filling, by, fixed, millis, secs};
use crate::document::DsrRouting;
use crate::profile::Profile;
use crate::quantities::Time;
use crate::resolved::DsrOptions;

pub(super) fn dsr(filling: &mut Filling<'_>, given: &DsrRouting, profile: Profile) -> DsrOptions {
    let (request_period, max_request_period) = periods(filling, given);
    let (broadcast_jitter, buffer_capacity, buffer_timeout) = buffers(filling, given);
    DsrOptions {
        primary_routes: filling.pick(
            "routing.primary_routes",
            given.primary_routes,
            fixed(30, "MobiCache of ns-2"),
        ),
        secondary_routes: filling.pick(
            "routing.secondary_routes",
            given.secondary_routes,
            fixed(64, "MobiCache of ns-2"),
        ),
        replies_from_cache: filling.pick(
            "routing.replies_from_cache",
            given.replies_from_cache,
            fixed(true, "ns-2; RFC 4728 §3.3.2"),
        ),
        overhears: filling.pick(
            "routing.overhears",
            given.overhears,
            fixed(true, "ns-2; RFC 4728 §3.3.1"),
        ),
        asks_neighbours_first: filling.pick(
            "routing.asks_neighbours_first",
            given.asks_neighbours_first,
            fixed(true, "ns-2; RFC 4728 §3.3.3"),
        ),
        salvages: filling.pick(
            "routing.salvages",
            given.salvages,
            fixed(15, "ns-2; RFC 4728 §9: MAX_SALVAGE_COUNT"),
        ),
        flow_state: filling.pick(
            "routing.flow_state",
            given.flow_state,
            by(
                profile,
                (true, "dsragent_enable_flowstate"),
                (false, "RFC 4728 §3.5: optional"),
            ),
        ),
        request_period: request_period.0,
        max_request_period: max_request_period.0,
        broadcast_jitter: broadcast_jitter.0,
        buffer_capacity,
        buffer_timeout: buffer_timeout.0,
    }
}

fn periods(filling: &mut Filling<'_>, given: &DsrRouting) -> (Time, Time) {
    let least = filling.pick(
        "routing.request_period",
        given.request_period,
        fixed(millis(500), "ns-2; RFC 4728 §9: RequestPeriod"),
    );
    let most = filling.pick(
        "routing.max_request_period",
        given.max_request_period,
        fixed(secs(10), "ns-2; RFC 4728 §9: MaxRequestPeriod"),
    );
    (least, most)
}

fn buffers(filling: &mut Filling<'_>, given: &DsrRouting) -> (Time, u32, Time) {
    let jitter = filling.pick(
        "routing.broadcast_jitter",
        given.broadcast_jitter,
        fixed(millis(10), "ns-2; RFC 4728 §9: BroadcastJitter"),
    );
    let capacity = filling.pick(
        "routing.buffer_capacity",
        given.buffer_capacity,
        fixed(64, "SEND_BUF_SIZE of ns-2"),
    );
    let timeout = filling.pick(
        "routing.buffer_timeout",
        given.buffer_timeout,
        fixed(secs(30), "ns-2; RFC 4728 §9: SendBufferTimeout"),
    );
    (jitter, capacity, timeout)
}
